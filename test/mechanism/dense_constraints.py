"""The constraints of a mechanism over Pinocchio's open tree: values, Jacobian, bias, rank."""

import numpy as np
import pinocchio as pin
from mechanism.cut_rows import ROWS, row
from mechanism.pinocchio_tree import Tree

LWA = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
TURNS = {'fixed': ('turn', [0, 1, 2]), 'prismatic': ('turn', [0, 1, 2]),
         **{joint: ('swing', [0, 1]) for joint in ('revolute', 'cylindrical', 'planar')},
         'universal': ('', []), 'spherical': ('', [])}  # which angles about A's axes are nought
TINY = 1e-9  # of the largest singular value: below it a row is redundant


class DenseConstraints:
    """A record in Pinocchio. `independent` and `actuated` are numbers of joints in `names`, all
    joints of the tree; `start` has their values.
    """

    def __init__(self, record, gravity=None, friction=None):
        options = record.options
        gravity = options.get('gravity', (0, 0, -9.81)) if gravity is None else gravity
        self.record = record
        self.tree = Tree(record.tree, gravity, options.get('locked'))
        self.names = self.tree.names
        self.cuts = [(loop, *(self.tree.frame(f'{loop.name}/{k}', f.link, f.T)
                              for k, f in enumerate(loop.frames))) for loop in record.loops]
        self.model, self.data = self.tree.model, self.tree.model.createData()
        rubs = options.get('friction', True) if friction is None else friction
        self.damping, self.friction = self.tree.damping * rubs, self.tree.friction * rubs
        self.linear, self.constant = self._linear()
        self._units = self._lengths()
        independent = record.independent or record.actuated or ()
        self.independent = [self.names.index(name) for name in independent]
        self.actuated = [self.names.index(name) for name in record.actuated or independent]
        self.start = np.array([record.start.get(name, 0.0) for name in self.names])
        for name, mimic in self.tree.mimics.items():
            self.start[self.names.index(name)] = (
                mimic.multiplier * record.start.get(mimic.leader, 0.0) + mimic.offset)

    def _linear(self):
        """Return the rows of mimic joints and couplings, and what they amount to."""
        rows, constants = [], []
        for name, mimic in self.tree.mimics.items():
            rows.append({name: 1.0, mimic.leader: -mimic.multiplier})
            constants.append(mimic.offset)
        for coupling in self.record.couplings:
            rows.append(coupling.coefficients)
            constants.append(coupling.constant)
        matrix = np.zeros((len(rows), len(self.names)))
        for k, coefficients in enumerate(rows):
            for name, value in coefficients.items():
                matrix[k, self.names.index(name)] += value
        return matrix, np.array(constants)

    def _lengths(self):
        """Return what a row is measured by: the mechanism's size for positions, else 1."""
        size = max(np.linalg.norm(T.translation) for T in (
            *self.model.jointPlacements, *(frame.placement for frame in self.model.frames)))
        rows = [size if terms[0][0] == 'd' else 1.0
                for loop, *_ in self.cuts for terms in ROWS[loop.joint]]
        return np.array([*rows, *np.ones(len(self.linear))])

    # Constraints

    def constraints(self, q_tree, qd_tree=None):
        """Return phi (m,), C (m, n) and gamma (m,) with phi = 0, C qd = 0, C qdd + gamma = 0."""
        n = len(self.names)
        qd_tree = np.zeros(n) if qd_tree is None else qd_tree
        pin.forwardKinematics(self.model, self.data, q_tree, qd_tree, np.zeros(n))
        pin.computeJointJacobians(self.model, self.data, q_tree)
        pin.updateFramePlacements(self.model, self.data)
        phi, C, gamma = [], [], []
        for loop, first, second in self.cuts:
            (A, J_A), (B, J_B) = self._cut_frame(first), self._cut_frame(second)
            J = np.vstack([J_A, J_B])  # omega_A, v_A, omega_B, v_B
            for terms in ROWS[loop.joint]:
                value, gradient, bias = row(terms, A, B)
                phi.append(value)
                C.append(gradient @ J)
                gamma.append(bias)
        phi = np.concatenate([phi, self.linear @ q_tree - self.constant])
        C = np.vstack([np.array(C).reshape(-1, n), self.linear])
        return phi, C, np.concatenate([gamma, np.zeros(len(self.linear))])

    def _cut_frame(self, frame):
        T = self.data.oMf[frame]
        twist = pin.getFrameVelocity(self.model, self.data, frame, LWA)
        rate = pin.getFrameClassicalAcceleration(self.model, self.data, frame, LWA)
        J = pin.getFrameJacobian(self.model, self.data, frame, LWA)
        state = {'R': T.rotation, 'p': T.translation, 'w': twist.angular, 'v': twist.linear,
                 'dw': rate.angular, 'dv': rate.linear}
        return state, np.vstack([J[3:], J[:3]])

    def closure_error(self, q_tree):
        """Return the largest of all constraints, [m] and the sine of angles."""
        phi = self.constraints(q_tree)[0]
        return max(float(np.abs(phi).max()), *(
            2.0 * (self._facing(loop, first, second) < 0) for loop, first, second in self.cuts), 0)

    def _facing(self, loop, first, second):
        """Return a cosine that is 1 where the frames' axes agree, -1 where phi = 0 lies."""
        R = self.data.oMf[first].rotation.T @ self.data.oMf[second].rotation
        if loop.joint in ('fixed', 'prismatic'):
            return (np.trace(R) - 1) / 2
        return 1.0 if loop.joint in ('spherical', 'universal') else R[2, 2]

    def closed(self, near=None):
        """Return a closed pose near one: all joints give way as little as they must."""
        q_tree = np.array(self.start if near is None else near, float)
        for _ in range(500):
            phi, C = self._far_constraints(q_tree)
            step = -pinv(C) @ phi
            q_tree += step * min(1.0, 0.3 / max(np.abs(step).max(), 1e-12))
            if np.abs(step).max() < 1e-14:
                break
        if self.closure_error(q_tree) > 1e-10:
            raise ValueError(f'does not close: {self.closure_error(q_tree):g} remains')
        return q_tree

    def _far_constraints(self, q_tree):
        """Return phi and C with angles for sines: Newton finds home from farther away."""
        phi, C, _ = self.constraints(q_tree)
        k = 0
        for loop, first, second in self.cuts:
            count = len(ROWS[loop.joint])
            turn, rows = TURNS[loop.joint]
            if turn:
                R_A = self.data.oMf[first].rotation
                R = R_A.T @ self.data.oMf[second].rotation
                angle = pin.log3(R)
                if turn == 'swing':
                    angle = pin.log3(pin.Quaternion.FromTwoVectors(
                        np.array([0, 0, 1.0]), R[:, 2].copy()).toRotationMatrix())
                J_A, J_B = (pin.getFrameJacobian(self.model, self.data, frame, LWA)[3:]
                            for frame in (first, second))
                at = slice(k + count - len(rows), k + count)
                phi[at], C[at] = angle[rows], (R_A.T @ (J_B - J_A))[rows]
            k += count
        return phi, C

    def freedoms(self, q_tree=None):
        """Return the degrees of freedom by rank."""
        C = self.constraints(self.start if q_tree is None else q_tree)[1]
        return len(self.names) - rank(C)

    def condition(self, q_tree):
        """Return the condition of the passive joints' matrix; infinite where it is singular."""
        passive = self._passive()
        C = self.constraints(q_tree)[1] / self._units[:, None]
        values = np.linalg.svd(C[:, passive], compute_uv=False)
        largest, least = values[0], values[len(passive) - 1] if len(values) >= len(passive) else 0
        return np.inf if least <= 1e-14 * largest else largest / least

    def _passive(self):
        return [i for i in range(len(self.names)) if i not in self.independent]


def rank(matrix):
    values = np.linalg.svd(matrix, compute_uv=False)
    return int((values > TINY * values.max(initial=1.0)).sum())


def pinv(matrix):
    return np.linalg.pinv(matrix, rcond=TINY)
