"""What every sub-command that reads a robot has in common: the file and how to load it."""

import argparse
from collections.abc import Collection
from typing import Any

from robot_dynamics.cli.options import refuse
from robot_dynamics.description.mechanism.reading import closes_loops
from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.inputs import duplicates
from robot_dynamics.loading import GRAVITY, load, load_mechanism, other_than_usual
from robot_dynamics.model.missing_inertia import MISSING
from robot_dynamics.robot import Robot

FORCES = ('gravity', 'friction')


def add_robot_arguments(parser: argparse.ArgumentParser, missing: str = 'error',
                        forces: Collection[str] = FORCES) -> None:
    """Declare FILE and the options of robot_dynamics.load; forces: those that matter."""
    parser.add_argument('file', metavar='FILE',
                        help=".urdf, .xacro or .yaml, or a robot's name, such as panda_like")
    add_load_arguments(parser, missing, forces)
    for name in ('actuated', 'independent'):
        parser.add_argument(f'--{name}', type=_names, metavar='JOINT,...',
                            help=f'of a mechanism: its {name} joints')
    parser.add_argument('--start', action='append', default=[], metavar='JOINT=VALUE',
                        dest='closed_at',
                        help='of a mechanism: where its loops are assembled (may be repeated)')


def add_load_arguments(parser: argparse.ArgumentParser, missing: str = 'error',
                       forces: Collection[str] = FORCES) -> None:
    """Declare the options of robot_dynamics.load; forces: those that matter."""
    parser.add_argument('--root', help='link where the chain begins')
    parser.add_argument('--tip', help='link where the chain ends')
    parser.add_argument('--base', choices=('fixed', 'floating'), default='fixed',
                        help='floating: the root link moves freely, by a pose with a quaternion')
    parser.add_argument('--lock', action='append', default=[], metavar='JOINT=VALUE',
                        help='freeze a joint (may be repeated) [rad or m]')
    parser.add_argument('--xacro-arg', action='append', default=[], metavar='NAME=VALUE',
                        help='argument for xacro (may be repeated)')
    parser.add_argument('--package', action='append', default=[], metavar='NAME=FOLDER',
                        help='where xacro finds a ROS package (may be repeated)')
    parser.add_argument('--missing-inertia', choices=MISSING, default=missing,
                        help='what to do with joints that move no mass (default: %(default)s)')
    parser.add_argument('--rod-density', type=float, metavar='KG/M',
                        help='of slender rods (default: 1)')
    parser.add_argument('--rod-length', type=float, metavar='M',
                        help='of links whose size is not known (default: 0.1)')
    if 'gravity' in forces:
        parser.add_argument('--gravity', type=float, nargs=3, metavar=('X', 'Y', 'Z'),
                            help="in root axes, as X,Y,Z too [m/s^2] (default: the file's, else "
                                 '0,0,-9.81)')
    if 'friction' in forces:
        parser.add_argument('--no-friction', action='store_true', help='leave friction out')
    parser.add_argument('--strict', action='store_true',
                        help='refuse inertials that no rigid body can have')


def load_robot(args: argparse.Namespace) -> Robot:
    """Load the robot the arguments name."""
    closed = {'actuated': args.actuated, 'independent': args.independent,
              'start': start_values(args)}
    options = load_options(args)
    if all(value is None for value in closed.values()):
        return load(args.file, **options)
    return load_mechanism(args.file, **closed, **other_than_usual(options))


def start_values(args: argparse.Namespace) -> dict[str, float] | None:
    """Return the values of --start, None where there are none."""
    values = {name: _number(f'--start {name}', value)
              for name, value in pairs('--start', args.closed_at)}
    return values or None


def load_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options of robot_dynamics.load."""
    if args.missing_inertia != 'slender_rod':
        refuse(args, 'is for --missing-inertia slender_rod', 'rod_density', 'rod_length')
    gravity = getattr(args, 'gravity', None)
    quaternion = args.base == 'floating' or _closes_loops(args)
    return {
        'root': args.root, 'tip': args.tip, 'gravity': GRAVITY if gravity is None else gravity,
        'missing_inertia': args.missing_inertia,
        'rod_density': 1.0 if args.rod_density is None else args.rod_density,
        'rod_length': 0.1 if args.rod_length is None else args.rod_length,
        'locked': {name: _number(f'--lock {name}', value)
                   for name, value in pairs('--lock', args.lock)},
        'friction': not getattr(args, 'no_friction', False), 'strict': args.strict,
        'xacro_args': dict(pairs('--xacro-arg', args.xacro_arg)),
        'packages': dict(pairs('--package', args.package)), 'base': args.base,
        'floating': 'quaternion' if quaternion else 'chain'}


def pairs(option: str, words: list[str]) -> list[tuple[str, str]]:
    """Return NAME=VALUE words as pairs."""
    pairs = []
    for word in words:
        name, equals, value = word.partition('=')
        if not equals or not name:
            raise InputError(f'{option} {word}: expected NAME=VALUE')
        pairs.append((name, value))
    if twice := duplicates(name for name, _ in pairs):
        raise InputError(f'{option}: given twice for {twice}')
    return pairs


def _closes_loops(args: argparse.Namespace) -> bool:
    """Tell whether the file is a mechanism; what cannot be read is for `load` to say."""
    try:
        return closes_loops(args.file, xacro_args=dict(pairs('--xacro-arg', args.xacro_arg)),
                            packages=dict(pairs('--package', args.package)))
    except (RobotDynamicsError, AttributeError):
        return False


def _names(word: str) -> list[str]:
    return [name for name in word.split(',') if name]


def _number(what: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f'{what}={text}: expected a number') from None
