"""The joints of a robot that moves: which are commanded, which are moved, which are shown."""

from __future__ import annotations

from typing import Any

import numpy as np

from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.simulation.simulate import effort_limit
from robot_dynamics.simulation.torque_laws import Constant

CLOSE = 0.01  # [rad or m] how far from where the loops close a passive joint may be put


class Joints:
    """Those of a robot: every joint has a motor, a value of its own, and is shown.

    moved: the robot that solvers take, over values (nq,) and rates (n,); names: joints whose
    values users give; motor_names: joints with motors; all_names: joints that are shown; limit: of
    the motors' efforts, None without; own: whether motors are where `names` are
    """

    closed = False  # has loops
    own = True

    def __init__(self, robot: Any):
        self.robot = self.moved = robot
        self.names = self.motor_names = self.all_names = robot.joint_names
        self.limit = effort_limit(robot)

    def law(self) -> Any:
        """Return the torque law that efforts are put into, by `set_efforts`."""
        return Constant(np.zeros(self.robot.n))

    def set_efforts(self, law: Any, efforts: np.ndarray) -> None:
        """Let efforts of the motors act."""
        law.tau = efforts

    def rest(self, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """Return the joint values to begin with, within bounds, (n,)."""
        return np.clip(np.zeros(self.robot.n), lower, upper)

    def poses(self) -> np.ndarray:
        """Return a few values of all joints, (N, nq)."""
        return np.random.default_rng(0).uniform(-1.0, 1.0, (4, self.robot.n))

    def placed(self, q: np.ndarray, near: np.ndarray | None,
               last: np.ndarray | None) -> np.ndarray:
        """Return the values of all joints, (nq,), of those that users give.

        near: of all joints, nan where not given, None: none is; last: where the robot was
        """
        return q

    def values(self, values: np.ndarray) -> np.ndarray:
        """Return the values of `names`, (n,), of those of all joints."""
        return values

    def rates(self, values: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Return the rates of all joints that are shown."""
        return qd

    def shown_efforts(self, efforts: np.ndarray) -> np.ndarray:
        """Return the efforts of all joints that are shown, zero where there is no motor."""
        return efforts

    def holding(self, values: np.ndarray) -> np.ndarray:
        """Return the efforts of the motors that hold the robot against gravity."""
        return self.moved.gravity_torque(values)


class ClosedJoints(Joints):
    """Those of a mechanism: its state is the assembled tree, users give the independent joints."""

    closed = True

    def __init__(self, mechanism: Any):
        self.robot, self.moved = mechanism, mechanism.whole
        self.names, self.all_names = mechanism.joint_names, mechanism.tree_joint_names
        self.motor_names = mechanism.actuated_names
        self.own = self.motor_names == self.names
        effort = np.where(mechanism.motor_limits == 0.0, np.inf, mechanism.motor_limits)
        self.limit = effort if np.isfinite(effort).any() else None
        self._space = mechanism.whole.space
        self._motors = [self.all_names.index(name) for name in self.motor_names]
        self._passive = [k for k, name in enumerate(self.all_names) if name not in self.names]

    def law(self) -> Any:
        """Return the torque law that efforts are put into, by `set_efforts`."""
        return super().law() if self.own else MotorLaw(self.robot)

    def set_efforts(self, law: Any, efforts: np.ndarray) -> None:
        """Let efforts of the motors act."""
        if self.own:
            law.tau = efforts
        else:
            law.efforts = efforts

    def rest(self, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """Return the values of the file's start, within bounds, (n,)."""
        return np.clip(self.values(self.robot.start), lower, upper)

    def poses(self) -> np.ndarray:
        """Return the start alone: others may not close."""
        return self.robot.start[None]

    def placed(self, q: np.ndarray, near: np.ndarray | None,
               last: np.ndarray | None) -> np.ndarray:
        """Return the assembled tree: near the joints given, else near the last, or the start."""
        start = self.robot.start if last is None else last
        if near is None:
            try:
                tree = self.robot.assemble(q, near=start)
            except RobotDynamicsError:
                tree = self.robot.assemble(q)
        else:
            tree = self._found(q, near, start)
        self._space.check(tree, ' there')
        return tree

    def _found(self, q: np.ndarray, near: np.ndarray, last: np.ndarray) -> np.ndarray:
        """Return the assembled tree in which passive joints are where they were given."""
        tree = self.robot.assemble(q, near=np.where(np.isfinite(near), near, last))
        ways = [tree] if not self._off(tree, near) else [
            way for way in self.robot.assemble(q, branches=True) if not self._off(way, near)]
        if ways:
            return ways[0]
        k = self._off(tree, near)[0]
        raise InputError(f'joint {self.all_names[k]!r}: at {near[k]:g} the loops do not close, '
                         f'they do at {tree[k]:g}; passive joints may be left out')

    def _off(self, tree: np.ndarray, near: np.ndarray) -> list[int]:
        """Return the passive joints that are not where they were given."""
        return [k for k in self._passive if abs(tree[k] - near[k]) > CLOSE]

    def values(self, values: np.ndarray) -> np.ndarray:
        """Return the values of `names`, (n,), of those of all joints."""
        return self._space.joint_values(values)

    def rates(self, values: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Return the rates of all joints, (L,)."""
        return self._space.velocity(values, qd)

    def shown_efforts(self, efforts: np.ndarray) -> np.ndarray:
        """Return the efforts of all joints, zero where there is no motor, (L,)."""
        shown = np.zeros(len(self.all_names))
        shown[self._motors] = efforts
        return shown

    def holding(self, values: np.ndarray) -> np.ndarray:
        """Return the efforts of the motors that hold the mechanism against gravity."""
        return self.robot.motor_torques(self.values(values), self.moved.gravity_torque(values),
                                        near=values)


class MotorLaw:
    """Efforts of motors that are not where the freedoms are: what they do depends on the pose."""

    def __init__(self, mechanism: Any):
        self.mechanism = mechanism
        self.efforts = np.zeros(len(mechanism.actuated_names))

    def __call__(self, t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Return the torques over the independent joints, (n,)."""
        return self.mechanism.generalized_force(q, self.efforts)


def make_joints(robot: Any) -> Joints:
    """Return the joints of a robot or of a mechanism."""
    return ClosedJoints(robot) if hasattr(robot, 'tree_joint_names') else Joints(robot)
