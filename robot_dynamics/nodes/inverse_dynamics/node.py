"""The inverse_dynamics node: the efforts of a motion, as topics and as services."""

from __future__ import annotations

from array import array
from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics import wait_for_kernels
from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.nodes.inverse_dynamics.efforts import Efforts
from robot_dynamics.nodes.inverse_dynamics.services import fill_efforts, open_services
from robot_dynamics.nodes.inverse_dynamics.settings import JOINTS, SETTINGS
from robot_dynamics.nodes.shared.base_input import BaseInput
from robot_dynamics.nodes.shared.conversion import read_bounded
from robot_dynamics.nodes.shared.diagnostics import ERROR, OK, WARN, Input, array_of, status
from robot_dynamics.nodes.shared.handlers import saying_why
from robot_dynamics.nodes.shared.model_node import ModelNode, run
from robot_dynamics.nodes.shared.opening import SENSOR
from robot_dynamics.simulation.online.bodies import make_body
from robot_dynamics.simulation.online.loop_delay import MARGIN

NANOSECONDS = 10**9


class InverseDynamicsNode(ModelNode):
    """Answers `joint_states` on `~/effort` and `~/commands`, and trajectories, and services."""

    def __init__(self, **options: Any):
        joints = replace(JOINTS, check=self._command_order)
        super().__init__('inverse_dynamics', (*SETTINGS, joints), **options)
        self.base = BaseInput(self)
        self._efforts: Efforts | None = None
        self._order: list[int] | None = None  # of commands; None: none can be given
        self._effort_message = JointState()
        self._external_message = JointState()
        self._command_message = Float64MultiArray()
        self._epoch: int | None = None  # [ns] where the times of the laws begin
        self._input = Input()
        self._saturated = self._withheld = 0  # commands, since the last report
        self._refused = 0  # trajectories and wrenches
        self._no_commands = ''  # why there are none

    @saying_why
    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Open topics and services."""
        self._effort = self.offer(JointState, '~/effort')
        self._commands = self.offer(Float64MultiArray, '~/commands')
        self._external = self.offer(JointState, '~/external_torque')
        self._trajectory_out = self.offer(JointTrajectory, '~/trajectory_out')
        self._diagnostics = self.offer(DiagnosticArray, '/diagnostics')
        self.listen(JointState, 'joint_states', self._on_state, SENSOR)
        self.listen(JointTrajectory, 'joint_trajectory', self._on_joint_trajectory, raw=True)
        self.listen(JointTrajectory, '~/trajectory_in', self._on_trajectory_in, raw=True)
        self.listen(WrenchStamped, '~/wrench', self._on_wrench, SENSOR)
        self.base.open()
        open_services(self)
        self.every(1 / self.settings.diagnostics_rate, self._report)
        return super().on_configure(state)

    # What changes

    def model_changed(self, robot: Dynamics | None) -> None:
        """Begin anew with another robot; the reference is kept if the joints are the same."""
        if robot is None:
            self._efforts = None
            return
        body = make_body(robot, self.settings.closure_tolerance)
        self._efforts = Efforts(
            body, self.settings, self._time, self._efforts, self.base.state)
        self._effort_message = JointState(name=list(body.motor_names))
        self._external_message = JointState(name=list(robot.joint_names))
        self._set_order()

    def gravity_turned(self, robot: Dynamics) -> None:
        """Let gravity follow the base; nothing is forgotten."""
        if self._efforts is not None:
            self._efforts.swap(robot)

    def settings_changed(self, names: set[str]) -> None:
        """Take new parameters over."""
        super().settings_changed(names)
        if self._efforts is not None:
            self._efforts.tune(self.settings)
        if 'closure_tolerance' in names:
            self.model_changed(self.robot)
        if 'joints' in names:
            self._set_order()

    def forget(self) -> None:
        """Drop filters, observer, reference and wrenches."""
        self._epoch = None
        self.base.forget()
        if self._efforts is not None:
            self._efforts.forget()

    def _set_order(self) -> None:
        self._no_commands = ''
        try:
            self._order = self._command_order(self.settings.joints)
        except InputError as error:
            self._order, self._no_commands = None, f'no commands: {error}'
            self.get_logger().error(self._no_commands)

    def _command_order(self, joints: list[str]) -> list[int] | None:
        """Return where the joints of the commands stand in the model, None without a model."""
        robot = getattr(self, 'robot', None)
        if robot is None:
            return None
        names = make_body(robot, 0.0).motor_names
        unknown = [name for name in joints or () if name not in names]
        if unknown:
            raise InputError(f'joints not in the model: {", ".join(unknown)}')
        return [names.index(name) for name in joints or names]

    # Topics

    def _on_state(self, state: JointState) -> None:
        if not self.active:
            return
        self._input.take()
        try:
            efforts = self._require_efforts()
            self.base.check()
            stamp = _nanoseconds(state.header.stamp)
            age = (self.get_clock().now().nanoseconds - stamp) / NANOSECONDS if stamp else 0.0
            tau = efforts.at(state, age)
            if efforts.reader.said:
                self.warn(InputError(efforts.reader.said))
            self.watch_limits(efforts.q, 'joint_states')
            message = self._effort_message
            message.header, message.effort = state.header, array('d', tau.tobytes())
            self._effort.publish(message)
            if self._commands.get_subscription_count():
                self._command(efforts, state, age, tau)
            if self._external.get_subscription_count():
                self._observe(efforts, state)
        except RobotDynamicsError as error:
            self._input.refused += 1
            self.warn(error)

    def _command(self, efforts: Efforts, state: JointState, age: float, tau: np.ndarray) -> None:
        """Publish efforts within the limits, unless the state that they answer is old."""
        if self._order is None:
            return
        if abs(age) > self.settings.command_timeout:
            self._withheld += 1
            self.warn(InputError(f'no command: the joint state is {age:.3f} s old'
                                 + (' (is use_sim_time right?)' if abs(age) > 1e3 else '')))
            return
        limit = efforts.body.motor_limits
        command = np.minimum(np.maximum(tau, -limit), limit)
        self._saturated += bool((command != tau).any())
        self._command_message.data = array('d', command[self._order].tobytes())
        self._commands.publish(self._command_message)
        efforts.answered(state, command)

    def _observe(self, efforts: Efforts, state: JointState) -> None:
        external = efforts.external(state)
        if external is not None:
            message = self._external_message
            message.header, message.effort = state.header, array('d', external.tobytes())
            self._external.publish(message)

    def _on_joint_trajectory(self, data: bytes) -> None:
        try:
            if self.active:
                trajectory = read_bounded(data, self.require_robot(), self.settings.max_points)
                if self.settings.mode != 'computed_torque':
                    raise InputError(f'joint_trajectory: mode is {self.settings.mode}')
                now = self._seconds(self.get_clock().now().nanoseconds)
                stamp = _nanoseconds(trajectory.header.stamp)
                reference = self._require_efforts().follow(
                    trajectory, now, self._seconds(stamp) if stamp else now,
                    self.settings.max_points)
                if reference is not None:
                    self.watch_limits(reference.points, 'joint_trajectory')
        except RobotDynamicsError as error:
            self._refused += 1
            self.get_logger().error(f'joint_trajectory refused: {error}')

    def _on_trajectory_in(self, data: bytes) -> None:
        try:
            if self.active:
                self._trajectory_out.publish(fill_efforts(self, read_bounded(
                    data, self.require_robot(), self.settings.max_points)))
        except RobotDynamicsError as error:
            self._refused += 1
            self.get_logger().error(f'trajectory_in refused: {error}')

    def _on_wrench(self, wrench: WrenchStamped) -> None:
        try:
            if self.active:
                self._require_efforts().wrenches.put(wrench, self.require_robot(), monotonic())
        except RobotDynamicsError as error:
            self._refused += 1
            self.warn(error)

    def _report(self) -> None:
        """Publish how the input is doing."""
        if not self.active:
            return
        report = self._input.report()
        stale = report['age'] > max(self.settings.command_timeout, 1e-3)
        level, message = ((ERROR, self.modelless) if self.robot is None else
                          (ERROR, 'joint_states stopped: no efforts, no commands') if stale else
                          (ERROR, f'no efforts: {missing}') if (missing := self.base.missing) else
                          (ERROR, self._no_commands) if self._no_commands else
                          (WARN, 'commands are at the effort limits') if self._saturated else
                          (WARN, self._lowered()) if self._lowered() else
                          (OK, f'efforts of mode {self.settings.mode}'))
        values = {'mode': self.settings.mode, 'input rate [Hz]': report['rate'],
                  'input age [s]': report['age'], 'states refused': self._input.refused,
                  'commands at the limit': self._saturated, 'commands withheld': self._withheld,
                  'trajectories and wrenches refused': self._refused,
                  **({'base messages refused': self.base.refused}
                     if self.settings.base != 'fixed' else {}),
                  'kernels': 'ready' if wait_for_kernels(0) else 'being compiled: slow answers',
                  **self._delays()}
        self._saturated = self._withheld = 0
        found = status(f'{self.diagnostics_name}: input', level, message, values)
        found.hardware_id = '' if self.robot is None else self.robot.name
        self._diagnostics.publish(array_of([found], self.get_clock().now().to_msg()))

    def _lowered(self) -> str:
        """Return that the gain of computed_torque had to be lowered, or nothing."""
        efforts, wanted = self._efforts, self.settings.gain
        if self.settings.mode != 'computed_torque' or efforts is None or efforts.gain == wanted:
            return ''
        late = f'the loop is {1e3 * efforts.delay.delay:.0f} ms late'
        if efforts.delay.lost(0.0):
            return f'{late}: gravity and damping alone, the reference is not followed'
        return f'gain lowered from {wanted:g} to {efforts.gain:.3g}: {late}'

    def _delays(self) -> dict[str, float]:
        """Return how late the loop of computed_torque is, and what it stands."""
        if self.settings.mode != 'computed_torque' or self._efforts is None:
            return {}
        delay, gain = self._efforts.delay.delay, self._efforts.gain
        return {'gain [1/s]': gain, 'loop delay [s]': delay,
                'unstable from a delay of [s]': MARGIN / max(gain, 1e-9),
                'delay margin [s]': MARGIN / max(gain, 1e-9) - delay}

    # Time: laws count from an epoch of ours, since a float holds no nanoseconds of today

    def _require_efforts(self) -> Efforts:
        self.require_robot()
        assert self._efforts is not None
        return self._efforts

    def _seconds(self, nanoseconds: int) -> float:
        if self._epoch is None:
            self._epoch = nanoseconds
        return (nanoseconds - self._epoch) / NANOSECONDS

    def _time(self, state: JointState) -> float:
        """Return the time of a state [s]: its stamp, or that of its arrival without one."""
        return self._seconds(_nanoseconds(state.header.stamp)
                             or self.get_clock().now().nanoseconds)


def _nanoseconds(stamp: Any) -> int:
    return int(stamp.sec * NANOSECONDS + stamp.nanosec)


def main() -> None:
    """Run the node."""
    run(InverseDynamicsNode)
