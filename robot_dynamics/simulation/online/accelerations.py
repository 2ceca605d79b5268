"""Joint accelerations from the velocities of successive joint states."""

from __future__ import annotations

import math

import numpy as np

LONGEST_STEP = 0.5  # [s] a longer silence says nothing about the acceleration


class Accelerations:
    """Filtered differentiation: qdd = s / (1 + s / w) qd with w = 2 pi cutoff.

    Discrete with the step that was: qdd' = qdd + k ((qd' - qd) / h - qdd), k = 1 - exp(-w h),
    which is exact for a velocity that changes evenly within the step. Zero at the first state,
    after a gap, when time goes back, and where numbers overflow.
    """

    def __init__(self) -> None:
        self._time: float | None = None
        self._qd = np.zeros(0)
        self._qdd = np.zeros(0)
        self._settled = False

    def update(self, time: float, qd: np.ndarray, cutoff: float) -> np.ndarray:
        """Return the accelerations, shape (n,) [rad/s^2 or m/s^2], at a new state.

        time: stamp of the state [s]; qd: joint rates, shape (n,) [rad/s or m/s];
        cutoff: of the filter [Hz], 0 for plain differences
        """
        step = math.inf if self._time is None else time - self._time
        if step == 0:
            return self._qdd
        if not 0 < step < LONGEST_STEP or self._qd.shape != qd.shape:
            self._qdd, self._settled = np.zeros_like(qd), False
        else:
            with np.errstate(over='ignore'):  # looked at below
                difference = (qd - self._qd) / step
            share = -math.expm1(-2 * math.pi * cutoff * step) if cutoff and self._settled else 1.0
            self._qdd = self._qdd + share * (difference - self._qdd)
            self._settled = True
            if not math.isfinite(sum(self._qdd.tolist())):  # it would stay so for ever
                self._qdd, self._settled = np.zeros_like(qd), False
        self._time, self._qd = time, qd.copy()
        return self._qdd
