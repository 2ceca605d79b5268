"""Robot: the one object users hold. Thin: checks its arguments, calls an algorithm, answers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics import reference
from robot_dynamics.algorithms import FORWARD, GIM, INVERSE
from robot_dynamics.algorithms.convective import convective_matrix
from robot_dynamics.algorithms.counting import Count
from robot_dynamics.algorithms.counting import count as count_operations
from robot_dynamics.algorithms.external import external_torque
from robot_dynamics.algorithms.friction import friction_torque
from robot_dynamics.algorithms.kinematics import jacobian_rate, manipulability
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.export_c import export_c
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import choice, finite, flag, mapping, rank, states, store, vector
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.dh import DHRow
from robot_dynamics.robot_base import RobotBase

COUNTED: dict[str, tuple[Mapping[str, Callable], int]] = {
    'inverse_dynamics': (INVERSE, 3), 'forward_dynamics': (FORWARD, 3), 'inertia_matrix': (GIM, 1)}
OF_A_LINK = ('pose', 'jacobian')  # kernels that are one link's
MANIPULABILITY_ROWS = {'angular': [0, 1, 2], 'linear': [3, 4, 5], 'all': [0, 1, 2, 3, 4, 5]}


class Robot(RobotBase):
    """A robot's dynamics. Immutable: what changes it returns a new robot.

    Every function takes one state, shape (n,), or a batch, shape (N, n), and answers in kind.
    tau = I qdd + bias + friction - J^T external. algorithm='auto' is the compiled kernel.
    """

    @staticmethod
    def from_dh(rows: Sequence[DHRow], **options) -> 'Robot':
        """Make a robot of DH rows; options as in robot_dynamics.loading.from_dh."""
        from robot_dynamics.loading import from_dh  # loading stands above this file
        return from_dh(rows, **options)

    # Dynamics. Nothing may stand before a kernel's call: a line costs what it gains.

    def inverse_dynamics(self, q, qd, qdd, *, algorithm: str = 'auto',
                         external: Mapping[str, Any] | None = None, out=None) -> Array:
        """Return the joint torques tau of a motion, friction and external wrenches included.

        q, qd, qdd: joint values, rates, accelerations, (n,) or (N, n)
        external: {link: wrench [n, f] on it, at its origin in root axes, (6,) or (N, 6)}
        """
        if algorithm == 'auto' and external is None:
            tau = self._kernels.inverse_dynamics(q, qd, qdd, out)
            return self._kernels.evaluate(
                'inverse_dynamics', (q, qd, qdd), out) if tau is None else tau
        choice('algorithm', algorithm, ['auto', *INVERSE])
        (q, qd, qdd), batch = states(self.n, q=q, qd=qd, qdd=qdd)
        if algorithm == 'auto':
            tau = self._kernels.evaluate('inverse_dynamics', (q, qd, qdd))
        else:
            tau = self._each(reference.inverse_dynamics, algorithm, q, qd, qdd)
            tau += self._friction(qd)
        tau = finite('external', tau - self._external(external, q))
        return store(tau if batch else tau[0], out)

    def forward_dynamics(self, q, qd, tau, *, algorithm: str = 'auto',
                         external: Mapping[str, Any] | None = None, out=None) -> Array:
        """Return the joint accelerations qdd under torques tau, friction and external wrenches.

        `SingularityError` names the joint where the generalized inertia matrix is singular.
        """
        if algorithm == 'auto' and external is None:
            qdd = self._kernels.forward_dynamics(q, qd, tau, out)
            return self._kernels.evaluate(
                'forward_dynamics', (q, qd, tau), out) if qdd is None else qdd
        choice('algorithm', algorithm, ['auto', *FORWARD])
        (q, qd, tau), batch = states(self.n, q=q, qd=qd, tau=tau)
        tau = finite('external', tau + self._external(external, q))
        if algorithm == 'auto':
            qdd = self._kernels.evaluate('forward_dynamics', (q, qd, tau))
        else:
            qdd = self._each(reference.forward_dynamics, algorithm, q, qd,
                             tau - self._friction(qd))
        return store(qdd if batch else qdd[0], out)

    def inertia_matrix(self, q, *, algorithm: str = 'auto', out=None) -> Array:
        """Return the generalized inertia matrix (GIM), (n, n) or (N, n, n)."""
        if algorithm == 'auto':
            I = self._kernels.inertia_matrix(q, out)
            return self._kernels.evaluate('inertia_matrix', (q,), out) if I is None else I
        choice('algorithm', algorithm, ['auto', *GIM])
        (q,), batch = states(self.n, q=q)
        I = self._each(reference.inertia_matrix, algorithm, q, shape=(self.n, self.n))
        return store(I if batch else I[0], out)

    def bias(self, q, qd, *, out=None) -> Array:
        """Return C qd + gravity torque: what the joints need at qdd = 0, without friction.

        On a turning base it holds the base's part as well, which C does not know.
        """
        tau = self._kernels.bias(q, qd, out)
        return self._kernels.evaluate('bias', (q, qd), out) if tau is None else tau

    def gravity_torque(self, q, *, out=None) -> Array:
        """Return what holds the robot at rest against gravity (and a moving base)."""
        tau = self._kernels.gravity_torque(q, out)
        return self._kernels.evaluate('gravity_torque', (q,), out) if tau is None else tau

    def udu(self, q) -> tuple[Array, Array]:
        """Return U (unit upper triangular) and D with I = U diag(D) U^T."""
        return self._kernels.evaluate('udu', (q,))

    def convective_matrix(self, q, qd, *, out=None) -> Array:
        """Return the matrix of convective inertia C, with C qd the convective torque.

        Of the robot over a base at rest.
        """
        (q, qd), batch = states(self.n, q=q, qd=qd)

        def one(model, q, qd):
            G = model.G
            return G.T @ convective_matrix(
                model.geometry, model.inertials, G @ q + model.q0, G @ qd) @ G
        C = self._each(one, q, qd, shape=(self.n, self.n))
        return store(C if batch else C[0], out)

    def friction_torque(self, qd, *, out=None) -> Array:
        """Return damping qd + friction tanh(qd / 0.01): what overcomes friction."""
        (qd,), batch = states(self.n, qd=qd)
        tau = self._friction(qd)
        return store(tau if batch else tau[0], out)

    def reaction_wrenches(self, q, qd, qdd, *, out=None) -> Array:
        """Return the wrench [n, f] through each joint, about O_i in the DH frame i, (n, 6).

        What the link before and the motor exert on the joint's link; frame i does not turn with
        the joint. Rotors (armature) are not part of it.
        """
        (q, qd, qdd), batch = states(self.n, q=q, qd=qd, qdd=qdd)
        free = [self._model.tree_joint_names.index(name) for name in self.joint_names]

        wrenches = self._each(lambda *state: reference.joint_reactions(*state)[free],
                              q, qd, qdd, shape=(self.n, 6))
        return store(wrenches if batch else wrenches[0], out)

    # Derivatives, parameters, code

    def inverse_dynamics_derivatives(self, q, qd, qdd) -> tuple[Array, Array, Array]:
        """Return d tau/dq, d tau/dqd and d tau/dqdd (which is the GIM), each (n, n)."""
        return self._kernels.evaluate('inverse_dynamics_derivatives', (q, qd, qdd))

    def forward_dynamics_derivatives(self, q, qd, tau) -> tuple[Array, Array, Array]:
        """Return d qdd/dq, d qdd/dqd and d qdd/dtau (the GIM's inverse), each (n, n)."""
        return self._kernels.evaluate('forward_dynamics_derivatives', (q, qd, tau))

    def regressor(self, q, qd, qdd, *, out=None) -> Array:
        """Return Y (n, 10 L) with tau = Y parameters, without friction and rotors."""
        return self._kernels.evaluate('regressor', (q, qd, qdd), out)

    def export_c(self, folder, functions: Sequence[str] | None = None, *,
                 overwrite: bool = False) -> list[Path]:
        """Write the kernels as plain C99 into a folder; return the files.

        overwrite: also files of these names that this function did not write
        """
        try:
            return export_c(self._kernels, folder, functions, name=self.name,
                            overwrite=flag('overwrite', overwrite))
        except OSError as error:
            raise InputError(f'folder={str(folder)!r}: {error.strerror or error}') from None

    def operation_count(self, what: str, *, algorithm: str = 'auto') -> Count:
        """Return multiplications (and divisions), additions, trigonometric calls of one call.

        what: 'inverse_dynamics', 'forward_dynamics', 'inertia_matrix', and for 'auto', which is
        the code of the kernel that runs, 'bias', 'gravity_torque', 'udu' and the others too
        """
        if algorithm == 'auto':
            choice('what', what, [name for name in DEFINITIONS if name not in OF_A_LINK])
            count = self._kernels.operation_count(what)
            return Count(count['M'] + count['D'], count['A'], count['T'])
        table, inputs = COUNTED[choice('what', what, COUNTED)]
        function = table[choice('algorithm', algorithm, ['auto', *table])]
        return count_operations(
            function, self._model.geometry, self._model.inertials, inputs=inputs)['needed']

    # Energy and kinematics

    def kinetic_energy(self, q, qd, *, out=None):
        """Return the kinetic energy of all links and rotors, over a base at rest [J]."""
        return store(self._kernels.evaluate('energies', (q, qd))[0], out)

    def potential_energy(self, q, *, out=None):
        """Return the potential energy, zero with all masses at the root's origin [J]."""
        return store(self._kernels.evaluate('energies', (q, np.zeros(self.n)))[1], out)

    def pose(self, q, link: str | None = None, *, out=None) -> Array:
        """Return the pose (4, 4) of a link (the tip by default) in the root frame."""
        try:
            frame = self._frame_kernels[link]
        except (KeyError, TypeError):
            frame = self._frame_kernel(link)
        T = frame.pose(q, out)
        return frame.evaluate('pose', (q,), out) if T is None else T

    def jacobian(self, q, link: str | None = None, *, out=None) -> Array:
        """Return J (6, n): angular then linear velocity of the link's origin, in root axes."""
        try:
            frame = self._frame_kernels[link]
        except (KeyError, TypeError):
            frame = self._frame_kernel(link)
        J = frame.jacobian(q, out)
        return frame.evaluate('jacobian', (q,), out) if J is None else J

    def jacobian_rate(self, q, qd, link: str | None = None, *, out=None) -> Array:
        """Return dJ/dt (6, n)."""
        (q, qd), batch = states(self.n, q=q, qd=qd)
        frame = self._frame(link)
        J = np.zeros((len(q), 6, self.n))
        if frame.body >= 0:
            J = self._each(lambda m, q, qd: jacobian_rate(
                m.geometry, m.G @ q + m.q0, m.G @ qd, frame.body, frame.T[:3, 3]) @ m.G,
                q, qd, shape=(6, self.n))
        return store(J if batch else J[0], out)

    def manipulability(self, q, link: str | None = None, *, rows: Any = 'linear', out=None):
        """Return sqrt(det(J J^T)) over the rows 'linear', 'angular', 'all' or a list of them."""
        picked = MANIPULABILITY_ROWS[choice('rows', rows, MANIPULABILITY_ROWS)] if isinstance(
            rows, str) else list(rows) if isinstance(rows, Iterable) else []
        if not picked or not all(isinstance(k, (int, np.integer)) and not isinstance(k, bool)
                                 and 0 <= k < 6 for k in picked):
            raise InputError(f'rows={rows!r}: expected row numbers from 0 to 5')
        J = self.jacobian(q, link)
        if J.ndim == 2:
            return store(manipulability(J[picked]), out)
        return store(np.array([manipulability(state[picked]) for state in J]), out)

    # Inside

    def _friction(self, qd: Array) -> Array:
        return friction_torque(self._model.damping, self._model.friction, qd)

    def _external(self, external: Mapping[str, Any] | None, q: Array) -> Array:
        """Return J^T w of all wrenches given, (N, n)."""
        total = np.zeros(q.shape)
        for link, wrench in mapping('external', external).items():
            frame = self._frame(choice('external', link, self._model.frames))
            name = f'external[{link!r}]'
            shape = (len(q), 6) if rank(name, wrench) == 2 else (6,)
            w = np.broadcast_to(vector(name, wrench, shape), (len(q), 6))
            if frame.body >= 0:
                with np.errstate(over='ignore', invalid='ignore'):
                    for k, state in enumerate(q):
                        total[k] += self._model.G.T @ external_torque(
                            self._model.geometry, self._model.G @ state + self._model.q0,
                            np.array([frame.body]), frame.T[None, :3, 3], w[None, k])
            finite(name, total)
        return total
