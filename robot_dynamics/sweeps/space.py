"""Design spaces: points over named variables, made block by block.

A point is known by its index alone: no block needs the ones before it, so that any worker can make
any block, and a sweep that was interrupted goes on with the same points. `digest` tells one space
from another.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.inputs import text, vector
from robot_dynamics.model.denoc import Array

MOST = 2 ** 52  # points of a space: what a float64 counts exactly


class Space:
    """Points over named variables.

    A contract for whoever writes another kind:
    1. `shapes` has the shape of each variable's value; `points` is how many points there are.
    2. `_values(start, stop)` gives the points of these indices, an array (stop - start, *shape)
       for each variable; it depends on nothing else, and has the same bits wherever it is asked.
    3. `_content()` gives, as bytes, all that the points follow from.
    4. It can be pickled, and stays as it is.

    A variable is named as what it is for: an argument of a verb ('q', 'tau') or a column of the DH
    table ('mass', 'a'), as a whole or one element of it ('q.joint_2', 'mass.3').
    """

    points: int
    shapes: dict[str, tuple[int, ...]]

    def _values(self, start: int, stop: int) -> dict[str, Array]:
        """Return the points start to stop."""
        raise NotImplementedError

    def _content(self) -> Iterator[bytes]:
        """Give what the points follow from."""
        raise NotImplementedError

    def __len__(self) -> int:
        """Return the number of points."""
        return self.points

    def __repr__(self) -> str:
        names = ', '.join(list(self.shapes)[:4]) + (', ...' if len(self.shapes) > 4 else '')
        return f'<{type(self).__name__} of {self.points} points: {names}>'

    @property
    def digest(self) -> str:
        """Hexadecimal digest, the same for spaces with the same points."""
        digest = hashlib.sha256(f'{type(self).__name__} {self.points}'.encode())
        for name, shape in self.shapes.items():
            digest.update(f'{name!r} {shape}'.encode())
        for part in self._content():
            digest.update(part)
        return digest.hexdigest()

    def block(self, start: int, stop: int) -> dict[str, Array]:
        """Return the points start to stop, (stop - start, *shape) for each variable.

        `InputError`: indices that the space does not have.

        >>> rd.Grid({'q.joint_1': [0, 1], 'mass.2': [3, 4, 5]}).block(2, 5)
        {'q.joint_1': array([0., 1., 1.]), 'mass.2': array([5., 3., 4.])}
        """
        if not 0 <= start <= stop <= self.points:
            raise InputError(f'points {start} to {stop}: expected some of 0 to {self.points}')
        return self._values(start, stop)

    def blocks(self, size: int) -> Iterator[dict[str, Array]]:
        """Give all points in order, `size` at a time.

        `InputError`: a size that is not positive.

        >>> [len(block['q']) for block in rd.Sobol({'q': (-1, 1)}, 10).blocks(4)]
        [4, 4, 2]
        """
        if size < 1:
            raise InputError(f'size={size}: expected 1 or more')
        for start in range(0, self.points, size):
            yield self.block(start, min(self.points, start + size))


class Grid(Space):
    """All combinations of values; the last variable's change fastest.

    axes: {variable: values}, (K,) numbers or (K, *shape), K of them
    `InputError`: values that are no numbers, more than 2^52 points.

    >>> grid = rd.Grid({'q.joint_1': np.linspace(-1, 1, 100), 'qd': [[0, 0], [1, 1]]})
    >>> len(grid), grid.shapes['qd']
    (200, (2,))
    """

    def __init__(self, axes: Mapping[str, Any]) -> None:
        self.axes = {name: steps(name, values) for name, values in named(axes, 'axes').items()}
        self.shapes = {name: axis.shape[1:] for name, axis in self.axes.items()}
        self.points = count('axes', math.prod(len(axis) for axis in self.axes.values()))

    def _content(self) -> Iterator[bytes]:
        """Give the axes."""
        for axis in self.axes.values():
            yield str(axis.shape).encode() + axis.tobytes()

    def _values(self, start: int, stop: int) -> dict[str, Array]:
        """Return some points: each value of an axis stays for as many as follow it."""
        run, found = self.points, {}
        for name, axis in self.axes.items():
            run //= len(axis)
            first, last = start // run, -(-stop // run)
            taken = axis[np.arange(first, last) % len(axis)]
            found[name] = np.repeat(taken, run, axis=0)[start - first * run:stop - first * run] \
                if run <= stop - start else few(taken, run, start - first * run, stop - start)
        return found


def few(taken: Array, run: int, offset: int, size: int) -> Array:
    """Return `size` values from runs that are longer than that: two of them at most."""
    change = min(size, run - offset)
    return np.repeat(taken, [change, size - change][:len(taken)], axis=0)


def named(given: Any, what: str) -> Mapping[str, Any]:
    """Return a mapping from names, one at least."""
    if not isinstance(given, Mapping) or not given:
        raise InputError(f'{what}: expected {{variable: numbers}}, found {str(given)[:80]}')
    for name in given:
        if not text(what, name):
            raise InputError(f'{what}: a variable without a name')
    return given


def steps(name: str, values: Any) -> Array:
    """Return the values of a grid's axis, (K, *shape)."""
    axis = vector(name, values, np.shape(values))
    if not axis.ndim or not axis.size:
        raise InputError(f'{name}: shape {axis.shape}: expected one value or more, (K,) or (K, n)')
    return axis


def whole(name: str, value: Any) -> int:
    """Return value as a whole number, 0 or more."""
    try:
        number = int(value)
        if number != value or number < 0:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise InputError(f'{name}={str(value)[:80]}: expected a whole number, 0 or more') from None
    return number


def count(name: str, value: Any) -> int:
    """Return how many points there are."""
    points = whole(name, value)
    if not 1 <= points <= MOST:
        raise InputError(f'{name}: {points} points: expected 1 to 2^52')
    return points
