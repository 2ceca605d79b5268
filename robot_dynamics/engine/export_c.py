"""Writes kernels as plain C99: no allocation, no globals, no dependency but the C library's math.

The same programs as the machine code's, in two stages: `<robot>_prepare_<function>` once per
payload or gravity, `<robot>_<function>` at every control step.
"""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.emission.build import build_program
from robot_dynamics.engine.kernels import Kernels
from robot_dynamics.engine.tracing.operations import OPERATIONS
from robot_dynamics.engine.tracing.program import Program
from robot_dynamics.engine.tracing.symbols import CONSTANTS, Symbol
from robot_dynamics.engine.tracing.trace import parameter_sizes, parameter_slots
from robot_dynamics.errors import InputError

MARK = 'Written by robot_dynamics'  # in the first line of every file
USUAL = ('inverse_dynamics', 'forward_dynamics', 'inertia_matrix', 'bias', 'gravity_torque')
README = """<!-- {mark}: export_c replaces this file -->
# {robot}: dynamics in C99

{functions} for {n} joints ({joints}).
Compile `{robot}.c` with your controller (`cc -std=c99 -O2 -c {robot}.c`, link with `-lm`).
The header is ready for C++. No allocation, no globals: safe in a real-time loop.
Once, and after a payload or gravity changes (edit a copy of `{robot}_parameters`, laid out as
`{robot}.h` says): `double work[{ROBOT}_WORK_{EXAMPLE}];`
`{robot}_prepare_{example}(parameters, work);`
At every step: `int bad = {robot}_{example}({arguments}, work, out);`
`bad` is 1 when a result is not finite or an inertia pivot is not positive: do not use `out` then.
Units are SI; joints in the order above; matrices row by row. `out` may be one of the arguments.
{loops}"""
OF_LOOPS = """Its loops are closed: q are the values of all joints of the tree, assembled
({joints}); rates and torques are those of the joints above alone.
`{robot}_assembly(values, q, work, out)` gives q near another, then the square of what is open.
"""


def export_c(
        kernels: Kernels, folder: str | os.PathLike[str], functions: Sequence[str] | None = None,
        name: str = 'robot', *, overwrite: bool = False) -> list[Path]:
    """Write <name>.c, <name>.h and README.md into the folder; return their paths.

    functions: any of inverse_dynamics, forward_dynamics, inertia_matrix, ...; five by default
    overwrite: also files that are there and were not written by this function; `InputError`
    names them otherwise, and nothing is written
    """
    looped = bool(kernels.spec.coordinates.following)  # a mechanism: q are all its joints
    usual = (*USUAL, 'assembly') if looped else USUAL
    chosen = list(usual if functions is None else functions if isinstance(functions, Iterable)
                  else [functions])
    if not chosen:
        raise InputError('functions: expected at least one')
    if not isinstance(folder, (str, os.PathLike)):
        raise InputError(f'folder={str(folder)[:80]}: expected a path')
    possible = [key for key, definition in DEFINITIONS.items()
                if not definition.options and (looped or not definition.looped)]
    for function in chosen:
        if function not in possible:
            raise InputError(f'functions: {function!r}: expected some of {", ".join(possible)}')
    robot = re.sub(r'\W', '_', name).strip('_').lower() or 'robot'
    robot = f'_{robot}' if robot[0].isdigit() else robot
    path = Path(folder)
    foreign = [file for file in (f'{robot}.h', f'{robot}.c', 'README.md')
               if not is_ours(path / file)]
    if foreign and not overwrite:
        raise InputError(f'folder={str(folder)!r}: has {", ".join(foreign)}, which export_c did '
                         'not write: choose another folder, or overwrite=True')
    programs = {key: build_program(kernels.spec, key, ()) for key in chosen}
    path.mkdir(parents=True, exist_ok=True)
    files = {f'{robot}.h': header(kernels, robot, programs),
             f'{robot}.c': source(kernels, robot, programs),
             'README.md': readme(kernels, robot, chosen)}
    for file, text in files.items():
        (path / file).write_text(text, encoding='utf-8')
    return [path / file for file in files]


def is_ours(path: Path) -> bool:
    """Tell whether a file is not there, or was written by `export_c`."""
    if not path.exists():
        return not path.is_symlink()  # what a broken link points to is not ours either
    with path.open('rb') as file:
        return MARK.encode() in file.readline(200)


def readme(kernels: Kernels, robot: str, chosen: list[str]) -> str:
    """Return the ten lines that explain the files."""
    loops = getattr(kernels.spec.coordinates, 'loops', None)
    return README.format(
        loops=loops and OF_LOOPS.format(robot=robot, joints=', '.join(loops.names)) or '',
        mark=MARK, robot=robot, ROBOT=robot.upper(), functions=', '.join(chosen), n=kernels.n,
        joints=', '.join(kernels.joint_names), example=chosen[0], EXAMPLE=chosen[0].upper(),
        arguments=', '.join(DEFINITIONS[chosen[0]].sizes(kernels.spec, ())))


def header(kernels: Kernels, robot: str, programs: dict[str, Program]) -> str:
    """Return the header: sizes, layout of the parameters, the functions."""
    spec, ROBOT = kernels.spec, robot.upper()
    sizes = parameter_sizes(spec.L, spec.joints)
    lines = [f'/* {MARK}: export_c replaces this file. */',
             f'#ifndef {ROBOT}_H', f'#define {ROBOT}_H', '',
             '#ifdef __cplusplus', 'extern "C" {', '#endif', '',
             '/* Parameters, in this order; of each link in its link frame, about its origin:']
    start = 0
    for name, size in sizes.items():
        lines.append(f'   [{start:4d}] {name} ({size})')
        start += size
    lines += ['   inertia: xx xy xz yy yz zz of each link. */',
              f'#define {ROBOT}_JOINTS {spec.n}', f'#define {ROBOT}_PARAMETERS {start}', '']
    for key, program in programs.items():
        inputs = ', '.join(f'{x} {n}' for x, n in DEFINITIONS[key].sizes(spec, ()).items())
        lines += [f'#define {ROBOT}_WORK_{key.upper()} {max(1, len(program.work))}',
                  f'/* {inputs}; result: {" x ".join(map(str, DEFINITIONS[key].shape(spec)))} */',
                  prepare_head(robot, key) + ';',
                  call_head(robot, key, DEFINITIONS[key].sizes(spec, ())) + ';', '']
    return '\n'.join([
        *lines, '/* The parameters the robot was exported with. */',
        f'extern const double {robot}_parameters[{ROBOT}_PARAMETERS];', '',
        '#ifdef __cplusplus', '}', '#endif', '', '#endif', ''])


def source(kernels: Kernels, robot: str, programs: dict[str, Program]) -> str:
    """Return the C file."""
    values = ',\n    '.join(repr(float(x)) for x in kernels.parameters)
    slots = parameter_slots(kernels.spec.L, kernels.spec.joints)
    parts = [f'/* {MARK}: export_c replaces this file. */\n'
             f'#include "{robot}.h"\n\n#include <math.h>\n',
             f'const double {robot}_parameters[{len(kernels.parameters)}] = {{\n    {values}}};\n']
    for key, program in programs.items():
        parts += [prepare_text(robot, key, program, slots),
                  call_text(robot, key, program, DEFINITIONS[key].sizes(kernels.spec, ()))]
    return '\n'.join(parts)


def prepare_head(robot: str, key: str) -> str:
    """Return the declaration of the first stage."""
    return f'void {robot}_prepare_{key}(const double *parameters, double *work)'


def call_head(robot: str, key: str, inputs: dict[str, int]) -> str:
    """Return the declaration of the second stage; inputs: size of each argument."""
    arguments = ''.join(f'const double *{x}, ' for x in inputs)
    return f'int {robot}_{key}({arguments}const double *work, double *out)'


def prepare_text(
        robot: str, key: str, program: Program, slots: dict[tuple[str, int], int]) -> str:
    """Return the first stage."""
    names = {node.index: f'parameters[{slots[node.a, node.b]}]' for node in program.prepare
             if node.op == 'parameter'}
    lines = [statement(node, names) for node in program.prepare if node.op != 'parameter']
    lines += [f'work[{k}] = {value(node, names)};' for k, node in enumerate(program.work)]
    return function(prepare_head(robot, key), lines or ['(void)parameters; (void)work;'])


def call_text(robot: str, key: str, program: Program, inputs: dict[str, int]) -> str:
    """Return the second stage; results are stored last, so that `out` may be an argument."""
    names = {node.index: f'work[{k}]' for k, node in enumerate(program.work)}
    names.update({node.index: f'{node.a}[{node.b}]' for node in program.body
                  if node.op == 'state'})
    lines = [f'(void){x};' for x in (*inputs, 'work')]
    lines += [statement(node, names) for node in program.body if node.op != 'state']
    lines += [f'const double o{k} = {value(x, names)};' for k, x in enumerate(program.outputs)]
    lines += [f'out[{k}] = o{k};' for k in range(len(program.outputs))]
    terms = [f'isfinite(o{k})' for k, x in enumerate(program.outputs) if type(x) is Symbol]
    used = {(node.a, node.b) for node in program.body if node.op == 'state'}
    terms += [f'isfinite({x}[{k}])' for x, size in inputs.items() for k in range(size)
              if (x, k) not in used]
    terms += [f'{value(a, names)} > {value(b, names)}' for a, b in program.guards]
    lines.append(f'return !({" && ".join(terms) or "1"});')
    return function(call_head(robot, key, inputs), lines)


def function(head: str, lines: list[str]) -> str:
    """Return a function's text."""
    return '\n'.join([head, '{', *(f'    {line}' for line in lines), '}', ''])


def statement(node: Symbol, names: dict[int, str]) -> str:
    """Return the line that computes a node, and give it its name."""
    a, b = value(node.a, names), '' if node.b is None else value(node.b, names)
    text = OPERATIONS[node.op].c.format(a=a, b=b)
    names[node.index] = f't{node.index}'
    return f'const double t{node.index} = {text};'


def value(x: Any, names: dict[int, str]) -> str:
    """Return a node's name, or a number as C writes it."""
    if type(x) is not Symbol:
        return repr(float(x))
    return repr(x.a) if x.op in CONSTANTS else names[x.index]
