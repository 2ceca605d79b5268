"""The independent truth on mechanisms: Pinocchio's open tree, its constraints solved densely.

Mimic joints and couplings are constraints here like the cut joints. Everything is float64 and
numpy: pseudo-inverses where rows are redundant, Lagrange multipliers as a second way.
"""

import numpy as np
import pinocchio as pin
from mechanism.cut_rows import ROWS, row
from mechanism.dense_constraints import LWA, DenseConstraints, pinv


class MechanismOracle(DenseConstraints):
    """What a mechanism does; q, qd, qdd are over its independent joints (k,), torques over the
    actuated ones, q_tree and so on over `names`, all joints of the tree (n,).
    """

    # Kinematics

    def assemble(self, q, near=None, steps=None):
        """Return q_tree with the independent joints at q: Newton along a line from near."""
        q_tree = np.array(self.start if near is None else near, float)
        begin, passive = q_tree[self.independent], self._passive()
        steps = steps or max(1, int(np.ceil(20 * np.abs(np.asarray(q) - begin).max(initial=0.0))))
        for k in range(1, steps + 1):
            q_tree[self.independent] = begin + (np.asarray(q) - begin) * (k / steps)
            for _ in range(30):
                phi, C, _ = self.constraints(q_tree)
                step = -pinv(C[:, passive]) @ phi
                q_tree[passive] += step
                if np.abs(step).max(initial=0.0) < 1e-14:
                    break
            if self.closure_error(q_tree) > 1e-10:
                raise ValueError(f'step {k} of {steps}: does not close')
        return q_tree

    def rate_map(self, q_tree):
        """Return K (n, k): qd_tree = K qd."""
        _, C, _ = self.constraints(q_tree)
        passive = self._passive()
        K = np.zeros((len(self.names), len(self.independent)))
        K[self.independent] = np.eye(len(self.independent))
        K[passive] = -pinv(C[:, passive]) @ C[:, self.independent]
        return K

    def tree_rates(self, q_tree, qd):
        return self.rate_map(q_tree) @ qd

    def tree_accelerations(self, q_tree, qd, qdd):
        return self.rate_map(q_tree) @ qdd + self._convective(q_tree, qd)

    def _convective(self, q_tree, qd):
        """Return the tree's accelerations at qdd = 0."""
        _, C, gamma = self.constraints(q_tree, self.tree_rates(q_tree, qd))
        passive = self._passive()
        result = np.zeros(len(self.names))
        result[passive] = -pinv(C[:, passive]) @ gamma
        return result

    # Dynamics

    def inertia_matrix(self, q_tree):
        K = self.rate_map(q_tree)
        return K.T @ self._tree_inertia(q_tree) @ K

    def _tree_inertia(self, q_tree):
        upper = np.triu(pin.crba(self.model, self.data, q_tree))
        return upper + np.triu(upper, 1).T

    def tree_torques(self, q_tree, qd_tree, qdd_tree, external=None):
        """Return the open tree's torques; external: {link: [n, f]} in root axes at its origin."""
        tau = pin.rnea(self.model, self.data, q_tree, qd_tree, qdd_tree).copy()
        tau += self.damping * qd_tree + self.friction * np.tanh(qd_tree / 0.01)
        for link, wrench in (external or {}).items():
            tau -= self.jacobian(q_tree, link).T @ wrench
        return tau

    def jacobian(self, q_tree, link):
        """Return the tree's (6, n) at a link's origin, angular rows first, in root axes."""
        joint, T = self.tree.home[link]
        pin.computeJointJacobians(self.model, self.data, q_tree)
        pin.forwardKinematics(self.model, self.data, q_tree)
        J = pin.getJointJacobian(self.model, self.data, joint, LWA) if joint else np.zeros(
            (6, len(self.names)))
        arm = self.data.oMi[joint].rotation @ T.translation
        return np.vstack([J[3:], J[:3] - pin.skew(arm) @ J[3:]])

    def inverse_dynamics(self, q_tree, qd, qdd, external=None):
        """Return the torques of the actuated joints, the least ones where they are too many."""
        K = self.rate_map(q_tree)
        tau = K.T @ self.tree_torques(q_tree, K @ qd, self.tree_accelerations(q_tree, qd, qdd),
                                      external)
        return pinv(K[self.actuated].T) @ tau

    def forward_dynamics(self, q_tree, qd, tau, external=None):
        """Return the accelerations of the independent joints."""
        K = self.rate_map(q_tree)
        rest = K.T @ self.tree_torques(q_tree, K @ qd, self._convective(q_tree, qd), external)
        return np.linalg.solve(self.inertia_matrix(q_tree), K[self.actuated].T @ tau - rest)

    def forward_by_multipliers(self, q_tree, qd, tau, external=None):
        """Return the tree's accelerations and the multipliers: the same by another way."""
        n, qd_tree = len(self.names), self.tree_rates(q_tree, qd)
        _, C, gamma = self.constraints(q_tree, qd_tree)
        driven = np.zeros(n)
        driven[self.actuated] = tau
        M = self._tree_inertia(q_tree)
        rest = driven - self.tree_torques(q_tree, qd_tree, np.zeros(n), external)
        KKT = np.block([[M, C.T], [C, np.zeros((len(C), len(C)))]])
        solution = pinv(KKT) @ np.concatenate([rest, -gamma])
        return solution[:n], -solution[n:]

    def constraint_wrenches(self, q_tree, qd, qdd, external=None):
        """Return {loop: [n, f]} on the second link at its cut frame's origin, in root axes.

        Where rows are redundant this is the least of all that balance.
        """
        K = self.rate_map(q_tree)
        tau = self.tree_torques(q_tree, K @ qd, self.tree_accelerations(q_tree, qd, qdd), external)
        tau[self.actuated] -= self.inverse_dynamics(q_tree, qd, qdd, external)
        _, C, _ = self.constraints(q_tree)
        multipliers, k, wrenches = pinv(C.T) @ tau, 0, {}
        for loop, first, second in self.cuts:
            (A, _), (B, _) = self._cut_frame(first), self._cut_frame(second)
            wrenches[loop.name] = np.zeros(6)
            for terms in ROWS[loop.joint]:
                gradient = row(terms, A, B)[1]
                wrenches[loop.name] += multipliers[k] * gradient[6:]
                k += 1
        return wrenches

    def energies(self, q_tree, qd):
        """Return the kinetic and the potential energy; links on the root count too."""
        kinetic = qd @ self.inertia_matrix(q_tree) @ qd / 2
        return kinetic, pin.computePotentialEnergy(self.model, self.data, q_tree)

    # States to test at

    def random_states(self, rng, count, spread=0.3, condition=1e3):
        """Yield q_tree, qd, qdd of assembled poses around the start, away from singularities."""
        begin, k = self.start[self.independent], len(self.independent)
        for _ in range(count):
            reach = spread
            for _ in range(60):
                try:
                    q_tree = self.assemble(begin + reach * rng.uniform(-1, 1, k))
                except (ValueError, np.linalg.LinAlgError):
                    q_tree = None
                if q_tree is not None and self.condition(q_tree) < condition:
                    break
                reach *= 0.8
            else:
                raise AssertionError('no assembled pose found near the start')
            yield q_tree, rng.uniform(-1, 1, k), rng.uniform(-1, 1, k)
