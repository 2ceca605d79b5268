"""Assembly: joint values of the whole tree from those of the independent joints."""

from contextlib import suppress
from typing import Any

import numpy as np

from robot_dynamics.engine import Kernels
from robot_dynamics.errors import InputError, RobotDynamicsError, SingularityError
from robot_dynamics.inputs import states
from robot_dynamics.mechanism.conditions import condition
from robot_dynamics.mechanism.gaps import OPEN, QUICK, close, degrees, open_loops, search
from robot_dynamics.mechanism.loops import Loops
from robot_dynamics.model.denoc import Array

STRIDE = 0.25  # [rad, or part of the length] the longest way between two poses of a path
CORRECTION = 0.3  # part of such a way that Newton's method may add to the tangent
SHORTEST = 1e-6  # part of a path below which it is given up
SPREAD = 40  # random poses from which other branches are looked for


class Assembly:
    """Assembles one mechanism; without memory: the same arguments give the same answer."""

    def __init__(self, loops: Loops, start: Array, kernels: Kernels):
        self.loops, self.start, self.kernels = loops, start, kernels
        self.enough = loops.enough

    def near(self, q: Any, near: Any) -> Array:
        """Return assembled joint values near others, (nq,) or (N, nq)."""
        if getattr(q, 'ndim', 0) == 1:
            with suppress(TypeError, ValueError, RobotDynamicsError):  # said below, as users say
                found = self.kernels.assembly(q, near, None)
                if found is not None and found[1] < self.enough:
                    tree: Array = found[0]
                    return tree
        (values, close_to), batch = states(
            {'q': self.given, 'near': self.loops.tree.nq}, q, near)
        trees, left = self.step(values, close_to)
        for k in np.flatnonzero(~(left < self.enough)):
            trees[k] = self.followed(values[k], close_to[k], f' (state {k})' if batch else '')
        return trees if batch else trees[0]

    def alone(self, q: Any) -> Array:
        """Return assembled joint values on the branch of the start, (nq,) or (N, nq)."""
        if self.loops.places:
            call = self.kernels.__dict__.get('placing') or self.kernels.ready('placing')
            tree: Array | None = None if call is None else call(q, None)
            if tree is not None:
                return tree
            if self.loops.pairs:
                return self.placed(q)
        (values,), batch = states({'q': self.given}, q)
        trees = np.full((len(values), self.loops.tree.nq), np.nan)
        if batch and self.loops.places:
            placed = self.kernels.attempt('placing', (values,))
            trees = trees if placed is None else placed[1]
        for k in np.flatnonzero(np.isnan(trees).any(axis=1)):
            trees[k] = self.followed(values[k], self.start, f' (state {k})' if batch else '')
        return trees if batch else trees[0]

    @property
    def given(self) -> int:
        """Number of values that users give."""
        return len(self.loops.values)

    def placed(self, q: Any) -> Array:
        """Return assembled joint values in closed form; say which loop cannot close."""
        (values,), batch = states({'q': self.given}, q)
        try:
            tree: Array = self.kernels.evaluate('placing', (q,))
            return tree
        except RobotDynamicsError:
            for k, x in enumerate(values):
                with np.errstate(all='ignore'):
                    _, guards = self.loops.placed(x)
                if not all(a > b for a, b in guards):
                    last, _ = self.path(x, self.start)
                    raise self.error(x, last, f' (state {k})' if batch else '') from None
            raise

    def step(self, values: Array, near: Array) -> tuple[Array, Array]:
        """Return joint values (N, nq) by Newton's method, and the squares of what is left."""
        with np.errstate(all='ignore'):
            try:
                trees, left = self.kernels.evaluate('assembly', (values, near))
            except RobotDynamicsError:  # one of them is singular, or runs away
                pairs = [self.one(x, q) for x, q in zip(values, near, strict=True)]
                return np.array([pair[0] for pair in pairs]), np.array([p[1] for p in pairs])
        return np.array(trees), np.array(left)

    def one(self, values: Array, near: Array) -> tuple[Array, float]:
        """Return what `step` does of one state; infinity is left where it fails."""
        try:
            tree, left = self.kernels.evaluate('assembly', (values, near))
            return tree, float(left)
        except RobotDynamicsError:
            return near, np.inf

    def followed(self, values: Array, near: Array, at: str = '') -> Array:
        """Return assembled values by following the straight line of the independent ones."""
        tree, arrived = self.path(values, near, at)
        if not arrived:
            raise self.error(values, tree, at)
        return tree

    def path(self, values: Array, near: Array, at: str = '') -> tuple[Array, bool]:
        """Return the last assembled values along that line, and whether they are its end."""
        loops = self.loops
        check_given(loops, 'near', near, at)
        loops.tree.check(loops.put(near, values), at)
        tree, left = self.one(near[list(loops.values)], near)
        if not left < self.enough:
            tree, gap = close(loops, near, loops.dependent)
            if gap ** 2 > self.enough:
                raise self.far(near, at)
        begin, way, done, part = tree, loops.way(tree, values), 0.0, 1.0
        while done < 1.0:
            part = min(part, 1.0 - done)
            ahead = done + part
            found = self.advanced(
                tree, values if ahead == 1.0 else loops.part_way(begin, ahead * way))
            if found is not None:
                tree, done, part = found, done + part, 2.0 * part
            elif part > SHORTEST:
                part /= 2.0
            else:
                return tree, False
        return tree, True

    def possible(self, values: Array) -> Array:
        """Tell which values of the independent joints (N, n) the start's branch reaches, (N,)."""
        if not self.loops.pairs:
            return np.array([self.path(x, self.start)[1] for x in values], bool)
        with np.errstate(all='ignore'):
            return np.array([all(a > b for a, b in self.loops.placed(x)[1]) for x in values],
                            bool)

    def advanced(self, tree: Array, values: Array) -> Array | None:
        """Return assembled values a short way on, None where the way is too long for that."""
        if self.loops.places:
            call = self.kernels.ready('reaching')
            if call is not None:
                reached: Array | None = call(values, tree, None)
                return reached
            with np.errstate(all='ignore'):
                found, guards = self.loops.reached(values, tree)
            return found if all(a > b for a, b in guards) else None
        try:
            rates = self.kernels.evaluate('joint_rates', (tree, self.loops.way(tree, values)))
        except RobotDynamicsError:
            return None
        reach = np.abs(rates).max(initial=0.0)
        if reach > STRIDE:
            return None
        ahead = self.loops.tree.integrate(tree, rates)
        found, left = self.one(values, ahead)
        apart = np.abs(self.loops.tree.difference(ahead, found)).max()
        if not left < self.enough or apart > CORRECTION * reach + 1e-9:
            return None
        return found

    def error(self, values: Array, tree: Array, at: str) -> RobotDynamicsError:
        """Return what to say of a pose that cannot be reached."""
        loops = self.loops
        best, left, _ = search(loops, [loops.put(tree, values), loops.put(self.start, values)],
                               loops.dependent, QUICK)
        names = loops.tree.value_names(loops.names)
        asked = ', '.join(f'{names[k]} = {x:.6g}' for k, x in zip(
            loops.values, values, strict=True))
        if left > OPEN:
            return InputError(f'q{at}: {open_loops(loops, best)} at {asked}'
                              + degrees(loops, loops.put(tree, values)))
        reached = ', '.join(f'{name} = {x:.6g}' for name, x in zip(names, tree, strict=True))
        return SingularityError(
            f'q{at}: {asked} cannot be reached from the start along a straight line of '
            f'{", ".join(loops.names[k] for k in loops.independent)}: the loops are singular on '
            f'the way; the last good pose is {reached} (condition '
            f'{condition(loops.jacobian(tree)[:, list(loops.dependent)]):.3g}); near=... begins '
            'elsewhere')

    def far(self, near: Array, at: str) -> InputError:
        """Return what to say of values near which the loops do not close."""
        loops = self.loops
        best, left, _ = search(loops, [near], loops.dependent, QUICK)
        if left > OPEN:
            return InputError(f'near{at}: {open_loops(loops, best)}')
        names = loops.tree.value_names(loops.names)
        return InputError(f'near{at}: the loops do not close from these values; they do at '
                          + ', '.join(f'{name} = {x:.6g}' for name, x in zip(
                              names, best, strict=True)))

    def branches(self, values: Array) -> Array:
        """Return all ways to assemble that are found, the start's branch first, (B, nq)."""
        found: list[Array] = []
        self.loops.tree.check(self.loops.put(self.start, values), '')
        with suppress(RobotDynamicsError):
            found.append(self.alone(values))
        loops, generator = self.loops, np.random.default_rng(0)
        for _ in range(SPREAD):
            free = list(loops.dependent)
            move = np.zeros(loops.tree.nv)
            move[free] = generator.uniform(-np.pi, np.pi, len(free))
            guess = loops.put(loops.tree.integrate(self.start, move), values)
            tree, left = close(loops, guess, free, 100)
            if left ** 2 <= self.enough and not loops.turned_over(tree) and not any(
                    same(tree, other) for other in found):
                found.append(tree)
        if not found:
            raise self.error(values, self.start, '')
        return np.array(found)


def check_given(loops: Loops, name: str, q: Array, at: str = '') -> None:
    """Raise `InputError` where a quaternion is zero in values of the tree that go by a name."""
    try:
        loops.tree.check(q, at)
    except InputError as error:
        raise InputError(str(error).replace('q', name, 1).replace('q[', f'{name}[')) from None


def same(a: Array, b: Array) -> bool:
    """Tell whether two assembled poses are one, turns by 2 pi left out."""
    apart = np.abs(a - b)
    return bool((np.minimum(apart, np.abs(apart - 2 * np.pi * np.round(apart / (2 * np.pi))))
                 < 1e-6).all())
