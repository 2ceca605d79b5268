"""robot-dynamics reproduce NAME: a paper's experiment, its numbers beside ours, its figures."""

import argparse
import json
import sys
import textwrap
import time
from collections import Counter
from pathlib import Path
from typing import Any

from robot_dynamics.cli.options import path
from robot_dynamics.cli.table import align
from robot_dynamics.errors import InputError
from robot_dynamics.studies.catalogue import PAPERS, STUDIES
from robot_dynamics.studies.report import Row

RESULTS = 'results.json'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument('name', choices=[*STUDIES, *PAPERS, *PAPERS.values(), 'all'],
                        metavar='NAME', help=f'{", ".join(STUDIES)}; all of a paper: '
                        f'{", ".join(f"{n} or {key}" for n, key in PAPERS.items())}; or all')
    parser.add_argument('--output', type=path, default=Path('reproduction'), metavar='FOLDER',
                        help='where figures and results.json go (default: %(default)s); where '
                        'results are, FOLDER-2 and so on')
    parser.add_argument('--overwrite', action='store_true',
                        help='go there even if the results of another run are there')
    parser.add_argument('--json', action='store_true', help='print JSON, for programs')


def run(args: argparse.Namespace) -> int:
    """Run the studies, print their tables, save their figures."""
    names = chosen(args.name)
    if not args.overwrite:
        args.output = free_folder(args.output)
    folder = args.output
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f'{folder}: cannot be made: {error.strerror}') from None
    report, began = {}, time.perf_counter()
    for k, name in enumerate(names, 1):
        study = STUDIES[name]
        if sys.stderr.isatty():
            print(f'[{k}/{len(names)}] {name}: {study.title}', file=sys.stderr)
        start = time.perf_counter()
        rows = [row.check() for row in study.run(folder)]
        report[name] = {'paper': study.paper, 'title': study.title,
                        'seconds': time.perf_counter() - start,
                        'rows': [row._asdict() for row in rows]}
        if not args.json:
            print(text(name, study.paper, study.title, rows), flush=True)
    (folder / RESULTS).write_text(json.dumps(report, indent=2) + '\n')
    if args.json:
        print(json.dumps(report, indent=2))
    else:
        print(summary(report, time.perf_counter() - began))
    return 0


def chosen(name: str) -> list[str]:
    """Return the studies of a name: one, those of a paper, or all."""
    paper = PAPERS.get(name, name)
    return [name] if name in STUDIES else [
        key for key, study in STUDIES.items() if name == 'all' or study.paper == paper]


def free_folder(folder: Path) -> Path:
    """Return the folder, or one with the next number where another run has left its results."""
    candidate, number = folder, 1
    while (candidate / RESULTS).exists():
        number += 1
        candidate = folder.with_name(f'{folder.name}-{number}')
    return candidate


def text(name: str, paper: str, title: str, rows: list[Row]) -> str:
    """Return one study's table, and below it why numbers are as they are, each reason once."""
    table = [['item', 'paper', 'ours', 'verdict', '']]
    reasons: dict[str, int] = {}
    for row in rows:
        number = reasons.setdefault(row.why, len(reasons) + 1)
        table.append([row.item, row.paper, row.ours, row.verdict, f'[{number}]'])
    why = [textwrap.fill(f'[{number}] {reason}', 98, subsequent_indent='    ')
           for reason, number in reasons.items()]
    return '\n'.join(['', f'{name} ({paper}): {title}', '', *align(table), '', *why])


def summary(report: dict[str, Any], seconds: float) -> str:
    """Return the table over all studies."""
    table = [['study', 'paper', 'same', 'close', 'fewer operations', 'differs',
              'no number in the paper', 's']]
    for name, study in report.items():
        found = Counter(row['verdict'] for row in study['rows'])
        table.append([name, study['paper'], *(str(found[verdict]) for verdict in (
            'same', 'close', 'better', 'differs', 'no number')), f'{study["seconds"]:.1f}'])
    return '\n'.join(['', *align(table, right={2, 3, 4, 5, 6, 7}), '', f'{seconds:.0f} s'])
