"""simulate: the motion of a robot under torques."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError, RobotDynamicsError, RobotDynamicsWarning
from robot_dynamics.inputs import choice, flag, number, positive, rank, vector
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.adaptive import SOLVERS, Adaptive, solver_options
from robot_dynamics.simulation.batches import simulate_batch
from robot_dynamics.simulation.events import crossings, make_events
from robot_dynamics.simulation.fixed import STEPS
from robot_dynamics.simulation.samples import Progress, Samples
from robot_dynamics.simulation.stepping import Stepping, check_step
from robot_dynamics.simulation.stops import Stops
from robot_dynamics.simulation.system import BlowUpError, System
from robot_dynamics.simulation.torque_laws import Constant, make_law
from robot_dynamics.simulation.trajectory import Trajectory, hermite

METHODS: dict[str, str] = {
    **{name: 'variable step' for name in SOLVERS}, **{name: 'fixed step' for name in STEPS}}

MOST_STEPS = 1e9  # they take hours


def simulate(robot: Any, q0: Any, qd0: Any, torque: Any, t: Any, *, method: str = 'RK45',
             rtol: float = 1e-6, atol: float = 1e-9, step: float | None = None,
             limits: bool = True, restitution: float = 0.0,
             external: Mapping[str, Any] | None = None, events: Any = None, dense: bool = False,
             progress: Any = None, algorithm: str = 'auto') -> Trajectory:
    """Integrate the motion of a robot.

    q0, qd0: initial joint values and rates, (n,), or (N, n) for many robots at once (fixed steps)
    torque: (n,) constant, a function or controller of (t, q, qd), a pair (times, torques), or a
        JointTrajectory-like table of efforts; None is none
    t: duration, or increasing times at which the motion is wanted, the first one the beginning [s]
    method: a name of METHODS; step: of fixed-step methods (1 ms), the longest of the others [s]
    limits: joint limits act as stops; restitution: rebound over impact speed, 0 to 1
    external: {link: wrench [n, f] on it at its origin, in root axes, (6,) or a function of t}
    events: functions of (t, q, qd) whose zeros are wanted; attributes terminal, direction
    dense: keep the solver's polynomials for Trajectory.at
    progress: a function that is told the part done, 0 to 1, now and then

    A simulation that blows up ends early, with a warning: Trajectory.stopped says when, at which
    joint and why, and the last sample is the last good state.
    """
    choice('method', method, METHODS)
    flag('limits', limits)
    if not hasattr(robot, 'joint_names'):
        raise InputError(f'robot: expected a Robot, found {type(robot).__name__}')
    names = tuple(robot.joint_names)
    if not names:
        raise InputError(f'robot: {robot.name} has no joints that could move')
    law = make_law(torque, names)
    times, sampled = make_times(t)
    if step is not None and (times[-1] - times[0]) / positive('step', step) > MOST_STEPS:
        raise InputError(f'step={step:g}: too small for {times[-1] - times[0]:g} s')
    if rank('q0', q0) == 2 or rank('qd0', qd0) == 2:
        return simulate_batch(
            robot, q0, qd0, law, times, sampled, method=method, step=check_step(step),
            limits=limits, restitution=check_restitution(restitution), external=external,
            events=events, progress=Progress(progress), algorithm=algorithm, one=simulate)
    q, qd = vector('q0', q0, (len(names),)), vector('qd0', qd0, (len(names),))
    system = System(robot, law, external, algorithm)
    if isinstance(law, Constant) and law.tau.ndim == 2:
        raise InputError(f'torque: shape {law.tau.shape}: expected ({len(names)},)')
    stops = make_stops(system, limits, check_restitution(restitution))
    if stops is not None:
        stops.check(q)
        q, qd = stops.touch(q, qd)
    start(system, stops, float(times[0]), q, qd)
    functions, report = make_events(events), Progress(progress)
    if method in SOLVERS:
        run = Adaptive(system, stops, functions, method, solver_options(rtol, atol, step, method),
                       dense=dense, progress=report)
        samples = run.run(q, qd, float(times[0]), float(times[-1]), times if sampled else None)
    else:
        samples = run_fixed(Stepping(system, stops, method, report), q, qd, times, sampled,
                            check_step(step), functions)
    return finish(samples, system, stops)


def run_fixed(stepping: Stepping, q: Array, qd: Array, times: Array, sampled: bool, step: float,
              functions: list) -> Samples:
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
    parts = [np.linspace(a, b, max(1, int(np.ceil((b - a) / step * (1 - 1e-12)))) + 1)[:-1]
             for a, b in zip(times[:-1], times[1:], strict=True)]
    return np.concatenate([*parts, times[-1:]])


def find_events(samples: Samples, stepping: Stepping, functions: list) -> None:
    """Find the zeros of event functions between samples; a terminal one cuts the motion."""
    system = stepping.system
    t, q, qd = np.array(samples.t), np.array(samples.q), np.array(samples.qd)
    qdd = system.accelerations(t, q, qd, system.torques(t, q, qd))
    for k in range(len(t) - 1):
        two = slice(k, k + 2)

        def state(x: float, two: slice = two) -> tuple[Array, Array]:
            return hermite(np.array([x]), t[two], q[two], qd[two], qdd[two])[:2]
        found, over = crossings(functions, lambda x: state(x)[0][0], lambda x: state(x)[1][0],
                                t[k], t[k + 1])
        samples.events += found
        if over:
            last = found[-1]
            samples.t[k + 1:], samples.q[k + 1:], samples.qd[k + 1:] = (
                [last.t], [last.q], [last.qd])
            samples.stopped = None
            return


def select(samples: Samples, times: Array) -> None:
    """Keep the samples at these times, and the last one where an event came first."""
    keep = [k for k, t in enumerate(samples.t) if t in set(times.tolist())]
    if samples.t[-1] < times[-1] and keep[-1] != len(samples.t) - 1:
        keep.append(len(samples.t) - 1)
    samples.sides = {new: samples.sides[k] for new, k in enumerate(keep) if k in samples.sides}
    for name in ('t', 'q', 'qd'):
        setattr(samples, name, [getattr(samples, name)[k] for k in keep])


def start(system: System, stops: Stops | None, t: float, q: Array, qd: Array) -> None:
    """Evaluate the first state: what is wrong there is an error of the caller's."""
    try:
        (system if stops is None else stops).acceleration(t, q, qd)
    except BlowUpError as error:
        if isinstance(error.__cause__, RobotDynamicsError):
            raise error.__cause__ from None
        raise InputError(f'q0, qd0: {error}') from None


def finish(samples: Samples, system: System, stops: Stops | None) -> Trajectory:
    """Return the trajectory; warn where it ended early."""
    trajectory = samples.trajectory(system, stops)
    if samples.stopped is not None:
        warnings.warn(f'the simulation {samples.stopped}', RobotDynamicsWarning, stacklevel=3)
    return trajectory


def make_times(t: Any) -> tuple[Array, bool]:
    """Return [0, duration], or the times given, and whether samples are wanted at them."""
    if (dimensions := rank('t', t)) == 0:
        duration = number('t', t)
        if duration <= 0:
            raise InputError(f't={duration:g}: expected a positive duration')
        return np.array([0.0, duration]), False
    times = vector('t', t, (len(t),)) if dimensions == 1 else vector('t', t, (0,))
    if len(times) < 2 or np.any(np.diff(times) <= 0):
        raise InputError('t: expected two or more increasing times')
    return times, True


def make_stops(system: System, limits: bool, restitution: float) -> Stops | None:
    """Return the joint stops, None where there are none or they shall not act."""
    bounds = getattr(system.robot, 'limits', None)
    if not limits or bounds is None:
        return None
    if not (np.isfinite(bounds.lower).any() or np.isfinite(bounds.upper).any()):
        return None
    return Stops(system, np.array(bounds.lower, float), np.array(bounds.upper, float),
                 restitution)


def check_restitution(restitution: float) -> float:
    """Return the coefficient of restitution."""
    value = number('restitution', restitution)
    if not 0 <= value <= 1:
        raise InputError(f'restitution={value:g}: expected 0 to 1')
    return value
