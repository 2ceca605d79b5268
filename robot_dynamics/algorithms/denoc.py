"""DeNOC inverse dynamics: twists outward, wrenches inward, projected on the joints.

    tau = N_d^T N_l^T w,  w_i = M_i tdot_i + W_i M_i E_i t_i

N_l and N_d never appear as matrices: N_l^T is the inward recursion, N_d^T the projection by p_i.

Twists are [w; v], the wrenches [n; f], both at O'_i and in link frame i. Hence

    M_i = [I, h x 1; -h x 1, m 1],  W_i = diag(w x 1, w x 1),  E_i = diag(1, O),
    p_i = [0, 0, 1, 0, 0, 0] (revolute) or [0, 0, 0, 0, 0, 1] (prismatic).

O'_i is fixed on link i. With O_i instead, as Bhangale2004 (1) is printed, one w x (bd z) is lost
when joint i is prismatic.
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
    L = len(q)
    c, s = cosines_sines(geometry, q)
    w = link_wrenches(geometry, inertials, q, qd, qdd, c, s)
    tau = np.zeros(L, q.dtype)
    # Inward: wrenches
    for i in range(L - 1, -1, -1):
        tau[i] = w[i, axis(geometry, i)]  # MohanSaha2007 (23): tau_i = p_i^T w_i
        tau[i] += inertials.armature[i] * qdd[i]
        parent = geometry.parent[i]
        w[parent] += previous_wrench(geometry, i, q, c, s, w[i])  # MohanSaha2007 (23), N_l^T
    return tau


def link_wrenches(
        geometry: Geometry, inertials: Inertials, q: Array, qd: Array, qdd: Array, c: Array,
        s: Array) -> Array:
    """Return w_i of every link alone, (L + 1, 6); row -1, the root's, is zero."""
    L = len(q)
    t, tdot = np.zeros((L + 1, 6), q.dtype), np.zeros((L + 1, 6), q.dtype)
    w = np.zeros((L + 1, 6), q.dtype)
    t[L], tdot[L] = root_twist(inertials, q)
    # Outward: twists and their rates
    for i in range(L):
        parent = geometry.parent[i]
        t[i], tdot[i] = next_twist(geometry, i, q, qd, qdd, c, s, t[parent], tdot[parent])
        w[i] = link_wrench(inertials, i, t[i], tdot[i])
    return w


def axis(geometry: Geometry, i: int) -> int:
    """Return the one place where p_i is not zero."""
    if geometry.prismatic[i]:
        return 5
    return 2


def root_twist(inertials: Inertials, q: Array) -> tuple[Array, Array]:
    """Return the root's twist and its rate; its velocity plays no part and is zero."""
    t, tdot = np.zeros(6, q.dtype), np.zeros(6, q.dtype)
    t[:3] = inertials.base.angular_velocity
    tdot[:3] = inertials.base.angular_acceleration
    # MohanSaha2007 (13): -g joins the linear part of the twist's rate (printed: of the twist).
    tdot[3:] = inertials.base.linear_acceleration - inertials.base.gravity
    return t, tdot


def next_twist(
        geometry: Geometry, i: int, q: Array, qd: Array, qdd: Array, c: Array, s: Array,
        t_p: Array, tdot_p: Array) -> tuple[Array, Array]:
    """Return t_i = A_ip t_p + p_i qd_i and its rate, in link frame i.

    Only what the wrench needs: the angular velocity stands in t_i, the linear one stays zero,
    since E_i drops it.
    """
    t, tdot = np.zeros(6, q.dtype), np.zeros(6, q.dtype)
    w = parent_to_joint(geometry, i, t_p[:3])
    wd = parent_to_joint(geometry, i, tdot_p[:3])
    r = joint_offset(geometry, i, q)
    rd = cross(w, r)  # the rate of a_ip, whose sign is printed wrongly after (4)
    vd = parent_to_joint(geometry, i, tdot_p[3:]) + cross(wd, r)  # MohanSaha2007 (4), A_ip tdot_p
    if geometry.prismatic[i]:
        rd = along_z(rd, qd[i] + qd[i])  # once in Adot_ip, once in pdot_i
        vd = vd + cross(w, rd)  # MohanSaha2007 (24), with N_l Nd_dot for N_l_dot Nd_dot
        vd = along_z(vd, qdd[i])  # MohanSaha2007 (24), p_i qdd_i
    else:
        vd = vd + cross(w, rd)  # MohanSaha2007 (24), Adot_ip t_p
        wd = np.array([
            wd[0] + qd[i] * w[1], wd[1] - qd[i] * w[0],  # MohanSaha2007 (24), pdot_i qd_i
            wd[2] + qdd[i]])  # MohanSaha2007 (24), p_i qdd_i
        w = along_z(w, qd[i])  # MohanSaha2007 (4)
    t[:3] = turn_z_back(w, c[i], s[i])
    tdot[:3] = turn_z_back(wd, c[i], s[i])
    tdot[3:] = turn_z_back(vd, c[i], s[i])
    return t, tdot


def link_wrench(inertials: Inertials, i: int, t: Array, tdot: Array) -> Array:
    """Return w_i = M_i tdot_i + W_i M_i E_i t_i of one link alone."""
    m, h, I = inertials.mass[i], inertials.moment[i], symmetric(inertials.inertia[i])
    w, wd, vd = t[:3], tdot[:3], tdot[3:]
    momentum = symmetric_times(I, w)
    wrench = np.zeros_like(t)
    # Bhangale2004 (1), printed with M_i t_i for M_i tdot_i; MohanSaha2007 (16) is the same.
    wrench[:3] = symmetric_times(I, wd) + cross(h, vd) + cross(w, momentum)
    wrench[3:] = vd * m + cross(wd, h) + cross(w, cross(w, h))
    return wrench


def previous_wrench(
        geometry: Geometry, i: int, q: Array, c: Array, s: Array, w: Array) -> Array:
    """Return A_ip^T w, the wrench w of link i seen at its parent."""
    n, f = turn_z(w[:3], c[i], s[i]), turn_z(w[3:], c[i], s[i])
    r = joint_offset(geometry, i, q)
    wrench = np.zeros_like(w)
    wrench[:3] = joint_to_parent(geometry, i, n + cross(r, f))
    wrench[3:] = joint_to_parent(geometry, i, f)
    return wrench
