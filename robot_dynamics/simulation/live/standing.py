"""A robot that is not simulated yet, or cannot be: it stands where it was put. No ROS."""

from __future__ import annotations

from typing import Any

import numpy as np

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError
from robot_dynamics.simulation.live.settings import per_joint


class Standing:
    """Joint values, rates and the efforts that hold it, shape (n,) each, units as in messages."""

    def __init__(self, robot: Dynamics, settings: Any):
        self.robot, self._stops, self.moved = robot, settings.stops, False
        self.q, self.qd = np.zeros((2, robot.n))
        lower, upper = robot.limits.lower, robot.limits.upper
        try:
            given = per_joint(settings, 'initial_positions', robot.joint_names)
        except InputError:  # of another robot, as is said when this one moves
            given = None
        self.q = np.clip(self.q, lower, upper) if given is None else given
        self.effort = robot.gravity_torque(self.q)

    def place(self, q: np.ndarray, qd: np.ndarray) -> None:
        """Put the robot into a state, within the stops."""
        beyond = (q < self.robot.limits.lower) | (q > self.robot.limits.upper)
        if self._stops and beyond.any():
            j = int(beyond.argmax())
            raise InputError(f'joint {self.robot.joint_names[j]!r}: {q[j]:g} is beyond its stop')
        self.q, self.qd, self.moved = q.copy(), qd.copy(), True
        self.effort = self.robot.gravity_torque(q)
