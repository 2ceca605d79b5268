"""Placing: assembled joint values on the branch of the start, straight-line code where it can be.

Planar pairs close in closed form. Elsewhere a pose is reached from another, at first the start:
the straight line of the independent joints begins with the passive rates N and bends with their
drift dN/dt; from there Newton's method closes the loops. No joint may move far, and N may hardly
change on the way: what drift and Newton's method add must be small beside it. At a fold, where
x^2 = s + e, drift / way is s / (4 e): the way ends at less than half of the distance to it, so
that the branch is kept. Assembly takes longer ways in parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from robot_dynamics.algorithms.dyads import solve_dyad
from robot_dynamics.engine.tracing.symbols import SMALL
from robot_dynamics.mechanism.closing import Closing
from robot_dynamics.model.coordinates import joined
from robot_dynamics.model.denoc import Array

if TYPE_CHECKING:
    from robot_dynamics.mechanism.loops import Loops

Guards = list[tuple[Any, Any]]  # pairs (a, b) with a > b where the result holds

STEPS = (2, 2)  # of Newton's method, with two sets of derivatives: e becomes e^9
STRIDE = 0.25  # [rad, or part of the length] the farthest that a joint may move along N
BEND = 0.1  # part of the way along N that the drift may add
PART = 0.05  # part of the way that Newton's method may add
NOTHING = 1e-9  # part of the length, or angle, that may be added to no way at all


def placed(loops: Loops, values: Array) -> tuple[Array, Guards]:
    """Return assembled values on the start's branch, (nq,), and guards.

    values: of the independent joints, numbers of any kind
    """
    if loops.pairs:
        return by_pairs(loops, values)
    start = np.array(loops.start, values.dtype)  # numbers, that fold: N and its drift cost little
    return reached(loops, values, start, Closing(loops.plain, start))


def by_pairs(loops: Loops, values: Array) -> tuple[Array, Guards]:
    """Place pair after pair in closed form; guards: the triangles close."""
    entries: list[Any] = list(loops.start)
    for k, value in zip(loops.values, values, strict=True):
        entries[k] = value
    guards = []
    for dyad, joints, signs in loops.pairs:
        at = loops.tree.positions(joined(values, entries))
        *angles, square = solve_dyad(loops.tree_geometry, at, dyad)
        for k, sign, angle in zip(joints, signs, angles, strict=True):
            entries[k] = entries[k] + sign * angle
        guards.append((square, 0.0))
    return joined(values, entries), guards


def reached(loops: Loops, values: Array, start: Array, closing: Closing | None = None
            ) -> tuple[Array, Guards]:
    """Return assembled values, (nq,), by N and its drift at another pose and Newton's method.

    closing: of that pose, known to be regular; guards: the way is short enough, the loops close
    """
    guards: Guards = []
    if closing is None:
        closing = Closing(loops, start)
        guards = list(closing.factors.guards)
    rest = np.zeros(len(loops.independent), values.dtype)
    way = closing.follow(values - start[list(loops.values)], np.zeros(loops.rows, values.dtype))
    bend = 0.5 * closing.follow(rest, -closing.drift(way))
    ahead = start + way + bend
    turned: list[Any] | None = [] if values.dtype == object else None
    found, left = loops.closed(values, ahead, STEPS, turned)
    scales = [1.0 if turns else 1.0 / loops.length for turns in loops.turning]

    def square(x: Array) -> Any:
        return sum((scale * y) ** 2 for scale, y in zip(scales, x, strict=True))

    far, added = square(way), square(found - ahead)
    guards += [*((STRIDE ** 2, (scale * y) ** 2) for scale, y in zip(scales, way, strict=True)),
               (BEND ** 2 * far + NOTHING ** 2, square(bend)),
               (loops.enough, left), (SMALL ** 2, added),
               (PART ** 2 * far + NOTHING ** 2, added)]
    return found, [*guards, *([(SMALL ** 2, sum(turned))] if turned else [])]
