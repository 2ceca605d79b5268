"""The generalized inertia matrix (GIM) by composite bodies and the DeNOC, O(n^2).

    I = N_d^T M~ N_d,  i_ij = p_i^T M~_i A_ij p_j  for j an ancestor of i or i itself

M~_i is the mass matrix of link i with everything it carries, one rigid body. On a tree it sums
over the children, and i_ij = 0 where neither link carries the other.
"""

import numpy as np

from robot_dynamics.algorithms.joints import cosines_sines, joint_offset, parent_to_joint
from robot_dynamics.algorithms.mass_blocks import composite_to_parent, rigid_blocks
from robot_dynamics.algorithms.turns import cross, dot, turn_z_back
from robot_dynamics.model.denoc import Array, Geometry, Inertials


def inertia_matrix(geometry: Geometry, inertials: Inertials, q: Array) -> Array:
    """Return the GIM, shape (L, L).

    q: joint values, shape (L,)
    """
    L = len(q)
    c, s = cosines_sines(geometry, q)
    m, h, I = composite_masses(geometry, inertials, q, c, s)
    n, f = axis_wrenches(geometry, m, h, I, q)
    gim = np.zeros((L, L), q.dtype)
    for j in range(L):
        # Outward from j: A_ij p_j of every link i that j carries
        carried = np.zeros(L + 1, np.bool_)
        carried[j] = True
        w, v = np.zeros((L, 3), q.dtype), np.zeros((L, 3), q.dtype)
        if geometry.prismatic[j]:
            v[j, 2] = 1
            gim[j, j] = f[j, 2] + inertials.armature[j]  # MohanSaha2007 (29), i = j
        else:
            w[j, 2] = 1
            gim[j, j] = n[j, 2] + inertials.armature[j]
        for i in range(j + 1, L):
            parent = geometry.parent[i]
            if not carried[parent]:
                continue
            carried[i] = True
            w_j = parent_to_joint(geometry, i, w[parent])
            v_j = parent_to_joint(geometry, i, v[parent]) + cross(
                w_j, joint_offset(geometry, i, q))  # MohanSaha2007 (4), A_ip
            w[i], v[i] = turn_z_back(w_j, c[i], s[i]), turn_z_back(v_j, c[i], s[i])
            # MohanSaha2007 (29), valid as printed for j <= i only
            gim[i, j] = dot(n[i], w[i]) + dot(f[i], v[i])
            gim[j, i] = gim[i, j]
    return gim


def composite_masses(
        geometry: Geometry, inertials: Inertials, q: Array, c: Array,
        s: Array) -> tuple[Array, Array, Array]:
    """Return mass (L + 1,), first moment (L + 1, 3) and inertia (L + 1, 6) of composite bodies."""
    L = len(q)
    m = np.zeros(L + 1, q.dtype)
    for i in range(L):
        m[i] = inertials.mass[i]
    h, I = rigid_blocks(inertials, q)
    # Inward: M~_p = M_p + sum A_ip^T M~_i A_ip
    for i in range(L - 1, -1, -1):
        parent = geometry.parent[i]
        # MohanSaha2007 (28), printed with A_{i,i+1} for the last A_{i+1,i}
        h_p, I_p = composite_to_parent(geometry, i, q, c, s, m[i], h[i], I[i])
        m[parent] += m[i]
        h[parent] += h_p
        I[parent] += I_p
    return m, h, I


def axis_wrenches(
        geometry: Geometry, m: Array, h: Array, I: Array, q: Array) -> tuple[Array, Array]:
    """Return M~_i p_i of every link in two halves, (L, 3) each."""
    L = len(q)
    n, f = np.zeros((L, 3), q.dtype), np.zeros((L, 3), q.dtype)
    for i in range(L):
        if geometry.prismatic[i]:
            n[i, 0], n[i, 1] = h[i, 1], -h[i, 0]  # Bhangale2004 (10), h x z
            f[i, 2] = m[i]
        else:
            n[i, 0], n[i, 1], n[i, 2] = I[i, 2], I[i, 4], I[i, 5]  # Bhangale2004 (10), I z
            f[i, 0], f[i, 1] = -h[i, 1], h[i, 0]
    return n, f
