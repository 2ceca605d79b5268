"""Builds one kernel from a robot's constants: trace, simplify, write, compile."""

from dataclasses import replace
from typing import Any

from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.definition import Options
from robot_dynamics.engine.emission.columns import WIDE, WIDTH, lanes
from robot_dynamics.engine.emission.ir import ANGLES, WHOLE, rounds_of_angles
from robot_dynamics.engine.emission.module import MANY, module_text
from robot_dynamics.engine.emission.packed import home, order
from robot_dynamics.engine.emission.stack import stack_module_text
from robot_dynamics.engine.tracing.limbs import find_limbs
from robot_dynamics.engine.tracing.packs import with_packs
from robot_dynamics.engine.tracing.program import Program, make_program
from robot_dynamics.engine.tracing.trace import Spec, slots_of, trace

LONG = 15_000  # lines of code that LLVM's scheduler does not improve


def build_program(spec: Spec, name: str, options: Options) -> Program:
    """Return the straight-line program of a kernel.

    Of mechanisms with a trunk leg after leg: fewer values wait meanwhile, and long code takes as
    long as it is to be fetched. Of others that was no shorter.
    """
    return make_program(trace(spec, name, options), as_needed=bool(spec.coordinates.trunk))


def packed(program: Program, spec: Spec, sizes: dict[str, int], most: int) -> Program:
    """Return a program with packs for the code of one state, where it is one function."""
    if len(program.body) > WHOLE or not find_limbs(spec):
        return program
    rounds = rounds_of_angles(program.body)
    if len(rounds) > 1 or sum(map(len, rounds)) > ANGLES:
        return program
    found = with_packs(program, spec, sizes, most)
    if not found.packs:
        return program
    items = {-1 - x.index for x in found.body if x.op != 'state'}
    homes = home(found)
    items = {homes[-1 - item][0] if -1 - item in homes else item for item in items}
    ordered = order(found, homes)
    return replace(found, order=ordered) if len(ordered) == len(items) else program


def build(spec: Spec, name: str, options: Options) -> tuple[dict[str, Any], bytes]:
    """Return what the cache keeps of a kernel: a header and its machine code."""
    from robot_dynamics.engine.running.native import compile_module, has_fused, has_wide

    program, definition = build_program(spec, name, options), DEFINITIONS[name]
    write, wide = (stack_module_text, 0) if spec.stacked else (module_text, has_wide())
    sizes = definition.sizes(spec, options)
    program = packed(program, spec, sizes, WIDE if wide else WIDTH)
    shapes = definition.result_shapes(spec)
    text = write(program, sizes, shapes, slots_of(spec, options),
                 fused=has_fused(), wide=wide)
    header = {'work': len(program.work), 'operations': program.count(),
              'prepare': len(program.prepare), 'lanes': lanes(shapes, wide)}
    ordered = len(program.outputs) < MANY and text.count('\n') < LONG
    return header, compile_module(text, ordered=ordered)
