"""Many robots at once: blocks of four in machine code, those that meet a stop one by one."""

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.engine.running.calls import cores
from robot_dynamics.errors import InputError, RobotDynamicsError, RobotDynamicsWarning, warn
from robot_dynamics.inputs import choice, states
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.closed_holds import closed_holds
from robot_dynamics.simulation.fixed import STEPS
from robot_dynamics.simulation.gimbal import lock_walls
from robot_dynamics.simulation.joint_facts import joint_facts
from robot_dynamics.simulation.samples import Progress, Recording
from robot_dynamics.simulation.state_warnings import degrees_hint, warn_of_limits
from robot_dynamics.simulation.stepping import (
    SPARE,
    groups_of,
    relaxation,
    stable_step,
    steps_within,
)
from robot_dynamics.simulation.system import System
from robot_dynamics.simulation.tableaus import STABLE
from robot_dynamics.simulation.torque_laws import Constant, Law
from robot_dynamics.simulation.trajectory import Stopped, Trajectory

PART = 512  # robots between two reports of progress


def simulate_batch(robot: Dynamics, q0: Any, qd0: Any, law: Law, times: Array, sampled: bool, *,
                   method: str, step: float, limits: bool, restitution: float,
                   external: Mapping[str, Any] | None, events: Any, progress: Progress,
                   algorithm: str, saturate: bool, one: Callable[..., Trajectory]) -> Trajectory:
    """Return the motion of N robots; `one` simulates a single one."""
    choice('method', method, STEPS)
    if events is not None:
        raise InputError('events: are for one robot, not for a batch')
    tau = law.tau if isinstance(law, Constant) else None
    system = System(robot, law, external, algorithm)
    n, space = system.n, system.space
    (q, qd, torques), _ = states({'q0': system.nq, 'qd0': n, 'torque': n}, q0, qd0,
                                 np.zeros(n) if tau is None else tau)
    for number, row in enumerate(q if not space.flat else ()):
        space.check(row, f'0 of robot {number}')
    q = space.normalised(q)
    x = space.joint_values(q)
    grid = make_grid(times, sampled, step)
    bounds = limit_bounds(robot, limits, x[0])
    outside_error(robot, x, *bounds)
    warn_of_limits(robot, x)
    motion = [np.full((len(grid), *part.shape), np.nan) for part in (q, qd)]
    motion[0][0], motion[1][0] = q, qd
    if space.flat:
        whole = blocks(system, tau, q, qd, torques, grid, step, method, bounds[:2], motion,
                       progress)
    else:
        whole = curved(system, tau, q, qd, torques, grid, step, method, bounds[:2], limits, motion,
                       progress)
    whole &= ~((x < bounds[0]) | (x > bounds[1])).any(axis=1)  # on the other side of a wall
    alone: dict[int, Trajectory] = {}
    for k in np.flatnonzero(~whole):
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', RobotDynamicsWarning)
            try:
                alone[int(k)] = one(
                    robot, q[k], qd[k], law_of(law, torques[k]), grid, method=method, step=step,
                    limits=limits, restitution=restitution, external=external,
                    algorithm=algorithm, saturate=saturate)
            except RobotDynamicsError as error:
                raise type(error)(f'robot {k}: {error}') from None
        progress(k / len(q))
    trajectory = assemble(system, grid, motion, torques, whole, alone)
    if trajectory.stopped:
        warn(f'{len(trajectory.stopped)} of {len(q)} robots {trajectory.stopped[0]}')
    return trajectory


def make_grid(times: Array, sampled: bool, step: float) -> Array:
    """Return the instants of the samples: those that are wanted, or of all steps."""
    return times if sampled else times[0] + np.linspace(
        0.0, 1.0, steps_within(times[1] - times[0], step) + 1) * (times[1] - times[0])


def outside_error(robot: Dynamics, q: Array, lower: Array, upper: Array,
                  walls: Array | bool = False) -> None:
    """Raise `InputError` where a robot, q (N, n), begins outside its limits, which act."""
    lower, upper = np.broadcast_to(lower, q.shape), np.broadcast_to(upper, q.shape)
    outside = ((q < lower) | (q > upper)) & np.logical_not(walls)
    if outside.any():
        k, j = np.argwhere(outside)[0]
        raise InputError(f'q0: joint {robot.joint_names[j]!r} of robot {k} is at {q[k, j]:g}, '
                         f'outside its limits {lower[k, j]:g} to {upper[k, j]:g}; limits=False '
                         '(--no-limits) simulates without stops'
                         + degrees_hint(q[k, j], lower[k, j], upper[k, j]))


def blocks(system: System, tau: Array | None, q: Array, qd: Array, torques: Array, grid: Array,
           step: float, method: str, bounds: tuple[Array, Array], motion: list[Array],
           progress: Progress) -> Array:
    """Run what machine code can; return which robots are done, (N,)."""
    whole = np.zeros(len(q), bool)
    step = stable_step(system, method, q[0], step)
    relax = 1.0 if method in STABLE else relaxation(
        method, step * SPARE * system.decay_rate(q[0]))
    groups = groups_of(grid, step)
    easy = (tau is not None and len(groups) == 1 and not system.friction.any()
            and not system.external)
    found = system.compiled if easy else None
    if found is None:
        return whole
    from robot_dynamics.simulation.compiled import run_batch
    group = groups[0]
    for start in range(0, len(q), PART):
        part = slice(start, start + PART)
        q_part, qd_part, whole[part] = run_batch(
            found[0], found[1], method, q[part], qd[part], torques[part], group.h,
            group.intervals * group.steps, group.steps, bounds, cores(), relax)
        motion[0][1:, part] = q_part.transpose(1, 0, 2)
        motion[1][1:, part] = qd_part.transpose(1, 0, 2)
        progress(start / len(q))
    return whole


def curved(system: System, tau: Array | None, q: Array, qd: Array, torques: Array, grid: Array,
           step: float, method: str, bounds: tuple[Array, Array], limits: bool,
           motion: list[Array], progress: Progress) -> Array:
    """Do what `blocks` does where values move on a manifold: floating joints, closed loops."""
    from robot_dynamics.simulation.manifold_steps import manifold_steps
    groups = groups_of(grid, stable_step(system, method, q[0], step))
    steps = manifold_steps(system, method) if tau is not None and len(groups) == 1 else None
    if steps is None or steps.rubs:
        return np.zeros(len(q), bool)
    within, group = None, groups[0]
    if system.space.following:
        holds = closed_holds(system, limits, 0.0)
        bounds, within = holds.own_bounds, holds.within if holds.bounded else None
    q_all, qd_all, whole = steps.batch(
        q, qd, torques, group.h, group.intervals * group.steps, group.steps, bounds, within,
        lambda done: progress(done / len(q)))
    if within is not None:
        whole &= within(q)
    motion[0][1:], motion[1][1:] = q_all.swapaxes(0, 1), qd_all.swapaxes(0, 1)
    return whole


def law_of(law: Law, torque: Array) -> Any:
    """Return the torque argument of one robot."""
    if isinstance(law, Constant):
        return torque
    # mypy does not narrow by hasattr
    return (law.t, law.tau) if hasattr(law, 'tau') else law.function  # type: ignore[union-attr]


def limit_bounds(robot: Dynamics, limits: bool, q: Array) -> tuple[Array, Array, Array]:
    """Return where joints must stay, infinite where they need not, and which of it are walls.

    limits: whether the joint limits act as stops; q: a state, for gimbal lock
    """
    found = getattr(robot, 'limits', None)
    lower, upper, walls = lock_walls(robot, q)
    if limits and found is not None:
        walls &= (found.lower < lower) & (upper < found.upper)
        lower, upper = (np.where(walls, lower, found.lower), np.where(walls, upper, found.upper))
    return lower, upper, walls


def assemble(system: Any, grid: Array, motion: list[Array], torques: Array, whole: Array,
             alone: dict[int, Trajectory]) -> Trajectory:
    """Return the trajectory of a batch, what is beyond a robot's end left nan.

    whole: who went through in machine code, where only constant torques are; alone: the others
    """
    K, N, n = motion[1].shape
    parts: dict[str, Any] = {
        'q': motion[0], 'qd': motion[1], 'qdd': np.full((K, N, n), np.nan),
        'tau': np.full((K, N, n), np.nan), 'kinetic': np.full((K, N), np.nan),
        'potential': np.full((K, N), np.nan)}
    stopped: list[Stopped] = []
    if whole.any():
        q, qd = (part[:, whole].reshape(-1, part.shape[-1]) for part in motion)
        tau = np.broadcast_to(torques[whole], (K, whole.sum(), n))
        parts['tau'][:, whole] = tau
        try:
            qdd = system.accelerations(np.repeat(grid, whole.sum()), q, qd, tau.reshape(-1, n))
            parts['qdd'][:, whole] = qdd.reshape(tau.shape)
            energies = system.energies(q, qd)
            for name, energy in zip(('kinetic', 'potential'), energies, strict=True):
                parts[name][:, whole] = np.reshape(energy, (K, -1))
        except RobotDynamicsError:  # a sample of someone's has no acceleration
            alone.update((int(k), one_of(
                system, int(k), grid, [part[:, k] for part in motion], torques[k]))
                         for k in np.flatnonzero(whole))
    for k, found in alone.items():
        good = len(found.t)
        for name, part in parts.items():
            part[:good, k], part[good:, k] = getattr(found, name), np.nan
        stopped += [Stopped(end.time, end.reason, end.joint, k) for end in found.stopped]
    stopped.sort(key=lambda end: end.robot)
    return Trajectory(system.joint_names, grid, **parts, stopped=tuple(stopped),
                      value_names=system.space.value_names(system.joint_names),
                      joints=joint_facts(getattr(system, 'robot', None)))


def one_of(system: Any, k: int, grid: Array, motion: list[Array], torque: Array) -> Trajectory:
    """Return the trajectory of robot k of a batch, up to where it has accelerations."""
    law = Constant(torque)
    samples = Recording(list(grid), list(motion[0]), list(motion[1]), [None] * len(grid))
    return samples.trajectory(System(system.member(k), law, None, system.algorithm))
