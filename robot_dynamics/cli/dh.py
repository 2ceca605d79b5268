"""robot-dynamics dh FILE: the Denavit-Hartenberg table, with the inertias carried over."""

import argparse
import json

import yaml

from robot_dynamics.cli.options import add_plot_arguments, check_plot
from robot_dynamics.cli.robot_arguments import add_robot_arguments, load_robot


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_robot_arguments(parser, missing='zero', forces=())
    form = parser.add_mutually_exclusive_group()
    form.add_argument('--yaml', action='store_true', help='a DH file that load reads back')
    form.add_argument('--markdown', action='store_true', help='a table for documents')
    form.add_argument('--json', action='store_true', help='print JSON, for programs')
    add_plot_arguments(parser, 'draw the frames')


def run(args: argparse.Namespace) -> int:
    """Print the table in the form asked for."""
    check_plot(args.plot)
    robot = load_robot(args)
    if args.yaml:
        print(robot.dh.to_yaml(), end='')
    elif args.markdown:
        print(robot.dh.to_markdown(), end='')
    elif args.json:
        print(json.dumps(yaml.safe_load(robot.dh.to_yaml()), indent=2))
    else:
        print(robot.dh)
    if args.plot:
        from robot_dynamics.simulation.skeleton import draw
        draw(robot, args.plot, frames=True, theme=args.theme)
    return 0
