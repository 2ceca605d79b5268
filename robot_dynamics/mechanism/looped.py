"""Looped: the coordinates of a mechanism.

The values q are those of all joints of the tree, assembled: the loops are closed. The rates are
those of the independent joints alone; the others follow from closure, J qd_tree = 0. So the
kernels are straight-line code once a mechanism is assembled, and everything that robots can do
follows from the map N: the tree's own rates are N times the rates.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np

from robot_dynamics.algorithms.complement import (
    Factors,
    congruent,
    orthogonal,
    solve_transposed,
)
from robot_dynamics.mechanism.closing import Closing
from robot_dynamics.mechanism.conditions import condition
from robot_dynamics.mechanism.loops import Loops
from robot_dynamics.mechanism.rates import tree_rate
from robot_dynamics.model.coordinates import identity, joined
from robot_dynamics.model.cuts import Cut
from robot_dynamics.model.denoc import Array, Geometry

STEPS = 4  # of Newton's method after a motion
OPEN = 1e-4  # part of the length within which steps go on while they put loops back
NEARLY_CLOSED = 1e-7  # part of the length from which one step closes loops to rounding


class Looped:
    """Coordinates of a tree whose loops are closed; the contract is that of `Coordinates`."""

    flat = False
    factors = None
    formulation = 'orthogonal complement'

    inner: Any = None

    def __init__(self, loops: Loops, trunk: Sequence[int] = ()):
        """Make coordinates of loops; trunk: independent joints that forward dynamics prefers."""
        self.loops, self.tree, self.trunk = loops, loops.tree, tuple(trunk)
        self.within = Looped(loops.over(trunk)) if trunk else None
        self.nq, self.nv, self.L = self.tree.nq, len(loops.independent), self.tree.L
        self.drifting = tuple(range(self.L))
        self.following = loops.dependent
        self.key: tuple[Any, ...] = (
            'looped', self.tree.key, loops.cuts, loops.gears, loops.independent, loops.length,
            loops.pairs, loops.start, self.trunk)

    def over_constants(self, geometry: Geometry, cuts: tuple[Cut, ...]) -> Looped:
        """Return these coordinates with other numbers in the tree and its cuts, of any kind."""
        other = copy(self)
        other.loops = self.loops.over_constants(geometry, cuts)
        if self.within is not None:
            other.within = self.within.over_constants(geometry, cuts)
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        return make_looped, (self.loops.parts(), self.trunk)

    @property
    def joints(self) -> int:
        """Number of joints that may rub: all of the tree."""
        return self.tree.nv

    def at(self, q: Array) -> LoopedAt:
        """Return these coordinates, standing at q."""
        return LoopedAt(self, q)

    def geometry(self, geometry: Geometry, q: Array) -> Geometry:
        """Return the tree's geometry at q."""
        return self.tree.at(q).geometry(geometry, q)

    def parents(self, tree: Array) -> Array:
        """Return a chain: loops may couple any two joints."""
        return np.arange(-1, self.nv - 1)

    def positions(self, q: Array) -> Array:
        """Return the tree's joint values, (L,)."""
        return self.tree.positions(q)

    def rates(self, q: Array, qd: Array) -> Array:
        """Return the tree's joint rates, (L,)."""
        return self.at(q).rates(q, qd)

    def accelerations(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the tree's joint accelerations, (L,)."""
        return self.at(q).accelerations(q, qd, qdd)

    def torques(self, q: Array, tau: Array) -> Array:
        """Return N^T tau, (..., nv)."""
        return self.at(q).torques(q, tau)

    def matrix(self, q: Array, I: Array) -> Array:
        """Return N^T I N, (nv, nv)."""
        return self.at(q).matrix(q, I)

    def tangent(self, q: Array) -> Array:
        """Return motions of the tree's values per rate, (nq, nv)."""
        return self.at(q).tangent(q)

    def rate(self, q: Array, qd: Array) -> Array:
        """Return dN/dt, (L, nv)."""
        return self.at(q).rate(q, qd)

    def diagonal(self, values: Array) -> Array:
        """Return the values of the independent joints: the true ones are larger."""
        picked = self.tree.diagonal(values)
        return joined(values, [picked[k] for k in self.loops.independent])

    def integrate(self, q: Array, v: Array) -> Array:
        """Return the values after a motion of the independent joints, closed again."""
        moved = self.tree.integrate(q, self.joint_rates(q, v))
        return self.loops.corrected(moved, STEPS)

    def difference(self, start: Array, end: Array) -> Array:
        """Return how the independent joints moved, (nv,)."""
        moved = self.tree.difference(start, end)
        return joined(moved, [moved[..., k] for k in self.loops.independent])

    def velocity(self, q: Array, qd: Array) -> Array:
        """Return dq/dt of all joint values, (..., nq)."""
        if q.ndim == 1:
            return self.tree.velocity(q, self.joint_rates(q, qd))
        return np.array([self.velocity(*state) for state in zip(q, qd, strict=True)])

    def joint_values(self, q: Array) -> Array:
        """Return the values of the independent joints, (..., nv)."""
        values = self.tree.joint_values(q)
        return joined(values, [values[..., k] for k in self.loops.independent])

    def with_joint_values(self, q: Array, values: Array) -> Array:
        """Return q closed with other values of the independent joints, (..., nq)."""
        if q.ndim == 1:
            own = self.tree.joint_values(q).copy()
            for k, value in zip(self.loops.independent, values, strict=True):
                own[k] = value
            return self.loops.corrected(self.tree.with_joint_values(q, own), STEPS)
        return np.array([self.with_joint_values(*state) for state in zip(q, values, strict=True)])

    def given(self, q: Array) -> Array:
        """Return the values that users give, of the independent joints, (..., values)."""
        return q[..., list(self.loops.values)]

    def value_names(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of all joints of the tree."""
        return self.tree.value_names(self.loops.names)

    def joint_rates(self, q: Array | None, qd: Array) -> Array:
        """Return the tree's own rates, (joints,)."""
        assert q is not None
        return self.at(q).joint_rates(q, qd)

    def joint_torques(self, q: Array | None, tau: Array) -> Array:
        """Return the user's torques of those over the tree's own rates, (nv,)."""
        assert q is not None
        return self.at(q).joint_torques(q, tau)

    def own(self, values: Array) -> Array:
        """Return the values of the independent joints, (nv,)."""
        return values[list(self.loops.independent)]

    def at_joints(self, values: Array) -> Array:
        """Return the independent joints' values among those of all, zero for others, (joints,)."""
        given = dict(zip(self.loops.independent, values, strict=True))
        return joined(values, [given.get(k, 0.0) for k in range(self.joints)])

    def guards(self, q: Array) -> Sequence[tuple[Any, Any]]:
        """Return nothing: nothing was asked of them yet."""
        return ()

    def normalised(self, q: Array) -> Array:
        """Return values with the loops closed again, the independent joints as they are."""
        if q.ndim == 1:
            return self.loops.corrected(q, STEPS)
        return np.array([self.loops.corrected(row, STEPS) for row in q]).reshape(q.shape)

    def restored(self, q: Array) -> tuple[Array, Sequence[tuple[Any, Any]]]:
        """Return values after a step of Newton's method, enough where the loops hardly gape."""
        left = self.loops.over_rows([x * x for x in self.loops.gaps(q)])
        return self.loops.corrected(q, 1), [((NEARLY_CLOSED * self.loops.length) ** 2, left)]

    def condition(self, q: Array) -> float:
        """Return the condition number of the loops, of unit columns: large near a singularity."""
        return condition(self.loops.jacobian(q)[:, list(self.loops.dependent)],
                         self.loops.length)

    def check(self, q: Array, at: str) -> None:
        """Raise `SingularityError` where independent joints do not determine the others."""
        self.loops.check(q, at)


class LoopedAt(Looped):
    """Looped coordinates that stand at q: what they need of it is computed once."""

    def __init__(self, looped: Looped, q: Array):
        self.__dict__.update(looped.__dict__)
        self.looped, self.q = looped, q
        self.found: tuple[Array, Array] | None = None  # rates: independent, of all joints

    def at(self, q: Array) -> LoopedAt:
        """Return the coordinates at another place."""
        return self if q is self.q else self.looped.at(q)

    @cached_property
    def inner(self) -> LoopedAt | None:
        """Return the coordinates over the trunk, where there is one."""
        return None if self.within is None else self.within.at(self.q)

    @cached_property
    def closing(self) -> Closing:
        """Return how the dependent joints follow."""
        return Closing(self.loops, self.q)

    @cached_property
    def orthogonal(self) -> Factors:
        """Return the dependent columns of all rows of closure, made orthogonal."""
        J = self.loops.jacobian(self.q)
        return orthogonal([J[:, k] for k in self.loops.dependent], self.loops.length)

    def guards(self, q: Array) -> Sequence[tuple[Any, Any]]:
        """Return what must hold for the dependent joints to follow, where that was asked."""
        own = self.closing.factors.guards if 'closing' in self.__dict__ else []
        return [*own, *(self.orthogonal.guards if 'orthogonal' in self.__dict__ else [])]

    def putting_back(self) -> tuple[Array, Sequence[tuple[Any, Any]]]:
        """Return the step of Newton's method that closes the loops, (joints,), and a guard."""
        gaps = self.loops.gaps(self.q)
        move = self.closing.follow(np.zeros(self.nv, gaps.dtype), self.closing.turned(-gaps))
        left = self.loops.over_rows([x * x for x in gaps])
        return move, [((OPEN * self.loops.length) ** 2, left)]

    def known(self, rates: Array) -> Array:
        """Return the independent ones, (nv,), of rates of all joints, which need not be found."""
        own = self.own(rates)
        self.found = own, rates
        return own

    def joint_rates(self, q: Array | None, qd: Array) -> Array:
        """Return the tree's own rates, (joints,)."""
        if self.found is not None and qd is self.found[0]:
            return self.found[1]
        if 'N' in self.__dict__:
            return joined(qd, [sum(row * qd) for row in self.N])
        return self.closing.follow(qd, np.zeros(self.loops.rows, qd.dtype))

    def rates(self, q: Array, qd: Array) -> Array:
        """Return the tree's joint rates, (L,)."""
        return self.tree.at(q).rates(q, self.joint_rates(q, qd))

    def joint_accelerations(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the accelerations of the tree's own coordinates, (joints,)."""
        return self.closing.follow(qdd, -self.closing.drift(self.joint_rates(q, qd)))

    def accelerations(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the tree's joint accelerations, (L,)."""
        return self.tree.at(q).accelerations(
            q, self.joint_rates(q, qd), self.joint_accelerations(q, qd, qdd))

    def multipliers(self, tau: Array) -> Array:
        """Return the forces of closure, (rows,): those of least size that hold the dependent.

        tau: torques over the tree's own rates, (joints,)
        """
        return solve_transposed(self.orthogonal, [tau[k] for k in self.loops.dependent],
                                self.loops.rows, tau.dtype)

    def joint_torques(self, q: Array | None, tau: Array) -> Array:
        """Return N^T tau of torques over the tree's own rates, (nv,)."""
        return self.by_columns(tau[None])[0] if 'N' in self.__dict__ else self.closing.gather(tau)

    def torques(self, q: Array, tau: Array) -> Array:
        """Return N^T tau, (..., nv)."""
        own = self.tree.at(q).torques(q, tau)
        if own.ndim == 1:
            return self.joint_torques(q, own)
        return self.by_columns(own.reshape(-1, self.joints)).reshape(*own.shape[:-1], self.nv)

    def by_columns(self, rows: Array) -> Array:
        """Return rows N, (K, nv), of rows (K, joints)."""
        return np.array([[self.loops.over_joints(row * column) for column in self.N.T]
                         for row in rows], rows.dtype).reshape(len(rows), self.nv)

    @cached_property
    def N(self) -> Array:
        """Return the tree's own rates per rate, (joints, nv)."""
        units = identity(self.nv, self.q.dtype)
        return np.array([self.joint_rates(self.q, unit) for unit in units],
                        self.q.dtype).reshape(self.nv, self.joints).T

    def matrix(self, q: Array, I: Array) -> Array:
        """Return N^T I N, (nv, nv)."""
        return congruent(self.N, self.tree.at(q).matrix(q, I), self.loops.over_joints)

    def tangent(self, q: Array) -> Array:
        """Return motions of the tree's values per rate, (nq, nv)."""
        if self.tree.flat:
            return self.N
        return self.by_columns(self.tree.at(q).tangent(q))

    def rate(self, q: Array, qd: Array) -> Array:
        """Return dN/dt, (L, nv)."""
        return tree_rate(self, qd)


def make_looped(parts: tuple[Any, ...], trunk: tuple[int, ...]) -> Looped:
    """Make looped coordinates again of what `Looped` kept."""
    return Looped(Loops(*parts), trunk)
