"""DH tables for people: aligned text and Markdown."""

from collections.abc import Sequence

import numpy as np

from robot_dynamics.model.denoc import Array
from robot_dynamics.model.dh.table import DHRow, DHTable
from robot_dynamics.words import counted

HEADS = ('joint', 'link', 'type', 'a [m]', 'b [m]', 'alpha [rad]', 'theta [rad]',
         'mass [kg]', 'centre in frame i+1 [m]', 'Ixx', 'Iyy', 'Izz', 'Ixy', 'Ixz', 'Iyz',
         'hub', 'armature')
BRANCH_HEADS = ('gamma [rad]', 'epsilon [m]')


def to_text(table: DHTable) -> str:
    """Return the aligned table with a title and what the columns mean."""
    heads, cells = _cells(table)
    widths = [max(len(row[k]) for row in [heads, *cells]) for k in range(len(heads))]
    lines = ['  '.join(word.ljust(width) if k < 3 else word.rjust(width)
                       for k, (word, width) in enumerate(zip(row, widths, strict=True))).rstrip()
             for row in [heads, *cells]]
    rule = '-' * max(map(len, lines))
    return '\n'.join([_title(table), rule, lines[0], rule, *lines[1:], rule, _legend(table)])


def to_markdown(table: DHTable) -> str:
    """Return the table in Markdown."""
    heads, cells = _cells(table)
    rows = [heads, ['---'] * 3 + ['---:'] * (len(heads) - 3), *cells]
    body = '\n'.join('| ' + ' | '.join(word.replace('|', r'\|') for word in row) + ' |'
                     for row in rows)
    return f'**{_title(table)}**\n\n{body}\n\n{_legend(table)}\n'


def _title(table: DHTable) -> str:
    return (f'{table.name}: Denavit-Hartenberg table, {counted(len(table.rows), "joint")} on '
            f'{table.root}')


def _legend(table: DHTable) -> str:
    lines = ['Frame i+1 is on link i: turn theta about Z, move b along Z, move a along X, '
             "turn alpha about X. q is the joint's value.",
             'Inertias [kg m^2] are about the mass centre, in frame i+1; hub is about Z_i.']
    if any(row.branch for row in table.rows):
        lines.append('A row marked > takes the same link to a further child, by '
                     'theta + gamma and b + epsilon.')
    if _hayati(table):
        lines.append('beta: a further turn about Y between nearly parallel axes (Hayati).')
    for row in table.rows:
        if row.base is not None and not np.array_equal(row.base, np.eye(4)):
            lines.append(f'Frame of {row.name} in {table.root}: {_pose(row.base)}')
    return '\n'.join(lines)


def _pose(T: Array) -> str:
    rows = '; '.join(' '.join(_short(value) for value in row) for row in T[:3, :3])
    return f'position [{" ".join(_short(value) for value in T[:3, 3])}], axes [{rows}]'


def _cells(table: DHTable) -> tuple[list[str], list[list[str]]]:
    branches = any(row.branch for row in table.rows)
    hayati = _hayati(table)
    extra = [*(BRANCH_HEADS if branches else ()), *(('beta [rad]',) if hayati else ())]
    heads = [*HEADS[:7], *extra, *HEADS[7:]]
    parents = table.parents()
    cells = []
    for i, row in enumerate(table.rows):
        blank = [''] * (2 if branches else 0)
        beta = [_angle(row.beta)] if hayati else []
        cells.append([*_names(row), *_parameters(row), *blank, *beta, *_inertials(row)])
        for k, child in enumerate(table.rows):
            if parents[k] == i and child.branch is not None:
                b = child.branch
                cells.append([f'> {child.name}', '', '', _short(b.a), '', _angle(b.alpha), '',
                              _angle(b.gamma), _short(b.epsilon),
                              *([_angle(b.beta)] if hayati else []), *[''] * len(HEADS[7:])])
    return heads, cells


def _hayati(table: DHTable) -> bool:
    """Whether some turn beta is more than a 0 in print."""
    return any(part and _angle(part.beta) != '0' for row in table.rows
               for part in (row, row.branch))


def _names(row: DHRow) -> list[str]:
    kind = 'P' if row.prismatic else 'R'
    if row.mimic is not None:
        kind += f' = {row.mimic.multiplier:g} {row.mimic.leader}'
        kind += f' {row.mimic.offset:+g}' if row.mimic.offset else ''
    return [str(row.name), str(row.link), kind]


def _parameters(row: DHRow) -> list[str]:
    q = 'q' if row.sign > 0 else '-q'
    b, theta = _short(row.b or 0.0), _angle(row.theta or 0.0)
    if row.prismatic:
        b = _sum(b, q)
    else:
        theta = _sum(theta, q)
    return [_short(row.a), b, _angle(row.alpha), theta]


def _sum(constant: str, q: str) -> str:
    if constant == '0':
        return q
    return f'{constant} {"+" if q == "q" else "-"} q'


def _inertials(row: DHRow) -> list[str]:
    I = row.inertia
    return [_short(row.mass), _vector(row.com),
            *(_short(value) for value in (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])),
            _short(row.hub_inertia), _short(row.armature)]


def _vector(values: Sequence[float]) -> str:
    return '[' + ' '.join(_short(value) for value in values) + ']'


def _short(value: float) -> str:
    """Return six digits; what is rounding as 0."""
    return '0' if abs(value) < 1e-12 else f'{value:.6g}'


def _angle(value: float) -> str:
    """Return six digits, right angles by name."""
    quarter = value / (np.pi / 2)
    if value and abs(quarter - round(quarter)) < 1e-12 and abs(quarter) < 4.5:
        k = round(quarter)
        return {0: '0', 1: 'pi/2', 2: 'pi', -1: '-pi/2', -2: '-pi', 3: '3pi/2', -3: '-3pi/2',
                4: '2pi', -4: '-2pi'}[k]
    return _short(value)
