"""The efforts that a robot needs at a joint state, by the mode asked for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any

import numpy as np
from sensor_msgs.msg import JointState

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.nodes.inverse_dynamics.trajectories import follow
from robot_dynamics.nodes.inverse_dynamics.wrenches import Wrenches
from robot_dynamics.nodes.shared.conversion import check_finite
from robot_dynamics.nodes.shared.states import BodyReader
from robot_dynamics.simulation.control import ComputedTorque, moved
from robot_dynamics.simulation.observer import MomentumObserver
from robot_dynamics.simulation.online.accelerations import Accelerations
from robot_dynamics.simulation.online.base_state import BaseState
from robot_dynamics.simulation.online.bodies import Body
from robot_dynamics.simulation.online.following import Following, hold
from robot_dynamics.simulation.online.loop_delay import LoopDelay

MODES = ('gravity', 'bias', 'full', 'computed_torque')


class Efforts:
    """The laws of all modes for one body, with what they remember of the states before.

    clock: returns the time of a state [s]; asked only by laws that depend on it
    """

    def __init__(self, body: Body, settings: Any, clock: Callable[[JointState], float],
                 before: Efforts | None = None, base: BaseState | None = None):
        self.body, self.robot = body, body.robot
        robot = body.robot
        self.clock = clock
        self.reader = BodyReader(body, base)
        same = before is not None and before.robot.joint_names == robot.joint_names
        self.reference: Following | None = before.reference if before and same else None
        self.q: np.ndarray = before.q if before and same else np.zeros(robot.nq)  # the last
        if before is not None and same and before.body.tree is not None:
            with suppress(RobotDynamicsError):  # of other loops: it begins anew
                body.stand(before.q, before.body.tree)
        self.wrenches: Wrenches = before.wrenches if before else Wrenches()
        self._present: tuple[np.ndarray, np.ndarray] | None = None  # of single joints
        self._held: np.ndarray | None = None  # a standing robot's pose, which is held
        self.delay: LoopDelay = before.delay if before and same else LoopDelay()
        self.age = 0.0  # of the last state [s]
        self._accelerations: Accelerations = (
            before._accelerations if before and same else Accelerations())
        self.tune(settings)

    def tune(self, settings: Any) -> None:
        """Take parameters over."""
        self._law = getattr(self, settings.mode)
        self._cutoff = settings.filter_cutoff
        self._wrench_timeout = settings.wrench_timeout
        self._control = ComputedTorque(self.robot, self._desired, settings.gain)
        self._gain, self._most = settings.gain, settings.gain_delay_limit
        self._observer = MomentumObserver(self.robot, settings.observer_gain)
        self._observed = -np.inf
        if settings.mode != 'computed_torque':
            self.reference = None

    def at(self, state: JointState, age: float = 0.0) -> np.ndarray:
        """Return the efforts at a joint state, (n,) [N m or N]; age: of the state [s]."""
        q = self.q = self.reader.position(state)
        self.age = age
        tau: np.ndarray = self._law(state, q)
        if self.wrenches:
            tau = tau - self.body.motor_torques(
                q, self.wrenches.torque(self.robot, q, monotonic(), self._wrench_timeout))
            check_finite(tau, 'effort under the wrenches given', self.body.motor_names)
        return tau

    def gravity(self, state: JointState, q: np.ndarray) -> np.ndarray:
        """Return what holds the robot at rest."""
        return self.body.motor_torques(q, self.robot.gravity_torque(q))

    def bias(self, state: JointState, q: np.ndarray) -> np.ndarray:
        """Return gravity and convective torques."""
        return self.body.motor_torques(q, self.robot.bias(q, self.reader.velocity(state)))

    def full(self, state: JointState, q: np.ndarray) -> np.ndarray:
        """Return the torques of the measured motion, friction included."""
        qd = self.reader.velocity(state)
        qdd = self._accelerations.update(self.clock(state), qd, self._cutoff)
        return self.body.answered(self.robot.inverse_dynamics(q, qd, qdd))

    def computed_torque(self, state: JointState, q: np.ndarray) -> np.ndarray:
        """Return what follows the reference, or holds where the robot is without one.

        A loop that is late has a lower gain, and dynamics of where the robot will be; in one that
        is too late gravity and damping are left.
        """
        qd, time = self.reader.velocity(state), self.clock(state)
        single = self.body.layout.single
        self._present = q[[k for k, _ in single]], qd[[j for _, j in single]]
        if self.reference is None:
            self.reference = hold(time, self._present[0])
            self._held = self.reader.base.pose
        acting = (self.reader.unchecked_effort(state).tobytes()
                  if len(state.effort) == len(state.name) else b'')
        self.delay.take(time, self.age, monotonic(), acting)
        self._control.gain[:] = gain = self.gain
        ahead = self.delay.ahead if gain < self._gain else 0.0
        if ahead and self.delay.lost(float(np.abs(qd).max())):
            return self.body.answered(self.robot.inverse_dynamics(
                moved(self.robot, q, ahead * qd), np.zeros_like(qd), -2 * gain * qd))
        return self.body.answered(self._control(time, q, qd, ahead=ahead))

    def answered(self, state: JointState, command: np.ndarray) -> None:
        """Note the efforts that a state was answered with, (n,), to know them when they act."""
        if self._law == self.computed_torque:
            self.delay.sent(command.tobytes(), self.clock(state))

    @property
    def gain(self) -> float:
        """The gain of computed_torque that the loop's delay allows [1/s]."""
        return self.delay.gain(self._gain, self._most)

    def _desired(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        assert self.reference is not None
        q, qd, qdd = self.reference(time)
        layout, base = self.body.layout, self.reader.base
        if not layout.poses:
            return q, qd, qdd
        # what stands is held where it was; a free base moves as it does
        pose, twist = ((self._held, np.zeros(6)) if self.body.closed else (base.pose, base.twist))
        return (layout.values_of(q, base.pose if pose is None else pose),
                layout.rates_of(qd, twist), layout.rates_of(qdd, np.zeros(6)))

    def swap(self, robot: Dynamics) -> None:
        """Take a robot that differs in gravity alone; nothing is forgotten."""
        self.body.swap(robot)
        self.robot = self._control.robot = self._observer.robot = self.body.robot

    def follow(self, trajectory: Any, now: float, start: float, most: int) -> Following | None:
        """Take a new reference from start [s] on; one without points means to stop here."""
        if trajectory.points and not self.body.read_names:
            raise InputError(f'{self.robot.name} has no joint that a trajectory could move')
        self.reference = follow(
            trajectory, self.body.read_names, now, start, self._present, most=most,
        ) if trajectory.points else None
        return self.reference

    def external(self, state: JointState) -> np.ndarray | None:
        """Return the external torque that the momentum observer sees, (n,), None if time stands.

        state: the one whose efforts were asked for last; its effort is taken for what the motors
        exert
        """
        q, qd = self.q, self.reader.velocity(state)
        tau = self.body.forces(self.reader.effort(state))
        time = self.clock(state)
        if time == self._observed:
            return None
        if not 0 < time - self._observed < 0.5:  # a gap, or time went back
            self._observer.reset()
        self._observed = time
        external = self._observer.update(time, q, qd, tau)
        if not np.isfinite(external).all():
            self._observer.reset()
            raise InputError('external torque: not finite, the observer begins anew')
        return external

    def forget(self) -> None:
        """Drop what is remembered of past states."""
        self.reference = self._present = None
        self.delay = LoopDelay()
        self._accelerations = Accelerations()
        self._observer.reset()
        self._observed = -np.inf
        self.wrenches.clear()
