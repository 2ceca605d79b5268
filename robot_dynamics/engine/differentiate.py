"""Differentiates traced values, forward: each node gets its derivatives with respect to seeds."""

from robot_dynamics.engine.program import operands, reachable
from robot_dynamics.engine.symbols import Symbol, Value

Tangents = dict[int, Value]  # derivative by number of the seed; what is missing is zero


def jacobian(values: list[Value], seeds: list[Symbol], held: list[Value]) -> list[list[Value]]:
    """Return d values / d seeds, one row per value.

    held: nodes that count as constants although they depend on seeds
    """
    tangents: dict[int, Tangents] = {seed.index: {k: 1.0} for k, seed in enumerate(seeds)}
    tangents.update({x.index: {} for x in held if type(x) is Symbol})
    for node in sorted(reachable(values), key=lambda node: node.index):
        if node.index not in tangents:
            tangents[node.index] = derivative(node, tangents)
    none: Tangents = {}
    rows = [tangents[x.index] if type(x) is Symbol else none for x in values]
    return [[row.get(k, 0.0) for k in range(len(seeds))] for row in rows]


def derivative(node: Symbol, tangents: dict[int, Tangents]) -> Tangents:
    """Return the derivatives of one node from those of its operands."""
    if not operands(node):
        return {}
    a, b = node.a, node.b
    da = tangents[a.index]
    if node.op == 'neg':
        return {k: -x for k, x in da.items()}
    if node.op in ('sin', 'cos', 'tanh', 'inv'):
        slope = slope_of(node) if da else 0.0
        return {k: slope * x for k, x in da.items()}
    db = tangents[b.index]
    result: Tangents = {}
    for k in sorted(da.keys() | db.keys()):
        x, y = da.get(k, 0.0), db.get(k, 0.0)
        if node.op == 'mul':
            value = x * number(b) + y * number(a)
        else:
            value = x + y if node.op == 'add' else x - y
        if type(value) is Symbol or value != 0:
            result[k] = value
    return result


def slope_of(node: Symbol) -> Value:
    """Return the derivative of a function of one number, written with its value."""
    if node.op == 'sin':
        return node.a.cos()
    if node.op == 'cos':
        return -node.a.sin()
    if node.op == 'tanh':
        return 1.0 - node * node
    return -(node * node)  # 1 / x


def number(x: Symbol) -> Value:
    """Return a constant node as the number it is, so that it folds."""
    return x.a if x.op == 'const' else x
