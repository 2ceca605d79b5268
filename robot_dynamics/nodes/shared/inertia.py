"""The inertia matrix as a message, with its factors and energies."""

from __future__ import annotations

import numpy as np
from robot_dynamics_interfaces.msg import GeneralizedInertia

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError
from robot_dynamics.nodes.shared.conversion import floats


def inertia_message(robot: Dynamics, q: np.ndarray, qd: np.ndarray | None,
                    tau: np.ndarray | None, link: str | None = None) -> GeneralizedInertia:
    """Return the inertia matrix with its factors and energies; no velocity: at rest.

    link: whose manipulability it has, the only tip if None
    """
    if not robot.n:
        raise InputError(f'{robot.name} has no joint that moves, hence no inertia matrix')
    rates = np.zeros(robot.n) if qd is None else qd
    I, (U, D) = robot.inertia_matrix(q), robot.udu(q)
    eigenvalues = np.linalg.eigvalsh(I)
    message = GeneralizedInertia(
        joint_names=list(robot.joint_names), inertia=floats(I), u=floats(U), d=floats(D),
        condition_number=float(eigenvalues[-1] / max(eigenvalues[0], np.finfo(float).tiny)),
        minimum_pivot=float(D.min()),
        kinetic_energy=float(robot.kinetic_energy(q, rates)),
        potential_energy=float(robot.potential_energy(q)),
        power=float('nan') if tau is None else float(tau @ rates),
        manipulability=manipulability(robot, q, link))
    message.header.frame_id = robot.dh.root
    return message


def manipulability(robot: Dynamics, q: np.ndarray, link: str | None) -> float:
    """Return a link's manipulability, nan where there is no such link, or not one tip."""
    try:
        return float(robot.manipulability(q, link))
    except InputError:
        return float('nan')
