"""Robot: the one object users hold. Thin: checks its arguments, calls an algorithm, answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from robot_dynamics import reference
from robot_dynamics.algorithms import FORWARD, GIM, INVERSE
from robot_dynamics.algorithms.bias import gravity_torque
from robot_dynamics.algorithms.convective import convective_matrix
from robot_dynamics.algorithms.energy import kinetic_energy, potential_energy
from robot_dynamics.algorithms.external import external_torque
from robot_dynamics.algorithms.friction import friction_torque
from robot_dynamics.algorithms.kinematics import jacobian, jacobian_rate, manipulability, poses
from robot_dynamics.algorithms.newton_euler import reaction_wrenches
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import choice, number, states, store, vector
from robot_dynamics.model.denoc import Array, Inertials, frozen
from robot_dynamics.model.dh import DHRow, DHTable
from robot_dynamics.model.model import Limits, LinkFrame, Model, with_payload
from robot_dynamics.model.to_urdf import to_urdf

AUTO = {'inverse': 'newton_euler', 'forward': 'denoc', 'gim': 'composite_body'}
MANIPULABILITY_ROWS = {'angular': [0, 1, 2], 'linear': [3, 4, 5], 'all': [0, 1, 2, 3, 4, 5]}


class Robot:
    """A robot's dynamics. Immutable: what changes it returns a new robot.

    Every function takes one state, shape (n,), or a batch, shape (N, n), and answers in kind.
    tau = I qdd + bias + friction - J^T external.
    """

    def __init__(self, model: Model, table: DHTable, warnings: Sequence[str] = ()):
        self._model = model
        self._table = table
        self.warnings = tuple(warnings)

    @staticmethod
    def from_dh(rows: Sequence[DHRow], **options) -> 'Robot':
        """Make a robot of DH rows; options as in robot_dynamics.loading.from_dh."""
        from robot_dynamics.loading import from_dh  # loading stands above this file
        return from_dh(rows, **options)

    # What it is

    @property
    def name(self) -> str:
        """The robot's name."""
        return self._model.name

    @property
    def n(self) -> int:
        """Number of joints that move freely."""
        return len(self._model.joint_names)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The movable, not mimicking, not locked joints, depth first in document order."""
        return self._model.joint_names

    @property
    def link_names(self) -> tuple[str, ...]:
        """All links that have a frame, those on fixed joints included."""
        return tuple(self._model.frames)

    @property
    def tip_names(self) -> tuple[str, ...]:
        """One link at the end of each branch."""
        return tuple(name for name, frame in self._model.frames.items() if frame.tip)

    @property
    def limits(self) -> Limits:
        """Lower, upper, velocity and effort limits, each (n,); infinite where there is none."""
        return self._model.limits

    @property
    def dh(self) -> DHTable:
        """The DH table: prints itself, has to_yaml() and to_markdown()."""
        return self._table

    def to_urdf(self) -> str:
        """Return URDF text that rviz can show, with the inertials as they are now."""
        return to_urdf(self._model, self._table)

    @property
    def model(self) -> Model:
        """The DeNOC model: frozen arrays."""
        return self._model

    @property
    def inertials(self) -> Inertials:
        """Masses, moments, inertias and gravity as the algorithms see them."""
        return self._model.inertials

    @property
    def total_mass(self) -> float:
        """Mass of all moving links [kg]."""
        return float(self._model.inertials.mass.sum())

    @property
    def parameters(self) -> Array:
        """Inertial parameters pi (10 L,): m, m c (3), Ixx Ixy Ixz Iyy Iyz Izz of each link.

        About the link frame's origin O'_i, in link frame i (model/denoc.py).
        """
        m, h, I = self.inertials.mass, self.inertials.moment, self.inertials.inertia
        upper = I[:, (0, 0, 0, 1, 1, 2), (0, 1, 2, 1, 2, 2)]
        return np.concatenate([m[:, None], h, upper], axis=1).ravel()

    def __repr__(self) -> str:
        joints = ', '.join(self.joint_names[:8]) + (', ...' if self.n > 8 else '')
        return f'<Robot {self.name!r}: {self.n} joints ({joints}), {self.total_mass:.6g} kg>'

    # Dynamics

    def inverse_dynamics(self, q, qd, qdd, *, algorithm: str = 'auto',
                         external: Mapping[str, Any] | None = None, out=None) -> Array:
        """Return the joint torques tau of a motion, friction and external wrenches included.

        q, qd, qdd: joint values, rates, accelerations, (n,) or (N, n)
        external: {link: wrench [n, f] on it, at its origin in root axes, (6,) or (N, 6)}
        """
        method = _method(algorithm, INVERSE, 'inverse')
        (q, qd, qdd), batch = states(self.n, q=q, qd=qd, qdd=qdd)
        tau = self._each(reference.inverse_dynamics, method, q, qd, qdd)
        tau += self._friction(qd) - self._external(external, q)
        return store(tau if batch else tau[0], out)

    def forward_dynamics(self, q, qd, tau, *, algorithm: str = 'auto',
                         external: Mapping[str, Any] | None = None, out=None) -> Array:
        """Return the joint accelerations qdd under torques tau, friction and external wrenches.

        `SingularityError` names the joint where the generalized inertia matrix is singular.
        """
        method = _method(algorithm, FORWARD, 'forward')
        (q, qd, tau), batch = states(self.n, q=q, qd=qd, tau=tau)
        tau = tau - self._friction(qd) + self._external(external, q)
        qdd = self._each(reference.forward_dynamics, method, q, qd, tau)
        return store(qdd if batch else qdd[0], out)

    def inertia_matrix(self, q, *, algorithm: str = 'auto', out=None) -> Array:
        """Return the generalized inertia matrix (GIM), (n, n) or (N, n, n)."""
        method = _method(algorithm, GIM, 'gim')
        (q,), batch = states(self.n, q=q)
        I = self._each(reference.inertia_matrix, method, q, shape=(self.n, self.n))
        return store(I if batch else I[0], out)

    def udu(self, q) -> tuple[Array, Array]:
        """Return U (unit upper triangular) and D with I = U diag(D) U^T."""
        (q,), batch = states(self.n, q=q)
        factors = [reference.udu(self._model, state) for state in q]
        U = np.array([u for u, _ in factors]).reshape(-1, self.n, self.n)
        D = np.array([d for _, d in factors]).reshape(-1, self.n)
        return (U, D) if batch else (U[0], D[0])

    def convective_matrix(self, q, qd, *, out=None) -> Array:
        """Return the matrix of convective inertia C, with C qd the convective torque."""
        (q, qd), batch = states(self.n, q=q, qd=qd)

        def one(model, q, qd):
            G = model.G
            return G.T @ convective_matrix(
                model.geometry, model.inertials, G @ q + model.q0, G @ qd) @ G
        C = self._each(one, q, qd, shape=(self.n, self.n))
        return store(C if batch else C[0], out)

    def bias(self, q, qd, *, out=None) -> Array:
        """Return C qd + gravity torque: what the joints need at qdd = 0, without friction."""
        (q, qd), batch = states(self.n, q=q, qd=qd)
        tau = self._each(reference.inverse_dynamics, AUTO['inverse'], q, qd, np.zeros_like(q))
        return store(tau if batch else tau[0], out)

    def gravity_torque(self, q, *, out=None) -> Array:
        """Return what holds the robot at rest against gravity."""
        (q,), batch = states(self.n, q=q)

        def one(model, q):
            return model.G.T @ gravity_torque(
                model.geometry, model.inertials, model.G @ q + model.q0)
        tau = self._each(one, q)
        return store(tau if batch else tau[0], out)

    def friction_torque(self, qd, *, out=None) -> Array:
        """Return damping qd + friction tanh(qd / 0.01): what overcomes friction."""
        (qd,), batch = states(self.n, qd=qd)
        tau = self._friction(qd)
        return store(tau if batch else tau[0], out)

    def reaction_wrenches(self, q, qd, qdd) -> Array:
        """Return the wrench [n, f] through each joint, at O_i in the joint's frame i, (n, 6).

        What the link before and the motor exert on the joint's link; frame i does not turn with
        the joint.
        """
        (q, qd, qdd), batch = states(self.n, q=q, qd=qd, qdd=qdd)
        free = [self._model.tree_joint_names.index(name) for name in self.joint_names]

        def one(model, q, qd, qdd):
            G = model.G
            return reaction_wrenches(model.geometry, model.inertials, G @ q + model.q0,
                                     G @ qd, G @ qdd)[free]
        wrenches = self._each(one, q, qd, qdd, shape=(self.n, 6))
        return wrenches if batch else wrenches[0]

    # Energy and kinematics

    def kinetic_energy(self, q, qd):
        """Return the kinetic energy of all links and rotors [J]."""
        (q, qd), batch = states(self.n, q=q, qd=qd)
        T = self._each(lambda m, q, qd: kinetic_energy(
            m.geometry, m.inertials, m.G @ q + m.q0, m.G @ qd), q, qd, shape=())
        return T if batch else float(T[0])

    def potential_energy(self, q):
        """Return the potential energy, zero with all masses at the root's origin [J]."""
        (q,), batch = states(self.n, q=q)
        V = self._each(lambda m, q: potential_energy(
            m.geometry, m.inertials, m.G @ q + m.q0), q, shape=())
        return V if batch else float(V[0])

    def pose(self, q, link: str | None = None, *, out=None) -> Array:
        """Return the pose (4, 4) of a link (the tip by default) in the root frame."""
        (q,), batch = states(self.n, q=q)
        frame = self._frame(link)

        def one(model, q):
            if frame.body < 0:
                return frame.T
            R, p = poses(model.geometry, model.G @ q + model.q0)
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = R[frame.body], p[frame.body]
            return T @ frame.T
        T = self._each(one, q, shape=(4, 4))
        return store(T if batch else T[0], out)

    def jacobian(self, q, link: str | None = None, *, out=None) -> Array:
        """Return J (6, n): angular then linear velocity of the link's origin, in root axes."""
        (q,), batch = states(self.n, q=q)
        frame = self._frame(link)
        J = self._each(lambda m, q: _on_root(frame, m) if frame.body < 0 else jacobian(
            m.geometry, m.G @ q + m.q0, frame.body, frame.T[:3, 3]) @ m.G, q, shape=(6, self.n))
        return store(J if batch else J[0], out)

    def jacobian_rate(self, q, qd, link: str | None = None, *, out=None) -> Array:
        """Return dJ/dt (6, n)."""
        (q, qd), batch = states(self.n, q=q, qd=qd)
        frame = self._frame(link)
        J = self._each(lambda m, q, qd: _on_root(frame, m) if frame.body < 0 else jacobian_rate(
            m.geometry, m.G @ q + m.q0, m.G @ qd, frame.body, frame.T[:3, 3]) @ m.G,
            q, qd, shape=(6, self.n))
        return store(J if batch else J[0], out)

    def manipulability(self, q, link: str | None = None, *, rows: Any = 'linear'):
        """Return sqrt(det(J J^T)) over the rows 'linear', 'angular', 'all' or a list of them."""
        picked = MANIPULABILITY_ROWS[choice('rows', rows, MANIPULABILITY_ROWS)] if isinstance(
            rows, str) else list(rows)
        if not picked or not all(isinstance(k, (int, np.integer)) and 0 <= k < 6 for k in picked):
            raise InputError(f'rows={rows!r}: expected row numbers from 0 to 5')
        J = self.jacobian(q, link)
        if J.ndim == 2:
            return manipulability(J[picked])
        return np.array([manipulability(state[picked]) for state in J])

    # New robots

    def with_payload(self, link: str, mass: float, com=(0.0, 0.0, 0.0), inertia=None) -> 'Robot':
        """Return the robot with a mass welded to a link.

        com (3,), inertia (3, 3) about it: in the link's frame [kg, m, kg m^2]
        """
        frame = self._frame(link)
        inertia = np.zeros((3, 3)) if inertia is None else vector('inertia', inertia, (3, 3))
        return self._with(with_payload(
            self._model, frame, number('mass', mass), vector('com', com, (3,)), inertia))

    def with_gravity(self, gravity) -> 'Robot':
        """Return the robot under another gravity, (3,) in root axes [m/s^2]."""
        return self._with_inertials(gravity=vector('gravity', gravity, (3,)))

    def with_base_motion(self, angular_velocity=(0, 0, 0), angular_acceleration=(0, 0, 0),
                         linear_acceleration=(0, 0, 0)) -> 'Robot':
        """Return the robot on a moving base, each (3,) in root axes [rad/s, rad/s^2, m/s^2]."""
        return self._with_inertials(
            base_angular_velocity=vector('angular_velocity', angular_velocity, (3,)),
            base_angular_acceleration=vector('angular_acceleration', angular_acceleration, (3,)),
            base_linear_acceleration=vector('linear_acceleration', linear_acceleration, (3,)))

    def _with_inertials(self, **changes: Array) -> 'Robot':
        inertials = self._model.inertials._replace(
            **{name: frozen(value) for name, value in changes.items()})
        return self._with(replace(self._model, inertials=inertials))

    def _with(self, model: Model) -> 'Robot':
        return Robot(model, self._table, self.warnings)

    # Inside

    def _each(self, function: Callable, *arguments, shape: tuple[int, ...] | None = None) -> Array:
        """Apply a function of (model, [name,] state...) to every state of the batches."""
        names = [argument for argument in arguments if isinstance(argument, str)]
        batches = arguments[len(names):]
        shape = (self.n,) if shape is None else shape
        result = np.zeros((len(batches[0]), *shape))
        if self.n:
            for k, state in enumerate(zip(*batches, strict=True)):
                result[k] = function(self._model, *names, *state)
        return result

    def _friction(self, qd: Array) -> Array:
        return friction_torque(self._model.damping, self._model.friction, qd)

    def _external(self, external: Mapping[str, Any] | None, q: Array) -> Array:
        """Return J^T w of all wrenches given, (N, n)."""
        total = np.zeros(q.shape)
        for link, wrench in (external or {}).items():
            frame = self._frame(link)
            w = np.asarray(wrench, float)
            w = np.broadcast_to(vector(f'external[{link!r}]', w, (*w.shape[:-1], 6)),
                                (len(q), 6))
            if frame.body >= 0:
                for k, state in enumerate(q):
                    total[k] += self._model.G.T @ external_torque(
                        self._model.geometry, self._model.G @ state + self._model.q0,
                        np.array([frame.body]), frame.T[None, :3, 3], w[None, k])
        return total

    def _frame(self, link: str | None) -> LinkFrame:
        frames = self._model.frames
        if link is None:
            tips = self.tip_names
            if len(tips) != 1:
                raise InputError(f'link: {self.name} has {len(tips)} tips, name one of: '
                                 + ', '.join(tips))
            return frames[tips[0]]
        if link not in frames:
            raise InputError(f'link={link!r}: {self.name} has ' + ', '.join(frames))
        return frames[link]


def _method(algorithm: str, table: Mapping[str, Callable], kind: str) -> str:
    return AUTO[kind] if algorithm == 'auto' else choice('algorithm', algorithm,
                                                         ['auto', *table])


def _on_root(frame: LinkFrame, model: Model) -> Array:
    return np.zeros((6, len(model.joint_names)))
