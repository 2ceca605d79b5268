"""Builds one kernel from a robot's constants: trace, simplify, write, compile."""

from typing import Any

from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.definition import Options
from robot_dynamics.engine.emission.module import module_text
from robot_dynamics.engine.emission.stack import stack_module_text
from robot_dynamics.engine.tracing.program import Program, make_program
from robot_dynamics.engine.tracing.trace import Spec, slots_of, trace


def build_program(spec: Spec, name: str, options: Options) -> Program:
    """Return the straight-line program of a kernel."""
    return make_program(trace(spec, name, options))


def build(spec: Spec, name: str, options: Options) -> tuple[dict[str, Any], bytes]:
    """Return what the cache keeps of a kernel: a header and its machine code."""
    from robot_dynamics.engine.running.native import compile_module, has_fused

    program, definition = build_program(spec, name, options), DEFINITIONS[name]
    write = stack_module_text if spec.stacked else module_text
    text = write(program, definition.sizes(spec, options), definition.result_shapes(spec),
                 slots_of(spec, options), fused=has_fused())
    header = {'work': len(program.work), 'operations': program.count(),
              'prepare': len(program.prepare)}
    return header, compile_module(text)
