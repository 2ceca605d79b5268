"""Makes live robots in a thread, since their kernels take seconds to compile: no ROS."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.engine import wait_for_kernels
from robot_dynamics.simulation.live.live_robot import LiveRobot


class RobotBuilder:
    """Builds the robot that is wanted, one at a time; the newest wish counts."""

    def __init__(self) -> None:
        self._failure = ''  # why the last one could not be built
        self._wanted: tuple[Any, ...] = ()
        self._thread: threading.Thread | None = None
        self._built: list[LiveRobot] = []
        self._since = 0.0  # when building began [s]

    def want(self, robot: Dynamics | None, settings: Any) -> bool:
        """Have a robot built unless it is the one that was; return whether that begins now."""
        wanted = (robot, settings.method, settings.stops, settings.restitution)
        if robot is None or wanted == self._wanted or (
                self._thread is not None and self._thread.is_alive()):
            return False
        self._wanted, self._since = wanted, time.monotonic()
        self._thread = threading.Thread(target=self._build, args=wanted, daemon=True)
        self._thread.start()
        return True

    def take(self) -> LiveRobot | None:
        """Return a robot that has just become ready, once."""
        return self._built.pop() if self._built else None

    def take_failure(self) -> str:
        """Return why the robot wanted cannot be built, once, or nothing."""
        failure, self._failure = self._failure, ''
        return failure

    def waiting(self) -> float | None:
        """Return how long the robot wanted has been in the making [s], None when none is."""
        busy = self._thread is not None and self._thread.is_alive()
        return time.monotonic() - self._since if busy else None

    def _build(self, robot: Dynamics, method: str, stops: bool, restitution: float) -> None:
        try:
            live = LiveRobot(robot, method=method, stops=stops, restitution=restitution)
            warm(live.joints.moved, live.values.copy())
            live.joints.holding(live.values.copy())
            self._built.append(live)
        except Exception as error:  # a thread's errors are nobody's otherwise
            self._failure = f'this robot cannot be simulated: {error}'


def warm(robot: Dynamics, q: np.ndarray) -> None:
    """Wait for the kernels of the servos: what answers until then is too slow for large robots."""
    rest = np.zeros(robot.n)
    robot.inertia_matrix(q)
    robot.inverse_dynamics(q, rest, rest)
    wait_for_kernels()
