"""Reactions within bounds: what holds joints as long as it can."""

import numpy as np

from robot_dynamics.model.denoc import Array

BLOCKS = 10  # exchanges of all that is wrong at once, without progress, before one by one


def box_reactions(A: Array, b: Array, lower: Array, upper: Array,
                  tolerance: float = 0.0) -> tuple[Array, Array]:
    """Return r within bounds and where each is: -1 at the lower bound, 1 at the upper, 0 inside.

        v = A r + b;   v_i = 0 inside,  v_i >= 0 at the lower bound,  v_i <= 0 at the upper

    These are the conditions of min r^T A r / 2 + r^T b within the bounds, whose solution is unique
    for A symmetric and positive definite. Principal pivoting: what is on the wrong side changes
    it, all at once while that helps (Judice and Pires, 1994), then the first alone (Murty, 1974),
    which comes to an end. What no force moves (a joint at a dead point of its linkage: its row is
    zero) goes where b takes it.

    tolerance: how far r may pass its bound by rounding
    """
    n = len(b)
    dead = np.diagonal(A) == 0.0
    r, side = np.zeros(n), np.where(dead, -np.sign(b), 0).astype(int)
    lower, upper = (np.where(dead & np.isinf(x), 0.0, x) for x in (lower, upper))
    slack = tolerance * np.diagonal(A)
    fewest, patience = n + 1, BLOCKS
    for _ in range(2 ** min(n, 20) + 50 * n + BLOCKS):
        inside = (side == 0) & ~dead
        r = np.where(side < 0, lower, np.where(side > 0, upper, 0.0))
        if inside.any():
            rest = b[inside] + A[np.ix_(inside, ~inside)] @ r[~inside]
            r[inside] = np.linalg.solve(A[np.ix_(inside, inside)], -rest)
        v = A @ r + b
        low, high = inside & (r < lower - tolerance), inside & (r > upper + tolerance)
        back = (side < 0) & (v < -slack) | (side > 0) & (v > slack)
        wrong = np.flatnonzero(low | high | back)
        if not len(wrong):
            break
        patience -= 1
        if len(wrong) < fewest:
            fewest, patience = len(wrong), BLOCKS
        change = wrong if patience > 0 else wrong[:1]
        side[change] = np.where(low[change], -1, np.where(high[change], 1, 0))
    return r, side
