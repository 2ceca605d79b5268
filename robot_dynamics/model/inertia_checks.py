"""Checks that the inertials are there, and that a rigid body can have them.

Missing ones are loud: a joint that moves neither mass nor inertia makes the GIM singular.
Impossible ones are named: often a wrong unit, a wrong frame or a lost exponent.
"""

import dataclasses

import numpy as np

from robot_dynamics.errors import DescriptionError, InputError
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.dh import DHRow, DHTable, matrix
from robot_dynamics.model.slender_rod import slender_rod
from robot_dynamics.model.transforms import turn

MISSING = ('error', 'slender_rod', 'zero')


def impossible_inertials(bodies: list[tuple[str, float, Array]]) -> list[str]:
    """Return a sentence for each (name, mass, central inertia) that no rigid body can have."""
    found = []
    for name, mass, inertia in bodies:
        if mass < 0:
            found.append(f'link {name!r}: mass {mass:g} kg is negative')
        if not np.any(inertia):
            continue
        principal = np.linalg.eigvalsh(inertia)
        rounding = 1e-6 * np.abs(principal).max()  # files carry six digits or so
        values = ', '.join(f'{value:.4g}' for value in principal)
        if principal[0] < -rounding:
            found.append(f'link {name!r}: inertia is not positive semi-definite '
                         f'(principal moments {values} kg m^2)')
        elif principal[0] + principal[1] < principal[2] - rounding:
            found.append(f'link {name!r}: inertia breaks the triangle inequality '
                         f'(principal moments {values} kg m^2)')
    return found


def unloaded_joints(table: DHTable) -> list[int]:
    """Return the rows whose joint moves neither mass nor inertia about (along) its axis.

    Followers of a mimic joint are not listed: their leader carries them.
    """
    loaded = [bool(row.mass or row.hub_inertia or _about_axis(row)) for row in table.rows]
    parents = table.parents()
    for i in range(len(table.rows) - 1, -1, -1):
        if parents[i] >= 0 and loaded[i]:
            loaded[parents[i]] = True
    loaded = [load or row.armature > 0 for load, row in zip(loaded, table.rows, strict=True)]
    groups = {row.name: False for row in table.rows if row.mimic is None}
    for row, load in zip(table.rows, loaded, strict=True):
        leader = row.mimic.leader if row.mimic else row.name
        groups[leader] = groups.get(leader, False) or load
    return [i for i, row in enumerate(table.rows) if row.mimic is None and not groups[row.name]]


def _about_axis(row: DHRow) -> bool:
    if row.prismatic:
        return False  # a slide moves mass only
    z = (turn(0, row.alpha) @ turn(1, row.beta)).T[:, 2]  # Z_i in frame i+1
    return bool(z @ row.inertia @ z > 0)


def fill_missing(
    table: DHTable, missing_inertia: str, rod_density: float, where: str
) -> tuple[DHTable, list[str]]:
    """Treat unloaded joints as the user chose; return the table and warnings."""
    if missing_inertia not in MISSING:
        raise InputError(f'missing_inertia={missing_inertia!r}: expected one of '
                         + ', '.join(map(repr, MISSING)))
    unloaded = unloaded_joints(table)
    if not unloaded or missing_inertia == 'zero':
        return table, []
    names = ', '.join(f'{table.rows[i].name!r} (link {table.rows[i].link!r})' for i in unloaded)
    if missing_inertia == 'error':
        raise DescriptionError(
            f'{where}: these joints move links that have neither mass nor inertia: {names}. '
            'Give the links an <inertial>, or load with missing_inertia="slender_rod" '
            '(rod_density in kg/m) or "zero"')
    if not rod_density > 0:
        raise InputError(f'rod_density={rod_density!r}: expected a positive number [kg/m]')
    rows = list(table.rows)
    for i in unloaded:
        rows[i] = _as_rod(rows[i], rod_density, where)
    return dataclasses.replace(table, rows=tuple(rows)), [
        f'{where}: no inertials; slender rods of {rod_density:g} kg/m are assumed for {names}']


def _as_rod(row: DHRow, density: float, where: str) -> DHRow:
    """Return the row with the bent slender rod of MohanSaha2007 (17a) as its link."""
    mass, com, inertia = slender_rod(row.a, row.b or 0.0, density)
    if not mass:
        raise DescriptionError(
            f'{where}: link {row.link!r} of joint {row.name!r} has no inertial, and its DH row '
            'has no length (a = b = 0), so no slender rod either: give it an <inertial>')
    R = (turn(0, row.alpha) @ turn(1, row.beta)).T  # link frame i to frame i+1
    return dataclasses.replace(
        row, mass=mass, com=R @ (com - np.array([row.a, 0.0, 0.0])),
        inertia=matrix(R @ inertia @ R.T))
