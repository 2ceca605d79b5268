"""When the inertia matrix is singular: one rule and one error, whatever the algorithm.

A pivot is the inertia that a joint feels with all joints after it free: mhat_i of MohanSaha2007
(33), D_i of Featherstone2008 Table 7.1. Every method of forward dynamics eliminates from the tips
to the root, so that all of them have the same pivots. One is judged beside what its joint could
feel, not beside its own rounding: the inertia of all that it carries, stretched out straight, and
that of its mass at the length of the robot's longest link. Below PIVOT of that it is zero: the
joint feels no more of a mass than if it were 3e-7 of that length from the axis.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError, SingularityError
from robot_dynamics.model.denoc import Array, Geometry, Inertials

PIVOT = 1e-13  # rounding leaves up to 1e-14; of 1,400 public robots no inertia is below 1e-12
TINY = 1e-300  # [kg] a link without mass has no mass centre either
BASE = 1e-6  # part of the way from the root to the first joints that counts as a length


def pivot_floor(geometry: Geometry, inertials: Inertials) -> Array:
    """Return what each pivot must exceed, (L,); over numbers of any kind.

    Bodies beyond joint i count as stretched out straight; strokes of prismatic joints do not.
    """
    L = len(geometry.parent)
    m = [size([inertials.mass[i]]) for i in range(L)]
    h = [size(inertials.moment[i]) for i in range(L)]
    I = [size(inertials.inertia[i].ravel()) for i in range(L)]
    r = [size(d) for d in geometry.d]
    longest = typical_length(geometry, r, m, h)
    floor = np.zeros(L, inertials.mass.dtype)
    for i in range(L - 1, -1, -1):  # m, h, I of everything beyond, about O'_i
        floor[i] = PIVOT * (m[i] if geometry.prismatic[i] else I[i] + m[i] * longest * longest)
        p = geometry.parent[i]
        if p >= 0:
            m[p], h[p], I[p] = (m[p] + m[i], h[p] + h[i] + r[i] * m[i],
                                I[p] + I[i] + r[i] * (2.0 * h[i] + r[i] * m[i]))
    return floor


def typical_length(geometry: Geometry, r: list[Any], m: list[Any], h: list[Any]) -> Any:
    """Return the longest way from a joint to the next or to its link's mass centre.

    Where the robot stands counts little: it may be far from the root, and still tells the size
    of a robot without any other length.

    r: lengths of the offsets d; m, h: sizes of the masses and first moments; of each link
    """
    length = 0.0
    for i in range(len(r)):
        length = larger(length, r[i] * (BASE if geometry.parent[i] < 0 else 1.0))
    for mass, moment in zip(m, h, strict=True):
        length = larger(length, moment / (mass + TINY))
    return length


def size(values: Iterable[Any]) -> Any:
    """Return the square root of the sum of squares."""
    return np.sqrt(sum(x * x for x in values))


def larger(a: Any, b: Any) -> Any:
    """Return the larger of two numbers, without a branch: (a + b + |a - b|) / 2."""
    return (a + b + np.sqrt((a - b) * (a - b))) / 2.0


def check(names: tuple[str, ...], pivots: Array, floor: Array, result: Array,
          at: str = '', largest: str = '') -> None:
    """Raise `SingularityError` where a pivot is zero, `InputError` where a result is not finite.

    at: which state it is, largest: the argument with the largest number, for the message
    """
    zero = np.flatnonzero(np.isfinite(pivots) & ~(pivots > floor))  # what follows it is nan
    if len(zero):
        i = zero[-1]
        raise SingularityError(
            f'the generalized inertia matrix is singular at joint {names[i]!r}{at}: the inertia '
            f'that the joint feels (its pivot) is {pivots[i]:.3g}, and {floor[i]:.3g} or less '
            'counts as none beside the masses of the robot (a joint without inertia, or rotations '
            'that coincide)')
    if not (np.isfinite(result).all() and np.isfinite(pivots).all()):
        raise InputError(f'the result is not finite{at}: the arguments are too large ({largest})')
