"""robot-dynamics torque FILE: what the joints must give at a state, or along a motion."""

import argparse
import json
from pathlib import Path

import numpy as np

from robot_dynamics.cli.motion_arguments import (
    add_motion_arguments,
    load_loaded_robot,
    make_motion,
    plain,
    values,
)
from robot_dynamics.cli.robot_arguments import add_robot_arguments
from robot_dynamics.cli.table import align
from robot_dynamics.errors import InputError
from robot_dynamics.robot import Robot
from robot_dynamics.simulation.trajectory import Trajectory


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_robot_arguments(parser)
    for name, text in (('q', 'values'), ('qd', 'rates'), ('qdd', 'accelerations')):
        parser.add_argument(f'--{name}', metavar='X', help=f'joint {text} of one state')
    add_motion_arguments(parser)
    parser.add_argument('--step', type=float, default=0.01, metavar='S',
                        help='between samples of the motion (default: %(default)s)')
    parser.add_argument('--output', type=Path, metavar='FILE', help='save the motion and its '
                        'torques: .csv, .npz or .mcap')
    parser.add_argument('--plot', type=Path, metavar='FILE', help='draw them')
    parser.add_argument('--json', action='store_true', help='for programs')


def run(args: argparse.Namespace) -> int:
    """Print the torques."""
    robot = load_loaded_robot(args)
    motion = make_motion(robot, args)
    if motion is None:
        if args.output or args.plot:
            raise InputError('--output and --plot: are for a motion: give --to or --motion')
        for option, value in (('--from', args.start), ('--duration', args.duration)):
            if value is not None:
                raise InputError(f'{option}: is for a motion: give --to')
        return state(robot, args)
    for name in ('q', 'qd', 'qdd'):
        if getattr(args, name) is not None:
            raise InputError(f'--{name}: is for one state, not for a motion')
    if not args.step > 0:
        raise InputError(f'--step {args.step:g}: expected a positive number')
    t = np.linspace(0.0, motion.duration, max(2, round(motion.duration / args.step) + 1))
    q, qd, qdd = motion(t)
    tau = robot.inverse_dynamics(q, qd, qdd)
    trajectory = Trajectory(robot.joint_names, t, q, qd, qdd, tau, robot.kinetic_energy(q, qd),
                            robot.potential_energy(q))
    if args.output:
        trajectory.save(args.output)
    if args.plot:
        trajectory.plot(args.plot, ('q', 'qd', 'tau', 'power'))
    report = {'robot': robot.name, 'duration': motion.duration, 'samples': len(t),
              'joints': peaks(robot, trajectory),
              'peak_power': float(np.abs(trajectory.power).max())}
    print(json.dumps(report, indent=2) if args.json else text(report))
    return 0


def state(robot: Robot, args: argparse.Namespace) -> int:
    """Print the torques of one state, and what they are made of."""
    q, qd, qdd = (values(robot, f'--{name}', getattr(args, name)) for name in ('q', 'qd', 'qdd'))
    parts = {'torque': robot.inverse_dynamics(q, qd, qdd), 'gravity': robot.gravity_torque(q),
             'convective': robot.bias(q, qd) - robot.gravity_torque(q),
             'inertia': robot.inertia_matrix(q) @ qdd, 'friction': robot.friction_torque(qd)}
    if args.json:
        print(json.dumps({'robot': robot.name, 'joints': list(robot.joint_names),
                          'q': plain(q), 'qd': plain(qd), 'qdd': plain(qdd),
                          **{key: plain(x) for key, x in parts.items()}}, indent=2))
        return 0
    rows = [['joint', 'q', 'qd', 'qdd', *parts]]
    for k, name in enumerate(robot.joint_names):
        rows.append([name, *(f'{x[k]:.6g}' for x in (q, qd, qdd, *parts.values()))])
    print('\n'.join(align(rows, right=set(range(1, 9)))))
    return 0


def peaks(robot: Robot, trajectory: Trajectory) -> list[dict]:
    """Return each joint's largest and mean torque and power along a motion."""
    rows = []
    for k, name in enumerate(robot.joint_names):
        tau, power = trajectory.tau[:, k], trajectory.tau[:, k] * trajectory.qd[:, k]
        limit = float(robot.limits.effort[k])
        rows.append({'joint': name, 'peak': float(np.abs(tau).max()),
                     'at': float(trajectory.t[np.abs(tau).argmax()]),
                     'rms': float(np.sqrt(np.mean(tau ** 2))),
                     'peak_power': float(np.abs(power).max()),
                     'limit': limit if np.isfinite(limit) else None})
    return rows


def text(report: dict) -> str:
    """Return the report for people."""
    rows = [['joint', 'peak', 'at [s]', 'rms', 'power [W]', 'limit']]
    for joint in report['joints']:
        limit = '-' if joint['limit'] is None else f'{joint["limit"]:g}'
        over = ' exceeded' if joint['limit'] is not None and joint['peak'] > joint['limit'] else ''
        rows.append([joint['joint'], f'{joint["peak"]:.5g}', f'{joint["at"]:.4g}',
                     f'{joint["rms"]:.5g}', f'{joint["peak_power"]:.5g}', limit + over])
    return '\n'.join([
        f'{report["robot"]}: torques [N m, N] over {report["duration"]:g} s, '
        f'{report["samples"]} samples', *align(rows, right={1, 2, 3, 4, 5})])
