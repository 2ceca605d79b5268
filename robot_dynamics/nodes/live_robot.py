"""A robot that moves under torques, a few steps at a time: the simulator's physics, no ROS."""

from __future__ import annotations

import numpy as np

from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.robot import Robot
from robot_dynamics.simulation.samples import Progress
from robot_dynamics.simulation.simulate import make_stops
from robot_dynamics.simulation.stepping import Stepping
from robot_dynamics.simulation.system import System
from robot_dynamics.simulation.torque_laws import Constant


class RunawayError(RobotDynamicsError):
    """The motion has no finite continuation; the state is the last good one."""


class LiveRobot:
    """A state that `advance` moves on with fixed steps in machine code.

    Making one waits until the robot's kernels are compiled. Steps in which a joint strikes or
    rests on a stop are taken in Python.
    """

    def __init__(self, robot: Robot, *, method: str = 'rk4', stops: bool = True,
                 restitution: float = 0.0):
        if not robot.n:
            raise InputError(f'{robot.name} has no joints')
        self.robot = robot
        self._law = Constant(np.zeros(robot.n))
        system = System(robot, self._law, None)
        self._stops = make_stops(system, stops, restitution)
        self._stepping = Stepping(system, self._stops, method, Progress(None))
        self._state = np.zeros(2 * robot.n)
        self._row = np.empty((1, 2 * robot.n))
        self.place(self.nearest_rest(), np.zeros(robot.n))

    @property
    def q(self) -> np.ndarray:
        """Joint values, shape (n,) [rad or m]: a view that the next step changes."""
        return self._state[:self.robot.n]

    @property
    def qd(self) -> np.ndarray:
        """Joint rates, shape (n,) [rad/s or m/s]: a view that the next step changes."""
        return self._state[self.robot.n:]

    def nearest_rest(self) -> np.ndarray:
        """Return the joint values nearest to zero that the stops allow, shape (n,)."""
        lower, upper = self._stepping.bounds()
        return np.clip(np.zeros(self.robot.n), lower, upper)

    def place(self, q: np.ndarray, qd: np.ndarray) -> None:
        """Put the robot into a state; `InputError` when that is beyond a stop.

        q, qd: joint values and rates, shape (n,) [rad or m, rad/s or m/s]
        """
        if self._stops is not None:
            self._stops.check(q)
            q, qd = self._stops.touch(q, qd)
        self._state[:] = np.concatenate([q, qd])

    def advance(self, tau: np.ndarray, h: float, steps: int) -> None:
        """Take steps of h [s] under constant torques; tau: shape (n,) [N m or N]."""
        if tau.shape != (self.robot.n,):
            raise InputError(f'tau: shape {tau.shape}: expected ({self.robot.n},)')
        self._law.tau = tau = np.ascontiguousarray(tau)
        stepping, done = self._stepping, 0
        while done < steps:
            if stepping.runner and not (self._stops and self._stops.resting):
                left = steps - done
                done += stepping.runner.run(
                    self._state, tau, h, left, left, *stepping.bounds(), self._row).steps
            if done < steps:  # at a stop, or at its wits' end
                if not stepping.slow(self._state, 0.0, h):
                    at = stepping.samples.stopped
                    assert at is not None
                    raise RunawayError(f'the motion stopped at joint {at.joint!r}: {at.reason}')
                done += 1
