"""Inverse dynamics by the Gibbs-Appell equations with Euler's tensor, O(n) (Mata2002 Sec 4.1).

Mata2002 puts frame i on link i, at its joint: that is our link frame. It treats revolute joints
of a serial arm; here also prismatic joints (marked) and trees (sums over the children).

Moments are taken about each link's origin, not its mass centre, so that first and second moments
of mass enter as they are, without a product with the mass centre's position: f and t below are
those of Mata2002 (9) and (10) moved from C_i to O'_i, at the same number of operations.
"""

import numpy as np

from robot_dynamics.algorithms.joints import (
    cosines_sines,
    joint_offset,
    joint_to_parent,
    parent_offset,
    parent_to_link,
)
from robot_dynamics.algorithms.turns import cross, tensor_times, turn_z
from robot_dynamics.model.denoc import Array, Geometry, Inertials


def inverse_dynamics(
        geometry: Geometry, inertials: Inertials, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the joint torques and forces tau (L,) of a motion [N m or N].

    q, qd, qdd: joint values, rates, accelerations, (L,) [rad or m, per s, per s^2]
    """
    c, s = cosines_sines(geometry, q)
    return torques(geometry, inertials, c, s, q, qd, qdd)


def torques(
        geometry: Geometry, inertials: Inertials, c: Array, s: Array,
        q: Array, qd: Array, qdd: Array) -> Array:
    """Return what `inverse_dynamics` returns, from cosines and sines of the joint angles."""
    Omega, sdd, _ = accelerations(geometry, inertials, c, s, q, qd, qdd)
    f, chi = joint_wrenches(geometry, inertials, c, s, q, Omega, sdd)
    return axis_torques(geometry, inertials, f, chi, qdd)


def axis_torques(
        geometry: Geometry, inertials: Inertials, f: Array, chi: Array, qdd: Array) -> Array:
    """Return what of force and moment each joint's motor gives, (L,), its rotor included."""
    n = len(qdd)
    tau = np.zeros(n, qdd.dtype)
    for i in range(n):
        if geometry.prismatic[i]:
            # extended to P: Mata2002 (8) with (7e), whose right form is z_k alone
            tau[i] = f[i, 2] + inertials.armature[i] * qdd[i]
        else:
            tau[i] = chi[i, 2] + inertials.armature[i] * qdd[i]  # Mata2002 (14)
    return tau


def joint_wrenches(
        geometry: Geometry, inertials: Inertials, c: Array, s: Array, q: Array, Omega: Array,
        sdd: Array) -> tuple[Array, Array]:
    """Return force and moment about O'_i through every joint, in link frame i, (L + 1, 3) each."""
    n = len(q)
    f, chi = np.zeros((n + 1, 3), q.dtype), np.zeros((n + 1, 3), q.dtype)
    for i in range(n):
        f[i] = link_force(inertials, i, Omega[i], sdd[i])
        chi[i] = link_moment(inertials, i, Omega[i], sdd[i])

    # Inward: forces and moments, tips to base
    for i in range(n - 1, -1, -1):
        p = geometry.parent[i]
        if p >= 0:
            # s~ phi of Mata2002 (15) in the joint's frame, where s is [a, 0, b]: 4 M, not 6
            phi = turn_z(f[i], c[i], s[i])  # Mata2002 (16)
            moment = turn_z(chi[i], c[i], s[i]) + cross(joint_offset(geometry, i, q), phi)
            f[p] = f[p] + joint_to_parent(geometry, i, phi)  # Mata2002 (16), over the children
            chi[p] = chi[p] + joint_to_parent(geometry, i, moment)  # Mata2002 (15), likewise
    return f, chi


def accelerations(
        geometry: Geometry, inertials: Inertials, c: Array, s: Array,
        q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
    """Return Omega (L + 1, 3, 3), accelerations of O'_i and w (L + 1, 3); the root is last."""
    n = len(q)
    w, wd = np.zeros((n + 1, 3), q.dtype), np.zeros((n + 1, 3), q.dtype)
    Omega, sdd = np.zeros((n + 1, 3, 3), q.dtype), np.zeros((n + 1, 3), q.dtype)
    w[n] = inertials.base.angular_velocity
    wd[n] = inertials.base.angular_acceleration
    Omega[n] = acceleration_tensor(w[n], wd[n])
    # Mata2002 step 1 prints -g z_0, right is +g z_0 for gravity along -z_0; here of any direction
    sdd[n] = inertials.base.linear_acceleration - inertials.base.gravity

    # Outward: angular velocities and accelerations, base to tips
    for i in range(n):
        p = geometry.parent[i]
        w[i] = parent_to_link(geometry, i, c, s, w[p])  # Mata2002 step 1
        wd[i] = parent_to_link(geometry, i, c, s, wd[p])  # Mata2002 step 1
        r = parent_offset(geometry, i, q)
        sdd[i] = parent_to_link(
            geometry, i, c, s, sdd[p] + tensor_times(Omega[p], r))  # Mata2002 step 1
        if geometry.prismatic[i]:  # extended: z qdd + 2 w x z qd, Angeles7 (7.34f)
            rate = qd[i] + qd[i]
            sdd[i, 0] = sdd[i, 0] + rate * w[i, 1]
            sdd[i, 1] = sdd[i, 1] - rate * w[i, 0]
            sdd[i, 2] = sdd[i, 2] + qdd[i]
        else:
            wd[i, 0] = wd[i, 0] + w[i, 1] * qd[i]  # Mata2002 step 1
            wd[i, 1] = wd[i, 1] - w[i, 0] * qd[i]
            wd[i, 2] = wd[i, 2] + qdd[i]
            w[i, 2] = w[i, 2] + qd[i]  # Mata2002 step 1
        Omega[i] = acceleration_tensor(w[i], wd[i])
    return Omega, sdd, w


def acceleration_tensor(w: Array, wd: Array) -> Array:
    """Return Omega = wd~ + w~ w~, which times a position fixed on the link is an acceleration."""
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    return np.array([
        [-(yy + zz), xy - wd[2], xz + wd[1]],
        [xy + wd[2], -(xx + zz), yz - wd[0]],
        [xz - wd[1], yz + wd[0], -(xx + yy)]])  # Mata2002 (12)


def euler_tensor(inertia: Array) -> Array:
    """Return J = tr(I)/2 1 - I, (3, 3): the second moments of mass about the same point."""
    half = (inertia[0, 0] + inertia[1, 1] + inertia[2, 2]) / 2
    return np.array([
        [half - inertia[0, 0], -inertia[0, 1], -inertia[0, 2]],
        [-inertia[0, 1], half - inertia[1, 1], -inertia[1, 2]],
        [-inertia[0, 2], -inertia[1, 2], half - inertia[2, 2]]])  # Mata2002 (11)


def link_force(inertials: Inertials, i: int, Omega: Array, sdd: Array) -> Array:
    """Return m rdd of link i, 12 M 9 A; gravity is in the base's acceleration."""
    # Mata2002 (9) prints f = m (rdd + g), right is m (rdd - g); m r comes as the first moment
    f: Array = (inertials.mass[i] * sdd
                + tensor_times(Omega, inertials.moment[i]))  # Mata2002 (9)
    return f


def link_moment(inertials: Inertials, i: int, Omega: Array, sdd: Array) -> Array:
    """Return the inertia moment of link i about its origin, 21 M 21 A."""
    J = euler_tensor(inertials.inertia[i])  # constant, off-line in Mata2002
    # t~ = Omega J - (Omega J)^T, Mata2002 (10), with J about the origin instead of the mass centre
    t = np.array([
        Omega[2, 0] * J[0, 1] - Omega[1, 0] * J[0, 2] + Omega[2, 1] * J[1, 1]
        - Omega[1, 2] * J[2, 2] + (Omega[2, 2] - Omega[1, 1]) * J[1, 2],
        Omega[0, 1] * J[1, 2] - Omega[2, 1] * J[0, 1] + Omega[0, 2] * J[2, 2]
        - Omega[2, 0] * J[0, 0] + (Omega[0, 0] - Omega[2, 2]) * J[0, 2],
        Omega[1, 2] * J[0, 2] - Omega[0, 2] * J[1, 2] + Omega[1, 0] * J[0, 0]
        - Omega[0, 1] * J[1, 1] + (Omega[1, 1] - Omega[0, 0]) * J[0, 1]])
    n: Array = cross(inertials.moment[i], sdd) + t  # Mata2002 (15), first and third term
    return n
