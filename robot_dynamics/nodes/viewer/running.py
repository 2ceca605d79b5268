"""Runs viewers: one page, a node for each robot on it."""

from __future__ import annotations

import argparse
import functools
import os
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rclpy.utilities import remove_ros_args

from robot_dynamics.cli.options import path
from robot_dynamics.cli.robot_arguments import pairs
from robot_dynamics.description.named_robots import advice, named_file
from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.nodes.shared.child import child
from robot_dynamics.nodes.shared.model_node import run
from robot_dynamics.nodes.viewer.node import ViewerNode
from robot_dynamics.share import shared_file
from robot_dynamics.viewer.gate import LOOPBACK, is_loopback
from robot_dynamics.viewer.page import PORT, Page

SIMULATED = 'robot_dynamics.nodes.dynamics_stack'
SHOWN = 'panda_like'
SWITCH_INTERVAL = 5e-4  # [s] between threads: the page's and the node's wait for each other
NICENESS = 5  # who controls the robot comes first
MECHANISM = ('.yaml', '.yml')


def parser() -> argparse.ArgumentParser:
    """Return the parser of what is no argument of ROS."""
    result = argparse.ArgumentParser(prog='viewer', description='A live robot on a page.')
    result.add_argument('--host', default=LOOPBACK,
                        help='address to listen on; others than loopback ask for the token of '
                        'the address that is printed (default: %(default)s)')
    result.add_argument('--port', type=int, default=PORT, help='(default: %(default)s)')
    result.add_argument('--no-open', action='store_true', help='leave the browser alone')
    result.add_argument('--allow-commands', action='store_true',
                        help='the switch for commands works on other hosts than loopback too')
    result.add_argument('--namespace', action='append', default=[], metavar='NAME',
                        help='of a robot (may be repeated; default: that of --ros-args)')
    result.add_argument('--package', action='append', default=[], metavar='NAME=FOLDER',
                        help='where meshes of a ROS package are (may be repeated)')
    result.add_argument('--simulate', nargs='?', type=path, metavar='FILE',
                        const=Path(SHOWN), help='a simulated robot with its controller to look '
                        f'at: a file, or the name of a robot ({SHOWN} unless given)')
    return result


def main() -> None:
    """Open the page, and watch robots until told to stop."""
    args = parser().parse_args(remove_ros_args(sys.argv)[1:])
    try:
        packages = dict(pairs('--package', args.package))
        file = _file(args.simulate)
        page = Page(args.host, args.port, controls=False)
    except RobotDynamicsError as error:
        sys.exit(f'viewer: {error}')
    sys.setswitchinterval(SWITCH_INTERVAL)
    allowed = args.allow_commands or is_loopback(args.host)
    print(f'viewer: {page.address}', flush=True)  # not logged: it may have a token
    if not args.no_open and (os.environ.get('DISPLAY') or os.environ.get('WAYLAND_DISPLAY')):
        webbrowser.open(page.address)
    try:
        with simulated(file, args.namespace):
            os.nice(NICENESS)
            run(*(functools.partial(ViewerNode, page, allowed=allowed, packages=packages,
                                    cli_args=_own_arguments(name, file))
                  for name in args.namespace or [None]))
    finally:
        page.close()


@contextmanager
def simulated(file: Path | None, namespaces: list[str]) -> Iterator[None]:
    """Run a simulated robot with its controller beside the viewer; None: none."""
    if file is None:
        yield
        return
    if len(namespaces) > 1:
        sys.exit('viewer: --simulate: expected one --namespace at most')
    space = [word for name in namespaces for word in _space(name)]
    with child(SIMULATED, '--ros-args', *space, '-r', '~/commands:=effort_commands',
               '--params-file', shared_file('config/default.yaml'), '-p', 'mode:=computed_torque',
               *_model(file)):
        yield


def _file(file: Path | None) -> Path | None:
    """Return the file of a robot, which may have a name instead."""
    if file is None or file.is_file():
        return file
    found = named_file(str(file))
    if found is None:
        raise InputError(f'{file}: there is no such file{advice(str(file))}')
    return found


def _own_arguments(namespace: str | None, file: Path | None) -> list[str] | None:
    """Return the arguments of one viewer, which come before those of the process."""
    words = [*(_space(namespace) if namespace else []), *(_model(file) if file else [])]
    return ['--ros-args', *words] if words else None


def _space(name: str) -> list[Any]:
    return ['-r', f'__ns:=/{name.strip("/")}']


def _model(file: Path) -> list[Any]:
    kind = 'mechanism_file' if file.suffix in MECHANISM else 'robot_description_file'
    return ['-p', f'{kind}:={file.resolve()}']
