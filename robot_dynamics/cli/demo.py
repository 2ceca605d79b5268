"""robot-dynamics demo: a robot moves, a node answers with its torques, over real DDS."""

from __future__ import annotations

import argparse
import json
import os
import select
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import robot_dynamics as rd
from robot_dynamics.cli.demo_picture import save_picture
from robot_dynamics.cli.live_report import LiveTable, outcome, summary
from robot_dynamics.cli.options import check_plot, path
from robot_dynamics.description.source import as_path, read_description
from robot_dynamics.nodes.shared.child import child
from robot_dynamics.simulation.online.exchange import SentMotion, cycloid

NAMESPACE = '/demo'
RATE = 100  # [Hz] of joint_states
NODE = 'robot_dynamics.nodes.inverse_dynamics'
VIEWER = 'robot_dynamics.nodes.viewer'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument('urdf', nargs='?', default='panda_like', metavar='FILE',
                        help='URDF file, or the name of a robot (default: panda_like)')
    parser.add_argument('--duration', type=float, default=5.0, metavar='S',
                        help='of the motion [s] (default: %(default)s)')
    parser.add_argument('--plot', type=path, default=Path('demo.png'), metavar='FILE',
                        help='of the plot (default: %(default)s)')
    parser.add_argument('--view', action='store_true',
                        help='show it on a page as well, while it runs')
    parser.add_argument('--theme', choices=('light', 'dark'), default='light',
                        help='of the plot (default: %(default)s)')
    parser.add_argument('--json', action='store_true', help='print the result alone, for programs')


def run(args: argparse.Namespace) -> int:
    """Move the robot, show what happens, and leave a plot; return the exit status."""
    try:
        from robot_dynamics.nodes.mover.node import Mover, follow
    except ModuleNotFoundError as error:
        raise rd.RobotDynamicsError(
            f'no {error.name}: source a ROS distribution, or use make demo') from None
    urdf = (as_path(args.urdf) or Path(args.urdf)).resolve()
    if not 0 < args.duration < np.inf:
        raise rd.InputError(f'--duration {args.duration:g}: expected more than zero')
    args.plot.parent.mkdir(parents=True, exist_ok=True)
    check_plot(args.plot)
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    if not urdf.is_file():
        raise rd.InputError(f'{urdf}: there is no such file')
    if not args.json:
        print(f'{urdf.name}: starting {NODE} in {NAMESPACE}', flush=True)
    stops = stop_signals()
    try:
        with node_process(urdf) as process, page_process(urdf, args.view):
            robot = read_robot(urdf)  # while the node starts
            motion = plan(robot, args.duration)
            table = LiveTable(motion)

            def watch(mover: Mover) -> None:
                if stops:
                    raise KeyboardInterrupt
                if process.poll() is not None:
                    raise rd.RobotDynamicsError('the inverse_dynamics node ended by itself')
                if not args.json:
                    table.update(mover.sent, mover.answers.tau)

            answers, exact = follow(motion, NAMESPACE, watch=watch)
    except KeyboardInterrupt:
        print('\nstopped')
        raise
    result = outcome(motion, answers, exact)
    shapes = {link.name: link.shapes for link in read_description(urdf).links.values()}
    save_picture(args.plot, robot, shapes, motion, answers, exact, args.theme)
    if args.json:
        print(json.dumps({'robot': urdf.name, **result, 'plot': str(args.plot)}, indent=2))
        return 0
    table.update(len(motion.t), answers.tau, last=True)
    print(summary(result))
    return 0


def read_robot(urdf: Path) -> rd.Robot:
    """Return the robot, without its warnings: robot-dynamics info shows them."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return rd.load(urdf)


def plan(robot: rd.Robot, duration: float) -> SentMotion:
    """Return a cycloidal motion of all joints: up to a quarter turn, inside the limits.

    duration: of the motion [s]
    """
    lower, upper = robot.limits.lower, robot.limits.upper
    joint = np.arange(robot.n)
    turn = np.pi / 2 * (-1.0)**joint / (1 + joint / 4)  # each its own, to be told apart
    start = np.zeros(robot.n)
    without = (lower > 0) | (upper < 0)  # zero is no pose of theirs
    start[without] = (lower[without] + upper[without]) / 2
    end = np.clip(start + turn, lower, upper)
    return cycloid(list(robot.joint_names), start, end, duration=duration, rate=RATE)


def stop_signals() -> list[int]:
    """Return a list that Ctrl-C and SIGTERM write themselves into.

    No exception: some libraries swallow it on import, others are left half made.
    """
    came: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: came.append(number))
    return came


def node_process(urdf: Path) -> AbstractContextManager[subprocess.Popen[Any]]:
    """Run the inverse_dynamics node as a process that does not outlive this one."""
    return child(NODE, '--ros-args', '-r', f'__ns:={NAMESPACE}', '--log-level', 'fatal', '-p',
                 f'robot_description_file:={urdf}', '-p', 'mode:=full')


@contextmanager
def page_process(urdf: Path, wanted: bool, patience: float = 60.0) -> Iterator[None]:
    """Run the viewer too, where it is wanted, and say its address before the robot moves.

    patience: how long to wait for the page [s]
    """
    if not wanted:
        yield
        return
    with child(VIEWER, '--ros-args', '-r', f'__ns:={NAMESPACE}', '--log-level', 'fatal', '-p',
               f'robot_description_file:={urdf}', stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        ready, _, _ = select.select([process.stdout], [], [], patience)
        line = process.stdout.readline() if ready else ''
        if not line.startswith('viewer: '):
            raise rd.RobotDynamicsError('the viewer did not open a page'
                                        f'{": " + line.strip() if line else ""}')
        print(f'on a page: {line.removeprefix("viewer: ").strip()}', file=sys.stderr, flush=True)
        yield
