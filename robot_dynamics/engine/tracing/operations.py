"""The operations of traced code, one table: what every back end needs to know of each.

A symbol's graph has nodes of these operations over numbers, arguments and parameters. Running a
trace with numpy, differentiating it, counting it, writing it as C or as machine code all ask
`OPERATIONS`: a new operation is one entry here (and the method of Symbol that makes its node).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from robot_dynamics.engine.emission.elementary import Writer


@dataclass(frozen=True)
class Operation:
    """One operation on one or two operands.

    kind: what it counts as: M (products), A (sums), D (divisions, roots), T (transcendental
        functions), '' for nothing
    value: of numbers or numpy arrays
    slopes: derivatives by each operand, written with the node's operands and its own value
    c: its C expression, with {a} and {b} for the operands
    llvm: writes it, of a writer and the registers of the operands; returns the result's register
    """

    kind: str
    value: Callable[..., Any]
    slopes: Callable[[Any], tuple[Any, ...]]
    c: str
    llvm: Callable[..., str]


def arctan2_slopes(node: Any) -> tuple[Any, Any]:
    """Return x / (x^2 + y^2), -y / (x^2 + y^2) of arctan2(y, x)."""
    y, x = number(node.a), number(node.b)
    inverse = 1.0 / (x * x + y * y)
    return x * inverse, -(y * inverse)


def in_pairs(w: Writer, angle: str) -> str:
    """Refuse: machine code has the sine and cosine of an angle together, large angles apart."""
    raise ValueError('sines and cosines are written in pairs')


def number(x: Any) -> Any:
    """Return a constant node as the number it is, so that it folds."""
    return x.a if x.op == 'const' else x


OPERATIONS: dict[str, Operation] = {
    'neg': Operation('', np.negative, lambda node: (-1.0,), '-{a}', Writer.negative),
    'add': Operation('A', np.add, lambda node: (1.0, 1.0), '{a} + {b}',
                     lambda w, a, b: w.binary('fadd', a, b)),
    'sub': Operation('A', np.subtract, lambda node: (1.0, -1.0), '{a} - {b}',
                     lambda w, a, b: w.binary('fsub', a, b)),
    'mul': Operation('M', np.multiply, lambda node: (number(node.b), number(node.a)),
                     '{a} * {b}', lambda w, a, b: w.binary('fmul', a, b)),
    'inv': Operation('D', np.reciprocal, lambda node: (-(node * node),), '1.0 / {a}',
                     lambda w, a: w.binary('fdiv', w.constant(1.0), a, 'nsz')),
    'sqrt': Operation('D', np.sqrt, lambda node: (0.5 / node,), 'sqrt({a})', Writer.square_root),
    'sin': Operation('T', np.sin, lambda node: (node.a.cos(),), 'sin({a})',
                     in_pairs),
    'cos': Operation('T', np.cos, lambda node: (-node.a.sin(),), 'cos({a})',
                     in_pairs),
    'tanh': Operation('T', np.tanh, lambda node: (1.0 - node * node,), 'tanh({a})', Writer.tanh),
    'arctan2': Operation('T', np.arctan2, arctan2_slopes, 'atan2({a}, {b})', Writer.arctan2),
}
