"""The verbs of Robot as a mechanism has them: its loops are assembled first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from robot_dynamics.dynamics import External
from robot_dynamics.mechanism.forces import Forces
from robot_dynamics.model.denoc import Array
from robot_dynamics.robot import Robot


def assembled(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Return a verb of Robot that assembles the mechanism first: q are independent joints.

    Where a kernel does both, it answers; the rest is for what is out of the ordinary.
    """
    name = verb.__name__

    @wraps(verb)
    def over_loops(self: AssembledVerbs, q: ArrayLike, *arguments: Any,
                   near: ArrayLike | None = None, **options: Any) -> Any:
        if not options:
            if near is None:
                call = self._placed.get(name)
                result = None if call is None else call(q, *arguments, None)
            else:
                call = self._near.get(name)
                result = None if call is None else call(near, q, *arguments, None)
            if result is not None:
                return result
            if call is None:
                self._bind(name, near)
            else:
                result = self._in_one(name, near, (q, *arguments))
                if result is not None:
                    return result
        tree = self._assembly.alone(q) if near is None else self._assembly.near(q, near)
        return verb(self, tree, *arguments, **options)
    return over_loops


class AssembledVerbs(Forces):
    """A mechanism with the verbs of VERBS, each of which takes `near` as well.

    What is declared here is for who reads and for type checkers; `assembled` makes the verbs.
    """

    if TYPE_CHECKING:

        def inertia_matrix(
                self, q: ArrayLike, *, near: ArrayLike | None = None, algorithm: str = 'auto',
                out: Array | None = None) -> Array: ...

        def inertia_matrix_inverse(
                self, q: ArrayLike, *, near: ArrayLike | None = None,
                out: Array | None = None) -> Array: ...

        def bias(
                self, q: ArrayLike, qd: ArrayLike, *, near: ArrayLike | None = None,
                out: Array | None = None) -> Array: ...

        def gravity_torque(
                self, q: ArrayLike, *, near: ArrayLike | None = None,
                out: Array | None = None) -> Array: ...

        def udu(
                self, q: ArrayLike, *, near: ArrayLike | None = None,
                out: tuple[Array, Array] | None = None) -> tuple[Array, Array]: ...

        def convective_matrix(
                self, q: ArrayLike, qd: ArrayLike, *, near: ArrayLike | None = None,
                form: str = 'paper', out: Array | None = None) -> Array: ...

        def kinetic_energy(
                self, q: ArrayLike, qd: ArrayLike, *, near: ArrayLike | None = None,
                out: Array | None = None) -> Any: ...

        def potential_energy(
                self, q: ArrayLike, *, near: ArrayLike | None = None,
                out: Array | None = None) -> Any: ...

        def center_of_mass(
                self, q: ArrayLike, *, near: ArrayLike | None = None,
                out: Array | None = None) -> Array: ...

        def centroidal_momentum(
                self, q: ArrayLike, qd: ArrayLike, *, near: ArrayLike | None = None,
                out: Array | None = None) -> Array: ...

        def centroidal_momentum_matrix(
                self, q: ArrayLike, *, near: ArrayLike | None = None,
                out: Array | None = None) -> Array: ...

        def pose(
                self, q: ArrayLike, link: str | None = None, *, near: ArrayLike | None = None,
                out: Array | None = None) -> Array: ...

        def jacobian(
                self, q: ArrayLike, link: str | None = None, *, near: ArrayLike | None = None,
                out: Array | None = None) -> Array: ...

        def jacobian_rate(
                self, q: ArrayLike, qd: ArrayLike, link: str | None = None, *,
                near: ArrayLike | None = None, out: Array | None = None) -> Array: ...

        def manipulability(
                self, q: ArrayLike, link: str | None = None, *, near: ArrayLike | None = None,
                rows: str | Sequence[int] = 'linear', out: Array | None = None) -> Any: ...

        def inverse_dynamics_derivatives(
                self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *,
                near: ArrayLike | None = None, external: External | None = None,
                out: tuple[Array, Array, Array] | None = None) -> tuple[Array, Array, Array]: ...

        def forward_dynamics_derivatives(
                self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *,
                near: ArrayLike | None = None, external: External | None = None,
                out: tuple[Array, Array, Array] | None = None) -> tuple[Array, Array, Array]: ...

        def regressor(
                self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *,
                near: ArrayLike | None = None, out: Array | None = None) -> Array: ...


VERBS = (
    'inertia_matrix', 'inertia_matrix_inverse', 'bias', 'gravity_torque', 'udu',
    'convective_matrix', 'kinetic_energy', 'potential_energy', 'center_of_mass',
    'centroidal_momentum', 'centroidal_momentum_matrix', 'pose', 'jacobian',
    'jacobian_rate', 'manipulability',
    'inverse_dynamics_derivatives', 'forward_dynamics_derivatives', 'regressor')
for _name in VERBS:
    setattr(AssembledVerbs, _name, assembled(getattr(Robot, _name)))
