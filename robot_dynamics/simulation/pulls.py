"""What pulls on the links of a robot: wrenches as checked functions of time."""

from collections.abc import Callable, Mapping
from typing import Any

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import mapping, vector
from robot_dynamics.model.denoc import Array


def make_wrenches(robot: Dynamics, external: Mapping[str, Any] | None
                  ) -> dict[str, Callable[[float], Array]]:
    """Return each link's wrench as a checked function of time."""
    wrenches: dict[str, Callable[[float], Array]] = {}
    for link, wrench in mapping('external', external).items():
        if link not in robot.link_names:
            raise InputError(f'external: no link {link!r}: {robot.name} has '
                             + ', '.join(robot.link_names))
        if callable(wrench):
            wrenches[link] = _checked(link, wrench)
        else:
            wrenches[link] = Steady(vector(f'external[{link!r}]', wrench, (6,)))
    return wrenches


class Steady:
    """A wrench that never changes."""

    def __init__(self, value: Array):
        self.value = value

    def __call__(self, t: float) -> Array:
        """Return the wrench, (6,)."""
        return self.value


def _checked(link: str, function: Callable[[float], Any]) -> Callable[[float], Array]:
    def wrench(t: float) -> Array:
        try:
            value = function(t)
        except Exception as error:
            raise InputError(f'external[{link!r}]: the function failed at t = {t:g} s: '
                             f'{type(error).__name__}: {error}') from error
        return vector(f'external[{link!r}] at t = {t:g} s', value, (6,))
    return wrench
