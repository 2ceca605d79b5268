"""Derivatives where motors are not where the freedoms are: by the chain rule.

B (motors, n) has the rates of the motors per independent rate. Torques of the motors do B^T tau
to the freedoms; what gives a force f there in the sense of least squares is tau = P f, with P the
pseudo-inverse of A = B^T. Along a motion, while the rank of A stays (Golub and Pereyra, 1973),

    dP = -P dA P + P P^T dA^T (1 - A P) + (1 - P A) dA^T P^T P.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from robot_dynamics.mechanism.rates import own_rate
from robot_dynamics.model.coordinates import identity
from robot_dynamics.model.denoc import Array

Slopes = tuple[Array, Array, Array]


def actuation_slopes(coordinates: Any, tree: Array, motors: list[int]) -> tuple[Array, Array]:
    """Return A = B^T, (n, motors), and dA per motion of each freedom, (n, n, motors).

    tree: assembled values of all joints, (nq,)
    """
    at = coordinates.at(tree)
    rates = [own_rate(at, unit)[motors].T for unit in identity(at.nv, tree.dtype)]
    return at.N[motors].T, np.array(rates)


def inverse_slopes(slopes: Slopes, force: Array, A: Array, dA: Array) -> Slopes:
    """Return the derivatives of the motors' torques, (motors, n) each, from those of forces."""
    P = np.linalg.pinv(A)
    left, over = np.eye(len(A)) - A @ P, np.eye(A.shape[1]) - P @ A
    dP = [-P @ d @ P + P @ P.T @ d.T @ left + over @ d.T @ P.T @ P for d in dA]
    by_q, by_qd, by_qdd = (P @ slope for slope in slopes)
    return by_q + np.stack([d @ force for d in dP], axis=1), by_qd, by_qdd


def forward_slopes(slopes: Slopes, tau: Array, A: Array, dA: Array) -> Slopes:
    """Return the derivatives of accelerations by q, qd and the motors' torques, tau (motors,)."""
    by_q, by_qd, by_force = slopes
    return by_q + by_force @ np.stack([d @ tau for d in dA], axis=1), by_qd, by_force @ A
