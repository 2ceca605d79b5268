"""Loop closure: how far cut joints are open, and how that changes with the joints of the tree.

The rates of the tree keep a loop closed if the twists of the two bodies at a cut differ only by
what the cut joint allows, SahaSchiehlen2001 (8), written for each of the two sides. Everything is
taken from the last body that both sides share, whose motion does not open the loop. Each equation
of a cut (model/cuts.py) gives one row of J, with J qd = 0, and its derivative J qdd + drift = 0.
Rows are lengths: those of angles are multiplied by a length of the mechanism.
"""

from typing import Any, NamedTuple

import numpy as np

from robot_dynamics.algorithms.joints import (
    cosines_sines,
    joint_axis,
    link_to_parent,
    parent_offset,
    parent_to_link,
)
from robot_dynamics.algorithms.turns import cross, tensor_times, transpose_times
from robot_dynamics.model.cuts import Cut
from robot_dynamics.model.denoc import Array, Geometry


class Side(NamedTuple):
    """One side of a loop: its links from the shared body on, and the cut's frame at its end."""

    links: tuple[int, ...]
    R: dict[int, Array]  # axes of each link's frame, in those of the shared body
    p: dict[int, Array]  # its origin
    axes: Array  # (3, 3) of the cut's frame, columns
    x: Array  # (3,) its origin


class EndMotion(NamedTuple):
    """How the end of a side moves, joint accelerations left out."""

    w: Array  # angular velocity
    wd: Array  # angular acceleration
    v: Array  # velocity of the last link's origin
    a: Array  # its acceleration


def paths(parent: Array, cut: Cut) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Return the last body that both sides share (-1: the root), and the links of each side."""
    up = [way_up(parent, body) for body in cut.bodies]
    shared = next(body for body in up[0] if body in up[1])
    first, second = (tuple(reversed(way[:way.index(shared)])) for way in up)
    return shared, first, second


def way_up(parent: Array, body: int) -> list[int]:
    """Return the bodies from one to the root, which is -1."""
    way = [body]
    while way[-1] >= 0:
        way.append(int(parent[way[-1]]))
    return way


def sides(geometry: Geometry, q: Array, cut: Cut) -> tuple[Side, Side]:
    """Return both sides of a loop at joint values q (L,)."""
    shared, *ways = paths(geometry.parent, cut)
    c, s = cosines_sines(geometry, q)
    first, second = (side(geometry, q, c, s, shared, way, np.array(T, q.dtype))
                     for way, T in zip(ways, cut.frames, strict=True))
    return first, second


def side(geometry: Geometry, q: Array, c: Array, s: Array, shared: int,
         links: tuple[int, ...], T: Array) -> Side:
    """Return one side of a loop; T: the cut's frame (4, 4) on its last body."""
    one = np.zeros((3, 3), q.dtype)
    for k in range(3):
        one[k, k] = 1
    R, p = {shared: one}, {shared: np.zeros(3, q.dtype)}
    at = shared
    for i in links:
        p[i] = p[at] + tensor_times(R[at], parent_offset(geometry, i, q))
        R[i] = np.array([parent_to_link(geometry, i, c, s, R[at][k]) for k in range(3)], q.dtype)
        at = i
    axes = np.array([tensor_times(R[at], T[:3, k]) for k in range(3)], q.dtype).T
    return Side(links, R, p, axes, p[at] + tensor_times(R[at], T[:3, 3]))


def faces(geometry: Geometry, q: Array, cut: Cut) -> bool:
    """Tell whether the axes of a closed cut point the same way: equations know lines alone."""
    first, second = sides(geometry, q, cut)
    held = {pair[1] for pair in cut.normals} if len(cut.normals) > 1 else set()
    same = [2] * (2 in held) + [0] * (1 in held)  # z where both others are normal to it, then x
    return all(dot(first.axes[:, k], second.axes[:, k]) > 0 for k in same)


def residual(geometry: Geometry, q: Array, cut: Cut, length: float) -> Array:
    """Return by how much each equation of a cut fails, (rows,) [m]; sines times `length`."""
    first, second = sides(geometry, q, cut)
    gap = second.x - first.x
    values = list(gap) if len(cut.slides) == 3 else [
        dot(first.axes[:, u], gap) for u in cut.slides]
    return np.array(values + [dot(first.axes[:, u], second.axes[:, w]) * length
                              for u, w in cut.normals], q.dtype)


def jacobian(geometry: Geometry, q: Array, cut: Cut, length: float) -> Array:
    """Return the rows J (rows, L) of a cut: the derivative of `residual`."""
    first, second = sides(geometry, q, cut)
    J = np.zeros((cut.rows, len(q)), q.dtype)
    whole = len(cut.slides) == 3
    reach = first.x if whole else second.x  # both sides at the second origin, where it may slide
    for one, x, sign in ((first, reach, -1), (second, second.x, 1)):
        for j in one.links:
            z = one.R[j][:, 2]
            straight = z if geometry.prismatic[j] else cross(z, x - one.p[j])  # (7b), A_ej p_j
            column = list(straight) if whole else [
                dot(first.axes[:, u], straight) for u in cut.slides]
            column += [0.0 if geometry.prismatic[j] else
                       dot(normal(first, second, pair), z) * length for pair in cut.normals]
            J[:, j] = [sign * value for value in column]
    return J


def misfit(geometry: Geometry, q: Array, cut: Cut, length: float) -> tuple[Array, Array]:
    """Return how a cut fails to fit, (rows,) [m], and the derivative of that, (rows, L).

    As `residual` and `jacobian`, but of axes that are to point the same way it has the whole
    difference: that does not vanish where they are opposite.
    """
    values, J = residual(geometry, q, cut, length), jacobian(geometry, q, cut, length)
    if len(cut.normals) < 2:
        return values, J
    first, second = sides(geometry, q, cut)
    slides = len(cut.slides)
    turns = (0, 1, 2) if len(cut.normals) == 3 else (2,)
    size = length / np.sqrt(2.0 if len(turns) > 1 else 1.0)  # each turn moves two axes of three
    apart = [size * (second.axes[:, k] - first.axes[:, k]) for k in turns]
    slopes = np.zeros((len(turns), 3, len(q)), q.dtype)
    for one, sign in ((first, -size), (second, size)):
        for j in one.links:
            if not geometry.prismatic[j]:
                for slope, k in zip(slopes, turns, strict=True):
                    slope[:, j] = sign * cross(one.R[j][:, 2], one.axes[:, k])
    return (np.concatenate([values[:slides], *apart]),
            np.concatenate([J[:slides], *slopes]))


def seen_from_end(geometry: Geometry, q: Array, cut: Cut, length: float,
                  end: int) -> tuple[Array, Array]:
    """Return J (rows, L) with its three slides in the axes of the cut's frame on one side.

    There the joints next to the end have columns with zeros. Also the axes, (3, 3): what is turned
    by their transpose stands beside these rows.
    end: the side, 0 or 1
    """
    both, J = sides(geometry, q, cut), jacobian(geometry, q, cut, length)
    axes, own = both[end].axes, both[end].links
    near = end_columns(geometry, q, own, np.array(cut.frames[end], q.dtype))
    for one in both:
        for j in one.links:
            if j in near:
                J[:3, j] = near[j] if end else -near[j]
            else:
                J[:3, j] = transpose_times(axes, J[:3, j])
    return J, axes


def end_columns(geometry: Geometry, q: Array, links: tuple[int, ...],
                T: Array) -> dict[int, Array]:
    """Return how each link's joint moves the end of a side, (3,) each, in the end's own axes.

    T: the end's frame (4, 4) on the last link
    """
    c, s = cosines_sines(geometry, q)
    M = T[:3, :3].T  # from the axes of a link to those of the end
    r = tensor_times(M, T[:3, 3])  # from the link's origin to the end
    columns = {}
    for i in reversed(links):
        z = M[:, 2]
        columns[i] = z if geometry.prismatic[i] else cross(z, r)  # (7b), A_ej p_j
        M = np.array([link_to_parent(geometry, i, c, s, M[k]) for k in range(3)], q.dtype)
        r = r + tensor_times(M, parent_offset(geometry, i, q))
    return columns


def drift(geometry: Geometry, q: Array, qd: Array, cut: Cut, length: float) -> Array:
    """Return dJ/dt qd of a cut's rows, (rows,); q, qd: of the tree, (L,)."""
    first, second = sides(geometry, q, cut)
    shared = paths(geometry.parent, cut)[0]
    one, two = (motion(geometry, qd, shared, part) for part in (first, second))
    end_1, end_2 = (part.p[part.links[-1] if part.links else shared] for part in (first, second))
    a_2 = carried(two.w, two.wd, second.x - end_2) + two.a
    if len(cut.slides) == 3:
        gap = a_2 - (carried(one.w, one.wd, first.x - end_1) + one.a)
        values = list(gap)
    else:  # as seen from the first body, on which the axes are fixed
        r = second.x - end_1
        v = two.v + cross(two.w, second.x - end_2) - one.v - cross(one.w, r)
        seen = a_2 - one.a - carried(one.w, one.wd, r) - 2.0 * cross(one.w, v)
        values = [dot(first.axes[:, u], seen) for u in cut.slides]
    w, wd = two.w - one.w, two.wd - one.wd
    for u, k in cut.normals:
        u1, w2 = first.axes[:, u], second.axes[:, k]
        turning = cross(cross(two.w, w2), u1) + cross(w2, cross(one.w, u1))
        values.append((dot(cross(w2, u1), wd) + dot(turning, w)) * length)
    return np.array(values, q.dtype)


def drift_from_end(geometry: Geometry, q: Array, qd: Array, cut: Cut, length: float,
                   end: int) -> Array:
    """Return `drift` with its three slides in the axes of the cut's frame on one side.

    There that side's own acceleration takes few operations. end: the side, 0 or 1
    """
    both, found = sides(geometry, q, cut), drift(geometry, q, qd, cut, length)
    shared = paths(geometry.parent, cut)[0]
    other = both[1 - end]
    far = motion(geometry, qd, shared, other)
    at = other.p[other.links[-1] if other.links else shared]
    seen = transpose_times(both[end].axes, carried(far.w, far.wd, other.x - at) + far.a)
    own = end_acceleration(geometry, q, qd, both[end].links, np.array(cut.frames[end], q.dtype))
    found[:3] = own - seen if end else seen - own
    return found


def end_acceleration(geometry: Geometry, q: Array, qd: Array, links: tuple[int, ...],
                     T: Array) -> Array:
    """Return the acceleration of a side's end where qdd = 0, (3,), in the end's own axes.

    T: the end's frame (4, 4) on the last link
    """
    c, s = cosines_sines(geometry, q)
    zero = np.zeros(3, q.dtype)
    w, wd, a = zero, zero, zero  # of the link before, in its own axes
    for i in links:
        a = a + carried(w, wd, parent_offset(geometry, i, q))
        if geometry.prismatic[i]:
            a = a + 2.0 * cross(w, joint_axis(geometry, i) * qd[i])
        w, wd, a = (parent_to_link(geometry, i, c, s, v) for v in (w, wd, a))
        if not geometry.prismatic[i]:
            wd = np.array([wd[0] + w[1] * qd[i], wd[1] - w[0] * qd[i], wd[2]])  # w x z qd
            w = np.array([w[0], w[1], w[2] + qd[i]])
    return transpose_times(T[:3, :3], a + carried(w, wd, T[:3, 3]))


def motion(geometry: Geometry, qd: Array, shared: int, part: Side) -> EndMotion:
    """Return how the last body of a side moves, with the shared body at rest and qdd = 0."""
    zero = np.zeros(3, qd.dtype)
    w, wd, v, a = zero, zero, zero, zero
    at = shared
    for i in part.links:
        r, z = part.p[i] - part.p[at], part.R[i][:, 2] * qd[i]
        a = a + carried(w, wd, r)
        v = v + cross(w, r)
        if geometry.prismatic[i]:
            a, v = a + 2.0 * cross(w, z), v + z
        else:
            w, wd = w + z, wd + cross(w, z)
        at = i
    return EndMotion(w, wd, v, a)


def carried(w: Array, wd: Array, r: Array) -> Array:
    """Return the acceleration of a point at r on a turning body, beside its origin's.

    wd x r + w x (w x r) as a matrix times r: that is the same for all points of a body.
    """
    squares = [x * x for x in w]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    return tensor_times(np.array([
        [-(squares[1] + squares[2]), xy - wd[2], xz + wd[1]],
        [xy + wd[2], -(squares[0] + squares[2]), yz - wd[0]],
        [xz - wd[1], yz + wd[0], -(squares[0] + squares[1])]], w.dtype), r)


def normal(first: Side, second: Side, pair: tuple[int, int]) -> Array:
    """Return w2 x u1: what a relative angular velocity does to u1 . w2."""
    return cross(second.axes[:, pair[1]], first.axes[:, pair[0]])


def dot(a: Array, b: Array) -> Any:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
