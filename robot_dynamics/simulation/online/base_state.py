"""Where a floating base is and how it moves, as somebody outside tells. No ROS."""

from __future__ import annotations

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.inputs import vector
from robot_dynamics.model.quaternions import rotation, unit

LENGTH = 0.01  # by which a quaternion in a message may miss the length of one, as in tf2


class BaseState:
    """The last pose x y z qx qy qz qw and twist [omega; v] of the base link, in its own axes."""

    def __init__(self) -> None:
        self.pose: np.ndarray | None = None
        self.twist = np.zeros(6)
        self._arrival = -np.inf

    def take(self, pose: np.ndarray, twist: np.ndarray, now: float) -> None:
        """Take a state; now: on a steady clock [s]. `InputError`: shapes, nan, quaternions."""
        pose = vector('pose', pose, (7,))
        pose[3:] = unit_quaternion('orientation', pose[3:])
        self.twist, self.pose, self._arrival = vector('twist', twist, (6,)), pose, now

    def require(self, now: float | None = None, timeout: float = np.inf) -> np.ndarray:
        """Return the pose; `InputError`: none came yet, or it is older than timeout [s]."""
        if self.pose is None:
            raise InputError('the base floats, and no odometry has come yet')
        if now is not None and now - self._arrival > timeout:
            raise InputError(f'the odometry is {now - self._arrival:.3f} s old, at most '
                             f'{timeout:g} s are taken (base_timeout)')
        return self.pose

    def forget(self) -> None:
        """Drop it."""
        self.pose, self.twist, self._arrival = None, np.zeros(6), -np.inf


def unit_quaternion(name: str, quaternion: np.ndarray) -> np.ndarray:
    """Return a quaternion [x y z w] of length one; `InputError`: zero, or far from that."""
    quaternion = vector(name, quaternion, (4,))
    length = float(np.linalg.norm(quaternion))
    if length < 1e-8:
        raise InputError(f'{name}: the quaternion is zero; expected one of length 1')
    if abs(length - 1) > LENGTH:
        raise InputError(f'{name}: the quaternion has length {length:.4g}; expected 1')
    return unit(quaternion)


def moved_frame(pose: np.ndarray, twist: np.ndarray, T: np.ndarray
                ) -> tuple[np.ndarray, np.ndarray]:
    """Return pose and twist of the base link from those of a frame fixed on it.

    T: (4, 4) the frame in the base link
    """
    world = np.eye(4)
    world[:3, :3], world[:3, 3] = rotation(pose[3:]), pose[:3]
    base = world @ np.linalg.inv(T)
    omega = T[:3, :3] @ twist[:3]
    v = T[:3, :3] @ twist[3:] - np.cross(omega, T[:3, 3])
    return np.concatenate([base[:3, 3], quaternion_of(base[:3, :3])]), np.concatenate([omega, v])


def quaternion_of(R: np.ndarray) -> np.ndarray:
    """Return the quaternion [x y z w] of a rotation matrix, of positive w."""
    # The quaternion is the eigenvector of this matrix to its largest eigenvalue (Bar-Itzhack).
    off = R - R.T
    K = np.empty((4, 4))
    K[:3, :3] = R + R.T - np.trace(R) * np.eye(3)
    K[:3, 3] = K[3, :3] = off[2, 1], off[0, 2], off[1, 0]
    K[3, 3] = np.trace(R)
    v = np.linalg.eigh(K)[1][:, -1]
    return -v if v[3] < 0 else v
