"""Joint states of a robot, or of a mechanism with or without its passive joints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from sensor_msgs.msg import JointState

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.nodes.shared.conversion import StateReader, read_trajectory
from robot_dynamics.nodes.shared.settings import Setting
from robot_dynamics.simulation.online.bodies import Body, check_closed, is_closed, make_body

CLOSURE_SETTING = Setting(
    'closure_tolerance', 0.01, 'how far joint states with passive joints may leave a loop of a '
    'mechanism open, and still be believed; else passive joints are computed [m, or sine of an '
    'angle]', low=0.0, high=10.0)


class BodyReader:
    """Reads the joint states of a body; a mechanism's pose follows them.

    said: what there is to say about the last position, mostly nothing
    """

    def __init__(self, body: Body):
        self.body, self.said = body, ''
        self._own = StateReader(body.joint_names)
        self._all = StateReader(body.all_names) if body.closed else self._own
        self._motors = self._own if body.motor_names == body.joint_names else StateReader(
            body.motor_names)
        self._names: list[str] = []
        self._complete = False  # messages of these names have all joints

    def position(self, state: JointState) -> np.ndarray:
        """Return the joint values, shape (n,), and let the body stand there."""
        q = self._own.read(state, 'position')
        if self.body.closed:
            self.said = self.body.stand(q, self._tree(state))
        return q

    def velocity(self, state: JointState) -> np.ndarray:
        """Return the joint rates, shape (n,)."""
        return self._own.read(state, 'velocity')

    def effort(self, state: JointState) -> np.ndarray:
        """Return the efforts of the motors."""
        return self._motors.read(state, 'effort')

    def unchecked_effort(self, state: JointState) -> np.ndarray:
        """Return the efforts of the motors, which may have nan."""
        return self._motors.unchecked(state, 'effort')

    def _tree(self, state: JointState) -> np.ndarray | None:
        """Return the values of all joints, None where some are not known."""
        if state.name != self._names:
            self._names = list(state.name)
            self._complete = set(self.body.all_names) <= set(self._names)
        if not self._complete:
            return None
        tree = self._all.unchecked(state, 'position')
        return tree if math.isfinite(sum(tree.tolist())) else None


def standing(robot: Dynamics, state: JointState, tolerance: float) -> tuple[Body, np.ndarray]:
    """Return a body that stands where a request says, and the joint values, shape (n,).

    Without passive joints a mechanism stands on the branch of its file's start; `InputError`:
    with some that leave a loop open
    """
    body = make_body(robot, tolerance)
    reader = BodyReader(body)
    if body.closed and (tree := reader._tree(state)) is not None:
        check_closed(robot, tree, tolerance)
    return body, reader.position(state)


def pose_options(robot: Any, trajectory: Any, tolerance: float, *, most: int
                 ) -> dict[str, np.ndarray]:
    """Return near= of a trajectory's points where they have all joints of a mechanism, else {}."""
    if not is_closed(robot) or not complete(trajectory.joint_names, robot.tree_joint_names):
        return {}
    tree, = read_trajectory(trajectory, robot.tree_joint_names, ('positions',), most=most)
    check_closed(robot, tree, tolerance)
    return {'near': tree}


def complete(names: Sequence[str], wanted: Sequence[str]) -> bool:
    """Tell whether all names wanted are there."""
    return set(wanted) <= set(names)
