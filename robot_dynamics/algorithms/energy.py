"""Kinetic and potential energy, and power, over a base at rest."""

from typing import Any

import numpy as np

from robot_dynamics.algorithms.joints import cosines_sines, parent_offset, parent_to_link
from robot_dynamics.algorithms.kinematics import poses
from robot_dynamics.algorithms.turns import cross, dot, tensor_times
from robot_dynamics.model.denoc import Array, Geometry, Inertials


def kinetic_energy(geometry: Geometry, inertials: Inertials, q: Array, qd: Array) -> Any:
    """Return T of all links and rotors [J]."""
    n = len(q)
    c, s = cosines_sines(geometry, q)
    w, v = np.zeros((n + 1, 3), q.dtype), np.zeros((n + 1, 3), q.dtype)
    double = np.zeros(1, q.dtype)[0]
    for i in range(n):
        p = geometry.parent[i]
        r = parent_offset(geometry, i, q)
        w[i] = parent_to_link(geometry, i, c, s, w[p])  # MohanSaha2007 (4)
        v[i] = parent_to_link(geometry, i, c, s, v[p] + cross(w[p], r))  # MohanSaha2007 (4)
        if geometry.prismatic[i]:
            v[i, 2] = v[i, 2] + qd[i]  # MohanSaha2007 (4)
        else:
            w[i, 2] = w[i, 2] + qd[i]  # MohanSaha2007 (4)
        # integral of rd^T rd over the link, MohanSaha2007 (10), by its moments of mass
        h = tensor_times(inertials.inertia[i], w[i]) + cross(inertials.moment[i], v[i])
        l = inertials.mass[i] * v[i] + cross(w[i], inertials.moment[i])
        double = double + dot(w[i], h) + dot(v[i], l) + inertials.armature[i] * qd[i] * qd[i]
    return double / 2


def potential_energy(geometry: Geometry, inertials: Inertials, q: Array) -> Any:
    """Return V = -sum m g.c, zero at the root's origin [J]; its gradient is MohanSaha2007 (13)."""
    R, p = poses(geometry, q)
    V = np.zeros(1, q.dtype)[0]
    for i in range(len(q)):
        moment = inertials.mass[i] * p[i] + tensor_times(R[i], inertials.moment[i])
        V = V - dot(inertials.base.gravity, moment)
    return V


def power(tau: Array, qd: Array) -> Any:
    """Return the power tau.qd that the joints take in [W]: MohanSaha2007 Sec 5's pi."""
    result = np.zeros(1, qd.dtype)[0]
    for i in range(len(qd)):
        result = result + tau[i] * qd[i]
    return result
