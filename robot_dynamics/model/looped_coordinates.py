"""What coordinates have beside their contract where loops are closed: engine and solvers ask it.

`mechanism/` makes them; see `Coordinates` for the rest of the contract.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from robot_dynamics.model.coordinates import Coordinates
from robot_dynamics.model.cuts import Cut
from robot_dynamics.model.denoc import Array, Geometry


class ClosedLoops(Protocol):
    """A tree's loops: the cut joints, and how joint values that close them are found."""

    @property
    def names(self) -> tuple[str, ...]:
        """The joints of the tree."""

    @property
    def independent(self) -> tuple[int, ...]:
        """The numbers of those whose rates are the user's."""

    @property
    def start(self) -> tuple[float, ...]:
        """Joint values that close the loops, (nq,)."""

    @property
    def length(self) -> float:
        """A size of the mechanism [m]."""

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """The cut joints."""

    @property
    def tree_geometry(self) -> Geometry:
        """The geometry of the open tree."""

    def closed(self, values: Array, q: Array, steps: tuple[int, ...]) -> tuple[Array, Any]:
        """Return values near q that close the loops, and the square of what is left."""

    def weakest(self, q: Array) -> tuple[str, ...]:
        """Return the joints that the loops hold least at q."""

    def reached(self, values: Array, q: Array) -> tuple[Array, Sequence[tuple[Any, Any]]]:
        """Return assembled values a short way from others, (nq,), and guards."""

    def placed(self, values: Array) -> tuple[Array, list[tuple[Any, Any]]]:
        """Return values in closed form, and guards."""


class LoopedCoordinates(Coordinates, Protocol):
    """Coordinates of a tree whose loops are closed: q are the values of all its joints."""

    @property
    def tree(self) -> Coordinates:
        """The coordinates of the open tree."""

    @property
    def loops(self) -> ClosedLoops:
        """What closes them."""

    @property
    def formulation(self) -> str:
        """How passive rates follow."""

    def at(self, q: Array) -> LoopedCoordinatesAt:
        """Return these coordinates, standing at q."""

    def given(self, q: Array) -> Array:
        """Return the values that users give, of the independent joints, (..., values)."""

    def condition(self, q: Array) -> float:
        """Return the condition number of the loops: large near a singularity."""


def puts_back(coordinates: Coordinates) -> bool:
    """Tell whether steps of semi-implicit Euler put values back: of closed loops without poses."""
    tree = getattr(coordinates, 'tree', None)
    return tree is not None and bool(tree.flat)


class LoopedCoordinatesAt(LoopedCoordinates, Protocol):
    """Looped coordinates that stand at q."""

    @property
    def N(self) -> Array:
        """The tree's own rates per rate, (joints, nv)."""

    def joint_accelerations(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the accelerations of the tree's own coordinates, (joints,)."""

    def putting_back(self) -> tuple[Array, Sequence[tuple[Any, Any]]]:
        """Return the motion of all joints, (joints,), that closes loops that hardly gape.

        Also pairs (a, b) with a > b for it to be enough.
        """

    def own(self, values: Array) -> Array:
        """Return the values of the independent joints, (nv,), of those of all joints."""

    def multipliers(self, tau: Array) -> Array:
        """Return the forces of closure, (rows,), of torques over the tree's own rates."""
