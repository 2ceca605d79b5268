"""Cut joints: what closes a loop, between two bodies of the tree.

A cut joint has a frame on each of two bodies; axes u1 are those of the first, w2 those of the
second. Where the loop is closed, two kinds of equations hold:

    u1 . (x2 - x1) = 0      the second origin lies where the first allows it
    u1 . w2 = 0             an axis of the first is normal to one of the second
"""

from dataclasses import dataclass

import numpy as np

from robot_dynamics.model.denoc import Array

X, Y, Z = 0, 1, 2

# What each kind holds: axes u1 of the first kind of equations, pairs (u1, w2) of the second.
# z is the axis of the joint; universal: x of the first, y of the second (DESIGN of the files).
CUT_JOINTS: dict[str, tuple[tuple[int, ...], tuple[tuple[int, int], ...]]] = {
    'fixed': ((X, Y, Z), ((X, Z), (Y, Z), (X, Y))),
    'revolute': ((X, Y, Z), ((X, Z), (Y, Z))),
    'prismatic': ((X, Y), ((X, Z), (Y, Z), (X, Y))),
    'cylindrical': ((X, Y), ((X, Z), (Y, Z))),
    'universal': ((X, Y, Z), ((X, Y),)),
    'spherical': ((X, Y, Z), ()),
    'planar': ((Z,), ((X, Z), (Y, Z))),
}


@dataclass(frozen=True)
class Cut:
    """A cut joint: kind, the bodies it joins (-1: the root) and its frame in each, (4, 4)."""

    name: str
    kind: str
    bodies: tuple[int, int]
    frames: tuple[tuple[tuple[float, ...], ...], ...]

    @property
    def slides(self) -> tuple[int, ...]:
        """Axes of the first along which the second origin cannot move."""
        return CUT_JOINTS[self.kind][0]

    @property
    def normals(self) -> tuple[tuple[int, int], ...]:
        """Pairs of axes that stay normal to each other."""
        return CUT_JOINTS[self.kind][1]

    @property
    def rows(self) -> int:
        """Number of equations."""
        return len(self.slides) + len(self.normals)


@dataclass(frozen=True)
class Gear:
    """A linear equation between joint values: sum of c_k q_k = constant."""

    name: str
    factors: tuple[tuple[int, float], ...]  # joint's number among the user's of the tree, c_k
    constant: float


def make_cut(name: str, kind: str, bodies: tuple[int, int], frames: tuple[Array, Array]) -> Cut:
    """Make a cut joint from the frames' poses on the bodies."""
    return Cut(name, kind, (int(bodies[0]), int(bodies[1])), tuple(
        tuple(map(tuple, np.asarray(T, float).tolist())) for T in frames))
