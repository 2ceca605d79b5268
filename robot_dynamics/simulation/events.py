"""Event functions: where a function of the state crosses zero."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.inputs import read_only
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.trajectory import Event


class EventFunction(NamedTuple):
    """A function of (t, q, qd), whether its zero ends the simulation, and which way it crosses."""

    number: int
    function: Callable[[float, Array, Array], float]
    terminal: bool
    direction: float  # positive: upward only, negative: downward only, 0: both

    def __call__(self, t: float, q: Array, qd: Array) -> float:
        """Return the function's value, checked."""
        try:
            value = float(self.function(t, read_only(q), read_only(qd)))
        except RobotDynamicsError:
            raise
        except Exception as error:
            raise InputError(f'events[{self.number}]: the function failed at t = {t:g} s: '
                             f'{type(error).__name__}: {error}') from error
        if not np.isfinite(value):
            raise InputError(f'events[{self.number}]: the function returned {value} at '
                             f't = {t:g} s')
        return value


def make_events(events: Any) -> list[EventFunction]:
    """Return the event functions; `terminal` and `direction` are attributes, as scipy has them."""
    if events is None:
        return []
    functions = [events] if callable(events) else (
        list(events) if isinstance(events, Iterable) else [events])
    for k, function in enumerate(functions):
        if not callable(function):
            raise InputError(f'events[{k}]: expected a function of (t, q, qd)')
    return [EventFunction(k, f, bool(getattr(f, 'terminal', False)),
                          float(getattr(f, 'direction', 0.0))) for k, f in enumerate(functions)]


def crossings(events: Sequence[EventFunction], q: Callable[[float], Array],
              qd: Callable[[float], Array], t0: float, t1: float) -> tuple[list[Event], bool]:
    """Return the zeros between two instants in order, and whether the last one is terminal."""
    found: list[tuple[Event, bool]] = []
    from scipy.optimize import brentq  # it takes its time
    for event in events:
        def value(t: float, event: EventFunction = event) -> float:
            return event(t, q(t), qd(t))
        a, b = value(t0), value(t1)
        up = a < 0 <= b and event.direction >= 0
        down = a > 0 >= b and event.direction <= 0
        if up or down:
            t = float(brentq(value, t0, t1, xtol=1e-13, rtol=1e-13)) if b else t1
            found.append((Event(event.number, t, q(t).copy(), qd(t).copy()), event.terminal))
    found.sort(key=lambda pair: pair[0].t)
    for k, (_, terminal) in enumerate(found):
        if terminal:
            return [event for event, _ in found[:k + 1]], True
    return [event for event, _ in found], False
