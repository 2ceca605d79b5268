"""The gim_diagnostics node: the inertia matrix as it is now, judged and drawn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from robot_dynamics_interfaces.msg import GeneralizedInertia
from sensor_msgs.msg import JointState
from visualization_msgs.msg import MarkerArray

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.nodes.gim_diagnostics.health import Health, distance_to_singularity
from robot_dynamics.nodes.gim_diagnostics.markers import clear_markers, make_markers
from robot_dynamics.nodes.gim_diagnostics.settings import SETTINGS
from robot_dynamics.nodes.shared.base_input import BaseInput
from robot_dynamics.nodes.shared.conversion import seconds
from robot_dynamics.nodes.shared.diagnostics import Input, array_of
from robot_dynamics.nodes.shared.handlers import saying_why
from robot_dynamics.nodes.shared.inertia import inertia_message
from robot_dynamics.nodes.shared.model_node import ModelNode, run
from robot_dynamics.nodes.shared.opening import SENSOR
from robot_dynamics.nodes.shared.states import BodyReader
from robot_dynamics.simulation.online.bodies import ClosedBody, make_body
from robot_dynamics.simulation.online.power_balance import PowerBalance

NANOSECONDS = 10**9
LIVES, LEAST_LIFE = 3, 1.0  # drawings, or seconds, until markers that stay away expire


class MeasuredState:
    """A joint state in the robot's order; tau is None where it came without efforts.

    tau are torques over the robot's joints, whichever of them have motors
    """

    def __init__(self, reader: BodyReader, message: JointState):
        self.stamp = message.header.stamp
        self.q = reader.position(message)
        self.qd = reader.velocity(message) if len(message.velocity) else np.zeros(
            reader.body.robot.n)
        self.tau = (reader.body.forces(reader.effort(message)) if len(message.effort)
                    else None)


class GimDiagnosticsNode(ModelNode):
    """Watches `joint_states`; publishes `~/inertia`, `~/markers` and `/diagnostics`."""

    def __init__(self, **options: Any):
        self._reader: BodyReader | None = None
        self._balance: PowerBalance | None = None
        self._state: MeasuredState | None = None
        self._input, self.base = Input(), BaseInput(self)
        super().__init__('gim_diagnostics', SETTINGS, **options)
        self._health = Health(self.diagnostics_name, '', self.settings)

    @saying_why
    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Open topics, start the timers."""
        self._inertia = self.offer(GeneralizedInertia, '~/inertia')
        self._markers = self.offer(MarkerArray, '~/markers')
        self._diagnostics = self.offer(DiagnosticArray, '/diagnostics')
        self.listen(JointState, 'joint_states', self._on_state, SENSOR)
        self.base.open()
        self.every(1 / self.settings.inertia_rate, self._publish_inertia)
        self.every(1 / self.settings.markers_rate, self._publish_markers)
        self.every(1 / self.settings.diagnostics_rate, self._report)
        return super().on_configure(state)

    def model_changed(self, robot: Dynamics | None) -> None:
        """Begin anew with another robot."""
        self._state = None
        self._reader = self._balance = None
        if robot is not None:
            body = make_body(robot, self.settings.closure_tolerance)
            self._reader = BodyReader(body, self.base.state)
            self._balance = PowerBalance(body.robot)
            self._health = Health(self.diagnostics_name, robot.name, self.settings)
            if self.active:
                self._markers.publish(clear_markers())

    def gravity_turned(self, robot: Dynamics) -> None:
        """Let gravity follow the base; what is drawn and judged goes on."""
        if self._reader is not None and self._balance is not None:
            self._reader.body.swap(robot)
            self._balance.robot = self._reader.body.robot

    def settings_changed(self, names: set[str]) -> None:
        """Take new parameters over."""
        super().settings_changed(names)
        if 'closure_tolerance' in names:
            self.model_changed(self.robot)

    def forget(self) -> None:
        """Drop the last state and the work done so far."""
        self.base.forget()
        self.model_changed(self.robot)

    def _on_state(self, message: JointState) -> None:
        if not self.active:
            return
        self._input.take()
        stamp = message.header.stamp
        nanoseconds = stamp.sec * NANOSECONDS + stamp.nanosec
        if nanoseconds:
            self._input.late(1e-9 * (self.get_clock().now().nanoseconds - nanoseconds))
        if self._reader is None or self._balance is None:
            return
        try:
            self.base.check()
            state = MeasuredState(self._reader, message)
            if self._reader.said:
                self.warn(InputError(self._reader.said))
            self.watch_limits(state.q, 'joint_states')
            if state.tau is not None:
                self._balance.take(seconds(stamp), state.q, state.qd, state.tau)
            self._state = state
        except RobotDynamicsError as error:
            self._input.refused += 1
            self.warn(error)

    def _publish_inertia(self) -> None:
        state = self._state
        if self.active and state is not None and self._inertia.get_subscription_count():
            try:
                self._inertia.publish(self._message(state))
            except RobotDynamicsError as error:
                self.warn(error)

    @property
    def _posed(self) -> Dynamics:
        """The robot, a mechanism where it stands."""
        self.require_robot()
        assert self._reader is not None
        return self._reader.body.robot

    def _message(self, state: MeasuredState) -> GeneralizedInertia:
        message = inertia_message(self._posed, state.q, state.qd, state.tau,
                                  self.settings.link or None)
        message.header.stamp = state.stamp
        return message

    def _publish_markers(self) -> None:
        state = self._state
        if self.active and state is not None and self._markers.get_subscription_count():
            try:
                self._markers.publish(make_markers(
                    self._posed, state.q, state.tau, state.stamp,
                    link=self.settings.link or None, radius=self.settings.arc_radius,
                    scale=self.settings.ellipsoid_scale,
                    lifetime=max(LEAST_LIFE, LIVES / self.settings.markers_rate)))
            except RobotDynamicsError as error:
                self.warn(error)

    def _report(self) -> None:
        """Publish the statuses."""
        if not self.active:
            return
        report = self._input.report()
        statuses = [self._health.input(report, self._input.refused)]
        stale = report['age'] > self._health.thresholds('stale')[1]
        missing = '' if stale else self.base.missing
        if self.robot is None or self._state is None or stale or missing:
            statuses += self._health.waiting(
                self.modelless if self.robot is None else missing or 'no joint states')
        else:
            try:
                statuses += self._judge(self._state)
            except RobotDynamicsError as error:
                statuses += self._health.waiting(str(error))
        self._diagnostics.publish(array_of(statuses, self.get_clock().now().to_msg()))

    def _judge(self, state: MeasuredState) -> list[DiagnosticStatus]:
        message, reason = self._message(state), ''
        try:
            J = self._posed.jacobian(state.q, self.settings.link or None)
            distance = distance_to_singularity(J[list(self.settings.singularity_rows)])
        except InputError as error:
            distance, reason = math.nan, str(error)
        assert self._balance is not None
        body = self._reader.body if self._reader is not None else None
        loops = ([self._health.loops(body.mechanism.loop_names, body.condition, body.open)]
                 if isinstance(body, ClosedBody) else [])
        return [self._health.inertia(message),
                self._health.singularity(distance, message.manipulability, reason), *loops,
                self._health.power(self._balance.look())]


def main() -> None:
    """Run the node."""
    run(GimDiagnosticsNode)
