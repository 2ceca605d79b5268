"""Writes a program as LLVM code: one state as scalars, or four states at once as vectors.

The functions of a module, in the order in which they are used:

    prepare(parameters, work)               once per payload: what does not depend on the state
    single(inputs..., work, out) -> bad     one state
    block(inputs..., work, out) -> bad      four states, rows of (N, n) arrays
    batch(inputs..., work, out, N) -> bad   whole blocks, then the last one padded
    loop(inputs..., work, out, N) -> bad    one state after the other, for comparison

`bad` is not zero when a result is not finite or a guard (a pivot) is not above its limit.
All arguments are loaded before a result is stored, so that it may overwrite them. A lane of a
vector does the same as every other lane: a state's result does not depend on where it stands.
"""

from robot_dynamics.engine.elementary import LIMIT, Writer
from robot_dynamics.engine.emit_nodes import (
    WIDTH,
    Code,
    Results,
    fusible_products,
    load_columns,
)
from robot_dynamics.engine.program import Program
from robot_dynamics.engine.symbols import Symbol

PART = 1000  # operations of one basic block
POINTER = 'ptr noalias nocapture readonly'


def prepare_function(program: Program, slots: dict[tuple[str, int], int]) -> str:
    """Write `prepare`; slots: where each parameter stands in the vector of parameters."""
    w = Writer(1, fused=False)
    places = {node.index: slots[node.a, node.b] for node in program.prepare
              if node.op == 'parameter'}
    code = Code(w, places, '%parameters')
    for node in program.prepare:
        if node.op != 'parameter':
            code.put(node)
    for slot, node in enumerate(program.work):
        address = w.emit(f'getelementptr double, ptr %work, i64 {slot}')
        w.lines.append(f'  store double {code.get(node)}, ptr {address}')
    head = f'define void @prepare({POINTER} %parameters, ptr noalias nocapture %work) #0 {{'
    return '\n'.join([head, *w.lines, '  ret void', '}'])


def state_function(
        name: str, width: int, program: Program, inputs: dict[str, int], fused: bool) -> str:
    """Write `single` (width 1) or `block`; both give the same bits."""
    w = Writer(width, fused)
    code = Code(w, {node.index: k for k, node in enumerate(program.work)}, '%work',
                fusible_products(program) if fused else None)
    used = {(node.a, node.b): node for node in program.body if node.op == 'state'}
    unused: list[str] = []
    for argument, size in inputs.items():
        for k, register in enumerate(load_columns(w, f'%{argument}', size)):
            if (argument, k) in used:
                code.registers[used[argument, k].index] = register
            else:
                unused.append(register)
    body = [node for node in program.body if node.op != 'state']
    results = Results(code, program)
    for register in unused:  # a nan there would be seen nowhere else
        results.check(register)
    for count, node in enumerate(write_angles(code, body)):
        if count % PART == PART - 1:
            cut(w, count)
        code.put(node)
        results.take(node)
    bad = results.finish(program)
    arguments = ''.join(f'ptr nocapture readonly %{x}, ' for x in inputs)
    head = (f'define i32 @{name}({arguments}{POINTER} %work, '
            f'ptr nocapture %out) #{1 if width > 1 else 0} {{')
    return '\n'.join([head, *w.lines, f'  ret i32 {bad}', 'never:', '  ret i32 1', '}'])


def cut(w: Writer, count: int) -> None:
    """Begin a new basic block: the compiler's time grows faster than the length of one.

    The branch is never taken, but the compiler does not know and keeps the blocks apart.
    """
    test = w.emit('icmp eq ptr %work, null')
    w.lines += [f'  br i1 {test}, label %never, label %part{count}, !prof !0', f'part{count}:']


def write_angles(code: Code, body: list[Symbol]) -> list[Symbol]:
    """Write every sine and cosine, and what they need; return the rest of the body.

    Large angles are rare: one branch for all of them leads to the C library and back.
    """
    w = code.w
    angles: dict[int, Symbol] = {
        node.a.index: node.a for node in body if node.op in ('sin', 'cos')}
    if not angles:
        return body
    needed = set(angles)
    for node in reversed(body):
        if node.index in needed:
            needed.update(x.index for x in (node.a, node.b) if type(x) is Symbol)
    for node in body:
        if node.index in needed:
            code.put(node)
    registers = [code.get(angle) for angle in angles.values()]
    packed = pack(w, registers) if w.width == 1 else registers
    v = Writer(WIDTH, w.fused, 'p')
    v.lines, pairs = w.lines, []
    large = None
    for x in packed:
        over = v.emit(f'fcmp ugt {v.type} {v.absolute(x)}, {v.constant(LIMIT)}')
        large = over if large is None else v.emit(f'or <{WIDTH} x i1> {large}, {over}')
        pairs.append(v.sine_cosine(x))
    mask = v.emit(f'bitcast <{WIDTH} x i1> {large} to i{WIDTH}')
    some = v.emit(f'icmp ne i{WIDTH} {mask}, 0')
    w.lines += [f'  br i1 {some}, label %large, label %near, !prof !0', 'near:',
                '  br label %main', 'large:']
    true = [tuple(v.emit(f'call {v.type} @large_{f}({v.type} {x}, {v.type} {y})')
                  for f, y in zip(('sin', 'cos'), pair, strict=True))
            for x, pair in zip(packed, pairs, strict=True)]
    w.lines += ['  br label %main', 'main:']
    merged = [tuple(v.emit(f'phi {v.type} [{a}, %near], [{b}, %large]')
                    for a, b in zip(*two, strict=True)) for two in zip(pairs, true, strict=True)]
    if w.width == 1:
        merged = [tuple(v.emit(f'extractelement {v.type} {p}, i32 {k % WIDTH}')
                        for p in merged[k // WIDTH]) for k in range(len(registers))]
    place = {index: k for k, index in enumerate(angles)}
    for node in body:
        if node.op in ('sin', 'cos'):
            code.registers[node.index] = merged[place[node.a.index]][node.op == 'cos']
    return [node for node in body if node.index not in code.registers]


def pack(w: Writer, registers: list[str]) -> list[str]:
    """Put scalars into vectors, zeros in the lanes left over."""
    vectors = []
    for start in range(0, len(registers), WIDTH):
        vector = 'zeroinitializer'
        for lane, x in enumerate(registers[start:start + WIDTH]):
            vector = w.emit(f'insertelement <{WIDTH} x double> {vector}, double {x}, i32 {lane}')
        vectors.append(vector)
    return vectors
