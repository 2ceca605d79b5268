"""Finds joints that move nothing, and inertials that no rigid body can have.

A joint that moves neither mass nor inertia makes the GIM singular. Impossible inertials are often
a wrong unit, a wrong frame or a lost exponent.
"""

import numpy as np

from robot_dynamics.model.denoc import Array
from robot_dynamics.model.dh.table import DHRow, DHTable
from robot_dynamics.model.transforms import turn


def impossible_rotors(table: DHTable) -> list[str]:
    """Return a sentence for each hub inertia and rotor below zero."""
    return [f'joint {row.name!r}: {what.replace("_", " ")} {getattr(row, what):g} is negative'
            for row in table.rows for what in ('hub_inertia', 'armature')
            if getattr(row, what) < 0]


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
        tiny = np.abs(principal) < 1e-7 * rounding  # what is left of zeros
        values = ', '.join(f'{value:.4g}' for value in np.where(tiny, 0.0, principal))
        if principal[0] < -rounding:
            found.append(f'link {name!r}: inertia is not positive semi-definite '
                         f'(principal moments {values} kg m^2)')
        elif principal[0] + principal[1] < principal[2] - rounding:
            found.append(f'link {name!r}: inertia breaks the triangle inequality '
                         f'(principal moments {values} kg m^2)')
        elif not mass:
            found.append(f'link {name!r}: has inertia but no mass (principal moments {values} '
                         'kg m^2)')
    return found


def unloaded_joints(table: DHTable) -> list[int]:
    """Return the rows whose joint moves no mass, nor inertia about its axis if it turns.

    Inertia without mass has no direction of its own to every joint: it is looked at with the
    joints between at values that are nothing special. Followers of a mimic joint are not listed:
    their leader carries them.
    """
    rows, parents = table.rows, table.parents()
    R = _generic_axes(table, parents)
    loaded = [row.armature > 0 for row in rows]
    for k, row in enumerate(rows):
        inertia = R[k] @ row.inertia @ R[k].T
        z = _axis(row, R[k])
        inertia = inertia + row.hub_inertia * np.outer(z, z)
        i = k
        while i >= 0:
            z = _axis(rows[i], R[i])
            loaded[i] |= bool(row.mass or (not rows[i].prismatic and z @ inertia @ z
                                           > 1e-12 * np.abs(inertia).max()))
            i = parents[i]
    groups = {row.name: False for row in rows if row.mimic is None}
    for row, load in zip(rows, loaded, strict=True):
        leader = row.mimic.leader if row.mimic else row.name
        groups[leader] = groups.get(leader, False) or load
    return [i for i, row in enumerate(rows) if row.mimic is None and not groups[row.name]]


def _generic_axes(table: DHTable, parents: list[int]) -> list[Array]:
    """Return the axes of frame i+1 of every row, in root axes, the joints at odd values."""
    R: list[Array] = []
    for i, row in enumerate(table.rows):
        before = np.eye(3) if row.base is None else row.base[:3, :3]
        if parents[i] >= 0:
            before = R[parents[i]]
            if row.branch is not None:
                parent, branch = table.rows[parents[i]], row.branch
                before = (before @ _step(parent).T @ turn(2, branch.gamma) @ turn(0, branch.alpha)
                          @ turn(1, branch.beta))
        odd = 0.0 if row.prismatic else 0.7 + 0.31 * (i % 7)
        R.append(before @ turn(2, (row.theta or 0.0) + odd) @ _step(row))
    return R


def _step(row: DHRow) -> Array:
    return turn(0, row.alpha) @ turn(1, row.beta)


def _axis(row: DHRow, R: Array) -> Array:
    """Return Z_i in root axes, R being the axes of frame i+1."""
    return R @ _step(row).T[:, 2]
