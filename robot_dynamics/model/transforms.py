"""Rotations and poses as arrays. T_a_b is the pose of frame b in frame a, (4, 4)."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from robot_dynamics.model.denoc import RIGHT_ANGLE, Array

X, Y, Z = np.eye(3)
_RIGHT = math.pi / 2
_QUARTERS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))


def cos_sin(angle: float) -> tuple[float, float]:
    """Return what exact_cos_sin gives for one angle, ten times as fast."""
    quarter = round(angle / _RIGHT)
    if abs(angle - quarter * _RIGHT) < RIGHT_ANGLE:
        return _QUARTERS[quarter % 4]
    return math.cos(angle), math.sin(angle)


def turn(axis: int, angle: float) -> Array:
    """Return the rotation by `angle` about x, y or z (0, 1, 2), exact at right angles."""
    return turn_by(axis, *cos_sin(angle))


def turn_by(axis: int, c: float, s: float) -> Array:
    """Return the rotation about x, y or z (0, 1, 2) by an angle of cosine c and sine s."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def pose(R: Array | None = None, p: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Return the (4, 4) pose of a rotation (none by default) and a position."""
    T = np.eye(4)
    if R is not None:
        T[:3, :3] = R
    T[:3, 3] = p
    return T


def inverse(T: Array) -> Array:
    """Return the inverse of a pose."""
    R = T[:3, :3].T
    return pose(R, -R @ T[:3, 3])


def rotation_about(axis: Array, angle: float) -> Array:
    """Return the rotation about a unit vector (Rodrigues)."""
    c, s = cos_sin(angle)
    return c * np.eye(3) + s * skew(axis) + (1.0 - c) * np.outer(axis, axis)


def skew(v: Sequence[float] | Array) -> Array:
    """Return the cross-product matrix of v."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def rotation_to(axis: Array) -> Array:
    """Return a rotation that takes z to the unit vector `axis` by the shortest turn."""
    v, c = np.cross(Z, axis), axis[2]
    if c < 0 and not v.any():
        return turn(0, np.pi)
    # 1 / (1 + c) is (1 - c) / v^2, which keeps its digits where c is near -1
    over = (1.0 - c) / (v @ v) if c < 0 else 1.0 / (1.0 + c)
    R: Array = np.eye(3) + skew(v) + over * skew(v) @ skew(v)
    return R
