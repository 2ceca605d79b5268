"""robot-dynamics simulate FILE: how a robot moves under torques or a control law."""

import argparse
import json
import time
import warnings
from typing import Any

import numpy as np

from robot_dynamics.cli.joint_tables import (
    fast_lines,
    finite_or_none,
    pose_lines,
    struck_lines,
    units,
    value_cells,
)
from robot_dynamics.cli.motion_arguments import (
    ProgressBar,
    add_motion_arguments,
    beginning,
    load_loaded_robot,
    make_motion,
    plain,
    positions,
    values,
)
from robot_dynamics.cli.motor_torques import elsewhere, motors_torques
from robot_dynamics.cli.options import (
    add_plot_arguments,
    check_files,
    check_plot,
    defaults,
    path,
    refuse,
)
from robot_dynamics.cli.robot_arguments import add_robot_arguments
from robot_dynamics.cli.table import align, cells
from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import user_path
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation import METHODS, Motion, Trajectory
from robot_dynamics.simulation.control import ComputedTorque, FeedForward, PDGravity
from robot_dynamics.simulation.files import READERS, load_joints
from robot_dynamics.simulation.fixed import STEPS
from robot_dynamics.simulation.joint_facts import JointFacts
from robot_dynamics.simulation.layout import Layout
from robot_dynamics.simulation.simulate import simulate

CONTROL = ('none', 'computed_torque', 'pd_gravity', 'feed_forward')
GAINS = {'gain': 10.0, 'stiffness': 100.0, 'damping': 20.0}
TOLERANCES = {'rtol': 1e-6, 'atol': 1e-9}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_robot_arguments(parser)
    parser.add_argument('--q0', metavar='Q', help='initial joint values, as 0.1,0.2,... or one '
                        'for all (default: where the motion begins)')
    parser.add_argument('--qd0', metavar='QD', help='initial joint rates (default: 0, or those '
                        'with which the motion begins)')
    parser.add_argument('--torque', metavar='TAU|FILE', default=None, help='constant joint '
                        "torques, 'gravity' for those that hold q0, or a saved trajectory whose "
                        'torques act (default: 0)')
    parser.add_argument('--control', choices=CONTROL, default='none',
                        help='law that follows the motion, or holds --from or q0')
    parser.add_argument('--gain', type=float, metavar='1/S',
                        help=f'of computed torque (default: {GAINS["gain"]:g})')
    for name, unit in (('stiffness', 'N M/RAD'), ('damping', 'N M S/RAD')):
        parser.add_argument(f'--{name}', type=float, metavar=unit,
                            help=f'of pd_gravity (default: {GAINS[name]:g})')
    add_motion_arguments(parser)
    parser.add_argument('--method', choices=METHODS, default='RK45', help='(default: %(default)s)')
    for name, tolerance in TOLERANCES.items():
        parser.add_argument(f'--{name}', type=float, metavar='X', help='of methods with variable '
                            f'steps (default: {tolerance:g})')
    parser.add_argument('--step', type=float, default=None, metavar='S',
                        help='fixed step (default: 0.001), or the longest one')
    parser.add_argument('--samples', type=int, default=None, metavar='K',
                        help='samples over the duration (default: every step)')
    parser.add_argument('--no-limits', action='store_true', help='joint limits are no stops')
    parser.add_argument('--no-saturation', action='store_true',
                        help='control laws may exceed the effort limits')
    parser.add_argument('--restitution', type=float, metavar='X',
                        help='of the stops, 0 to 1 (default: 0)')
    parser.add_argument('--output', type=path, metavar='FILE', help='.csv, .npz or .mcap')
    add_plot_arguments(parser, 'draw the motion')
    parser.add_argument('--json', action='store_true', help='print JSON, for programs')


def run(args: argparse.Namespace) -> int:
    """Simulate and report."""
    refuse_unused(args)
    check_files(args.output)
    check_plot(args.plot)
    robot = load_loaded_robot(args)
    motion = make_motion(robot, args)
    table = torque_table(robot, args.torque)
    duration = check_duration(args, motion, table)
    q0, qd0, held = initial_state(robot, args, motion)
    times: Any = duration
    if args.samples is not None:
        if args.samples < 2:
            raise InputError(f'--samples {args.samples}: expected 2 or more')
        times = np.linspace(0.0, duration, args.samples)
    torque = table or torque_of(robot, args, held if motion is None else motion, q0)
    bar, began = ProgressBar(), time.perf_counter()
    with warnings.catch_warnings():
        warnings.filterwarnings('ignore', 'the simulation stopped')  # it is in the report
        warnings.filterwarnings('ignore', 'reference: ')  # --to and --motion were looked at
        trajectory = simulate(
            robot, q0, qd0, torque, times, method=args.method, rtol=args.rtol, atol=args.atol,
            step=args.step, limits=not args.no_limits, restitution=args.restitution,
            saturate=not args.no_saturation, progress=bar)
    bar.close()
    report = describe(robot, trajectory, args.method, time.perf_counter() - began)
    if motion is not None:
        error = np.abs(trajectory.q - motion(trajectory.t)[0])
        report['motion'] = motion.source or None
        report['largest_error'] = plain(error.max(axis=0))
    if args.output:
        trajectory.save(args.output)
    if args.plot:
        trajectory.plot(args.plot, theme=args.theme)
    print(json.dumps(report, indent=2) if args.json else text(report, trajectory.joints))
    return 0 if trajectory.success else 1


def refuse_unused(args: argparse.Namespace) -> None:
    """Refuse what would not be used beside the rest; set the defaults."""
    if args.control != 'none' and args.torque is not None:
        raise InputError('--torque and --control: expected one of them')
    if args.control != 'computed_torque':
        refuse(args, 'is for --control computed_torque', 'gain')
    if args.control != 'pd_gravity':
        refuse(args, 'is for --control pd_gravity', 'stiffness', 'damping')
    if args.to is None and args.motion is None:
        refuse(args, 'is for a motion: give --to', 'profile')
        if args.control == 'none' and args.q0 is not None:
            refuse(args, 'is where the motion begins, and so is --q0: expected one of them',
                   'start')
    if args.control == 'none' and args.torque is None:
        refuse(args, 'only a control law follows a motion: give --control', 'to')
    if args.method in STEPS:
        refuse(args, f'is for methods with variable steps, which {args.method} is not',
               'rtol', 'atol')
    if args.control == 'none':
        refuse(args, 'is for --control: torques that are given act as they are', 'no_saturation')
    if args.no_limits:
        refuse(args, 'is for stops, and --no-limits leaves them out', 'restitution')
    defaults(args, {**GAINS, **TOLERANCES, 'restitution': 0.0})


def check_duration(args: argparse.Namespace, motion: Motion | None, table: Any) -> float:
    """Return how long to simulate: as long as the motion or the torques last."""
    if args.duration is None:
        return motion.duration if motion else float(table[0][-1]) if table else 10.0
    if not 0 < args.duration < np.inf:
        raise InputError(f'--duration {args.duration:g}: expected more than zero')
    if args.motion and motion and args.duration > motion.duration * (1 + 1e-9):
        qd = motion(motion.t)[1]
        if np.abs(qd[-1]).max() > 1e-3 * np.abs(qd).max():
            raise InputError(f'--duration {args.duration:g}: the motion of {args.motion} ends at '
                             f'{motion.duration:g} s, and not at rest')
    duration: float = args.duration
    return duration


def initial_state(robot: Dynamics, args: argparse.Namespace,
                  motion: Motion | None) -> tuple[Array, Array, Array]:
    """Return where the robot begins, q0 and qd0, and the joint values that a law may hold."""
    qd0 = np.zeros(robot.n)
    if motion is not None:
        q0, qd0, _ = motion(0.0)
    elif args.start is not None:
        q0 = positions(robot, '--from', args.start)
    else:
        q0 = robot.neutral if args.q0 is not None else beginning(robot, not args.no_limits)
    held = q0
    if args.q0 is not None:
        q0 = positions(robot, '--q0', args.q0)
        held = q0 if args.start is None else held
    if args.qd0 is not None:
        qd0 = values(robot, '--qd0', args.qd0)
    return q0, qd0, held


def torque_table(robot: Dynamics, text: str | None) -> tuple[Array, Array] | None:
    """Return times and torques of the file that --torque names, None where it names none."""
    if not text:
        return None
    file = user_path('--torque', text)
    if not file.is_dir() and file.suffix.lower() not in filter(None, READERS):
        return None
    found = load_joints(text, robot.joint_names)
    found.finite(text, 'tau')
    run = found.trajectory
    if not elsewhere(robot):
        return run.t, run.tau
    found.finite(text, 'q')
    return run.t, motors_torques(robot, run.q, run.tau)


def torque_of(robot: Dynamics, args: argparse.Namespace, reference: Any, q0: Array) -> Any:
    """Return the torque argument of `simulate`."""
    if args.control == 'computed_torque':
        return ComputedTorque(robot, reference, args.gain)
    if args.control == 'pd_gravity':
        return PDGravity(robot, reference, args.stiffness, args.damping)
    if args.control == 'feed_forward':
        return FeedForward(robot, reference)
    if args.torque is None:
        return None
    if args.torque == 'gravity':
        return motors_torques(robot, q0, robot.gravity_torque(q0))
    try:
        return values(robot, '--torque', args.torque)
    except InputError as error:
        raise InputError(f"{error}, 'gravity', or a file ({', '.join(filter(None, READERS))})"
                         ) from None


def describe(robot: Dynamics, trajectory: Trajectory, method: str,
             seconds: float) -> dict[str, Any]:
    """Return the report as plain data."""
    rates, corners = np.abs(trajectory.qd).max(axis=0), trajectory.corners
    if corners is not None:  # just before an impact a joint may be fastest
        rates = np.maximum(rates, np.abs(corners.qd).max(axis=0))
    return {'robot': robot.name, 'method': method, 'duration': float(trajectory.t[-1]),
            'samples': len(trajectory.t), 'seconds': seconds,
            'joints': list(robot.joint_names), **({
                'motors': list(getattr(robot, 'actuated_names', ()))} if elsewhere(robot) else {}),
            'values': list(trajectory.value_names), 'q': plain(trajectory.q[-1]),
            'qd': plain(trajectory.qd[-1]), 'energy_begin': float(trajectory.energy[0]),
            'energy_end': float(trajectory.energy[-1]),
            'largest_rate': plain(rates), 'rate_limit': finite_or_none(robot.limits.velocity),
            'largest_torque': plain(np.abs(trajectory.tau).max(axis=0)),
            'struck': dict(trajectory.struck),
            'stopped': [str(end) for end in trajectory.stopped]}


def text(report: dict[str, Any], facts: JointFacts | None) -> str:
    """Return the report for people; facts: of the joints, for units."""
    heads = {'q': 'q at the end', 'qd': 'qd at the end', 'largest_rate': 'largest |qd|',
             'largest_torque': 'largest |tau|', 'largest_error': 'largest error'}
    of = {'largest_rate': 'qd', 'largest_torque': 'tau', 'largest_error': 'q'}
    keys = [key for key in heads if key in report]
    layout, joints = Layout(report['values']), report['joints']
    rows = [['joint']]
    for key in keys:
        named = layout.single_names if len(report[key]) == layout.nq else joints
        rows[0].append(f'{heads[key]}\n{units(of.get(key, key), named, facts)}')
    columns = [joints, *(value_cells(layout, report[key]) if len(report[key]) == layout.nq
                         else cells(report[key]) for key in keys)]
    rows += [list(row) for row in zip(*columns, strict=True)]
    lines = [f'{report["robot"]}: {report["duration"]:g} s by {report["method"]}, '
             f'{report["samples"]} samples, in {report["seconds"]:.3g} s',
             f'energy {report["energy_begin"]:.9g} J at the beginning, '
             f'{report["energy_end"]:.9g} J at the end',
             *filter(None, [report.get('motion')]), '',
             *align(rows, right=set(range(1, len(keys) + 1))),
             *([f'tau: what the motors ({", ".join(report["motors"])}) do to these joints']
               if 'motors' in report else []),
             *pose_lines(layout, report['q']), *struck_lines(report['struck']),
             *fast_lines(joints, report['largest_rate'], report['rate_limit'])]
    return '\n'.join([*lines, *(f'\n{end}' for end in report['stopped'])])
