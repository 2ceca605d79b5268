"""Notices joint values outside the limits, such as angles in degrees: no ROS."""

from __future__ import annotations

import numpy as np

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.inputs import outside_limits
from robot_dynamics.simulation.online.bodies import layout_of

SLACK = 1e-3  # [rad or m] beyond a limit: a joint on its stop, an encoder's offset


class LimitWatch:
    """Says of each joint once that it is outside its limits."""

    def __init__(self, robot: Dynamics):
        self._names, limits, self._layout = robot.joint_names, robot.limits, layout_of(robot)
        known = limits.lower < limits.upper  # 0 to 0 is what some write who know no limits
        self._lower = np.where(known, limits.lower, -np.inf)
        self._upper = np.where(known, limits.upper, np.inf)

    def look(self, q: np.ndarray, what: str) -> str:
        """Return what to say about joint values, (nq,) or (N, nq) [rad or m], mostly nothing.

        what: where the values come from, to begin the sentence with
        """
        q = self._layout.beside(q)
        beyond = (q < self._lower - SLACK) | (q > self._upper + SLACK)
        if not beyond.any():
            return ''
        text = outside_limits(what, q, self._lower, self._upper, self._names, SLACK)
        said = np.atleast_2d(beyond).any(axis=0)
        self._lower[said], self._upper[said] = -np.inf, np.inf
        return text
