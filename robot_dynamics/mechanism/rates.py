"""How the map N of looped coordinates changes: dN/dt, and derivatives of what motors do.

With r = N u the tree's own rates, a(u) = dN/dt(u) u is what `joint_accelerations` gives at
qdd = 0. It is a square; the product D(u, w) = dN/dt(u) w is half of a(u + w) - a(u) - a(w) where
rates are those of coordinates. The twists of floating joints are not: J r = 0 differentiated along
u, then w, and the other way round, differs by J [N u, N w], with the bracket of twists

    [(w1, v1), (w2, v2)] = (w1 x w2, w1 x v2 + v1 x w2),

and J (D(u, w) - D(w, u)) = -J [N u, N w] determines the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from robot_dynamics.algorithms.turns import cross
from robot_dynamics.model.coordinates import Coordinates, identity
from robot_dynamics.model.denoc import Array

if TYPE_CHECKING:
    from robot_dynamics.mechanism.looped import LoopedAt


def own_rate(at: LoopedAt, qd: Array) -> Array:
    """Return dN/dt of the tree's own rates, (joints, nv)."""
    q, rest = at.q, np.zeros(at.nv, qd.dtype)
    r, own = at.joint_rates(q, qd), at.joint_accelerations(q, qd, rest)
    columns = []
    for unit in identity(at.nv, qd.dtype):
        both = at.joint_accelerations(q, qd + unit, rest)
        column = both - own - at.joint_accelerations(q, unit, rest)
        if not at.tree.flat:
            turn = bracket(at.tree, r, at.joint_rates(q, unit))
            right = np.array([sum(row * turn) for row in at.closing.J], qd.dtype)
            column = column + at.closing.follow(rest, -right)
        columns.append(column / 2)
    return np.array(columns, qd.dtype).reshape(at.nv, at.joints).T


def tree_rate(at: LoopedAt, qd: Array) -> Array:
    """Return dN/dt of the tree's joints, (L, nv): N is the tree's map times that of the loops."""
    tree, own = at.tree.at(at.q), own_rate(at, qd)
    turning = tree.rate(at.q, at.joint_rates(at.q, qd))
    columns = [tree.rates(at.q, own[:, k]) + np.array(
        [sum(row * at.N[:, k]) for row in turning], qd.dtype) for k in range(at.nv)]
    return np.array(columns, qd.dtype).reshape(at.nv, at.L).T


def bracket(tree: Coordinates, u: Array, w: Array) -> Array:
    """Return [u, w] of the twists of floating joints, zeros for other rates, (nv,)."""
    found = np.zeros(tree.nv, u.dtype)
    for joint in getattr(tree, 'free', ()):
        turn, move = slice(joint.v, joint.v + 3), slice(joint.v + 3, joint.v + 6)
        found[turn] = cross(u[turn], w[turn])
        found[move] = cross(u[turn], w[move]) + cross(u[move], w[turn])
    return found
