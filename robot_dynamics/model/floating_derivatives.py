"""How torques change with the pose and the twist of floating joints, from the tree's derivatives.

The six joints of a floating one stand at zero (floating.py); a motion of its tangent moves them
away, by turns Rx(a) Ry(b) Rz(c), then x along the turned axes. With omega and v held,

    ad = wx - wy c, bd = wy + wx c, cd = wz - wx b, xd = v - omega x x

to first order, and what their second derivatives are follows from

    ad = (wx cos c - wy sin c) / cos b, bd = wx sin c + wy cos c, cd = wz - ad sin b.

So d tau/dq along the motion k is the tree's, and (d tau/dqd) dqd_k + I dqdd_k + dN_k^T tau; along
omega and v, (d tau/dqd) is the tree's and I times the derivative of what the six have as drift.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from robot_dynamics.model.denoc import Array
from robot_dynamics.model.floating import FreeJoint

Sparse = dict[int, Any]  # entries of a vector of six


def tangent_derivatives(joints: Sequence[FreeJoint], by_q: Array, by_qd: Array, gim: Array,
                        tau: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
    """Return d tau/dq and d tau/dqd (nv, nv) by the tangent, qd and qdd held.

    by_q, by_qd, gim, tau: those of the six joints and all others; qd, qdd: the user's, (nv,)
    """
    by_q, rates = by_q.copy(), by_qd.copy()
    for joint in joints:
        at = joint.v
        for k, (rate, acceleration, turned) in enumerate(
                moved(list(qd[at:at + 6]), list(qdd[at:at + 6]))):
            by_q[:, at + k] = (by_q[:, at + k] + combined(by_qd, at, rate)
                               + combined(gim, at, acceleration))
            for (row, column), sign in turned.items():
                by_q[at + column, at + k] = by_q[at + column, at + k] + sign * tau[at + row]
        for k, drift in enumerate(drifts(list(qd[at:at + 6]))):
            rates[:, at + k] = rates[:, at + k] + combined(gim, at, drift)
    return by_q, rates


def combined(columns: Array, at: int, entries: Sparse) -> Any:
    """Return columns from `at` on times entries."""
    total = np.zeros(len(columns), columns.dtype)
    for k, x in entries.items():
        total = total + columns[:, at + k] * x
    return total


def moved(qd: list[Any], qdd: list[Any]
          ) -> list[tuple[Sparse, Sparse, dict[tuple[int, int], float]]]:
    """Return how the six joints' rates, accelerations and N change along a, b, c, x, y, z."""
    wx, wy, wz = qd[:3]
    ax, ay, az = qdd[:3]
    found: list[tuple[Sparse, Sparse, dict[tuple[int, int], float]]] = [
        ({}, {}, {}),
        ({2: -wx}, {0: 2.0 * wx * wy, 1: -(wx * wx), 2: wy * wz - ax}, {(2, 0): -1.0}),
        ({0: -wy, 1: wx},
         {0: -ay - wx * wz, 1: ax - wy * wz, 2: wy * wy - wx * wx},
         {(0, 1): -1.0, (1, 0): 1.0})]
    # -omega x e; -omega' x e + omega x (omega x e); e x omega
    found.append(({4: -wz, 5: wy}, {3: -(wy * wy + wz * wz), 4: wx * wy - az, 5: wx * wz + ay},
                  {(4, 2): -1.0, (5, 1): 1.0}))
    found.append(({3: wz, 5: -wx}, {3: wx * wy + az, 4: -(wx * wx + wz * wz), 5: wy * wz - ax},
                  {(3, 2): 1.0, (5, 0): -1.0}))
    found.append(({3: -wy, 4: wx}, {3: wx * wz - ay, 4: wy * wz + ax, 5: -(wx * wx + wy * wy)},
                  {(3, 1): -1.0, (4, 0): 1.0}))
    return found


def drifts(qd: list[Any]) -> list[Sparse]:
    """Return the derivatives of [-wy wz, wx wz, -wx wy, v x omega] by wx, wy, wz, vx, vy, vz."""
    wx, wy, wz, vx, vy, vz = qd
    return [{1: wz, 2: -wy, 4: vz, 5: -vy}, {0: -wz, 2: -wx, 3: -vz, 5: vx},
            {0: -wy, 1: wx, 3: vy, 4: -vx}, {4: -wz, 5: wy}, {3: wz, 5: -wx}, {3: -wy, 4: wx}]
