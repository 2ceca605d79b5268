"""Checks and normalises DH rows that a user wrote."""

import dataclasses
import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robot_dynamics.description.records import Mimic
from robot_dynamics.errors import DescriptionError
from robot_dynamics.model.denoc import Array, frozen
from robot_dynamics.model.dh.table import BASE, Branch, DHRow, DHTable, Frame, matrix

_NUMBERS = ('a', 'b', 'alpha', 'theta', 'mass', 'hub_inertia', 'armature', 'beta', 'damping',
            'friction')
_LIMITS = ('lower', 'upper', 'velocity', 'effort')


def make_table(
    rows: Sequence[DHRow], *, name: str = 'robot', root: str = 'base',
    base: ArrayLike | None = None, tool: ArrayLike | None = None,
    frames: dict[str, Frame] | None = None, root_mass: float = 0.0, where: str = 'from_dh',
) -> DHTable:
    """Return the table of user rows: names filled in, arrays frozen, everything checked.

    base: (4, 4) pose of frame 1 in the root frame; tool: (4, 4) pose of the tip in the last frame
    frames: named frames; by default one at frame i+1 of each link and the root
    """
    if not isinstance(rows, Iterable):
        raise DescriptionError(f'{where}: expected a list of DHRow, found {type(rows).__name__}')
    for what, value in (('name', name), ('root', root)):
        if not isinstance(value, str) or not value:
            raise DescriptionError(f'{where}: {what}={str(value)[:80]!r}: expected a string')
    named: list[DHRow] = []
    for i, row in enumerate(rows):
        if not isinstance(row, DHRow):
            raise DescriptionError(f'{where}: row {i + 1} is a {type(row).__name__}; '
                                   'expected a DHRow')
        named.append(_normalise(row, i, named, base if i == 0 else None, where))
    _check_tree(named, root, where)
    _check_floating(named, where)
    mass = _number(root_mass, f'{where}: root_mass')
    table = DHTable(name, root, tuple(named), frames or {}, mass)
    if frames is None:
        table = dataclasses.replace(table, frames=_default_frames(table, tool, where))
    return table


def _normalise(row: DHRow, i: int, before: list[DHRow], base: ArrayLike | None,
               where: str) -> DHRow:
    for key in ('name', 'link', 'parent', 'joint', 'floating'):
        value = getattr(row, key)
        if value is not None and not isinstance(value, str):
            raise DescriptionError(
                f'{where}: row {i + 1}: {key}={str(value)[:80]}: expected a string')
    for key, kind in (('branch', Branch), ('mimic', Mimic)):
        value = getattr(row, key)
        if value is not None and not isinstance(value, kind):
            raise DescriptionError(f'{where}: row {i + 1}: {key}: expected a {kind.__name__}')
    name = row.name or f'joint_{i + 1}'
    at = f'{where}: row {i + 1} ({name})'
    if row.joint not in ('revolute', 'prismatic'):
        raise DescriptionError(f'{at}: joint={row.joint!r}: expected revolute or prismatic')
    if isinstance(row.sign, bool) or row.sign not in (1, -1):
        raise DescriptionError(f'{at}: sign={str(row.sign)[:80]}: expected 1 or -1')
    parent = row.parent if row.parent is not None else (before[-1].name if before else BASE)
    if row.branch is not None and parent == BASE:
        raise DescriptionError(f'{at}: branch is for rows on a link; on the root, give base')
    pose = row.base if row.base is not None else base
    if pose is not None:
        if parent != BASE:
            raise DescriptionError(f'{at}: base is for rows on the root; this one hangs on '
                                   f'{parent!r}')
        pose = check_pose(pose, f'{at}: base')
    if _limit(row.lower, f'{at}: lower') > _limit(row.upper, f'{at}: upper'):
        raise DescriptionError(f'{at}: lower={row.lower} is above upper={row.upper}')
    changes: dict[str, Any] = {
        **{key: _number(getattr(row, key), f'{at}: {key}') for key in _NUMBERS},
        **{key: _limit(getattr(row, key), f'{at}: {key}') for key in _LIMITS}}
    return dataclasses.replace(
        row, branch=_numbers(row.branch, at), mimic=_numbers(row.mimic, at), **changes,
        sign=int(row.sign), com=_array(row.com, (3,), f'{at}: com'),
        inertia=_symmetric(row.inertia, f'{at}: inertia'),
        name=name, link=row.link or f'link_{i + 1}', parent=parent, base=pose)


def _check_tree(rows: list[DHRow], root: str, where: str) -> None:
    seen: dict[str, DHRow] = {}
    links = {root}
    first_children: dict[str, str] = {}
    for row in rows:
        at = f'{where}: joint {row.name!r}'
        if row.name in seen:
            raise DescriptionError(f'{at}: this name is used twice')
        if row.link in links:
            raise DescriptionError(f'{at}: the link name {row.link!r} is used twice')
        if row.parent and row.parent not in seen:
            raise DescriptionError(f'{at}: its parent {row.parent!r} is not a row before it')
        if row.branch is None and row.parent:
            other = first_children.setdefault(row.parent, str(row.name))
            if other != row.name:
                raise DescriptionError(
                    f'{at}: {row.parent!r} carries {other!r} already; a further child needs '
                    'branch=Branch(gamma, epsilon, a, alpha)')
        seen[str(row.name)] = row
        links.add(str(row.link))


def _check_floating(rows: list[DHRow], where: str) -> None:
    """Refuse floating joints that are not six rows in a chain, five of them without mass."""
    i = 0
    while i < len(rows):
        name, six = rows[i].floating, rows[i:i + 6]
        i += 1 if name is None else 6
        if name is None:
            continue
        kinds = [row.joint[0] for row in six]
        names = [f'{name}/{suffix}' for suffix in ('wx', 'wy', 'wz', 'vx', 'vy', 'vz')]
        if ([row.floating for row in six] != [name] * 6 or kinds != list('rrrppp')
                or [row.name for row in six] != names
                or any(row.parent != before.name or row.branch is not None
                       for before, row in itertools.pairwise(six))
                or any(row.mass or row.hub_inertia or np.any(row.inertia) for row in six[:5])
                or any(row.mimic or row.friction or row.armature or row.lower > -math.inf
                       or row.upper < math.inf for row in six)):
            raise DescriptionError(
                f'{where}: floating joint {name!r}: expected six rows in a chain, '
                + ', '.join(names) + ', three revolute and three prismatic, the first five '
                'without mass, all without limits, mimic, rotor and dry friction')


def _default_frames(table: DHTable, tool: ArrayLike | None, where: str) -> dict[str, Frame]:
    parents = table.parents()
    frames = {table.root: Frame(-1, frozen(np.eye(4)), not table.rows)}
    for i, row in enumerate(table.rows):
        tip = i not in parents
        T = np.eye(4) if not tip or tool is None else check_pose(tool, f'{where}: tool')
        frames[str(row.link)] = Frame(i, frozen(T), tip)
    return frames


def check_pose(value: Any, at: str) -> Array:
    """Return a frozen (4, 4) pose, or raise."""
    T = _array(value, (4, 4), at).copy()
    R = T[:3, :3]
    if (np.abs(R @ R.T - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0
            or np.any(T[3] != [0, 0, 0, 1])):
        raise DescriptionError(f'{at}: expected a pose: rotation, position and [0, 0, 0, 1]')
    return frozen(T)


def _numbers(part: Any, at: str) -> Any:
    """Return a Branch or Mimic (or None) with its numbers checked."""
    if isinstance(part, Mimic) and not isinstance(part.leader, str):
        raise DescriptionError(f'{at}: mimic leader={str(part.leader)[:80]}: expected a joint')
    return part and dataclasses.replace(part, **{
        field.name: _number(getattr(part, field.name), f'{at}: {field.name}')
        for field in dataclasses.fields(part) if field.name != 'leader'})


def _number(value: Any, at: str) -> float:
    if value is None:
        return 0.0
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise DescriptionError(f'{at}={str(value)[:80]}: expected a finite number')
    return number


def _limit(value: Any, at: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number):
        raise DescriptionError(f'{at}={str(value)[:80]}: expected a number')
    return number


def _array(value: Any, shape: tuple[int, ...], at: str) -> Array:
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        array = np.full(1, np.nan)
    if array.shape != shape or not np.all(np.isfinite(array)):
        raise DescriptionError(f'{at}: expected finite numbers of shape {shape}, found '
                               f'{str(value)[:80]}')
    return frozen(array)


def _symmetric(value: Any, at: str) -> Array:
    inertia = matrix(0) if np.ndim(value) == 0 and value == 0 else _array(value, (3, 3), at)
    if np.abs(inertia - inertia.T).max() > 1e-9 * max(np.abs(inertia).max(), 1e-300):
        raise DescriptionError(f'{at}: expected a symmetric matrix')
    return inertia
