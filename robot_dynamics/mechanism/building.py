"""From a record and its tree to loops that are assembled; what is wrong is said here."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from robot_dynamics.algorithms import closure
from robot_dynamics.algorithms.dyads import find_dyad
from robot_dynamics.description.mechanism.records import WORLD, Coupling, Loop, MechanismRecord
from robot_dynamics.errors import DescriptionError, ModelError
from robot_dynamics.mechanism.conditions import condition
from robot_dynamics.mechanism.gaps import (
    OPEN,
    close,
    degrees,
    one_minimum,
    open_loops,
    plain_turns,
    search,
)
from robot_dynamics.mechanism.loops import CLOSED, Loops, Pair
from robot_dynamics.model.cuts import Cut, Gear, make_cut
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.floating import neutral, places
from robot_dynamics.model.model import Limits, Model

RANK = 1e-8  # singular values below this part of the largest are zero
TRIES = 8  # poses near the start at which the rank is looked at


@dataclass(frozen=True)
class Mobility:
    """How a mechanism may move: its freedoms, by rank and by Gruebler's count."""

    joints: int
    equations: int
    rank: int  # of the equations; fewer than there are: some say the same
    gruebler: int  # joints - equations

    @property
    def freedoms(self) -> int:
        """Degrees of freedom."""
        return self.joints - self.rank

    @property
    def redundant(self) -> int:
        """Equations that follow from others, as those of planar loops in space do."""
        return self.equations - self.rank


def build_loops(record: MechanismRecord, model: Model) -> tuple[Loops, Array, Mobility, list[str]]:
    """Return the loops of a record over its tree, joint values that close them, and notes."""
    names = model.joint_names
    actuated = record.actuated or record.independent
    if actuated is None:
        raise DescriptionError(f'{record.where}: it is not given which joints are actuated: '
                               f'name them (actuated=[...]), out of {", ".join(names)}')
    independent = record.independent or actuated
    for what, listed in (('actuated', actuated), ('independent', independent)):
        for name in listed:
            if name not in names:
                raise DescriptionError(f'{record.where}: {what}: {name!r} is no joint that moves '
                                       f'freely: these do: {", ".join(names)}')
    loops, start = make_loops(record, model, independent)
    start, left, notes = close_start(record, loops, start, model.limits)
    if over := loops.turned_over(start):
        raise DescriptionError(f'{record.where}: {", ".join(map(repr, over))}: from `start` it '
                               'closes with its axes opposite to each other: give a start nearer '
                               'to the assembled pose, or turn a frame of the cut')
    if left > CLOSED:
        notes.append(f'{record.where}: the loops close only within {left * loops.length:.2g} m: '
                     'more equations than joints, with rounded numbers')
    mobility = find_mobility(loops, start)
    _check_freedoms(record, loops, start, mobility)
    pairs = find_pairs(loops, start)
    return loops.following(pairs, start), start, mobility, notes


def close_start(record: MechanismRecord, loops: Loops, start: Array,
                limits: Limits | None = None) -> tuple[Array, float, list[str]]:
    """Return the start with its loops closed, what is left of gaps, and notes.

    limits: of the tree's joints, within which angles are said
    Where Newton's method does not close them, as at a start that is singular, it begins elsewhere.
    """
    closed, left = close(loops, start, loops.dependent)
    if left <= OPEN and not loops.turned_over(closed):
        return closed, left, []
    closed, left, ways = search(loops, [start], loops.dependent)
    names = loops.tree.value_names(loops.names)
    kept = [k for k in range(loops.tree.nq) if k in loops.values]
    missing = ', '.join(name for k, name in enumerate(names)
                        if k not in kept and name not in record.start and not start[k])
    if left <= OPEN:
        rest = [k for k in range(loops.tree.nq) if k not in kept]
        return closed, left, [
            f'{record.where}: the loops do not close from `start`'
            + (f', which has no values of {missing} (0 was taken)' if missing else '')
            + '; from other values they do, at '
            + f'{_values(loops, plain_turns(loops, closed, limits), rest)}, '
            + (f'the nearest of {ways} ways that were found' if ways > 1 else 'the one way found')
            + ': give `start` values near the way that is meant']
    text = f'{record.where}: {open_loops(loops, closed)} at {_values(loops, start, kept)}'
    other, less, _ = search(loops, [closed, start], range(loops.tree.nv))
    if less <= OPEN:  # are there more motors than freedoms?
        _check_freedoms(record, loops, other, find_mobility(loops, other))
    text += (f'; the loops close at {_values(loops, plain_turns(loops, other, limits))}'
             if less <= OPEN
             else ', and no values of the joints were found that close all loops')
    if missing and not one_minimum(loops):
        text += f'; `start` has no values of {missing} (0 was taken): give others'
    text += degrees(loops, start)
    raise DescriptionError(text)


def make_loops(record: MechanismRecord, model: Model, independent: Sequence[str]
               ) -> tuple[Loops, Array]:
    """Return the loops of a record over its tree, and the joint values it starts from."""
    names = model.joint_names
    cuts = tuple(_cut(record, loop, model) for loop in record.loops)
    gears = tuple(_gear(record, coupling, model) for coupling in record.couplings)
    start = neutral(model.coordinates)
    for k, name in enumerate(model.coordinates.value_names(names)):
        start[k] = record.start.get(name, start[k])
    model.coordinates.check(start, f' of `start` ({record.where})')
    picked = [names.index(name) for name in independent]
    if places(model.coordinates, picked) is None:
        raise DescriptionError(
            f'{record.where}: independent={", ".join(independent)}: a floating joint is '
            'independent with all of wx, wy, wz, vx, vy, vz, in this order, or with none; '
            'floating: chain has single joints in its place')
    return Loops(model.coordinates, model.geometry, names, cuts, gears, picked,
                 _length(model, cuts)), model.coordinates.normalised(start)


def find_mobility(loops: Loops, start: Array) -> Mobility:
    """Count freedoms: the largest rank at poses near the start, which may be singular itself."""
    generator = np.random.default_rng(0)
    tiny = rounding(float(np.linalg.norm(loops.residual(start))))
    rank = rank_of(loops.jacobian(start), tiny)
    for _ in range(TRIES):
        moved = loops.tree.integrate(start, generator.uniform(-0.05, 0.05, loops.tree.nv))
        moved, left = close(loops, moved, range(loops.tree.nv), 12)
        if left < max(1e-9, tiny):
            rank = max(rank, rank_of(loops.jacobian(moved), tiny))
    joints = loops.tree.nv
    return Mobility(joints, loops.rows, rank, joints - loops.rows)


def rounding(gap: float) -> float:
    """Return below which part of the largest singular values are zero, of loops that close so far.

    Rows that say the same with rounded numbers differ by as much as they leave the loops open.
    """
    return max(RANK, 10.0 * gap) if gap < OPEN else RANK


def rank_of(J: Array, tiny: float = RANK) -> int:
    """Return how many rows of a Jacobian are independent."""
    sizes = np.linalg.svd(J, compute_uv=False)
    return int((sizes > tiny * sizes.max(initial=0.0)).sum())


def _check_freedoms(record: MechanismRecord, loops: Loops, start: Array,
                    mobility: Mobility) -> None:
    """Say where independent joints are too few, too many, or do not determine the others."""
    n, listed = len(loops.independent), [loops.names[k] for k in loops.independent]
    what = 'independent' if record.independent else 'actuated'
    if n != mobility.freedoms:
        J, free = loops.jacobian(start), ''
        if n < mobility.freedoms:
            loose = _undetermined(J, loops)
            free = f'; {", ".join(loose)} move freely' if loose else ''
        raise ModelError(
            f'{record.where}: {n} {what} joints ({", ".join(listed)}) for {mobility.freedoms} '
            f'degrees of freedom{free}: name as many joints as `independent` (independent=[...])')
    columns = loops.jacobian(start)[:, list(loops.dependent)]
    if len(loops.dependent) and condition(columns) > 1 / RANK:
        loose = _undetermined(loops.jacobian(start), loops)
        raise ModelError(f'{record.where}: the {what} joints ({", ".join(listed)}) do not '
                         f'determine {", ".join(loose)} at the start, where the loops may be '
                         'singular: give another `start` (start={joint: value}), or other joints '
                         'as `independent`')


def _undetermined(J: Array, loops: Loops) -> list[str]:
    """Return the dependent joints that can move while the independent ones rest."""
    columns = J[:, list(loops.dependent)]
    _, sizes, V = np.linalg.svd(columns)
    zero = np.ones(len(V), bool)
    zero[:len(sizes)] = sizes <= RANK * sizes.max(initial=0.0)
    moves = np.abs(V[zero]).max(axis=0, initial=0.0)
    return [loops.names[k] for k, x in zip(loops.dependent, moves, strict=True) if x > 1e-6]


def find_pairs(loops: Loops, start: Array) -> list[Pair]:
    """Return how all dependent joints follow in closed form, pair by pair; [] if they do not."""
    if loops.gears or not loops.tree.flat:
        return []
    G = np.array([loops.tree.torques(start, row) for row in np.eye(loops.tree.L)])  # (L, joints)
    known, pairs = set(loops.independent), list[Pair]()
    at, touched = loops.tree.positions(start), loops.touched()
    waiting = list(range(len(loops.cuts)))
    while waiting:
        for k in waiting:
            unknown = [j for j, on in enumerate(touched) if k in on and j not in known]
            links = [np.flatnonzero(G[:, j]) for j in unknown]
            if len(unknown) != 2 or any(len(x) != 1 for x in links):
                continue
            pair = _pair(loops, at, loops.cuts[k], unknown, [int(x[0]) for x in links], G, start)
            if pair is not None:
                pairs.append(pair)
                known.update(unknown)
                waiting.remove(k)
                break
        else:
            return []
    return pairs if known == set(range(loops.tree.nv)) else []


def _pair(loops: Loops, at: Array, cut: Cut, joints: list[int], links: list[int], G: Array,
          start: Array) -> Pair | None:
    """Return the closed form of one loop, its height's sign that of the start."""
    dyad = find_dyad(loops.tree_geometry, at, cut, (links[0], links[1]))
    if dyad is None:
        return None
    if dyad.links != tuple(links):
        joints, links = joints[::-1], links[::-1]
    signs = [float(G[link, joint]) for link, joint in zip(links, joints, strict=True)]
    if any(abs(sign) != 1.0 for sign in signs):
        return None
    for height in (1.0, -1.0):
        pair = Pair(replace(dyad, height=height), (joints[0], joints[1]), (signs[0], signs[1]))
        one = loops.following([pair], start)
        with np.errstate(all='ignore'):
            placed, _ = one.placed(start[list(loops.independent)])
        if np.abs(placed - start).max() < 1e-7:
            return pair
    return None


def _cut(record: MechanismRecord, loop: Loop, model: Model) -> Cut:
    """Return the cut joint of a loop, between bodies of the tree."""
    bodies, frames = [], []
    for frame in loop.frames:
        if frame.link == WORLD and WORLD not in model.frames:
            bodies.append(-1)
            frames.append(frame.T)
            continue
        if frame.link not in model.frames:
            raise DescriptionError(f'{record.where}: loop {loop.name!r}: there is no link '
                                   f'{frame.link!r}')
        on = model.frames[frame.link]
        bodies.append(on.body)
        frames.append(on.T @ frame.T)
    if bodies[0] == bodies[1]:
        raise DescriptionError(f'{record.where}: loop {loop.name!r}: {loop.frames[0].link!r} and '
                               f'{loop.frames[1].link!r} are one body: no joint lies between them')
    return make_cut(loop.name, loop.joint, (bodies[0], bodies[1]), (frames[0], frames[1]))


def _gear(record: MechanismRecord, coupling: Coupling, model: Model) -> Gear:
    """Return a coupling as an equation of the tree's own joint values; mimics follow leaders."""
    own = np.array(model.coordinates.positions(np.zeros(model.coordinates.nq)))
    G = np.array([model.coordinates.torques(np.zeros(model.coordinates.nq), row)
                  for row in np.eye(len(own))])
    factors, constant = np.zeros(len(model.joint_names)), float(coupling.constant)
    for name, c in coupling.coefficients.items():
        if name in model.joint_names:
            factors[model.joint_names.index(name)] += c
        elif name in model.tree_joint_names:
            i = model.tree_joint_names.index(name)
            factors += c * G[i]
            constant -= c * own[i]
        else:
            raise DescriptionError(f'{record.where}: coupling {coupling.name!r}: there is no '
                                   f'joint {name!r} that moves')
    return Gear(coupling.name, tuple((int(k), float(factors[k]))
                                     for k in np.flatnonzero(factors)), constant)


def _length(model: Model, cuts: tuple[Cut, ...]) -> float:
    """Return a size of the mechanism: its longest way from a joint to the next, or to a cut."""
    loops = {i for cut in cuts for way in closure.paths(model.geometry.parent, cut)[1:]
             for i in way}
    lengths = [float(np.linalg.norm(model.geometry.d[i])) for i in loops]
    lengths += [float(np.linalg.norm(np.array(T)[:3, 3])) for cut in cuts for T in cut.frames]
    return max(lengths, default=1.0) or 1.0


def _values(loops: Loops, q: Array, picked: Sequence[int] | None = None) -> str:
    """Return the values of some joints, or all, as `start` takes them."""
    names = loops.tree.value_names(loops.names)
    return ', '.join(f'{names[k]}: {q[k]:.6g}'
                     for k in (range(len(names)) if picked is None else picked))
