"""Templates: one base file and ranges of its DH rows' numbers; each point is a variant.

    base: arm.yaml                  # DH file or URDF, relative to this file
    name: arm                       # optional
    ranges:                         # column of the DH table, dot, joint: low, high
      a.joint_2: [0.2, 0.6]
      mass.joint_3: [1, 4]
    sampling: sobol                 # latin, or grid: then ranges are low, high, how many
    samples: 256
    seed: 0
    bodies: scaled                  # fixed: bodies stay as they are, whatever the lengths

With `bodies: scaled` a link whose length (a, b) becomes s times as long has its mass centre s
times as far, s times the mass (unless that has a range too), and an inertia that grows with mass
and s^2, as a rod's does. Variants are columns of numbers: nothing is compiled for each.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.description.safe_yaml import parse_yaml
from robot_dynamics.description.source import read_bytes
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import choice, text, user_path, vector
from robot_dynamics.model.denoc import Array
from robot_dynamics.robot import Robot
from robot_dynamics.robot.stacks import Stack
from robot_dynamics.sweeps.sampling import LatinHypercube, Sobol
from robot_dynamics.sweeps.space import Grid, Space

KEYS = ('base', 'name', 'ranges', 'sampling', 'samples', 'seed', 'bodies')
COLUMNS = ('a', 'b', 'alpha', 'theta', 'mass', 'hub_inertia', 'armature', 'damping', 'friction')
SAMPLES = 256
MOST = 1_000_000  # variants; more is for a sweep


def is_template(path: Path) -> bool:
    """Tell whether a file is a template: YAML with base and ranges."""
    if path.suffix.lower() not in ('.yaml', '.yml') or not path.is_file():
        return False
    document = parse_yaml(read_bytes(path), str(path))
    return isinstance(document, dict) and 'ranges' in document and 'rows' not in document


def read_template(given: Any) -> tuple[dict[str, Any], Path, str]:
    """Return a template's content, its folder, and how to name it in messages."""
    if isinstance(given, Mapping):
        content, folder, where = dict(given), Path(), 'template'
    else:
        path = user_path('template', given)
        document = parse_yaml(read_bytes(path), str(path))
        if not isinstance(document, dict):
            raise InputError(f'{path}: expected a mapping of {", ".join(KEYS)}')
        content, folder, where = document, path.parent, str(path)
    unknown = set(content) - set(KEYS)
    if unknown:
        raise InputError(f'{where}: unknown keys {sorted(map(str, unknown))}: expected '
                         + ', '.join(KEYS))
    for key in ('base', 'ranges'):
        if key not in content:
            raise InputError(f'{where}: expected {key}')
    return content, folder, where


def variants(robot: Robot, content: Mapping[str, Any], where: str
             ) -> tuple[Stack, dict[str, Array]]:
    """Return the stack of a template's variants, and the numbers that differ, (N,) each."""
    space = design_space(content, where)
    if len(space) > MOST:
        raise InputError(f'{where}: {len(space)} variants: expected at most {MOST}; '
                         'robot-dynamics sweep goes through more')
    values = space.block(0, len(space))
    columns = design_columns(robot, values, where)
    if choice(f'{where}: bodies', content.get('bodies', 'fixed'), ('fixed', 'scaled')) == 'scaled':
        columns.update(scaled_bodies(robot, columns))
    return robot.variants(**columns), values


def design_space(content: Mapping[str, Any], where: str) -> Space:
    """Return the space of a template's ranges."""
    kind = choice(f'{where}: sampling', content.get('sampling', 'sobol'),
                  ('sobol', 'latin', 'grid'))
    ranges = content['ranges']
    if not isinstance(ranges, Mapping) or not ranges:
        raise InputError(f'{where}: ranges: expected {{column.joint: [low, high]}}')
    if kind == 'grid':
        for key in ('samples', 'seed'):
            if key in content:
                raise InputError(f'{where}: {key} is not for a grid')
        return Grid({name: steps(f'{where}: {name}', given) for name, given in ranges.items()})
    spans = {name: tuple(vector(f'{where}: {name}', given, (2,))) for name, given in
             ranges.items()}
    maker = Sobol if kind == 'sobol' else LatinHypercube
    return maker(spans, content.get('samples', SAMPLES), content.get('seed', 0))


def steps(name: str, given: Any) -> Array:
    """Return the values of a grid's axis: low, high, how many."""
    low, high, count = vector(name, given, (3,))
    if count != round(count) or count < 1:
        raise InputError(f'{name}: {count:g}: expected low, high and a whole number of values')
    return np.linspace(low, high, int(count))


def design_columns(robot: Robot, values: Mapping[str, Array], where: str) -> dict[str, Array]:
    """Return columns of the DH table, (N, L) each, of variables like 'a.joint_2'."""
    rows, columns = robot.dh.rows, {}
    names = [str(row.name) for row in rows]
    for variable, numbers in values.items():
        column, _, joint = text(where, variable).partition('.')
        choice(f'{where}: {variable}', column, COLUMNS)
        choice(f'{where}: {variable}', joint, names)
        if column not in columns:
            base = np.array([getattr(row, column) or 0.0 for row in rows], float)
            columns[column] = np.tile(base, (len(numbers), 1))
        columns[column][:, names.index(joint)] = numbers
    return columns


def scaled_bodies(robot: Robot, columns: Mapping[str, Array]) -> dict[str, Array]:
    """Return mass, com and inertia of links that are as many times as long as lengths say."""
    rows = robot.dh.rows
    N = len(next(iter(columns.values())))

    def column(name: str) -> Array:
        base = np.array([getattr(row, name) or 0.0 for row in rows], float)
        return columns.get(name, np.broadcast_to(base, (N, len(rows))))
    old = np.array([np.hypot(row.a, 0.0 if row.prismatic else row.b or 0.0) for row in rows])
    prismatic = np.array([row.prismatic for row in rows])
    new = np.hypot(column('a'), np.where(prismatic, 0.0, column('b')))
    s = np.divide(new, old, out=np.ones_like(new), where=np.broadcast_to(old > 0, new.shape))
    mass0 = np.array([row.mass for row in rows])
    mass = columns.get('mass', mass0 * s)
    grown = np.divide(mass, mass0, out=np.ones_like(s), where=np.broadcast_to(
        mass0 > 0, s.shape)) * s ** 2
    com = np.array([row.com for row in rows], float)
    inertia = np.array([np.broadcast_to(np.asarray(row.inertia, float), (3, 3)) for row in rows])
    return {'mass': mass, 'com': com * s[..., None], 'inertia': inertia * grown[..., None, None]}
