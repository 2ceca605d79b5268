"""Whether points can be reached: inverse kinematics of many points and arms at once.

A point is reached when joint values within the limits bring the link's origin there. The search
starts from the nearest of many known postures and descends by Levenberg and Marquardt's method;
joints that press on a limit are held.
"""

from typing import NamedTuple

import numpy as np

from robot_dynamics.model.denoc import Array
from robot_dynamics.selection.family import Family, Ranges

CLOSE = 1e-7  # part of the arm's size within which a point is reached
STEPS = 40
STARTS = 6  # postures from which the search begins, the nearest first
STALLED = 4  # steps in a row that gain little before a search ends


class Known(NamedTuple):
    """Postures of N arms and where they bring the link, in coordinates of d dimensions.

    q: (S, n); at: (N, S, d), nan where an arm cannot be; origin: (N, 3); basis: (N, d, 3)
    size: (N,) of the arms [m]; cover: (N,) farther than this from all `at`, nothing is reachable
    """

    q: Array
    at: Array
    origin: Array
    basis: Array
    size: Array
    cover: Array

    def coordinates(self, owner: Array, points: Array) -> Array:
        """Return points (M, 3) of some arms in the coordinates, (M, d)."""
        found: Array = np.einsum('mdk,mk->md', self.basis[owner], points - self.origin[owner])
        return found


def reached(family: Family, known: Known, owner: Array, points: Array) -> Array:
    """Tell which points (M, d) the arms owner (M,) reach."""
    starts, away = nearest(known, owner, points)
    found, near = np.zeros(len(owner), bool), away <= known.cover[owner]
    for k in range(STARTS):
        left = np.flatnonzero(near & ~found)
        if len(left):
            found[left] = descend(family, known, owner[left], points[left],
                                  known.q[starts[left, k]])
    return found


def nearest(known: Known, owner: Array, points: Array) -> tuple[Array, Array]:
    """Return the known postures nearest to points, (M, STARTS), and how far the first is."""
    from scipy.spatial import cKDTree
    starts, away = np.zeros((len(owner), STARTS), int), np.zeros(len(owner))
    for i in np.unique(owner):
        mine, there = owner == i, np.flatnonzero(np.isfinite(known.at[i]).all(axis=1))
        far, near = cKDTree(known.at[i][there]).query(points[mine], range(1, STARTS + 1))
        near[~np.isfinite(far)] = 0  # fewer postures than starts
        starts[mine], away[mine] = there[near], far[:, 0]
    return starts, away


def descend(family: Family, known: Known, owner: Array, points: Array, q: Array) -> Array:
    """Tell which points are reached from joint values q (M, n)."""
    M, enough = len(owner), CLOSE * known.size[owner]
    error = points - known.coordinates(owner, family.tips(owner, q))
    left, damping = np.linalg.norm(error, axis=1), np.full(M, 1e-4)
    q, stalled, active = q.copy(), np.zeros(M, int), np.arange(M)
    for _ in range(STEPS):
        active = active[(left[active] > enough[active]) & (stalled[active] < STALLED)]
        if not len(active):
            break
        mine = owner[active]
        J = known.basis[mine] @ family.motion(mine, q[active])
        ahead = q[active] + bounded_step(
            J, error[active], damping[active] * known.size[mine] ** 2, q[active], family.ranges)
        ahead = within(ahead, family.ranges)
        missing = points[active] - known.coordinates(mine, family.tips(mine, ahead))
        rest = np.linalg.norm(missing, axis=1)
        better = rest < left[active]  # nan, where loops do not close, is not
        little = ~better | (rest > 0.9 * left[active])
        stalled[active] = np.where(little, stalled[active] + 1, 0)
        damping[active] *= np.where(better, 0.2, 8.0)
        taken = active[better]
        q[taken], error[taken], left[taken] = ahead[better], missing[better], rest[better]
    reached: Array = left <= enough
    return reached


def bounded_step(J: Array, error: Array, damping: Array, q: Array, ranges: Ranges) -> Array:
    """Return steps (M, n) by damped least squares; joints that would leave their range stay."""
    d = J.shape[1]
    moving = np.ones(q.shape)
    step = np.zeros(q.shape)
    for _ in range(2):
        held = J * moving[:, None, :]
        A = held @ np.swapaxes(held, 1, 2) + damping[:, None, None] * np.eye(d)
        step = np.einsum('mdn,md->mn', held, np.linalg.solve(A, error[..., None])[..., 0])
        out = ((q + step < ranges.lower) | (q + step > ranges.upper)) & ~ranges.free
        pressed = out & ((q <= ranges.lower) | (q >= ranges.upper))
        if not pressed.any():
            break
        moving = np.where(pressed, 0.0, moving)
    return np.clip(np.nan_to_num(step), -1.0, 1.0)  # nan: where loops are singular


def within(q: Array, ranges: Ranges) -> Array:
    """Return joint values within their ranges; joints without limits turn on."""
    return np.where(ranges.free, q, np.clip(q, ranges.lower, ranges.upper))
