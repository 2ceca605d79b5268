"""robot-dynamics info FILE: what a robot is made of, and what looks wrong about it."""

import argparse
import json
import math
from collections.abc import Collection
from typing import Any

import numpy as np

from robot_dynamics.cli.joint_tables import units
from robot_dynamics.cli.mechanism_info import (
    END,
    describe_loops,
    loop_ends,
    loop_lines,
    read_record,
    tree_options,
)
from robot_dynamics.cli.options import add_plot_arguments, check_plot, refuse
from robot_dynamics.cli.robot_arguments import add_robot_arguments, load_robot, pairs
from robot_dynamics.cli.table import align
from robot_dynamics.description.mechanism import closes_loops
from robot_dynamics.description.notes import Notes
from robot_dynamics.dynamics import Dynamics
from robot_dynamics.loading import load
from robot_dynamics.model.dh.table import DHRow
from robot_dynamics.model.inertia_checks import unloaded_joints
from robot_dynamics.model.missing_inertia import massless_rows
from robot_dynamics.simulation.joint_facts import JointFacts
from robot_dynamics.simulation.online.bodies import layout_of
from robot_dynamics.words import counted

UNITS = {'lower': 'q', 'upper': 'q', 'velocity': 'qd', 'effort': 'tau', 'damping': 'damping',
         'friction': 'tau'}  # of the columns: those of which quantity


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_robot_arguments(parser, missing='zero', forces=())
    parser.add_argument('--json', action='store_true', help='print JSON, for programs')
    add_plot_arguments(parser, 'draw the robot, at q = 0 or at the limits nearest to it')


def run(args: argparse.Namespace) -> int:
    """Print the report."""
    import warnings
    check_plot(args.plot)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # they are part of the report
        robot, report = _robot_and_report(args)
    print(json.dumps(report, indent=2, allow_nan=False) if args.json else text(report))
    if args.plot:
        from robot_dynamics.simulation.skeleton import draw
        found = report.get('mechanism')
        if found is None:
            draw(robot, args.plot, theme=args.theme)
        else:
            begin = dict(zip(robot.value_names, robot.neutral, strict=True)) | found['start']
            draw(robot, args.plot, np.array(list((found['assembled'] or begin).values())),
                 theme=args.theme, loops=read_record(args).loops,
                 assembled=found['assembled'] is not None)
    loads = 'mechanism' not in report or report['mechanism']['formulation'] is not None
    return 0 if loads else 1


def _robot_and_report(args: argparse.Namespace) -> tuple[Dynamics, dict[str, Any]]:
    """Return a robot, or the open tree of a mechanism, and the report on it."""
    if not closes_loops(args.file, xacro_args=dict(pairs('--xacro-arg', args.xacro_arg)),
                        packages=dict(pairs('--package', args.package))):
        refuse(args, 'is for mechanisms', 'actuated', 'independent', 'closed_at')
        robot = load_robot(args)
        return robot, describe(robot)
    refuse(args, 'is not for mechanisms, which keep their whole tree', 'root', 'tip', 'lock')
    record = read_record(args)
    tree = load(record.tree, **tree_options(record, args))
    report = describe(tree)
    report.update(name=record.name, mechanism=describe_loops(record, tree))
    notes = Notes([*record.warnings, *report['all_warnings']])
    report.update(warnings=list(notes), all_warnings=list(notes.full))
    return tree, report


def describe(robot: Dynamics) -> dict[str, Any]:
    """Return the report as plain data."""
    parents = robot.dh.parents()
    floating = {*robot.joint_names} - {*layout_of(robot).single_names}
    joints = []
    for row, parent in zip(robot.dh.rows, parents, strict=True):
        joints.append({
            'name': row.name, 'type': kind_of(row, floating),
            'parent': robot.dh.rows[parent].link if parent >= 0 else robot.dh.root,
            'link': row.link, 'mass': float(row.mass),
            **{key: _finite(getattr(row, key)) for key in ('lower', 'upper', 'velocity',
                                                           'effort', 'damping', 'friction')},
            'mimic': None if row.mimic is None else {
                'joint': row.mimic.leader, 'multiplier': row.mimic.multiplier,
                'offset': row.mimic.offset}})
    unloaded = unloaded_joints(robot.dh)
    said = '\n'.join(robot.warnings.full)
    massless = [row for row in (robot.dh.rows[i] for i in massless_rows(robot.dh, unloaded))
                if f'moves with joint {row.name!r} and has a shape' not in said]
    notes = Notes([*robot.warnings.full, *(
        f'link {row.link!r} moves with joint {row.name!r}, but has no mass: right for a frame, '
        'not for a body' for row in massless), *(
        f'joint {robot.dh.rows[i].name!r} moves neither mass nor inertia: forward dynamics is '
        'singular' for i in unloaded)])
    on = {name: (robot.dh.rows[frame.row].link if frame.row >= 0 else robot.dh.root)
          for name, frame in robot.dh.frames.items()}
    return {'name': robot.name, 'root': robot.dh.root, 'tips': list(robot.tip_names),
            'free_joints': robot.n, 'moving_links': len(joints),
            'total_mass': robot.total_mass, 'moving_mass': robot.moving_mass, 'joints': joints,
            'fixed_links': {name: link for name, link in on.items() if name != link},
            'assumed': [str(body) for body in robot.dh.assumed],
            'warnings': list(notes), 'all_warnings': list(notes.full)}


def kind_of(row: DHRow, floating: Collection[str]) -> str:
    """Return a joint's type; one that turns without limits is continuous, as URDF has it."""
    endless = row.lower == -math.inf and row.upper == math.inf and row.name not in floating
    return 'continuous' if row.joint == 'revolute' and endless else str(row.joint)


def text(report: dict[str, Any]) -> str:
    """Return the report for people."""
    facts = JointFacts('', {joint['name']: joint['type'] == 'prismatic'
                            for joint in report['joints']}, None)
    heads = ['joint', 'type', 'link', 'mass\n[kg]', *(
        f'{head}\n{units(key, facts.slides, facts)}' for head, key in UNITS.items())]
    rows = []
    for joint in report['joints']:
        kind = joint['type']
        if joint['mimic']:
            mimic = joint['mimic']
            kind += f' = {mimic["multiplier"]:g} {mimic["joint"]}'
            kind += f' {mimic["offset"]:+g}' if mimic['offset'] else ''
        rows.append([joint['name'], kind, joint['link'], f'{joint["mass"]:.6g}',
                     *(_short(joint[key]) for key in UNITS)])
    lines = [f'{report["name"]}: {counted(report["free_joints"], "free joint")}, '
             f'{counted(report["moving_links"], "moving link")}, {report["total_mass"]:.6g} kg, '
             f'{report["moving_mass"]:.6g} kg of it in motion',
             f'tips: {", ".join(report["tips"])}', '']
    lines += align([heads, *rows], right=set(range(3, 10))) if rows else ['no joint moves']
    lines += ['', *tree(report)]
    if 'mechanism' in report:
        lines += ['', *loop_lines(report['mechanism'])]
    for key, head in (('assumed', 'assumed bodies of links without inertials:'),
                      ('warnings', 'warnings:')):
        if report[key]:
            lines += ['', head, *(f'  {note}' for note in report[key])]
    return '\n'.join(lines)


def tree(report: dict[str, Any]) -> list[str]:
    """Return the tree of links, drawn; links on fixed joints stand in brackets."""
    children: dict[str, list[tuple[str, str]]] = {}
    for joint in report['joints']:
        mark = '|' if joint['type'] == 'prismatic' else 'o'
        children.setdefault(joint['parent'], []).append((joint['link'],
                                                         f'{mark} {joint["name"]}'))
    fixed: dict[str, list[str]] = {}
    for name, link in report['fixed_links'].items():
        fixed.setdefault(link, []).append(name)
    ends = loop_ends(report)
    lines = [_label(report['root'], fixed) + ends.get(report['root'], '')]
    stack = [(link, joint, '', k == 0) for k, (link, joint) in enumerate(
        reversed(children.get(report['root'], [])))]
    while stack:
        link, joint, indent, last = stack.pop()
        lines.append(f'{indent}{"`-- " if last else "|-- "}{joint} -> {_label(link, fixed)}'
                     + ends.get(link, ''))
        below = indent + ('    ' if last else '|   ')
        stack += [(child, name, below, k == 0) for k, (child, name) in enumerate(
            reversed(children.get(link, [])))]
    marks = f', {END} loops end there' if ends else ''
    return [*lines, f'(o turns, | slides, [] are fixed on the link{marks})']


def _label(link: str, fixed: dict[str, list[str]]) -> str:
    others = fixed.get(link, [])
    shown = ', '.join(others[:4]) + (f', {len(others) - 4} more' if len(others) > 4 else '')
    return f'{link} [{shown}]' if others else link


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _short(value: float | None) -> str:
    return '-' if value is None else f'{value + 0.0:.5g}'  # no -0
