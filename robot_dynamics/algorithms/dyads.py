"""Planar loops with two unknown joints, in closed form: two sides of a triangle are known.

SahaSchiehlen2001 VI takes the passive joints of its linkages from a characteristic pair of joints.
Such a pair, with the cut joint, makes a triangle of what is rigid between the three: the unknown
angles follow from its sides, in one of two ways (the sign of its height).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from robot_dynamics.algorithms import closure
from robot_dynamics.model.cuts import Cut
from robot_dynamics.model.denoc import Array, Geometry

PARALLEL = 1e-12  # sin of the angle between axes that are parallel


@dataclass(frozen=True)
class Dyad:
    """Two unknown joints of one loop, whose axes and the cut's are all parallel.

    links: A and B, on the same side of the loop (A nearer to the root) or on both, A on the first;
    senses: +1 where a link turns about `axis`, -1 where it turns against it;
    plane: two unit vectors normal to the axis, in the shared body's frame;
    height: sign of the triangle's height
    """

    cut: Cut
    links: tuple[int, int]
    senses: tuple[float, float]
    same_side: bool
    plane: tuple[tuple[float, ...], tuple[float, ...]]
    height: float = 1.0


def find_dyad(geometry: Geometry, q: Array, cut: Cut, unknown: tuple[int, int]) -> Dyad | None:
    """Return the dyad of a loop with two unknown links, None where it is no planar loop."""
    if cut.kind not in ('revolute', 'spherical'):
        return None
    first, second = closure.sides(geometry, q, cut)
    links = [*first.links, *second.links]
    if any(geometry.prismatic[i] for i in links):
        return None
    axes = {i: side.R[i][:, 2] for side in (first, second) for i in side.links}
    z = axes[links[0]]
    lines = [*axes.values(), *([first.axes[:, 2], second.axes[:, 2]] if cut.kind == 'revolute'
                               else [])]
    if any(np.linalg.norm(np.cross(z, line)) > PARALLEL for line in lines):
        return None
    if abs(z @ (second.x - first.x)) > PARALLEL * (1 + np.linalg.norm(second.x)):
        return None
    e_1 = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    e_1 /= np.linalg.norm(e_1)
    if abs(z[2]) == 1.0:
        e_1 = np.array([1.0, 0.0, 0.0])
    plane = tuple(tuple(map(float, e)) for e in (e_1, np.cross(z, e_1)))
    a, b = unknown
    same = (a in first.links) == (b in first.links)
    if same and links.index(a) > links.index(b) or not same and b in first.links:
        a, b = b, a
    senses = tuple(float(np.sign(axes[i] @ z)) for i in (a, b))
    return Dyad(cut, (a, b), senses, same, plane)  # type: ignore[arg-type]  # pairs, both


def solve_dyad(geometry: Geometry, q: Array, dyad: Dyad) -> tuple[Any, Any, Any]:
    """Return how far A and B turn from q to close the loop, and the height's square.

    q: joint values of the tree, (L,), those of A and B anywhere, all others known. The
    angles are between -pi and pi; the loop cannot close where the square is negative.
    """
    first, second = closure.sides(geometry, q, dyad.cut)
    on, other = (first, second) if dyad.links[0] in first.links else (second, first)
    A, B = dyad.links
    p_A, p_B = on.p[A], (on if dyad.same_side else other).p[B]
    if dyad.same_side:  # R(alpha) (d + R(beta) b) = t
        d, b, t = (flat(dyad, v) for v in (p_B - p_A, on.x - p_B, other.x - p_A))
        longest = t
    else:  # R(alpha) a = d + R(beta) b
        d, b, a = (flat(dyad, v) for v in (p_B - p_A, other.x - p_B, on.x - p_A))
        longest = a
    along, across = dot(d, b), turn(d, b)
    # the law of cosines, for the characteristic pair of SahaSchiehlen2001 VI
    K = (dot(longest, longest) - dot(d, d) - dot(b, b)) / 2.0
    square = along * along + across * across - K * K
    h = dyad.height * np.sqrt(square)
    # (cos beta, sin beta), times |d|^2 |b|^2
    cosine, sine = K * along + h * across, h * along - K * across
    beta = np.arctan2(sine, cosine)
    scale = 1.0 / (along * along + across * across)
    c, s = cosine * scale, sine * scale
    end = (d[0] + c * b[0] - s * b[1], d[1] + s * b[0] + c * b[1])
    alpha = (np.arctan2(turn(end, t), dot(end, t)) if dyad.same_side
             else np.arctan2(turn(a, end), dot(a, end)))
    return dyad.senses[0] * alpha, dyad.senses[1] * beta, square


def flat(dyad: Dyad, v: Array) -> tuple[Any, Any]:
    """Return a vector's two components in the plane."""
    first, second = (closure.dot(np.array(e), v) for e in dyad.plane)
    return first, second


def dot(a: tuple[Any, ...], b: tuple[Any, ...]) -> Any:
    """Return the scalar product in the plane."""
    return a[0] * b[0] + a[1] * b[1]


def turn(a: tuple[Any, ...], b: tuple[Any, ...]) -> Any:
    """Return the vector product in the plane: |a| |b| times the sine of the way from a to b."""
    return a[0] * b[1] - a[1] * b[0]
