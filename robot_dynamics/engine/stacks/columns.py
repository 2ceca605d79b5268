"""The parameters of many robots, column by column: one number for each robot, or one for all."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from robot_dynamics.engine.emission.columns import WIDTH
from robot_dynamics.engine.emission.stack import HEAD
from robot_dynamics.engine.running.calls import address
from robot_dynamics.model.denoc import Array, frozen


class Columns:
    """Some numbers of N robots. Immutable: what changes shares the columns that do not."""

    def __init__(self, N: int, columns: Iterable[Array]) -> None:
        """Take columns as `column` makes them."""
        self.N = N
        self.columns = tuple(columns)

    @staticmethod
    def of(N: int, values: Iterable[Any]) -> 'Columns':
        """Make columns of numbers, each (N,) or one for all."""
        return Columns(N, [column(value) for value in values])

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self.columns)

    def shared(self, k: int) -> bool:
        """Tell whether a column has one number for all robots."""
        return len(self.columns[k]) == WIDTH  # others have WIDTH - 1 numbers beyond their N > 1

    def values(self, k: int) -> Array:
        """Return the robots' numbers of a column, (N,), or the one that all have, ()."""
        found = self.columns[k]
        return found[0] if self.shared(k) else found[:self.N]

    def part(self, k: int, start: int, stop: int) -> Array:
        """Return the numbers of some robots, (stop - start,), or the one that all have."""
        return self.columns[k][0] if self.shared(k) else self.columns[k][start:stop]

    def row(self, i: int) -> Array:
        """Return all numbers of one robot."""
        return np.array([found[0] if self.shared(k) else found[i]
                         for k, found in enumerate(self.columns)])

    def rows(self, first: int, count: int) -> Array:
        """Return some columns of all robots, (N, count)."""
        rows = np.empty((self.N, count))
        for k in range(count):
            rows[:, k] = self.values(first + k)
        return rows

    def taken(self, index: Array) -> 'Columns':
        """Return the columns of some of the robots."""
        return Columns(len(index), [
            found if self.shared(k) else column(found[:self.N][index])
            for k, found in enumerate(self.columns)])

    def replaced(self, changes: Mapping[int, Any]) -> 'Columns':
        """Return columns of which some are others."""
        return Columns(self.N, [column(changes[k]) if k in changes else found
                                for k, found in enumerate(self.columns)])

    def joined(self, others: 'Columns') -> 'Columns':
        """Return these columns and then others."""
        return Columns(self.N, (*self.columns, *others.columns))

    def table(self, first: int = 0) -> Array:
        """Return the table that machine code reads; see emission/stack.py."""
        table = np.empty(HEAD + 2 * len(self.columns), np.int64)
        table[:HEAD] = first, self.N
        table[HEAD::2] = [address(found) for found in self.columns]
        table[HEAD + 1::2] = [0 if self.shared(k) else 8 for k in range(len(self.columns))]
        return table


def column(value: Any) -> Array:
    """Return a number for all robots, or one for each, (N,), as a column."""
    array = np.asarray(value, float)
    if array.ndim == 0 or (array == array[0]).all():
        return frozen(np.full(WIDTH, array if array.ndim == 0 else array[0]))
    return frozen(np.concatenate([array, np.repeat(array[-1:], WIDTH - 1)]))


class Gathered:
    """Columns that come in parts. Of what is the same for all, one number is kept."""

    def __init__(self) -> None:
        self.parts: dict[Any, list[tuple[Array, int]]] = {}

    def add(self, numbers: Mapping[Any, Array], count: int) -> None:
        """Take the numbers of the next `count` robots, (count,) or one for all of them, each."""
        for key, value in numbers.items():
            parts = self.parts.setdefault(key, [])
            if value.ndim and (value == value[0]).all():
                value = value[0]
            if parts and value.ndim == 0 and parts[-1][0].ndim == 0 and value == parts[-1][0]:
                parts[-1] = value, parts[-1][1] + count
            else:
                parts.append((value.copy(), count))

    def columns(self) -> dict[Any, Array]:
        """Return the numbers of all robots, (N,), or () where all have the same."""
        return {key: parts[0][0] if len(parts) == 1 else np.concatenate(
            [np.broadcast_to(value, count) for value, count in parts])
            for key, parts in self.parts.items()}
