"""robot-dynamics view: the robot on a page."""

import argparse
import sys
import webbrowser
from typing import Any

from robot_dynamics.cli.options import path
from robot_dynamics.cli.robot_arguments import pairs
from robot_dynamics.errors import RobotDynamicsError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument('files', metavar='FILE', nargs='+',
                        help='robots (.urdf, .xacro, DH .yaml, mechanism file) and the runs that '
                             'they play (.npz, .csv, rosbag2)')
    parser.add_argument('--package', action='append', default=[], metavar='NAME=FOLDER',
                        help='where xacro and meshes find a ROS package (may be repeated)')
    parser.add_argument('--base', choices=('fixed', 'floating'), default='fixed',
                        help='whether roots of URDFs float (default: %(default)s)')
    add_page_arguments(parser)
    parser.add_argument('--record', type=path, metavar='FILE.html',
                        help='write what is played as a web page, and end')


def add_page_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare where the page is served, and whether a browser opens it."""
    parser.add_argument('--host', default='127.0.0.1', help='address that the page listens on '
                        '(default: %(default)s, this machine alone)')
    parser.add_argument('--port', type=int, default=8080, help='of the page: the first that is '
                        'tried, 0 for any (default: %(default)s)')
    parser.add_argument('--no-open', action='store_true', help='do not open a browser')


def run(args: argparse.Namespace) -> int:
    """Serve the page until interrupted."""
    from robot_dynamics.viewer.opening import fill, make_page
    packages = dict(pairs('--package', args.package))
    options = {} if args.base == 'fixed' else {'base': args.base}
    page = make_page(args.host, args.port)
    broken: list[RobotDynamicsError] = []

    def report(error: RobotDynamicsError) -> None:
        broken.append(error)
        page.message(str(error))
        print(f'robot-dynamics view: {error}', file=sys.stderr, flush=True)
    try:
        if args.record is None:
            print(announcement(page), flush=True)
        fill(page, args.files, packages, report, missing_inertia='zero', **options)
        if args.record is not None:
            if broken:
                args.record = None
                return 1
            page.record(args.record)
            return 0
        serve(page, args)
    finally:
        page.close()
    return 0


def announcement(page: Any) -> str:
    """Return where the page is, in words."""
    return f'the page is at {page.address} (Ctrl-C ends it)'


def serve(page: Any, args: argparse.Namespace) -> None:
    """Open a browser unless told not to, and serve the page until interrupted."""
    if not args.no_open:
        webbrowser.open(page.address)
    page.wait()
