"""The simulator node: a torque-driven mock robot in real time."""

from __future__ import annotations

import sys
import threading
from array import array
from typing import Any

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from robot_dynamics_interfaces.srv import SetPayload, SetState
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.nodes.handlers import answering, saying_why
from robot_dynamics.nodes.live_robot import LiveRobot
from robot_dynamics.nodes.mock_robot import MockRobot
from robot_dynamics.nodes.model_node import RELIABLE, ModelNode, run
from robot_dynamics.nodes.simulate_action import SimulateServer, State
from robot_dynamics.nodes.simulator_inputs import read_efforts, read_joint_command, read_placement
from robot_dynamics.nodes.simulator_settings import RESTART, cycle, make_settings
from robot_dynamics.nodes.simulator_status import Counts, status
from robot_dynamics.robot import Robot

NANOSECONDS = 10**9
SWITCH_INTERVAL = 1e-4  # [s] a simulation in a thread must not keep the live one waiting


class SimulatorNode(ModelNode):
    """Moves a robot under `effort_commands` and `joint_commands`; publishes `joint_states`."""

    def __init__(self, **options: Any):
        self.mock, self.counts, self.paused = MockRobot(), Counts(), False
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._pacing = self._steady
        self._message = JointState()
        self._offset = 0  # from the pacing clock to that of the stamps [ns]
        self._timer: Any = None
        self._wanted: tuple = ()
        self._builder: threading.Thread | None = None
        self._built: list[LiveRobot] = []
        super().__init__('simulator', make_settings(self._joint_names), **options)

    # Lifecycle

    @saying_why
    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Open topics, services and the action."""
        self._states = self.offer(JointState, 'joint_states')
        self._clock_topic = (self.offer(ClockMessage, '/clock')
                             if self.settings.publish_clock else None)
        self._diagnostics = self.create_publisher(DiagnosticArray, '/diagnostics', RELIABLE)
        self._inputs = [self.listen(Float64MultiArray, 'effort_commands', self._on_efforts),
                        self.listen(JointState, 'joint_commands', self._on_joint_command)]
        self._served = [
            self.create_service(kind, f'~/{name}', getattr(self, f'_{name}'))
            for kind, name in ((SetState, 'set_state'), (SetPayload, 'set_payload'),
                               (Trigger, 'reset'), (Trigger, 'pause'), (Trigger, 'resume'),
                               (Trigger, 'step'))]
        self._action = SimulateServer(self, self.require_robot, self._live_state,
                                      self.settings)
        self._start_timer()
        self._reporter = self.create_timer(
            1 / self.settings.diagnostics_rate, self._report, clock=self._steady)
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let time pass."""
        self._restart()
        return super().on_activate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close topics, services and the action; forget the robot."""
        self._action.close()
        for timer in (self._timer, self._reporter):
            self.destroy_timer(timer)
        for service in self._served:
            self.destroy_service(service)
        for subscription in self._inputs:
            self.destroy_subscription(subscription)
        self.destroy_publisher(self._diagnostics)
        for publisher in filter(None, (self._states, self._clock_topic)):
            self.destroy_lifecycle_publisher(publisher)
        self.mock, self._built, self._wanted, self._timer = MockRobot(), [], (), None
        return super().on_cleanup(state)

    # Time

    def _tick(self) -> None:
        """Run the cycles that are due, publish the last one's state."""
        self._take_new_robot()
        if self.active and not self.paused and self.mock.live is not None:
            settings = self.settings
            self._advance(self.mock.pace.due(
                self._now(), cycle(settings), settings.real_time_factor, settings.catch_up))

    def _advance(self, cycles: int) -> None:
        """Run cycles and publish; pause when the robot runs away."""
        if not cycles:
            return
        try:
            self.mock.run(cycles, self.settings)
        except RobotDynamicsError as error:
            self.paused = True
            self.get_logger().error(f'{error}; paused: reset or set a state, then resume')
            return
        self.mock.pace.advanced(self._now(), cycles * cycle(self.settings))
        self._publish()

    def _publish(self) -> None:
        live = self.mock.require_live()
        pace = self.mock.pace
        stamp = round(NANOSECONDS * pace.time) if self._clock_topic else self._offset + round(
            NANOSECONDS * pace.real_at(self.settings.real_time_factor))
        message = self._message
        message.position = array('d', live.q.tobytes())
        message.velocity = array('d', live.qd.tobytes())
        message.effort = array('d', self.mock.applied.tobytes())
        message.header.stamp = Time(sec=stamp // NANOSECONDS, nanosec=stamp % NANOSECONDS)
        if self._clock_topic:
            self._clock_topic.publish(ClockMessage(clock=message.header.stamp))
        self._states.publish(message)
        self.counts.states += 1

    def _now(self) -> float:
        return self._pacing.now().nanoseconds / NANOSECONDS

    def _restart(self) -> None:
        """Let simulated time go on from where it is."""
        self._offset = (self.get_clock().now().nanoseconds - self._pacing.now().nanoseconds
                        if self._pacing is self._steady else 0)
        self.mock.pace.restart(self._now())

    def _start_timer(self) -> None:
        """Keep time beside the steady clock, or beside another's /clock where one is followed."""
        follows = self.get_parameter('use_sim_time').value and not self.settings.publish_clock
        self._pacing = self.get_clock() if follows else self._steady
        self._timer = self.create_timer(1 / self.settings.rate, self._tick, clock=self._pacing)

    # The robot

    def _take_new_robot(self) -> None:
        """Put a new model into use once its kernels are compiled; the old one runs meanwhile."""
        if self._built:
            if self.mock.live is None:
                self._restart()
            live = self._built.pop()
            self.mock.replace(live, self.settings)
            self._message = JointState(name=live.robot.joint_names)
            if self.mock.failure:
                self.get_logger().error(self.mock.failure)
        settings = self.settings
        wanted = (self.robot, settings.method, settings.stops, settings.restitution)
        if self.robot is None or wanted == self._wanted or (
                self._builder is not None and self._builder.is_alive()):
            return
        self._wanted = wanted
        self._builder = threading.Thread(target=self._build, args=wanted, daemon=True)
        self._builder.start()

    def _build(self, robot: Robot, method: str, stops: bool, restitution: float) -> None:
        try:
            self._built.append(
                LiveRobot(robot, method=method, stops=stops, restitution=restitution))
        except Exception as error:  # a thread's errors are nobody's otherwise
            self.mock.failure = f'this robot cannot be simulated: {error}'
            self.get_logger().error(self.mock.failure)

    # Topics and services

    def _on_efforts(self, message: Float64MultiArray) -> None:
        mock = self.mock
        try:
            mock.require_live()
            mock.commands.set_efforts(read_efforts(message, mock.order), mock.pace.time)
            self.counts.commands += 1
        except RobotDynamicsError as error:
            self.counts.refused += 1
            self.warn(error)

    def _on_joint_command(self, message: JointState) -> None:
        mock = self.mock
        try:
            names = mock.require_live().robot.joint_names
            read_joint_command(message, names, mock.commands, mock.pace.time)
            self.counts.commands += 1
        except RobotDynamicsError as error:
            self.counts.refused += 1
            self.warn(error)

    @answering
    def _set_state(self, request: Any, response: Any) -> None:
        self.mock.put(*read_placement(request.state, self.mock.require_live()))

    @answering
    def _set_payload(self, request: Any, response: Any) -> None:
        self.set_payload(request, response)

    @answering
    def _reset(self, request: Any, response: Any) -> None:
        self.mock.reset(self.settings)
        response.message = 'at the initial state, without commands'

    @answering
    def _pause(self, request: Any, response: Any) -> None:
        self.paused = True
        response.message = f'paused at {self.mock.pace.time:.6f} s'

    @answering
    def _resume(self, request: Any, response: Any) -> None:
        if self.mock.failure:
            raise InputError(f'{self.mock.failure}: reset or set a state first')
        self.paused = False
        self._restart()

    @answering
    def _step(self, request: Any, response: Any) -> None:
        self.mock.require_live()
        if not (self.paused and self.active):
            raise InputError('a step is for an active simulator that is paused')
        self._restart()
        self._advance(1)
        if self.mock.failure:
            raise InputError(f'{self.mock.failure}: reset or set a state first')
        response.message = f'at {self.mock.pace.time:.6f} s'

    def _report(self) -> None:
        message = DiagnosticArray(status=[status(
            self.diagnostics_name, self.mock, self.settings, self.counts,
            active=self.active, paused=self.paused)])
        message.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(message)

    # Parameters

    def settings_changed(self, names: set[str]) -> None:
        """Act on parameters that have just been set."""
        super().settings_changed(names)
        self.mock.tune(self.settings)
        if self._timer and RESTART & names:
            self.destroy_timer(self._timer)
            self._start_timer()
            self._restart()

    def _live_state(self) -> State | None:
        live = self.mock.live
        if live is None or live.robot.joint_names != self.require_robot().joint_names:
            return None
        return live.q.copy(), live.qd.copy()

    def _joint_names(self) -> tuple[str, ...] | None:
        return None if self.mock.live is None else self.mock.live.robot.joint_names


def main() -> None:
    """Run the node."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    run(SimulatorNode)


if __name__ == '__main__':
    main()
