"""The joints of a robot that moves: which are commanded, which are moved, which are shown."""

from __future__ import annotations

from typing import Any

import numpy as np

from robot_dynamics.dynamics import ClosedDynamics, Dynamics, is_closed
from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.simulation.layout import Layout
from robot_dynamics.simulation.online.bodies import layout_of
from robot_dynamics.simulation.simulate import effort_limit
from robot_dynamics.simulation.torque_laws import Constant

ORIGIN = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])  # a base that is not turned
BRAKE = 20.0  # [1/s] how fast what stands comes to rest
CLOSE = 0.01  # [rad or m] how far from where the loops close a passive joint may be put


class Joints:
    """Those of a robot: every joint has a motor, a value of its own, and is shown.

    A floating base has no motor, and is shown apart. moved: the robot that solvers take, over
    values (nq,) and rates (n,); layout: of the values that users give; names: joints whose values
    users give; motor_names: joints with motors; all_names: joints that are shown; limit: of the
    motors' efforts, None without; own: whether motors are where `names` are
    """

    closed = False  # has loops
    own = True
    stands = False  # on feet: motors of all joints hold a floating base

    def __init__(self, robot: Dynamics):
        self.robot: Dynamics = robot
        self.moved: Dynamics = robot
        self.layout = self.shown_layout = layout_of(robot)
        self.names = self.motor_names = self.all_names = self.layout.single_names
        limit = effort_limit(robot)
        self.limit = None if limit is None else limit[self.layout.single_rates]

    def law(self) -> Any:
        """Return the torque law that efforts are put into, by `set_efforts`."""
        return Constant(np.zeros(self.robot.n))

    def set_efforts(self, law: Any, efforts: np.ndarray) -> None:
        """Let efforts of the motors act."""
        law.tau = self.spread(efforts)

    def spread(self, values: np.ndarray, base: float = 0.0) -> np.ndarray:
        """Return values of the motors as values of all rates, (n,); base: those of a base."""
        return self.layout.rates_of(values, np.full(6, base))

    def gathered(self, values: np.ndarray) -> np.ndarray:
        """Return the values of the motors of those of all rates."""
        return values[self.layout.single_rates] if self.layout.poses else values

    def rest(self, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """Return the joint values to begin with, within bounds, (nq,)."""
        near = np.clip(np.zeros(self.robot.n), lower, upper)
        return self.layout.values_of(self.gathered(near), ORIGIN)

    def poses(self) -> np.ndarray:
        """Return a few values of all joints, (N, nq)."""
        some = np.random.default_rng(0).uniform(-1.0, 1.0, (4, len(self.names)))
        return self.layout.values_of(some, ORIGIN)

    def base(self, values: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Return pose (7,) and twist (6,) of a floating base, None without one.

        values, qd: of all joints, and the rates as solvers have them
        """
        if not self.shown_layout.poses:
            return None
        k, j = self.shown_layout.poses[0]
        return values[k:k + 7], self.all_rates(values, qd)[j:j + 6]

    def all_rates(self, values: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Return the rates of all joints, a floating base's too."""
        return qd

    def shown_values(self, values: np.ndarray) -> np.ndarray:
        """Return the values of `all_names`."""
        layout = self.shown_layout
        return values[[k for k, _ in layout.single]] if layout.poses else values

    def placed(self, q: np.ndarray, near: np.ndarray | None,
               last: np.ndarray | None) -> np.ndarray:
        """Return the values of all joints, (nq,), of those that users give.

        near: of all joints, nan where not given, None: none is; last: where the robot was
        """
        return self.layout.normalised(q) if self.layout.poses else q

    def values(self, values: np.ndarray) -> np.ndarray:
        """Return the values that users give, of those of all joints."""
        return values

    def rates(self, values: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Return the rates of all joints that are shown."""
        rates, layout = self.all_rates(values, qd), self.shown_layout
        return rates[layout.single_rates] if layout.poses else rates

    def shown_efforts(self, efforts: np.ndarray) -> np.ndarray:
        """Return the efforts of all joints that are shown, zero where there is no motor."""
        return efforts

    def holding(self, values: np.ndarray) -> np.ndarray:
        """Return the efforts of the motors that hold the robot against gravity."""
        return self.gathered(self.moved.gravity_torque(values))

    def braking(self, values: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Return the efforts of the motors that bring the robot to rest, and hold it."""
        return self.gathered(self.moved.inverse_dynamics(values, qd, -BRAKE * qd))


class ClosedJoints(Joints):
    """Those of a mechanism: its state is the assembled tree, users give the independent joints."""

    closed = True
    robot: ClosedDynamics

    def __init__(self, mechanism: ClosedDynamics):
        self.robot, self.moved = mechanism, mechanism.whole
        self.layout = layout_of(mechanism)
        self.shown_layout = Layout(mechanism.tree_value_names)
        self.names, self.all_names = self.layout.single_names, self.shown_layout.single_names
        self.motor_names = mechanism.actuated_names
        self.own = self.motor_names == mechanism.joint_names
        self.stands = (bool(self.shown_layout.poses) and not self.own
                       and len(self.motor_names) >= mechanism.n)
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

    def spread(self, values: np.ndarray, base: float = 0.0) -> np.ndarray:
        """Return values of the motors: they are where the freedoms are, or cannot be spread."""
        return values

    def gathered(self, values: np.ndarray) -> np.ndarray:
        """Return the values of the motors."""
        return values

    def rest(self, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """Return the values of the file's start, within bounds, (nq,)."""
        start = self.values(self.robot.start)
        return start if self.layout.poses else np.clip(start, lower, upper)

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
        """Return the values that users give, of those of all joints."""
        return self._space.given(values)

    def all_rates(self, values: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Return the rates of all joints, a floating base's too."""
        return (self._space.velocity(values, qd) if not self.shown_layout.poses
                else self.shown_layout.rates(values, self._space.velocity(values, qd)))

    def shown_efforts(self, efforts: np.ndarray) -> np.ndarray:
        """Return the efforts of all joints, zero where there is no motor, (L,)."""
        shown = np.zeros(len(self.all_names))
        shown[self._motors] = efforts
        return shown

    def holding(self, values: np.ndarray) -> np.ndarray:
        """Return the efforts of the motors that hold the mechanism against gravity."""
        return self.robot.motor_torques(self.values(values), self.moved.gravity_torque(values),
                                        near=values)

    def braking(self, values: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Return the efforts of the motors that bring the mechanism to rest, and hold it."""
        return self.robot.inverse_dynamics(
            self.values(values), qd, -BRAKE * qd, near=np.ascontiguousarray(values))


class MotorLaw:
    """Efforts of motors that are not where the freedoms are: what they do depends on the pose."""

    def __init__(self, mechanism: ClosedDynamics):
        self.mechanism = mechanism
        self.efforts = np.zeros(len(mechanism.actuated_names))

    def __call__(self, t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Return the torques over the independent joints, (n,)."""
        return self.mechanism.generalized_force(q, self.efforts)


def make_joints(robot: Dynamics) -> Joints:
    """Return the joints of a robot or of a mechanism."""
    return ClosedJoints(robot) if is_closed(robot) else Joints(robot)
