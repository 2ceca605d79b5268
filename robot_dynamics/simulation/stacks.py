"""Stacks in motion: every robot of a stack its own, blocks of four in machine code."""

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol, TypeGuard

import numpy as np

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.engine.running.calls import cores
from robot_dynamics.engine.stacks.kernels import StackKernels
from robot_dynamics.errors import InputError, RobotDynamicsWarning, warn
from robot_dynamics.inputs import choice, states
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.batches import PART, assemble, law_of, make_grid, outside_error
from robot_dynamics.simulation.fixed import STEPS
from robot_dynamics.simulation.gimbal import pitch_joints
from robot_dynamics.simulation.samples import Progress
from robot_dynamics.simulation.state_warnings import warn_of_limits
from robot_dynamics.simulation.stepping import SPARE, groups_of, relaxation
from robot_dynamics.simulation.tableaus import STABLE
from robot_dynamics.simulation.torque_laws import Constant, Law
from robot_dynamics.simulation.trajectory import Trajectory


class StackDynamics(Dynamics, Protocol):
    """Robots of one structure: verbs take a state for each."""

    @property
    def kernels(self) -> StackKernels:
        """Their compiled functions."""

    @property
    def damping(self) -> Array:
        """Damping of each robot's joints, (N, n)."""

    @property
    def friction(self) -> Array:
        """Dry friction of each robot's joints, (N, n)."""

    def __len__(self) -> int:
        """Return the number of robots."""

    def __getitem__(self, index: Any) -> Any:
        """Return robot i, or the stack of some."""

    def alone(self, i: int) -> Dynamics:
        """Return robot i with kernels that all share."""


def is_stack(robot: Dynamics) -> TypeGuard[StackDynamics]:
    """Tell whether this is a stack of robots."""
    return isinstance(getattr(robot, 'kernels', None), StackKernels)


class StackSystem:
    """The robots of a stack that machine code took through, as `assemble` sees them."""

    def __init__(self, stack: StackDynamics, whole: Array, algorithm: str) -> None:
        self.stack, self.algorithm = stack, algorithm
        self.joint_names = tuple(stack.joint_names)
        self.space = stack.kernels.spec.coordinates
        if whole.any():  # a run must not change its rounding
            self.some: StackDynamics = stack[whole]
            self.some.kernels.compiled('energies')

    def member(self, k: int) -> Dynamics:
        """Return robot k."""
        return self.stack.alone(k)

    def accelerations(self, t: Array, q: Array, qd: Array, tau: Array) -> Array:
        """Return qdd of states (K M, n), those of all M robots at every instant."""
        parts = [np.ascontiguousarray(x).reshape(-1, len(self.some), x.shape[1])
                 for x in (q, qd, tau)]
        return np.concatenate([self.some.forward_dynamics(*state, algorithm=self.algorithm)
                               for state in zip(*parts, strict=True)])

    def energies(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return kinetic and potential energy of the same states, (K M,) each."""
        found = [self.some.kernels.evaluate('energies', state) for state in zip(
            *(x.reshape(-1, len(self.some), x.shape[1]) for x in (q, qd)), strict=True)]
        kinetic, potential = (np.concatenate([pair[k] for pair in found]) for k in (0, 1))
        return kinetic, potential


def simulate_stack(stack: StackDynamics, q0: Any, qd0: Any, law: Law, times: Array,
                   sampled: bool, *, method: str, step: float, limits: bool, restitution: float,
                   external: Mapping[str, Any] | None, events: Any, progress: Progress,
                   algorithm: str, saturate: bool, one: Callable[..., Trajectory]) -> Trajectory:
    """Return the motion of a stack's robots; `one` simulates a single one."""
    choice('method', method, STEPS)
    if events is not None:
        raise InputError('events: are for one robot, not for a stack')
    n, N, space = stack.n, len(stack), stack.kernels.spec.coordinates
    tau = law.tau if isinstance(law, Constant) else None
    given, batch = states({'q0': space.nq, 'qd0': n, 'torque': n}, q0, qd0,
                          np.zeros(n) if tau is None else tau)
    if batch and len(given[0]) != N:
        raise InputError(f'q0, qd0, torque: {len(given[0])} states for a stack of {N} robots: '
                         'expected one for each, or one for all')
    q, qd, torques = (np.ascontiguousarray(np.broadcast_to(x, (N, x.shape[1]))) for x in given)
    for number, row in enumerate(q if not space.flat else ()):
        space.check(row, f'0 of robot {number}')
    q = space.normalised(q)
    x = space.joint_values(q)
    grid = make_grid(times, sampled, step)
    infinite = np.full((N, n), np.inf)
    bounds = (np.broadcast_to(stack.limits.lower, (N, n)),
              np.broadcast_to(stack.limits.upper, (N, n))) if limits else (-infinite, infinite)
    outside_error(stack, x, *bounds)
    warn_of_limits(stack, x)
    motion = [np.full((len(grid), *part.shape), np.nan) for part in (q, qd)]
    motion[0][0], motion[1][0] = q, qd
    easy = tau is not None and not external and space.flat and not pitch_joints(
        stack.joint_names).any()
    whole = np.zeros(N, bool)
    if easy and not stack.friction.any():
        whole = blocks(stack, q, qd, torques, grid, step, method, bounds, motion, progress,
                       algorithm)
    alone: dict[int, Trajectory] = {}
    for k in np.flatnonzero(~whole):
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', RobotDynamicsWarning)
            alone[int(k)] = one(
                stack.alone(int(k)), q[k], qd[k], law_of(law, torques[k]), grid, method=method,
                step=step, limits=limits, restitution=restitution, external=external,
                algorithm=algorithm, saturate=saturate)
        progress(k / N)
    trajectory = assemble(StackSystem(stack, whole, algorithm), grid, motion, torques, whole,
                          alone)
    if trajectory.stopped:
        warn(f'{len(trajectory.stopped)} of {N} robots {trajectory.stopped[0]}')
    return trajectory


def blocks(stack: StackDynamics, q: Array, qd: Array, torques: Array, grid: Array, step: float,
           method: str, bounds: tuple[Array, Array], motion: list[Array], progress: Progress,
           algorithm: str) -> Array:
    """Run what machine code can; return which robots are done, (N,)."""
    N = len(q)
    groups = groups_of(grid, step)
    kernels = stack.kernels if algorithm == 'auto' else stack.kernels.variant(algorithm=algorithm)
    found = kernels.compiled('forward_dynamics') if len(groups) == 1 else None
    if found is None:
        return np.zeros(N, bool)
    from robot_dynamics.simulation.compiled import run_batch
    kernel, table = found
    group, whole = groups[0], undamped(stack, q, step, method)

    for start in range(0, N, PART):
        part, own = slice(start, start + PART), kernel.at(table, start)
        q_part, qd_part, done = run_batch(
            kernel, partial(kernel.prepared, own), method, q[part],
            qd[part], torques[part], group.h, group.intervals * group.steps, group.steps,
            (bounds[0][part], bounds[1][part]), cores())
        whole[part] &= done
        motion[0][1:, part] = q_part.transpose(1, 0, 2)
        motion[1][1:, part] = qd_part.transpose(1, 0, 2)
        progress(start / N)
    return whole


def undamped(stack: StackDynamics, q: Array, step: float, method: str) -> Array:
    """Tell which robots damping leaves the plain steps of a method, (N,)."""
    root = np.sqrt(np.abs(stack.damping))
    if not root.any():
        return np.ones(len(q), bool)
    try:
        rates = root[:, :, None] * np.linalg.inv(stack.inertia_matrix(q)) * root[:, None, :]
    except np.linalg.LinAlgError:
        return np.zeros(len(q), bool)
    decay = SPARE * np.abs(np.linalg.eigvalsh(rates)).max(axis=1)
    if method in STABLE:
        good: Array = step * decay <= STABLE[method]
        return good
    return np.array([relaxation(method, step * rate) == 1.0 for rate in decay])
