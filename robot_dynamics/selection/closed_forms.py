"""Workspaces in closed form: simple arms, those of Bhangale2004 among them.

The axes are read from the Jacobian in one posture: a revolute joint's column is [w; w x r], r from
the axis to the tip. Lengths are between lines, so that it does not matter where frames are put.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from robot_dynamics.mechanism.mechanism import Mechanism
from robot_dynamics.model.denoc import Array
from robot_dynamics.robot import Robot
from robot_dynamics.selection.family import Ranges

FLAT = 1e-9  # how far from right angles, parallels or meeting axes may be [rad, or part of size]
POSTURE = (0.3, 0.7, 0.4, 0.6)  # part of the ranges at which axes are read: nothing is special


class Axes(NamedTuple):
    """The joints of an arm of n joints in one posture; L is how large it is [m].

    direction: (n, 3) of the axes; to_tip: (n, 3) from revolute axes, at right angles to them
    """

    q: Array
    direction: Array
    to_tip: Array
    tip: Array
    ranges: Ranges
    L: float

    def parallel(self, i: int, j: int) -> bool:
        """Tell whether two axes are parallel."""
        return bool(np.abs(np.cross(self.direction[i], self.direction[j])).max() < FLAT)

    def right(self, i: int, j: int) -> bool:
        """Tell whether two axes are at right angles."""
        return bool(abs(self.direction[i] @ self.direction[j]) < FLAT)

    def meet(self, i: int, j: int) -> bool:
        """Tell whether two axes that are not parallel meet."""
        apart = self.to_tip[i] - self.to_tip[j]  # from a point of axis i to one of axis j
        normal = np.cross(self.direction[i], self.direction[j])
        return bool(abs(apart @ normal) < FLAT * self.L)


def axes_of(arm: Robot, ranges: Ranges, link: str) -> Axes:
    """Return the axes of a serial arm."""
    q = ranges.lower + np.resize(POSTURE, arm.n) * (ranges.upper - ranges.lower)
    J, tip = arm.jacobian(q, link), arm.pose(q, link)[:3, 3]
    w, v = J[:3].T, J[3:].T
    to_tip = np.where(ranges.prismatic[:, None], 0.0, -np.cross(w, v))  # w x (w x r) = -r
    size = max(float(np.abs(to_tip).max()), float((ranges.upper - ranges.lower)[
        ranges.prismatic].max(initial=0.0)), 1e-300)
    return Axes(q, np.where(ranges.prismatic[:, None], v, w), to_tip, tip, ranges, size)


def radii(axes: Axes, j: int, k: int) -> tuple[float, float] | None:
    """Return least and largest distance of the tip from axis j while joint k alone moves.

    Joint k turns about a parallel of axis j, or slides at right angles to it; None: neither.
    """
    ranges, r = axes.ranges, axes.to_tip[j]
    low, high = ranges.lower[k] - axes.q[k], ranges.upper[k] - axes.q[k]
    if ranges.prismatic[k]:
        if not axes.right(j, k):
            return None
        u = axes.direction[k]
        nearest = float(np.clip(-(r @ u), low, high))
        ends = [float(np.linalg.norm(r + x * u)) for x in (low, high, nearest)]
        return min(ends), max(ends)
    if not axes.parallel(j, k):
        return None
    second = axes.to_tip[k]
    first = r - second  # from axis j to axis k
    l1, l2 = float(np.linalg.norm(first)), float(np.linalg.norm(second))
    if ranges.free[k]:
        return abs(l1 - l2), l1 + l2
    w = axes.direction[k]
    angle = float(np.arctan2(np.cross(first, second) @ w, first @ second))
    at = [angle + low, angle + high]
    at += [x for m in range(-4, 5) if at[0] <= (x := m * np.pi) <= at[1]]
    square = [l1 * l1 + l2 * l2 + 2 * l1 * l2 * float(np.cos(x)) for x in at]
    return float(np.sqrt(max(0.0, min(square)))), float(np.sqrt(max(square)))


def chain_radii(axes: Axes, j: int) -> tuple[float, float] | None:
    """Return least and largest distance of the tip from axis j while all joints after it move.

    One joint after it, as in `radii`; or several that turn freely about parallels of it.
    """
    n = len(axes.q)
    if n == j + 2:
        return radii(axes, j, j + 1)
    if not axes.ranges.free[j:].all() or not all(axes.parallel(j, k) for k in range(j, n)):
        return None
    steps = [*(axes.to_tip[k] - axes.to_tip[k + 1] for k in range(j, n - 1)), axes.to_tip[-1]]
    lengths = np.linalg.norm(steps, axis=1)
    return float(max(0.0, 2 * lengths.max() - lengths.sum())), float(lengths.sum())


def planar_ring(axes: Axes) -> float | None:
    """Return pi (R^2 - r^2): RR, RRR and RP in a plane, RP of Bhangale2004 Table III."""
    found = chain_radii(axes, 0) if len(axes.q) >= 2 and axes.ranges.free[0] else None
    return None if found is None else float(np.pi * (found[1] ** 2 - found[0] ** 2))


def planar_stadium(axes: Axes) -> float | None:
    """Return pi a^2 + 2 a b: a disc of radius a on a slide of stroke b, PR of Table III."""
    ranges = axes.ranges
    if len(axes.q) != 2 or not ranges.prismatic[0] or not ranges.free[1] or not axes.right(0, 1):
        return None
    a, b = float(np.linalg.norm(axes.to_tip[1])), float(ranges.upper[0] - ranges.lower[0])
    inner = max(0.0, a * a - b * b / 4)  # the circle alone is reached: a short slide leaves a hole
    hole = 0.0 if b >= 2 * a else 2 * (
        a * a * np.arctan2(np.sqrt(inner), b / 2) - b / 2 * np.sqrt(inner))
    return float(np.pi * a * a + 2 * a * b - hole)


def cylinder(axes: Axes) -> float | None:
    """Return stroke times ring: two parallel revolute axes and a slide along them, RTX."""
    ranges = axes.ranges
    if len(axes.q) != 3 or ranges.prismatic.sum() != 1:
        return None
    p = int(np.argmax(ranges.prismatic))
    j, k = (i for i in range(3) if i != p)
    if not (ranges.free[j] and axes.parallel(j, k) and axes.parallel(p, j)):
        return None
    ring = radii(axes, j, k)
    if ring is None:
        return None
    stroke = float(ranges.upper[p] - ranges.lower[p])
    return float(stroke * np.pi * (ring[1] ** 2 - ring[0] ** 2))  # Bhangale2004 Table V


def shell(axes: Axes) -> float | None:
    """Return 4/3 pi (R^3 - r^3): two axes that meet at right angles, Stanford.

    The joints after them move the tip at right angles to the second axis. A shoulder offset d
    along that axis changes nothing: distances from the first axis become sqrt(d^2 + x^2), discs
    pi x^2 become rings of the same area.
    """
    ranges = axes.ranges
    if len(axes.q) < 3 or not ranges.free[:2].all():
        return None
    if not (axes.right(0, 1) and axes.meet(0, 1)):
        return None
    found = chain_radii(axes, 1)
    if found is None:
        return None
    return float(4 / 3 * np.pi * (found[1] ** 3 - found[0] ** 3))  # Bhangale2004 Table V


FORMS: dict[str, Callable[[Axes], float | None]] = {
    'pi (R^2 - r^2)': planar_ring,
    'pi a^2 + 2 a b': planar_stadium,
    'pi (R^2 - r^2) b': cylinder,
    '4/3 pi (R^3 - r^3)': shell,
}


def closed_form(arm: Robot, ranges: Ranges, link: str) -> tuple[float, str, int] | None:
    """Return area [m^2] or volume [m^3], the formula and 2 or 3; None where there is none.

    Slides must have limits. ranges: of the arm's joints; link: whose origin counts
    """
    if arm.n < 2 or isinstance(arm, Mechanism) or ranges.endless.any():
        return None
    if arm.nq != arm.n or len(arm.model.tree_joint_names) != arm.n:
        return None
    axes = axes_of(arm, ranges, link)
    for formula, form in FORMS.items():
        value = form(axes)
        if value is not None:
            return value, formula, 2 if form in (planar_ring, planar_stadium) else 3
    return None
