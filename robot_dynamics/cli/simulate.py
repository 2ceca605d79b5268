"""robot-dynamics simulate FILE: how a robot moves under torques or a control law."""

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.cli.motion_arguments import (
    Bar,
    add_motion_arguments,
    load_loaded_robot,
    make_motion,
    plain,
    values,
)
from robot_dynamics.cli.robot_arguments import add_robot_arguments
from robot_dynamics.cli.table import align
from robot_dynamics.errors import InputError, RobotDynamicsWarning
from robot_dynamics.robot import Robot
from robot_dynamics.simulation import METHODS, Trajectory
from robot_dynamics.simulation.control import ComputedTorque, FeedForward, PDGravity
from robot_dynamics.simulation.simulate import simulate

CONTROL = ('none', 'computed_torque', 'pd_gravity', 'feed_forward')


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_robot_arguments(parser)
    parser.add_argument('--q0', metavar='Q', help='initial joint values, as 0.1,0.2,... or one '
                        'for all (default: where the motion begins)')
    parser.add_argument('--qd0', metavar='QD', help='initial joint rates (default: 0)')
    parser.add_argument('--torque', metavar='TAU|FILE', default=None, help='constant joint '
                        "torques, 'gravity' for those that hold q0, or a saved trajectory whose "
                        'torques act (default: 0)')
    parser.add_argument('--control', choices=CONTROL, default='none',
                        help='law that follows the motion (or holds --from)')
    parser.add_argument('--gain', type=float, default=10.0, metavar='1/S',
                        help='of computed torque (default: %(default)s)')
    parser.add_argument('--stiffness', type=float, default=100.0, help='of pd_gravity')
    parser.add_argument('--damping', type=float, default=20.0, help='of pd_gravity')
    add_motion_arguments(parser)
    parser.add_argument('--method', choices=METHODS, default='RK45', help='(default: %(default)s)')
    parser.add_argument('--rtol', type=float, default=1e-6, help='(default: %(default)s)')
    parser.add_argument('--atol', type=float, default=1e-9, help='(default: %(default)s)')
    parser.add_argument('--step', type=float, default=None, metavar='S',
                        help='fixed step (default: 0.001), or the longest one')
    parser.add_argument('--samples', type=int, default=None, metavar='K',
                        help='samples over the duration (default: every step)')
    parser.add_argument('--no-limits', action='store_true', help='joint limits are no stops')
    parser.add_argument('--restitution', type=float, default=0.0, help='of the stops, 0 to 1')
    parser.add_argument('--output', type=Path, metavar='FILE', help='.csv, .npz or .mcap')
    parser.add_argument('--plot', type=Path, metavar='FILE', help='draw the motion')
    parser.add_argument('--json', action='store_true', help='for programs')


def run(args: argparse.Namespace) -> int:
    """Simulate and report."""
    robot = load_loaded_robot(args)
    motion = make_motion(robot, args)
    duration = args.duration
    if duration is None:
        duration = motion.duration if motion else 10.0
    if not duration > 0:
        raise InputError(f'--duration {duration:g}: expected more than zero')
    q0 = values(robot, '--q0', args.q0) if args.q0 or motion is None else motion(0.0)[0]
    if args.q0 is None and motion is None and not args.no_limits:  # zero may be out of reach
        q0 = np.clip(q0, robot.limits.lower, robot.limits.upper)
    if args.q0 is None and motion is None and args.start:
        q0 = values(robot, '--from', args.start)
    qd0 = values(robot, '--qd0', args.qd0)
    times: Any = duration
    if args.samples is not None:
        if args.samples < 2:
            raise InputError(f'--samples {args.samples}: expected 2 or more')
        times = np.linspace(0.0, duration, args.samples)
    bar, began = Bar(), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', RobotDynamicsWarning)  # it is in the report
        trajectory = simulate(
            robot, q0, qd0, torque_of(robot, args, motion, q0), times, method=args.method,
            rtol=args.rtol, atol=args.atol, step=args.step, limits=not args.no_limits,
            restitution=args.restitution, progress=bar)
    bar.close()
    report = describe(robot, trajectory, args.method, time.perf_counter() - began)
    if motion is not None:
        error = np.abs(trajectory.q - motion(trajectory.t)[0])
        report['largest_error'] = plain(error.max(axis=0))
    if args.output:
        trajectory.save(args.output)
    if args.plot:
        trajectory.plot(args.plot)
    print(json.dumps(report, indent=2) if args.json else text(report))
    return 0 if trajectory.success else 1


def torque_of(robot: Robot, args: argparse.Namespace, motion: Any, q0: Any) -> Any:
    """Return the torque argument of `simulate`."""
    reference = motion if motion is not None else q0
    if args.control != 'none' and args.torque is not None:
        raise InputError('--torque and --control: expected one of them')
    if args.control == 'computed_torque':
        return ComputedTorque(robot, reference, args.gain)
    if args.control == 'pd_gravity':
        return PDGravity(robot, reference, args.stiffness, args.damping)
    if args.control == 'feed_forward':
        return FeedForward(robot, reference)
    if args.torque is None:
        return None
    if args.torque == 'gravity':
        return robot.gravity_torque(q0)
    if Path(args.torque).suffix in ('.csv', '.npz', '.mcap'):
        saved = Trajectory.load(args.torque)
        order = [saved.joint_names.index(name) for name in robot.joint_names
                 if name in saved.joint_names]
        if len(order) != robot.n:
            raise InputError(f'--torque {args.torque}: does not have all joints')
        return saved.t, saved.tau[:, order]
    return values(robot, '--torque', args.torque)


def describe(robot: Robot, trajectory: Trajectory, method: str, seconds: float) -> dict[str, Any]:
    """Return the report as plain data."""
    return {'robot': robot.name, 'method': method, 'duration': float(trajectory.t[-1]),
            'samples': len(trajectory.t), 'seconds': seconds,
            'joints': list(robot.joint_names), 'q': plain(trajectory.q[-1]),
            'qd': plain(trajectory.qd[-1]), 'energy_begin': float(trajectory.energy[0]),
            'energy_end': float(trajectory.energy[-1]),
            'largest_rate': plain(np.abs(trajectory.qd).max(axis=0)),
            'largest_torque': plain(np.abs(trajectory.tau).max(axis=0)),
            'stopped': [str(end) for end in trajectory.stopped]}


def text(report: dict[str, Any]) -> str:
    """Return the report for people."""
    heads = {'q': 'q at the end', 'qd': 'qd at the end', 'largest_rate': 'largest |qd|',
             'largest_torque': 'largest |tau|', 'largest_error': 'largest error'}
    keys = [key for key in heads if key in report]
    rows = [['joint', *(heads[key] for key in keys)]]
    for k, name in enumerate(report['joints']):
        rows.append([name, *(f'{report[key][k]:.6g}' for key in keys)])
    lines = [f'{report["robot"]}: {report["duration"]:g} s by {report["method"]}, '
             f'{report["samples"]} samples, in {report["seconds"]:.3g} s',
             f'energy {report["energy_begin"]:.9g} J at the beginning, '
             f'{report["energy_end"]:.9g} J at the end', '',
             *align(rows, right=set(range(1, len(keys) + 1)))]
    return '\n'.join([*lines, *(f'\n{end}' for end in report['stopped'])])
