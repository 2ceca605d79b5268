"""Between ROS messages and arrays: joints matched by name, sizes and values checked."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import numpy as np
from geometry_msgs.msg import Pose
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import duplicates
from robot_dynamics.simulation.online.base_state import quaternion_of

ITEM = 8  # bytes of a float64


def columns(names: Sequence[str], joint_names: Sequence[str]) -> list[int]:
    """Return where each joint of the robot stands among a message's names.

    names: the message's joints, in any order; ones that the robot does not have are ignored.
    """
    if len(set(names)) != len(names):
        raise InputError(f'joints named twice: {duplicates(names)}')
    place = {name: i for i, name in enumerate(names)}
    absent = [name for name in joint_names if name not in place]
    if absent:
        unknown = [name for name in names if name not in joint_names]
        raise InputError(f'joints not given: {", ".join(absent)}' + (
            f' (given besides: {", ".join(unknown[:8])})' if unknown else ''))
    return [place[name] for name in joint_names]


class StateReader:
    """Reads joint states of one robot; remembers the order that the last one had."""

    def __init__(self, joint_names: Sequence[str]):
        self.joint_names = joint_names
        self._names: list[str] | None = None
        self._order: list[int] | None = None  # None: the robot's own

    def read(self, state: JointState, field: str) -> np.ndarray:
        """Return a field, such as 'position', in the robot's joint order, shape (n,).

        Units as in the message [rad or m, rad/s or m/s, N m or N]. The array may be the
        message's own memory.
        """
        row = self.unchecked(state, field)
        if not math.isfinite(sum(row.tolist())):  # a sum is: it takes a tenth of np.isfinite
            check_finite(row, field, self.joint_names)
        return row

    def unchecked(self, state: JointState, field: str) -> np.ndarray:
        """Return a field that may have nan, shape (n,)."""
        if state.name != self._names:
            order = columns(state.name, self.joint_names)
            self._order = None if order == list(range(len(state.name))) else order
            self._names = list(state.name)
        values = getattr(state, field)
        if len(values) != len(state.name):
            raise InputError(f'{field}: {len(values)} values for {len(state.name)} joints')
        row = np.frombuffer(values)
        if self._order is not None:
            row = row[self._order]
        return row


def read_state(state: JointState, joint_names: Sequence[str], fields: Sequence[str]
               ) -> list[np.ndarray]:
    """Return the fields of a joint state, such as 'position', in the robot's joint order."""
    reader = StateReader(joint_names)
    return [reader.read(state, field) for field in fields]


def read_trajectory(trajectory: JointTrajectory, joint_names: Sequence[str],
                    fields: Sequence[str], *, most: int) -> list[np.ndarray]:
    """Return the fields of a trajectory's points, such as 'positions', in the robot's joint order.

    Each is an array of shape (N, n), units as in the message. most: how many points may come.
    """
    N = len(trajectory.points)
    if not N:
        raise InputError('the trajectory has no points')
    if N > most:
        raise InputError(f'{N} points, at most {most} are taken (parameter max_points)')
    order = columns(trajectory.joint_names, joint_names)
    own = order == list(range(len(trajectory.joint_names)))
    return [_read_field(trajectory, field, None if own else order, joint_names)
            for field in fields]


def read_bounded(data: bytes, robot: Dynamics, most: int) -> JointTrajectory:
    """Return the trajectory of a serialized message, refused unread where it is too large.

    most: points; with two joints more than the robot's they set how many bytes may come
    """
    largest = 1000 + most * (40 + 4 * ITEM * (robot.n + 2))
    if len(data) > largest:
        raise InputError(f'{len(data)} bytes, at most {largest} are read (parameter max_points)')
    return deserialize_message(data, JointTrajectory)


def _read_field(trajectory: JointTrajectory, field: str, order: list[int] | None,
                joint_names: Sequence[str]) -> np.ndarray:
    size = len(trajectory.joint_names)
    rows = list(map(attrgetter(field), trajectory.points))
    if set(map(len, rows)) != {size}:
        i = next(i for i, row in enumerate(rows) if len(row) != size)
        where = f' of point {i}' if len(rows) > 1 else ''
        raise InputError(f'{field}{where}: {len(rows[i])} values for {size} joints')
    values = np.frombuffer(b''.join(rows)).reshape(len(rows), size)
    if order is not None:
        values = values[:, order]
    check_finite(values, field, joint_names)
    return values


def write_trajectory(trajectory: JointTrajectory, joint_names: Sequence[str], field: str,
                     values: np.ndarray) -> JointTrajectory:
    """Fill one field of a trajectory's points in place, in the trajectory's own joint order.

    values: shape (N, n), in the robot's joint order. Joints that the robot lacks get zeros.
    """
    order = columns(trajectory.joint_names, joint_names)
    size = len(trajectory.joint_names)
    if order != list(range(size)):
        rows = np.zeros((len(values), size))
        rows[:, order] = values
        values = rows
    buffer = values.tobytes()
    width = size * ITEM
    for k, point in enumerate(trajectory.points):
        setattr(point, field, array('d', buffer[k * width:(k + 1) * width]))
    return trajectory


def check_finite(values: np.ndarray, what: str, joint_names: Sequence[str]) -> None:
    """Refuse nan and inf in values (n,) or (N, n); say where the first one is."""
    if not np.isfinite(values).all():
        *point, joint = np.argwhere(~np.isfinite(values))[0]
        place = (f'point {point[0]}, ' if point else '') + f'joint {joint_names[joint]!r}'
        raise InputError(f'{what} of {place}: {values[(*point, joint)]} is not finite')


def floats(values: Any) -> array[float]:
    """Return numbers as what a float64[] field holds."""
    return array('d', np.ascontiguousarray(values, dtype=float).tobytes())


def seconds(stamp: Any) -> float:
    """Return a Time or Duration in seconds."""
    elapsed: float = stamp.sec + 1e-9 * stamp.nanosec
    return elapsed


def pose_message(T: np.ndarray) -> Pose:
    """Return a (4, 4) pose as a message, with the quaternion of positive w."""
    pose = Pose()
    pose.position.x, pose.position.y, pose.position.z = T[:3, 3].tolist()
    x, y, z, w = quaternion_of(T[:3, :3])
    orientation = pose.orientation
    orientation.x, orientation.y, orientation.z, orientation.w = map(float, (x, y, z, w))
    return pose
