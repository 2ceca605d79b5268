"""From DH rows to the arrays of the recursions (denoc.py): of one robot, or of many at once.

All numbers may have leading axes: (L,) of one robot, (N, L) of N that have each their own. What
all share keeps its (L,) throughout, and costs nothing per robot. Components stand for vectors and
matrices: arithmetic on columns is quicker than many small products.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics.model.denoc import RIGHT_ANGLE, Array, exact_cos_sin
from robot_dynamics.model.dh.table import DHTable, hinge, step
from robot_dynamics.rigid_body import UPPER, point_inertia

FAR = 10.0  # an origin so many times a link's size from its mass centre costs digits


class Rows(NamedTuple):
    """The numbers of a table's rows, with leading axes or without."""

    a: Array  # (..., L)
    b: Array
    alpha: Array
    theta: Array
    beta: Array
    mass: Array
    com: Array  # (..., L, 3)
    inertia: Array  # (..., L, 3, 3)
    hub_inertia: Array
    armature: Array
    damping: Array
    friction: Array


SHAPES: dict[str, tuple[int, ...]] = {'com': (3,), 'inertia': (3, 3)}  # of a row's number, else ()


def rows_of(table: DHTable) -> Rows:
    """Return the numbers of a table."""
    return Rows(*(np.array([getattr(row, name) or 0.0 if name not in SHAPES
                            else getattr(row, name) for row in table.rows],
                           float).reshape(len(table.rows), *SHAPES.get(name, ()))
                  for name in Rows._fields))


@dataclass(frozen=True)
class Placement:
    """What the recursions need of the rows; names as in Geometry and Model."""

    gamma: Array  # (..., L)
    alpha: Array
    theta0: Array
    d: list[Array]  # x, y, z, (..., L) each
    turn: Array  # (..., L) joint_turn
    offset: Array  # (..., L) joint_offset
    tails: list[list[Array]]  # frame i+1 in link frame i: three rows [R | p], (..., L) each
    moment: list[Array]  # x, y, z
    inertia: list[Array]  # Ixx Ixy Ixz Iyy Iyz Izz


def place(table: DHTable, rows: Rows) -> Placement:
    """Return where the links hang; table: for its tree, branches and base."""
    parents = table.parents()
    steps = step_components(rows)
    hangs = [[column(steps[r][c], table, parents, r, c) for c in range(4)] for r in range(3)]
    com = carried_to(steps, [rows.com[..., k] for k in range(3)])
    slides = make_slides(rows, parents, hangs, com)
    lowered = np.where(np.array(parents) < 0, 0.0, take_parents(slides, parents))
    along = rows.b + slides
    gamma, alpha, delta = zxz_angles(hangs)
    p = [hangs[0][3], hangs[1][3], hangs[2][3] - lowered]
    tails = [steps[0], steps[1], [*steps[2][:3], steps[2][3] - slides]]
    com = [com[0], com[1], com[2] - slides]
    return Placement(
        gamma, alpha, delta + rows.theta, [p[k] + hangs[k][2] * along for k in range(3)],
        delta, along, tails, [rows.mass * c for c in com], inertia_about(rows, steps, com))


def step_components(rows: Rows) -> list[list[Array]]:
    """Return Tx(a) Rx(alpha) Ry(beta) of every row: three rows [R | p]."""
    (ca, sa), (cb, sb) = exact_cos_sin(rows.alpha), exact_cos_sin(rows.beta)
    none = np.zeros(len(table_row(rows.a)))
    return [[cb, none, sb, rows.a], [sa * sb, ca, -sa * cb, none], [-ca * sb, sa, ca * cb, none]]


def table_row(array: Array) -> Array:
    """Return one robot's numbers, (L,)."""
    return array.reshape(-1, array.shape[-1])[0] if array.size else array


def column(parts: Array, table: DHTable, parents: Sequence[int], r: int, c: int) -> Array:
    """Return a component of the frame F in which each joint turns, in its parent's, (..., L).

    That is the parent's frame i+1, or another that is constant: a branch, or the base.
    """
    found = take_parents(parts, parents)
    for i, row in enumerate(table.rows):
        if parents[i] < 0:
            found[..., i] = (np.eye(4) if row.base is None else row.base)[r, c]
        elif row.branch is not None:
            k = row.branch
            found[..., i] = (hinge(k.gamma, k.epsilon) @ step(k.a, k.alpha, k.beta))[r, c]
    return found


def take_parents(parts: Array, parents: Sequence[int]) -> Array:
    """Return numbers of the parents of all rows, (..., L)."""
    return np.take(parts, np.array(parents, int), axis=-1, mode='wrap') if len(parents) else parts


def carried_to(T: list[list[Array]], point: list[Array]) -> list[Array]:
    """Return R point + p."""
    return [T[r][0] * point[0] + T[r][1] * point[1] + T[r][2] * point[2] + T[r][3]
            for r in range(3)]


def make_slides(rows: Rows, parents: Sequence[int], hangs: list[list[Array]],
                com: list[Array]) -> Array:
    """Return how far each link frame's origin is moved along Z_i from O'_i, (..., L).

    Between axes that are almost parallel the common normal may be far away; an origin there
    would drown the link's inertia in that of its distance. The origin moves beside the mass
    centre then; beside what it carries, where the link has no mass.
    """
    heavy = rows.mass != 0
    trace = np.maximum(sum(rows.inertia[..., k, k] for k in range(3)), 0.0)
    gyration = np.sqrt(np.divide(trace, 2 * rows.mass, where=rows.mass > 0,
                                 out=np.zeros(np.broadcast_shapes(trace.shape, heavy.shape))))
    size = np.maximum(np.hypot(com[0], com[1]), gyration)
    along = np.broadcast_to(com[2], np.broadcast_shapes(com[2].shape, size.shape))
    if (np.abs(along) <= FAR * size).all() and heavy.all():
        return np.zeros(len(parents))  # as of almost all robots
    lead = np.broadcast_shapes(along.shape, heavy.shape, *(x.shape for x in hangs[2]),
                               rows.b.shape, hangs[0][3].shape)[:-1]
    slides = np.zeros((*lead, len(parents)))
    carried: list[list[tuple[Any, Any]]] = [[] for _ in parents]
    for i in reversed(range(len(parents))):
        z, extent = along[..., i], size[..., i]
        mean = [sum(pair[k] for pair in carried[i]) / max(1, len(carried[i])) for k in (0, 1)]
        z, extent = (np.where(heavy[..., i], own, other)
                     for own, other in zip((z, extent), mean, strict=True))
        slides[..., i] = np.where(np.abs(z) > FAR * extent, z, 0.0)
        if parents[i] >= 0:
            far = rows.b[..., i] + slides[..., i]
            d = [hangs[k][3][..., i] + hangs[k][2][..., i] * far for k in range(3)]
            carried[parents[i]].append((d[2], np.maximum(np.hypot(d[0], d[1]), extent)))
    return slides


def zxz_angles(T: list[list[Array]]) -> tuple[Array, Array, Array]:
    """Return gamma, alpha, delta with R = Rz(gamma) Rx(alpha) Rz(delta).

    Near alpha = 0 gamma is ill-conditioned, gamma + delta is not: delta is taken from what remains
    of R after the turn by gamma, so that the product is R to rounding everywhere.
    """
    sine = np.hypot(T[0][2], T[1][2])
    gamma = np.where(sine > RIGHT_ANGLE, np.arctan2(T[0][2], -T[1][2]), 0.0)
    c, s = exact_cos_sin(gamma)
    x = [c * T[0][k] + s * T[1][k] for k in (0, 1)]  # the rows of Rz(-gamma) R
    return (gamma, np.arctan2(s * T[0][2] - c * T[1][2], T[2][2]), np.arctan2(-x[1], x[0]))


def inertia_about(rows: Rows, T: list[list[Array]], com: list[Array]) -> list[Array]:
    """Return the inertia about the link's origin: R I R^T + m (c.c 1 - c c^T) + hub zz."""
    I = [[(rows.inertia[..., r, c] + rows.inertia[..., c, r]) / 2 for c in range(3)]
         for r in range(3)]
    half = [[T[r][0] * I[0][c] + T[r][1] * I[1][c] + T[r][2] * I[2][c] for c in range(3)]
            for r in range(3)]
    six = [half[r][0] * T[c][0] + half[r][1] * T[c][1] + half[r][2] * T[c][2] for r, c in UPPER]
    point = point_inertia(rows.mass, *com)  # type: ignore[arg-type]  # arrays are numbers too
    six = [p + q for p, q in zip(six, point, strict=True)]
    return [*six[:5], six[5] + rows.hub_inertia]
