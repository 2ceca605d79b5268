"""Numbers that count: run an algorithm on them and they tell what it cost.

The papers' rules: a multiplication or division is one M, an addition or subtraction one A, a sine,
cosine or square root one T; a change of sign is free; what is known beforehand (products with 0, 1
or -1, sums with 0, anything made of constants of the robot) is done off-line and free. A doubling
written as x + x is one A. Divisions count as multiplications, as in Bhangale2004 Table I.

Every number remembers what it was made of, so that two counts come out: `executed`, everything the
source does, and `needed`, only what the results depend on. The papers too leave out components
nobody needs (Mata2002 step 3, "only the calculation of this component is considered").
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics.model.denoc import Array, Geometry, Inertials, make_geometry, make_inertials


class Count(NamedTuple):
    """Multiplications and divisions, additions and subtractions, elementary functions."""

    multiplications: int
    additions: int
    trigonometric: int

    def __str__(self) -> str:
        return f'{self.multiplications} M {self.additions} A {self.trigonometric} T'


Operation = Callable[[Any, Any], Any]


def scalar(operation: Operation) -> Operation:
    """Leave arrays to numpy, which calls the operation on each of their elements."""
    def guarded(self: Any, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else operation(self, other)
    return guarded


class Number:
    """A value nobody knows, made by an operation ('M', 'A', 'T'; '' for an input or a sign)."""

    __slots__ = ('kind', 'parts', 'tally')

    def __init__(self, tally: list['Number'], kind: str = '', parts: tuple['Number', ...] = ()):
        self.tally, self.kind, self.parts = tally, kind, parts
        if kind:
            tally.append(self)

    def make(self, kind: str, *others: Any) -> 'Number':
        """Return the result of an operation on this number and others."""
        parts = (self, *(other for other in others if isinstance(other, Number)))
        return Number(self.tally, kind, parts)

    @scalar
    def __add__(self, other: Any) -> Any:
        return self if is_constant(other, 0) else self.make('A', other)

    __radd__ = __add__

    @scalar
    def __sub__(self, other: Any) -> Any:
        if other is self:
            return 0
        return self if is_constant(other, 0) else self.make('A', other)

    @scalar
    def __rsub__(self, other: Any) -> Any:
        return -self if is_constant(other, 0) else self.make('A', other)

    @scalar
    def __mul__(self, other: Any) -> Any:
        if is_constant(other, 0):
            return 0
        if is_constant(other, 1):
            return self
        return -self if is_constant(other, -1) else self.make('M', other)

    __rmul__ = __mul__

    @scalar
    def __truediv__(self, other: Any) -> Any:
        if is_constant(other, 1):
            return self
        return -self if is_constant(other, -1) else self.make('M', other)

    @scalar
    def __rtruediv__(self, other: Any) -> Any:
        return 0 if is_constant(other, 0) else self.make('M', other)

    def __neg__(self) -> 'Number':
        return self.make('')

    def __pos__(self) -> 'Number':
        return self

    def cos(self) -> 'Number':
        """Return the cosine (numpy calls this on arrays of objects)."""
        return self.make('T')

    sin = tan = tanh = sqrt = cos


def is_constant(value: Any, constant: int) -> bool:
    """Return whether a value is known beforehand to be exactly this constant."""
    return not isinstance(value, Number) and value == constant


def variables(n: int, tally: list[Number]) -> Array:
    """Return n inputs as an array of objects."""
    array = np.empty(n, object)
    for i in range(n):
        array[i] = Number(tally)
    return array


def count(function: Callable[..., Any], geometry: Any, *constants: Any,
          inputs: int | list[int]) -> dict[str, Count]:
    """Run function(geometry, *constants, ...) on joint variables that count.

    geometry: its array `parent` says how many joints there are; constants: what else is known
    off-line (the Inertials, for most); inputs: how many vectors of
    joint variables follow (q, qd, qdd or tau), or their sizes, where they are not the joints'.
    Return the counts 'executed' and 'needed'.
    """
    tally: list[Number] = []
    sizes = [len(geometry.parent)] * inputs if isinstance(inputs, int) else inputs
    results = function(geometry, *constants, *(variables(n, tally) for n in sizes))
    return {'executed': total(tally), 'needed': total(ancestors(results))}


def ancestors(results: Any) -> list[Number]:
    """Return every number the results depend on, each once."""
    waiting = [x for result in (results if isinstance(results, tuple) else (results,))
               for x in np.asarray(result, object).ravel() if isinstance(x, Number)]
    seen: dict[int, Number] = {}
    while waiting:
        number = waiting.pop()
        if id(number) not in seen:
            seen[id(number)] = number
            waiting.extend(number.parts)
    return list(seen.values())


def total(numbers: list[Number]) -> Count:
    """Return how many operations of each kind made these numbers."""
    kinds = [number.kind for number in numbers]
    return Count(kinds.count('M'), kinds.count('A'), kinds.count('T'))


def general_arm(n: int) -> tuple[Geometry, Inertials]:
    """Return the papers' general arm: n revolute joints, no length, angle or moment special.

    The base's frame is the first joint's, as in the papers, with gravity along its -Z.
    """
    generator = np.random.default_rng(n)
    a, b, alpha = generator.uniform(0.1, 0.9, (3, n))
    a[0] = b[0] = alpha[0] = 0.0
    d = np.stack([a, -b * np.sin(alpha), b * np.cos(alpha)], axis=1)
    geometry = make_geometry(
        np.arange(n) - 1, np.zeros(n, bool), np.zeros(n), alpha, np.zeros(n), d)
    mass = generator.uniform(1.0, 2.0, n)
    centre = generator.uniform(0.1, 0.3, (n, 3))
    root = generator.uniform(0.1, 0.5, (n, 3, 3))
    inertia = root @ root.transpose(0, 2, 1)
    return geometry, make_inertials(mass, mass[:, None] * centre, inertia)
