"""What `robot-dynamics info` says of a mechanism: tree, loops, freedoms by count and by rank."""

import argparse
from collections.abc import Mapping
from typing import Any

from robot_dynamics.cli.robot_arguments import pairs, start_values
from robot_dynamics.cli.table import align
from robot_dynamics.description.mechanism import WORLD, MechanismRecord, read_mechanism
from robot_dynamics.errors import RobotDynamicsError
from robot_dynamics.mechanism.loading import mechanism_of
from robot_dynamics.mechanism.survey import Survey, survey
from robot_dynamics.robot import Robot

END = '~'  # marks where a loop ends in the drawing


def read_record(args: argparse.Namespace) -> MechanismRecord:
    """Read the mechanism that the arguments name."""
    return read_mechanism(
        args.file, actuated=args.actuated, independent=args.independent, start=start_values(args),
        xacro_args=dict(pairs('--xacro-arg', args.xacro_arg)),
        packages=dict(pairs('--package', args.package)))


def tree_options(record: MechanismRecord, args: argparse.Namespace) -> dict[str, Any]:
    """Return what rd.load gets with the mechanism's tree."""
    return {'missing_inertia': args.missing_inertia, **record.options}


def describe_loops(record: MechanismRecord, robot: Robot) -> dict[str, Any]:
    """Return the report's part on loops, as plain data."""
    found = survey(record, robot.model)
    loops: list[dict[str, Any]] = [
        {'name': loop.name, 'joint': loop.joint,
         'between': [frame.link for frame in loop.frames]} for loop in record.loops]
    loops += [{'name': coupling.name, 'joint': 'coupling',
               'between': list(coupling.coefficients)} for coupling in record.couplings]
    for loop, count in zip(loops, found.loops, strict=True):
        loop.update(equations=count.equations, new=count.new)
    counted = found.mobility
    return {'loops': loops, 'actuated': _listed(record.actuated),
            'independent': _listed(record.independent), 'start': dict(record.start),
            'freedoms': counted.freedoms, 'gruebler': counted.gruebler,
            'equations': counted.equations, 'rank': counted.rank,
            'redundant_loops': list(found.redundant), 'undetermined': list(found.undetermined),
            'dependent': list(found.dependent), 'open': found.open,
            **_outlook(record, robot, found)}


def _listed(names: tuple[str, ...] | None) -> list[str] | None:
    return None if names is None else list(names)


def _outlook(record: MechanismRecord, robot: Robot, found: Survey) -> dict[str, Any]:
    """Return how the mechanism is solved, what keeps it from working, and what looks odd."""
    sentences, formulation, assembled = [], None, None
    if found.redundant:
        sentences.append('these loops close nothing that the others leave open: '
                         + ', '.join(found.redundant))
    what = 'independent' if record.independent else 'actuated'
    if record.actuated is not None or record.independent is not None:
        if found.undetermined:
            sentences.append(f'the {what} joints do not determine the rest: while they rest, '
                             f'{", ".join(found.undetermined)} move')
        if found.dependent:
            sentences.append(f'these {what} joints follow from the other ones: '
                             + ', '.join(found.dependent))
    try:
        mechanism = mechanism_of(record, robot)
        formulation = f'{mechanism.formulation} ({mechanism.formulation_reason})'
        assembled = dict(zip(robot.value_names, mechanism.start.tolist(), strict=True))
    except RobotDynamicsError as error:
        sentences.append(str(error))
    return {'formulation': formulation, 'problems': sentences, 'assembled': assembled}


def loop_lines(report: Mapping[str, Any]) -> list[str]:
    """Return the report's part on loops, for people."""
    rows = [[loop['name'], loop['joint'], ' -- '.join(loop['between']), str(loop['equations']),
             str(loop['new'])] for loop in report['loops']]
    lines = ['loops that close the tree:',
             *align([['loop', 'joint', 'between', 'equations', 'new'], *rows], right={3, 4}), '']
    for key in ('actuated', 'independent'):
        if report[key] is not None:
            lines.append(f'{key}: {", ".join(report[key]) or "none"}')
    redundant = report['equations'] - report['rank']
    lines.append(
        f'degrees of freedom: {report["freedoms"]} by rank; by Gruebler\'s count '
        f'{report["gruebler"]} ({report["equations"]} equations, '
        + (f'{redundant} of them follow from others: over-constrained, as planar loops in space '
           'are)' if redundant else 'all independent)'))
    if report['formulation']:
        lines.append(f'passive joints by {report["formulation"]}')
    if report['problems']:
        lines += ['', 'this mechanism needs attention:', *(f'  {p}' for p in report['problems'])]
    return lines


def loop_ends(report: Mapping[str, Any]) -> dict[str, str]:
    """Return the loops that end on each body, as they are drawn in the tree."""
    on, ends = report['fixed_links'], dict[str, list[str]]()
    for loop in report.get('mechanism', {}).get('loops', ()):
        for link in loop['between'] if loop['joint'] != 'coupling' else ():
            body = report['root'] if link == WORLD else on.get(link, link)
            ends.setdefault(body, []).append(loop['name'])
    return {body: f' {END} ' + ', '.join(names) for body, names in ends.items()}
