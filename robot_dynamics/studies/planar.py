"""GIM and MCI of planar arms with two-dimensional vectors (Bhangale2004 Sec 3.2.1).

An arm is planar when every revolute axis is normal to one plane and every prismatic axis lies in
it. Off-line each link gets a plane frame at its origin, parallel to the plane axes at q = 0; a
revolute joint turns it by sigma q, sigma = +-1 the sense of its axis on the normal. Then twist
and wrench have three numbers, A_ij and M_i are 3x3, and a turn costs 4 M 2 A. Trees are allowed.

The paper's mass matrix (step 5a) lacks m d.d beside i_zz and has a sign wrong; right is
[i_zz + m d.d, -m d^T R; m R d, m 1], R = [0, -1; 1, 0].
"""

from typing import Any, NamedTuple

import numpy as np

from robot_dynamics.algorithms.kinematics import poses
from robot_dynamics.errors import ModelError
from robot_dynamics.model.denoc import Array, Geometry, Inertials, frozen

FLAT = 1e-9  # how far from the plane or its normal an axis may point


class PlanarArm(NamedTuple):
    """The arrays of a planar tree of L links; vectors are in the parent's plane frame."""

    parent: Array  # (L,) int64
    prismatic: Array  # (L,) bool
    sense: Array  # (L,) sigma of revolute joints, 0 of prismatic ones
    slide: Array  # (L, 2) axis of prismatic joints, 0 of revolute ones
    offset: Array  # (L, 2) of the link's origin from its parent's, at q = 0 [m]
    mass: Array  # (L,) [kg]
    moment: Array  # (L, 2) in the link's own plane frame [kg m]
    inertia: Array  # (L,) about the link's origin [kg m^2]
    armature: Array  # (L,)


def planar_arm(geometry: Geometry, inertials: Inertials) -> PlanarArm:
    """Return the planar model of a tree; `ModelError` when it is not planar."""
    n = len(geometry.parent)
    R, p = poses(geometry, np.zeros(n))
    z = R[:, :, 2]
    normal = plane_normal(geometry, z)
    for i in range(n):
        along = abs(float(z[i] @ normal))
        if (along > FLAT) if geometry.prismatic[i] else (abs(along - 1.0) > FLAT):
            raise ModelError(f'not a planar arm: the axis of joint {i} is {z[i]} in root axes, '
                             f'the normal of the plane is {normal}')
    e1 = z[geometry.prismatic][0] if geometry.prismatic.any() else orthogonal(normal)
    e1 = e1 - normal * (e1 @ normal)
    plane = np.stack([e1, np.cross(normal, e1)])
    origin = np.vstack([p, np.zeros(3)])
    revolute = ~geometry.prismatic
    arrays = (
        np.where(revolute, np.round(z @ normal), 0.0),
        np.where(revolute[:, None], 0.0, z @ plane.T),
        (p - origin[geometry.parent]) @ plane.T,
        inertials.mass.copy(),
        np.stack([plane @ R[i] @ inertials.moment[i] for i in range(n)]),
        np.array([normal @ R[i] @ inertials.inertia[i] @ R[i].T @ normal for i in range(n)]),
        inertials.armature.copy())
    return PlanarArm(geometry.parent, geometry.prismatic, *(frozen(array) for array in arrays))


def plane_normal(geometry: Geometry, z: Array) -> Array:
    """Return the normal of the plane: the first revolute axis, or that of two sliding ones."""
    for i in range(len(z)):
        if not geometry.prismatic[i]:
            axis: Array = z[i]
            return axis
    for i in range(1, len(z)):
        normal: Array = np.cross(z[0], z[i])
        if np.linalg.norm(normal) > FLAT:
            unit: Array = normal / np.linalg.norm(normal)
            return unit
    return orthogonal(z[0])


def orthogonal(axis: Array) -> Array:
    """Return a unit vector at right angles to another."""
    other = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    unit: Array = other / np.linalg.norm(other)
    return unit


def inertia_matrix(arm: PlanarArm, q: Array) -> Array:
    """Return the generalized inertia matrix (L, L)."""
    n = len(q)
    c, s = cosines_sines(arm, q)
    mass, phi, inertia = composites(arm, c, s, q)
    I = np.zeros((n, n), q.dtype)
    for i in range(n - 1, -1, -1):
        f, m = momentum(arm, i, mass, phi, inertia)
        diagonal = mass[i] if arm.prismatic[i] else inertia[i]  # Bhangale2004 Sec 3.2.1, 6a
        I[i, i] = diagonal + arm.armature[i]
        k = i
        while arm.parent[k] >= 0:
            f = turn(f, c[k], s[k])
            m = m + cross(joint_offset(arm, k, q), f)
            k = arm.parent[k]
            I[i, k] = along(arm, k, f, m)  # Bhangale2004 (10), Sec 3.2.1 step 7
            I[k, i] = I[i, k]
    return I


def convective_matrix(arm: PlanarArm, q: Array, qd: Array) -> Array:
    """Return C (L, L), Bhangale2004 (10); W M E has one entry that is not zero, -omega m d."""
    n = len(q)
    c, s = cosines_sines(arm, q)
    mass, phi, inertia = composites(arm, c, s, q)
    w, rd = rates(arm, q, qd)
    X, Y = np.zeros(n, q.dtype), np.zeros((n, 2), q.dtype)
    C = np.zeros((n, n), q.dtype)
    for i in range(n - 1, -1, -1):
        Y[i] = Y[i] - w[i] * arm.moment[i]  # W M E of Bhangale2004 (2) in the plane
        column(arm, i, c, s, q, w, mass, phi, X, Y, C)
        row(arm, i, c, s, q, w, mass, phi, inertia, X, Y, rd, C)
        p = arm.parent[i]
        if p >= 0:
            r = joint_offset(arm, i, q)
            Y_p, moment = turn(Y[i], c[i], s[i]), turn(phi[i], c[i], s[i]) + mass[i] * r
            X[p] = X[p] + X[i] + cross(r, Y_p) + dot(moment, rd[i])  # Bhangale2004 (12)
            Y[p] = Y[p] + Y_p + mass[i] * normal_times(rd[i])  # Bhangale2004 (12)
    return C


def composites(arm: PlanarArm, c: Array, s: Array, q: Array) -> tuple[Array, Array, Array]:
    """Return mass (L,), first moment (L, 2), inertia (L,) of each link with all it carries."""
    n = len(q)
    mass, phi = arm.mass.copy(), np.zeros((n, 2), q.dtype)
    inertia = np.zeros(n, q.dtype)
    for i in range(n):
        phi[i], inertia[i] = arm.moment[i], arm.inertia[i]
    for i in range(n - 1, -1, -1):
        p = arm.parent[i]
        if p >= 0:
            r = joint_offset(arm, i, q)
            phi_p = turn(phi[i], c[i], s[i])
            own = mass[i] * dot(r, r)
            inertia[p] = inertia[p] + own
            double = dot(r, phi_p)
            inertia[p] = inertia[p] + (inertia[i] + (double + double))  # Bhangale2004 (13)
            phi[p] = phi[p] + mass[i] * r
            phi[p] = phi[p] + phi_p  # Bhangale2004 (13)
            mass[p] = mass[p] + mass[i]  # Bhangale2004 (13)
    return mass, phi, inertia


def momentum(arm: PlanarArm, i: int, mass: Array, phi: Array, inertia: Array) -> tuple[Array, Any]:
    """Return M~_i p_i, momentum and angular momentum of composite body i at unit rate."""
    if arm.prismatic[i]:
        return mass[i] * arm.slide[i], cross(phi[i], arm.slide[i])
    return arm.sense[i] * normal_times(phi[i]), arm.sense[i] * inertia[i]


def along(arm: PlanarArm, i: int, f: Array, m: Any) -> Any:
    """Return p_i^T w of a wrench at the link's origin."""
    return dot(arm.slide[i], f) if arm.prismatic[i] else arm.sense[i] * m


def column(
        arm: PlanarArm, j: int, c: Array, s: Array, q: Array, w: Array, mass: Array, phi: Array,
        X: Array, Y: Array, C: Array) -> None:
    """Write c_ij for i on the way from j to the root: Bhangale2004 (10), i <= j."""
    if arm.prismatic[j]:
        f, m = (mass[j] * w[j]) * normal_times(arm.slide[j]), w[j] * dot(phi[j], arm.slide[j])
    else:
        f, m = arm.sense[j] * Y[j], arm.sense[j] * X[j]
    i = j
    while i >= 0:
        C[i, j] = along(arm, i, f, m)
        if arm.parent[i] >= 0:
            f = turn(f, c[i], s[i])
            m = m + cross(joint_offset(arm, i, q), f)
        i = arm.parent[i]


def row(
        arm: PlanarArm, i: int, c: Array, s: Array, q: Array, w: Array, mass: Array, phi: Array,
        inertia: Array, X: Array, Y: Array, rd: Array, C: Array) -> None:
    """Write c_ij for j before i on the way to the root: Bhangale2004 (10), i > j."""
    f, _ = momentum(arm, i, mass, phi, inertia)
    h = dot(arm.slide[i], Y[i]) if arm.prismatic[i] else arm.sense[i] * X[i]
    k = i
    while arm.parent[k] >= 0:
        f = turn(f, c[k], s[k])
        h = h + cross(rd[k], f)
        k = arm.parent[k]
        if arm.prismatic[k]:
            C[i, k] = w[k] * cross(arm.slide[k], f)
        else:
            C[i, k] = arm.sense[k] * h


def rates(arm: PlanarArm, q: Array, qd: Array) -> tuple[Array, Array]:
    """Return omega (L + 1,) and the rates of the offsets in the parents' plane frames (L, 2)."""
    n = len(q)
    w, rd = np.zeros(n + 1, q.dtype), np.zeros((n, 2), q.dtype)
    for i in range(n):
        p = arm.parent[i]
        w[i] = w[p] + arm.sense[i] * qd[i]
        rd[i] = w[p] * normal_times(joint_offset(arm, i, q)) + qd[i] * arm.slide[i]
    return w, rd


def cosines_sines(arm: PlanarArm, q: Array) -> tuple[Array, Array]:
    """Return cosine and sine of the angle by which each joint turns its link."""
    n = len(q)
    c, s = np.zeros(n, q.dtype), np.zeros(n, q.dtype)
    for i in range(n):
        if arm.prismatic[i]:
            c[i] = 1
        else:
            c[i], s[i] = np.cos(q[i]), arm.sense[i] * np.sin(q[i])
    return c, s


def joint_offset(arm: PlanarArm, i: int, q: Array) -> Array:
    """Return the position of link i's origin from its parent's, in the parent's plane frame."""
    e, u = arm.offset[i], arm.slide[i]
    return np.array([e[0] + u[0] * q[i], e[1] + u[1] * q[i]])


def turn(v: Array, c: Any, s: Any) -> Array:
    """Return a vector of the link in its parent's plane frame, 4 M 2 A."""
    return np.array([c * v[0] - s * v[1], s * v[0] + c * v[1]])  # Bhangale2004 Sec 3.2.1 step 2


def normal_times(v: Array) -> Array:
    """Return R v, the vector turned by a right angle."""
    return np.array([-v[1], v[0]])  # Bhangale2004 Sec 3.2.1 step 5a


def cross(a: Array, b: Array) -> Any:
    """Return (R a).b, the vector product in the plane, 2 M 1 A."""
    return a[0] * b[1] - a[1] * b[0]


def dot(a: Array, b: Array) -> Any:
    """Return a.b, 2 M 1 A."""
    return a[0] * b[0] + a[1] * b[1]
