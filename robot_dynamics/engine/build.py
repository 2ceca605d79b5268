"""Builds one kernel from a robot's constants: trace, simplify, write, compile."""

import math
from typing import Any

from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.emit_module import module_text
from robot_dynamics.engine.program import Program, make_program
from robot_dynamics.engine.trace import Spec, parameter_slots, trace


def build_program(spec: Spec, name: str, options: tuple) -> Program:
    """Return the straight-line program of a kernel."""
    return make_program(trace(spec, name, options))


def build(spec: Spec, name: str, options: tuple) -> tuple[dict[str, Any], bytes]:
    """Return what the cache keeps of a kernel: a header and its machine code."""
    from robot_dynamics.engine.native import compile_module, has_fused

    program = build_program(spec, name, options)
    inputs = {x: spec.n for x in DEFINITIONS[name].inputs}
    text = module_text(program, inputs, result_shape(spec, name),
                       parameter_slots(spec.L, spec.n), fused=has_fused())
    header = {'work': len(program.work), 'operations': program.count()}
    return header, compile_module(text)


def result_shape(spec: Spec, name: str) -> tuple[int, ...]:
    """Return the shape of a kernel's result; several results stand flat one after the other."""
    shapes = DEFINITIONS[name].shapes(spec.n, spec.L)
    if len(shapes) == 1:
        return shapes[0]
    return (sum(math.prod(shape) for shape in shapes),)
