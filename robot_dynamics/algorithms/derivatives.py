"""Derivatives of inverse dynamics by composite bodies, O(n d) with d the depth of the tree.

What Singh2022 Alg 1 does with spatial vectors about the root, here in link frames about O'_i: a
joint's axis is [0, 0, 1] and its derivatives have few components, and with the acceleration tensor
Omega of Gibbs and Appell in the place of spatial accelerations.

A step dq_k or dqd_k moves everything that joint k carries as if its link moved otherwise. With dw
the change of angular velocity, [al; be] that of acceleration (less what dw alone does to particles
that move on), the wrench on composite body j changes by

    dF_j = M~_j [al; be] + 2 [T_j dw; dw x P_j],   T_j = tr(K_j) 1 - K_j

M~_j is its mass matrix, P_j its momentum, K_j the sum of m u x^T over its particles, at x from
O'_j with velocity u: the 2 B of Singh2022, whose right half is zero in these terms.

    revolute:   dq:  dw = w x z,  al = Omega z,  be = sdd x z + 2 v x (w x z)
                dqd: dw = z,      al = 2 w x z,  be = 2 v x z
    prismatic:  dq:  dw = 0,      al = 0,        be = Omega z
                dqd: dw = 0,      al = 0,        be = 2 w x z

Joints j that k carries feel p_j^T dF_j: three vectors of j travel inward and meet the changes of
each k. Joints that carry k feel dF_k and the turn (the shift) of F_k itself, which travel inward.
"""

from typing import Any

import numpy as np

from robot_dynamics.algorithms.denoc_inertia import axis_wrenches, composite_masses
from robot_dynamics.algorithms.gibbs_appell import (
    accelerations,
    axis_torques,
    euler_tensor,
    joint_wrenches,
)
from robot_dynamics.algorithms.joints import (
    cosines_sines,
    inward,
    joint_offset,
    joint_to_parent,
    joint_to_parent_tensor,
    link_to_parent,
    parent_to_joint,
    wrench_to_parent,
)
from robot_dynamics.algorithms.turns import (
    cross,
    dot,
    symmetric_times,
    turn_z,
    turn_z_back,
    turn_z_tensor,
)
from robot_dynamics.model.denoc import Array, Geometry, Inertials


def inverse_dynamics_derivatives(
        geometry: Geometry, inertials: Inertials, q: Array, qd: Array,
        qdd: Array) -> tuple[Array, Array, Array, Array]:
    """Return d tau/dq, d tau/dqd and d tau/dqdd, which is the GIM, (L, L) each, and tau, (L,).

    q, qd, qdd: joint values, rates, accelerations, (L,) [rad or m, per s, per s^2]
    """
    L = len(q)
    c, s = cosines_sines(geometry, q)
    Omega, sdd, w = accelerations(geometry, inertials, c, s, q, qd, qdd)
    v = velocities(geometry, c, s, q, qd, w)
    m, h, I = composite_masses(geometry, inertials, q, c, s)
    g_n, g_f = axis_wrenches(geometry, m, h, I, q)  # M~_j p_j
    F, N = joint_wrenches(geometry, inertials, c, s, q, Omega, sdd)
    P, K = momenta(geometry, inertials, q, c, s, w, v)
    al, be = np.zeros((L, 3), q.dtype), np.zeros((L, 3), q.dtype)
    b = np.zeros((L + 1, 3), q.dtype)
    dq_n, dq_f = np.zeros((L + 1, 3), q.dtype), np.zeros((L + 1, 3), q.dtype)
    dqd_n, dqd_f = np.zeros((L + 1, 3), q.dtype), np.zeros((L + 1, 3), q.dtype)
    for i in range(L):
        x, y, al_z = w[i, 1], -w[i, 0], np.array([Omega[i, 0, 2], Omega[i, 1, 2], Omega[i, 2, 2]])
        if geometry.prismatic[i]:
            be[i] = al_z
            n, f = rate_wrench(m[i], h[i], I[i], al[i], al_z)
            dq_n[i] = np.array([n[0] - F[i, 1], n[1] + F[i, 0], n[2]])  # z x F: the shift
            dq_f[i] = f
            dqd_n[i], dqd_f[i] = rate_wrench(
                m[i], h[i], I[i], al[i], np.array([x + x, y + y, 0 * x]))
            b[i] = np.array([P[i, 1] + P[i, 1], -(P[i, 0] + P[i, 0]), 0 * x])  # 2 P x z
        else:
            al[i] = al_z
            twice = v[i] + v[i]
            be[i] = np.array([
                sdd[i, 1] - twice[2] * y, twice[2] * x - sdd[i, 0],
                twice[0] * y - twice[1] * x])
            n, f = rate_wrench(m[i], h[i], I[i], al_z, be[i])
            t, g = momentum_wrench(K[i], P[i], x + x, y + y)
            dq_n[i] = np.array([n[0] + t[0] - N[i, 1], n[1] + t[1] + N[i, 0], n[2] + t[2]])
            dq_f[i] = np.array([f[0] + g[0] - F[i, 1], f[1] + g[1] + F[i, 0], f[2] + g[2]])
            n, f = rate_wrench(m[i], h[i], I[i], np.array([x + x, y + y, 0 * x]),
                               np.array([twice[1], -twice[0], 0 * x]))
            k = K[i] + K[i]
            turned = k[0, 0] + k[1, 1]
            dqd_n[i] = np.array([n[0] - k[0, 2], n[1] - k[1, 2], n[2] + turned])  # 2 T z
            dqd_f[i] = np.array([f[0] - P[i, 1] - P[i, 1], f[1] + P[i, 0] + P[i, 0], f[2]])
            b[i] = np.array([-k[2, 0], -k[2, 1], turned])  # 2 T^T z
    by_q, by_qd, gim = elements(geometry, inertials, q, c, s, (w, v, al, be),
                                (g_n, g_f, b, dq_n, dq_f, dqd_n, dqd_f))
    return by_q, by_qd, gim, axis_torques(geometry, inertials, F, N, qdd)


def elements(
        geometry: Geometry, inertials: Inertials, q: Array, c: Array, s: Array,
        changes: tuple[Array, ...], vectors: tuple[Array, ...]) -> tuple[Array, Array, Array]:
    """Return the three matrices: what every joint and those that carry it do to each other.

    changes: w, v, al and be of every link; vectors: of every link, those that travel inward
    """
    L = len(q)
    w, v, al, be = changes
    start_n, start_f, start_b, dq_n, dq_f, dqd_n, dqd_f = vectors
    by_q, by_qd = np.zeros((L, L), q.dtype), np.zeros((L, L), q.dtype)
    gim = np.zeros((L, L), q.dtype)
    n, f, b = (np.zeros((L + 1, 3), q.dtype), np.zeros((L + 1, 3), q.dtype),
               np.zeros((L + 1, 3), q.dtype))
    n_q, f_q = np.zeros((L + 1, 3), q.dtype), np.zeros((L + 1, 3), q.dtype)
    n_d, f_d = np.zeros((L + 1, 3), q.dtype), np.zeros((L + 1, 3), q.dtype)
    for j in range(L):
        n[j], f[j], b[j] = start_n[j], start_f[j], start_b[j]
        n_q[j], f_q[j], n_d[j], f_d[j] = dq_n[j], dq_f[j], dqd_n[j], dqd_f[j]
        for k in inward(geometry, j):
            x, y = w[k, 1], -w[k, 0]
            if geometry.prismatic[k]:
                by_q[j, k] = dot(f[k], be[k])
                by_qd[j, k] = f[k, 0] * (x + x) + f[k, 1] * (y + y)
                by_q[k, j], by_qd[k, j] = f_q[k, 2], f_d[k, 2]
                gim[j, k] = gim[k, j] = f[k, 2]
            else:
                by_q[j, k] = (b[k, 0] * x + b[k, 1] * y + dot(n[k], al[k])
                              + dot(f[k], be[k]))
                by_qd[j, k] = b[k, 2] + (n[k, 0] * (x + x) + n[k, 1] * (y + y)
                                         + f[k, 0] * (v[k, 1] + v[k, 1])
                                         - f[k, 1] * (v[k, 0] + v[k, 0]))
                by_q[k, j], by_qd[k, j] = n_q[k, 2], n_d[k, 2]
                gim[j, k] = gim[k, j] = n[k, 2]
            p = geometry.parent[k]
            if p >= 0:
                n[p], f[p] = wrench_to_parent(geometry, k, q, c, s, n[k], f[k])
                n_q[p], f_q[p] = wrench_to_parent(geometry, k, q, c, s, n_q[k], f_q[k])
                n_d[p], f_d[p] = wrench_to_parent(geometry, k, q, c, s, n_d[k], f_d[k])
                b[p] = link_to_parent(geometry, k, c, s, b[k])
        if geometry.prismatic[j]:
            gim[j, j] = start_f[j, 2] + inertials.armature[j]
        else:
            gim[j, j] = start_n[j, 2] + inertials.armature[j]
    return by_q, by_qd, gim


def rate_wrench(m: Any, h: Array, I: Array, al: Array, be: Array) -> tuple[Array, Array]:
    """Return M [al; be] of a rigid body, in two halves."""
    return symmetric_times(I, al) + cross(h, be), be * m + cross(al, h)


def momentum_wrench(K: Array, P: Array, x: Any, y: Any) -> tuple[Array, Array]:
    """Return T u and u x P for u = [x, y, 0]."""
    return (np.array([(K[1, 1] + K[2, 2]) * x - K[0, 1] * y,
                      (K[0, 0] + K[2, 2]) * y - K[1, 0] * x, -(K[2, 0] * x + K[2, 1] * y)]),
            np.array([y * P[2], -(x * P[2]), x * P[1] - y * P[0]]))


def velocities(
        geometry: Geometry, c: Array, s: Array, q: Array, qd: Array, w: Array) -> Array:
    """Return the velocity of every O'_i in link frame i, (L + 1, 3); the root's, last, is zero."""
    L = len(q)
    v = np.zeros((L + 1, 3), q.dtype)
    for i in range(L):
        p = geometry.parent[i]
        turned = parent_to_joint(geometry, i, v[p]) + cross(
            parent_to_joint(geometry, i, w[p]), joint_offset(geometry, i, q))
        v[i] = turn_z_back(turned, c[i], s[i])  # MohanSaha2007 (4)
        if geometry.prismatic[i]:
            v[i, 2] = v[i, 2] + qd[i]
    return v


def momenta(
        geometry: Geometry, inertials: Inertials, q: Array, c: Array, s: Array, w: Array,
        v: Array) -> tuple[Array, Array]:
    """Return P (L + 1, 3) and K (L + 1, 3, 3) of the composite bodies, in their link frames."""
    L = len(q)
    P, K = np.zeros((L + 1, 3), q.dtype), np.zeros((L + 1, 3, 3), q.dtype)
    for i in range(L):
        h, J = inertials.moment[i], euler_tensor(inertials.inertia[i])
        P[i] = v[i] * inertials.mass[i] + cross(w[i], h)
        for k in range(3):
            K[i, :, k] = v[i] * h[k] + cross(w[i], J[k])  # u = v + w x x; J is symmetric
    for i in range(L - 1, -1, -1):
        p = geometry.parent[i]
        r, P_j = joint_offset(geometry, i, q), turn_z(P[i], c[i], s[i])
        K_j = turn_z_tensor(K[i], c[i], s[i])
        moved = np.array([[K_j[0, 0] + P_j[0] * r[0], K_j[0, 1] + P_j[0] * r[1],
                           K_j[0, 2] + P_j[0] * r[2]],
                          [K_j[1, 0] + P_j[1] * r[0], K_j[1, 1] + P_j[1] * r[1],
                           K_j[1, 2] + P_j[1] * r[2]],
                          [K_j[2, 0] + P_j[2] * r[0], K_j[2, 1] + P_j[2] * r[1],
                           K_j[2, 2] + P_j[2] * r[2]]])
        P[p] = P[p] + joint_to_parent(geometry, i, P_j)
        K[p] = K[p] + joint_to_parent_tensor(geometry, i, moved)
    return P, K
