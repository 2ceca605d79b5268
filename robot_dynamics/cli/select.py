"""robot-dynamics select FILES...: which arm to prefer, and what its motors must bear."""

import argparse
import json
import sys
import textwrap
from typing import Any

import numpy as np

from robot_dynamics.cli.motion_arguments import ProgressBar
from robot_dynamics.cli.options import check_files, check_plot, path
from robot_dynamics.cli.robot_arguments import add_load_arguments, load_options
from robot_dynamics.cli.table import align
from robot_dynamics.cli.view import add_page_arguments, announcement, serve
from robot_dynamics.errors import InputError
from robot_dynamics.selection.criteria import CRITERIA
from robot_dynamics.selection.selection import SAMPLES, Selection, select
from robot_dynamics.selection.sizing import FIELDS
from robot_dynamics.viewer.opening import view

COLUMNS = 5  # arms beside each other; more are one below the other
MOST = 20  # arms of a front that are shown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument('files', nargs='*', metavar='FILE',
                        help='.urdf, .xacro, DH .yaml, mechanism or template file')
    parser.add_argument('--template', action='append', default=[], metavar='FILE',
                        help='a base file and ranges of its parameters (may be repeated)')
    parser.add_argument('--task', nargs='+', default=[], metavar='FILE', action='extend',
                        help='motions and payloads to size for: .yaml, .csv, .npz, .mcap')
    parser.add_argument('--weights', metavar='NAME=W,...', help='criteria that decide (default: '
                        'gim_operations=1,mci_operations=1,time=1); known: ' + ', '.join(CRITERIA))
    parser.add_argument('--criteria', metavar='NAME,...', help='those to compute (default: all)')
    parser.add_argument('--link', action='append', default=[], metavar='LINK', help='whose motion '
                        'counts, where an arm has it (may be repeated; default: the tip)')
    parser.add_argument('--samples', type=int, default=SAMPLES, metavar='N',
                        help='postures of an arm that are looked at (default: %(default)s)')
    parser.add_argument('--seed', type=int, default=0, metavar='N', help='of what is sampled')
    add_load_arguments(parser)
    parser.add_argument('--report', type=path, metavar='FILE', help='write an HTML report')
    parser.add_argument('--plot', type=path, metavar='FILE', help='draw the front')
    parser.add_argument('--json', action='store_true', help='print JSON, for programs')
    parser.add_argument('--view', action='store_true', help='then show the chosen arm, the front '
                        'and others side by side on a page')
    add_page_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Print the table and the choice."""
    check_files(args.report)
    check_plot(args.plot)
    if not args.files and not args.template:
        raise InputError('expected FILES or --template FILE')
    bar = ProgressBar()
    try:
        found = select([*args.files, *args.template], task=args.task or None,
                       weights=weights(args.weights), criteria=listed(args.criteria),
                       link=args.link, samples=args.samples, seed=args.seed, progress=bar,
                       **load_options(args))
    finally:
        bar.close()
    if args.report:
        found.report(args.report)
    if args.plot:
        from robot_dynamics.selection.drawings import draw_front
        from robot_dynamics.simulation.plots import save_figure
        save_figure(draw_front(found), args.plot)
    print(json.dumps(as_json(found), indent=2) if args.json else text(found), flush=True)
    if args.view:
        show(found, args)
    return 0


def show(found: Selection, args: argparse.Namespace) -> None:
    """Serve a page with the chosen arm, the front and others, until interrupted."""
    page = view({f'{name}, chosen' if name == found.chosen else name: robot
                 for name, robot in found.robots().items()},
                host=args.host, port=args.port, browser=False)
    try:
        print(announcement(page), file=sys.stderr if args.json else sys.stdout, flush=True)
        serve(page, args)
    finally:
        page.close()


def weights(words: str | None) -> dict[str, float] | None:
    """Return weights of NAME=W,..."""
    if words is None:
        return None
    result = {}
    for word in words.split(','):
        name, _, value = word.partition('=')
        try:
            result[name.strip()] = float(value) if value else 1.0
        except ValueError:
            raise InputError(f'--weights {word}: expected NAME=NUMBER') from None
    return result


def listed(words: str | None) -> list[str] | None:
    """Return names of NAME,..."""
    return None if words is None else [word.strip() for word in words.split(',')]


def as_json(found: Selection) -> dict[str, Any]:
    """Return the selection for programs."""
    def number(x: Any) -> Any:
        return None if not isinstance(x, str) and x is not None and not np.isfinite(x) else x
    return {
        'chosen': found.chosen, 'front': list(found.front), 'weights': found.weights,
        'table': {name: {key: number(x) for key, x in row.items()}
                  for name, row in found.table.items()},
        'spread': {key: {name: number(float(x)) for name, x in zip(found.names, values,
                                                                   strict=True)}
                   for key, values in found.spreads.items()},
        'better': {key: list(names) for key, names in found.better.items()},
        'scores': {name: number(float(x)) for name, x in zip(found.names, found.scores,
                                                             strict=True)},
        'failed': found.failed,
        'notes': {case.family.source: case.notes for case in found.cases},
        'sizing': {case.family.source: [{
            'task': load.task, 'payload': load.payload.mass,
            'largest_payload': [number(float(x)) for x in load.largest_payload],
            'joints': {joint: {key: [number(float(x)) for x in getattr(load, key)[:, k]]
                               for key in FIELDS}
                       for k, joint in enumerate(case.sizing.joint_names)}}
            for load in case.sizing.loads] for case in found.cases if case.sizing}}


def text(found: Selection) -> str:
    """Return the selection as tables."""
    lines = few(found) if len(found.names) <= COLUMNS else many(found)
    if found.failed:
        lines += ['', 'Could not be loaded:', *(
            f'  {name}: {reason}' for name, reason in found.failed.items())]
    lines += ['', *sizing(found)]
    notes = list(dict.fromkeys(f'{case.family.source}: {note}' for case in found.cases
                               for note in case.notes))
    lines += [textwrap.fill(line, 98, subsequent_indent='  ') for line in [
        f'Chosen: {found.chosen}.', *(f'  {reason}' for reason in found.reasons),
        f'On the front: {", ".join(found.front[:MOST])}'
        + (f' and {len(found.front) - MOST} more.' if len(found.front) > MOST else '.'),
        *(f'Note: {note}' for note in notes)]]
    return '\n'.join(lines)


def few(found: Selection) -> list[str]:
    """Return criteria as rows and arms as columns, as Bhangale2004's Tables III and V."""
    table = [['criterion', *found.names, 'better', '']]
    for name, values in {**found.parameters, **found.columns}.items():
        if name in ('gim_operations', 'mci_operations'):
            table += count_rows(found, name)
        one, spread = CRITERIA.get(name), found.spreads.get(name)
        marked = found.better.get(name, ())
        cells = [cell(x, None if spread is None else spread[i]) + (
            ' *' if found.names[i] in marked else '  ') for i, x in enumerate(values)]
        table.append([name, *cells, {-1: 'less', 1: 'more'}[one.better] if one else '',
                      one.unit if one else ''])
    return align(table, right=set(range(1, len(found.names) + 1)))


def count_rows(found: Selection, name: str) -> list[list[str]]:
    """Return what was counted, and the paper's formula where it holds."""
    key = name.split('_')[0]
    counts = [getattr(found.case(arm)[0], key) for arm in found.names]
    rows = [[f'{key.upper()}', *(f'{x.counted}  ' for x in counts), '', '']]
    if any(x.paper for x in counts):
        formulas = sorted({x.formula for x in counts if x.formula})
        rows.append([f'{key.upper()}, paper', *(
            f'{x.paper[0]:g} M {x.paper[1]:g} A  ' if x.paper else '-  ' for x in counts), '',
            ', '.join(formulas)])
    return rows


def many(found: Selection) -> list[str]:
    """Return the front's arms as rows, the chosen one first."""
    shown = [found.chosen, *(name for name in found.front if name != found.chosen)][:MOST]
    index = {name: i for i, name in enumerate(found.names)}
    columns = {**found.parameters, **found.columns}
    better = {key: set(found.better.get(key, ())) for key in columns}
    table = [['arm', *columns]]
    for name in shown:
        i = index[name]
        table.append([name, *(cell(values[i]) + ('*' if name in better[key] else ' ')
                              for key, values in columns.items())])
    wide = [['', *(row[0] for row in table[1:])], *(
        [table[0][k], *(row[k] for row in table[1:])] for k in range(1, len(table[0])))]
    lines = align(wide if len(shown) <= COLUMNS else table,
                  right=set(range(1, len(table[0]) if len(shown) > COLUMNS else len(wide[0]))))
    return [f'{len(found.names)} arms, {len(found.front)} on the front', '', *lines]


def cell(x: float, spread: float | None = None) -> str:
    """Return a value, with what it is uncertain by."""
    if np.isnan(x):
        return '-'
    return f'{x:.4g}' + (f' +- {spread:.1g}' if spread else '')


def sizing(found: Selection) -> list[str]:
    """Return what tasks ask of the chosen arm's joints."""
    case, i = found.case(found.chosen)
    if case.sizing is None:
        return []
    lines = [f'{found.chosen} through {len(case.sizing.loads)} tasks, the worst of each:', '']
    table = [['joint', *(f'{key} [{unit}]' if unit else key
                         for key, (unit, _) in FIELDS.items())]]
    for k, joint in enumerate(case.sizing.joint_names):
        table.append([joint, *(cell(case.sizing.worst(key)[i, k]) for key in FIELDS)])
    return [*lines, *align(table, right=set(range(1, len(FIELDS) + 1))), '',
            f'{found.carries(found.chosen)}.', '']
