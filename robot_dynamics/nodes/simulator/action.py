"""The ~/simulate action: copies of the robot simulated in threads, as fast as they go."""

from __future__ import annotations

import threading
import time
import warnings
from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration
from rclpy.action import ActionServer, CancelResponse
from rclpy.clock import Clock, ClockType
from rclpy.impl.implementation_singleton import rclpy_implementation
from robot_dynamics_interfaces.action import Simulate
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robot_dynamics.dynamics import ClosedDynamics, Dynamics, is_closed
from robot_dynamics.errors import InputError, RobotDynamicsError, RobotDynamicsWarning
from robot_dynamics.nodes.shared.conversion import read_state, read_trajectory
from robot_dynamics.nodes.simulator.inputs import read_pose
from robot_dynamics.simulation.layout import Layout
from robot_dynamics.simulation.live.joints import ORIGIN, make_joints
from robot_dynamics.simulation.simulate import simulate
from robot_dynamics.simulation.torque_laws import seconds
from robot_dynamics.simulation.trajectory import Trajectory

RCLError: Any = rclpy_implementation.RCLError
State = tuple[np.ndarray, np.ndarray, np.ndarray | None]  # q, qd, (n,) each, and all joints
PERIOD = 0.05  # [s] between two looks at the threads, and two feedbacks


class CancelledError(Exception):
    """The goal's client wants no more of it."""


class GoalThread(threading.Thread):
    """One goal at work in a thread; other threads read progress, result and reason."""

    def __init__(self, robot: Dynamics, state: State | None, settings: Any, goal: Simulate.Goal):
        super().__init__(daemon=True, name='simulate')
        self.robot, self.state, self.settings, self.goal = robot, state, settings, goal
        self.duration = seconds(goal.duration)
        self.progress = 0.0
        self.cancelled = threading.Event()
        self.began = time.monotonic()
        self.result = Simulate.Result(success=False)

    @property
    def real_time_factor(self) -> float:
        """Simulated over elapsed time."""
        return self.progress * self.duration / max(1e-9, time.monotonic() - self.began)

    def run(self) -> None:
        """Simulate; leave the result."""
        try:
            trajectory = self._simulate()
            self.result.trajectory = to_message(trajectory, self.robot)
            self.result.success = trajectory.success
            self.result.message = '; '.join(map(str, trajectory.stopped))
            self.progress = 1.0
        except RobotDynamicsError as error:
            self.result.message = str(error)
        except CancelledError:
            self.result.message = 'cancelled'
        except Exception as error:  # a thread's errors are nobody's otherwise
            self.result.message = f'{type(error).__name__}: {error}'

    def _simulate(self) -> Trajectory:
        names = self.robot.joint_names
        goal, settings = self.goal, self.settings
        q, qd, near = self._initial_state(names)
        times = sample_times(self.duration, seconds(goal.sample_period), settings.max_points)
        if len(goal.effort.points) > settings.max_points:
            raise InputError(f'effort: {len(goal.effort.points)} points, at most '
                             f'{settings.max_points} (parameter max_points)')
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', RobotDynamicsWarning)  # the result says it
            return simulate(
                self.robot, q, qd, self._efforts() if goal.effort.points else None, times,
                method=settings.method, step=settings.step, limits=settings.stops,
                restitution=settings.restitution, progress=self._report,
                near=near if is_closed(self.robot) else None)

    def _initial_state(self, names: tuple[str, ...]) -> State:
        """Return the goal's initial state; an empty one is that of the live robot."""
        given = self.goal.initial_state
        if not (given.name or given.position or given.velocity) and self.state is not None:
            return self.state
        joints = make_joints(self.robot)
        q, = read_state(given, joints.names, ('position',))
        qd = np.zeros_like(q)
        if len(given.velocity):
            qd, = read_state(given, joints.names, ('velocity',))
        if joints.layout.poses:  # a base that floats is where the live one is, at rest
            k = joints.layout.poses[0][0]
            pose = ORIGIN if self.state is None else self.state[0][k:k + 7]
            q = joints.layout.values_of(q, pose)
            qd = joints.layout.rates_of(qd, np.zeros(6))
        return q, qd, joints.placed(q, read_pose(given, joints), None)

    def _efforts(self) -> Any:
        """Return the goal's efforts as `simulate` takes them; a floating base has none."""
        joints, effort = make_joints(self.robot), self.goal.effort
        if joints.closed or not joints.layout.poses:
            return effort
        tau, = read_trajectory(effort, joints.motor_names, ('effort',),
                               most=self.settings.max_points)
        times = np.array([seconds(point.time_from_start) for point in effort.points])
        return times, joints.layout.rates_of(tau, np.zeros(6))

    def _report(self, part: float) -> None:
        self.progress = part
        if self.cancelled.is_set():
            raise CancelledError


class SimulateServer:
    """The action's server: accepts goals, starts their threads, looks after them in a timer.

    The thread that spins is never kept waiting: a goal is executed, in the action's sense, when
    its result is there. A client that is gone leaves a goal that ends by itself.
    """

    def __init__(self, node: Any, robot: Callable[[], Dynamics], state: Callable[[], State | None],
                 settings: Any):
        self._node, self._robot, self._state, self._settings = node, robot, state, settings
        self._jobs: list[tuple[Any, GoalThread]] = []
        self._server = ActionServer(
            node, Simulate, '~/simulate', execute_callback=lambda handle: Simulate.Result(),
            handle_accepted_callback=self._start,
            cancel_callback=lambda handle: CancelResponse.ACCEPT)
        self._timer = node.create_timer(
            PERIOD, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._timer.cancel()

    def close(self) -> None:
        """End all goals and close the action."""
        for _, job in self._jobs:
            job.cancelled.set()
        self._node.destroy_timer(self._timer)
        self._server.destroy()

    def _start(self, handle: Any) -> None:
        try:
            settings = self._settings
            if len(self._jobs) >= settings.max_simulations:
                raise InputError(f'{len(self._jobs)} simulations are at work already (parameter '
                                 'max_simulations)')
            job = GoalThread(self._robot(), self._state(), settings, handle.request)
        except RobotDynamicsError as error:
            finish(handle, Simulate.Result(success=False, message=str(error)))
            return
        self._jobs.append((handle, job))
        job.start()
        self._timer.reset()

    def _look(self) -> None:
        """Publish feedback, hand out results, pass on cancels."""
        for handle, job in list(self._jobs):
            if handle.is_cancel_requested:
                job.cancelled.set()
            if job.is_alive():
                handle.publish_feedback(Simulate.Feedback(
                    progress=job.progress, real_time_factor=job.real_time_factor))
            else:
                self._jobs.remove((handle, job))
                finish(handle, job.result)
        if not self._jobs:
            self._timer.cancel()


def finish(handle: Any, result: Simulate.Result) -> None:
    """Hand out the result of a goal."""
    def execute(handle: Any) -> Simulate.Result:
        if handle.is_cancel_requested:
            handle.canceled()
        elif result.success:
            handle.succeed()
        else:
            handle.abort()
        return result
    try:
        handle.execute(execute)
    except RCLError:  # its status could not be published, a client has just died; the result can
        handle._action_server.notify_execute(handle, execute)


def sample_times(duration: float, period: float, limit: int) -> np.ndarray:
    """Return the instants [s] of the result's points, the last one at the end."""
    if not duration > 0:
        raise InputError(f'duration: {duration:g} s: expected more than zero')
    if period < 0:
        raise InputError(f'sample_period: {period:g} s: expected zero (both ends) or more')
    if period and duration / period > limit - 1:
        raise InputError(f'{duration / period:.0f} samples, at most {limit} (parameter '
                         'max_points)')
    inner = np.arange(0.0, duration, period or duration)
    return np.append(inner[duration - inner > 1e-9], duration)


def to_message(trajectory: Trajectory, robot: Dynamics) -> JointTrajectory:
    """Return a simulated motion as a message; a mechanism's has all joints, passive ones too."""
    def numbers(values: np.ndarray) -> array[float]:
        return array('d', values.tobytes())

    nanoseconds = np.round(trajectory.t * 1e9).astype(int)
    names = trajectory.joint_names
    columns: tuple[Any, ...] = (trajectory.q, trajectory.qd, trajectory.qdd, trajectory.tau)
    if is_closed(robot):
        names, columns = robot.tree_joint_names, all_joints(trajectory, robot)
    layout = Layout(robot.tree_value_names if is_closed(robot) else trajectory.value_names)
    if layout.poses:  # a trajectory of joints has no place for a base that floats
        names, values = layout.single_names, [k for k, _ in layout.single]
        columns = tuple(np.ascontiguousarray(column[:, values if i == 0 else layout.single_rates])
                        for i, column in enumerate(columns))
    return JointTrajectory(joint_names=names, points=[
        JointTrajectoryPoint(
            positions=numbers(q), velocities=numbers(qd), accelerations=numbers(qdd),
            effort=numbers(tau),
            time_from_start=Duration(sec=int(t // 10**9), nanosec=int(t % 10**9)))
        for t, q, qd, qdd, tau in zip(nanoseconds, *columns, strict=True)])


def all_joints(trajectory: Trajectory, robot: ClosedDynamics) -> tuple[Any, ...]:
    """Return q, qd, qdd and efforts of all joints of a mechanism, (K, L) each."""
    q, qd, tree = trajectory.q, trajectory.qd, np.asarray(trajectory.q_tree)
    efforts = np.zeros((len(tree), len(robot.tree_joint_names)))
    efforts[:, [robot.tree_joint_names.index(name) for name in trajectory.joint_names]] = (
        trajectory.tau)
    return (tree, robot.passive_rates(q, qd, near=tree),
            robot.passive_accelerations(q, qd, trajectory.qdd, near=tree), efforts)
