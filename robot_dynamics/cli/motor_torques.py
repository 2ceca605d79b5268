"""What motors give along a motion, who may be elsewhere than the freedoms of a mechanism."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from robot_dynamics.dynamics import Dynamics, is_closed
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.model import Limits
from robot_dynamics.simulation.joint_facts import joint_facts
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


def motors_torques(robot: Dynamics, q: Array, force: Array) -> Array:
    """Return what motors give for forces over the freedoms, (n,) or (K, n), at their values q."""
    if not (is_closed(robot) and elsewhere(robot)):
        return force
    return robot.motor_torques(q, force)


def motors_motion(robot: Dynamics, motion: Trajectory) -> Trajectory:
    """Return a motion as its motors have it: their values, rates, accelerations and torques."""
    if not (is_closed(robot) and elsewhere(robot)):
        return motion
    motors = driven(robot, motion)
    at = [robot.tree_joint_names.index(name) for name in motors.names]
    tree = robot.assemble(motion.q)
    facts = joint_facts(robot)
    if facts is not None:
        facts = replace(facts, robot=motion.joints.robot if motion.joints else facts.robot,
                        limits=Limits(*(getattr(robot.tree_limits, key)[at] for key in (
                            'lower', 'upper', 'velocity', 'effort'))))
    values = [robot.tree_value_names.index(name) for name in motors.names]
    accelerations = robot.passive_accelerations(motion.q, motion.qd, motion.qdd, near=tree)
    return Trajectory(motors.names, motion.t, tree[:, values], motors.rates,
                      accelerations[:, at], motors.tau, motion.kinetic, motion.potential,
                      joints=facts)


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
