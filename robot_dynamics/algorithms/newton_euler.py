"""Recursive Newton-Euler inverse dynamics, after Angeles7, Algorithms 7.4.1 and 7.4.2.

Differences from the printed algorithms, beside the errata noted on the lines:

- Quantities of link i are in link frame i at O'_i, which is fixed on the link, instead of F_{i+1}
  at the mass centre. With m the mass, h = m rho the first moment and I the inertia about O'_i,
  m cdd = m a + wd x h + w x (w x h), so that a link may have inertia without having mass.
- Each joint works in its own frame, between the two links: there e_i = [0, 0, 1] and the offset
  is [a, 0, b].
- A link may have several children: their wrenches add up.

In the work arrays, row -1 is the root, which is also the parent -1 of the first links.
"""

import numpy as np

from robot_dynamics.algorithms.joints import (
    cosines_sines,
    joint_offset,
    joint_to_parent,
    parent_to_joint,
)
from robot_dynamics.algorithms.turns import (
    along_z,
    cross,
    symmetric,
    symmetric_times,
    turn_z,
    turn_z_back,
)
from robot_dynamics.model.denoc import Array, Geometry, Inertials


def inverse_dynamics(
        geometry: Geometry, inertials: Inertials, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the joint torques and forces tau of a motion.

    q, qd, qdd: joint values, rates and accelerations, each of shape (L,)
    """
    n, f = joint_wrenches(geometry, inertials, q, qd, qdd, np.zeros((len(q), 6), q.dtype))
    tau = np.zeros(len(q), q.dtype)
    for i in range(len(q)):
        if geometry.prismatic[i]:
            tau[i] = f[i, 2] + inertials.armature[i] * qdd[i]  # Angeles7 (7.40)
        else:
            tau[i] = n[i, 2] + inertials.armature[i] * qdd[i]  # Angeles7 (7.39)
    return tau


def reaction_wrenches(
        geometry: Geometry, inertials: Inertials, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the wrench [n, f] that each joint transmits to its link, shape (L, 6).

    It is what the preceding link and the joint's motor exert on link i, about O'_i, in the joint's
    frame, which does not turn with the joint: the papers' frame i but for a constant turn about
    the joint's axis. The torque of a rotor (armature) is not part of it.
    """
    n, f = joint_wrenches(geometry, inertials, q, qd, qdd, np.zeros((len(q), 6), q.dtype))
    reaction = np.zeros((len(q), 6), q.dtype)
    for i in range(len(q)):
        reaction[i, :3] = n[i]
        reaction[i, 3:] = f[i]
    return reaction


def joint_wrenches(
        geometry: Geometry, inertials: Inertials, q: Array, qd: Array, qdd: Array,
        external: Array) -> tuple[Array, Array]:
    """Return moments about O'_i and forces through every joint, in the joint's frame, (L, 3) each.

    external: wrench [n, f] of the environment on every link, about O'_i in link frame i, (L, 6)
    """
    c, s = cosines_sines(geometry, q)
    w, wd, a = link_motions(geometry, inertials, q, qd, qdd, c, s)
    L = len(q)
    n, f = np.zeros((L + 1, 3), q.dtype), np.zeros((L + 1, 3), q.dtype)
    # Inward: wrenches, tips to root. Rows hold the sums over the children until the link's turn.
    for i in range(L - 1, -1, -1):
        n_i, f_i = inertia_wrench(inertials, i, w[i], wd[i], a[i])
        f_i = f_i - external[i, 3:] + f[i]  # Angeles7 (7.38c), at the tips (7.38a)
        n_i = n_i - external[i, :3] + n[i]  # Angeles7 (7.38d), at the tips (7.38b)
        n[i] = turn_z(n_i, c[i], s[i])  # Angeles7 (7.36); Alg 7.4.2 lacks this turn for tau_i
        f[i] = turn_z(f_i, c[i], s[i])  # Angeles7 (7.37)
        parent = geometry.parent[i]
        r = joint_offset(geometry, i, q)  # b_i included: (7.38d) lacks it for a prismatic joint
        phi = f[i]
        f[parent] += joint_to_parent(geometry, i, phi)  # Angeles7 Alg 7.4.2, with Q_{i+1} for Q_i
        n[parent] += joint_to_parent(geometry, i, n[i] + cross(r, phi))  # Angeles7 (7.38d)
    return n[:L], f[:L]


def link_motions(
        geometry: Geometry, inertials: Inertials, q: Array, qd: Array, qdd: Array,
        c: Array, s: Array) -> tuple[Array, Array, Array]:
    """Return w, wd and the acceleration of O'_i of every link, in its frame, (L + 1, 3) each."""
    L = len(q)
    w, wd = np.zeros((L + 1, 3), q.dtype), np.zeros((L + 1, 3), q.dtype)
    a = np.zeros((L + 1, 3), q.dtype)
    w[L] = inertials.base.angular_velocity
    wd[L] = inertials.base.angular_acceleration
    a[L] = inertials.base.linear_acceleration - inertials.base.gravity  # Angeles7 (7.44)
    # Outward: motions, root to tips
    for i in range(L):
        parent = geometry.parent[i]
        w_j = parent_to_joint(geometry, i, w[parent])
        wd_j = parent_to_joint(geometry, i, wd[parent])
        a_j = parent_to_joint(geometry, i, a[parent])
        r = joint_offset(geometry, i, q)
        u = cross(w_j, r)  # Angeles7 Alg 7.4.1
        if geometry.prismatic[i]:
            # e_i is [0, 0, 1] here; printed without Q_i^T, it would be in F_{i+1}.
            u = along_z(u, qd[i] + qd[i])  # Angeles7 (7.34f), v_i + w_i + w_i
            a_j = along_z(a_j + cross(wd_j, r) + cross(w_j, u), qdd[i])  # Angeles7 (7.34f)
        else:
            a_j = a_j + cross(wd_j, r) + cross(w_j, u)  # Angeles7 (7.33b)
            wd_j = np.array([
                wd_j[0] + qd[i] * w_j[1], wd_j[1] - qd[i] * w_j[0],  # Angeles7 (7.30)
                wd_j[2] + qdd[i]])  # Angeles7 (7.31)
            w_j = along_z(w_j, qd[i])  # Angeles7 (7.26a)
        w[i] = turn_z_back(w_j, c[i], s[i])  # Angeles7 (7.26a), (7.34a)
        wd[i] = turn_z_back(wd_j, c[i], s[i])  # Angeles7 (7.26b), (7.34b)
        a[i] = turn_z_back(a_j, c[i], s[i])
    return w, wd, a


def inertia_wrench(
        inertials: Inertials, i: int, w: Array, wd: Array, a: Array) -> tuple[Array, Array]:
    """Return the moment about O'_i and the force that move link i as given, in link frame i."""
    m, h, I = inertials.mass[i], inertials.moment[i], symmetric(inertials.inertia[i])
    f = a * m + cross(wd, h) + cross(w, cross(w, h))  # Angeles7 (7.38c), m cdd
    n = (symmetric_times(I, wd) + cross(w, symmetric_times(I, w))
         + cross(h, a))  # Angeles7 (7.38d), its rho x f joined to I, which is about O'_i
    return n, f
