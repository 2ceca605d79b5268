"""Wrenches of the environment on any link, as joint torques."""

from collections.abc import Sequence

import numpy as np

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
