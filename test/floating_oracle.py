"""Pinocchio's free flyer as the judge of a floating base, asked in our order of the state."""

import numpy as np
import pinocchio as pin

SWAP = np.r_[3:6, 0:3]  # [v; omega] and [omega; v]


class FreeOracle:
    """Pinocchio's model of a URDF on a free flyer, for a robot of ours loaded from the same file.

    Mimic joints are free there; G, (L, nv), takes our rates to those of our tree.
    """

    def __init__(self, path, robot, model=None):
        self.model = model or pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
        self.model.gravity.linear = np.array(robot.inertials.base.gravity)
        self.data = self.model.createData()
        self.linear = robot.model.coordinates.linear
        self.robot, self.G = robot, self.linear.G
        names = robot.model.tree_joint_names[6:]
        self.joints = [self.model.joints[self.model.getJointId(name)] for name in names]
        name = robot.joint_names[0].split('/')[0]  # of our first joint, of six degrees
        self.base = self.model.joints[
            self.model.getJointId(name) if self.model.existJointName(name) else 1]
        columns = np.r_[self.base.idx_v + SWAP, [joint.idx_v for joint in self.joints]].astype(int)
        self.to_pin = np.zeros((self.model.nv, robot.n))  # rates
        self.to_pin[columns] = self.G

    def position(self, q):
        """Return Pinocchio's configuration."""
        result = pin.neutral(self.model)
        result[self.base.idx_q:self.base.idx_q + 7] = q[:7]
        values = self.linear.positions(np.r_[np.zeros(6), q[7:]])[6:]
        for joint, value in zip(self.joints, values, strict=True):
            if joint.nq == 2:
                result[joint.idx_q:joint.idx_q + 2] = np.cos(value), np.sin(value)
            else:
                result[joint.idx_q] = value
        return result

    def rates(self, qd):
        return self.to_pin @ qd

    def inverse_dynamics(self, q, qd, qdd):
        return self.to_pin.T @ pin.rnea(
            self.model, self.data, self.position(q), self.rates(qd), self.rates(qdd))

    def inertia_matrix(self, q):
        M = pin.crba(self.model, self.data, self.position(q))
        return self.to_pin.T @ (np.triu(M) + np.triu(M, 1).T) @ self.to_pin

    def forward_dynamics(self, q, qd, tau):
        bias = self.inverse_dynamics(q, qd, np.zeros_like(qd))
        return np.linalg.solve(self.inertia_matrix(q), tau - bias)

    def jacobian(self, q, link):
        """Return J (6, nv), [omega; v] in world axes."""
        frame = self.model.getFrameId(link, pin.BODY)
        J = pin.computeFrameJacobian(
            self.model, self.data, self.position(q), frame, pin.LOCAL_WORLD_ALIGNED)
        return J[SWAP] @ self.to_pin

    def jacobian_rate(self, q, qd, link):
        frame = self.model.getFrameId(link, pin.BODY)
        pin.computeJointJacobiansTimeVariation(
            self.model, self.data, self.position(q), self.rates(qd))
        pin.updateFramePlacements(self.model, self.data)
        J = pin.getFrameJacobianTimeVariation(
            self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)
        return J[SWAP] @ self.to_pin

    def pose(self, q, link):
        pin.framesForwardKinematics(self.model, self.data, self.position(q))
        return self.data.oMf[self.model.getFrameId(link, pin.BODY)].homogeneous

    def momentum_matrix(self, q):
        """Return A (6, nv) with [angular; linear] momentum about the mass centre = A qd."""
        return pin.ccrba(self.model, self.data, self.position(q), np.zeros(self.model.nv))[
            SWAP] @ self.to_pin

    def inverse_derivatives(self, q, qd, qdd):
        parts = pin.computeRNEADerivatives(
            self.model, self.data, self.position(q), self.rates(qd), self.rates(qdd))
        return [self.to_pin.T @ part @ self.to_pin for part in parts[:2]]

    def regressor(self, q, qd, qdd):
        """Return tau of Pinocchio's own regressor."""
        Y = pin.computeJointTorqueRegressor(
            self.model, self.data, self.position(q), self.rates(qd), self.rates(qdd))
        pi = np.concatenate([x.toDynamicParameters() for x in list(self.model.inertias)[1:]])
        return self.to_pin.T @ (Y @ pi)


def random_states(robot, generator, count=1):
    """Return q, qd, qdd, tau of a floating robot, (count, nq) and (count, nv)."""
    lower = np.maximum(robot.limits.lower[6:], -np.pi)
    upper = np.maximum(lower, np.minimum(robot.limits.upper[6:], np.pi))
    quaternion = generator.normal(size=(count, 4))
    quaternion /= np.linalg.norm(quaternion, axis=1)[:, None]
    q = np.hstack([generator.uniform(-1, 1, (count, 3)), quaternion,
                   generator.uniform(lower, upper, (count, robot.n - 6))])
    return q, *generator.uniform(-1, 1, (3, count, robot.n))
