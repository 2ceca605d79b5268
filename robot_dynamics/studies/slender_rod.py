"""Links as bent slender rods with a payload at the tip and a hub at the joint (MohanSaha2007).

The paper gives the mass matrix of such a link in closed form with five constants, about O_i in
frame i; `rod_inertials` gives the same link as the general path wants it, about O'_i in link
frame i. A test shows that both are one.
"""

import numpy as np

from robot_dynamics.model.denoc import Array
from robot_dynamics.model.slender_rod import slender_rod
from robot_dynamics.rigid_body import RigidBody


def rod_constants(a: float, b: float, density: float) -> tuple[float, float, float, float, float]:
    """Return C_1 to C_5 of a rod; negative lengths allowed, their mass counts positive.

    C_5 is printed as rho a^2 b; the integral gives half of it.
    """
    A, B = abs(a), abs(b)
    return (-density * b * (B / 2 + A), -density * a * A / 2,
            density * b ** 2 * (B / 3 + A), density * A ** 3 / 3,
            density * a * A * b / 2)  # MohanSaha2007 step 3


def rod_mass_matrix(
        a: float, b: float, density: float, theta: float, *, payload: float = 0.0,
        hub_inertia: float = 0.0) -> Array:
    """Return [M_i]_i (6, 6) about O_i in frame i, for the twist [omega; v].

    a, b, theta: DH row [m, m, rad]; density [kg/m]; payload: point mass at O_{i+1} [kg];
    hub_inertia: about Z_i [kg m^2]
    """
    z, x = np.array([0.0, 0.0, 1.0]), np.array([np.cos(theta), np.sin(theta), 0.0])
    C1, C2, C3, C4, C5 = rod_constants(a, b, density)
    M_vv = density * (abs(a) + abs(b)) * np.eye(3)  # MohanSaha2007 step 3
    M_vw = C1 * tilde(z) + C2 * tilde(x)  # MohanSaha2007 step 3, printed there as M_ww
    M_ww = (C3 * (np.eye(3) - np.outer(z, z)) + C4 * (np.eye(3) - np.outer(x, x))
            - C5 * (np.outer(x, z) + np.outer(z, x)))  # MohanSaha2007 step 3
    r = tilde(b * z + a * x)  # MohanSaha2007 (9)
    M_vv, M_vw = M_vv + payload * np.eye(3), M_vw - payload * r  # MohanSaha2007 (17a)
    M_ww = M_ww - payload * r @ r + hub_inertia * np.outer(z, z)  # MohanSaha2007 (17a)
    return np.block([[M_ww, M_vw.T], [M_vw, M_vv]])


def rod_inertials(
        a: float, b: float, density: float, *, payload: float = 0.0,
        hub_inertia: float = 0.0) -> tuple[float, Array, Array]:
    """Return mass [kg], first moment [kg m] and inertia about O'_i [kg m^2], in link frame i."""
    point = RigidBody(payload, np.array([a, 0.0, 0.0]), np.zeros((3, 3)))
    link = slender_rod(a, b, density) + point  # MohanSaha2007 (17a)
    hub = np.diag([0.0, 0.0, hub_inertia])  # MohanSaha2007 (11c)
    return link.mass, link.moment, link.origin_inertia + hub


def tilde(v: Array) -> Array:
    """Return v~, the tensor of the cross product, (3, 3)."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
