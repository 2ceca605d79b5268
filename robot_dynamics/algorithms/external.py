"""Wrenches of the environment on any link, as joint torques."""

from collections.abc import Sequence

import numpy as np

from robot_dynamics.algorithms.joints import inward
from robot_dynamics.algorithms.kinematics import poses
from robot_dynamics.algorithms.turns import cross, dot, tensor_times
from robot_dynamics.model.denoc import Array, Geometry


def external_torque(
        geometry: Geometry, q: Array, links: Sequence[int], points: Array,
        wrenches: Array) -> Array:
    """Return J^T w (L,), the sum over all wrenches given [N m or N].

    links: on which links they act, (K,); points: where, in the frames of those links, (K, 3) [m];
    wrenches: [n, f] in root axes, (K, 6) [N m, N]. Inverse dynamics subtracts the result.
    """
    R, p = poses(geometry, q)
    tau = np.zeros(len(q), q.dtype)
    for k in range(len(links)):
        n, f = wrenches[k, :3], wrenches[k, 3:]
        x = p[links[k]] + tensor_times(R[links[k]], points[k])
        j = links[k]
        while j >= 0:
            z = R[j, :, 2]
            if geometry.prismatic[j]:
                tau[j] = tau[j] + dot(z, f)  # N^T w of Bhangale2004 (8), Angeles7 (7.40)
            else:
                tau[j] = tau[j] + dot(z, n + cross(x - p[j], f))  # Angeles7 (7.39)
            j = geometry.parent[j]
    return tau


def external_torque_derivative(
        geometry: Geometry, q: Array, links: Sequence[int], points: Array,
        wrenches: Array) -> Array:
    """Return d(J^T w)/dq (L, L); the wrenches keep their axes and act where the link is.

    links, points, wrenches: as in `external_torque`
    """
    R, p = poses(geometry, q)
    D = np.zeros((len(q), len(q)), q.dtype)
    for link, point, wrench in zip(links, points, wrenches, strict=True):
        n, f = wrench[:3], wrench[3:]
        x = p[link] + tensor_times(R[link], point)
        for j in inward(geometry, link):
            z_j = R[j, :, 2]
            fixed = geometry.prismatic[j]
            felt = f if fixed else n + cross(x - p[j], f)  # Angeles7 (7.39), (7.40)
            for k in inward(geometry, j):
                z_k = R[k, :, 2]
                # joint k carries j: its axis z_j turns, and x turns about O'_k with O'_j
                if not geometry.prismatic[k]:
                    change = dot(cross(z_k, z_j), felt)
                    if not fixed:
                        change = change + dot(z_j, cross(cross(z_k, x - p[j]), f))
                    D[j, k] = D[j, k] + change
                # j carries k: x moves under a joint that does not move O'_j
                if k != j and not geometry.prismatic[k]:
                    path = z_j if fixed else cross(z_j, x - p[j])
                    D[k, j] = D[k, j] + dot(z_k, cross(path, f))
    return D
