"""Assembled: a mechanism that is asked in many states at once, some of which it cannot be in."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.mechanism.mechanism import Mechanism
from robot_dynamics.model.denoc import Array

SMALL = 64  # states of which each is checked where one of them fails


class Assembled:
    """A mechanism and poses in which its loops are closed.

    Loops that close in closed form are checked, then asked as they are. Others are closed from the
    nearest of the poses, which takes a hundredth of the time of following a line from the start.
    """

    def __init__(self, mechanism: Mechanism, q: Array) -> None:
        """Take postures to try, (S, n), evenly spread over the joints' ranges."""
        self.mechanism = mechanism
        self.q = q[mechanism.can_assemble(q)]
        if not len(self.q):
            raise InputError(f'{mechanism.name}: in none of {len(q)} postures within its limits '
                             'can the loops close')
        self.scale = np.maximum(np.ptp(q, axis=0), 1e-9)

    @cached_property
    def trees(self) -> tuple[Any, Array] | None:
        """Where to look for the nearest pose, and the poses; None: loops close by themselves."""
        from scipy.spatial import cKDTree
        if self.mechanism.closes_directly:
            return None
        return cKDTree(self.q / self.scale), self.mechanism.assemble(self.q)

    def ask(self, verb: str, states: tuple[Array, ...], options: dict[str, Any]) -> Array:
        """Ask in all states, (M, n) each; nan where the mechanism cannot be."""
        function, q = getattr(self.mechanism, verb), states[0]
        if self.trees is None:
            def call(*x: Array) -> Any:
                return function(*x, **options)
            given = states
        else:
            def call(*x: Array) -> Any:
                return function(*x[1:], near=x[0], **options)
            given = (self.trees[1][self.trees[0].query(q / self.scale)[1]], *states)
        found = self.each(call, given, states)
        if found is None:  # not in a single state: ask where it can be for the shape
            known = [self.q[:1], *(np.zeros((1, x.shape[1])) for x in states[1:])]
            shape = np.shape(function(*known, **options))[1:]
            return np.full((len(q), *shape), np.nan)
        return found

    def each(self, call: Callable[..., Any], given: tuple[Array, ...],
             states: tuple[Array, ...]) -> Array | None:
        """Ask in all states at once; where that fails in parts, nan where a state fails."""
        try:
            return np.asarray(call(*given))
        except RobotDynamicsError:
            M = len(states[0])
        if M <= 1:
            return None
        parts = [np.arange(M // 2), np.arange(M // 2, M)]
        if M <= SMALL and self.trees is None:  # leave out what cannot be
            good = self.mechanism.can_assemble(states[0])
            if not good.all():
                parts = [np.flatnonzero(good)]
        answers = [self.each(call, tuple(x[part] for x in given), tuple(x[part] for x in states))
                   if len(part) else None for part in parts]
        shape = next((x.shape[1:] for x in answers if x is not None), None)
        if shape is None:
            return None
        found = np.full((M, *shape), np.nan)
        for part, x in zip(parts, answers, strict=True):
            if x is not None:
                found[part] = x
        return found
