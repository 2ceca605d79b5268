"""robot-dynamics urdf FILE: URDF text of a robot, or of a mechanism's tree, for rviz."""

import argparse
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lxml import etree

from robot_dynamics.cli.robot_arguments import pairs
from robot_dynamics.description.extensions import closures
from robot_dynamics.description.mechanism import closes_loops, read_mechanism
from robot_dynamics.description.mechanism.native import YAML
from robot_dynamics.description.records import Description
from robot_dynamics.description.safe_yaml import parse_yaml
from robot_dynamics.description.source import as_path, read_bytes, read_root
from robot_dynamics.loading import load


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument('file', metavar='FILE',
                        help='.urdf, .xacro, DH .yaml or mechanism file, or the name of a robot')
    parser.add_argument('--xacro-arg', action='append', default=[], metavar='NAME=VALUE',
                        help='argument for xacro (may be repeated)')
    parser.add_argument('--package', action='append', default=[], metavar='NAME=FOLDER',
                        help='where xacro finds a ROS package (may be repeated)')
    parser.add_argument('words', nargs='*', metavar='NAME:=VALUE',
                        help='argument for xacro, in its own way')


def run(args: argparse.Namespace) -> int:
    """Print the URDF."""
    given = [*args.xacro_arg, *(word.replace(':=', '=', 1) for word in args.words)]
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # who loads it is told
        print(urdf_text(args.file, dict(pairs('--xacro-arg', given)),
                        dict(pairs('--package', args.package))))
    return 0


def urdf_text(file: str, xacro_args: Mapping[str, str], packages: Mapping[str, str]) -> str:
    """Return a file as URDF text: visuals and all of a URDF, else made of the model."""
    tree: Any = as_path(file) or Path(file)
    if closes_loops(tree, xacro_args=xacro_args, packages=packages):
        own = xacro_args_of(tree)
        tree = read_mechanism(tree, xacro_args=xacro_args, packages=packages).tree
        xacro_args = {**own, **xacro_args}
    where = Path(tree.where) if isinstance(tree, Description) else tree
    if where.suffix.lower() in ('.urdf', '.xacro'):
        root = read_root(where, xacro_args=xacro_args, packages=packages)[0]
        for element, _ in list(closures(root)):  # of the loops, which no other program reads
            if element.tag in ('loop', 'coupling', 'constraint'):
                element.getparent().remove(element)
        text: str = etree.tostring(root, encoding='unicode')
        return text
    return load(tree, missing_inertia='zero').to_urdf()


def xacro_args_of(file: Path) -> dict[str, Any]:
    """Return the arguments that a mechanism file has for its xacro."""
    if file.suffix.lower() not in YAML:
        return {}
    return parse_yaml(read_bytes(file), str(file)).get('xacro_args') or {}
