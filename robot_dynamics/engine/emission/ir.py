"""Writes a program as LLVM code: one state as scalars, or four or eight states at once as vectors.

The functions of a module, in the order in which they are used:

    prepare(parameters, work)               once per payload: what does not depend on the state
    single(inputs..., work, out) -> bad     one state
    block(inputs..., work, out) -> bad      as many states as it has lanes, rows of (N, n) arrays
    batch(inputs..., work, out, N) -> bad   whole blocks, then the last one padded
    loop(inputs..., work, out, N) -> bad    one state after the other, for comparison

Kernels that store more than they compute have `group` too, which is GROUP blocks; see groups.py.

`bad` is not zero when a result is not finite or a guard (a pivot) is not above its limit.
All arguments are loaded before a result is stored, so that it may overwrite them. A lane of a
vector does the same as every other lane: a state's result does not depend on where it stands.
"""

from robot_dynamics.engine.emission.arithmetic import Code, Results
from robot_dynamics.engine.emission.columns import WIDTH, load_columns
from robot_dynamics.engine.emission.elementary import LIMIT, Writer
from robot_dynamics.engine.emission.groups import GROUP_PART, group_function
from robot_dynamics.engine.tracing.program import Program
from robot_dynamics.engine.tracing.symbols import Symbol

WHOLE = 10_000  # operations of a program that stays one function; longer ones go in functions
PART = 3000  # of this many
ANGLES = 64  # angles of one function
POINTER = 'ptr noalias nocapture readonly'


def prepare_function(program: Program, slots: dict[tuple[str, int], int]) -> str:
    """Write `prepare`; slots: where each parameter stands in the vector of parameters."""
    w = Writer(1, fused=False)
    places = {node.index: slots[node.a, node.b] for node in program.prepare
              if node.op == 'parameter'}
    code = Code(w, places, '%parameters')
    wanted: dict[int, list[int]] = {}
    for slot, node in enumerate(program.work):
        wanted.setdefault(node.index, []).append(slot)
    for node in program.prepare:
        if node.op != 'parameter':
            code.put(node)
        for slot in wanted.get(node.index, ()):
            address = w.emit(f'getelementptr double, ptr %work, i64 {slot}')
            w.lines.append(f'  store double {code.get(node)}, ptr {address}')
    head = f'define void @prepare({POINTER} %parameters, ptr noalias nocapture %work) #3 {{'
    return '\n'.join([head, *w.lines, '  ret void', '}'])


def state_function(
        name: str, width: int, program: Program, inputs: dict[str, int], fused: bool,
        fusible: set[int], kind: type[Code] = Code, *, grouped: bool = False) -> str:
    """Write `single` (width 1) or `block`; both give the same bits.

    fusible: products that sums compute; kind: how it reads the prepared parameters; grouped: in
    short parts, with `group`
    """
    places = {node.index: k for k, node in enumerate(program.work)}
    code = kind(Writer(width, fused), places, '%work', fusible)
    w = code.w
    used = {(node.a, node.b): node for node in program.body if node.op == 'state'}
    unused: list[str] = []
    for argument, size in inputs.items():
        for k, register in enumerate(load_columns(w, f'%{argument}', size)):
            if (argument, k) in used:
                code.registers[used[argument, k].index] = register
            else:
                unused.append(register)
    body = [node for node in program.body if node.op != 'state']
    results, part = Results(code, program), PART if len(body) > WHOLE else len(body) + 1
    if grouped:
        part = GROUP_PART
    for register in unused:  # a nan there would be seen nowhere else
        results.check(register)
    for count, node in enumerate(write_angles(code, body, results), 1):
        code.put(node)
        results.take(node)
        if count % part == 0:
            code.next_part(results.bad())
    code.next_part(results.finish(program))
    text = functions(name, code, inputs)
    return text + group_function(code, inputs, len(program.outputs)) if grouped else text


def functions(name: str, code: Code, inputs: dict[str, int]) -> str:
    """Return the function of a program, or of each of its parts and one that calls them.

    The compiler's time grows faster than the length of a function. What a part needs of an
    earlier one it reads from `scratch`.
    """
    kind, size = code.w.type, max(1, len(code.scratch))
    pointers = [f'ptr nocapture readonly %{x}' for x in inputs]
    own = ', '.join([*pointers, f'{POINTER} %work', 'ptr nocapture %out'])
    attribute = 1 if code.w.width > 1 else 0
    head = f'define i32 @{name}({own}) #{attribute} {{'
    if len(code.parts) == 1:
        return '\n'.join([head, *code.parts[0], '}'])
    texts, calls, bad = [], [], '0'
    values = ', '.join(f'ptr %{x}' for x in (*inputs, 'work', 'out', 'scratch'))
    for k, lines in enumerate(code.parts):
        texts.append('\n'.join([
            f'define internal i32 @{name}_{k}({own}, ptr noalias nocapture %scratch) #1 {{',
            *lines, '}']))
        calls += [f'  %b{k} = call i32 @{name}_{k}({values})', f'  %o{k} = or i32 {bad}, %b{k}']
        bad = f'%o{k}'
    return '\n'.join([*texts, head, f'  %scratch = alloca {kind}, i64 {size}, align 64', *calls,
                      f'  ret i32 {bad}', '}'])


def write_angles(code: Code, body: list[Symbol], results: Results) -> list[Symbol]:
    """Write every sine and cosine, and what they need; return the rest of the body.

    Angles that are computed from sines of others come in a round of their own, each in a
    function of its own.
    """
    done: set[int] = set()
    for number, angles in enumerate(rounds_of_angles(body)):
        needed = {angle.index for angle in angles}
        for node in reversed(body):
            if node.index in needed and node.index not in done:
                needed.update(x.index for x in (node.a, node.b) if type(x) is Symbol)
        for node in body:
            if node.index in needed and node.index not in done:
                code.put(node)
                done.add(node.index)
        wanted: dict[int, list[Symbol]] = {angle.index: [] for angle in angles}
        for node in body:
            if node.op in ('sin', 'cos') and node.a.index in wanted:
                wanted[node.a.index].append(node)
        for start in range(0, len(angles), ANGLES):
            if start or number:
                code.next_part(results.bad())
            group = angles[start:start + ANGLES]
            pairs = sines_cosines(code.w, [code.get(angle) for angle in group])
            for angle, pair in zip(group, pairs, strict=True):
                for node in wanted[angle.index]:
                    code.registers[node.index] = pair[node.op == 'cos']
                    done.add(node.index)
    return [node for node in body if node.index not in done]


def rounds_of_angles(body: list[Symbol]) -> list[list[Symbol]]:
    """Return the angles of sines and cosines, by how many sines lie below them."""
    depth: dict[int, int] = {}
    rounds: list[dict[int, Symbol]] = []
    for node in body:
        below = max((depth.get(x.index, 0) for x in (node.a, node.b) if type(x) is Symbol),
                    default=0)
        if node.op in ('sin', 'cos'):
            while len(rounds) <= below:
                rounds.append({})
            rounds[below][node.a.index] = node.a
            below += 1
        depth[node.index] = below
    return [list(angles.values()) for angles in rounds]


def sines_cosines(w: Writer, registers: list[str]) -> list[tuple[str, ...]]:
    """Write the sines and cosines of some angles."""
    if w.width > 1:
        return vector_sines(w, [(w.width, x) for x in registers])
    merged = vector_sines(w, [(WIDTH, x) for x in pack(w, registers)])
    return [tuple(w.emit(f'extractelement <{WIDTH} x double> {p}, i32 {k % WIDTH}')
                  for p in merged[k // WIDTH]) for k in range(len(registers))]


def vector_sines(w: Writer, vectors: list[tuple[int, str]]) -> list[tuple[str, ...]]:
    """Write the sines and cosines of vectors of angles, each with its width.

    Large angles are rare: one branch for all of them leads to the C library and back.
    """
    writers = {width: Writer(width, w.fused, f'p{width}_') for width, _ in vectors}
    pairs, large = [], dict[int, str]()
    for width, x in vectors:
        v = writers[width]
        v.lines = w.lines
        over = v.emit(f'fcmp ugt {v.type} {v.absolute(x)}, {v.constant(LIMIT)}')
        large[width] = over if width not in large else v.emit(
            f'or <{width} x i1> {large[width]}, {over}')
        pairs.append(v.sine_cosine(x))
    some = 'false'
    for width, over in large.items():
        mask = w.emit(f'bitcast <{width} x i1> {over} to i{width}')
        some = w.emit(f'or i1 {some}, {w.emit(f"icmp ne i{width} {mask}, 0")}')
    w.lines += [f'  br i1 {some}, label %large, label %usual, !prof !0', 'usual:',
                '  br label %main', 'large:']
    true = []
    for (width, x), pair in zip(vectors, pairs, strict=True):
        t = writers[width].type
        both = w.emit(f'call {{{t}, {t}}} @large_{width}({t} {x}, {t} {pair[0]}, {t} {pair[1]})')
        true.append(tuple(w.emit(f'extractvalue {{{t}, {t}}} {both}, {k}') for k in (0, 1)))
    w.lines += ['  br label %main', 'main:']
    return [tuple(w.emit(f'phi {writers[width].type} [{a}, %usual], [{b}, %large]')
                  for a, b in zip(*two, strict=True))
            for (width, _), *two in zip(vectors, pairs, true, strict=True)]


def pack(w: Writer, registers: list[str]) -> list[str]:
    """Put scalars into vectors, zeros in the lanes left over."""
    vectors = []
    for start in range(0, len(registers), WIDTH):
        vector = 'zeroinitializer'
        for lane, x in enumerate(registers[start:start + WIDTH]):
            vector = w.emit(f'insertelement <{WIDTH} x double> {vector}, double {x}, i32 {lane}')
        vectors.append(vector)
    return vectors
