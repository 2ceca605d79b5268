"""What `torque` and `simulate` have in common: payloads, reference motion, joint values."""

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from robot_dynamics.cli.options import refuse
from robot_dynamics.cli.robot_arguments import load_robot, pairs
from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError, warn
from robot_dynamics.inputs import outside_limits
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.joint_facts import joint_facts, unit
from robot_dynamics.simulation.motions import PROFILES, Motion, from_file
from robot_dynamics.simulation.online.bodies import layout_of
from robot_dynamics.words import counted

TURNS = 5  # of a joint without limits; more are rather degrees than radians
SLACK = 1e-9  # [rad or m] beyond a limit is nothing to speak of


def add_motion_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the reference motion and the payloads; what is not given is None."""
    parser.add_argument('--from', dest='start', metavar='Q', help='joint values where the motion '
                        'begins, as 0.1,0.2,... or one for all (default: 0, a '
                        "mechanism's start, or --q0 of simulate)")
    parser.add_argument('--to', metavar='Q', help='joint values where it ends')
    parser.add_argument('--profile', choices=PROFILES,
                        help='of the motion (default: cycloidal, as in the papers)')
    parser.add_argument('--duration', type=float, metavar='S',
                        help='of the motion [s] (default: 10)')
    parser.add_argument('--motion', metavar='FILE', help='a saved trajectory or log instead: .csv '
                        '(columns t, q.<joint> and, where known, qd.<joint>, qdd.<joint>), .npz, '
                        'or a rosbag2: .mcap, .db3, its folder')
    parser.add_argument('--filter', type=float, metavar='HZ', help='low pass for --motion FILE, '
                        'zero-phase; needed where positions were measured')
    parser.add_argument('--rename', action='append', default=[], metavar='OLD=NEW',
                        help="a joint of --motion FILE, or the beginning of its joints' names, "
                        'and what the robot has instead (may be repeated)')
    parser.add_argument('--payload', action='append', default=[], metavar='LINK=KG',
                        help='a point mass on a link (may be repeated: they add up)')


def load_loaded_robot(args: argparse.Namespace) -> Dynamics:
    """Load the robot, its payloads on it."""
    return with_payloads(load_robot(args), args.payload)


def with_payloads(robot: Dynamics, payload: Sequence[str]) -> Dynamics:
    """Return the robot with LINK=KG on it."""
    for word in payload:
        link, _, text = word.rpartition('=')
        try:
            mass = float(text if link else 'no link')
        except ValueError:
            raise InputError(f'--payload {word}: expected LINK=KG') from None
        try:
            robot = robot.with_payload(link, mass)
        except InputError as error:
            raise InputError(f'--payload {word}: {error}') from None
        if robot.model.frames[link].body < 0:
            warn(f'--payload {word}: this link does not move, so that nothing changes')
    return robot


def make_motion(robot: Dynamics, args: argparse.Namespace) -> Motion | None:
    """Return the reference motion, None where none is asked for."""
    if args.motion is None:
        refuse(args, 'is for --motion FILE', 'filter', 'rename')
        if args.to is None:
            return None
        if robot.nq != robot.n:
            raise InputError('--to: is for robots on a fixed base: give --motion FILE')
        begin = getattr(args, 'q0', None) if args.start is None else args.start
        start = (positions(robot, '--from', begin) if begin is not None
                 else beginning(robot, not getattr(args, 'no_limits', False)))
        end = values(robot, '--to', args.to)
        warn_outside(robot, '--to', end)
        if args.start is not None:
            warn_outside(robot, '--from', start)
        duration = 10.0 if args.duration is None else args.duration
        if not 0 < duration < np.inf:
            raise InputError(f'--duration {duration:g}: expected a positive number of seconds')
        return PROFILES[args.profile or 'cycloidal'](start, end, duration)
    for option, value in (('--to', args.to), ('--from', args.start)):
        if value is not None:
            raise InputError(f'{option} and --motion: expected one of them')
    refuse(args, "is not for --motion: the file's motion has its own", 'profile')
    motion = from_file(args.motion, robot.joint_names, filter=args.filter,
                       rename=dict(pairs('--rename', args.rename)))
    warn_outside(robot, args.motion, motion(motion.t)[0])
    return motion


def beginning(robot: Dynamics, limits: bool = True) -> Array:
    """Return joint values to begin with where none are given, (nq,): zero, a mechanism's start.

    limits: joints whose limits zero is outside of begin at the nearest one, which is said
    """
    q, moved = robot.neutral.copy(), []
    for k, j in layout_of(robot).single if limits else ():
        inside = float(np.clip(q[k], robot.limits.lower[j], robot.limits.upper[j]))
        if abs(inside - q[k]) > SLACK:
            moved.append(f'{robot.joint_names[j]} at {inside:g}')
        q[k] = inside
    if moved:
        print(f'not given, so at the limits nearest to 0: {", ".join(moved)}', file=sys.stderr)
    return q


def positions(robot: Dynamics, option: str, text: str) -> Array:
    """Return joint values of text, (nq,).

    Of a robot whose base floats: all, with its pose x y z qx qy qz qw, or the other joints' alone,
    with the base where it begins.
    """
    layout = layout_of(robot)
    if not layout.poses:
        return values(robot, option, text)
    q = robot.neutral.copy()
    single = [k for k, _ in layout.single]
    if len(text.replace(',', ' ').split()) == layout.nq:
        return numbers_of(option, text, layout.value_names)
    q[single] = numbers_of(option, text, [layout.value_names[k] for k in single])
    return q


def values(robot: Dynamics, option: str, text: str | None) -> Array:
    """Return values of text: one for all joints, or as many as there are."""
    return np.zeros(robot.n) if text is None else numbers_of(option, text, robot.joint_names)


def numbers_of(option: str, text: str | None, names: Sequence[str]) -> Array:
    """Return the numbers of text, one for each name, or one for all."""
    text = text or ''
    try:
        numbers = [float(word) for word in text.replace(',', ' ').split()]
    except ValueError:
        raise InputError(f'{option} {text}: expected numbers, as 0.1,0.2,...') from None
    if len(numbers) not in (1, len(names)):
        raise InputError(f'{option}: {counted(len(numbers), "value")}: expected {len(names)} ('
                         + ', '.join(names) + ') or one for all')
    if not np.isfinite(numbers).all():
        raise InputError(f'{option} {text}: expected finite numbers')
    return np.broadcast_to(np.array(numbers, float), (len(names),)).copy()


def warn_outside(robot: Dynamics, name: str, q: Array) -> None:
    """Warn of joint values (n,) or (K, n) beyond the robot's limits."""
    values = layout_of(robot).beside(np.asarray(q))
    said = outside_limits(name, values, robot.limits.lower, robot.limits.upper, robot.joint_names)
    if said := said or many_turns(robot, name, values):
        warn(said)


def many_turns(robot: Dynamics, name: str, q: Array) -> str:
    """Return a sentence on a joint without limits that has turned more than TURNS times."""
    facts = joint_facts(robot)
    lower, upper = robot.limits.lower, robot.limits.upper
    for k, joint in enumerate(robot.joint_names):
        turns = np.abs(np.atleast_2d(q)[:, k]).max() / (2 * np.pi)
        endless = not np.isfinite([lower[k], upper[k]]).any()
        if endless and turns > TURNS and unit('q', joint, facts) == 'rad':
            return (f'{name}: joint {joint!r}, which has no limits, has turned {turns:.1f} times '
                    '(degrees given for radians?)')
    return ''


class ProgressBar:
    """Progress on the terminal, once a run takes more than a second."""

    def __init__(self) -> None:
        import time
        self.clock = time.monotonic
        self.began = self.clock()
        self.shown = False

    def __call__(self, part: float) -> None:
        """Show the part done."""
        if sys.stderr.isatty() and self.clock() - self.began > 1.0:
            self.shown = True
            filled = int(40 * part)
            print(f'\r[{"#" * filled}{"." * (40 - filled)}] {100 * part:3.0f} %', end='',
                  file=sys.stderr, flush=True)

    def close(self) -> None:
        """Remove it."""
        if self.shown:
            print('\r' + ' ' * 50 + '\r', end='', file=sys.stderr)


def plain(array: Any) -> Any:
    """Return an array for JSON."""
    return np.asarray(array).tolist()
