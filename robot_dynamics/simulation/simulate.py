"""simulate: the motion of a robot under torques."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from robot_dynamics.dynamics import Dynamics, is_closed
from robot_dynamics.errors import InputError, RobotDynamicsError, warn
from robot_dynamics.inputs import choice, flag, number, positive, rank, vector
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.adaptive import SOLVERS, Adaptive, solver_options
from robot_dynamics.simulation.batches import limit_bounds, simulate_batch
from robot_dynamics.simulation.blow_up import BlowUpError
from robot_dynamics.simulation.closed import simulate_closed
from robot_dynamics.simulation.closed_holds import closed_holds
from robot_dynamics.simulation.events import EventFunction, crossings, make_events
from robot_dynamics.simulation.fixed import STEPS
from robot_dynamics.simulation.holds import Holds
from robot_dynamics.simulation.samples import Progress, Recording
from robot_dynamics.simulation.stacks import is_stack, simulate_stack
from robot_dynamics.simulation.state_warnings import (
    warn_of_limits,
    warn_of_reference,
    warn_of_saturation,
    warn_of_table,
)
from robot_dynamics.simulation.stepping import Stepping, check_step, steps_within
from robot_dynamics.simulation.system import System
from robot_dynamics.simulation.torque_laws import Constant, make_law
from robot_dynamics.simulation.trajectory import Trajectory

METHODS: dict[str, str] = {
    **{name: 'variable step' for name in SOLVERS}, **{name: 'fixed step' for name in STEPS}}

MOST_STEPS = 1e9  # they take hours


def simulate(robot: Dynamics, q0: Any, qd0: Any, torque: Any, t: Any, *, method: str = 'RK45',
             rtol: float = 1e-6, atol: float = 1e-9, step: float | None = None,
             limits: bool = True, restitution: float = 0.0, saturate: bool = True,
             external: Mapping[str, Any] | None = None, events: Any = None, dense: bool = False,
             progress: Any = None, algorithm: str = 'auto', near: Any = None) -> Trajectory:
    """Integrate the motion of a robot.

    q0, qd0: initial joint values (nq,) and rates (n,), or (N, nq) and (N, n) for many robots at
        once (fixed steps)
    torque: (n,) constant, a function or controller of (t, q, qd), a pair (times, torques), or a
        JointTrajectory-like table of efforts; None is none
    t: duration, or increasing times at which the motion is wanted, the first one the beginning [s]
    method: a name of METHODS; step: of fixed-step methods (1 ms), the longest of the others [s]
    limits: joint limits act as stops; restitution: rebound over impact speed, 0 to 1
    saturate: functions and controllers give no more than the effort limits, with a warning where
        they would; constant torques and tables act as they are given
    external: {link: wrench [n, f] on it at its origin, in root axes, (6,) or a function of t}
    events: functions of (t, q, qd) whose zeros are wanted; attributes terminal, direction
    dense: keep the solver's polynomials for Trajectory.at
    near: of mechanisms, joint values of the tree near which the motion begins, (L,) or (N, L)
    progress: a function that is told the part done, 0 to 1, now and then

    Dry friction is set-valued, unlike in forward_dynamics: a joint at rest under less than its
    friction torque stays, exactly (docs/simulation.md). A simulation that blows up ends early,
    with a warning: Trajectory.stopped says when, at which joint and why, and the last sample is
    the last good state. `InputError`: shapes, names, options that do not fit.

    >>> fall = rd.simulate(arm, [0, 0], [0, 0], None, 1.0)
    >>> bool(np.ptp(fall.energy) < 1e-4)
    True
    """
    choice('method', method, METHODS)
    flag('limits', limits)
    flag('saturate', saturate)
    positive('rtol', rtol)
    positive('atol', atol)
    if not hasattr(robot, 'joint_names'):
        raise InputError(f'robot: expected a Robot, found {type(robot).__name__}')
    if not (some('q0', q0) and some('qd0', qd0)):
        raise InputError(f'q0, qd0: shapes {np.shape(q0)}, {np.shape(qd0)}: no robots')
    times, sampled = make_times(t)
    warn_of_reference(robot, torque, times)
    if is_closed(robot):
        return simulate_closed(
            robot, q0, qd0, torque, t, near, simulate, method=method, rtol=rtol, atol=atol,
            step=step, limits=limits, restitution=restitution, saturate=saturate,
            external=external, events=events, dense=dense, progress=progress,
            algorithm=algorithm)
    if near is not None:
        raise InputError(f'near: is for mechanisms: {robot.name} has no loops')
    names = tuple(robot.joint_names)
    if not names:
        raise InputError(f'robot: {robot.name} has no joints that could move')
    stacked = is_stack(robot)
    law = make_law(torque, names, effort_limit(robot) if saturate and not stacked else None)
    if step is not None and (times[-1] - times[0]) / positive('step', step) > MOST_STEPS:
        raise InputError(f'step={step:g}: too small for {times[-1] - times[0]:g} s')
    if stacked or rank('q0', q0) == 2 or rank('qd0', qd0) == 2:
        many: Callable[..., Trajectory] = simulate_stack if stacked else simulate_batch
        return many(
            robot, q0, qd0, law, times, sampled, method=method, step=check_step(step),
            limits=limits, restitution=check_restitution(restitution), external=external,
            events=events, progress=Progress(progress), algorithm=algorithm, saturate=saturate,
            one=simulate)
    system = System(robot, law, external, algorithm)
    q = vector('q0', q0, (system.nq,), names)
    qd = vector('qd0', qd0, (len(names),), names)
    system.space.check(q, '0')
    q = system.space.normalised(q)
    if isinstance(law, Constant) and law.tau.ndim == 2:
        raise InputError(f'torque: shape {law.tau.shape}: expected ({len(names)},)')
    holds = make_holds(system, limits, check_restitution(restitution), q)
    if holds is not None:
        holds.check(q)
    warn_of_limits(robot, system.space.joint_values(q))
    q, qd = start(system, holds, float(times[0]), q, qd)
    functions, report = make_events(events), Progress(progress)
    if method in SOLVERS:
        run = Adaptive(system, holds, functions, method, solver_options(rtol, atol, step, method),
                       dense=dense, progress=report)
        samples = run.run(q, qd, float(times[0]), float(times[-1]), times if sampled else None)
    else:
        warn_of_table(law, check_step(step))
        samples = run_fixed(Stepping(system, holds, method, report), q, qd, times, sampled,
                            check_step(step), functions)
    warn_of_saturation(law)
    return finish(samples, system)


def some(name: str, value: Any) -> bool:
    """Tell whether there is a state, or more than none."""
    return rank(name, value) != 2 or len(value) > 0


def run_fixed(stepping: Stepping, q: Array, qd: Array, times: Array, sampled: bool, step: float,
              functions: list[EventFunction]) -> Recording:
    """Integrate with fixed steps; where events are wanted, every step is a sample at first."""
    grid = times if sampled and not functions else fine_grid(times, step)
    samples = stepping.run(q, qd, grid, step)
    if functions:
        find_events(samples, stepping, functions)
        if sampled:
            select(samples, times)
    return samples


def fine_grid(times: Array, step: float) -> Array:
    """Return the instants of all steps."""
    parts = [np.linspace(a, b, steps_within(b - a, step) + 1)[:-1]
             for a, b in zip(times[:-1], times[1:], strict=True)]
    return np.concatenate([*parts, times[-1:]])


def find_events(samples: Recording, stepping: Stepping, functions: list[EventFunction]) -> None:
    """Find the zeros of event functions between samples; a terminal one cuts the motion."""
    system = stepping.system
    trajectory = samples.trajectory(system)
    t = trajectory.t
    for k in range(len(t) - 1):
        two = slice(k, k + 2)

        def state(x: float, two: slice = two) -> tuple[Array, Array]:
            return trajectory.between(np.array([x]), two)
        found, over = crossings(functions, lambda x: state(x)[0][0], lambda x: state(x)[1][0],
                                t[k], t[k + 1])
        samples.events += found
        if over:
            last = found[-1]
            samples.t[k + 1:], samples.q[k + 1:], samples.qd[k + 1:] = (
                [last.t], [last.q], [last.qd])
            samples.modes[k + 1:] = [samples.modes[k]]
            samples.stopped = None
            return


def select(samples: Recording, times: Array) -> None:
    """Keep the samples at these times, and the last one where an event came first."""
    wanted = set(times.tolist())
    keep = [k for k, t in enumerate(samples.t) if t in wanted]
    if samples.t[-1] < times[-1] and keep[-1] != len(samples.t) - 1:
        keep.append(len(samples.t) - 1)
    for name in ('t', 'q', 'qd', 'modes'):
        setattr(samples, name, [getattr(samples, name)[k] for k in keep])


def start(system: System, holds: Holds | None, t: float, q: Array,
          qd: Array) -> tuple[Array, Array]:
    """Return the first state as it goes on: what is wrong there is an error of the caller's."""
    try:
        if holds is not None:
            q, qd = holds.settle(t, q, qd)
        (system if holds is None else holds).acceleration(t, q, qd)
        return q, qd
    except BlowUpError as error:
        if isinstance(error.__cause__, RobotDynamicsError):
            raise error.__cause__ from None
        raise InputError(f'q0, qd0: {error}') from None


def finish(samples: Recording, system: System) -> Trajectory:
    """Return the trajectory; warn where it ended early."""
    trajectory = samples.trajectory(system)
    if samples.stopped is not None:
        warn(f'the simulation {samples.stopped}')
    return trajectory


def make_times(t: Any) -> tuple[Array, bool]:
    """Return [0, duration], or the times given, and whether samples are wanted at them."""
    if (dimensions := rank('t', t)) <= 1 and np.asarray(t).dtype == bool:
        raise InputError(f't={t}: expected a duration or times [s]')
    if dimensions == 0:
        duration = number('t', t)
        if duration <= 0:
            raise InputError(f't={duration:g}: expected a positive duration')
        return np.array([0.0, duration]), False
    times = vector('t', t, (len(t),)) if dimensions == 1 else vector('t', t, (0,))
    if len(times) < 2 or np.any(np.diff(times) <= 0):
        raise InputError('t: expected two or more increasing times')
    return times, True


def make_holds(system: System, limits: bool, restitution: float, q: Array) -> Holds | None:
    """Return what holds the joints, None where there are neither friction nor stops nor walls."""
    if system.space.following:
        holds = closed_holds(system, limits, restitution)
        return holds if holds.bounded or holds.rubs else None
    lower, upper, walls = limit_bounds(system.robot, limits, system.space.joint_values(q))
    if not (np.isfinite(lower).any() or np.isfinite(upper).any() or system.friction.any()):
        return None
    return Holds(system, lower, upper, restitution, walls=walls)


def effort_limit(robot: Dynamics) -> Array | None:
    """Return the most that the motors give, (n,); a limit of zero is none, None: no limits."""
    limits = getattr(robot, 'limits', None)
    if limits is None:
        return None
    effort = np.array(limits.effort, float)
    effort[effort == 0.0] = np.inf  # so URDFs say that they do not know
    return effort if np.isfinite(effort).any() else None


def check_restitution(restitution: float) -> float:
    """Return the coefficient of restitution."""
    value = number('restitution', restitution)
    if not 0 <= value <= 1:
        raise InputError(f'restitution={value:g}: expected 0 to 1')
    return value
