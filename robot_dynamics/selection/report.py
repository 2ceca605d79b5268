"""The report: one HTML file with everything in it, no script, nothing fetched."""

import base64
import io
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.inputs import user_path
from robot_dynamics.selection.criteria import CRITERIA
from robot_dynamics.selection.drawings import draw_arm, draw_front, draw_map
from robot_dynamics.selection.selection import Selection
from robot_dynamics.selection.sizing import FIELDS

WINNERS = 6  # arms that are drawn: the chosen one, the front, then others
ROWS = 40  # arms in the table
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 1180px;
       padding: 0 1em; color: #222; }
h1, h2, h3 { font-weight: 600; line-height: 1.2; } h2 { margin-top: 2em; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3em .7em; border-bottom: 1px solid #ddd; text-align: right;
         white-space: nowrap; } th { white-space: normal; vertical-align: bottom; }
th:first-child, td:first-child, td.word { text-align: left; }
td.better { background: #e2f2e4; font-weight: 600; } th.chosen { background: #fde9e7; }
.unit, .note { color: #666; font-weight: 400; } .failed { color: #a02020; }
figure { display: inline-block; margin: .5em 1em .5em 0; } img { max-width: 100%; }
.chosen-name { color: #b3261e; }
"""


def write_report(found: Selection, path: Any) -> None:
    """Write the report; `InputError` where that cannot be."""
    file = user_path('path', path)
    try:
        Path(file).write_text(html(found), encoding='utf-8')
    except OSError as error:
        raise InputError(f'{file}: cannot be written: {error.strerror}') from None


def html(found: Selection) -> str:
    """Return the page."""
    winners = list(dict.fromkeys([found.chosen, *found.front, *found.names[:WINNERS]]))[:WINNERS]
    parts = [
        f'<h1>Chosen: <span class="chosen-name">{escape(found.chosen)}</span></h1>',
        '<ul>', *(f'<li>{escape(reason)}</li>' for reason in found.reasons), '</ul>',
        f'<p>{len(found.names)} arms, {len(found.front)} on the front: no other arm beats them in '
        f'all of {escape(", ".join(found.judged))}. The better values are marked.</p>',
        '<h2>Criteria</h2>', table(found), failures(found), notes(found),
        '<h2>The front</h2>', image(draw_front(found), 'the front'),
        *sizing(found, winners), '<h2>The arms</h2>',
        *(part for name in winners for part in arm(found, name))]
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width">'
            f'<title>Chosen: {escape(found.chosen)}</title><style>{STYLE}</style></head>\n<body>\n'
            + '\n'.join(parts) + '\n</body></html>\n')


def table(found: Selection) -> str:
    """Return the criteria as rows, arms as columns; many arms: those of the front."""
    shown = list(found.names) if len(found.names) <= ROWS else [
        found.chosen, *(name for name in found.front if name != found.chosen)][:ROWS]
    place = {name: i for i, name in enumerate(found.names)}
    head = ''.join(f'<th{" class=chosen" if name == found.chosen else ""}>{escape(name)}</th>'
                   for name in shown)
    rows = [f'<tr><th></th>{head}</tr>']
    better = {key: set(names) for key, names in found.better.items()}
    for key, values in {**found.parameters, **found.columns}.items():
        one, spread = CRITERIA.get(key), found.spreads.get(key)
        words = f'{one.text} <span class="unit">{escape(one.unit)}</span>' if one else escape(key)
        cells = ''.join(
            f'<td{" class=better" if name in better.get(key, ()) else ""}>'
            f'{value(values[place[name]], None if spread is None else spread[place[name]])}</td>'
            for name in shown)
        rows.append(f'<tr><td>{words}</td>{cells}</tr>')
    rows += counts(found, shown)
    return f'<div class="wide"><table>{"".join(rows)}</table></div>'


def counts(found: Selection, shown: list[str]) -> list[str]:
    """Return what was counted, and the paper's formulas where they hold."""
    rows = []
    for key, words in (('gim', 'inertia matrix'), ('mci', 'convective matrix')):
        if f'{key}_operations' not in found.columns:
            continue
        known = [getattr(found.case(name)[0], key) for name in shown]
        rows.append(f'<tr><td>{words}: M, A, T of its code</td>' + ''.join(
            f'<td>{escape(str(x.counted))}</td>' for x in known) + '</tr>')
        if any(x.paper for x in known):
            rows.append(f'<tr><td>{words}: M, A by Bhangale2004</td>' + ''.join(
                f'<td>{x.paper[0]:g} M {x.paper[1]:g} A</td>' if x.paper else '<td>-</td>'
                for x in known) + '</tr>')
    return rows


def value(x: float, spread: float | None = None) -> str:
    """Return a cell."""
    if np.isnan(x):
        return '-'
    return f'{x:.4g}' + (f' <span class="unit">&plusmn; {spread:.1g}</span>' if spread else '')


def failures(found: Selection) -> str:
    """Return who could not be loaded, and why."""
    rows = ''.join(f'<tr class="failed"><td>{escape(name)}</td>'
                   f'<td class="word">{escape(reason)}</td></tr>'
                   for name, reason in found.failed.items())
    return f'<h3>Could not be loaded</h3><div class="wide"><table>{rows}</table></div>' \
        if rows else ''


def notes(found: Selection) -> str:
    """Return what to know of the numbers."""
    words = dict.fromkeys(f'{case.family.source}: {note}' for case in found.cases
                          for note in case.notes)
    return '<ul class="note">' + ''.join(f'<li>{escape(note)}</li>' for note in words) + '</ul>'


def sizing(found: Selection, winners: list[str]) -> list[str]:
    """Return what the tasks ask of the winners' joints."""
    parts = []
    for name in winners:
        case, i = found.case(name)
        if case.sizing is None:
            continue
        head = ''.join(f'<th>{escape(key.replace("_", " "))} <span class="unit">'
                       f'{escape(unit)}</span></th>' for key, (unit, _) in FIELDS.items())
        rows = ''.join(
            f'<tr><td>{escape(joint)}</td>' + ''.join(
                f'<td>{value(case.sizing.worst(key)[i, k])}</td>' for key in FIELDS) + '</tr>'
            for k, joint in enumerate(case.sizing.joint_names))
        parts.append(
            f'<h3>{escape(name)}</h3><p>{escape(found.carries(name))}</p><div class="wide">'
            f'<table><tr><th>joint</th>{head}</tr>{rows}</table></div>')
    return ['<h2>Sizing: the worst over all tasks and payloads</h2>', *parts] if parts else []


def arm(found: Selection, name: str) -> list[str]:
    """Return the drawing of an arm and the map of its GIM's condition."""
    case, i = found.case(name)
    parts = [f'<h3>{escape(name)}</h3>', image(draw_arm(case, i), f'{name} drawn')]
    try:
        parts.append(image(draw_map(case, i), f'condition of the GIM of {name}'))
    except RobotDynamicsError as error:
        parts.append(f'<p class="note">{escape(str(error))}</p>')
    return parts


def image(figure: Any, words: str) -> str:
    """Return a figure as an element that has its picture inside."""
    data = io.BytesIO()
    figure.savefig(data, format='png', dpi=100)
    code = base64.b64encode(data.getvalue()).decode('ascii')
    return f'<figure><img alt="{escape(words)}" src="data:image/png;base64,{code}"></figure>'
