"""Differentiates traced values, forward: each node gets its derivatives with respect to seeds."""

from robot_dynamics.engine.tracing.operations import OPERATIONS
from robot_dynamics.engine.tracing.program import operands, reachable
from robot_dynamics.engine.tracing.symbols import Symbol, Value
from robot_dynamics.model.denoc import Array

Tangents = dict[int, Value]  # derivative by number of the seed; what is missing is zero


def jacobian(values: list[Value], seeds: list[Symbol], held: list[Value],
             along: Array | None = None) -> list[list[Value]]:
    """Return d values / d seeds, one row per value.

    held: nodes that count as constants although they depend on seeds
    along: of each seed by what to differentiate instead, (seeds, directions); the identity if None
    """
    tangents: dict[int, Tangents] = {seed.index: {k: 1.0} for k, seed in enumerate(seeds)}
    directions = len(seeds)
    if along is not None:
        directions = along.shape[1]
        tangents = {seed.index: {k: x for k, x in enumerate(row) if type(x) is Symbol or x != 0}
                    for seed, row in zip(seeds, along, strict=True)}
    tangents.update({index: {} for x in held if type(x) is Symbol for index in same(x)})
    for node in reachable(values):
        if node.index not in tangents:
            tangents[node.index] = derivative(node, tangents)
    none: Tangents = {}
    rows = [tangents[x.index] if type(x) is Symbol else none for x in values]
    return [[row.get(k, 0.0) for k in range(directions)] for row in rows]


def same(x: Symbol) -> list[int]:
    """Return the nodes that are held when x is: signs and constants gather in symbols.py."""
    found = [x.index]
    while x.op in ('neg', 'inv') or (x.op == 'mul' and x.a.op == 'const') or (
            x.op == 'add' and x.b.op == 'const'):
        x = x.b if x.op == 'mul' else x.a
        found.append(x.index)
    return found


def derivative(node: Symbol, tangents: dict[int, Tangents]) -> Tangents:
    """Return the derivatives of one node from those of its operands."""
    parts = [tangents[x.index] for x in operands(node)]
    if not any(parts):
        return {}
    slopes = OPERATIONS[node.op].slopes(node)
    result: Tangents = {}
    for k in sorted(set().union(*parts)):
        value: Value = 0.0
        for part, slope in zip(parts, slopes, strict=True):
            value = value + part.get(k, 0.0) * slope  # the chain rule
        if type(value) is Symbol or value != 0:
            result[k] = value
    return result
