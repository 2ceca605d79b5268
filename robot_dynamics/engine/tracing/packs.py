"""Packs: operations of a program that are the same in several limbs, to be done at once.

Limbs that are built alike (limbs.py) leave parts of the graph that are alike: the node that does
in another limb what this one does here is found by going through the program once, and looking up
the same operation on the operands' counterparts. What is common to all limbs is its own
counterpart. That signs differ, or the order of operands, is allowed for: a lane is a node or its
negative.

Nothing depends on limbs being what they seem: a pack says for each lane what is computed of what,
as the program has it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from robot_dynamics.engine.tracing.limbs import Group, cuts_at, cuts_of, find_limbs
from robot_dynamics.engine.tracing.program import Pack, Program, lanes_key
from robot_dynamics.engine.tracing.symbols import CONSTANTS, Symbol

if TYPE_CHECKING:
    from robot_dynamics.engine.tracing.trace import Spec

Signed = tuple[int, Symbol]  # a node, or its negative
LINKS = {'mass': 1, 'moment': 3, 'inertia': 6, 'armature': 1}  # numbers of each link
JOINTS = ('damping', 'friction')
LEAVES = frozenset(('state', 'parameter', *CONSTANTS))


class JointPlaces(NamedTuple):
    """Where the joint of each link stands in arguments; links without one of their own: not."""

    value: dict[int, int]  # among all values of the tree
    own: dict[int, int]  # among the tree's own rates
    rate: dict[int, int]  # among the user's rates


def joints_of(spec: 'Spec') -> JointPlaces:
    """Return where the joints of links stand."""
    whole = spec.coordinates
    tree = getattr(whole, 'tree', whole)
    moved = np.abs(tree.torques(np.zeros(tree.nq), np.eye(spec.L))) > 0
    own = {i: int(np.argmax(row)) for i, row in enumerate(moved) if row.sum() == 1}
    beside = tree.joint_values(np.arange(tree.nq) + 1.0)  # 0 where a rate has no value
    value = {i: int(beside[k]) - 1 for i, k in own.items() if beside[k]}
    loops = getattr(whole, 'loops', None)
    if loops is None:
        return JointPlaces(value, own, own)
    numbers = {k: place for place, k in enumerate(loops.independent)}
    return JointPlaces(value, own, {i: numbers[k] for i, k in own.items() if k in numbers})


def with_packs(program: Program, spec: 'Spec', sizes: dict[str, int], most: int) -> Program:
    """Return a program with what goes together in vectors of up to `most` lanes, if it pays.

    sizes: of its arguments
    """
    groups = [] if spec.stacked else find_limbs(spec)
    if not groups:
        return program
    joints = joints_of(spec)
    tries = [find_packs(program, spec, groups, joints, sizes, inner)
             for inner in ((False, True) if spec.coordinates.trunk else (False,))]
    packs = max(tries, key=lambda found: sum(len(pack.lanes) - 1 for pack in found))
    packs = [part for pack in packs for part in parts(pack, most)]
    packs = worth_it(program, packs)
    if not packs:
        return program
    return laid_out(replace(program, packs=packs))


class Counterparts:
    """What corresponds in one limb to the nodes of another; the limb's number is `lane`."""

    def __init__(self, spec: 'Spec', group: Group, lane: int, joints: JointPlaces,
                 sizes: dict[str, int], inner: bool):
        self.found: dict[int, Signed] = {}
        links = dict(zip(group[0], group[lane], strict=True))
        cuts = cuts_of(spec)
        self.cuts = {a: b for i, k in links.items()
                     for a, b in zip(cuts_at(cuts, i), cuts_at(cuts, k), strict=True)}
        self.links, self.sizes = links, sizes
        self.values, self.own, self.rates = (
            {places[i]: places[k] for i, k in links.items() if i in places and k in places}
            for places in joints)
        self.nq = getattr(spec.coordinates, 'tree', spec.coordinates).nq
        self.n, self.inner = spec.n, inner

    def of(self, x: Symbol) -> Signed:
        """Return the counterpart of a node; one without is its own."""
        return self.found.get(x.index, (1, x))

    def leaf(self, x: Symbol) -> Symbol | None:
        """Return that of an argument, a parameter or a number, None if there is none."""
        table = x.graph.table
        if x.op == 'fixed':
            field, place, *rest = x.b
            other = (self.cuts if field == 'cut' else self.links).get(place, place)
            return x.graph.names.get((field, other, *rest))
        if x.op == 'const':
            return x
        name, k = x.a, x.b
        if x.op == 'state':
            size = self.sizes[name]
            places = (self.values if size == self.nq else self.rates if size == self.n
                      else self.own)
            if self.inner and name == 'qd':
                places = {}
            return table.get(('state', name, places.get(k, k)))
        if name in JOINTS:
            return table.get(('parameter', name, self.own.get(k, k)))
        each = LINKS.get(name)
        if each is None:
            return x
        link, rest = divmod(k, each)
        return table.get(('parameter', name, self.links.get(link, link) * each + rest))

    def take(self, x: Symbol) -> tuple[Signed, Signed | None, Signed | None] | None:
        """Return the counterpart of a node and of its operands, None if there is none.

        Operands: such that x's operation on them gives the counterpart, with its sign.
        """
        table = x.graph.table
        if is_leaf(x):
            leaf = self.leaf(x)
            return None if leaf is None else ((1, leaf), None, None)
        sign, a = self.of(x.a)
        if x.op == 'neg':
            return (-sign, a), (sign, a), None
        if x.b is None:
            node = table.get((x.op, a.index, None))
            if node is None or (sign < 0 and x.op not in ('sin', 'inv')):
                return None
            return (sign, node), (sign, a), None
        other, b = self.of(x.b)
        operands = (sign, a), (other, b)
        if x.op == 'mul':
            for pair in ((a.index, b.index), (b.index, a.index)):
                if (node := table.get(('mul', *pair))) is not None:
                    return (sign * other, node), *operands
        elif x.op in ('add', 'sub'):
            second = other if x.op == 'add' else -other
            for (s, first), (t, last) in (((sign, a), (second, b)), ((second, b), (sign, a))):
                key = 'add' if s == t else 'sub', first.index, last.index
                if (node := table.get(key)) is not None:
                    return (s, node), *operands
        elif sign == other == 1 and (node := table.get((x.op, a.index, b.index))) is not None:
            return (1, node), *operands
        return None


def is_leaf(x: Symbol) -> bool:
    """Tell whether a node is computed of nothing."""
    return x.op in LEAVES


def find_packs(program: Program, spec: 'Spec', groups: Sequence[Group], joints: JointPlaces,
               sizes: dict[str, int], inner: bool) -> list[Pack]:
    """Return all packs; inner: the argument qd has rates of inner coordinates."""
    packs: list[Pack] = []
    computed = {x.index for x in program.body if x.op not in ('state', 'neg')}
    taken: set[int] = set()
    nodes = sorted([*program.prepare, *program.body], key=lambda x: x.index)
    nodes = with_constants(nodes)
    for group in groups:
        others = [Counterparts(spec, group, lane, joints, sizes, inner)
                  for lane in range(1, len(group))]
        reached: set[int] = set()  # nodes with a counterpart that is another
        for x in nodes:
            if not is_leaf(x) and x.a.index not in reached and (
                    x.b is None or x.b.index not in reached):
                continue  # common to all limbs
            found = list(takewhile(bool, (other.take(x) for other in others)))
            if len(found) < len(others):
                continue
            lanes = [(1, x), *(entry[0] for entry in found if entry)]
            indices = [node.index for _, node in lanes]
            packable = x.index in computed
            if packable and len(set(indices)) == len(indices):
                if not computed.issuperset(indices) or not taken.isdisjoint(indices):
                    continue
                taken.update(indices)
                packs.append(Pack(
                    x.op, tuple(lanes),
                    tuple(map(stripped, ((1, x.a), *(entry[1] for entry in found if entry)))),
                    None if x.b is None else
                    tuple(map(stripped, ((1, x.b), *(entry[2] for entry in found if entry))))))
            for other, entry in zip(others, found, strict=True):
                if entry and entry[0] != (1, x):
                    other.found[x.index] = entry[0]
                    reached.add(x.index)
    return packs


def with_constants(nodes: list[Symbol]) -> list[Symbol]:
    """Return nodes and, before them, the numbers they are computed with."""
    numbers = {x.index: x for node in nodes for x in (node.a, node.b)
               if type(x) is Symbol and x.op in CONSTANTS}
    return sorted([*numbers.values(), *nodes], key=lambda x: x.index)


def stripped(signed: Signed | None) -> Signed:
    """Return a node without the signs before it, and its sign."""
    assert signed is not None
    sign, x = signed
    while x.op == 'neg':
        sign, x = -sign, x.a
    return sign, x


def parts(pack: Pack, most: int) -> Iterator[Pack]:
    """Cut a pack into packs of at most so many lanes; one lane alone is none."""
    for start in range(0, len(pack.lanes), most):
        part = slice(start, start + most)
        if len(pack.lanes[part]) > 1:
            yield Pack(pack.op, pack.lanes[part], pack.a[part],
                       None if pack.b is None else pack.b[part])


def worth_it(program: Program, packs: list[Pack]) -> list[Pack]:
    """Return the packs that save more operations than it takes to fill and to read their lanes.

    Packs that hand on to each other stand or fall together.
    """
    made = {lanes_key(pack.lanes): k for k, pack in enumerate(packs)}
    home = {x.index: k for k, pack in enumerate(packs) for _, x in pack.lanes}
    group = list(range(len(packs)))

    def root(k: int) -> int:
        while group[k] != k:
            k = group[k] = group[group[k]]
        return k

    saved = Counter[int]()
    filled: dict[int, set[tuple[tuple[int, int], ...]]] = {}
    for k, pack in enumerate(packs):
        saved[k] += len(pack.lanes) - 1
        for lanes in pack.operands:
            source = made.get(lanes_key(lanes), made.get(lanes_key(lanes, -1)))
            if source is not None:
                group[root(k)] = root(source)
            elif len({x.index for _, x in lanes if x.varies}) > 1:
                filled.setdefault(k, set()).add(lanes_key(lanes))
    for k, keys in filled.items():
        saved[k] -= sum(map(len, keys))
    read = {x.index for x in program.outputs if type(x) is Symbol}
    read.update(x.index for pair in program.guards for x in pair if type(x) is Symbol)
    for node in program.body:
        if node.index not in home:
            read.update(x.index for x in (node.a, node.b) if type(x) is Symbol)
    for k in {home[index] for index in read if index in home}:
        saved[k] -= 2  # lanes are stored at once, and read from memory
    total = Counter[int]()
    for k, amount in saved.items():
        total[root(k)] += amount
    return [pack for k, pack in enumerate(packs) if total[root(k)] > 0]


def laid_out(program: Program) -> Program:
    """Return a program with packs whose lanes that do not vary stand side by side in `work`."""
    work, prepare = list(program.work), list(program.prepare)
    vectors: dict[tuple[tuple[int, int], ...], int] = {}
    negatives: dict[int, Symbol] = {}
    for pack in program.packs:
        for lanes in pack.operands:
            key = lanes_key(lanes)
            if (key in vectors or len(set(key)) == 1 or any(x.varies for _, x in lanes)
                    or all(x.op in CONSTANTS for _, x in lanes)):
                continue
            vectors[key] = len(work)
            for sign, x in lanes:
                if sign < 0 and x.index not in negatives:
                    negatives[x.index] = -x
                    prepare.append(negatives[x.index])
                work.append(x if sign > 0 else negatives[x.index])
            work += work[-1:] * (pack.width - len(lanes))
    return replace(program, prepare=prepare, work=work, vectors=vectors)
