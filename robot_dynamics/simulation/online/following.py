"""The motion through some points, at any instant."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

# Rows: the conditions q, qd, qdd at 0 and q, qd, qdd at 1; answers: coefficients of 1, s, s^2, ...
QUINTIC = np.linalg.inv([[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 2, 0, 0, 0],
                         [1, 1, 1, 1, 1, 1], [0, 1, 2, 3, 4, 5], [0, 0, 2, 6, 12, 20]])
CUBIC = np.zeros((6, 6))
CUBIC[:4, [0, 1, 3, 4]] = np.linalg.inv([[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 1, 1], [0, 1, 2, 3]])
LINEAR = np.zeros((6, 6))
LINEAR[:2, [0, 3]] = [[1, 0], [-1, 1]]


class Following:
    """Piecewise polynomials through the points of a trajectory; at rest before and after.

    Quintic where points have accelerations, cubic where they have velocities, else straight lines.
    """

    def __init__(self, start: float, t: np.ndarray, q: np.ndarray, qd: np.ndarray | None = None,
                 qdd: np.ndarray | None = None):
        """start: when time_from_start is zero [s]; t: (K,) [s]; q, qd, qdd: (K, n)."""
        self.start = start
        self.end = start + float(t[-1])
        self._t = t.tolist()
        self.points = q
        self._first, self._last = q[0].copy(), q[-1].copy()
        self._rest = np.zeros(q.shape[1])
        h = np.diff(t)[:, None]
        zero = np.zeros_like(q)
        basis = LINEAR if qd is None else CUBIC if qdd is None else QUINTIC
        qd, qdd = zero if qd is None else qd, zero if qdd is None else qdd
        conditions = np.stack([q[:-1], qd[:-1] * h, qdd[:-1] * h * h,
                               q[1:], qd[1:] * h, qdd[1:] * h * h], axis=1)
        self._coefficients = basis @ conditions  # (K - 1, 6, n)

    def __call__(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return q, qd, qdd, each (n,), at a time [s] of the clock that `start` is of."""
        t = time - self.start
        if t >= self._t[-1]:
            return self._last, self._rest, self._rest
        if t < self._t[0]:
            return self._first, self._rest, self._rest
        k = bisect_right(self._t, t) - 1
        h = self._t[k + 1] - self._t[k]
        s = (t - self._t[k]) / h
        s2, s3 = s * s, s * s * s
        powers = np.array([
            [1.0, s, s2, s3, s2 * s2, s2 * s3],
            [0.0, 1 / h, 2 * s / h, 3 * s2 / h, 4 * s3 / h, 5 * s2 * s2 / h],
            [0.0, 0.0, 2 / h**2, 6 * s / h**2, 12 * s2 / h**2, 20 * s3 / h**2]])
        q, qd, qdd = powers @ self._coefficients[k]
        return q, qd, qdd


def hold(time: float, q: np.ndarray) -> Following:
    """Return the motion that stays at q."""
    return Following(time, np.zeros(1), q[None])
