"""A robot that is not simulated yet, or cannot be: it stands where it was put. No ROS."""

from __future__ import annotations

from typing import Any

import numpy as np

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.simulation.live.joints import make_joints
from robot_dynamics.simulation.live.settings import initial_values


class Standing:
    """Joint values, rates and the efforts that hold it, units as in messages.

    q, qd: of the joints whose values users give, shape (n,); values: of all joints
    """

    def __init__(self, robot: Dynamics, settings: Any):
        self.robot, self._stops, self.moved = robot, settings.stops, False
        self.joints = make_joints(robot)
        self.qd = np.zeros(robot.n)
        try:
            self.values = self.joints.placed(
                initial_values(self.joints, self._rest(), settings), None, None)
        except RobotDynamicsError:  # of another robot, as is said when this one moves
            self.values = self.joints.placed(self._rest(), None, None)
        self.effort = self.joints.holding(self.values)

    @property
    def q(self) -> np.ndarray:
        """Joint values, shape (n,) [rad or m]."""
        return self.joints.values(self.values)

    def _rest(self) -> np.ndarray:
        return self.joints.rest(self.robot.limits.lower, self.robot.limits.upper)

    def place(self, q: np.ndarray, qd: np.ndarray, near: np.ndarray | None = None) -> None:
        """Put the robot into a state, within the stops; near: as of `LiveRobot.place`."""
        x = self.joints.layout.beside(q)
        beyond = (x < self.robot.limits.lower) | (x > self.robot.limits.upper)
        if self._stops and beyond.any():
            j = int(beyond.argmax())
            raise InputError(f'joint {self.robot.joint_names[j]!r}: {x[j]:g} is beyond its stop')
        self.values = self.joints.placed(q.copy(), near, self.values)
        self.qd, self.moved = qd.copy(), True
        self.effort = self.joints.holding(self.values)
