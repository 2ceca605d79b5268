"""What a torque is made of: gravity, motion, inertia, friction, and what pulls from outside."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robot_dynamics.dynamics import Dynamics, External
from robot_dynamics.model.denoc import Array


class TorqueParts(NamedTuple):
    """Parts of the torques that a motion takes, (n,) each [N m or N]; their sum is `total`."""

    gravity: Array
    convective: Array
    inertial: Array
    friction: Array
    external: Array

    @property
    def total(self) -> Array:
        """What inverse dynamics gives, (n,)."""
        total: Array = sum(self, np.zeros(len(self.gravity)))
        return total


def torque_parts(robot: Dynamics, q: Array, qd: Array, qdd: Array,
                 external: External | None = None) -> TorqueParts:
    """Return the parts of I qdd + C qd + gravity + friction - J^T external."""
    gravity = robot.gravity_torque(q)
    pulled = np.zeros(robot.nv)
    for link, wrench in (external or {}).items():
        pulled -= robot.jacobian(q, link).T @ np.asarray(wrench, float)
    inertial = robot.inertia_matrix(q) @ qdd if np.any(qdd) else np.zeros(robot.nv)
    return TorqueParts(gravity, robot.bias(q, qd) - gravity, inertial,
                       robot.friction_torque(qd, q=q), pulled)
