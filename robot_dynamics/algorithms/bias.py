"""Bias and gravity torque: inverse dynamics without accelerations, or without any motion.

Written over the Gibbs-Appell recursion, the leanest; any inverse dynamics gives the same.
"""

import numpy as np

from robot_dynamics.algorithms.gibbs_appell import inverse_dynamics
from robot_dynamics.model.denoc import Array, Geometry, Inertials


def bias(geometry: Geometry, inertials: Inertials, q: Array, qd: Array) -> Array:
    """Return C qd + gravity torque (L,): what the joints need at qdd = 0 [N m or N]."""
    return inverse_dynamics(geometry, inertials, q, qd, np.zeros_like(q))  # Mata2002 (17)


def gravity_torque(geometry: Geometry, inertials: Inertials, q: Array) -> Array:
    """Return what holds the robot at rest against gravity (L,), and against its base's motion."""
    # dV/dq; MohanSaha2007 (13) prints it as a force on the right-hand side, where it is -dV/dq
    rest = np.zeros_like(q)
    return inverse_dynamics(geometry, inertials, q, rest, rest)  # MohanSaha2007 (13)
