"""Between ROS messages and arrays: joints matched by name, sizes and values checked."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics.errors import InputError


def columns(names: Sequence[str], joint_names: Sequence[str]) -> list[int]:
    """Return where each joint of the robot stands among a message's names.

    names: the message's joints, in any order; ones that the robot does not have are ignored.
    """
    if len(set(names)) != len(names):
        doubles = sorted({name for name in names if names.count(name) > 1})
        raise InputError(f'joints named twice: {", ".join(doubles)}')
    place = {name: i for i, name in enumerate(names)}
    absent = [name for name in joint_names if name not in place]
    if absent:
        raise InputError(f'joints not given: {", ".join(absent)}')
    return [place[name] for name in joint_names]


def read_state(state: JointState, joint_names: Sequence[str], fields: Sequence[str]) -> list:
    """Return the fields of a joint state, such as 'position', in the robot's joint order.

    Each is an array of shape (n,), units as in the message [rad or m, rad/s or m/s, N m or N].
    """
    order = columns(state.name, joint_names)
    return [_checked([getattr(state, field)], len(state.name), field)[0, order]
            for field in fields]


def read_trajectory(trajectory: JointTrajectory, joint_names: Sequence[str],
                    fields: Sequence[str]) -> list:
    """Return the fields of a trajectory's points, such as 'positions', in the robot's joint order.

    Each is an array of shape (N, n), units as in the message.
    """
    if not trajectory.points:
        raise InputError('the trajectory has no points')
    order = columns(trajectory.joint_names, joint_names)
    return [_checked([getattr(point, field) for point in trajectory.points],
                     len(trajectory.joint_names), field)[:, order]
            for field in fields]


def write_trajectory(trajectory: JointTrajectory, joint_names: Sequence[str], field: str,
                     values: np.ndarray) -> JointTrajectory:
    """Fill one field of a trajectory's points, in the trajectory's own joint order.

    values: shape (N, n), in the robot's joint order. Joints that the robot lacks get zeros.
    """
    rows = np.zeros((len(trajectory.points), len(trajectory.joint_names)))
    rows[:, columns(trajectory.joint_names, joint_names)] = values
    for point, row in zip(trajectory.points, rows, strict=True):
        setattr(point, field, array('d', row.tobytes()))
    return trajectory


def _checked(rows: Sequence[Sequence[float]], size: int, field: str) -> np.ndarray:
    """Return the rows as one array; refuse rows of another size, and nan and inf."""
    for i, row in enumerate(rows):
        if len(row) != size:
            where = f' of point {i}' if len(rows) > 1 else ''
            raise InputError(f'{field}{where}: {len(row)} values for {size} joints')
    values = np.array(rows, dtype=float).reshape(len(rows), size)
    if not np.isfinite(values).all():
        i, j = np.argwhere(~np.isfinite(values))[0]
        raise InputError(f'{field} of point {i}, joint {j}: {values[i, j]} is not finite')
    return values
