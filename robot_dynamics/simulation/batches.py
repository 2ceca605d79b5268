"""Many robots at once: blocks of four in machine code, those that meet a stop one by one."""

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from robot_dynamics.engine.calls import cores
from robot_dynamics.errors import InputError, RobotDynamicsWarning
from robot_dynamics.inputs import choice, states
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.fixed import STEPS
from robot_dynamics.simulation.samples import Progress
from robot_dynamics.simulation.stepping import groups_of
from robot_dynamics.simulation.system import System
from robot_dynamics.simulation.torque_laws import Constant, Law
from robot_dynamics.simulation.trajectory import Stopped, Trajectory

PART = 512  # robots between two reports of progress


def simulate_batch(robot: Any, q0: Any, qd0: Any, law: Law, times: Array, sampled: bool, *,
                   method: str, step: float, limits: bool, restitution: float,
                   external: Mapping[str, Any] | None, events: Any, progress: Progress,
                   algorithm: str, one: Callable) -> Trajectory:
    """Return the motion of N robots; `one` simulates a single one."""
    choice('method', method, STEPS)
    if events is not None:
        raise InputError('events: are for one robot, not for a batch')
    tau = law.tau if isinstance(law, Constant) else None
    (q, qd, torques), _ = states(len(robot.joint_names), q0=q0, qd0=qd0,
                                 torque=np.zeros(len(robot.joint_names)) if tau is None else tau)
    system = System(robot, law, external, algorithm)
    grid = times if sampled else times[0] + np.linspace(
        0.0, 1.0, int(np.ceil((times[1] - times[0]) / step * (1 - 1e-12))) + 1) * (
            times[1] - times[0])
    bounds = limit_bounds(robot, limits)
    if np.any((q < bounds[0]) | (q > bounds[1])):
        k, j = np.argwhere((q < bounds[0]) | (q > bounds[1]))[0]
        raise InputError(f'q0: joint {robot.joint_names[j]!r} of robot {k} is at {q[k, j]:g}, '
                         'outside its limits, and these are on')
    motion = np.full((2, len(grid), *q.shape), np.nan)
    motion[:, 0] = q, qd
    whole = blocks(system, tau, q, qd, torques, grid, step, method, bounds, motion, progress)
    stopped: list[Stopped] = []
    for k in np.flatnonzero(~whole):
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', RobotDynamicsWarning)
            alone = one(robot, q[k], qd[k], law_of(law, torques[k]), grid, method=method,
                        step=step, limits=limits, restitution=restitution, external=external,
                        algorithm=algorithm)
        motion[0, :len(alone.t), k], motion[1, :len(alone.t), k] = alone.q, alone.qd
        motion[:, len(alone.t):, k] = np.nan
        stopped += [Stopped(end.time, end.reason, end.joint, int(k)) for end in alone.stopped]
        progress(k / len(q))
    if stopped:
        warnings.warn(f'{len(stopped)} of {len(q)} robots {stopped[0]}', RobotDynamicsWarning,
                      stacklevel=3)
    return assemble(system, grid, motion, torques if tau is not None else None, tuple(stopped))


def blocks(system: System, tau: Array | None, q: Array, qd: Array, torques: Array, grid: Array,
           step: float, method: str, bounds: tuple[Array, Array], motion: Array,
           progress: Progress) -> Array:
    """Run what machine code can; return which robots are done, (N,)."""
    whole = np.zeros(len(q), bool)
    groups = groups_of(grid, step)
    found = system.compiled if tau is not None and len(groups) == 1 else None
    if found is None:
        return whole
    from robot_dynamics.simulation.compiled import run_batch
    group = groups[0]
    for start in range(0, len(q), PART):
        part = slice(start, start + PART)
        q_part, qd_part, whole[part] = run_batch(
            found[0], found[1], method, q[part], qd[part], torques[part], group.h,
            group.intervals * group.steps, group.steps, bounds, cores())
        motion[0, 1:, part] = q_part.transpose(1, 0, 2)
        motion[1, 1:, part] = qd_part.transpose(1, 0, 2)
        progress(start / len(q))
    return whole


def law_of(law: Law, torque: Array) -> Any:
    """Return the torque argument of one robot."""
    if isinstance(law, Constant):
        return torque
    # mypy does not narrow by hasattr
    return (law.t, law.tau) if hasattr(law, 'tau') else law.function  # type: ignore[union-attr]


def limit_bounds(robot: Any, limits: bool) -> tuple[Array, Array]:
    """Return the joint limits, infinite where they shall not act."""
    found = getattr(robot, 'limits', None)
    if not limits or found is None:
        n = len(robot.joint_names)
        return np.full(n, -np.inf), np.full(n, np.inf)
    return np.array(found.lower, float), np.array(found.upper, float)


def assemble(system: System, grid: Array, motion: Array, torques: Array | None,
             stopped: tuple[Stopped, ...]) -> Trajectory:
    """Return the trajectory of a batch, what is beyond a robot's end left nan."""
    K, N, n = motion.shape[1:]
    q, qd = (part.reshape(-1, n) for part in motion)
    t = np.repeat(grid, N)
    good = np.isfinite(q).all(axis=1)
    tau, qdd = np.full((2, K * N, n), np.nan)
    energies = np.full((2, K * N), np.nan)
    if torques is not None:
        tau[good] = np.tile(torques, (K, 1))[good]
    else:
        tau[good] = system.torques(t[good], q[good], qd[good])
    qdd[good] = system.accelerations(t[good], q[good], qd[good], tau[good])
    energies[:, good] = system.energies(q[good], qd[good])
    return Trajectory(
        system.joint_names, grid, motion[0], motion[1], qdd.reshape(K, N, n),
        tau.reshape(K, N, n), energies[0].reshape(K, N), energies[1].reshape(K, N),
        stopped=stopped)
