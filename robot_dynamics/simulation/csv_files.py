"""Trajectories as CSV: a line of names, then a line of numbers per sample.

Columns are t and q.<joint>; qd.<joint>, qdd.<joint>, tau.<joint>, kinetic and potential where
known. Of a floating joint, q has <joint>/x y z qx qy qz qw, the others <joint>/wx wy wz vx vy vz.
Read are also what spreadsheets make of that: semicolons with decimal commas, tabs, a byte
order mark, any line ends, units behind the names.
"""

import csv
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

from robot_dynamics.errors import InputError, warn
from robot_dynamics.inputs import duplicates
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.layout import Layout
from robot_dynamics.simulation.recorded import ENERGIES, PER_JOINT, Recorded
from robot_dynamics.simulation.trajectory import Trajectory
from robot_dynamics.words import counted

UNIT = re.compile(r'^(.*?)\s*[\[(]([^\])]*)[\])]$')
SI = {'s', 'sec', 'rad', 'm', 'rad/s', 'm/s', 'rad/s^2', 'm/s^2', 'rad/s2', 'm/s2', 'rad/s²',
      'm/s²', 'n m', 'nm', 'n', 'j', 'rad, m', 'rad/s, m/s', 'n m, n'}
OTHERS = {'deg', 'degree', 'degrees', '°', 'deg/s', '°/s', 'deg/s^2', 'deg/s2', 'deg/s²', 'rpm',
          'rev', 'turns', 'ms', 'us', 'µs', 'ns', 'min', 'mm', 'cm', 'in', 'mm/s', 'cm/s'}
TIME = ('t', 'time')


class CsvTable(NamedTuple):
    """The numbers of a file, and the line in which each row stands."""

    heads: list[str]
    values: Array  # (K, columns), nan where a cell is empty
    lines: list[int]


def save_csv(trajectory: Trajectory, file: Path) -> None:
    """Write a column per joint and quantity: t, q.<joint>, ..., kinetic, potential."""
    parts = [trajectory.t[:, None], *(getattr(trajectory, key) for key in PER_JOINT),
             *(getattr(trajectory, key)[:, None] for key in ENERGIES)]
    heads = ['t', *(f'q.{name}' for name in trajectory.value_names),
             *(f'{key}.{name}' for key in PER_JOINT[1:] for name in trajectory.joint_names),
             *ENERGIES]
    with file.open('w', newline='', encoding='utf-8') as stream:
        table = csv.writer(stream)
        table.writerow(heads)
        for row in np.concatenate(parts, axis=1):
            table.writerow([repr(float(x)) for x in row])


def load_csv(file: Path) -> Recorded:
    """Read columns t and q.<joint> at least; what is missing is nan."""
    table = read_table(file)
    heads = ['t' if head in TIME else head for head in table.heads]
    names = tuple(head[2:] for head in heads if head.startswith('q.'))
    if 't' not in heads or not names:
        raise InputError(f'{file}: expected columns t and q.<joint> (and qd.<joint>, qdd.<joint>, '
                         f'tau.<joint>), found {", ".join(heads[:8])}')
    if twice := duplicates(heads):
        raise InputError(f'{file}: columns named twice: {twice}')
    column = {head: k for k, head in enumerate(heads)}
    nothing = np.full(len(table.values), np.nan)

    def take(keys: list[str]) -> Array:
        return np.stack([table.values[:, column.pop(key)] if key in column else nothing
                         for key in keys], 1)
    joints = Layout(names).joint_names
    parts = [take([f'{key}.{name}' for name in (names if key == 'q' else joints)])
             for key in PER_JOINT]
    t, kinetic, potential = (take([key])[:, 0] for key in ('t', *ENERGIES))
    if column:
        warn(f'{file}: columns that are not used: {", ".join(list(column)[:8])}'
             + (', ...' if len(column) > 8 else ''))
    q, qd, qdd, tau = parts
    return Recorded(Trajectory(joints, t, q, qd, qdd, tau, kinetic, potential, value_names=names),
                    lambda k: f'line {table.lines[k]}')


def read_table(file: Path) -> CsvTable:
    """Return the heads and the numbers of a CSV file."""
    try:
        text = file.read_text(encoding='utf-8-sig')  # any line ends
        lines = text.lstrip('# ').split('\n')  # numpy writes a line of names as a comment
        delimiter = delimiter_of(lines)
        reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
        rows = [(reader.line_num, row) for row in reader
                if any(cell.strip() for cell in row)]
    except UnicodeDecodeError:
        raise InputError(f'{file}: is not text (UTF-8)') from None
    except csv.Error as error:
        raise InputError(f'{file}: is not a table of text: {error}') from None
    if len(rows) < 2:
        raise InputError(f'{file}: expected a line of names and lines of numbers')
    heads = [without_unit(file, head) for head in rows[0][1]]
    for line, row in rows[1:]:
        if len(row) != len(heads):
            raise InputError(f'{file}: line {line} has {counted(len(row), "value")}: '
                             f'expected {len(heads)}')
    comma = delimiter != ','
    return CsvTable(heads, numbers(file, heads, rows[1:], comma), [line for line, _ in rows[1:]])


def delimiter_of(lines: list[str]) -> str:
    """Return what separates the names of the first line that has any."""
    first = next((line for line in lines if line.strip()), '')
    return next((mark for mark in (';', '\t', ',') if mark in first), ' ')


def without_unit(file: Path, head: str) -> str:
    """Return a column's name without its unit, which must be an SI unit."""
    head = head.strip()
    found = UNIT.match(head)
    if found and found[2].strip().lower() in SI:
        return found[1]
    if found and found[2].strip().lower() in OTHERS:
        raise InputError(f'{file}: column {head!r}: expected seconds, radians and metres')
    return head


def numbers(file: Path, heads: list[str], rows: list[tuple[int, list[str]]],
            comma: bool) -> Array:
    """Return the cells as numbers; comma: decimal commas may stand for points."""
    cells = [[cell.replace(',', '.') if comma else cell for cell in row] for _, row in rows]
    try:
        return np.array(cells, float)
    except ValueError:
        pass
    values = np.empty((len(cells), len(heads)))
    for k, row in enumerate(cells):
        for j, cell in enumerate(row):
            try:
                values[k, j] = float(cell) if cell.strip() else np.nan
            except ValueError:
                raise InputError(f'{file}: line {rows[k][0]}, column {heads[j]!r}: could not '
                                 f'convert {cell!r} to a number') from None
    return values
