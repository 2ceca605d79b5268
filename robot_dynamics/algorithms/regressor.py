"""The regressor Y: torques are linear in the inertial parameters of the links, tau = Y pi.

Of each link: m, h = m c (3), Ixx Ixy Ixz Iyy Iyz Izz about its origin. The wrench of each
parameter alone, by the Gibbs-Appell form (Mata2002 (9), (10)), travels inward from its link.
"""

import numpy as np

from robot_dynamics.algorithms.gibbs_appell import accelerations
from robot_dynamics.algorithms.joints import (
    cosines_sines,
    inward,
    link_to_parent,
    wrench_to_parent,
)
from robot_dynamics.model.denoc import Array, Geometry, Inertials

FORCES = 4  # parameters that exert forces: m and h; the others exert moments alone


def regressor(
        geometry: Geometry, inertials: Inertials, q: Array, qd: Array, qdd: Array) -> Array:
    """Return Y, shape (L, L, 10): torque of joint i per parameter of link j; without rotors.

    q, qd, qdd: joint values, rates, accelerations, (L,) [rad or m, per s, per s^2]
    """
    L = len(q)
    c, s = cosines_sines(geometry, q)
    Omega, sdd, _ = accelerations(geometry, inertials, c, s, q, qd, qdd)
    Y = np.zeros((L, L, 10), q.dtype)
    n, f = np.zeros((L + 1, 10, 3), q.dtype), np.zeros((L + 1, FORCES, 3), q.dtype)
    for j in range(L):
        n[j] = moments(Omega[j], sdd[j])
        f[j, 0] = sdd[j]  # of Mata2002 (9), m
        for axis in range(3):
            f[j, axis + 1] = Omega[j, :, axis]  # of Mata2002 (9), h
        for k in inward(geometry, j):
            for x in range(10):
                if not geometry.prismatic[k]:
                    Y[k, j, x] = n[k, x, 2]
                elif x < FORCES:
                    Y[k, j, x] = f[k, x, 2]
            p = geometry.parent[k]
            if p >= 0:
                for x in range(FORCES):
                    n[p, x], f[p, x] = wrench_to_parent(geometry, k, q, c, s, n[k, x], f[k, x])
                for x in range(FORCES, 10):
                    n[p, x] = link_to_parent(geometry, k, c, s, n[k, x])
    return Y


def moments(O: Array, a: Array) -> Array:
    """Return the moments about O'_i per parameter of a link, (10, 3); O: Omega, a: of O'_i."""
    x, y, z = (O[2, 1] - O[1, 2]) / 2, (O[0, 2] - O[2, 0]) / 2, (O[1, 0] - O[0, 1]) / 2
    yz, xz, xy = (O[2, 1] + O[1, 2]) / 2, (O[0, 2] + O[2, 0]) / 2, (O[1, 0] + O[0, 1]) / 2
    zero = 0 * a[0]
    return np.array([
        [zero, zero, zero], [zero, -a[2], a[1]], [a[2], zero, -a[0]], [-a[1], a[0], zero],
        # Mata2002 (10) with J = tr(I)/2 1 - I, one number of I at a time
        [x, xz, -xy], [-O[2, 0], O[2, 1], O[0, 0] - O[1, 1]],
        [O[1, 0], O[2, 2] - O[0, 0], -O[1, 2]], [-yz, y, xy],
        [O[1, 1] - O[2, 2], -O[0, 1], O[0, 2]], [yz, -xz, z]])
