"""What one joint does to vectors and tensors: from its parent's link frame to its own and back.

Three frames meet at joint i: the parent's link frame, the joint's frame (the parent's, turned by
gamma about Z and alpha about X: its z axis is the joint's, but it does not turn with the joint)
and the link frame (the joint's frame, turned by theta about Z, its origin moved by `offset`).
Where a pose hangs the link on its parent (floating joints), the joint's frame is turned by a full
matrix instead, `geometry.turned`.
"""

from collections.abc import Iterator

import numpy as np

from robot_dynamics.algorithms.turns import (
    cross,
    tensor_times,
    transpose_times,
    turn_symmetric,
    turn_tensor,
    turn_x,
    turn_x_back,
    turn_x_symmetric,
    turn_x_tensor,
    turn_z,
    turn_z_back,
    turn_z_symmetric,
    turn_z_tensor,
)
from robot_dynamics.model.denoc import Array, Geometry


def cosines_sines(geometry: Geometry, q: Array) -> tuple[Array, Array]:
    """Return cos theta_i and sin theta_i of every joint, each of shape (L,)."""
    n = len(q)
    c, s = np.zeros(n, q.dtype), np.zeros(n, q.dtype)
    for i in range(n):
        if geometry.prismatic[i] or stays(q[i]):
            c[i], s[i] = geometry.c0[i], geometry.s0[i]
        else:
            theta = geometry.theta0[i] + q[i]
            c[i], s[i] = np.cos(theta), np.sin(theta)
    return c, s


def stays(value: object) -> bool:
    """Tell whether a joint value among symbols is a zero, not a symbol: it never moves."""
    return type(value) is float and value == 0.0


def matrix_of(geometry: Geometry, i: int) -> Array | None:
    """Return by what (3, 3) the joint's frame is turned; None: by gamma and alpha."""
    return None if geometry.turned is None else geometry.turned.get(i)


def joint_offset(geometry: Geometry, i: int, q: Array) -> Array:
    """Return the position of O'_i from the parent's O'_p, in the joint's frame."""
    e = geometry.offset[i]
    if geometry.prismatic[i]:
        return np.array([e[0], e[1], e[2] + q[i]])
    return np.array([e[0], e[1], e[2]])


def parent_offset(geometry: Geometry, i: int, q: Array) -> Array:
    """Return r_i, the position of O'_i from the parent's O'_p, in the parent's link frame."""
    d = geometry.d[i]
    if geometry.prismatic[i]:
        u = joint_axis(geometry, i)
        return np.array([d[0] + u[0] * q[i], d[1] + u[1] * q[i], d[2] + u[2] * q[i]])
    return np.array([d[0], d[1], d[2]])


def joint_axis(geometry: Geometry, i: int) -> Array:
    """Return u_i = Rz(gamma) Rx(alpha) z, the joint's axis in the parent's link frame."""
    R = matrix_of(geometry, i)
    if R is not None:
        return R[:, 2]
    sa = geometry.sa[i]
    return np.array([geometry.sg[i] * sa, -(geometry.cg[i] * sa), geometry.ca[i]])


def parent_to_joint(geometry: Geometry, i: int, v: Array) -> Array:
    """Turn a vector from the parent's link frame to the joint's frame."""
    R = matrix_of(geometry, i)
    if R is not None:
        return transpose_times(R, v)
    v = turn_z_back(v, geometry.cg[i], geometry.sg[i])
    return turn_x_back(v, geometry.ca[i], geometry.sa[i])


def joint_to_parent(geometry: Geometry, i: int, v: Array) -> Array:
    """Turn a vector from the joint's frame to the parent's link frame."""
    R = matrix_of(geometry, i)
    if R is not None:
        return tensor_times(R, v)
    v = turn_x(v, geometry.ca[i], geometry.sa[i])
    return turn_z(v, geometry.cg[i], geometry.sg[i])


def parent_to_link(geometry: Geometry, i: int, c: Array, s: Array, v: Array) -> Array:
    """Turn a vector from the parent's link frame to link frame i: R_i^T v."""
    return turn_z_back(parent_to_joint(geometry, i, v), c[i], s[i])


def link_to_parent(geometry: Geometry, i: int, c: Array, s: Array, v: Array) -> Array:
    """Turn a vector from link frame i to the parent's link frame: R_i v."""
    return joint_to_parent(geometry, i, turn_z(v, c[i], s[i]))


def wrench_to_parent(
        geometry: Geometry, i: int, q: Array, c: Array, s: Array, n: Array,
        f: Array) -> tuple[Array, Array]:
    """Return A_ip^T [n; f], a wrench at O'_i in link frame i as the parent sees it."""
    n, f = turn_z(n, c[i], s[i]), turn_z(f, c[i], s[i])
    n = n + cross(joint_offset(geometry, i, q), f)
    return joint_to_parent(geometry, i, n), joint_to_parent(geometry, i, f)


def inward(geometry: Geometry, j: int) -> Iterator[int]:
    """Yield link j and those that carry it, up to the root."""
    while j >= 0:
        yield j
        j = geometry.parent[j]


def joint_to_parent_symmetric(geometry: Geometry, i: int, S: Array) -> Array:
    """Turn a symmetric tensor from the joint's frame to the parent's link frame."""
    R = matrix_of(geometry, i)
    if R is not None:
        return turn_symmetric(R, S)
    S = turn_x_symmetric(S, geometry.ca[i], geometry.sa[i])
    return turn_z_symmetric(S, geometry.cg[i], geometry.sg[i])


def joint_to_parent_tensor(geometry: Geometry, i: int, H: Array) -> Array:
    """Turn a tensor from the joint's frame to the parent's link frame."""
    R = matrix_of(geometry, i)
    if R is not None:
        return turn_tensor(R, H)
    H = turn_x_tensor(H, geometry.ca[i], geometry.sa[i])
    return turn_z_tensor(H, geometry.cg[i], geometry.sg[i])
