"""Closing: how dependent joints follow the independent ones where a mechanism stands."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from robot_dynamics.algorithms import closure
from robot_dynamics.algorithms.complement import Factors, orthogonal, solve, solve_transposed
from robot_dynamics.algorithms.turns import transpose_times
from robot_dynamics.model.coordinates import joined
from robot_dynamics.model.denoc import Array

if TYPE_CHECKING:
    from robot_dynamics.mechanism.loops import Loops


class Closing:
    """The rows of closure at q, and the columns of the dependent joints made orthogonal.

    Each cut's rows are in the axes of one of its ends, where that leaves more zeros.
    """

    def __init__(self, loops: Loops, q: Array):
        self.loops, self.q = loops, q
        self.J, self.axes = loops.seen(q)

    @cached_property
    def factors(self) -> Factors:
        """Return the dependent columns, made orthogonal."""
        return orthogonal([self.J[:, k] for k in self.loops.dependent], self.loops.length)

    def follow(self, values: Array, right: Array) -> Array:
        """Return all rates, or accelerations, (joints,), of the independent ones.

        right: what J times them is, (rows,), in the axes of these rows
        """
        entries: list[Any] = [0.0] * self.loops.tree.nv
        for k, value in zip(self.loops.independent, values, strict=True):
            right = right - self.J[:, k] * value
            entries[k] = value
        for k, value in zip(self.loops.dependent, solve(self.factors, right), strict=True):
            entries[k] = value
        return joined(values, entries)

    def gather(self, tau: Array) -> Array:
        """Return the independent joints' torques, (nv,), that do the work of those at all."""
        force = solve_transposed(self.factors, [tau[k] for k in self.loops.dependent],
                                 self.loops.rows, tau.dtype)
        return joined(tau, [tau[k] - self.loops.over_rows(self.J[:, k] * force)
                            for k in self.loops.independent])

    def drift(self, rates: Array) -> Array:
        """Return dJ/dt times the rates of all joints, (rows,)."""
        loops, q, tree = self.loops, self.q, self.loops.tree.at(self.q)
        if tree.drifting:
            return self.turned(loops.drift(q, rates))
        at, geometry = loops.standing(q)
        qd = tree.rates(q, rates)
        parts = [closure.drift(geometry, at, qd, cut, loops.length) if end is None else
                 closure.drift_from_end(geometry, at, qd, cut, loops.length, end)
                 for cut, end in zip(loops.cuts, loops.ends, strict=True)]
        return np.concatenate([*parts, np.zeros(len(loops.gears), rates.dtype)])

    def turned(self, right: Array) -> Array:
        """Return what `Loops.gaps` or `Loops.drift` gives, in the axes of these rows."""
        right = np.array(right)
        for row, axes in self.axes.items():
            right[row:row + 3] = transpose_times(axes, right[row:row + 3])
        return right
