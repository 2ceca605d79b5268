"""Forward dynamics by the analytical U D U^T of the GIM, O(n), after MohanSaha2007 (30)-(37).

    U phihat = phi,  D phitilde = phihat,  U^T qdd = phitilde,  I = U D U^T

U and D come from the articulated mass matrices Mhat_i, without the GIM. On a tree the sums over
link i + 1 become sums over the children of link i, and U keeps zeros between branches.

Twists are [w; v] here ([v; w] in the paper), everything of link i at O'_i in link frame i.
A rotor's inertia (armature) joins mhat_i, as it joins the diagonal of the GIM.
"""

import numpy as np

from robot_dynamics.algorithms.denoc import axis, link_wrenches, previous_wrench
from robot_dynamics.algorithms.joints import (
    cosines_sines,
    inward,
    joint_offset,
    parent_to_joint,
    wrench_to_parent,
)
from robot_dynamics.algorithms.mass_blocks import (
    articulated_blocks,
    axis_column,
    blocks_to_parent,
    project_prismatic,
    project_revolute,
    turn_blocks,
)
from robot_dynamics.algorithms.turns import along_z, cross, dot, turn_z_back
from robot_dynamics.model.denoc import Array, Geometry, Inertials


def forward_dynamics(
        geometry: Geometry, inertials: Inertials, q: Array, qd: Array,
        tau: Array) -> tuple[Array, Array]:
    """Return the joint accelerations qdd and the pivots mhat_i, each of shape (L,).

    q, qd, tau: joint values, rates and torques or forces, each of shape (L,)
    """
    c, s = cosines_sines(geometry, q)
    psi, m_hat = factors(geometry, inertials, q, c, s)
    # MohanSaha2007 (27), printed without gamma: what inverse dynamics gives for qdd = 0. Its
    # wrenches and the eta of (32) travel inward by the same A^T, so they travel as one.
    w = link_wrenches(geometry, inertials, q, qd, np.zeros_like(q), c, s)
    return solution(geometry, q, c, s, psi, m_hat, tau, w), m_hat


def udu(geometry: Geometry, inertials: Inertials, q: Array) -> tuple[Array, Array]:
    """Return U (L, L), unit upper triangular, and D (L,), with GIM = U diag(D) U^T."""
    L = len(q)
    c, s = cosines_sines(geometry, q)
    psi, m_hat = factors(geometry, inertials, q, c, s)
    U = np.zeros((L, L), q.dtype)
    n, f = np.zeros((L + 1, 3), q.dtype), np.zeros((L + 1, 3), q.dtype)
    for j in range(L):
        n[j], f[j] = psi[j, :3], psi[j, 3:]
        for k in inward(geometry, j):
            if geometry.prismatic[k]:
                U[k, j] = f[k, 2]  # MohanSaha2007 (31): p_k^T A_jk^T psi_j
            else:
                U[k, j] = n[k, 2]
            p = geometry.parent[k]
            if p >= 0:
                n[p], f[p] = wrench_to_parent(geometry, k, q, c, s, n[k], f[k])
        U[j, j] = 1
    return U, m_hat


def factors(
        geometry: Geometry, inertials: Inertials, q: Array, c: Array,
        s: Array) -> tuple[Array, Array]:
    """Return psi_i (L, 6) and mhat_i (L,), from which U and D are made."""
    L = len(q)
    I, H, M = articulated_blocks(inertials, q)  # MohanSaha2007 (17a)
    psi, m_hat = np.zeros((L, 6), q.dtype), np.zeros(L, q.dtype)
    # Inward: articulated mass matrices Mhat
    for i in range(L - 1, -1, -1):
        armature = inertials.armature[i]
        n, f = axis_column(geometry.prismatic[i], I[i], H[i], M[i])  # MohanSaha2007 (33), psihat
        if geometry.prismatic[i]:
            m_hat[i] = f[2] + armature  # MohanSaha2007 (33), mhat = p^T psihat
            inverse = 1 / m_hat[i]
            psi_n = n * inverse  # MohanSaha2007 (33), printed with a superfluous A_{i+1,i}
            psi_f = np.array([f[0] * inverse, f[1] * inverse, 1 - armature * inverse])
            I_bar, H_bar, M_bar = project_prismatic(
                I[i], H[i], M[i], psi_n, psi_f, armature)  # MohanSaha2007 (34), Mbar
        else:
            m_hat[i] = n[2] + armature
            inverse = 1 / m_hat[i]
            psi_n = np.array([n[0] * inverse, n[1] * inverse, 1 - armature * inverse])
            psi_f = f * inverse
            I_bar, H_bar, M_bar = project_revolute(
                I[i], H[i], M[i], psi_n, psi_f, armature)  # MohanSaha2007 (34), Mbar
        psi[i, :3], psi[i, 3:] = psi_n, psi_f
        I_bar, H_bar, M_bar = turn_blocks(I_bar, H_bar, M_bar, c[i], s[i])
        I_p, H_p, M_p = blocks_to_parent(geometry, i, q, I_bar, H_bar, M_bar)
        parent = geometry.parent[i]
        I[parent] += I_p  # MohanSaha2007 (34), Mhat
        H[parent] += H_p
        M[parent] += M_p
    return psi, m_hat


def solution(
        geometry: Geometry, q: Array, c: Array, s: Array, psi: Array, m_hat: Array,
        tau: Array, eta: Array) -> Array:
    """Return the solution qdd of U D U^T qdd = phi, phi = tau - N_d^T N_l^T eta, O(n).

    eta: wrenches of the links, (L + 1, 6), zero for phi = tau; used as work space
    """
    L = len(q)
    phi_hat = np.zeros(L, q.dtype)
    # Inward: U^-1. Row i of eta becomes eta_{i,i+1} by what the children add to it.
    for i in range(L - 1, -1, -1):
        phi_hat[i] = tau[i] - eta[i, axis(geometry, i)]  # MohanSaha2007 (31)
        # MohanSaha2007 (32), with phihat where t hat is printed
        eta[geometry.parent[i]] += previous_wrench(
            geometry, i, q, c, s, psi[i] * phi_hat[i] + eta[i])
    qdd = np.zeros(L, q.dtype)
    mu_w, mu_v = np.zeros((L + 1, 3), q.dtype), np.zeros((L + 1, 3), q.dtype)
    # Outward: D^-1 and U^-T (step D prints U^-1)
    for i in range(L):
        parent = geometry.parent[i]
        w = parent_to_joint(geometry, i, mu_w[parent])
        v = parent_to_joint(geometry, i, mu_v[parent]) + cross(w, joint_offset(geometry, i, q))
        w, v = turn_z_back(w, c[i], s[i]), turn_z_back(v, c[i], s[i])  # MohanSaha2007 (37)
        phi_tilde = phi_hat[i] / m_hat[i]  # MohanSaha2007 (35)
        qdd[i] = phi_tilde - dot(psi[i, :3], w) - dot(psi[i, 3:], v)  # MohanSaha2007 (36)
        if geometry.prismatic[i]:
            v = along_z(v, qdd[i])  # MohanSaha2007 (37), p_i qdd_i
        else:
            w = along_z(w, qdd[i])
        mu_w[i], mu_v[i] = w, v
    return qdd
