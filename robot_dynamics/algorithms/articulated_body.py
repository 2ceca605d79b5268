"""Forward dynamics by articulated bodies, O(n), the first baseline of Mata2002's study.

Featherstone2008 Table 7.1 in 3 x 3 blocks. Two things are written otherwise than there:

- Accelerations are those of the point O'_i, in the usual sense, not spatial ones, so that
  velocities of points are not needed: c_i = Adot t_p + pdot qd_i, p_i = [w x I w; w x (w x h)].
- The bias c_i is added in the joint's frame, where it costs no turn.

A held joint (free_i = 0) has no acceleration, whatever that takes: its 1 / D_i becomes zero, its
articulated inertia passes to the parent whole, and what holds it falls out of the outward pass.
"""

from typing import Any

import numpy as np

from robot_dynamics.algorithms.joints import (
    cosines_sines,
    joint_offset,
    joint_to_parent,
    parent_to_joint,
)
from robot_dynamics.algorithms.mass_blocks import (
    articulated_blocks,
    axis_column,
    blocks_to_parent,
    project_prismatic,
    project_revolute,
    turn_blocks,
)
from robot_dynamics.algorithms.turns import (
    along_z,
    cross,
    dot,
    symmetric,
    symmetric_times,
    tensor_times,
    transpose_times,
    turn_z,
    turn_z_back,
)
from robot_dynamics.model.denoc import Array, Geometry, Inertials


def forward_dynamics(
        geometry: Geometry, inertials: Inertials, q: Array, qd: Array,
        tau: Array) -> tuple[Array, Array]:
    """Return the joint accelerations qdd and the pivots D_i, each of shape (L,).

    q, qd, tau: joint values, rates and torques or forces, each of shape (L,)
    """
    c, s = cosines_sines(geometry, q)
    c_w, c_v, n, f = velocity_terms(geometry, inertials, q, qd, c, s)
    psi, pivots, u = articulate(geometry, inertials, q, tau, c, s, c_w, c_v, n, f)[:3]
    return accelerations(geometry, inertials, q, c, s, c_w, c_v, psi, u)[0], pivots


def held_dynamics(
        geometry: Geometry, inertials: Inertials, q: Array, qd: Array, tau: Array,
        free: Array) -> tuple[Array, Array, Array]:
    """Return qdd, the reactions that hold joints, and the pivots D_i, each of shape (L,).

    free: 1 for a joint that moves, 0 for one that is held, whose pivot is raised by 1; shape (L,)
    """
    L = len(q)
    c, s = cosines_sines(geometry, q)
    c_w, c_v, n, f = velocity_terms(geometry, inertials, q, qd, c, s)
    psi, pivots, ratio, U, u = articulate(
        geometry, inertials, q, tau, c, s, c_w, c_v, n, f, free)
    qdd, a_w, a_v = accelerations(geometry, inertials, q, c, s, c_w, c_v, psi, ratio)
    reaction = np.zeros(L, q.dtype)
    for i in range(L):  # Featherstone2008 Table 7.1: 0 = u + reaction - U^T a'
        reaction[i] = (1 - free[i]) * (dot(U[i, :3], a_w[i]) + dot(U[i, 3:], a_v[i]) - u[i])
    return qdd, reaction, pivots


def accelerations(
        geometry: Geometry, inertials: Inertials, q: Array, c: Array, s: Array, c_w: Array,
        c_v: Array, psi: Array, u: Array) -> tuple[Array, Array, Array]:
    """Return qdd (L,) and a' in two halves, (L, 3) each: the pass from root to tips.

    psi, u: U_i / D_i (L, 6) and u_i / D_i (L,)
    """
    L = len(q)
    qdd = np.zeros(L, q.dtype)
    a_w, a_v = np.zeros((L, 3), q.dtype), np.zeros((L, 3), q.dtype)
    wd, vd = np.zeros((L + 1, 3), q.dtype), np.zeros((L + 1, 3), q.dtype)
    wd[L] = inertials.base.angular_acceleration
    vd[L] = inertials.base.linear_acceleration - inertials.base.gravity
    # Outward: accelerations
    for i in range(L):
        parent = geometry.parent[i]
        wd_j = parent_to_joint(geometry, i, wd[parent])
        vd_j = (parent_to_joint(geometry, i, vd[parent])
                + cross(wd_j, joint_offset(geometry, i, q)) + c_v[i])
        wd_i = turn_z_back(wd_j + c_w[i], c[i], s[i])  # Featherstone2008 Table 7.1, a'
        vd_i = turn_z_back(vd_j, c[i], s[i])
        a_w[i], a_v[i] = wd_i, vd_i
        # Featherstone2008 Table 7.1: qdd = D^-1 (u - U^T a'), here u / D and U / D
        qdd[i] = u[i] - dot(psi[i, :3], wd_i) - dot(psi[i, 3:], vd_i)
        if geometry.prismatic[i]:
            wd[i], vd[i] = wd_i, along_z(vd_i, qdd[i])  # Featherstone2008 Table 7.1, a
        else:
            wd[i], vd[i] = along_z(wd_i, qdd[i]), vd_i
    return qdd, a_w, a_v


def velocity_terms(
        geometry: Geometry, inertials: Inertials, q: Array, qd: Array, c: Array,
        s: Array) -> tuple[Array, Array, Array, Array]:
    """Return what depends on the rates, the pass from root to tips.

    These are c_i in two halves, (L, 3) each, in the joints' frames, and the wrench of every
    link's own motion in two halves, (L + 1, 3) each, in link frames.
    """
    L = len(q)
    w = np.zeros((L + 1, 3), q.dtype)
    c_w, c_v = np.zeros((L, 3), q.dtype), np.zeros((L, 3), q.dtype)
    n, f = np.zeros((L + 1, 3), q.dtype), np.zeros((L + 1, 3), q.dtype)
    w[L] = inertials.base.angular_velocity
    for i in range(L):
        w_j = parent_to_joint(geometry, i, w[geometry.parent[i]])
        rd = cross(w_j, joint_offset(geometry, i, q))
        # Featherstone2008 Table 7.1, c and v; c as the acceleration of a point
        if geometry.prismatic[i]:
            c_v[i] = cross(w_j, along_z(rd, qd[i] + qd[i]))
        else:
            c_v[i] = cross(w_j, rd)
            c_w[i, 0], c_w[i, 1] = qd[i] * w_j[1], -(qd[i] * w_j[0])
            w_j = along_z(w_j, qd[i])
        w[i] = turn_z_back(w_j, c[i], s[i])
        h, I = inertials.moment[i], symmetric(inertials.inertia[i])
        n[i] = cross(w[i], symmetric_times(I, w[i]))  # Featherstone2008 Table 7.1, p^A
        f[i] = cross(w[i], cross(w[i], h))
    return c_w, c_v, n, f


def articulate(
        geometry: Geometry, inertials: Inertials, q: Array, tau: Array, c: Array, s: Array,
        c_w: Array, c_v: Array, n: Array, f: Array, free: Array | None = None
        ) -> tuple[Array, Array, Array, Array, Array]:
    """Return U_i / D_i (L, 6), D_i (L,), u_i / D_i (L,), U_i and u_i: from tips to root.

    n, f: the links' own wrenches, (L + 1, 3) each; the rows take up those of the children
    free: as in `held_dynamics`, None where every joint is
    """
    L = len(q)
    I, H, M = articulated_blocks(inertials, q)
    psi, pivots, ratio = np.zeros((L, 6), q.dtype), np.zeros(L, q.dtype), np.zeros(L, q.dtype)
    U_all, u_all = np.zeros((L, 6), q.dtype), np.zeros(L, q.dtype)
    for i in range(L - 1, -1, -1):
        armature, prismatic = inertials.armature[i], geometry.prismatic[i]
        U_n, U_f = axis_column(prismatic, I[i], H[i], M[i])  # Featherstone2008 Table 7.1, U
        if prismatic:
            pivots[i] = U_f[2] + armature  # Featherstone2008 Table 7.1, D
            u = tau[i] - f[i, 2]  # Featherstone2008 Table 7.1, u
        else:
            pivots[i] = U_n[2] + armature
            u = tau[i] - n[i, 2]
        moves = 1 if free is None else free[i]
        if free is not None:
            pivots[i] = pivots[i] + (1 - moves)  # nothing is divided by it then
        inverse = moves / pivots[i]
        ratio[i] = u * inverse
        if prismatic:
            psi_n = U_n * inverse
            psi_f = np.array([U_f[0] * inverse, U_f[1] * inverse, moves - armature * inverse])
            I_a, H_a, M_a = project_prismatic(I[i], H[i], M[i], psi_n, psi_f, armature)
        else:
            psi_n = np.array([U_n[0] * inverse, U_n[1] * inverse, moves - armature * inverse])
            psi_f = U_f * inverse
            I_a, H_a, M_a = project_revolute(I[i], H[i], M[i], psi_n, psi_f, armature)
        if free is not None:
            I_a, H_a, M_a = keep_column(prismatic, I[i], H[i], M[i], I_a, H_a, M_a, 1 - moves)
        psi[i, :3], psi[i, 3:] = psi_n, psi_f
        U_all[i, :3], U_all[i, 3:], u_all[i] = U_n, U_f, u
        # Featherstone2008 Table 7.1: I^a = I^A - U D^-1 U^T, p^a = p^A + I^a c + U D^-1 u
        I_a, H_a, M_a = turn_blocks(I_a, H_a, M_a, c[i], s[i])
        n_a = (turn_z(n[i] + psi_n * u, c[i], s[i])
               + symmetric_times(I_a, c_w[i]) + tensor_times(H_a, c_v[i]))
        f_a = (turn_z(f[i] + psi_f * u, c[i], s[i])
               + transpose_times(H_a, c_w[i]) + symmetric_times(M_a, c_v[i]))
        parent = geometry.parent[i]
        I_p, H_p, M_p = blocks_to_parent(geometry, i, q, I_a, H_a, M_a)
        I[parent] += I_p
        H[parent] += H_p
        M[parent] += M_p
        r = joint_offset(geometry, i, q)
        n[parent] += joint_to_parent(geometry, i, n_a + cross(r, f_a))
        f[parent] += joint_to_parent(geometry, i, f_a)
    return psi, pivots, ratio, U_all, u_all


def keep_column(prismatic: bool, I: Array, H: Array, M: Array, I_a: Array, H_a: Array, M_a: Array,
                held: Any) -> tuple[Array, Array, Array]:
    """Return a projected mass matrix with the column of a held joint's axis as it was."""
    if prismatic:
        M_a = M_a + np.array([0, 0, held * M[2], 0, held * M[4], held * M[5]])
        H_a = H_a + np.array([[0, 0, held * H[k, 2]] for k in range(3)])
    else:
        I_a = I_a + np.array([0, 0, held * I[2], 0, held * I[4], held * I[5]])
        H_a = H_a + np.array([[0, 0, 0], [0, 0, 0], [held * H[2, k] for k in range(3)]])
    return I_a, H_a, M_a
