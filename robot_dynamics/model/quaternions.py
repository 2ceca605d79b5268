"""Unit quaternions [x y z w] and poses on the manifold, over numbers of any kind.

Nothing here branches on a value: near no turn at all, sines over angles are those of an angle that
is larger by less than rounding.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from robot_dynamics.model.denoc import Array

TINY = 1e-60  # added to a squared angle [rad^2]
SIGN = 1e-200  # added to what may be zero, so that it has a sign


def norm_squared(quaternion: Any) -> Any:
    """Return x^2 + y^2 + z^2 + w^2."""
    x, y, z, w = quaternion
    return x * x + y * y + z * z + w * w


def rotation(quaternion: Any) -> Array:
    """Return the rotation matrix (3, 3) of a quaternion of any length but zero."""
    x, y, z, w = quaternion
    s = 2.0 / norm_squared(quaternion)
    xs, ys, zs = x * s, y * s, z * s
    xx, xy, xz, xw = x * xs, x * ys, x * zs, w * xs
    yy, yz, yw, zz, zw = y * ys, y * zs, w * ys, z * zs, w * zs
    return np.array([[1.0 - (yy + zz), xy - zw, xz + yw],
                     [xy + zw, 1.0 - (xx + zz), yz - xw],
                     [xz - yw, yz + xw, 1.0 - (xx + yy)]])


def tangent_block(quaternion: Any) -> Array:
    """Return d[p; quaternion] per [omega; v] in the turned axes, (7, 6).

    dp = R v, dquaternion = quaternion * [omega, 0] / 2
    """
    x, y, z, w = (0.5 * part for part in quaternion)
    block = np.zeros((7, 6), np.asarray(quaternion).dtype)
    block[:3, 3:] = rotation(quaternion)
    block[3:, :3] = np.array([[w, -z, y], [z, w, -x], [-y, x, w], [-x, -y, -z]])
    return block


def pose_rate(quaternion: Sequence[Any], twist: Sequence[Any]) -> list[Any]:
    """Return the rates of p and quaternion at a twist [omega; v] of the turned axes."""
    squared = norm_squared(quaternion)
    rate = multiply(quaternion, [*twist[:3], 0.0])
    v = [part / squared for part in turned(quaternion, twist[3:], squared)]
    return [*v, *(0.5 * part for part in rate)]


def multiply(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    """Return the product of two quaternions: first the turn b, then a."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return [aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz]


def turned(quaternion: Sequence[Any], v: Sequence[Any], squared: Any = 1.0) -> list[Any]:
    """Return R v of a quaternion, times its squared length, componentwise."""
    x, y, z, w = quaternion
    t = [2.0 * part for part in cross((x, y, z), v)]
    return [squared * v[k] + w * t[k] + part for k, part in enumerate(cross((x, y, z), t))]


def cross(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    """Return a x b, componentwise."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(quaternion: Array) -> Array:
    """Return quaternions (..., 4) of length one."""
    of_length_one: Array = quaternion / np.sqrt(
        (quaternion * quaternion).sum(axis=-1, keepdims=True))
    return of_length_one


def exponential(pose: Sequence[Any], twist: Sequence[Any]) -> list[Any]:
    """Return [p; quaternion] after a twist [omega; v] of its own axes, held for a unit of time.

    The pose times the exponential of SE(3): p + R V(omega) v with V the mean of all turns on the
    way. The quaternion comes out with length one.
    """
    p, quaternion, omega, v = pose[:3], pose[3:], twist[:3], twist[3:]
    length = np.sqrt(norm_squared(quaternion))
    quaternion = [part / length for part in quaternion]
    squared = omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2] + TINY
    angle = np.sqrt(squared)
    s, c = np.sin(0.5 * angle), np.cos(0.5 * angle)
    ratio = s / angle
    wv = cross(omega, v)
    wwv = cross(omega, wv)
    cubic = (angle - 2.0 * s * c) / (squared * angle)
    moved = turned(quaternion, [v[k] + 2.0 * ratio * ratio * wv[k] + cubic * wwv[k]
                                for k in range(3)])
    after = multiply(quaternion, [*(ratio * part for part in omega), c])
    length = np.sqrt(norm_squared(after))
    return [*(p[k] + moved[k] for k in range(3)), *(part / length for part in after)]


def logarithm(start: Sequence[Any], end: Sequence[Any]) -> list[Any]:
    """Return the twist [omega; v] that takes one pose to the other, the shorter way about."""
    a, b = (list(pose[3:]) for pose in (start, end))
    a, b = ([part / np.sqrt(norm_squared(q)) for part in q] for q in (a, b))
    back = [-a[0], -a[1], -a[2], a[3]]
    x, y, z, w = multiply(back, b)
    w = w + SIGN
    size = np.sqrt(w * w)
    sine = np.sqrt(x * x + y * y + z * z + TINY)
    half = np.arctan2(sine, size)
    scale = 2.0 * half / sine * (w / size)
    omega = [scale * part for part in (x, y, z)]
    u = turned(back, [end[k] - start[k] for k in range(3)])
    wu = cross(omega, u)
    wwu = cross(omega, wu)
    cubic = (1.0 - half * size / sine) / (4.0 * half * half)
    return [*omega, *(u[k] - 0.5 * wu[k] + cubic * wwu[k] for k in range(3))]
