"""robot-dynamics torque FILE: what the joints must give at a state, or along a motion."""

import argparse
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from robot_dynamics.cli.joint_tables import (
    NONE,
    fast_lines,
    finite_or_none,
    pose_lines,
    units,
    value_cells,
)
from robot_dynamics.cli.motion_arguments import (
    add_motion_arguments,
    beginning,
    make_motion,
    plain,
    positions,
    values,
    warn_outside,
    with_payloads,
)
from robot_dynamics.cli.motor_torques import driven, elsewhere, forces, motors_motion
from robot_dynamics.cli.options import add_plot_arguments, check_files, check_plot, path, refuse
from robot_dynamics.cli.robot_arguments import add_robot_arguments, load_robot
from robot_dynamics.cli.table import align, cells
from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.joint_facts import joint_facts
from robot_dynamics.simulation.motions import Motion
from robot_dynamics.simulation.online.bodies import layout_of
from robot_dynamics.simulation.trajectory import Trajectory

STEP = 0.01  # between samples of a profile [s]
STATE = re.compile(r' \(state (\d+)(?: of the batch)?\)')  # as errors name one of many
MOST_SAMPLES = 1e15  # what is more numpy does not even try


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_robot_arguments(parser)
    for name, text in (('q', 'values'), ('qd', 'rates'), ('qdd', 'accelerations')):
        parser.add_argument(f'--{name}', metavar='X', help=f'joint {text} of one state')
    add_motion_arguments(parser)
    parser.add_argument('--step', type=float, metavar='S', help='between samples of the motion '
                        f'(default: {STEP}; of --motion FILE: as they are in the file)')
    parser.add_argument('--output', type=path, metavar='FILE', help='save the motion and its '
                        'torques: .csv, .npz or .mcap')
    add_plot_arguments(parser, 'draw positions, velocities, torques and power')
    parser.add_argument('--json', action='store_true', help='print JSON, for programs')


def run(args: argparse.Namespace) -> int:
    """Print the torques."""
    if args.to is None and args.motion is None:
        refuse(args, 'is for a motion: give --to or --motion', 'output', 'plot', 'start',
               'duration', 'profile', 'step')
    else:
        refuse(args, 'is for one state, not for a motion', 'q', 'qd', 'qdd')
    if args.motion is not None:
        refuse(args, 'is for --to: the motion of a file has its own', 'duration')
    check_files(args.output)
    check_plot(args.plot)
    bare: Dynamics = load_robot(args)
    robot = with_payloads(bare, args.payload)
    motion = make_motion(robot, args)
    if motion is None:
        return state(robot, args)
    t = instants(motion, args.step)
    trajectory = recorded(robot, t, motion, with_payload(args.payload))
    if args.output:
        trajectory.save(args.output)
    if args.plot:
        other = recorded(bare, t, motion) if args.payload else None
        motors_motion(robot, trajectory).plot(
            args.plot, ('q', 'qd', 'tau', 'power'), theme=args.theme,
            other=None if other is None else motors_motion(bare, other),
            labels=(f'with {", ".join(args.payload)} kg', 'without'))
    joints, tau = peaks(robot, trajectory), trajectory.tau
    known = motion.tau is not None and t is motion.t and np.isfinite(motion.tau).all()
    if known and not elsewhere(robot):
        rest = np.sqrt(np.mean((motion.tau - tau) ** 2, axis=0))
        for joint, rms in zip(joints, rest, strict=True):
            joint['recorded_less_computed'] = float(rms)
    report = {'robot': robot.name, 'payload': list(args.payload), 'motion': motion.source or None,
              'duration': motion.duration, 'samples': len(t), 'joints': joints,
              'peak_power': float(np.abs(trajectory.power).max())}
    print(json.dumps(report, indent=2) if args.json else text(report, weight(robot)))
    return 0


def recorded(robot: Dynamics, t: Array, motion: Motion, said: str = '') -> Trajectory:
    """Return the motion at times (K,) with the torques that it takes; said: behind the name."""
    q, qd, qdd = motion(t)
    tau, facts = forces(robot, q, torques(robot, t, q, qd, qdd)), joint_facts(robot)
    if facts is not None:
        facts = replace(facts, robot=facts.robot + said)
    return Trajectory(robot.joint_names, t, q, qd, qdd, tau, robot.kinetic_energy(q, qd),
                      robot.potential_energy(q), joints=facts)


def torques(robot: Dynamics, t: Array, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the torques of states (K, n) at times (K,); errors name the time of a state."""
    try:
        return robot.inverse_dynamics(q, qd, qdd)
    except RobotDynamicsError as error:
        said = STATE.sub(lambda found: f' at t = {t[int(found[1])]:g} s', str(error))
        raise type(error)(said) from None


def weight(robot: Dynamics) -> float:
    """Return how large torques of a robot are: those of its weight a metre away [N m]."""
    return float(robot.moving_mass * np.linalg.norm(robot.model.inertials.base.gravity))


def instants(motion: Motion, step: float | None) -> Array:
    """Return when the torques are wanted: at the samples of a file, or every step."""
    if step is None and motion.t is not None:
        return motion.t
    step = min(STEP, motion.duration) if step is None else step
    if not 0 < step <= motion.duration or motion.duration / step > MOST_SAMPLES:
        raise InputError(f'--step {step:g}: expected a part of the {motion.duration:g} s that the '
                         'motion takes')
    return np.linspace(0.0, motion.duration, max(2, round(motion.duration / step) + 1))


def state(robot: Dynamics, args: argparse.Namespace) -> int:
    """Print the torques of one state, and what they are made of."""
    q = beginning(robot) if args.q is None else positions(robot, '--q', args.q)
    qd, qdd = (values(robot, f'--{name}', getattr(args, name)) for name in ('qd', 'qdd'))
    if args.q is not None:
        warn_outside(robot, '--q', q)
    parts = {'gravity': robot.gravity_torque(q),
             'convective': robot.bias(q, qd) - robot.gravity_torque(q),
             'inertia': robot.inertia_matrix(q) @ qdd, 'friction': robot.friction_torque(qd, q=q)}
    tau, apart = robot.inverse_dynamics(q, qd, qdd), elsewhere(robot)
    motors = list(getattr(robot, 'actuated_names', ())) if apart else []
    # where motors are elsewhere, what the freedoms need is apart from what the motors give
    parts = {'force': np.sum(list(parts.values()), axis=0), **parts} if apart else {
        'torque': tau, **parts}
    if args.json:
        print(json.dumps({'robot': robot.name, 'joints': list(robot.joint_names),
                          'q': plain(q), 'qd': plain(qd), 'qdd': plain(qdd),
                          **{key: plain(x) for key, x in parts.items()},
                          **({'motors': motors, 'torque': plain(tau)} if apart else {})},
                         indent=2))
        return 0
    size = max(np.abs(x).max(initial=0.0) for x in parts.values())
    layout = layout_of(robot)
    columns = [robot.joint_names, value_cells(layout, q), cells(qd), cells(qdd),
               *(cells(x, beside=max(size, weight(robot))) for x in parts.values())]
    rows = [list(row) for row in zip(*columns, strict=True)]
    facts, names = joint_facts(robot), robot.joint_names
    heads = ['joint', f'q\n{units("q", layout.single_names, facts)}',
             *(f'{key}\n{units(key, names, facts)}' for key in ('qd', 'qdd')),
             *(f'{key}\n{units("tau", names, facts)}' for key in parts)]
    given = [['motor', f'torque\n{units("tau", motors, facts)}'], *([name, x] for name, x in zip(
        motors, cells(tau, beside=weight(robot)), strict=True))] if apart else []
    print('\n'.join([*align([heads, *rows], right=range(1, 9)), *pose_lines(layout, q),
                     *(['', *align(given, right={1})] if apart else [])]))
    return 0


def peaks(robot: Dynamics, trajectory: Trajectory) -> list[dict[str, Any]]:
    """Return each motor's largest and mean torque and power along a motion."""
    rows, motors = [], driven(robot, trajectory)
    most = finite_or_none(motors.velocity)
    for k, name in enumerate(motors.names):
        tau, power = motors.tau[:, k], motors.tau[:, k] * motors.rates[:, k]
        limit = float(motors.effort[k])
        rows.append({'joint': name, 'peak': float(np.abs(tau).max()),
                     'at': float(trajectory.t[np.abs(tau).argmax()]),
                     'rms': float(np.sqrt(np.mean(tau ** 2))),
                     'peak_power': float(np.abs(power).max()),
                     'limit': limit if np.isfinite(limit) else None,
                     'peak_rate': float(np.abs(motors.rates[:, k]).max()), 'rate_limit': most[k]})
    return rows


def text(report: dict[str, Any], beside: float) -> str:
    """Return the report for people; beside: how large torques are."""
    joints = report['joints']
    limits = []
    for joint in joints:
        over = ' exceeded' if joint['limit'] is not None and joint['peak'] > joint['limit'] else ''
        limits.append(NONE if joint['limit'] is None else f'{joint["limit"]:g}{over}')
    columns = {'joint': [joint['joint'] for joint in joints]}
    for head, key, digits, size in (
            ('peak |tau|', 'peak', 5, beside), ('at [s]', 'at', 4, 0.0), ('rms', 'rms', 5, beside),
            ('peak |power| [W]', 'peak_power', 5, beside),
            ('recorded less computed', 'recorded_less_computed', 3, beside)):
        if joints and key in joints[0]:
            columns[head] = cells([joint[key] for joint in joints], digits, size)
    columns['limit'] = limits
    rows = [list(columns), *(list(row) for row in zip(*columns.values(), strict=True))]
    return '\n'.join([
        f'{report["robot"]}{with_payload(report["payload"])}: torques [N m, N] over '
        f'{report["duration"]:g} s, {report["samples"]} samples',
        *filter(None, [report['motion']]),
        *align(rows, right=set(range(1, len(columns)))),
        *fast_lines(*([joint[key] for joint in joints]
                      for key in ('joint', 'peak_rate', 'rate_limit')))])


def with_payload(payload: Sequence[str]) -> str:
    """Return how a robot with payloads is named."""
    return f' with {", ".join(payload)} kg' if payload else ''
