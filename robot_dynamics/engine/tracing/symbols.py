"""Symbols: numbers that write down what is done to them.

An algorithm run over symbols leaves a graph of operations. Equal operations on equal operands are
one node (hash-consing), so that common subexpressions are shared by construction. Numbers fold,
zeros and ones vanish, and signs move outward: no node multiplies by a negative constant, and
`b - a` is `-(a - b)`, so that both share one subtraction.

A node `varies` when it depends on the state. What depends on inertial parameters and gravity alone
does not, and is computed once per payload instead of once per call (see program.py).

Angles that Newton's method moves by small steps (`step_from`) have their sines and cosines turned
by the step, a short polynomial, instead of computed anew.
"""

from __future__ import annotations

import math
from typing import Any, Union

import numpy as np

from robot_dynamics.model.denoc import RIGHT_ANGLE

Value = Union['Symbol', float]

QUARTER = math.pi / 2
SMALL = 1 / 32  # [rad]: up to there the polynomials of a step are exact to 3e-17
SINE = (1.0, -1 / 6, 1 / 120, -1 / 5040)
COSINE = (1.0, -1 / 2, 1 / 24, -1 / 720)
CONSTANTS = ('const', 'fixed')  # operations of nodes whose `a` is a number


class Graph:
    """The nodes of one trace."""

    def __init__(self) -> None:
        self.nodes: list[Symbol] = []
        self.table: dict[tuple[Any, ...], Symbol] = {}
        self.steps: dict[int, tuple[Value, Value]] = {}  # of angles: what it was, the step
        self.names: dict[tuple[Any, ...], Symbol] = {}  # numbers that do not fold

    def node(self, op: str, a: Any = None, b: Any = None) -> Symbol:
        """Return the one node with this operation and these operands."""
        key = (op, a.index if type(a) is Symbol else a, b.index if type(b) is Symbol else b)
        found = self.table.get(key)
        return found if found is not None else self.new(key, a, b, op == 'state' or bool(
            (type(a) is Symbol and a.varies) or (type(b) is Symbol and b.varies)))

    def pair(self, op: str, a: Symbol, b: Symbol) -> Symbol:
        """Return `node` of two nodes, as most are."""
        key = (op, a.index, b.index)
        found = self.table.get(key)
        return found if found is not None else self.new(key, a, b, a.varies or b.varies)

    def new(self, key: tuple[Any, ...], a: Any, b: Any, varies: bool) -> Symbol:
        """Return a node that is not there yet."""
        found = Symbol(self, key[0], a, b, len(self.nodes), varies)
        self.nodes.append(found)
        self.table[key] = found
        return found

    def constant(self, value: float) -> Symbol:
        """Return the node of a number."""
        return self.node('const', float(value))

    def fixed(self, value: float, name: tuple[Any, ...]) -> Symbol:
        """Return the node of a number that does not fold, nor joins equal ones of other names."""
        self.names[name] = self.node('fixed', float(value), name)
        return self.names[name]

    def state(self, name: str, k: int) -> Symbol:
        """Return element k of an argument that changes from call to call."""
        return self.node('state', name, k)

    def parameter(self, name: str, k: int) -> Symbol:
        """Return element k of an argument that changes with the payload or gravity only."""
        return self.node('parameter', name, k)


class Symbol:
    """One node: an operation and its operands.

    Operations with an array are left to numpy (NotImplemented), which calls them on its elements.
    """

    __slots__ = ('graph', 'op', 'a', 'b', 'index', 'varies')

    def __init__(self, graph: Graph, op: str, a: Any, b: Any, index: int, varies: bool) -> None:
        self.graph = graph
        self.op = op
        self.a = a
        self.b = b
        self.index = index
        self.varies = varies

    def __add__(self, other: Value) -> Value:
        return NotImplemented if isinstance(other, np.ndarray) else add(self, other)

    __radd__ = __add__

    def __sub__(self, other: Value) -> Value:
        return NotImplemented if isinstance(other, np.ndarray) else add(self, -other)

    def __rsub__(self, other: Value) -> Value:
        return add(-self, other)

    def __mul__(self, other: Value) -> Value:
        return NotImplemented if isinstance(other, np.ndarray) else multiply(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Value) -> Value:
        return multiply(self, reciprocal(other))

    def __rtruediv__(self, other: Value) -> Value:
        return multiply(reciprocal(self), other)

    def __pow__(self, exponent: int) -> Value:
        result: Value = 1.0
        for _ in range(exponent):
            result = multiply(self, result)
        return result

    def __neg__(self) -> Symbol:
        return self.a if self.op == 'neg' else self.graph.node('neg', self)

    def __pos__(self) -> Symbol:
        return self

    def cos(self) -> Value:
        """Return the cosine; quarter turns fold into a sine or a sign."""
        _, core, quarters = split_angle(self)
        sine, cosine = sine_cosine(core)
        return (cosine, -sine, -cosine, sine)[quarters]

    def sin(self) -> Value:
        """Return the sine; quarter turns fold into a cosine or a sign."""
        sign, core, quarters = split_angle(self)
        sine, cosine = sine_cosine(core)
        value = (sine, cosine, -sine, -cosine)[quarters]
        return value if sign > 0 else -value

    def tanh(self) -> Value:
        """Return the hyperbolic tangent."""
        sign, core = split(self)
        value = self.graph.node('tanh', core)
        return value if sign > 0 else -value

    def sqrt(self) -> Symbol:
        """Return the square root."""
        return self.graph.node('sqrt', self)

    def arctan2(self, x: Value) -> Symbol:
        """Return the angle of the point (x, self) from the x axis."""
        return self.graph.node('arctan2', self, as_node(self.graph, x))

    def __bool__(self) -> bool:
        raise TypeError('a traced algorithm branched on a value that is known at run time only')

    def __repr__(self) -> str:
        return f'<{self.op} {self.index}>'


def as_node(graph: Graph, x: Value) -> Symbol:
    """Return a number as a node."""
    return x if isinstance(x, Symbol) else graph.constant(x)


def split(x: Symbol) -> tuple[int, Symbol]:
    """Return the sign of a node and the node without it."""
    return (-1, x.a) if x.op == 'neg' else (1, x)


def split_angle(x: Symbol) -> tuple[int, Symbol, int]:
    """Return sign, core and quarter turns with x = sign (core + quarters pi/2)."""
    sign, core = split(x)
    if core.op == 'add' and core.b.op == 'const':
        quarters = round(core.b.a / QUARTER)
        if abs(core.b.a - quarters * QUARTER) < RIGHT_ANGLE:
            return sign, core.a, quarters % 4
    return sign, core, 0


def step_from(start: Value, step: Value) -> Value:
    """Return start + step, an angle and a step that some guard keeps below SMALL."""
    total = add(start, step)
    if type(total) is Symbol and type(step) is Symbol:
        sign, core = split(total)
        total.graph.steps.setdefault(core.index, (start, step) if sign > 0 else (-start, -step))
    return total


def sine_cosine(x: Symbol) -> tuple[Value, Value]:
    """Return sine and cosine; those of an angle that was moved are turned by its step."""
    graph = x.graph
    constant, core = (0.0, x) if x.index in graph.steps else apart(x)
    if core.index not in graph.steps:
        return graph.node('sin', x), graph.node('cos', x)
    start, step = graph.steps[core.index]
    angle = add(start, constant)
    s, c = (angle.sin(), angle.cos()) if type(angle) is Symbol else (
        math.sin(angle), math.cos(angle))  # type: ignore[arg-type]  # a float
    square = multiply(step, step)
    sine, cosine = (polynomial(terms, square) for terms in (SINE, COSINE))
    sine = multiply(sine, step)
    return (add(multiply(s, cosine), multiply(c, sine)),
            add(multiply(c, cosine), -multiply(s, sine)))


def apart(x: Symbol) -> tuple[Value, Symbol]:
    """Return a number and the rest with x = number + rest; 0 where there is none."""
    if x.op == 'add' and x.b.op in CONSTANTS:
        sign, rest = split(x.a)
        if sign > 0:
            return x.b.a if x.b.op == 'const' else x.b, rest
    elif x.op == 'add' and x.a.op == 'fixed':
        return x.a, x.b
    elif x.op == 'sub' and x.b.op == 'fixed':
        return -x.b, x.a
    return 0.0, x


def polynomial(terms: tuple[float, ...], x: Value) -> Value:
    """Return terms[0] + terms[1] x + ... by Horner's rule."""
    value: Value = terms[-1]
    for term in reversed(terms[:-1]):
        value = add(multiply(value, x), term)
    return value


def add(x: Value, y: Value) -> Value:
    """Return x + y."""
    if type(x) is not Symbol:
        if type(y) is not Symbol:
            return x + y
        x, y = y, x
    sx, cx = split(x)
    graph = x.graph
    if type(y) is not Symbol:  # a float: mypy does not follow `type(y) is not`
        return x if y == 0 else add_constant(sx, cx, float(y))  # type: ignore[arg-type]
    sy, cy = split(y)
    if cx.index > cy.index:
        sx, cx, sy, cy = sy, cy, sx, cx
    if cx is cy:
        return 0.0 if sx != sy else multiply(x, 2.0)
    total = graph.pair('add' if sx == sy else 'sub', cx, cy)
    return total if sx > 0 else -total


def add_constant(sign: int, core: Symbol, c: float) -> Value:
    """Return sign core + c; constants gather."""
    if core.op == 'add' and core.b.op == 'const':
        c, core = c + sign * core.b.a, core.a
        if c == 0:
            return core if sign > 0 else -core
    total = core.graph.node('add', core, core.graph.constant(sign * c))
    return total if sign > 0 else -total


def multiply(x: Value, y: Value) -> Value:
    """Return x y."""
    if type(x) is not Symbol:
        if type(y) is not Symbol:
            return x * y
        x, y = y, x
    if type(y) is not Symbol:  # a float, as above
        return scale(x, float(y))  # type: ignore[arg-type]
    sx, cx = split(x)
    sy, cy = split(y)
    if cx.index > cy.index:
        cx, cy = cy, cx
    product = x.graph.pair('mul', cx, cy)
    return product if sx == sy else -product


def scale(x: Symbol, c: float) -> Value:
    """Return c x; constants gather."""
    if c == 0:
        return 0.0
    sign, core = split(x)
    if c < 0:
        sign, c = -sign, -c
    if core.op == 'mul' and core.a.op == 'const':
        c, core = c * core.a.a, core.b
    product = core if c == 1 else core.graph.node('mul', core.graph.constant(c), core)
    return product if sign > 0 else -product


def reciprocal(x: Value) -> Value:
    """Return 1 / x."""
    if type(x) is not Symbol:
        return 1.0 / x
    sign, core = split(x)
    if core.op == 'inv':
        inner: Value = core.a if sign > 0 else -core.a
        return inner
    inverse = core.graph.node('inv', core)
    return inverse if sign > 0 else -inverse
