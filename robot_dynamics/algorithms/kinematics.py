"""Poses, twists and Jacobians of the links, in root axes.

The twist is [omega; v] as in Bhangale2004 (3); a point is given in the frame of the link that
carries it. A Jacobian is made of the blocks of the natural orthogonal complement,
MohanSaha2007 (8a).
"""

import numpy as np

from robot_dynamics.algorithms.joints import cosines_sines, parent_offset, parent_to_link
from robot_dynamics.algorithms.turns import cross, tensor_times
from robot_dynamics.model.denoc import Array, Geometry


def poses(geometry: Geometry, q: Array) -> tuple[Array, Array]:
    """Return R (L, 3, 3) and p (L, 3) [m]: axes and origin of every link frame, in root axes."""
    n = len(q)
    c, s = cosines_sines(geometry, q)
    R, p = np.zeros((n + 1, 3, 3), q.dtype), np.zeros((n + 1, 3), q.dtype)
    for k in range(3):
        R[n, k, k] = 1  # the last row is the root, parent -1
    for i in range(n):
        parent = geometry.parent[i]
        r = tensor_times(R[parent], parent_offset(geometry, i, q))
        for k in range(3):
            p[i, k] = p[parent, k] + r[k]
            R[i, k] = parent_to_link(geometry, i, c, s, R[parent, k])
    return R[:n], p[:n]


def jacobian(geometry: Geometry, q: Array, link: int, point: Array) -> Array:
    """Return J (6, L) with [omega; v] = J qd, v the velocity of a point of the link.

    point: position in the link's frame, (3,) [m]
    """
    R, p = poses(geometry, q)
    return jacobian_from_poses(geometry, R, p, link, point)


def jacobian_from_poses(geometry: Geometry, R: Array, p: Array, link: int, point: Array) -> Array:
    """Return the Jacobian of `jacobian`, from the poses of the links."""
    n = len(p)
    J = np.zeros((6, n), p.dtype)
    x = p[link] + tensor_times(R[link], point)
    j = link
    while j >= 0:
        z = R[j, :, 2]
        if geometry.prismatic[j]:
            J[3:, j] = z  # MohanSaha2007 (4)
        else:
            J[:3, j] = z  # MohanSaha2007 (4)
            J[3:, j] = cross(z, x - p[j])  # MohanSaha2007 (5), with our order of the twist
        j = geometry.parent[j]
    return J


def jacobian_rate(geometry: Geometry, q: Array, qd: Array, link: int, point: Array) -> Array:
    """Return dJ/dt (6, L) of `jacobian`."""
    R, p = poses(geometry, q)
    w, v = twists_from_poses(geometry, R, p, qd)
    Jd = np.zeros((6, len(q)), q.dtype)
    r = tensor_times(R[link], point)
    x = p[link] + r
    xd = v[link] + cross(w[link], r)
    j = link
    while j >= 0:
        z = R[j, :, 2]
        zd = cross(w[j], z)  # dp_j/dt = W_j p_j, Bhangale2004 (10)
        if geometry.prismatic[j]:
            Jd[3:, j] = zd
        else:
            Jd[:3, j] = zd
            Jd[3:, j] = cross(zd, x - p[j]) + cross(z, xd - v[j])
        j = geometry.parent[j]
    return Jd


def twist(geometry: Geometry, q: Array, qd: Array, link: int, point: Array) -> Array:
    """Return [omega; v] (6,) of a point of a link, over a base at rest [rad/s, m/s]."""
    R, p = poses(geometry, q)
    w, v = twists_from_poses(geometry, R, p, qd)
    t = np.zeros(6, q.dtype)
    t[:3] = w[link]
    t[3:] = v[link] + cross(w[link], tensor_times(R[link], point))
    return t


def twists_from_poses(geometry: Geometry, R: Array, p: Array, qd: Array) -> tuple[Array, Array]:
    """Return omega and v (L, 3) of every link, v of its origin O'_i, over a base at rest."""
    n = len(p)
    w, v = np.zeros((n + 1, 3), qd.dtype), np.zeros((n + 1, 3), qd.dtype)
    for i in range(n):
        parent = geometry.parent[i]
        z = R[i, :, 2]
        origin = p[parent] if parent >= 0 else np.zeros(3, qd.dtype)
        w[i] = w[parent]
        v[i] = v[parent] + cross(w[parent], p[i] - origin)  # MohanSaha2007 (4)
        if geometry.prismatic[i]:
            v[i] = v[i] + z * qd[i]  # MohanSaha2007 (4)
        else:
            w[i] = w[i] + z * qd[i]  # MohanSaha2007 (4)
    return w[:n], v[:n]


def manipulability(J: Array) -> float:
    """Return sqrt(det(J J^T)) of the rows given."""
    return float(np.sqrt(max(np.linalg.det(J @ J.T), 0.0)))  # Bhangale2004 (21)
