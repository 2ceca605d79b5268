"""The power balance: what the motors put in against what the robot's energy gains."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from robot_dynamics.dynamics import Dynamics

LONGEST_STEP = 0.5  # [s] work across a longer gap is not known


class PowerBalance:
    """Energy gained less work done between two looks, as a mean power [W].

    The motors' efforts less friction do the work: dE/dt = (tau - friction)^T qd. What is left is
    that of contacts, payloads and motors which the model does not know, or a wrong model.
    """

    def __init__(self, robot: Dynamics):
        self.robot = robot
        self._last: tuple[float, float] | None = None  # time, power
        self._begin: tuple[float, float] | None = None  # time, energy
        self._work = 0.0
        self._state: tuple[np.ndarray, np.ndarray] | None = None

    def take(self, time: float, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> None:
        """Take a state; time [s], tau: efforts of the motors, (n,) [N m or N]."""
        power = float((tau - self.robot.friction_torque(qd, q=q)) @ qd)
        step = math.inf if self._last is None else time - self._last[0]
        if step == 0:
            return
        if 0 < step < LONGEST_STEP and self._last is not None:
            self._work += step * (power + self._last[1]) / 2
        else:
            self._begin, self._work = (time, self._energy(q, qd)), 0.0
        self._last, self._state = (time, power), (q, qd)

    def look(self) -> float:
        """Return the mean unexplained power since the last look [W], nan if unknown."""
        if self._begin is None or self._last is None or self._state is None:
            return math.nan
        (begin, before), now = self._begin, self._last[0]
        if now <= begin:
            return math.nan
        energy = self._energy(*self._state)
        residual = (energy - before - self._work) / (now - begin)
        self._begin, self._work = (now, energy), 0.0
        return residual

    def _energy(self, q: Any, qd: Any) -> float:
        return float(self.robot.kinetic_energy(q, qd)) + float(self.robot.potential_energy(q))
