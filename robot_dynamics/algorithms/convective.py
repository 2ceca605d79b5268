"""The matrix of convective inertia C: C qd is the convective torque (Bhangale2004 (9)-(13)).

C = N^T (M dN/dt + W M E N), element by element: c_ij = p_i^T (...) p_j as in Bhangale2004 (10),
with sums over the children where the paper has the next link. The paper asks for a reference
point that is fixed on link i without saying so (with prismatic joints its O_i is not): here it is
the origin of link frame i, so that dA/dt contains the rate of a sliding joint.

The 6x6 matrices that multiply p_j have only their left halves: W M E because of E, M dA/dt because
dA/dt has one block. They are kept as two (3, 3) blocks, X (moment rows) and Y (force rows).

Two factorisations are given; both have the same C qd. The one of the paper fulfils
qd^T (dI/dt - 2 C) qd = 0, but dI/dt - 2 C is skew-symmetric only where
omega_a . (omega x (m d x v_b)) vanishes for all pairs of joints: planar arms, or mass centres on
the link origins. `skew_convective_matrix` takes each particle of a link for itself instead of
W M E: then -omega~ J, with J the Euler tensor of Mata2002 (11), replaces omega~ I, and
dI/dt - 2 C is skew-symmetric for every tree. Control laws that rest on passivity need that one.

The base is at rest: what a moving base adds is no product with qd.
"""

import numpy as np

from robot_dynamics.algorithms.gibbs_appell import euler_tensor
from robot_dynamics.algorithms.gibbs_appell_inertia import composite_moments
from robot_dynamics.algorithms.joints import (
    cosines_sines,
    inward,
    joint_offset,
    joint_to_parent,
    joint_to_parent_tensor,
    parent_to_link,
)
from robot_dynamics.algorithms.turns import cross, turn_z, turn_z_tensor
from robot_dynamics.model.denoc import Array, Geometry, Inertials


def convective_matrix(geometry: Geometry, inertials: Inertials, q: Array, qd: Array) -> Array:
    """Return C (L, L), the factorisation of Bhangale2004."""
    n = len(q)
    c, s = cosines_sines(geometry, q)
    w = angular_velocities(geometry, c, s, q, qd)
    X, Y = np.zeros((n, 3, 3), q.dtype), np.zeros((n, 3, 3), q.dtype)
    for i in range(n):
        X[i] = cross_tensor(w[i], inertials.inertia[i])  # W M E of Bhangale2004 (2), left above
        Y[i] = -cross_tensor(w[i], tilde(inertials.moment[i]))  # Bhangale2004 (2), left below
    return elements(geometry, inertials, c, s, q, qd, w, X, Y)


def skew_convective_matrix(geometry: Geometry, inertials: Inertials, q: Array, qd: Array) -> Array:
    """Return C (L, L) with dI/dt - 2 C skew-symmetric."""
    n = len(q)
    c, s = cosines_sines(geometry, q)
    w = angular_velocities(geometry, c, s, q, qd)
    X, Y = np.zeros((n, 3, 3), q.dtype), np.zeros((n, 3, 3), q.dtype)
    for i in range(n):
        X[i] = -cross_tensor(w[i], euler_tensor(inertials.inertia[i]))  # J of Mata2002 (11)
        Y[i] = -tilde(cross(w[i], inertials.moment[i]))
    return elements(geometry, inertials, c, s, q, qd, w, X, Y)


def elements(
        geometry: Geometry, inertials: Inertials, c: Array, s: Array, q: Array, qd: Array,
        w: Array, X: Array, Y: Array) -> Array:
    """Return C from the composite mass matrices and the links' own X and Y."""
    n = len(q)
    mass, phi, psi = composite_moments(geometry, inertials, c, s, q)  # Bhangale2004 (13)
    rd = offset_rates(geometry, c, s, q, qd, w)
    # Inward: composite X and Y
    for i in range(n - 1, -1, -1):
        p = geometry.parent[i]
        if p >= 0:
            r = joint_offset(geometry, i, q)
            Y_j = turn_z_tensor(Y[i], c[i], s[i])
            X_j = turn_z_tensor(X[i], c[i], s[i]) + cross_tensor(r, Y_j)
            moment = turn_z(phi[i], c[i], s[i]) + mass[i] * r
            Y_j = Y_j - tilde(mass[i] * rd[i])  # M~ dA/dt, lower block, Bhangale2004 (12)
            X_j = X_j - cross_tensor(moment, tilde(rd[i]))  # A^T M~ dA/dt, Bhangale2004 (12)
            X[p] = X[p] + joint_to_parent_tensor(geometry, i, X_j)  # Bhangale2004 (12)
            Y[p] = Y[p] + joint_to_parent_tensor(geometry, i, Y_j)  # Bhangale2004 (12)
    C = np.zeros((n, n), q.dtype)
    column_m, column_f = np.zeros((n, 3), q.dtype), np.zeros((n, 3), q.dtype)
    row_m, row_f = np.zeros((n, 3), q.dtype), np.zeros((n, 3), q.dtype)
    row_h = np.zeros((n, 3), q.dtype)
    # Each joint j with every k on its way to the root: c_kj and c_jk
    for j in range(n):
        column_m[j], column_f[j] = column(geometry, j, w, mass, phi, psi, X, Y)
        row_m[j], row_f[j], row_h[j] = row(geometry, j, mass, phi, psi, X, Y)
        for k in inward(geometry, j):
            x, y = w[k, 1], -w[k, 0]  # W_k p_k = [omega x z] = [x, y, 0]
            if geometry.prismatic[k]:
                C[j, k] = row_f[k, 0] * x + row_f[k, 1] * y  # Bhangale2004 (10), i > j
                C[k, j] = column_f[k, 2]  # p_i^T A_ji^T (.), Bhangale2004 (10), i <= j
            else:
                C[j, k] = row_h[k, 2] + (row_m[k, 0] * x + row_m[k, 1] * y)
                C[k, j] = column_m[k, 2]
            p = geometry.parent[k]
            if p >= 0:
                r = joint_offset(geometry, k, q)
                f_j, g_j = turn_z(column_f[k], c[k], s[k]), turn_z(row_f[k], c[k], s[k])
                m_j = turn_z(column_m[k], c[k], s[k]) + cross(r, f_j)
                n_j = turn_z(row_m[k], c[k], s[k]) + cross(r, g_j)
                # the rates of the offsets join h: p_i^T M~_i dA_ij/dt of Bhangale2004 (12)
                h_j = turn_z(row_h[k], c[k], s[k]) + cross(rd[k], g_j)
                column_f[p] = joint_to_parent(geometry, k, f_j)
                column_m[p] = joint_to_parent(geometry, k, m_j)
                row_f[p] = joint_to_parent(geometry, k, g_j)
                row_m[p] = joint_to_parent(geometry, k, n_j)
                row_h[p] = joint_to_parent(geometry, k, h_j)
    return C


def column(geometry: Geometry, j: int, w: Array, mass: Array, phi: Array, psi: Array, X: Array,
           Y: Array) -> tuple[Array, Array]:
    """Return moment and force of what multiplies every p_i^T A_ji^T in Bhangale2004 (10)."""
    x, y = w[j, 1], -w[j, 0]  # W_j p_j = [omega x z] = [x, y, 0]
    zero = 0 * x
    if geometry.prismatic[j]:
        return (np.array([-(phi[j, 2] * y), phi[j, 2] * x, phi[j, 0] * y - phi[j, 1] * x]),
                np.array([mass[j] * x, mass[j] * y, zero]))
    S = psi[j]
    f = np.array([
        Y[j, 0, 2] + phi[j, 2] * y, Y[j, 1, 2] - phi[j, 2] * x,
        Y[j, 2, 2] + (phi[j, 1] * x - phi[j, 0] * y)])  # force of M~ W p, Bhangale2004 (10)
    m = np.array([
        X[j, 0, 2] + (S[0] * x + S[1] * y), X[j, 1, 2] + (S[1] * x + S[3] * y),
        X[j, 2, 2] + (S[2] * x + S[4] * y)])  # moment of M~ W p, Bhangale2004 (10)
    return m, f


def row(geometry: Geometry, i: int, mass: Array, phi: Array, psi: Array, X: Array,
        Y: Array) -> tuple[Array, Array, Array]:
    """Return p_i^T M~_i, moment and force, and h, the left half of p_i^T (H~ + M~').

    They are what Bhangale2004 (10) multiplies with W_j p_j and p_j for i > j.
    """
    zero = 0 * phi[i, 0]
    if geometry.prismatic[i]:
        return (np.array([phi[i, 1], -phi[i, 0], zero]), np.array([zero, zero, mass[i] + zero]),
                Y[i, 2].copy())
    return (np.array([psi[i, 2], psi[i, 4], psi[i, 5]]),
            np.array([-phi[i, 1], phi[i, 0], zero]), X[i, 2].copy())


def angular_velocities(
        geometry: Geometry, c: Array, s: Array, q: Array, qd: Array) -> Array:
    """Return omega of every link in its own frame, (L + 1, 3); the root's, last, is zero."""
    n = len(q)
    w = np.zeros((n + 1, 3), q.dtype)
    for i in range(n):
        w[i] = parent_to_link(geometry, i, c, s, w[geometry.parent[i]])  # MohanSaha2007 (4)
        if not geometry.prismatic[i]:
            w[i, 2] = w[i, 2] + qd[i]  # MohanSaha2007 (4)
    return w


def offset_rates(
        geometry: Geometry, c: Array, s: Array, q: Array, qd: Array, w: Array) -> Array:
    """Return v_i - v_p of the origins O'_i and O'_p, in the joint's frame, (L, 3)."""
    rd = np.zeros((len(q), 3), q.dtype)
    for i in range(len(q)):
        w_joint = turn_z(w[i], c[i], s[i])
        if geometry.prismatic[i]:
            rd[i] = cross(w_joint, joint_offset(geometry, i, q))
            rd[i, 2] = rd[i, 2] + qd[i]
        else:
            w_joint[2] = w_joint[2] - qd[i]  # the parent's, seen in the joint's frame
            rd[i] = cross(w_joint, joint_offset(geometry, i, q))
    return rd


def tilde(v: Array) -> Array:
    """Return the tensor v~ of the cross product, v~ u = v x u."""
    zero = 0 * v[0]
    return np.array([[zero, -v[2], v[1]], [v[2], zero, -v[0]], [-v[1], v[0], zero]])


def cross_tensor(v: Array, T: Array) -> Array:
    """Return v~ T, (3, 3)."""
    return np.array([
        [v[1] * T[2, 0] - v[2] * T[1, 0], v[1] * T[2, 1] - v[2] * T[1, 1],
         v[1] * T[2, 2] - v[2] * T[1, 2]],
        [v[2] * T[0, 0] - v[0] * T[2, 0], v[2] * T[0, 1] - v[0] * T[2, 1],
         v[2] * T[0, 2] - v[0] * T[2, 2]],
        [v[0] * T[1, 0] - v[1] * T[0, 0], v[0] * T[1, 1] - v[1] * T[0, 1],
         v[0] * T[1, 2] - v[1] * T[0, 2]]])
