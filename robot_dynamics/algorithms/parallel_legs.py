"""Passive rates of parallel structures by recursive projections: SahaSchiehlen2001, IV.A.

n legs join a base and an end effector; each is a chain of joints 1 to m of one degree, one of
which, k, is actuated. The twist t_e of the end effector is a constraint on each leg: from its last
joint to its first, what a passive joint can do is projected out of it (9)-(12), until one equation
for t_e is left of each leg, whose sum is solved once (13)-(14). A leg that ends on the base has
t_e = 0.

The paper takes one point E for all legs. We take that of each leg where its last joint meets the
end effector, E_l: then A_em p_m = p_m has zeros, and (14a) sums A_le^T Phi_2 A_le, where A_le
takes the twist at E to E_l. With all E_l at E it is the paper's line.

Twists are [omega; v] in root axes, with omega times a length of the mechanism: projections weigh
both halves against each other, and so both are velocities.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics.algorithms.cholesky import decomposition, substitutions
from robot_dynamics.algorithms.complement import SINGULAR, is_zero, product
from robot_dynamics.algorithms.turns import cross
from robot_dynamics.model.denoc import Array


class Leg(NamedTuple):
    """A leg at a pose: joints from the base to the end effector, in root axes."""

    e: list[Array]  # axes, (3,) unit vectors
    O: list[Array]  # origins O_i of the bodies that the joints move, (3,)
    prismatic: tuple[bool, ...]
    k: int  # the actuated joint
    E: Array  # E_l, (3,)
    length: float  # that omega is multiplied by [m]
    ball: bool = False  # the last three joints turn about E_l: together they turn it anyhow

    def p(self, i: int) -> Array:
        """Return the joint-rate propagation vector, (6,)."""
        zero = np.zeros(3, self.e[i].dtype)
        return np.concatenate([zero, self.e[i]] if self.prismatic[i]
                              else [self.e[i] * self.length, zero])  # SahaSchiehlen2001 (7b)

    def at_end(self, i: int) -> Array:
        """Return A_ei p_i, (6,): what joint i does to the end effector at E_l."""
        p = self.p(i)
        if self.prismatic[i]:
            return p
        return np.concatenate([p[:3], cross(self.e[i], self.E - self.O[i])])  # (7b)


class Projected(NamedTuple):
    """What the projections of a leg leave."""

    columns: list[Array]  # A_ei p_i
    p: list[Array]  # ptilde_i; that of k is A_ek p_k itself
    inverse: list[Any]  # 1 / delta_i; None of k
    Phi_2: Array  # (6, 6)
    guards: list[tuple[Any, Any]]  # delta_i and what it must exceed


def project(leg: Leg) -> Projected:
    """Project passive joints out of a leg, from its last joint to its first."""
    m = len(leg.e)
    columns = [leg.at_end(i) for i in range(m)]
    p, guards = list(columns), []
    inverse: list[Any] = [None] * m
    Phi: Array = np.array(np.eye(6), leg.E.dtype)  # Phi_{m+1}
    for i in range(m - 1, -1, -1):
        if i == leg.k:
            continue  # SahaSchiehlen2001 (12a): the actuated joint is not projected out
        p[i] = times(Phi, columns[i])  # SahaSchiehlen2001 (9b), (11c), (12c)
        delta = product(p[i], p[i])  # SahaSchiehlen2001 (9b), (11c), (12c)
        inverse[i] = 1.0 / delta if not is_zero(delta) else np.inf
        guards.append((delta, SINGULAR * product(columns[i], columns[i])))
        Phi = Phi - outer(p[i], p[i] * inverse[i])  # SahaSchiehlen2001 (10a), (11d), (12d)
        if leg.ball and i == m - 3:
            Phi = np.array(np.diag([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]), leg.E.dtype)  # exactly
    return Projected(columns, p, inverse, Phi, guards)


class Legs:
    """All legs at a pose, over numbers of any kind; fixed: they end on the base, t_e = 0."""

    def __init__(self, legs: Sequence[Leg], fixed: bool = False):
        self.legs, self.fixed = list(legs), fixed
        self.projected = [project(leg) for leg in self.legs]
        self.shifts = [carry((leg.E - self.legs[0].E) / leg.length) for leg in self.legs]  # A_le

    @cached_property
    def Phi(self) -> tuple[Array, Array, Array]:
        """Return Phi, and its factors L and D."""
        Phi = sum_of([congruent(A, own.Phi_2) for A, own in zip(
            self.shifts, self.projected, strict=True)])  # SahaSchiehlen2001 (14a)
        return Phi, *decomposition(Phi)

    @property
    def guards(self) -> list[tuple[Any, Any]]:
        """Return what must hold: no delta_i, no pivot of Phi is zero."""
        guards = [pair for own in self.projected for pair in own.guards]
        if not self.fixed:
            guards += [(pivot, SINGULAR) for pivot in self.Phi[2]]  # Phi itself is of size 1
        return guards

    def driven(self, rates: Array, drifts: Sequence[Array] | None = None) -> list[Array]:
        """Return A_ek p_k thetad_k + b of each leg, (6,): its part of t_e that is known."""
        parts = [own.columns[leg.k] * rate for leg, own, rate in zip(
            self.legs, self.projected, rates, strict=True)]
        return parts if drifts is None else [
            part + b for part, b in zip(parts, drifts, strict=True)]

    def end_twist(self, driven: Sequence[Array]) -> Array:
        """Return t_e at E, (6,), of what is driven; or its derivative."""
        if self.fixed:
            return np.zeros(6, driven[0].dtype)
        right = sum_of([times(A.T, times(own.Phi_2, part)) for A, own, part in zip(
            self.shifts, self.projected, driven, strict=True)])  # SahaSchiehlen2001 (14a)
        return substitutions(*self.Phi[1:], right)  # SahaSchiehlen2001 (14b)

    def jacobian(self) -> Array:
        """Return J (6, n): t_e per actuated rate."""
        n, dtype = len(self.legs), self.legs[0].E.dtype
        units = np.array(np.eye(n), dtype)
        return np.array([self.end_twist(self.driven(unit)) for unit in units], dtype).T

    def follow(self, rates: Array, drifts: Sequence[Array] | None = None) -> list[list[Any]]:
        """Return the rates of all joints of all legs, or accelerations with b of each leg."""
        driven = self.driven(rates, drifts)
        t_e = self.end_twist(driven)
        return [self.leg_rates(l, rate, times(A, t_e) - part) for l, (rate, A, part) in enumerate(
            zip(rates, self.shifts, driven, strict=True))]

    def leg_rates(self, l: int, rate: Any, left: Array) -> list[Any]:
        """Return the rates of one leg; left: t'_e = t_e - A_ek p_k thetad_k, (6,)."""
        leg, own = self.legs[l], self.projected[l]
        rates: list[Any] = [0.0] * len(leg.e)
        rates[leg.k] = rate
        for i in range(len(leg.e)):
            if i == leg.k:
                continue
            # SahaSchiehlen2001 (11b), (12b): what is left of t'_e by the joints before
            rates[i] = product(own.p[i], left) * own.inverse[i]
            left = left - own.columns[i] * rates[i]
        return rates

    def gather(self, torques: Sequence[Sequence[Any]]) -> list[Any]:
        """Return actuated torques that do the work of torques at all joints: IDA by joints.

        The transpose of `follow`: from the last joint to the first each passive torque becomes a
        wrench on the end effector, SahaSchiehlen2001 (21)-(22); all wrenches go through Phi once.
        """
        dtype = self.legs[0].E.dtype
        wrenches: list[Array] = []
        for leg, own, taus in zip(self.legs, self.projected, torques, strict=True):
            wrench = np.zeros(6, dtype)
            for i in range(len(leg.e) - 1, -1, -1):
                if i != leg.k:
                    share = (taus[i] - product(own.columns[i], wrench)) * own.inverse[i]
                    wrench = wrench + own.p[i] * share
            wrenches.append(wrench)
        back = np.zeros(6, dtype)
        if not self.fixed:
            back = substitutions(*self.Phi[1:], sum_of([
                times(A.T, w) for A, w in zip(self.shifts, wrenches, strict=True)]))
        return [taus[leg.k] + product(
            own.columns[leg.k], times(own.Phi_2, times(A, back)) - wrench)
            for leg, own, A, taus, wrench in zip(
                self.legs, self.projected, self.shifts, torques, wrenches, strict=True)]

    def drifts(self, rates: Array) -> list[Array]:
        """Return b of each leg, (6,): its acceleration with joint accelerations zero.

        It is that of E, less what is turned with the end effector: E_l - E.
        rates: of the actuated joints
        """
        parts = [drift(leg, own) for leg, own in zip(
            self.legs, self.follow(rates), strict=True)]
        w = self.end_twist(self.driven(rates))[:3] / self.legs[0].length
        zero = np.zeros(3, w.dtype)
        return [b - np.concatenate([zero, cross(w, cross(w, leg.E - self.legs[0].E))])
                for b, leg in zip(parts, self.legs, strict=True)]


def drift(leg: Leg, rates: Sequence[Any]) -> Array:
    """Return the derivative of (7a), (6,) at E_l, joint accelerations left out."""
    w, wd, a = (np.zeros(3, leg.E.dtype) for _ in range(3))
    for i, rate in enumerate(rates):
        turn = leg.e[i] * rate
        if i:
            r = leg.O[i] - leg.O[i - 1]
            a = a + cross(wd, r) + cross(w, cross(w, r))
        if leg.prismatic[i]:
            a = a + 2.0 * cross(w, turn)
        else:
            w, wd = w + turn, wd + cross(w, turn)
    r = leg.E - leg.O[-1]
    return np.concatenate([wd * leg.length, a + cross(wd, r) + cross(w, cross(w, r))])


def carry(a: Array) -> Array:
    """Return the twist propagation matrix (6, 6) to a point at a, (3,) [lengths], from here."""
    A = np.array(np.eye(6), a.dtype)  # SahaSchiehlen2001 (7b): v + omega x a
    A[3:, :3] = [[0.0, a[2], -a[1]], [-a[2], 0.0, a[0]], [a[1], -a[0], 0.0]]
    return A


def congruent(A: Array, Phi: Array) -> Array:
    """Return A^T Phi A of a symmetric matrix, (6, 6)."""
    half = [times(Phi, A[:, j]) for j in range(6)]
    full = np.zeros((6, 6), Phi.dtype)
    for i in range(6):
        for j in range(i + 1):
            full[i, j] = full[j, i] = product(A[:, i], half[j])
    return full


def times(A: Array, v: Array) -> Array:
    """Return A v; exact zeros cost nothing."""
    return np.array([product(row, v) for row in A], v.dtype)


def outer(a: Array, b: Array) -> Array:
    """Return a b^T of parallel vectors, symmetric."""
    full = np.zeros((len(a), len(a)), a.dtype)
    for i in range(len(a)):
        for j in range(i + 1):
            full[i, j] = full[j, i] = a[i] * b[j]
    return full


def sum_of(parts: Sequence[Array]) -> Array:
    """Return the sum of arrays."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total
