"""`robot-dynamics ops FILE`: what the algorithms cost, beside what the papers print."""

import argparse
import json
import textwrap
from typing import Any

from robot_dynamics.algorithms.paper_counts import COUNTS, FIXED, evaluate, formula
from robot_dynamics.cli.count_plot import draw
from robot_dynamics.cli.options import check_plot, path
from robot_dynamics.cli.robot_arguments import add_robot_arguments, load_robot
from robot_dynamics.errors import InputError, ModelError
from robot_dynamics.model.model import Model
from robot_dynamics.studies.operation_table import (
    METHODS,
    PLANAR,
    REASONS,
    Method,
    beside,
    count_formula,
    count_general,
    count_tree,
)
from robot_dynamics.studies.planar import planar_arm
from robot_dynamics.words import counted

HEAD = ('M: multiplications and divisions, A: additions and subtractions, T: sines and cosines. '
        'Products with 0, 1, -1, sums with 0 and anything made of constants are not counted, '
        "nor what the result does not depend on. The arm is the papers' general one: n revolute "
        'joints, nothing special about lengths, angles and inertias.')


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_robot_arguments(parser, missing='zero', forces=('gravity',))
    parser.add_argument('--joints', type=int, metavar='N',
                        help='joints of the general arm (default: as many as the robot has)')
    parser.add_argument('--plot', type=path, metavar='FILE', help='draw the counts over n')
    parser.add_argument('--json', action='store_true', help='print JSON, for programs')


def run(args: argparse.Namespace) -> int:
    """Print the tables."""
    if args.joints is not None and not 2 <= args.joints <= 200:
        raise InputError(f'--joints: {args.joints} found, 2 to 200 expected')
    check_plot(args.plot)
    model = load_robot(args).model
    if not len(model.geometry.parent):
        raise InputError(f'{args.file}: has no joints that could move')
    n = args.joints or max(len(model.geometry.parent), 2)
    report = {'robot': model.name, 'joints': len(model.geometry.parent), 'n': n,
              'counts': rows(model, n), 'papers': paper_rows(n), 'reasons': REASONS}
    if args.plot:
        draw(args.plot, n)
    print(json.dumps(report, indent=2) if args.json else text(report))
    return 0


def rows(model: Model, n: int) -> list[dict[str, Any]]:
    """Return our counts, for the robot and for the general arm, with the paper's beside them."""
    result = [row(method, count_tree(method, model.geometry, model.inertials), n)
              for method in METHODS]
    try:
        arm = planar_arm(model.geometry, model.inertials)
    except ModelError:
        return result + [row(method, None, n) for method in PLANAR]
    return result + [row(method, count_tree(method, arm), n) for method in PLANAR]


def row(method: Method, here: Any, n: int) -> dict[str, Any]:
    """Return one line of the table of our counts."""
    found, general = beside(method), count_formula(method)
    paper = None
    if found is not None:
        entry = found[0]
        paper = {'source': entry.source, 'author': entry.author,
                 'multiplications': number(entry.multiplications, n),
                 'additions': number(entry.right_additions or entry.additions, n)}
    return {
        'what': method.what, 'algorithm': method.name, 'robot': here and here._asdict(),
        'general': count_general(method, n)._asdict(),
        'formula': {key: formula(x) for key, x in general._asdict().items()},
        'paper': paper, 'reasons': list(found[1]) if found else []}


def paper_rows(n: int) -> list[dict[str, Any]]:
    """Return the papers' counts at n, with their formulas."""
    result = [{
        'what': entry.what, 'author': entry.author, 'source': entry.source,
        'multiplications': number(entry.multiplications, n),
        'additions': number(entry.additions, n),
        'formula': {'multiplications': formula(entry.multiplications),
                    'additions': formula(entry.additions)},
        'note': entry.note} for entry in COUNTS]
    return result + [dict(entry._asdict(), formula=None, note='') for entry in FIXED]


def number(polynomial: Any, n: int) -> float:
    """Return a polynomial's value, whole where it can be."""
    x = evaluate(polynomial, n)
    return int(x) if x.denominator == 1 else float(x)


def text(report: dict[str, Any]) -> str:
    """Return the report as tables."""
    n = report['n']
    why = [textwrap.fill(f'{key}: {reason}', 98, subsequent_indent='   ')
           for key, reason in report['reasons'].items()]
    papers, notes = paper_table(report['papers'])
    return '\n'.join([
        f"{report['robot']}: {counted(report['joints'], 'joint')} in the tree", '',
        textwrap.fill(HEAD, 98), '',
        *our_table(report['counts'], n), '', "Why ours differ from the paper's:", *why, '',
        'Ours for the arm of any n >= 4:', '', *formula_table(report['counts']), '',
        f'What the papers print, at n = {n} and for any n revolute joints:', '', *papers, *notes])


def our_table(counts: list[dict[str, Any]], n: int) -> list[str]:
    """Return our counts for the robot and the arm of n joints, beside the paper's."""
    table = [['', '', 'this robot', '', '',
              f'arm, n = {n}', '', '', f'paper, n = {n}', '', '', ''],
             ['what', 'algorithm', 'M', 'A', 'T', 'M', 'A', 'T', 'M', 'A', 'source', 'why']]
    for line in counts:
        table.append([
            line['what'], line['algorithm'], *three(line['robot']), *three(line['general']),
            *([cell(line['paper']['multiplications']), cell(line['paper']['additions']),
               line['paper']['source']] if line['paper'] else ['-', '-', '-']),
            ','.join(line['reasons'])])
    return align(table, right=set(range(2, 10)), head=2)


def formula_table(counts: list[dict[str, Any]]) -> list[str]:
    """Return our counts for the general arm as formulas."""
    table = [['what', 'algorithm', 'M', 'A', 'T']]
    for line in counts:
        table.append([line['what'], line['algorithm'], *line['formula'].values()])
    return align(table, right=set(), head=1)


def paper_table(papers: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """Return the papers' counts and the notes under them."""
    table = [['what', 'author', 'source', 'M', 'A', 'M', 'A', '']]
    notes: list[str] = []
    for line in papers:
        formulas = line['formula'] or {'multiplications': '', 'additions': ''}
        if line['note']:
            notes.append(f"[{len(notes) + 1}] {line['note']}")
        table.append([line['what'], line['author'], line['source'],
                      cell(line['multiplications']), cell(line['additions']),
                      formulas['multiplications'], formulas['additions'],
                      f'[{len(notes)}]' if line['note'] else ''])
    return align(table, right={3, 4}, head=1), notes


def three(count: Any) -> list[str]:
    """Return M, A and T as cells; dashes where a method does not apply."""
    return [str(x) for x in count.values()] if count else ['-', '-', '-']


def cell(x: float) -> str:
    """Return a number as text."""
    return str(x) if isinstance(x, int) else f'{x:.1f}'


def align(table: list[list[str]], right: set[int], head: int) -> list[str]:
    """Return lines with the columns aligned; the first line's titles may run over empty cells."""
    body = table[head - 1:]
    widths = [max(4 if k in right else 0, *(len(line[k]) for line in body))
              for k in range(len(body[0]))]
    lines = []
    for number_, line in enumerate(table):
        if number_ < head - 1:
            lines.append(overline(line, widths))
        else:
            lines.append('  '.join(
                x.rjust(widths[k]) if k in right else x.ljust(widths[k])
                for k, x in enumerate(line)).rstrip())
        if number_ == head - 1:
            lines.append('  '.join('-' * width for width in widths))
    return lines


def overline(titles: list[str], widths: list[int]) -> str:
    """Return a line of titles, each above its first column, cut to the columns it spans."""
    starts = [sum(widths[:k]) + 2 * k for k in range(len(widths) + 1)]
    named = [k for k, title in enumerate(titles) if title]
    line = ''
    for k, following in zip(named, [*named[1:], len(widths)], strict=True):
        line = line.ljust(starts[k]) + titles[k][:starts[following] - starts[k] - 2]
    return line
