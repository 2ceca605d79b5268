"""Pinocchio as the judge: its model of a URDF, asked in our joint order.

Pinocchio is built with mimic joints free; followers get the values our map G gives them, and
what it answers is reduced by the same map (tau = G^T tau_tree).
"""

import sys
from pathlib import Path

import numpy as np
import pinocchio as pin


def robots_folder() -> Path:
    """Return where example-robot-data keeps its URDFs."""
    for entry in sys.path:
        folder = Path(entry) / 'cmeel.prefix/share/example-robot-data/robots'
        if folder.is_dir():
            return folder
    raise FileNotFoundError('example-robot-data is not installed')


ROBOTS = robots_folder()
PANDA = ROBOTS / 'panda_description/urdf/panda.urdf'
REAL_URDFS = sorted(str(path.relative_to(ROBOTS)) for path in ROBOTS.rglob('*.urdf'))


class Oracle:
    """Pinocchio's model of a URDF, for a robot of ours loaded from the same file."""

    def __init__(self, path, robot, pin_model=None):
        self.model = pin_model or pin.buildModelFromUrdf(str(path))
        self.model.gravity.linear = np.array(robot.inertials.base.gravity)
        self.data = self.model.createData()
        self.robot = robot
        self.G, self.q0 = robot.model.coordinates.G, robot.model.coordinates.q0
        self.joints = [self.model.joints[self.model.getJointId(name)]
                       for name in robot.model.tree_joint_names]
        self.columns = [joint.idx_v for joint in self.joints]

    def position(self, q):
        """Return Pinocchio's configuration of our joint values."""
        result = pin.neutral(self.model)
        for joint, value in zip(self.joints, self.G @ q + self.q0, strict=True):
            if joint.nq == 2:
                result[joint.idx_q:joint.idx_q + 2] = np.cos(value), np.sin(value)
            else:
                result[joint.idx_q] = value
        return result

    def rates(self, qd):
        """Return Pinocchio's velocity (or acceleration) of our joint rates."""
        result = np.zeros(self.model.nv)
        result[self.columns] = self.G @ qd
        return result

    def inverse_dynamics(self, q, qd, qdd):
        """Return rnea in our coordinates."""
        tau = pin.rnea(self.model, self.data, self.position(q), self.rates(qd), self.rates(qdd))
        return self.G.T @ tau[self.columns]

    def inertia_matrix(self, q):
        """Return crba in our coordinates."""
        M = pin.crba(self.model, self.data, self.position(q))
        M = np.triu(M) + np.triu(M, 1).T
        return self.G.T @ M[np.ix_(self.columns, self.columns)] @ self.G

    def forward_dynamics(self, q, qd, tau):
        """Return aba, or the reduced solve where joints mimic others."""
        if self.robot.model.coordinates.factors is not None and self.model.nv == self.robot.n:
            full = np.zeros(self.model.nv)
            full[self.columns] = self.G @ tau
            qdd = pin.aba(self.model, self.data, self.position(q), self.rates(qd), full)
            return self.G.T @ qdd[self.columns]
        bias = self.inverse_dynamics(q, qd, np.zeros_like(qd))
        return np.linalg.solve(self.inertia_matrix(q), tau - bias)

    def poses(self, q):
        """Return {link: (4, 4)} of all links."""
        pin.framesForwardKinematics(self.model, self.data, self.position(q))
        return {name: self.data.oMf[self.model.getFrameId(name, pin.BODY)].homogeneous
                for name in self.robot.link_names}

    def centre_of_mass(self, q):
        """Return the mass centre of all moving links."""
        return pin.centerOfMass(self.model, self.data, self.position(q))

    def kinetic_energy(self, q, qd):
        """Return the kinetic energy."""
        return pin.computeKineticEnergy(self.model, self.data, self.position(q), self.rates(qd))


def random_state(robot, generator, count=1):
    """Return q inside the limits (and within one turn), qd, qdd, tau, each (count, n)."""
    lower = np.maximum(robot.limits.lower, -np.pi)
    upper = np.minimum(robot.limits.upper, np.pi)
    upper = np.maximum(lower, upper)
    q = generator.uniform(lower, upper, (count, robot.n))
    return q, *generator.uniform(-1, 1, (3, count, robot.n))
