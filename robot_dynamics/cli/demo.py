"""robot-dynamics demo: a robot moves, a node answers with its torques, over real DDS."""

from __future__ import annotations

import argparse
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import robot_dynamics as rd
from robot_dynamics.cli.demo_report import LiveTable, save_plot, summary
from robot_dynamics.nodes.motion import cycloid
from robot_dynamics.share import shared_file

NAMESPACE = '/demo'
RATE = 100  # [Hz] of joint_states
NODE = 'robot_dynamics.nodes.inverse_dynamics'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument('urdf', nargs='?', help='URDF file (a PUMA 560 unless given)')
    parser.add_argument('--duration', type=float, default=5.0, help='of the motion [s]')
    parser.add_argument('--plot', type=Path, default=Path('demo.png'), help='file of the plot')


def run(args: argparse.Namespace) -> int:
    """Move the robot, show what happens, and leave a plot; return the exit status."""
    # Only this command needs rclpy: without ROS the others still run.
    from robot_dynamics.nodes.mover import follow
    urdf = Path(args.urdf or shared_file('urdf/puma560.urdf')).resolve()
    robot = rd.load(urdf)
    motion = cycloid(list(robot.joint_names), *strokes(robot), duration=args.duration, rate=RATE)
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    print(f'{urdf.name}: {robot.n} joints; starting {NODE} in {NAMESPACE}', flush=True)
    table = LiveTable(motion)
    try:
        with node_process(urdf) as process:
            def watch(mover) -> None:
                if process.poll() is not None:
                    raise rd.RobotDynamicsError('the inverse_dynamics node ended by itself')
                table.update(mover.sent, mover.answers.tau)
            answers, exact = follow(motion, NAMESPACE, watch=watch)
    except KeyboardInterrupt:
        print('\nstopped')
        return 130
    table.update(len(motion.t), answers.tau, last=True)
    print(summary(motion, answers, exact))
    save_plot(args.plot, motion, answers, exact)
    print(f'plot: {args.plot}')
    return 0


def strokes(robot: rd.Robot) -> tuple[np.ndarray, np.ndarray]:
    """Return joint values to move from and to: up to a quarter turn, inside the limits."""
    lower, upper = robot.limits.lower, robot.limits.upper
    joint = np.arange(robot.n)
    end = np.pi / 2 * (-1.0)**joint / (1 + joint / 4)  # each its own, to be told apart in the plot
    return np.clip(np.zeros(robot.n), lower, upper), np.clip(end, lower, upper)


@contextmanager
def node_process(urdf: Path) -> Iterator[subprocess.Popen]:
    """Run the inverse_dynamics node as a process that does not outlive this one."""
    process = subprocess.Popen(
        [sys.executable, '-m', NODE, '--ros-args', '-r', f'__ns:={NAMESPACE}', '--log-level',
         'warn', '-p', f'robot_description_file:={urdf}', '-p', 'mode:=full'],
        stdin=subprocess.DEVNULL, preexec_fn=_die_with_parent)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _die_with_parent() -> None:
    set_parent_death_signal = 1  # PR_SET_PDEATHSIG of prctl(2): even kill -9 leaves no child
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGTERM)
