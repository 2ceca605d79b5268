"""A program: what is left of a trace, in the order in which it is computed.

It has two stages. `prepare` holds what depends on inertial parameters and gravity alone; it runs
when a payload or gravity changes. `body` holds what depends on the state; it runs at every call,
and reads the results of the first stage from the array `work`.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from robot_dynamics.engine.tracing.operations import OPERATIONS
from robot_dynamics.engine.tracing.symbols import CONSTANTS, Symbol, Value


@dataclass(frozen=True)
class Outputs:
    """What a trace gives: values row by row, and pairs (a, b) with a > b for them to hold."""

    values: list[Value]
    guards: list[tuple[Value, Value]] = field(default_factory=list)


Lanes = tuple[tuple[int, Symbol], ...]  # of a vector: nodes with a sign each


class Pack(NamedTuple):
    """Nodes that one operation on vectors computes, lane by lane; packs.py finds them.

    A lane is a node times its sign, and so are those of its operands.
    """

    op: str
    lanes: Lanes
    a: Lanes
    b: Lanes | None

    @property
    def operands(self) -> list[Lanes]:
        """Return the lanes of the operands."""
        return [self.a] if self.b is None else [self.a, self.b]

    @property
    def width(self) -> int:
        """Return how many lanes its vector has: a power of two."""
        return 1 << (len(self.lanes) - 1).bit_length()


def lanes_key(lanes: Lanes, sign: int = 1) -> tuple[tuple[int, int], ...]:
    """Return what tells lanes apart; sign: -1 for that of their negatives."""
    return tuple([(sign * s, x.index) for s, x in lanes])


@dataclass(frozen=True)
class Program:
    """Straight-line code in two stages; see the module."""

    prepare: list[Symbol]  # in order, parameters included
    work: list[Symbol]  # nodes of `prepare` that the body reads; their position is their slot
    body: list[Symbol]  # in order, states included
    outputs: list[Value]
    guards: list[tuple[Value, Value]]
    packs: list[Pack] = field(default_factory=list)  # of one state's code
    order: list[int] = field(default_factory=list)  # of packs and nodes there; see packed.py
    vectors: dict[tuple[tuple[int, int], ...], int] = field(default_factory=dict)  # where the
    # lanes of operands stand side by side in `work`

    def count(self) -> dict[str, int]:
        """Return how many operations one call takes: by kind of operation."""
        total = {'M': 0, 'A': 0, 'D': 0, 'T': 0}
        for node in self.body:
            if node.op in OPERATIONS and OPERATIONS[node.op].kind:
                total[OPERATIONS[node.op].kind] += 1
        return total


def operands(node: Symbol) -> list[Symbol]:
    """Return the nodes a node is computed from."""
    if node.op in ('state', 'parameter', *CONSTANTS):
        return []
    return [node.a] if node.b is None else [node.a, node.b]


def reachable(roots: list[Value]) -> list[Symbol]:
    """Return every node the roots need, each once, in the order in which they were traced."""
    wanted = {root.index: root for root in roots if type(root) is Symbol}
    if not wanted:
        return []
    last = max(wanted)
    graph, marks = wanted[last].graph, bytearray(last + 1)
    for index in wanted:
        marks[index] = 1
    found: list[Symbol] = []
    for node in reversed(graph.nodes[:last + 1]):  # operands were traced before
        if marks[node.index]:
            found.append(node)
            if type(node.a) is Symbol:
                marks[node.a.index] = 1
            if type(node.b) is Symbol:
                marks[node.b.index] = 1
    return found[::-1]


def by_need(roots: list[Value]) -> list[Symbol]:
    """Return every node the roots need, each once, a root's after those of the roots before."""
    order: list[Symbol] = []
    seen: set[int] = set()
    stack: list[tuple[Symbol, bool]] = [
        (root, False) for root in reversed(roots) if type(root) is Symbol]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif node.index not in seen:
            seen.add(node.index)
            stack.append((node, True))
            stack.extend((a, False) for a in reversed(operands(node)) if a.index not in seen)
    return order


def make_program(outputs: Outputs, *, as_needed: bool = False) -> Program:
    """Divide what the outputs need into the two stages.

    as_needed: in the order in which the outputs need it, not as it was traced
    """
    roots = outputs.values + [x for pair in outputs.guards for x in pair]
    order = by_need(roots) if as_needed else reachable(roots)
    needed = {root.index for root in roots if type(root) is Symbol}
    for node in order:
        if node.varies:
            for x in (node.a, node.b):
                if type(x) is Symbol:
                    needed.add(x.index)
    fixed = [node for node in order if not node.varies and node.op not in CONSTANTS]
    work = [node for node in fixed if node.index in needed]
    body = [node for node in order if node.varies]
    return Program(fixed, work, body, outputs.values, outputs.guards)
