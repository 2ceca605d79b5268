"""Generalized inertia matrix as the Hessian of Gibbs' function, O(n^2) (Mata2002 Sec 4.2).

D_jk is the second derivative of Gibbs' function by the accelerations of joints j and k, with k on
the way from j to the root; both are expressed in link frame j. Mata2002 treats revolute joints of
a serial arm; here also prismatic joints (marked) and trees.
"""

import numpy as np

from robot_dynamics.algorithms.joints import (
    cosines_sines,
    joint_offset,
    joint_to_parent,
    joint_to_parent_symmetric,
    parent_to_joint,
    parent_to_link,
)
from robot_dynamics.algorithms.turns import (
    cross,
    dot,
    symmetric,
    turn_z,
    turn_z_back,
    turn_z_symmetric,
)
from robot_dynamics.model.denoc import Array, Geometry, Inertials


def inertia_matrix(geometry: Geometry, inertials: Inertials, q: Array) -> Array:
    """Return the generalized inertia matrix D (L, L) [kg m^2, kg m or kg]."""
    c, s = cosines_sines(geometry, q)
    return hessian(geometry, inertials, c, s, q)


def hessian(
        geometry: Geometry, inertials: Inertials, c: Array, s: Array, q: Array) -> Array:
    """Return what `inertia_matrix` returns, from cosines and sines of the joint angles."""
    n = len(q)
    M, phi, psi = composite_moments(geometry, inertials, c, s, q)
    D = np.zeros((n, n), q.dtype)
    # z[j, k], s_kj[j, k]: axis of joint k and position of O'_j from O'_k, both in link frame j
    z, s_kj = np.zeros((n, n, 3), q.dtype), np.zeros((n, n, 3), q.dtype)

    # Outward: each row takes over its parent's axes and positions
    for j in range(n):
        z[j, j, 2] = 1  # Mata2002 step 3
        p = geometry.parent[j]
        r = joint_offset(geometry, j, q)
        k = p
        while k >= 0:
            z[j, k] = parent_to_link(geometry, j, c, s, z[p, k])  # Mata2002 step 3
            s_joint = parent_to_joint(geometry, j, s_kj[p, k]) + r
            s_kj[j, k] = turn_z_back(s_joint, c[j], s[j])  # Mata2002 step 2
            k = geometry.parent[k]
        if geometry.prismatic[j]:  # extended: the composite body moves along z_j
            zero = 0 * phi[j, 2]
            momentum = np.array([zero, zero, M[j] + zero])
            angular = np.array([phi[j, 1], -phi[j, 0], zero])
            D[j, j] = M[j] + inertials.armature[j]
        else:
            momentum = np.array([-phi[j, 1], phi[j, 0], 0 * phi[j, 2]])
            angular = np.array([psi[j, 2], psi[j, 4], psi[j, 5]])
            D[j, j] = psi[j, 5] + inertials.armature[j]  # Mata2002 step 6
        k = p
        while k >= 0:
            if geometry.prismatic[k]:  # extended: dw/dqdd_k = 0, drdd/dqdd_k = z_k, Mata2002 (7e)
                D[j, k] = dot(z[j, k], momentum)
            else:
                # Mata2002 step 7, from Mata2002 (22): printed s~_k s~_j, right is s~_k r~_j
                D[j, k] = dot(z[j, k], angular + cross(s_kj[j, k], momentum))
            D[k, j] = D[j, k]
            k = geometry.parent[k]
    return D


def composite_moments(
        geometry: Geometry, inertials: Inertials, c: Array, s: Array,
        q: Array) -> tuple[Array, Array, Array]:
    """Return mass (L,), first moment (L, 3), inertia (L, 6) of each link with all it carries."""
    n = len(q)
    M = np.zeros(n, q.dtype)
    phi, psi = np.zeros((n, 3), q.dtype), np.zeros((n, 6), q.dtype)
    for i in range(n):
        M[i] = inertials.mass[i]
        phi[i] = inertials.moment[i]
        psi[i] = symmetric(inertials.inertia[i])  # H_i of Mata2002 step 1

    # Inward: composite bodies, tips to base
    for i in range(n - 1, -1, -1):
        p = geometry.parent[i]
        if p >= 0:
            # in the joint's frame s_{i,i+1} is [a, 0, b]
            r = joint_offset(geometry, i, q)
            phi_j = turn_z(phi[i], c[i], s[i])  # Mata2002 step 4
            psi_j = turn_z_symmetric(psi[i], c[i], s[i])  # Mata2002 step 5
            psi_j = psi_j + twice_moved(r, phi_j)  # Mata2002 step 5
            gamma = M[i] * r  # Mata2002 step 1
            E = moved(gamma, r)  # Mata2002 step 1
            if geometry.prismatic[i]:  # extended: gamma and E vary with the joint
                phi_j, psi_j = phi_j + gamma, psi_j + E
            else:  # constant, off-line
                phi[p] = phi[p] + joint_to_parent(geometry, i, gamma)
                psi[p] = psi[p] + joint_to_parent_symmetric(geometry, i, E)
            phi[p] = phi[p] + joint_to_parent(geometry, i, phi_j)  # Mata2002 step 4
            psi[p] = psi[p] + joint_to_parent_symmetric(geometry, i, psi_j)  # Mata2002 step 5
            M[p] = M[p] + M[i]  # Mata2002 step 1
    return M, phi, psi


def moved(a: Array, b: Array) -> Array:
    """Return -a~ b~ = (a.b) 1 - b a^T, a parallel to b, as six numbers, 6 M 3 A."""
    xx, yy, zz = a[0] * b[0], a[1] * b[1], a[2] * b[2]
    return np.array([yy + zz, -(a[0] * b[1]), -(a[0] * b[2]), xx + zz, -(a[1] * b[2]), xx + yy])


def twice_moved(a: Array, b: Array) -> Array:
    """Return -a~ b~ - (a~ b~)^T as six numbers, 9 M 9 A."""
    xx, yy, zz = a[0] * b[0], a[1] * b[1], a[2] * b[2]
    xx, yy, zz = xx + xx, yy + yy, zz + zz
    return np.array([
        yy + zz, -(a[0] * b[1] + a[1] * b[0]), -(a[0] * b[2] + a[2] * b[0]),
        xx + zz, -(a[1] * b[2] + a[2] * b[1]), xx + yy])
