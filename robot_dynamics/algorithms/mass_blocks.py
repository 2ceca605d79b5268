"""Mass matrices of links, composite bodies and articulated bodies, in 3 x 3 blocks.

A mass matrix takes a twist's rate [wd; vd] to a wrench [n; f], both at the same point:

    n = I wd + H vd
    f = H^T wd + M vd

I and M are symmetric (six numbers each), H is any tensor. Of a rigid body H = h x 1 and M = m 1,
with m its mass and h its first moment, which is why composite bodies need m, h and I only.
"""

from typing import Any

import numpy as np

from robot_dynamics.algorithms.joints import (
    joint_offset,
    joint_to_parent,
    joint_to_parent_symmetric,
    joint_to_parent_tensor,
)
from robot_dynamics.algorithms.turns import symmetric, turn_z, turn_z_symmetric, turn_z_tensor
from robot_dynamics.model.denoc import Array, Geometry, Inertials


def rigid_blocks(inertials: Inertials, q: Array) -> tuple[Array, Array]:
    """Return first moments (L + 1, 3) and inertias (L + 1, 6) of the links; row -1 is the root."""
    L = len(q)
    h, I = np.zeros((L + 1, 3), q.dtype), np.zeros((L + 1, 6), q.dtype)
    for i in range(L):
        h[i] = inertials.moment[i]
        I[i] = symmetric(inertials.inertia[i])
    return h, I


def composite_to_parent(
        geometry: Geometry, i: int, q: Array, c: Array, s: Array, m: Any, h: Array,
        I: Array) -> tuple[Array, Array]:
    """Return first moment and inertia of a rigid body of link i as the parent sees them.

    With h' = h + m r the moved moment, I' = I + (r.k) 1 - (r k^T + k r^T) / 2, k = h + h'.
    """
    h, I = turn_z(h, c[i], s[i]), turn_z_symmetric(I, c[i], s[i])
    r = joint_offset(geometry, i, q)
    moved = h + r * m
    k, r = h + moved, r * 0.5
    x, y, z = r[0] * k[0], r[1] * k[1], r[2] * k[2]
    xy, xz, yz = x + y, x + z, y + z
    I = np.array([
        I[0] + yz + yz, I[1] - (r[0] * k[1] + r[1] * k[0]), I[2] - (r[0] * k[2] + r[2] * k[0]),
        I[3] + xz + xz, I[4] - (r[1] * k[2] + r[2] * k[1]), I[5] + xy + xy])
    return joint_to_parent(geometry, i, moved), joint_to_parent_symmetric(geometry, i, I)


def articulated_blocks(inertials: Inertials, q: Array) -> tuple[Array, Array, Array]:
    """Return I (L + 1, 6), H (L + 1, 3, 3), M (L + 1, 6) of the links; row -1 is the root."""
    L = len(q)
    H, M = np.zeros((L + 1, 3, 3), q.dtype), np.zeros((L + 1, 6), q.dtype)
    h, I = rigid_blocks(inertials, q)
    for i in range(L):
        H[i, 0, 1], H[i, 0, 2] = -h[i, 2], h[i, 1]
        H[i, 1, 0], H[i, 1, 2] = h[i, 2], -h[i, 0]
        H[i, 2, 0], H[i, 2, 1] = -h[i, 1], h[i, 0]
        M[i, 0] = M[i, 3] = M[i, 5] = inertials.mass[i]
    return I, H, M


def axis_column(prismatic: bool, I: Array, H: Array, M: Array) -> tuple[Array, Array]:
    """Return the mass matrix times p_i, its column of the joint's axis, in two halves."""
    if prismatic:
        return (np.array([H[0, 2], H[1, 2], H[2, 2]]), np.array([M[2], M[4], M[5]]))
    return (np.array([I[2], I[4], I[5]]), np.array([H[2, 0], H[2, 1], H[2, 2]]))


def project_revolute(
        I: Array, H: Array, M: Array, psi_n: Array, psi_f: Array,
        armature: Any) -> tuple[Array, Array, Array]:
    """Return what a mass matrix offers through a revolute joint: it less psihat psi^T.

    The column of the joint's axis becomes armature * psi, zero without a rotor.
    """
    a, b, d = I[2], I[4], H[2]
    I = np.array([
        I[0] - a * psi_n[0], I[1] - a * psi_n[1], armature * psi_n[0],
        I[3] - b * psi_n[1], armature * psi_n[1], armature * psi_n[2]])
    M = np.array([
        M[0] - d[0] * psi_f[0], M[1] - d[0] * psi_f[1], M[2] - d[0] * psi_f[2],
        M[3] - d[1] * psi_f[1], M[4] - d[1] * psi_f[2], M[5] - d[2] * psi_f[2]])
    H = np.array([
        [H[0, 0] - a * psi_f[0], H[0, 1] - a * psi_f[1], H[0, 2] - a * psi_f[2]],
        [H[1, 0] - b * psi_f[0], H[1, 1] - b * psi_f[1], H[1, 2] - b * psi_f[2]],
        [armature * psi_f[0], armature * psi_f[1], armature * psi_f[2]]])
    return I, H, M


def project_prismatic(
        I: Array, H: Array, M: Array, psi_n: Array, psi_f: Array,
        armature: Any) -> tuple[Array, Array, Array]:
    """Return what a mass matrix offers through a prismatic joint, as `project_revolute`."""
    a, b, d = M[2], M[4], np.array([H[0, 2], H[1, 2], H[2, 2]])
    M = np.array([
        M[0] - a * psi_f[0], M[1] - a * psi_f[1], armature * psi_f[0],
        M[3] - b * psi_f[1], armature * psi_f[1], armature * psi_f[2]])
    I = np.array([
        I[0] - d[0] * psi_n[0], I[1] - d[0] * psi_n[1], I[2] - d[0] * psi_n[2],
        I[3] - d[1] * psi_n[1], I[4] - d[1] * psi_n[2], I[5] - d[2] * psi_n[2]])
    H = np.array([
        [H[0, 0] - a * psi_n[0], H[0, 1] - b * psi_n[0], armature * psi_n[0]],
        [H[1, 0] - a * psi_n[1], H[1, 1] - b * psi_n[1], armature * psi_n[1]],
        [H[2, 0] - a * psi_n[2], H[2, 1] - b * psi_n[2], armature * psi_n[2]]])
    return I, H, M


def turn_blocks(I: Array, H: Array, M: Array, c: Any, s: Any) -> tuple[Array, Array, Array]:
    """Turn a mass matrix from the link's frame to the joint's frame; the point stays O'_i."""
    return turn_z_symmetric(I, c, s), turn_z_tensor(H, c, s), turn_z_symmetric(M, c, s)


def blocks_to_parent(
        geometry: Geometry, i: int, q: Array, I: Array, H: Array,
        M: Array) -> tuple[Array, Array, Array]:
    """Return A_ip^T (.) A_ip of a mass matrix given in the joint's frame at O'_i.

    H' = H + (r x 1) M,  I' = I + (r x 1) H^T + ((r x 1) H'^T)^T
    """
    r = joint_offset(geometry, i, q)
    K = np.array([
        [H[0, 0] + r[1] * M[2] - r[2] * M[1], H[0, 1] + r[1] * M[4] - r[2] * M[3],
         H[0, 2] + r[1] * M[5] - r[2] * M[4]],
        [H[1, 0] + r[2] * M[0] - r[0] * M[2], H[1, 1] + r[2] * M[1] - r[0] * M[4],
         H[1, 2] + r[2] * M[2] - r[0] * M[5]],
        [H[2, 0] + r[0] * M[1] - r[1] * M[0], H[2, 1] + r[0] * M[3] - r[1] * M[1],
         H[2, 2] + r[0] * M[4] - r[1] * M[2]]])
    I = np.array([
        I[0] + r[1] * (H[0, 2] + K[0, 2]) - r[2] * (H[0, 1] + K[0, 1]),
        I[1] + r[1] * H[1, 2] - r[2] * H[1, 1] + r[2] * K[0, 0] - r[0] * K[0, 2],
        I[2] + r[1] * H[2, 2] - r[2] * H[2, 1] + r[0] * K[0, 1] - r[1] * K[0, 0],
        I[3] + r[2] * (H[1, 0] + K[1, 0]) - r[0] * (H[1, 2] + K[1, 2]),
        I[4] + r[2] * H[2, 0] - r[0] * H[2, 2] + r[0] * K[1, 1] - r[1] * K[1, 0],
        I[5] + r[0] * (H[2, 1] + K[2, 1]) - r[1] * (H[2, 0] + K[2, 0])])
    return (joint_to_parent_symmetric(geometry, i, I), joint_to_parent_tensor(geometry, i, K),
            joint_to_parent_symmetric(geometry, i, M))
