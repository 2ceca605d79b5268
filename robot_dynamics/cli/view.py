"""robot-dynamics view: the robot on a page."""

import argparse
import sys
import webbrowser

from robot_dynamics.cli.robot_arguments import pairs
from robot_dynamics.errors import RobotDynamicsError
from robot_dynamics.loading import load


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument('files', metavar='FILE', nargs='+',
                        help='.urdf, .xacro, DH .yaml, mechanism file')
    parser.add_argument('--package', action='append', default=[], metavar='NAME=FOLDER',
                        help='where xacro and meshes find a ROS package (may be repeated)')
    parser.add_argument('--host', default='127.0.0.1',
                        help='address to listen on (default: %(default)s)')
    parser.add_argument('--port', type=int, default=8080, help='(default: %(default)s)')
    parser.add_argument('--no-open', action='store_true', help='do not open a browser')


def run(args: argparse.Namespace) -> int:
    """Serve the page until interrupted."""
    from robot_dynamics.viewer.opening import make_page
    packages = dict(pairs('--package', args.package))
    page = make_page(args.host, args.port)
    print(f'the page is at {page.address} (Ctrl-C ends it)', flush=True)
    for file in args.files:
        try:
            page.add_robot(load(file, missing_inertia='zero', packages=packages))
        except RobotDynamicsError as error:
            page.message(str(error))
            print(f'robot-dynamics view: {error}', file=sys.stderr, flush=True)
    if not args.no_open:
        webbrowser.open(page.address)
    page.wait()
    page.close()
    return 0
