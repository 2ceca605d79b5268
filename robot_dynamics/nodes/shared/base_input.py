"""The base of a robot that is not bolted down: Odometry tells its state, an Imu its turn."""

from __future__ import annotations

from time import monotonic
from typing import Any

import numpy as np
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Imu

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.model.quaternions import rotation
from robot_dynamics.nodes.shared.opening import SENSOR
from robot_dynamics.nodes.shared.settings import Setting
from robot_dynamics.simulation.online.base_state import BaseState, moved_frame, unit_quaternion

TIMEOUT_SETTING = Setting(
    'base_timeout', 0.5, 'odometry or imu older than this is not taken for where the base is [s]',
    low=0.001, high=3600.0)


class BaseInput:
    """Listens for a node, which has the parameters base, odom_frame and base_timeout.

    A message that cannot be used is told and counted, and the last good one stays.
    """

    def __init__(self, node: Any):
        self._node = node
        self.state = BaseState()
        self.refused = 0
        self._turned = -np.inf  # when the last imu came [s]

    def open(self) -> None:
        """Listen to what the parameter `base` asks for."""
        if self._node.settings.base == 'floating':
            self._node.listen(Odometry, 'odometry', self._on_odometry, SENSOR)
        elif self._node.settings.base == 'imu':
            self._node.listen(Imu, 'imu', self._on_imu, SENSOR)

    def check(self) -> None:
        """Raise `InputError` where nobody says where the base is, or not any more."""
        kind, timeout = self._node.settings.base, self._node.settings.base_timeout
        if kind == 'floating':
            self.state.require(monotonic(), timeout)
        elif kind == 'imu':
            age = monotonic() - self._turned
            if not age <= timeout:
                raise InputError('no imu has come yet: gravity follows it' if age == np.inf else
                                 f'the imu is {age:.3f} s old, at most {timeout:g} s are taken '
                                 '(base_timeout)')

    @property
    def missing(self) -> str:
        """What `check` raises, in words; nothing where the base is known."""
        try:
            self.check()
        except InputError as error:
            return str(error)
        return ''

    def forget(self) -> None:
        """Drop what was told."""
        self.state.forget()
        self._turned = -np.inf

    def _on_odometry(self, message: Odometry) -> None:
        self._use(message, self._take_odometry)

    def _on_imu(self, message: Imu) -> None:
        self._use(message, self._take_imu)

    def _use(self, message: Any, take: Any) -> None:
        if not self._node.active or self._node.robot is None:
            return
        try:
            take(message, self._node.robot)
        except RobotDynamicsError as error:
            self.refused += 1
            self._node.warn(error)

    def _take_odometry(self, message: Odometry, robot: Dynamics) -> None:
        world = self._node.settings.odom_frame
        if world and message.header.frame_id != world:
            raise InputError(f'odometry: frame_id {message.header.frame_id!r}: expected {world!r} '
                             '(odom_frame)')
        T = on_base(robot, message.child_frame_id)
        p, o = message.pose.pose.position, message.pose.pose.orientation
        w, v = message.twist.twist.angular, message.twist.twist.linear
        quaternion = unit_quaternion('odometry: orientation', np.array([o.x, o.y, o.z, o.w]))
        pose = np.array([p.x, p.y, p.z, *quaternion])
        twist = np.array([w.x, w.y, w.z, v.x, v.y, v.z])
        if not (np.isfinite(pose).all() and np.isfinite(twist).all()):
            raise InputError('odometry: has a nan or inf')
        if T is not None:
            pose, twist = moved_frame(pose, twist, T)
        self.state.take(pose, twist, monotonic())

    def _take_imu(self, message: Imu, robot: Dynamics) -> None:
        if message.orientation_covariance[0] == -1.0:
            raise InputError('imu: has no orientation (orientation_covariance[0] is -1)')
        frame, o = message.header.frame_id, message.orientation
        R = rotation(unit_quaternion('imu: orientation', np.array([o.x, o.y, o.z, o.w])))
        if frame and frame != robot.dh.root:
            on = robot.model.frames.get(frame)
            if on is None or on.body >= 0:
                raise InputError(f'imu: frame_id {frame!r} is no link that is fixed on the root '
                                 f'{robot.dh.root!r}')
            R = R @ on.T[:3, :3].T
        self._turned = monotonic()
        self._node.turn_gravity(R)


def base_link(robot: Dynamics) -> str:
    """Return the link whose pose a floating base is."""
    coordinates = robot.model.coordinates
    free = getattr(getattr(coordinates, 'tree', coordinates), 'free', ())
    body = free[0].link + 5 if free else -1
    return next(name for name, frame in robot.model.frames.items() if frame.body == body)


def on_base(robot: Dynamics, link: str) -> np.ndarray | None:
    """Return where a link is in the base link, (4, 4), None where it is that link itself."""
    base, frames = base_link(robot), robot.model.frames
    body = frames[base].body
    if not link or link == base:
        return None
    if link not in frames or frames[link].body != body:
        raise InputError(f'odometry: child_frame_id {link!r} is no link that is fixed on the base '
                         f'{base!r}')
    return np.linalg.inv(frames[base].T) @ frames[link].T
