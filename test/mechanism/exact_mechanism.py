"""A mechanism in long double, from its record: the judge of digits where inertias differ much.

The tree is that of exact_dynamics.py, the rows are those of cut_rows.py: neither Pinocchio nor
our model is asked. Joints of one degree without mimics alone.
"""

import numpy as np
from exact_dynamics import EYE, ExactJoint, ExactTree, Real, solve
from mechanism.cut_rows import ROWS, row


class ExactMechanism(ExactTree):
    """`names` of all joints of the tree; q_tree, qd_tree over them, q, qd over `independent`."""

    def __init__(self, record):
        self.record, self.gravity = record, np.array(
            record.options.get('gravity', (0, 0, -9.81)), Real)
        moving = [joint for joint in record.tree.joints if joint.type != 'fixed']
        assert not any(joint.mimic or joint.type in ('planar', 'floating') for joint in moving)
        self.names = [joint.name for joint in moving]
        self.n, self.root = len(self.names), record.tree.root
        self.damping = np.array([joint.damping for joint in moving], Real)
        self.friction = np.array([joint.friction for joint in moving], Real)
        self.armature = np.diag([Real(getattr(joint, 'armature', 0.0)) for joint in moving])
        self.bodies = {name: self._body(link.inertial)
                       for name, link in record.tree.links.items()}
        self.joints = [self._joint(joint) for joint in record.tree.joints]
        independent = record.independent or record.actuated
        self.independent, self.actuated = ([self.names.index(name) for name in part]
                                           for part in (independent, record.actuated))
        self.passive = [k for k in range(self.n) if k not in self.independent]

    @staticmethod
    def _body(inertial):
        if inertial is None:
            return Real(0), np.zeros(3, Real), np.zeros((3, 3), Real)
        return (Real(inertial.mass), np.array(inertial.com, Real),
                np.array(inertial.inertia, Real))

    def _joint(self, joint):
        axis = np.array(joint.axis if joint.type != 'fixed' else EYE[0], Real)
        T = np.array(joint.origin, Real)
        return ExactJoint(joint.type, joint.parent, joint.child, T[:3, :3], T[:3, 3],
                          axis / np.sqrt(axis @ axis),
                          -1 if joint.type == 'fixed' else self.names.index(joint.name))

    def constraints(self, q_tree, qd_tree):
        """Return C (m, n) and gamma (m,) with C qd = 0 and C qdd + gamma = 0."""
        q, qd, still = (np.array(x, Real) for x in (q_tree, qd_tree, np.zeros(self.n)))
        zero = np.zeros(3, Real)
        state, ways = {self.root: (EYE, zero, zero, zero, zero)}, {self.root: []}
        for joint in self.joints:
            state[joint.child] = self._outward(joint, state[joint.parent], q, qd, still)
            R, p = state[joint.child][:2]
            moves = [] if joint.column < 0 else [
                (joint.column, R @ joint.axis, p, joint.kind == 'prismatic')]
            ways[joint.child] = ways[joint.parent] + moves
        C, gamma = [], []
        for loop in self.record.loops:
            (A, J_A), (B, J_B) = (self._frame(state, ways, frame, qd) for frame in loop.frames)
            for terms in ROWS[loop.joint]:
                _, gradient, bias = row(terms, A, B)
                C.append(gradient @ np.vstack([J_A, J_B]))
                gamma.append(bias)
        linear = np.zeros((len(self.record.couplings), self.n), Real)
        for k, coupling in enumerate(self.record.couplings):
            for name, value in dict(coupling.coefficients).items():
                linear[k, self.names.index(name)] += value
        return (np.vstack([np.array(C, Real).reshape(-1, self.n), linear]),
                np.concatenate([np.array(gamma, Real), np.zeros(len(linear), Real)]))

    def _frame(self, state, ways, frame, qd):
        """Return a cut's frame as cut_rows.py has it, and its Jacobian [omega; v], (6, n)."""
        link, T = self.root if frame.link == 'world' else frame.link, np.array(frame.T, Real)
        R, p, w, wd, a = state[link]
        r = R @ T[:3, 3]
        J = np.zeros((6, self.n), Real)
        for k, z, origin, slides in ways[link]:
            J[:, k] = np.concatenate(
                [0 * z, z] if slides else [z, np.cross(z, p + r - origin)])
        return {'R': R @ T[:3, :3], 'p': p + r, 'w': w, 'v': (J @ qd)[3:], 'dw': wd,
                'dv': a + np.cross(wd, r) + np.cross(w, np.cross(w, r))}, J

    def rate_map(self, q_tree):
        """Return K (n, k): qd_tree = K qd."""
        C, _ = self.constraints(q_tree, np.zeros(self.n))
        K = np.zeros((self.n, len(self.independent)), Real)
        K[self.independent] = np.eye(len(self.independent))
        K[self.passive] = -least_squares(C[:, self.passive], C[:, self.independent])
        return K

    def equations(self, q_tree, qd):
        """Return the inertia matrix, what torques must overcome at qdd = 0, and the map K."""
        K = self.rate_map(q_tree)
        rates = K @ np.array(qd, Real)
        C, gamma = self.constraints(q_tree, rates)
        drift = np.zeros(self.n, Real)
        drift[self.passive] = -least_squares(C[:, self.passive], gamma[:, None])[:, 0]
        rest = self.inverse_dynamics(q_tree, rates, drift) + self.armature @ drift + (
            self.damping * rates + self.friction * np.tanh(rates / Real('0.01')))
        return K.T @ (self.inertia_matrix(q_tree) + self.armature) @ K, K.T @ rest, K

    def accelerations(self, q_tree, qd, tau):
        """Return qdd of the independent joints, (k,)."""
        gim, rest, K = self.equations(q_tree, qd)
        return solve(gim, K[self.actuated].T @ np.array(tau, Real) - rest)


    def shaken(self, rng):
        """Return the mechanism with lengths and directions changed by rounding, 1 part in 2^52."""
        def near(x):
            return x * (1 + np.finfo(float).eps * rng.uniform(-1, 1, x.shape))
        other = ExactMechanism(self.record)
        other.joints = [joint._replace(R=near(joint.R), p=near(joint.p), axis=near(joint.axis))
                        for joint in self.joints]
        return other


def least_squares(A, B):
    """Return X with A X = B by orthogonal columns, each made so twice; A has full column rank."""
    n = A.shape[1]
    Q, R = A.copy(), np.zeros((n, n), Real)
    for k in range(n):
        for _ in range(2):
            share = Q[:, :k].T @ Q[:, k]
            Q[:, k] -= Q[:, :k] @ share
            R[:k, k] += share
        R[k, k] = np.sqrt(Q[:, k] @ Q[:, k])
        Q[:, k] /= R[k, k]
    X = Q.T @ B
    for k in reversed(range(n)):
        X[k] = (X[k] - R[k, k + 1:] @ X[k + 1:]) / R[k, k]
    return X
