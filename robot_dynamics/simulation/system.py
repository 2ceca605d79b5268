"""The equations of motion as an integrator sees them: qdd of (t, q, qd) for one robot."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from robot_dynamics.algorithms import FORWARD
from robot_dynamics.dynamics import Dynamics
from robot_dynamics.engine import Kernels
from robot_dynamics.engine.bound import Bound
from robot_dynamics.errors import InputError, SingularityError
from robot_dynamics.inputs import choice
from robot_dynamics.model.coordinates import Coordinates
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.linear import Linear
from robot_dynamics.simulation.blow_up import BlowUpError
from robot_dynamics.simulation.pulls import make_wrenches
from robot_dynamics.simulation.tableaus import RUNAWAY
from robot_dynamics.simulation.torque_laws import Law

OPEN = 'the loops are singular there'


class System:
    """A robot, what drives it and what pulls on its links.

    The robot is anything with joint_names, forward_dynamics, inertia_matrix, jacobian and the
    energies; where it has a DeNOC model, its compiled kernels answer.
    """

    def __init__(self, robot: Dynamics, law: Law, external: Mapping[str, Any] | None,
                 algorithm: str = 'auto'):
        self.robot = robot
        self.law = law
        self.algorithm = algorithm
        self.joint_names = tuple(robot.joint_names)
        self.n = len(self.joint_names)
        self.external = make_wrenches(robot, external)
        self.kernels = make_kernels(robot)
        self.dynamics: Bound | None = self.kernels
        if self.kernels is not None and algorithm != 'auto':
            self.dynamics = self.kernels.variant(
                algorithm=choice('algorithm', algorithm, FORWARD))
        model = getattr(robot, 'model', None)
        self.space: Coordinates = Linear(np.eye(self.n), np.zeros(self.n)) if (
            model is None) else getattr(robot, 'space', model.coordinates)
        self.nq = self.space.nq
        none = np.zeros(self.n)
        rubs = np.array(model.friction) if model is not None else none
        self.friction = rubs if self.space.following else self.space.own(rubs)
        drags = np.array(model.damping) if model is not None else none
        self.joint_damping = drags if self.space.following else self.space.own(drags)
        self.damping = none if model is None else self.space.own(drags)
        if self.dynamics is not None:  # a run must not change its rounding
            if self.friction.any() and not self.space.following:
                self.held_kernel()
            else:
                self.dynamics.compiled('forward_dynamics')
            if self.pull is not None:
                self.pull.compiled('external_torque')

    def member(self, k: int) -> Dynamics:
        """Return robot k of a batch: the same for all."""
        return self.robot

    def torque(self, t: float, q: Array, qd: Array) -> Array:
        """Return what the motors give."""
        return self.law(t, q, qd)

    def total_torque(self, t: float, q: Array, qd: Array) -> Array:
        """Return what motors and wrenches give; `BlowUpError` at a state that runs away."""
        if not (np.isfinite(q).all() and np.isfinite(qd).all()):
            raise BlowUpError(OPEN if self.space.following and np.isfinite(qd).all()
                              else 'the state is not finite')
        if np.abs(qd).max(initial=0.0) > RUNAWAY:
            raise BlowUpError('the joint rates run away')
        tau = self.law(t, q, qd)
        if self.external:
            tau = tau + self.pulled(q, [wrench(t) for wrench in self.external.values()])
        return tau

    def pulled(self, q: Array, wrenches: list[Array]) -> Array:
        """Return what wrenches [n, f] on the links of `external` do to the joints: J^T w."""
        if self.pull is not None:
            torque: Array = self.pull.evaluate('external_torque', (q, *wrenches))
            return torque
        return sum((np.einsum('...ij,...i->...j', self.robot.jacobian(q, link), wrench)
                    for link, wrench in zip(self.external, wrenches, strict=True)),
                   np.zeros(self.n))

    def acceleration(self, t: float, q: Array, qd: Array) -> Array:
        """Return qdd of a robot that nothing holds; `BlowUpError` where there is none."""
        tau = self.total_torque(t, q, qd)
        try:
            return self.forward(q, qd, tau)
        except (SingularityError, InputError) as error:  # the state is to blame: tau was checked
            raise BlowUpError(str(error)) from error

    def held(self, q: Array, qd: Array, tau: Array, free: Array) -> Array:
        """Return qdd where free is 1, the reaction where it is 0; one state or a batch.

        Without dry friction: it is part of tau, or of the reaction.
        """
        try:
            if not self.friction.any() and free.all():
                return self.forward(q, qd, tau)
            if self.held_kernel() is not None:
                assert self.kernels is not None
                answer: Array = self.kernels.evaluate('held_dynamics', (q, qd, tau, free))
                return answer
            return self.held_by_matrix(q, qd, tau, free)
        except (SingularityError, InputError) as error:
            raise BlowUpError(str(error)) from error

    def held_by_matrix(self, q: Array, qd: Array, tau: Array, free: Array) -> Array:
        """Return what `held` does for robots without its kernel: from the GIM and the bias."""
        rest = tau - self.damping * qd - self.robot.bias(q, qd)
        I, one = np.array(self.robot.inertia_matrix(q)), q.ndim == 1
        answers = []
        for I_k, b, moves in zip(I[None] if one else I, np.atleast_2d(rest),
                                 np.atleast_2d(np.broadcast_to(free, qd.shape)) > 0, strict=True):
            qdd = np.zeros(self.n)
            try:
                qdd[moves] = np.linalg.solve(I_k[np.ix_(moves, moves)], b[moves])
            except np.linalg.LinAlgError:
                raise BlowUpError('the generalized inertia matrix is singular') from None
            answers.append(np.where(moves, qdd, I_k @ qdd - b))
        return answers[0] if one else np.array(answers)

    def held_kernel(self) -> Any:
        """Return (kernel, prepared parameters) of the dynamics with joints held, or None."""
        return None if self.kernels is None else self.kernels.compiled('held_dynamics')

    def decay_rate(self, q: Array, free: Array | None = None) -> float:
        """Return the fastest decay by damping, rho(I^-1 damping) [1/s]; inf at a singularity.

        free: as in holds.Modes; None: all joints move, as the fastest of mechanisms do
        """
        if self.space.following:
            return self.decay_of_loops(q)
        moves = np.full(self.n, True) if free is None else free > 0
        root = np.sqrt(np.abs(self.damping[moves]))
        if not root.any():
            return 0.0
        try:
            I = self.matrix(q)[np.ix_(moves, moves)]
            rates = root[:, None] * np.linalg.solve(I, np.diag(root))
        except np.linalg.LinAlgError:
            return np.inf
        return float(np.abs(np.linalg.eigvals(rates)).max())

    def decay_of_loops(self, q: Array) -> float:
        """Return what `decay_rate` does where passive joints are damped: rho(I^-1 N^T d N)."""
        assert self.kernels is not None
        damping = self.joint_damping
        if not damping.any():
            return 0.0
        N = self.kernels.evaluate('complement', (q,))
        try:
            rates = np.linalg.solve(self.matrix(q), N.T @ (damping[:, None] * N))
        except np.linalg.LinAlgError:
            return np.inf
        return float(np.abs(np.linalg.eigvals(rates)).max(initial=0.0))

    def matrix(self, q: Array) -> Array:
        """Return the generalized inertia matrix."""
        return np.array(self.robot.inertia_matrix(q))

    def forward(self, q: Array, qd: Array, tau: Array) -> Array:
        """Return forward dynamics, of one state or a batch."""
        if self.dynamics is None:
            return self.robot.forward_dynamics(q, qd, tau, algorithm=self.algorithm)
        qdd: Array = self.dynamics.forward_dynamics(q, qd, tau, None)
        if qdd is None:
            qdd = self.dynamics.evaluate('forward_dynamics', (q, qd, tau))
        return qdd

    def energies(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return kinetic and potential energy of states (K, n), each (K,)."""
        if self.kernels is not None:
            found: tuple[Array, Array] = self.kernels.evaluate('energies', (q, qd))
            return found
        return self.robot.kinetic_energy(q, qd), self.robot.potential_energy(q)

    def torques(self, t: Array, q: Array, qd: Array) -> Array:
        """Return the motors' torques at states (K, n) of instants (K,)."""
        if hasattr(self.law, 'at'):
            return np.array(self.law.at(t), float).reshape(qd.shape)
        return np.array([self.law(x, a, b) for x, a, b in zip(t, q, qd, strict=True)]
                        ).reshape(qd.shape)

    def accelerations(self, t: Array, q: Array, qd: Array, tau: Array, free: Array | None = None,
                      sliding: Array | None = None) -> Array:
        """Return qdd at states (K, n) under torques (K, n) and the wrenches.

        free, sliding: as in holds.Modes, (K, joints) each, None where nothing holds joints
        """
        if not len(t):
            return np.zeros_like(qd)
        if self.space.following and not np.isfinite(q).all():
            raise BlowUpError(OPEN)
        q, qd, total = np.ascontiguousarray(q), np.ascontiguousarray(qd), tau
        if self.external:
            total = tau + self.pulled(q, [np.array([wrench(x) for x in t])
                                          for wrench in self.external.values()])
        if free is None or sliding is None:
            return self.forward(q, qd, np.ascontiguousarray(total))
        if self.space.following:
            from robot_dynamics.simulation.closed_holds import held_motion  # it stands above
            return np.array([held_motion(self, *state)[0] for state in zip(
                q, qd, np.broadcast_to(total, qd.shape), free, sliding, strict=True)])
        return self.held(q, qd, np.ascontiguousarray(total + sliding), free) * free

    @cached_property
    def drive(self) -> Any:
        """What drives compiled loops (drives.py), None where only Python knows it."""
        from robot_dynamics.simulation.drives import make_drive  # it needs the compiler
        return make_drive(self)

    @cached_property
    def pull(self) -> Any:
        """The kernels with the links of the wrenches compiled in, None without."""
        model = getattr(self.robot, 'model', None)
        if self.kernels is None or not self.external:
            return None
        assert model is not None
        return self.kernels.variant(frames=tuple(
            (model.frames[link].body, tuple(model.frames[link].T[:3, 3].tolist()))
            for link in self.external))

    def kernels_of(self, robot: Dynamics) -> Kernels | None:
        """Return the kernels of a control law's robot, which has as many joints."""
        if robot is self.robot:
            return self.kernels
        model = getattr(robot, 'model', None)
        own = model is not None and model.coordinates.flat and robot.n == self.n
        return bare_kernels(robot) if own else None

    @property
    def compiled(self) -> Any:
        """Return (kernel, prepared parameters) of forward dynamics for compiled loops, or None."""
        return None if self.drive is None or self.dynamics is None else (
            self.dynamics.compiled('forward_dynamics'))


def make_kernels(robot: Dynamics) -> Kernels | None:
    """Return the compiled dynamics of a robot that has a model, ready for use."""
    kernels = bare_kernels(robot)
    if kernels is not None:
        kernels.compiled('energies')
    return kernels


def bare_kernels(robot: Dynamics) -> Kernels | None:
    """Return the kernels of a robot that has a model, compiled as they are asked for."""
    kernels: Kernels | None = getattr(robot, 'kernels', None)
    if kernels is not None:
        return kernels
    model = getattr(robot, 'model', None)
    if model is None or not len(model.joint_names):
        return None
    return Kernels(model.geometry, model.inertials, model.coordinates, model.joint_names,
                   damping=model.damping, friction=model.friction)
