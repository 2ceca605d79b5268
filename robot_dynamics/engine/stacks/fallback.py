"""Answers for a stack while there is no machine code, and for robots too large to be traced."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.running.fallback import Fallback
from robot_dynamics.engine.running.store import Store
from robot_dynamics.engine.tracing.interpret import interpret
from robot_dynamics.engine.tracing.trace import slots_of
from robot_dynamics.model.denoc import Array

if TYPE_CHECKING:
    from robot_dynamics.engine.stacks.kernels import StackBound


class StackFallback(Fallback):
    """Slower paths of the robots of a stack."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def quick(self, name: str, options: tuple[Any, ...]) -> Callable[..., Any] | None:
        """Return None: robots of a stack have no call of their own."""
        return None

    def run_rows(self, bound: 'StackBound', name: str, arrays: list[Array], result: Array,
                 start: int) -> list[int]:
        """Write the results (N, outputs) of robots from `start` on; return which are bad."""
        spec, options = self.store.spec, bound._options
        if self.one_by_one(name, options, len(result)):
            return [k for k in range(len(result)) if self.alone(
                bound, name, [array[k:k + 1] for array in arrays], result[k:k + 1], start + k)]
        inputs = dict(zip(DEFINITIONS[name].sizes(spec, options), arrays, strict=True))
        columns = bound._parameters
        parts = [columns.part(k, start, start + len(result)) for k in range(len(columns))]
        result[...], bad = interpret(
            self.program(name, options), slots_of(spec, options), parts, inputs)
        return np.flatnonzero(bad).tolist()

    def alone(self, bound: 'StackBound', name: str, arrays: list[Array], result: Array,
              i: int) -> list[int]:
        """Write the result of one robot; return whether it is bad."""
        robot, options = bound._kernels.member(i), bound.options_of(i)
        if not DEFINITIONS[name].traces(self.store.spec):
            robot._store.slot(name, options)
            bad: list[int] = robot._fallback.run(name, options, arrays, result)
            return bad
        values, guards = robot._fallback.reference(name, options, [array[0] for array in arrays])
        result[0] = values
        return [0] if not np.isfinite(values).all() or not all(a > b for a, b in guards) else []
