"""Computing time of inverse dynamics, as a ratio to a reference arm in the same run.

Bhangale2004 times inverse dynamics by its (9), from GIM and MCI: `by_matrices` is the time of
these two. `recursive` is that of the verb inverse_dynamics, which our nodes call. Arms and
reference are timed by turns, many rounds; a round's ratio cancels what else the machine does, the
median over the rounds is the answer, half the distance of the quartiles its spread.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics.engine import wait_for_kernels
from robot_dynamics.errors import RobotDynamicsError
from robot_dynamics.loading import from_dh
from robot_dynamics.mechanism.mechanism import Mechanism
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.dh.table import DHRow
from robot_dynamics.robot import Robot
from robot_dynamics.selection.family import Family

STATES = 1000  # in one call: what Python adds to it is little
ROUNDS = 41
CALLS = 3  # of each in a round: the quickest counts


class Timing(NamedTuple):
    """Ratios to the reference arm, and their spreads; nan where an arm could not be timed."""

    by_matrices: float
    by_matrices_spread: float
    recursive: float
    recursive_spread: float


def reference_arm() -> Robot:
    """Return the papers' general arm of six revolute joints: every number differs from 0 and 1."""
    generator = np.random.default_rng(6)
    rows = []
    for a, b, alpha, theta in generator.uniform(0.2, 0.9, (6, 4)):
        inertia = np.diag(generator.uniform(0.5, 0.7, 3)) + 0.05 * (1 - np.eye(3))
        rows.append(DHRow(a, b, alpha, theta, mass=float(generator.uniform(1, 2)),
                          com=generator.uniform(-0.3, 0.3, 3), inertia=inertia))
    return from_dh(rows, name='reference')


def time_families(families: Sequence[Family], progress: Callable[[float], Any] | None = None
                  ) -> list[Timing]:
    """Return the times of the structures of some families, taken by turns."""
    arms = [reference_arm(), *(family.first for family in families)]
    calls = [calls_of(arm, states_of(arm, family))
             for arm, family in zip(arms, [None, *families], strict=True)]
    wait_for_kernels()
    seconds = np.full((ROUNDS, 2, len(arms)), np.nan)
    for turn in range(ROUNDS):
        for k in np.roll(np.arange(len(arms)), turn):
            for what, call in enumerate(calls[k]):
                seconds[turn, what, k] = quickest(call)
        if progress:
            progress((turn + 1) / ROUNDS)
    ratios = seconds[:, :, 1:] / seconds[:, :, :1]
    low, middle, high = np.percentile(ratios, [25, 50, 75], axis=0)
    spread = (high - low) / 2
    return [Timing(middle[0, k], spread[0, k], middle[1, k], spread[1, k])
            for k in range(len(families))]


def states_of(arm: Robot, family: Family | None) -> Array:
    """Return q, qd, qdd of states that the arm can be in, (3, STATES, n)."""
    generator = np.random.default_rng(1)
    q = family.postures(STATES) if family else generator.uniform(-1, 1, (STATES, arm.n))
    if isinstance(arm, Mechanism) and family:  # repeat the postures that can be assembled
        I = family.rows('inertia_matrix', np.zeros(STATES, int), q)
        there = np.flatnonzero(np.isfinite(I).all(axis=(1, 2)))
        q = q[np.resize(there, STATES)]
    return np.stack([q, *generator.uniform(-1, 1, (2, STATES, arm.n))])


def calls_of(arm: Robot, states: Array) -> tuple[Callable[[], Any], ...]:
    """Return what is timed, called once so that it is compiled; nothing where it cannot be."""
    q, qd, qdd = (np.ascontiguousarray(x) for x in states)

    def by_matrices() -> None:
        arm.inertia_matrix(q)  # Bhangale2004 (9): I, then C
        arm.convective_matrix(q, qd)

    def recursive() -> None:
        arm.inverse_dynamics(q, qd, qdd)
    try:
        by_matrices()
        recursive()
    except RobotDynamicsError:
        return ()
    return by_matrices, recursive


def quickest(call: Callable[[], Any]) -> float:
    """Return the time of the quickest of some calls [s]."""
    best = np.inf
    for _ in range(CALLS):
        began = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - began)
    return best
