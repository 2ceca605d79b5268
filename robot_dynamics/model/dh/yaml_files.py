"""DH tables as YAML files: written to read back bit for bit, readable and writable by hand."""

import dataclasses
from typing import Any

import numpy as np

from robot_dynamics.description.records import Mimic
from robot_dynamics.description.safe_yaml import parse_yaml
from robot_dynamics.errors import DescriptionError
from robot_dynamics.model.dh.rows import check_pose, make_table
from robot_dynamics.model.dh.table import Branch, DHRow, DHTable, Frame

_KEYS = ('robot', 'root', 'root_mass', 'rows', 'frames', 'base', 'tool')
_ROW_KEYS = {f.name: f for f in dataclasses.fields(DHRow)}
_HEADER = """\
# Denavit-Hartenberg table of {name}. Frame i+1 is on link i; from frame i to i+1:
# turn theta about Z, move b along Z, move a along X, turn alpha about X. Units are SI.
# com and inertia (about it) are in frame i+1. The joint's value adds to theta or b, times sign.
"""


def to_yaml(table: DHTable) -> str:
    """Write a table; defaults are left out."""
    document: dict[str, Any] = {'robot': table.name, 'root': table.root}
    if table.root_mass:
        document['root_mass'] = float(table.root_mass)
    document['rows'] = [_row_out(row) for row in table.rows]
    document['frames'] = {
        name: {'row': frame.row, 'pose': frame.T.tolist(), **({'tip': True} if frame.tip else {})}
        for name, frame in table.frames.items()}
    names = [table.name, table.root, *table.frames, *(str(row.name) for row in table.rows)]
    import yaml
    body = yaml.safe_dump(document, sort_keys=False, default_flow_style=None, width=99,
                          allow_unicode=all(map(str.isprintable, names)))
    name = ''.join(letter if letter.isprintable() else ' ' for letter in table.name)
    return _HEADER.format(name=name) + body


def _row_out(row: DHRow) -> dict[str, Any]:
    out: dict[str, Any] = {'name': row.name, 'link': row.link, 'parent': row.parent,
                           'joint': row.joint}
    for key, field in _ROW_KEYS.items():
        value = getattr(row, key)
        if key in out or value is None or _is_default(value, field.default):
            continue
        if dataclasses.is_dataclass(value):
            value = dataclasses.asdict(value)  # type: ignore[arg-type]  # Branch or Mimic
        out[key] = np.asarray(value).tolist() if isinstance(value, (np.ndarray, tuple)) else value
    return out


def _is_default(value: Any, default: Any) -> bool:
    if default is dataclasses.MISSING:
        return False
    if isinstance(value, np.ndarray):
        return not np.any(value) and not np.any(np.signbit(value))
    return value is default or (type(value) is type(default) and value == default
                                and str(value) == str(default))


def from_yaml(text: str | bytes, where: str) -> DHTable:
    """Read a table; errors name the row and the key."""
    document = parse_yaml(text, where)
    if not isinstance(document, dict) or not isinstance(document.get('rows'), list):
        raise DescriptionError(f'{where}: expected a mapping with a list called rows')
    unknown = set(document) - set(_KEYS)
    if unknown:
        raise DescriptionError(f'{where}: unknown keys {sorted(map(str, unknown))}; expected '
                               + ', '.join(_KEYS))
    rows = [_row_in(row, f'{where}: row {i + 1}') for i, row in enumerate(document['rows'])]
    frames = document.get('frames')
    return make_table(
        rows, name=str(document.get('robot', 'robot')), root=str(document.get('root', 'base')),
        base=document.get('base'), tool=document.get('tool'),
        frames=None if frames is None else _frames_in(frames, len(rows), where),
        root_mass=document.get('root_mass', 0.0), where=where)


def _row_in(row: Any, at: str) -> DHRow:
    if not isinstance(row, dict):
        raise DescriptionError(f'{at}: expected a mapping of DH parameters')
    unknown = set(row) - set(_ROW_KEYS)
    if unknown:
        raise DescriptionError(f'{at}: unknown keys {sorted(map(str, unknown))}; expected '
                               + ', '.join(_ROW_KEYS))
    values = {'a': 0.0, 'b': 0.0, 'alpha': 0.0, 'theta': 0.0, **row}
    for key, kind in (('branch', Branch), ('mimic', Mimic)):
        if key in row:
            try:
                values[key] = kind(**row[key])
            except TypeError:
                raise DescriptionError(
                    f'{at}: {key}: expected '
                    + ', '.join(f.name for f in dataclasses.fields(kind))) from None
    return DHRow(**values)


def _frames_in(frames: Any, rows: int, where: str) -> dict[str, Frame]:
    if not isinstance(frames, dict):
        raise DescriptionError(f'{where}: frames: expected a mapping from link to row and pose')
    result = {}
    for name, frame in frames.items():
        at = f'{where}: frame {name!r}'
        if not isinstance(frame, dict) or not set(frame) <= {'row', 'pose', 'tip'}:
            raise DescriptionError(f'{at}: expected row, pose and tip')
        row = frame.get('row')
        if not isinstance(row, int) or not -1 <= row < rows:
            raise DescriptionError(f'{at}: row={row!r}: expected -1 (the root) to {rows - 1}')
        result[str(name)] = Frame(row, check_pose(frame.get('pose'), f'{at}: pose'),
                                  bool(frame.get('tip', False)))
    return result
