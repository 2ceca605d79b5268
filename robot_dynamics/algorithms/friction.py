"""Friction at the joints: viscous, and Coulomb's smoothed near rest.

The papers leave friction to the reader: Angeles7 (7.48) has it as the dissipative wrench w^D.
"""

import numpy as np

from robot_dynamics.model.denoc import Array

REST_RATE = 0.01  # below this joint rate [rad/s or m/s] Coulomb's friction fades away


def friction_torque(damping: Array, friction: Array, qd: Array) -> Array:
    """Return the torque that overcomes friction at joint rates qd (L,) [N m or N].

    damping: viscous, (L,) [N m s/rad or N s/m]; friction: Coulomb's, (L,) [N m or N]
    """
    tau: Array = damping * qd + friction * np.tanh(qd / REST_RATE)  # -w^D of Angeles7 (7.48)
    return tau


def friction_slope(damping: Array, friction: Array, qd: Array) -> Array:
    """Return d friction_torque / dqd of every joint, (L,)."""
    rest = np.tanh(qd / REST_RATE)
    slope: Array = damping + friction * (1 - rest * rest) / REST_RATE  # of Angeles7 (7.48)
    return slope
