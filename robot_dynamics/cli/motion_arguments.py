"""What `torque` and `simulate` have in common: payload, reference motion, joint values."""

import argparse
import sys
from typing import Any

import numpy as np

from robot_dynamics.cli.robot_arguments import load_robot
from robot_dynamics.errors import InputError
from robot_dynamics.model.denoc import Array
from robot_dynamics.robot import Robot
from robot_dynamics.simulation.motions import PROFILES, Motion, from_file


def add_motion_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the reference motion and the payload."""
    parser.add_argument('--from', dest='start', metavar='Q', help='joint values where the motion '
                        'begins, as 0.1,0.2,... or one for all (default: 0)')
    parser.add_argument('--to', metavar='Q', help='joint values where it ends')
    parser.add_argument('--profile', choices=PROFILES, default='cycloidal',
                        help='of the motion (default: %(default)s, as in the papers)')
    parser.add_argument('--motion', metavar='FILE', help='follow a saved trajectory instead '
                        '(.csv, .npz, .mcap)')
    parser.add_argument('--duration', type=float, default=None, metavar='S',
                        help='of the motion [s] (default: 10)')
    parser.add_argument('--payload', metavar='LINK=KG', help='a point mass on a link')


def load_loaded_robot(args: argparse.Namespace) -> Robot:
    """Load the robot, its payload on it."""
    robot = load_robot(args)
    if args.payload is None:
        return robot
    link, _, mass = args.payload.partition('=')
    try:
        return robot.with_payload(link, float(mass))
    except ValueError:
        raise InputError(f'--payload {args.payload}: expected LINK=KG') from None


def make_motion(robot: Robot, args: argparse.Namespace) -> Motion | None:
    """Return the reference motion, None where none is asked for."""
    if args.motion:
        for option, value in (('--to', args.to), ('--from', args.start)):
            if value is not None:
                raise InputError(f'{option} and --motion: expected one of them')
        return from_file(args.motion, robot.joint_names)
    if args.to is None:
        return None
    duration = 10.0 if args.duration is None else args.duration
    return PROFILES[args.profile](values(robot, '--from', args.start),
                                  values(robot, '--to', args.to), duration)


def values(robot: Robot, option: str, text: str | None) -> Array:
    """Return joint values of text: one for all joints, or as many as there are."""
    if text is None:
        return np.zeros(robot.n)
    try:
        numbers = [float(word) for word in text.replace(',', ' ').split()]
    except ValueError:
        raise InputError(f'{option} {text}: expected numbers') from None
    if len(numbers) not in (1, robot.n):
        raise InputError(f'{option}: {len(numbers)} values: expected {robot.n} ('
                         + ', '.join(robot.joint_names) + ') or one for all')
    return np.broadcast_to(np.array(numbers, float), (robot.n,)).copy()


class Bar:
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
