"""Poses as descriptions write them: roll, pitch and yaw, quaternions, axes."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def turned(rpy: ArrayLike) -> Array:
    """Return Rz(yaw) Ry(pitch) Rx(roll)."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    return np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                     [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                     [-sp, cp * sr, cp * cr]])


def quaternion_rotation(quaternion: ArrayLike) -> Array:
    """Return the rotation of a quaternion w, x, y, z of any length but zero."""
    w, x, y, z = np.asarray(quaternion, float) / np.linalg.norm(quaternion)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def z_along(axis: ArrayLike) -> Array:
    """Return a rotation whose z is the axis, of any length but zero."""
    z = np.asarray(axis, float) / np.linalg.norm(axis)
    other = np.eye(3)[np.argmin(np.abs(z))]
    x = np.cross(other, z)
    x = np.eye(3)[0] if z[2] == 1.0 else x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def placed(R: Array, p: ArrayLike) -> Array:
    """Return the (4, 4) pose of a rotation and a position."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T
