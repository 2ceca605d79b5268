"""Mass centre and momentum of all links, in root axes, over a base at rest.

Sums over the links of what Bhangale2004 (1) has for one: with m the mass, h the first moment and I
the inertia about the link's origin, the momentum of link i is M_i t_i, its twist t_i = [omega; v].
"""

from typing import Any

import numpy as np

from robot_dynamics.algorithms.kinematics import poses, twists_from_poses
from robot_dynamics.algorithms.turns import (
    cross,
    dot,
    symmetric,
    symmetric_times,
    tensor_times,
    transpose_times,
    turn_symmetric,
)
from robot_dynamics.model.denoc import Array, Geometry, Inertials


def first_moment(inertials: Inertials, R: Array, p: Array) -> Array:
    """Return the sum of m c over the links that move, (3,) [kg m], from the links' poses."""
    total = np.zeros(3, p.dtype)
    for i in range(len(p)):
        total = total + inertials.mass[i] * p[i] + tensor_times(R[i], inertials.moment[i])
    return total


def center_of_mass(geometry: Geometry, inertials: Inertials, q: Array) -> Array:
    """Return the mass centre of the links that move, (3,) [m].

    q: joint values, shape (L,)
    """
    mass = sum(inertials.mass[i] for i in range(len(q)))
    center: Array = first_moment(inertials, *poses(geometry, q)) / mass
    return center


def centroidal_momentum(geometry: Geometry, inertials: Inertials, q: Array, qd: Array) -> Array:
    """Return [angular; linear] momentum about the mass centre, (6,) [kg m^2/s, kg m/s].

    q, qd: joint values and rates, each of shape (L,)
    """
    R, p = poses(geometry, q)
    w, v = twists_from_poses(geometry, R, p, qd)
    mass = sum(inertials.mass[i] for i in range(len(q)))
    center = first_moment(inertials, R, p) / mass
    angular, linear = np.zeros(3, q.dtype), np.zeros(3, q.dtype)
    for i in range(len(q)):
        h = tensor_times(R[i], inertials.moment[i])
        w_link = transpose_times(R[i], w[i])
        spin = tensor_times(R[i], tensor_times(inertials.inertia[i], w_link))
        f = inertials.mass[i] * v[i] + cross(w[i], h)  # M_i t_i of Bhangale2004 (1), force rows
        n = spin + cross(h, v[i])  # and moment rows, about O'_i
        linear = linear + f
        angular = angular + n + cross(p[i] - center, f)
    return np.array([*angular, *linear])


def momentum_matrix(geometry: Geometry, inertials: Inertials, q: Array) -> Array:
    """Return A (6, L) with [angular; linear] momentum about the mass centre = A qd.

    Column j is the momentum of all that joint j carries, a composite body, at a unit rate of it.
    q: joint values, shape (L,)
    """
    L = len(q)
    R, p = poses(geometry, q)
    mass, moment = np.zeros(L + 1, q.dtype), np.zeros((L + 1, 3), q.dtype)
    inertia = np.zeros((L + 1, 6), q.dtype)
    # Inward: composite bodies, about the first link's origin, in root axes
    for i in range(L - 1, -1, -1):
        m, r, h = inertials.mass[i], p[i] - p[0], tensor_times(R[i], inertials.moment[i])
        I = turn_symmetric(R[i], symmetric(inertials.inertia[i]))
        parts = ((mass, m), (moment, h + m * r), (inertia, I + moved_inertia(m, r, h)))
        for total, part in parts:
            total[i] = total[i] + part
            total[geometry.parent[i]] = total[geometry.parent[i]] + total[i]
    center = moment[L] / mass[L]
    A = np.zeros((6, L), q.dtype)
    for j in range(L):
        z = R[j, :, 2]
        if geometry.prismatic[j]:
            f, n = mass[j] * z, cross(moment[j], z)
        else:
            v = cross(p[j] - p[0], z)  # of the body's point at the first link's origin
            f = mass[j] * v + cross(z, moment[j])  # M_i t_i of Bhangale2004 (1), force rows
            n = symmetric_times(inertia[j], z) + cross(moment[j], v)  # and moment rows
        A[:3, j], A[3:, j] = n - cross(center, f), f
    return A


def moved_inertia(m: Any, r: Array, h: Array) -> Array:
    """Return what a mass m with first moment h adds to its inertia about a point at -r, six."""
    along = 2 * dot(r, h) + m * dot(r, r)
    return np.array([along * (i == j) - r[i] * h[j] - h[i] * r[j] - m * r[i] * r[j]
                     for i in range(3) for j in range(i, 3)])
