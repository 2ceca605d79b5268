"""Joint accelerations from the velocities of successive joint states."""

from __future__ import annotations

import numpy as np

LONGEST_STEP = 0.5  # [s] a longer silence says nothing about the acceleration


class Accelerations:
    """Backward differences of the velocity; zero at the first state and after a gap."""

    def __init__(self) -> None:
        self._time: float | None = None
        self._qd = np.zeros(0)
        self._qdd = np.zeros(0)

    def update(self, time: float, qd: np.ndarray) -> np.ndarray:
        """Return the accelerations, shape (n,) [rad/s^2 or m/s^2], at a new state.

        time: stamp of the state [s]; qd: joint rates, shape (n,) [rad/s or m/s].
        """
        step = np.inf if self._time is None else time - self._time
        if step == 0:
            return self._qdd
        known = 0 < step < LONGEST_STEP and self._qd.shape == qd.shape
        self._qdd = (qd - self._qd) / step if known else np.zeros_like(qd)
        self._time, self._qd = time, qd
        return self._qdd
