"""Loops: the equations that close a tree's loops, and how they are solved for joint values."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics.algorithms import closure
from robot_dynamics.algorithms.dyads import Dyad
from robot_dynamics.engine.tracing.symbols import step_from
from robot_dynamics.errors import SingularityError
from robot_dynamics.mechanism.closing import Closing
from robot_dynamics.mechanism.conditions import SHORT, condition, unit_columns
from robot_dynamics.mechanism.placing import placed, reached
from robot_dynamics.model.coordinates import Coordinates, joined
from robot_dynamics.model.cuts import Cut, Gear
from robot_dynamics.model.denoc import Array, Geometry
from robot_dynamics.model.floating import places

WEAK = 0.5  # of the largest part in the motion that opens loops least
CLOSED = 1e-12  # a loop is closed within this part of the mechanism's length


class Pair(NamedTuple):
    """Two joints that follow in closed form: a dyad, and the joints that turn its links."""

    dyad: Dyad
    joints: tuple[int, int]  # numbers among the tree's own coordinates
    signs: tuple[float, float]  # link's angle per joint's value


class Loops:
    """A tree and what closes its loops, over numbers of any kind.

    tree: the tree's own coordinates; names: of their rates; independent: numbers of the rates that
    are the user's, `values` those of their values in q (a pose has seven for six rates); length: a
    size of the mechanism, beside which gaps are judged [m]; pairs: how all other joints follow in
    closed form, one pair after the other, from `start` (nq,); none where they do not
    """

    origin: Loops | None = None  # these over numbers, where they are over symbols

    def __init__(self, tree: Coordinates, geometry: Geometry, names: Sequence[str],
                 cuts: Sequence[Cut], gears: Sequence[Gear], independent: Sequence[int],
                 length: float, pairs: Sequence[Pair] = (), start: Sequence[float] = ()):
        self.tree, self.tree_geometry, self.names = tree, geometry, tuple(names)
        self.cuts, self.gears = tuple(cuts), tuple(gears)
        self.independent = tuple(int(k) for k in independent)
        self.values = places(tree, self.independent) or ()
        self.length = float(length)
        self.pairs, self.start = tuple(pairs), tuple(float(x) for x in start)
        self.rows = sum(cut.rows for cut in self.cuts) + len(self.gears)
        left = float((self.residual(np.array(self.start)) ** 2).sum()) if self.start else 0.0
        self.enough = max(CLOSED ** 2, 100 * left)  # for the square of what is left
        self.dependent = self.order()
        self.ends = tuple(self.end(k) for k in range(len(self.cuts)))

    def parts(self) -> tuple[Any, ...]:
        """Return what makes these loops again."""
        return (self.tree, self.tree_geometry, self.names, self.cuts, self.gears,
                self.independent, self.length, self.pairs, self.start)

    def following(self, pairs: Sequence[Pair], start: Array) -> Loops:
        """Return these loops with joints that follow in closed form."""
        return Loops(self.tree, self.tree_geometry, self.names, self.cuts, self.gears,
                     self.independent, self.length, pairs, start.tolist())

    def over(self, independent: Sequence[int]) -> Loops:
        """Return these loops over other independent joints."""
        return Loops(self.tree, self.tree_geometry, self.names, self.cuts, self.gears,
                     independent, self.length, (), self.start)

    def over_constants(self, geometry: Geometry, cuts: tuple[Cut, ...]) -> Loops:
        """Return these loops with other numbers in the tree and its cuts, of any kind."""
        other = copy(self)
        other.tree_geometry, other.cuts, other.origin = geometry, cuts, self
        return other

    def touched(self) -> list[list[int]]:
        """Return the numbers of the loops, then gears, that each joint is part of."""
        links = np.zeros((len(self.cuts), self.tree.L))
        for k, cut in enumerate(self.cuts):
            _, first, second = closure.paths(self.tree_geometry.parent, cut)
            links[k, [*first, *second]] = 1.0
        on = np.abs(self.tree.torques(np.zeros(self.tree.nq), links)) > 0
        gears = np.zeros((len(self.gears), self.tree.nv), bool)
        for k, gear in enumerate(self.gears):
            gears[k, [j for j, _ in gear.factors]] = True
        return [np.flatnonzero(column).tolist() for column in np.vstack([on, gears]).T]

    @cached_property
    def branches(self) -> tuple[tuple[int, ...], ...]:
        """Return the tree's own rates by the loops they are part of."""
        found: dict[tuple[int, ...], list[int]] = {}
        for j, on in enumerate(self.touched()):
            found.setdefault(tuple(on), []).append(j)
        return tuple(map(tuple, found.values()))

    def over_joints(self, terms: Sequence[Any] | Array) -> Any:
        """Return the sum over all joints, branch by branch: so equal ones go together."""
        return sum(sum(terms[j] for j in joints) for joints in self.branches)

    def over_rows(self, terms: Sequence[Any] | Array) -> Any:
        """Return the sum over all rows of closure, cut by cut."""
        total, row = 0.0, 0
        for cut in self.cuts:
            total = total + sum(terms[row:row + cut.rows])
            row += cut.rows
        return total + sum(terms[row:])

    def order(self) -> tuple[int, ...]:
        """Return the dependent rates, those of one loop first: so the factors stay sparse."""
        touched = self.touched()
        rest = [j for j in range(self.tree.nv) if j not in self.independent]
        return tuple(sorted(rest, key=lambda j: (len(touched[j]), touched[j], -j)))

    def end(self, number: int) -> int | None:
        """Return the side of a cut that has more dependent joints of its own, None: neither."""
        cut, touched = self.cuts[number], self.touched()
        own = [j for j in self.dependent if touched[j] == [number]]
        counts = []
        for links in closure.paths(self.tree_geometry.parent, cut)[1:]:
            on = np.zeros(self.tree.L)
            on[list(links)] = 1.0
            moved = self.tree.torques(np.zeros(self.tree.nq), on)
            counts.append(int(np.count_nonzero(moved[own])))
        if len(cut.slides) < 3 or counts[0] == counts[1]:
            return None
        return int(counts[1] > counts[0])

    def residual(self, q: Array) -> Array:
        """Return by how much every equation fails, (rows,), in parts of `length`."""
        return self.gaps(q) / self.length

    def gaps(self, q: Array) -> Array:
        """Return by how much every equation fails, (rows,) [m]; angles times `length`."""
        at, geometry = self.standing(q)
        parts = [closure.residual(geometry, at, cut, self.length) for cut in self.cuts]
        own = self.tree.joint_values(q)
        gears = [(sum(c * own[k] for k, c in gear.factors) - gear.constant) * self.length
                 for gear in self.gears]
        return np.concatenate([*parts, np.array(gears, q.dtype)])

    def standing(self, q: Array) -> tuple[Array, Geometry]:
        """Return the links' joint values and their geometry at q."""
        return self.tree.positions(q), self.tree.at(q).geometry(self.tree_geometry, q)

    def jacobian(self, q: Array) -> Array:
        """Return J (rows, nv of the tree), with J qd = 0 for the tree's own rates."""
        at, geometry = self.standing(q)
        return self.over_rates(q, [closure.jacobian(geometry, at, cut, self.length)
                                   for cut in self.cuts])

    def seen(self, q: Array) -> tuple[Array, dict[int, Array]]:
        """Return J with cuts in the axes of their `ends`, and those axes by the first row."""
        at, geometry = self.standing(q)
        parts, axes, row = [], {}, 0
        for cut, end in zip(self.cuts, self.ends, strict=True):
            if end is None:
                part = closure.jacobian(geometry, at, cut, self.length)
            else:
                part, axes[row] = closure.seen_from_end(geometry, at, cut, self.length, end)
            parts.append(part)
            row += cut.rows
        return self.over_rates(q, parts), axes

    def over_rates(self, q: Array, parts: Sequence[Array]) -> Array:
        """Return rows (rows, nv) over the tree's own rates, of cuts over links and of gears."""
        gears = np.zeros((len(self.gears), self.tree.nv), q.dtype)
        for row, gear in zip(gears, self.gears, strict=True):
            for k, c in gear.factors:
                row[k] = c * self.length
        return np.concatenate([*(self.tree.torques(q, part) for part in parts), gears])

    def drift(self, q: Array, rates: Array) -> Array:
        """Return dJ/dt times the tree's own rates, (rows,)."""
        tree = self.tree.at(q)
        at, geometry = tree.positions(q), tree.geometry(self.tree_geometry, q)
        qd = tree.rates(q, rates)
        own = tree.accelerations(q, rates, np.zeros(tree.nv, rates.dtype))
        parts = []
        for cut in self.cuts:
            part = closure.drift(geometry, at, qd, cut, self.length)
            if tree.drifting:  # J of the links' joints times what they have of themselves
                part = part + np.array([sum(row * own) for row in closure.jacobian(
                    geometry, at, cut, self.length)], part.dtype)
            parts.append(part)
        return np.concatenate([*parts, np.zeros(len(self.gears), rates.dtype)])

    def corrected(self, q: Array, steps: int, turned: list[Any] | None = None) -> Array:
        """Return the values after steps of Newton's method on the dependent joints.

        All steps take the first one's derivatives: a part e of the way from closure becomes e^2,
        e^3, ..., and orthogonal columns cost more than how far the loops are open.
        turned: of symbols, gets the squares of the angles of each step, which must stay small
        """
        closing, rest = Closing(self, q), np.zeros(len(self.independent), q.dtype)
        for _ in range(steps):
            move = closing.follow(rest, closing.turned(-self.gaps(q)))
            if turned is None:
                q = self.tree.integrate(q, move)
            else:
                turned.append(sum(x * x for x, turns in zip(move, self.turning, strict=True)
                                  if turns))
                q = joined(q, [step_from(*pair) for pair in zip(q, move, strict=True)])
        return q

    @cached_property
    def turning(self) -> tuple[bool, ...]:
        """Return which of the tree's own joints turn a link, (nv,)."""
        links = np.diag(1.0 - np.asarray(self.tree_geometry.prismatic))
        moved = self.tree.torques(np.zeros(self.tree.nq), links)
        return tuple(bool(column.any()) for column in moved.T)

    def closed(self, values: Array, q: Array, steps: tuple[int, ...],
               turned: list[Any] | None = None) -> tuple[Array, Any]:
        """Return assembled values near q with the independent ones given, and what is left.

        values: of the independent joints; steps: how many with one set of derivatives, for each
        set; what is left: the sum of the squares of `residual`; turned: as in `corrected`
        """
        q = self.put(q, values)
        for count in steps:
            q = self.corrected(q, count, turned)
        return q, self.over_rows([x * x for x in self.gaps(q)]) / self.length ** 2

    def put(self, q: Array, values: Array) -> Array:
        """Return q with other values of the independent joints, not closed."""
        q = q.copy()
        for k, value in zip(self.values, values, strict=True):
            q[k] = value
        return q

    def way(self, q: Array, values: Array) -> Array:
        """Return the motion of the independent joints from q to other values, (nv,)."""
        return self.tree.difference(q, self.put(q, values))[list(self.independent)]

    def part_way(self, q: Array, way: Array) -> Array:
        """Return the independent joints' values after a motion of theirs."""
        move = np.zeros(self.tree.nv)
        move[list(self.independent)] = way
        return self.tree.integrate(q, move)[list(self.values)]

    @property
    def places(self) -> bool:
        """Whether `placed` may serve: poses that have quaternions are followed step by step."""
        return bool(self.pairs) or (self.tree.flat and bool(self.start and self.dependent))

    def placed(self, values: Array) -> tuple[Array, list[tuple[Any, Any]]]:
        """Return assembled values on the start's branch from the independent ones, and guards."""
        return placed(self, values)

    def reached(self, values: Array, q: Array) -> tuple[Array, list[tuple[Any, Any]]]:
        """Return assembled values a short way from others, (nq,), and guards."""
        return reached(self, values, q)

    @property
    def plain(self) -> Loops:
        """These loops over numbers, where they are over symbols."""
        return self.origin or self

    def turned_over(self, q: Array) -> list[str]:
        """Return the loops that are closed the wrong way round: half a turn off."""
        at, geometry = self.standing(q)
        return [cut.name for cut in self.cuts if not closure.faces(geometry, at, cut)]

    def weakest(self, q: Array) -> tuple[str, ...]:
        """Return the dependent joints that the others determine least: they move first."""
        columns = unit_columns(self.jacobian(q)[:, list(self.dependent)], SHORT * self.length)
        if not np.isfinite(columns).all():
            return ()
        motion = np.abs(np.linalg.svd(columns)[2][-1])  # that opens the loops least
        return tuple(self.names[k] for k, x in sorted(zip(self.dependent, motion, strict=True))
                     if x > WEAK * motion.max())

    def check(self, q: Array, at: str) -> None:
        """Raise `SingularityError` where independent joints do not determine the others."""
        columns = self.jacobian(q)[:, list(self.dependent)]
        guards = Closing(self, q).factors.guards
        weak = [self.names[k] for k, (a, b) in zip(self.dependent, guards, strict=True)
                if not a > b]
        if weak:
            known = ', '.join(self.names[k] for k in self.independent)
            do = 'does' if len(self.independent) == 1 else 'do'
            raise SingularityError(
                f'the loops are singular{at}: {known} {do} not determine {", ".join(weak)} there '
                f'(condition {condition(columns, self.length):.3g})')
