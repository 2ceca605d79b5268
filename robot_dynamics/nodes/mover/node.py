"""A robot that moves as told: publishes the joint states of a motion and gathers the answers."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable

import numpy as np
import rclpy
from builtin_interfaces.msg import Duration, Time
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from robot_dynamics_interfaces.srv import ComputeInverseDynamics
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robot_dynamics.errors import RobotDynamicsError
from robot_dynamics.nodes.shared.discovery import find_each_other_quickly
from robot_dynamics.simulation.online.exchange import Answers, SentMotion

NANOSECONDS = 10**9


class Mover(Node):  # type: ignore[misc]  # rclpy has no types
    """Publishes `joint_states` as a robot would, and listens to `inverse_dynamics/effort`."""

    def __init__(self, motion: SentMotion, namespace: str):
        super().__init__('mover', namespace=namespace)
        self.motion = motion
        self.sent = 0
        self.answers = Answers(np.full_like(motion.q, np.nan), np.full_like(motion.t, np.nan))
        self._sample: dict[int, int] = {}  # stamp [ns] -> number of the sample
        self._start = 0  # [ns]
        self._heard = False
        self._states = self.create_publisher(JointState, 'joint_states', 10)
        self._effort = self.create_subscription(
            JointState, 'inverse_dynamics/effort', self._on_effort, 100)
        self._inverse_dynamics = self.create_client(
            ComputeInverseDynamics, 'inverse_dynamics/compute_inverse_dynamics')

    def greet(self) -> bool:
        """Publish the state at the start, at rest; say whether the node has answered one."""
        if self._inverse_dynamics.service_is_ready():
            self._publish(0, self.get_clock().now().nanoseconds)
        return self._heard

    def start(self) -> None:
        """Begin to move."""
        self._start = self.get_clock().now().nanoseconds
        self.create_timer(self.motion.t[1] - self.motion.t[0], self._move)

    def _move(self) -> None:
        if self.sent < len(self.motion.t):
            stamp = self._start + round(self.motion.t[self.sent] * NANOSECONDS)
            self._sample[stamp] = self.sent
            self.answers.delay[self.sent] = -time.monotonic()
            self._publish(self.sent, stamp)
            self.sent += 1

    def _publish(self, k: int, stamp: int) -> None:
        message = JointState(name=self.motion.joint_names, position=_array(self.motion.q[k]),
                             velocity=_array(self.motion.qd[k]))
        message.header.stamp = Time(sec=stamp // NANOSECONDS, nanosec=stamp % NANOSECONDS)
        self._states.publish(message)

    def _on_effort(self, message: JointState) -> None:
        self._heard = True
        stamp = message.header.stamp
        k = self._sample.pop(stamp.sec * NANOSECONDS + stamp.nanosec, None)
        if k is not None:
            self.answers.tau[k] = message.effort
            self.answers.delay[k] += time.monotonic()

    def request(self) -> rclpy.task.Future:
        """Ask the service for the efforts of the whole motion, accelerations given."""
        trajectory = JointTrajectory(joint_names=self.motion.joint_names, points=[
            JointTrajectoryPoint(
                positions=_array(q), velocities=_array(qd), accelerations=_array(qdd),
                time_from_start=Duration(sec=int(t), nanosec=int(t % 1 * NANOSECONDS)))
            for t, q, qd, qdd in zip(self.motion.t, self.motion.q, self.motion.qd,
                                     self.motion.qdd, strict=True)])
        return self._inverse_dynamics.call_async(
            ComputeInverseDynamics.Request(trajectory=trajectory))

    def finish(self) -> None:
        """Mark the samples that were never answered."""
        self.answers.delay[sorted(self._sample.values())] = np.nan


def follow(motion: SentMotion, namespace: str, *, watch: Callable[[Mover], None],
           patience: float = 30.0) -> tuple[Answers, np.ndarray]:
    """Move through a motion; return the node's answers on the way and from its service.

    watch: called ten times a second, first while waiting for the node; may raise to stop
    patience: how long to wait for the node, and for answers [s]
    """
    find_each_other_quickly()
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)  # they are the caller's
    executor = SingleThreadedExecutor()
    try:
        mover = Mover(motion, namespace)
        executor.add_node(mover)
        mover.create_timer(0.1, lambda: watch(mover))
        _spin(executor, mover.greet, patience, 'the inverse_dynamics node did not answer')
        mover.start()
        _spin(executor, lambda: mover.sent == len(motion.t), motion.t[-1] + patience,
              'the motion did not reach its end')
        reply = mover.request()
        _spin(executor, reply.done, patience, 'the service did not answer')
        response = reply.result()
        if not response.success:
            raise RobotDynamicsError(f'the service refused: {response.message}')
        mover.finish()
        return mover.answers, np.array([point.effort for point in response.trajectory.points])
    finally:
        executor.shutdown()
        rclpy.try_shutdown()


def _spin(executor: SingleThreadedExecutor, done: Callable[[], bool], patience: float,
          complaint: str) -> None:
    end = time.monotonic() + patience
    while not done():
        if time.monotonic() > end:
            raise RobotDynamicsError(f'{complaint} in {patience:.0f} s')
        executor.spin_once(timeout_sec=0.05)


def _array(values: np.ndarray) -> array[float]:
    return array('d', np.ascontiguousarray(values).tobytes())
