"""robot-dynamics: one command, its sub-commands each a small file beside this one.

A sub-command's file has `add_arguments(parser)` and `run(args) -> int`; it is imported only when
asked for, so that no command pays for another's libraries. What the options of `WRITTEN` name
when `run` returns was written; it is said here, for all commands.
"""

import argparse
import importlib
import os
import re
import sys
import warnings
from typing import TextIO

from robot_dynamics import __version__
from robot_dynamics.cli.mistyped import parse, spread
from robot_dynamics.errors import RobotDynamicsError

NEGATIVE_LIST = re.compile(r'-[\d.][^,]*,')
COMMANDS = {
    'info': 'joints, links, masses, warnings and the tree of a robot',
    'dh': 'Denavit-Hartenberg table of a robot, inertias carried over',
    'urdf': "URDF text of a robot, or of a mechanism's tree",
    'bench': 'speed beside Pinocchio and MuJoCo, in one run',
    'ops': "operation counts of the algorithms beside the papers'",
    'torque': 'joint torques of a state or a motion',
    'simulate': 'motion of a robot under torques or a control law',
    'view': 'the robot on a page, in a browser',
    'select': 'which of some arms to prefer, and what its motors must bear',
    'sweep': 'a function over a grid, samples or a file of states, to Zarr or Parquet',
    'reproduce': "the papers' experiments, their numbers beside ours",
    'demo': 'move a robot over ROS 2 and show its torques live',
}
WRITTEN = ('output', 'save', 'report', 'plot', 'record')  # options that name what is written


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    argv = joined(sys.argv[1:] if argv is None else argv)
    parser = make_parser(argv)
    args = parse(parser, COMMANDS, argv)
    if args.command is None:
        parser.print_help()
        return 0
    warnings.showwarning = show_warning  # a warning's file and line say nothing here
    try:
        code: int = importlib.import_module(f'robot_dynamics.cli.{args.command}').run(args)
        say_written(args)
        return code
    except RobotDynamicsError as error:
        print(f'robot-dynamics {args.command}: {error}', file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of a pipe went away: `robot-dynamics dh FILE | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # a file that cannot be written
        where = f'{error.filename}: ' if error.filename else ''
        print(f'robot-dynamics {args.command}: {where}{error.strerror or error}', file=sys.stderr)
        return 1
    except MemoryError as error:
        print(f'robot-dynamics {args.command}: too much for the memory: {error}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def say_written(args: argparse.Namespace) -> None:
    """Print which files a command wrote: beside its answer, which others may read."""
    for file in filter(None, (getattr(args, name, None) for name in WRITTEN)):
        print(f'wrote {file}', file=sys.stderr)


def joined(argv: list[str]) -> list[str]:
    """Join options and lists that begin with a minus: argparse takes -1,0 for an option."""
    result: list[str] = []
    for word in argv:
        if result and NEGATIVE_LIST.match(word) and result[-1].startswith('--'):
            result[-1] += f'={word}'
        else:
            result.append(word)
    return spread(result)


def make_parser(argv: list[str]) -> argparse.ArgumentParser:
    """Return the parser, with the arguments of the one command that is asked for."""
    parser = argparse.ArgumentParser(
        prog='robot-dynamics', description='Dynamics of a robot from its URDF.')
    parser.add_argument('--version', action='version', version=f'%(prog)s {__version__}')
    commands = parser.add_subparsers(dest='command', metavar='COMMAND')
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text)
        if argv[:1] == [name]:
            importlib.import_module(f'robot_dynamics.cli.{name}').add_arguments(command)
    return parser


def show_warning(message: Warning | str, category: type[Warning], filename: str, lineno: int,
                 file: TextIO | None = None, line: str | None = None) -> None:
    """Print a warning as one line."""
    print(f'warning: {message}', file=sys.stderr)


if __name__ == '__main__':
    sys.exit(main())
