"""Answers while there is no machine code: the algorithms over floats, or numpy over a trace."""

from collections.abc import Callable
from typing import Any

import numpy as np

from robot_dynamics.algorithms.pivots import pivot_floor
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.large.general import General
from robot_dynamics.engine.large.quick import quick_call
from robot_dynamics.engine.numbers import Numbers
from robot_dynamics.engine.running.store import Store
from robot_dynamics.engine.tracing.interpret import interpret
from robot_dynamics.engine.tracing.program import Program, make_program
from robot_dynamics.engine.tracing.trace import slots_of, trace
from robot_dynamics.model.denoc import Array, Geometry, Inertials

FEW = 8  # states that are quicker to compute one by one than to trace for
ROOM = 8_000_000  # numbers that a trace may leave in memory, 64 MB


class Fallback:
    """Slower paths of one robot."""

    def __init__(self, store: Store, inertials: Inertials, damping: Array | None,
                 friction: Array | None, parameters: Array,
                 geometry: Geometry | None = None) -> None:
        """Take a robot; geometry: where that is one of its parameters."""
        spec = store.spec
        geometry = geometry or spec.geometry
        floor = pivot_floor(geometry, inertials)
        self.store, self.parameters = store, parameters
        self.inertials, self.friction, self.floor = inertials, (damping, friction), floor
        self.general: General | None = None
        self.numbers = Numbers(
            geometry, inertials, spec.coordinates,
            damping if spec.damping else None, friction if spec.friction else None, floor,
            spec.massless)

    def quick(self, name: str, options: tuple[Any, ...]) -> Callable[..., Any] | None:
        """Return what answers single calls of a large robot, None where nothing does yet."""
        slot = self.store.slots[name, options]
        if slot.general is None or self.numbers.damping is not None or (
                self.numbers.friction is not None):
            return None
        if self.general is None:
            self.general = General(self.store.spec, self.inertials, self.floor)
        return quick_call(self.general, slot.general, name)

    def run(self, name: str, options: tuple[Any, ...], arrays: list[Array], result: Array
            ) -> list[int]:
        """Write the results (N, outputs) of states (N, n); return which are bad."""
        slot = self.store.slots[name, options]
        if slot.general is not None:
            if self.general is None:
                self.general = General(self.store.spec, self.inertials, self.floor)
            acts = len(arrays) == 3 and (self.store.spec.damping or self.store.spec.friction)
            friction = self.numbers.friction_torque(None, arrays[1]) if acts else None
            slope = self.numbers.friction_slope(arrays[1]) if acts else None
            return self.general.run(slot.general, name, arrays, friction, result, slope)
        if self.one_by_one(name, options, len(result)):
            bad = []
            for k in range(len(result)):
                values, guards = self.reference(name, options, [array[k] for array in arrays])
                result[k] = values
                if not np.isfinite(values).all() or not all(a > b for a, b in guards):
                    bad.append(k)
            return bad
        spec = self.store.spec
        inputs = dict(zip(DEFINITIONS[name].sizes(spec, options), arrays, strict=True))
        result[...], bad_states = interpret(
            self.program(name, options), slots_of(spec, options), self.parameters, inputs)
        return np.flatnonzero(bad_states).tolist()

    def one_by_one(self, name: str, options: tuple[Any, ...], N: int) -> bool:
        """Tell whether N states are computed by the algorithms themselves, not from a trace."""
        small = DEFINITIONS[name].traces(self.store.spec)
        # where nothing better will come, tracing pays, unless the robot is too large for it
        lasting = small and self.store.slots[name, options].state == 'failed'
        return not lasting and (N < FEW or not small)

    def block(self, name: str, options: tuple[Any, ...], N: int) -> int:
        """Return how many of N states to compute at once: numpy keeps every step of each."""
        if self.store.slots[name, options].general is not None:
            return N
        if self.one_by_one(name, options, N):
            return FEW
        program = self.program(name, options)
        return max(FEW, ROOM // max(1, len(program.prepare) + len(program.body)))

    def reference(self, name: str, options: tuple[Any, ...], state: list[Array]
                  ) -> tuple[Array, list[Any]]:
        """Return the results of one state from the algorithms themselves, and the guards."""
        with np.errstate(all='ignore'):
            outputs = DEFINITIONS[name].compute(self.numbers, state, dict(options))
        return np.array(outputs.values, float), outputs.guards

    def program(self, name: str, options: tuple[Any, ...], *, leanest: bool = False) -> Program:
        """Return the traced program, made once."""
        slot = self.store.slot(name, options)
        if slot.program is None or leanest:
            slot.program = make_program(trace(self.store.spec, name, options, quick=not leanest))
        return slot.program
