"""The simulator node: a torque-driven robot in real time."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from robot_dynamics_interfaces.srv import SetState
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.nodes.shared.diagnostics import ERROR, WARN, array_of
from robot_dynamics.nodes.shared.handlers import answering, saying_why
from robot_dynamics.nodes.shared.model_node import ModelNode, run
from robot_dynamics.nodes.shared.opening import STEADY
from robot_dynamics.nodes.simulator.action import SimulateServer, State
from robot_dynamics.nodes.simulator.inputs import read_efforts, read_joint_command, read_placement
from robot_dynamics.nodes.simulator.output import NANOSECONDS, StateOutput
from robot_dynamics.nodes.simulator.settings import RESTART, make_settings
from robot_dynamics.nodes.simulator.stamps import Offset
from robot_dynamics.nodes.simulator.status import Counts, status
from robot_dynamics.simulation.live.commanded_robot import CommandedRobot
from robot_dynamics.simulation.live.commands import POSITION
from robot_dynamics.simulation.live.joints import ORIGIN
from robot_dynamics.simulation.live.live_robot import LiveRobot
from robot_dynamics.simulation.live.robot_builder import RobotBuilder
from robot_dynamics.simulation.live.settings import cycle
from robot_dynamics.simulation.live.standing import Standing

SLICE = 0.02  # [s] simulated at once
SWITCH_INTERVAL = 1e-4  # [s] a simulation in a thread must not keep the live one waiting


class SimulatorNode(ModelNode):
    """Moves a robot under `effort_commands` and `joint_commands`; publishes `joint_states`."""

    def __init__(self, **options: Any):
        self.mock, self.counts, self.paused = CommandedRobot(), Counts(), False
        self._pacing = STEADY
        self._offset: Offset | None = None  # from steady time to the stamps', where it paces
        self._timer: Any = None
        self._builder = RobotBuilder()
        self._standing: Standing | None = None  # until there is a live robot
        self._ran_away: float | None = None  # when, unless somebody has dealt with it [s]
        super().__init__('simulator', make_settings(self._joint_names), **options)

    # Lifecycle

    @saying_why
    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Open topics, services and the action."""
        self._output = StateOutput(self)
        self._diagnostics = self.offer(DiagnosticArray, '/diagnostics', always=True)
        self.listen(Float64MultiArray, 'effort_commands', self._on_efforts)
        self.listen(JointState, 'joint_commands', self._on_joint_command)
        self.serve(SetState, 'set_state', self._set_state)
        for name in ('reset', 'pause', 'resume', 'step'):
            self.serve(Trigger, name, getattr(self, f'_{name}'))
        self.when_closed(SimulateServer(self, self.require_robot, self._live_state,
                                        self.settings).close)
        self._start_timer()
        self.every(1 / self.settings.diagnostics_rate, self._report)
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let time pass."""
        self._restart()
        return super().on_activate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Forget the robot."""
        self.mock, self._builder = CommandedRobot(), RobotBuilder()
        self._standing = self._timer = None
        return super().on_cleanup(state)

    # Time

    def _tick(self) -> None:
        """Run the cycles that are due, publish the last one's state."""
        self._take_new_robot()
        self._come_back()
        settings = self.settings
        if self.active and (self.mock.live is None or self.paused):
            self._send()  # others go on seeing it where it is
        elif self.active:
            self._advance(self.mock.pace.due(
                self._now(), cycle(settings), settings.real_time_factor, settings.catch_up))

    def _advance(self, cycles: int) -> None:
        """Run cycles and publish; pause when the robot runs away."""
        if not cycles:
            return
        pace, length = self.mock.pace, cycle(self.settings)
        few = max(1, round(SLICE / length))
        try:
            for done in range(0, cycles, few):  # commands grow old within a long burst, too
                count = min(few, cycles - done)
                self.mock.run(count, self.settings)
                pace.advanced(self._now(), count * length)
        except RobotDynamicsError as error:
            self.paused, self._ran_away = True, self._now()
            self.get_logger().error(f'{error}; paused: reset or set a state, then resume')
            return
        offset = self._offset.follow() if self._offset else 0
        self._send(offset + round(NANOSECONDS * pace.real_at(self.settings.real_time_factor)))

    def _come_back(self) -> None:
        """Begin anew some time after the robot ran away, if that is wanted."""
        after = self.settings.restart_after_runaway
        if self._ran_away is None or not 0 < after <= self._now() - self._ran_away:
            return
        self._ran_away = None
        self.mock.reset(self.settings)
        self.paused = False
        self._restart()
        self.get_logger().warning('back at the initial state after the robot ran away')

    def _send(self, real: int | None = None) -> None:
        """Publish the state; real: its time on the node's clock [ns], None for now."""
        robot = self.mock.live or self._standing
        if robot is not None:
            effort = self._standing.effort if robot is self._standing else self.mock.applied
            joints = robot.joints
            self._output.send(joints.all_names, joints.shown_values(robot.values),
                              joints.rates(robot.values, robot.qd), joints.shown_efforts(effort),
                              simulated=self.mock.pace.time, real=real,
                              base=joints.base(robot.values, robot.qd))
            self.counts.states += 1

    def _now(self) -> float:
        now: float = self._pacing.now().nanoseconds / NANOSECONDS
        return now

    def _restart(self) -> None:
        """Let simulated time go on from where it is."""
        self._offset = Offset(STEADY, self.get_clock()) if self._pacing is STEADY else None
        self.mock.pace.restart(self._now())

    def _start_timer(self) -> None:
        """Keep time beside the steady clock, or beside another's /clock where one is followed."""
        follows = self.get_parameter('use_sim_time').value and not self.settings.publish_clock
        self._pacing = self.get_clock() if follows else STEADY
        self._timer = self.every(1 / self.settings.rate, self._tick, self._pacing)

    # The robot

    def _take_new_robot(self) -> None:
        """Put a new model into use once its kernels are compiled; the old one runs meanwhile."""
        mock, builder, robot = self.mock, self._builder, self.robot
        live = builder.take()
        if live is not None:
            self._begin(live)
        elif mock.live is None and robot is not None and (
                self._standing is None or self._standing.robot is not robot):
            self._standing = Standing(robot, self.settings)
        if failure := builder.take_failure():
            mock.failure = failure
            self.get_logger().error(failure)
        if builder.want(robot, self.settings) and robot is not None:
            self.get_logger().info(f'{robot.name} stands until its kernels are compiled, which '
                                   'takes seconds the first time')

    def _begin(self, live: LiveRobot) -> None:
        """Let a robot move, from where it stood."""
        if self.mock.live is None:
            self._restart()
        self.mock.replace(live, self.settings)
        if self._standing is not None and self._standing.moved:
            with suppress(RobotDynamicsError):
                live.place(self._standing.q, self._standing.qd, self._standing.values)
        self._standing = None
        if live.locked:
            self.get_logger().warning(f'without inertia, and locked: {", ".join(live.locked)}')
        if self.mock.failure:
            self.get_logger().error(self.mock.failure)

    # Topics and services

    def _on_efforts(self, message: Float64MultiArray) -> None:
        mock = self.mock
        try:
            names = mock.require_live().joints.motor_names
            mock.commands.set_efforts(read_efforts(message, mock.order, names), mock.pace.time)
            self.counts.commands += 1
        except RobotDynamicsError as error:
            self.counts.refused += 1
            self.warn(error)

    def _on_joint_command(self, message: JointState) -> None:
        mock = self.mock
        try:
            live = mock.require_live()
            read_joint_command(message, live.robot, mock.commands, mock.pace.time)
            self.counts.commands += 1
            told = mock.commands.kind == POSITION
            if live.joints.own:
                joints = live.joints
                q = np.where(told, mock.commands.position, joints.shown_values(live.q))
                self.watch_limits(joints.layout.values_of(q, ORIGIN), 'joint_commands')
        except RobotDynamicsError as error:
            self.counts.refused += 1
            self.warn(error)

    @answering
    def _set_state(self, request: Any, response: Any) -> None:
        if self.mock.live is None and self._standing is not None:
            self._standing.place(*read_placement(request.state, self._standing))
        else:
            self.mock.put(*read_placement(request.state, self.mock.require_live()))
        self._ran_away = None

    @answering
    def _reset(self, request: Any, response: Any) -> None:
        if self.mock.live is None and self._standing is not None:
            self._standing = Standing(self._standing.robot, self.settings)
        else:
            self.mock.reset(self.settings)
        self._ran_away = None
        response.message = 'at the initial state, without commands'

    @answering
    def _pause(self, request: Any, response: Any) -> None:
        self.paused, self._ran_away = True, None
        response.message = f'paused at {self.mock.pace.time:.6f} s'

    @answering
    def _resume(self, request: Any, response: Any) -> None:
        if self.mock.failure:
            raise InputError(f'{self.mock.failure}: reset or set a state first')
        self.paused, self._ran_away = False, None
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
        self._diagnostics.publish(array_of([status(
            self.diagnostics_name, self.mock, self.settings, self.counts, active=self.active,
            paused=self.paused, waits_for=self._waits_for())], self.get_clock().now().to_msg()))

    def _waits_for(self) -> tuple[bytes, str]:
        """Return level and text of what has to come before a robot moves."""
        if self.robot is None:
            return ERROR, self.modelless
        return WARN, (f'{self.robot.name} stands still: its kernels are being compiled, for '
                      f'{self._builder.waiting() or 0.0:.0f} s so far')

    # Parameters

    def settings_changed(self, names: set[str]) -> None:
        """Act on parameters that have just been set."""
        super().settings_changed(names)
        self.mock.tune(self.settings)
        if self._timer and RESTART & names:
            self.close(self._timer)
            self._start_timer()
            self._restart()

    def _live_state(self) -> State | None:
        live = self.mock.live
        if live is None or live.robot.joint_names != self.require_robot().joint_names:
            return None
        return live.q.copy(), live.qd.copy(), live.values.copy()

    def _joint_names(self) -> tuple[str, ...] | None:
        return None if self.mock.live is None else self.mock.live.joints.motor_names


def main() -> None:
    """Run the node."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    run(SimulatorNode)
