"""What motors give along a motion, who may be elsewhere than the freedoms of a mechanism."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robot_dynamics.dynamics import Dynamics, is_closed
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.trajectory import Trajectory


class Driven(NamedTuple):
    """Motors along a motion of K samples."""

    names: tuple[str, ...]
    tau: Array  # (K, motors)
    rates: Array  # (K, motors)
    effort: Array  # (motors,) limits, infinite where there is none
    velocity: Array  # (motors,)


def elsewhere(robot: Dynamics) -> bool:
    """Tell whether motors are other joints than those whose values a user gives."""
    return is_closed(robot) and tuple(robot.actuated_names) != tuple(robot.joint_names)


def forces(robot: Dynamics, q: Array, tau: Array) -> Array:
    """Return what motors' torques, (K, motors), do to the freedoms, (K, n)."""
    if not (is_closed(robot) and elsewhere(robot)):
        return tau
    return robot.generalized_force(robot.assemble(q), tau)


def driven(robot: Dynamics, motion: Trajectory) -> Driven:
    """Return what the motors give along a motion."""
    if not (is_closed(robot) and elsewhere(robot)):
        return Driven(tuple(robot.joint_names), motion.tau, motion.qd, robot.limits.effort,
                      robot.limits.velocity)
    B = robot.actuation_matrix(motion.q)
    at = [robot.tree_joint_names.index(name) for name in robot.actuated_names]
    return Driven(tuple(robot.actuated_names),
                  robot.inverse_dynamics(motion.q, motion.qd, motion.qdd),
                  np.einsum('kmn,kn->km', B, motion.qd), robot.motor_limits,
                  robot.tree_limits.velocity[at])
