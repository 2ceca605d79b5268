"""Runs a program with numpy, for one state or many at once: slow, but it needs no compiler."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from robot_dynamics.engine.tracing.operations import OPERATIONS
from robot_dynamics.engine.tracing.program import Program, operands
from robot_dynamics.engine.tracing.symbols import CONSTANTS, Symbol
from robot_dynamics.model.denoc import Array


def interpret(
        program: Program, slots: dict[tuple[str, int], int], parameters: Sequence[Any] | Array,
        arguments: dict[str, Array]) -> tuple[Array, Array]:
    """Return the outputs (N, outputs), and which states are bad (N,).

    parameters: as `slots` says, numbers or (N,) each; arguments: (N, n) each
    """
    count = len(next(iter(arguments.values())))
    values: dict[int, Array] = {}

    def get(x: Any) -> Any:
        if type(x) is not Symbol:
            return np.float64(x)
        return np.float64(x.a) if x.op in CONSTANTS else values[x.index]

    with np.errstate(all='ignore'):
        for node in program.prepare + program.body:
            if node.op == 'state':
                value = arguments[node.a][:, node.b]
            elif node.op == 'parameter':
                value = parameters[slots[node.a, node.b]]
            else:
                value = OPERATIONS[node.op].value(*map(get, operands(node)))
            values[node.index] = value
        out = np.empty((count, len(program.outputs)))
        for k, x in enumerate(program.outputs):
            out[:, k] = get(x)
        bad: Any = ~np.isfinite(out).all(axis=1)
        for guard, limit in program.guards:
            bad = bad | ~(get(guard) > get(limit))
    return out, bad
