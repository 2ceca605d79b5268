"""A link as a bent slender rod, for links whose inertia nobody gave.

MohanSaha2007 makes link i of the two lengths of its DH row: b_i along Z_i from O_i to O'_i, then
a_i along X_{i+1} to O_{i+1}, with a constant mass per metre. In link frame i the bend is the
origin, the first leg runs from [0, 0, -b] to it, the second from it to [a, 0, 0]; a length may be
negative, its mass is not.
"""

import numpy as np

from robot_dynamics.model.denoc import Array
from robot_dynamics.rigid_body import NO_BODY, RigidBody


def slender_rod(a: float, b: float, density: float) -> RigidBody:
    """Return the rod in link frame i.

    a, b: lengths of the DH row [m]; density: mass per metre [kg/m].
    """
    mass = density * (abs(a) + abs(b))
    if mass == 0.0:
        return NO_BODY
    moment = 0.5 * density * np.array([a * abs(a), 0.0, -b * abs(b)])
    return RigidBody.about_origin(mass, moment, bend_inertia(a, b, density))


def bend_inertia(a: float, b: float, density: float) -> Array:
    """Return the rod's inertia about its bend O'_i, which has no products, (3, 3) [kg m^2]."""
    leg_z, leg_x = density * abs(b) ** 3 / 3, density * abs(a) ** 3 / 3
    return np.diag([leg_z, leg_z + leg_x, leg_x])
