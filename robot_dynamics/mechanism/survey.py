"""What can be said of a mechanism before it runs, or where it cannot: freedoms and who has them.

Nothing here raises for a mechanism that does not work: this is what its author reads to mend it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics.description.mechanism.records import MechanismRecord
from robot_dynamics.mechanism.building import TRIES, Mobility, make_loops, rank_of, rounding
from robot_dynamics.mechanism.gaps import OPEN, close, open_loops, search
from robot_dynamics.mechanism.loops import Loops
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.model import Model


@dataclass(frozen=True)
class LoopCount:
    """A loop (or coupling): its equations, and how many of them no other loop has said."""

    name: str
    equations: int
    new: int


@dataclass(frozen=True)
class Survey:
    """Freedoms by rank and by count, where they come from, and what is wrong about them."""

    mobility: Mobility
    loops: tuple[LoopCount, ...]
    open: str  # which loops stay open and by how much; empty where they close
    undetermined: tuple[str, ...]  # joints that move while the named ones rest
    dependent: tuple[str, ...]  # named joints that follow from the other named ones

    @property
    def redundant(self) -> tuple[str, ...]:
        """Loops that close nothing that the others leave open."""
        return tuple(loop.name for loop in self.loops if not loop.new)


def survey(record: MechanismRecord, model: Model) -> Survey:
    """Survey a mechanism near its start, at the pose where its equations have most rank."""
    loops, start = make_loops(record, model, ())
    q, left = close(loops, start, range(loops.tree.nv))
    if left > OPEN:
        q, left, _ = search(loops, [start], range(loops.tree.nv))
    J, tiny = loops.jacobian(q), rounding(left)
    generator = np.random.default_rng(0)
    for _ in range(TRIES if left < OPEN else 0):
        moved = loops.tree.integrate(q, generator.uniform(-0.05, 0.05, loops.tree.nv))
        moved, gap = close(loops, moved, range(loops.tree.nv), 12)
        if gap < max(1e-9, tiny) and rank_of(loops.jacobian(moved), tiny) > rank_of(J, tiny):
            J = loops.jacobian(moved)
    mobility = Mobility(loops.tree.nv, loops.rows, rank_of(J, tiny), loops.tree.nv - loops.rows)
    named = [name for name in record.independent or record.actuated or () if name in loops.names]
    picked = [loops.names.index(name) for name in named]
    return Survey(mobility, _counts(loops, J, tiny),
                  open_loops(loops, q) if left > OPEN else '',
                  _undetermined(loops, J, picked, tiny), _dependent(loops, J, picked, tiny))


def _counts(loops: Loops, J: Array, tiny: float) -> tuple[LoopCount, ...]:
    """Return what each loop adds to the rank of all others."""
    sizes = [(cut.name, cut.rows) for cut in loops.cuts]
    sizes += [(gear.name, 1) for gear in loops.gears]
    counts, at, whole = [], 0, rank_of(J, tiny)
    for name, rows in sizes:
        others = np.delete(J, range(at, at + rows), axis=0)
        rest = rank_of(others, tiny) if len(others) else 0
        counts.append(LoopCount(name, rows, whole - rest))
        at += rows
    return tuple(counts)


def _undetermined(loops: Loops, J: Array, picked: Sequence[int], tiny: float) -> tuple[str, ...]:
    """Return the joints that can move while the named ones rest."""
    rest = [k for k in range(J.shape[1]) if k not in picked]
    moves = np.abs(_free(J[:, rest], tiny)).max(axis=1, initial=0.0)
    return tuple(loops.names[k] for k, x in zip(rest, moves, strict=True) if x > 1e-6)


def _dependent(loops: Loops, J: Array, picked: Sequence[int], tiny: float) -> tuple[str, ...]:
    """Return the named joints whose rates follow from those named before them."""
    free, found, kept = _free(J, tiny), [], list[int]()
    for k in picked:
        if np.linalg.matrix_rank(free[[*kept, k]], tol=1e-6) > len(kept):
            kept.append(k)
        else:
            found.append(loops.names[k])
    return tuple(found)


def _free(J: Array, tiny: float) -> Array:
    """Return the motions that the equations leave, (columns, freedoms)."""
    _, sizes, V = np.linalg.svd(J)
    rank = int((sizes > tiny * sizes.max(initial=0.0)).sum())
    return V[rank:].T
