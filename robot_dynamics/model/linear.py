"""Linear coordinates: every joint of the tree by a fixed rule from the user's."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from robot_dynamics.model.coordinates import OwnRates, identity, joined
from robot_dynamics.model.denoc import Array, Geometry, frozen


class Linear(OwnRates):
    """q_tree = G q + q0: signs, mimic joints, gears. Every value has its rate: nq = nv = n."""

    flat = True
    drifting: tuple[int, ...] = ()

    def __init__(self, G: Array, q0: Array):
        self.G = frozen(np.array(G, float))
        self.q0 = frozen(np.array(q0, float))
        self.L, self.nq = self.G.shape
        self.nv = self.nq
        # rows of G as places and factors: most are one sign
        self.rows = tuple(tuple((int(k), float(row[k])) for k in np.flatnonzero(row))
                          for row in self.G)

    def __reduce__(self) -> tuple[Any, ...]:
        return Linear, (self.G, self.q0)

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """What tells two maps apart."""
        return 'linear', self.rows, tuple(self.q0.tolist()), self.nq

    @cached_property
    def factors(self) -> tuple[float, ...] | None:
        """Return g with q_tree = g q + q0, None where joints mimic or change places."""
        if self.L != self.nq or any(
                len(row) != 1 or row[0][0] != i for i, row in enumerate(self.rows)):
            return None
        return tuple(row[0][1] for row in self.rows)

    @cached_property
    def identity(self) -> bool:
        """Whether the tree's values are the user's."""
        return self.factors == (1.0,) * self.nq and not self.q0.any()

    def parents(self, tree: Array) -> Array:
        """Return the parents of the user's joints; mimics may couple any two of them."""
        return np.arange(-1, self.nq - 1) if self.factors is None else tree

    def at(self, q: Array) -> Linear:
        """Return these coordinates: nothing in them depends on q."""
        return self

    def geometry(self, geometry: Geometry, q: Array) -> Geometry:
        """Return the tree's geometry: it does not depend on q."""
        return geometry

    def positions(self, q: Array) -> Array:
        """Return G q + q0, (..., L)."""
        return self.mapped(q, self.q0.tolist())

    def rates(self, q: Array, qd: Array) -> Array:
        """Return G qd, (..., L)."""
        return self.mapped(qd, [0.0] * self.L)

    def accelerations(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return G qdd, (..., L)."""
        return self.mapped(qdd, [0.0] * self.L)

    def torques(self, q: Array, tau: Array) -> Array:
        """Return G^T tau, (..., n)."""
        if self.identity:
            return tau
        columns: list[Any] = [0.0] * self.nv
        for i, row in enumerate(self.rows):
            for k, g in row:
                columns[k] = columns[k] + g * tau[..., i]
        return joined(tau, columns)

    def matrix(self, q: Array, I: Array) -> Array:
        """Return G^T I G, (n, n)."""
        return self.torques(q, self.torques(q, I).T).T

    def diagonal(self, values: Array) -> Array:
        """Return the diagonal of G^T diag(values) G, (n,)."""
        columns: list[Any] = [0.0] * self.nv
        for row, x in zip(self.rows, values, strict=True):
            for k, g in row:
                columns[k] = columns[k] + g * g * x
        return joined(values, columns)

    def rate(self, q: Array, qd: Array) -> Array:
        """Return dG/dt, zeros, (L, n)."""
        return np.zeros((self.L, self.nv), qd.dtype)

    def tangent(self, q: Array) -> Array:
        """Return the identity, (n, n)."""
        return identity(self.nq, q.dtype)

    def integrate(self, q: Array, v: Array) -> Array:
        """Return q + v."""
        return q + v

    def difference(self, start: Array, end: Array) -> Array:
        """Return end - start."""
        return end - start

    def velocity(self, q: Array, qd: Array) -> Array:
        """Return qd."""
        return qd

    def joint_values(self, q: Array) -> Array:
        """Return q."""
        return q

    def with_joint_values(self, q: Array, values: Array) -> Array:
        """Return the values."""
        return values

    def value_names(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names."""
        return names

    def mapped(self, values: Array, constants: list[float]) -> Array:
        """Return G values + constants, (..., L)."""
        if self.identity:
            return values
        if values.ndim > 1 and values.dtype == float:  # a batch: one sum has one term, or few
            mapped = values @ self.G.T if self.factors is None else values * self.factors
            return mapped + constants if any(constants) else mapped
        entries = []
        for row, total in zip(self.rows, constants, strict=True):
            entry: Any = total
            for k, g in row:
                entry = entry + g * values[..., k]
            entries.append(entry)
        return joined(values, entries)
