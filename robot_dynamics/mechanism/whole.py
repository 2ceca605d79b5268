"""A mechanism as a robot over all joints of its tree: what solvers and loops of machine code take.

Its q are assembled values of the whole tree, (L,); its rates, accelerations and torques those of
the independent joints.
"""

from __future__ import annotations

import numpy as np

from robot_dynamics.engine import Kernels
from robot_dynamics.errors import RobotDynamicsError, SingularityError
from robot_dynamics.mechanism.looped import Looped
from robot_dynamics.mechanism.loops import Loops
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.model import Limits
from robot_dynamics.robot import Robot


class CompiledLoops(Looped):
    """Looped coordinates whose velocities and closure are kernels."""

    def __init__(self, loops: Loops, kernels: Kernels):
        super().__init__(loops)
        self._kernels = kernels

    def velocity(self, q: Array, qd: Array) -> Array:
        """Return dq/dt of all joint values, (..., nq); nan where the loops are singular."""
        try:
            rates = self._kernels.joint_rates(q, qd, None)
            if rates is None:
                rates = self._kernels.evaluate('joint_rates', (q, qd))
        except RobotDynamicsError:
            return np.full(q.shape, np.nan)
        return self.tree.velocity(q, rates)

    def integrate(self, q: Array, v: Array) -> Array:
        """Return the values after a motion of the independent joints, closed again."""
        try:
            rates = self._kernels.evaluate('joint_rates', (q, v))
        except RobotDynamicsError:
            return np.full(q.shape, np.nan)
        return self.normalised(self.tree.integrate(q, rates))

    def normalised(self, q: Array) -> Array:
        """Return values with the loops closed again; nan where that does not succeed."""
        return self.closed(q, self.given(q))

    def with_joint_values(self, q: Array, values: Array) -> Array:
        """Return q closed with other values of the independent joints, (..., nq)."""
        own = np.array(self.tree.joint_values(q))
        own[..., list(self.loops.independent)] = values
        moved = self.tree.with_joint_values(q, own)
        return self.closed(q, self.given(moved))

    def closed(self, q: Array, values: Array) -> Array:
        """Return q closed with other values that users give; nan where that does not succeed."""
        q, values = np.ascontiguousarray(q), np.ascontiguousarray(values)
        try:
            found, left = self._kernels.evaluate('assembly', (values, q))
        except RobotDynamicsError:
            return np.full(q.shape, np.nan)
        return np.where((np.asarray(left) < self.loops.enough)[..., None], found, np.nan)

    def check(self, q: Array, at: str) -> None:
        """Raise `SingularityError` where the loops are singular or do not close."""
        if not np.isfinite(q).all():
            raise SingularityError(f'the loops do not close{at}: they are singular there')
        try:
            self._kernels.evaluate('joint_rates', (q, np.zeros(self.nv)))
        except RobotDynamicsError:  # said here, with the joints' names
            super().check(q, at)


class Whole(Robot):
    """A mechanism's dynamics over assembled values of all joints."""

    def __init__(self, mechanism: Robot, loops: Loops, limits: Limits):
        """Take a mechanism, its loops and the limits of all joints of its tree."""
        super().__init__(mechanism.model, mechanism.dh, mechanism.warnings, mechanism.kernels)
        self.tree_limits = limits
        self.space = CompiledLoops(loops, mechanism.kernels)
