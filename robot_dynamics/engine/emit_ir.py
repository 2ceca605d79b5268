"""Writes a program as LLVM code: one state as scalars, or four states at once as vectors.

The functions of a module, in the order in which they are used:

    prepare(parameters, work)               once per payload: what does not depend on the state
    single(inputs..., work, out) -> bad     one state
    block(inputs..., work, out) -> bad      four states, rows of (N, n) arrays
    batch(inputs..., work, out, N) -> bad   whole blocks, then the last one padded

`bad` is not zero when a result is not finite or a guard (a pivot) is not above its limit.
All arguments are loaded before a result is stored, so that it may overwrite them. A lane of a
vector does the same as every other lane: a state's result does not depend on where it stands.
"""

from robot_dynamics.engine.elementary import LIMIT, Writer
from robot_dynamics.engine.program import Program
from robot_dynamics.engine.symbols import Symbol

WIDTH = 4
BINARY = {'add': 'fadd', 'sub': 'fsub', 'mul': 'fmul'}
POINTER = 'ptr noalias nocapture readonly'


class Code:
    """Writes nodes into a Writer and remembers their registers."""

    def __init__(self, writer: Writer, slots: dict[int, int], source: str) -> None:
        self.w = writer
        self.registers: dict[int, str] = {}
        self.slots = slots  # of nodes that are read from memory, by index
        self.source = source  # the pointer they are read from

    def get(self, x) -> str:
        """Return the register (or literal) of a node or number."""
        if type(x) is not Symbol:
            return self.w.constant(float(x))
        if x.op == 'const':
            return self.w.constant(x.a)
        if x.index not in self.registers:
            self.registers[x.index] = self.read(self.slots[x.index])
        return self.registers[x.index]

    def read(self, slot: int) -> str:
        """Load one number and repeat it in every lane."""
        w = self.w
        address = w.emit(f'getelementptr double, ptr {self.source}, i64 {slot}')
        scalar = w.emit(f'load double, ptr {address}')
        if w.width == 1:
            return scalar
        first = w.emit(f'insertelement {w.type} poison, double {scalar}, i32 0')
        return w.emit(f'shufflevector {w.type} {first}, {w.type} poison, '
                      f'<{w.width} x i32> zeroinitializer')

    def put(self, node: Symbol) -> None:
        """Write one operation."""
        w = self.w
        if node.op in BINARY:
            register = w.binary(BINARY[node.op], self.get(node.a), self.get(node.b))
        elif node.op == 'neg':
            register = w.emit(f'fneg {w.type} {self.get(node.a)}')
        elif node.op == 'inv':
            register = w.binary('fdiv', w.constant(1.0), self.get(node.a), 'nsz')
        elif node.op == 'tanh':
            register = w.tanh(self.get(node.a))
        else:
            raise ValueError(f'no code for {node.op}')
        self.registers[node.index] = register


def prepare_function(program: Program, slots: dict[tuple[str, int], int]) -> str:
    """Write `prepare`; slots: where each parameter stands in the vector of parameters."""
    w = Writer(1)
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
        name: str, width: int, program: Program, inputs: dict[str, int]) -> str:
    """Write `single` (width 1) or `block`."""
    w = Writer(width)
    code = Code(w, {node.index: k for k, node in enumerate(program.work)}, '%work')
    used = {(node.a, node.b): node for node in program.body if node.op == 'state'}
    for argument, size in inputs.items():
        for k, register in enumerate(load_columns(w, f'%{argument}', size)):
            if (argument, k) in used:
                code.registers[used[argument, k].index] = register
    body = [node for node in program.body if node.op != 'state']
    results = Results(code, program)
    for node in write_angles(code, body):
        code.put(node)
        results.take(node)
    bad = results.finish(program)
    arguments = ''.join(f'ptr nocapture readonly %{x}, ' for x in inputs)
    head = (f'define i32 @{name}({arguments}{POINTER} %work, '
            f'ptr nocapture %out) #{1 if width > 1 else 0} {{')
    return '\n'.join([head, *w.lines, f'  ret i32 {bad}', '}'])


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
    v = Writer(WIDTH, 'p')
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
                  for f, y in zip(('sin', 'cos'), pair)) for x, pair in zip(packed, pairs)]
    w.lines += ['  br label %main', 'main:']
    merged = [tuple(v.emit(f'phi {v.type} [{a}, %near], [{b}, %large]')
                    for a, b in zip(*two)) for two in zip(pairs, true)]
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


class Results:
    """Stores results as soon as they are known, so that few values wait at any time.

    Every argument has been loaded before the first result is stored.
    """

    def __init__(self, code: Code, program: Program) -> None:
        self.code = code
        self.outputs = program.outputs
        size = len(self.outputs)
        starts = range(size) if code.w.width == 1 or size < WIDTH else chunks(size)
        width = 1 if code.w.width == 1 or size < WIDTH else WIDTH
        self.groups = [range(start, start + width) for start in starts]
        self.waiting: dict[int, list[int]] = {}  # groups that need a node, by its index
        self.missing = [0] * len(self.groups)  # nodes a group still waits for
        for number, group in enumerate(self.groups):
            for index in {x.index for x in map(self.outputs.__getitem__, group)
                          if type(x) is Symbol and x.varies}:
                self.waiting.setdefault(index, []).append(number)
                self.missing[number] += 1
        self.sums: list[str] = []
        self.count = 0

    def take(self, node: Symbol) -> None:
        """Store the groups of which this node was the last."""
        if node.index not in self.waiting:
            return
        self.check(self.code.get(node))
        for number in self.waiting.pop(node.index):
            self.missing[number] -= 1
            if not self.missing[number]:
                self.store(number)

    def store(self, number: int) -> None:
        """Store one group."""
        group, size = self.groups[number], len(self.outputs)
        registers = [self.code.get(self.outputs[k]) for k in group]
        store_columns(self.code.w, '%out', registers, group.start, size)
        self.missing[number] = -1

    def check(self, register: str) -> None:
        """Add a result to one of four sums that are finite only if all results are."""
        if len(self.sums) < WIDTH:
            self.sums.append(register)
        else:
            k = self.count % WIDTH
            self.sums[k] = self.code.w.binary('fadd', self.sums[k], register, '')
            self.count += 1

    def finish(self, program: Program) -> str:
        """Store what is left and return the register of `bad`."""
        code, w = self.code, self.code.w
        for node in [x for x in self.outputs if type(x) is Symbol and x.index in self.waiting]:
            self.take(node)  # arguments and sines that are results themselves
        for number, missing in enumerate(self.missing):
            if missing == 0:
                self.store(number)
        for x in {x.index: x for x in self.outputs
                  if type(x) is Symbol and not x.varies}.values():
            self.check(code.get(x))
        total = w.constant(0.0)
        for register in self.sums:
            total = w.binary('fadd', total, register, '')
        rest = w.binary('fsub', total, total, '')
        one = 'i1' if w.width == 1 else f'<{w.width} x i1>'
        bad = w.emit(f'fcmp une {w.type} {rest}, {w.constant(0.0)}')
        for guard, limit in program.guards:
            low = w.emit(f'fcmp ule {w.type} {code.get(guard)}, {code.get(limit)}')
            bad = w.emit(f'or {one} {bad}, {low}')
        if w.width > 1:
            bits = w.emit(f'bitcast {one} {bad} to i{w.width}')
            bad = w.emit(f'icmp ne i{w.width} {bits}, 0')
        return w.emit(f'zext i1 {bad} to i32')


def load_columns(w: Writer, pointer: str, size: int) -> list[str]:
    """Load a row (width 1), or the columns of four rows."""
    def load(type_: str, k: int) -> str:
        address = w.emit(f'getelementptr double, ptr {pointer}, i64 {k}')
        return w.emit(f'load {type_}, ptr {address}, align 8')

    if w.width == 1:
        return [load('double', k) for k in range(size)]
    columns = [''] * size
    if size < WIDTH:
        for k in range(size):
            vector = 'poison'
            for row in range(WIDTH):
                vector = w.emit(f'insertelement {w.type} {vector}, '
                                f'double {load("double", row * size + k)}, i32 {row}')
            columns[k] = vector
        return columns
    for start in chunks(size):
        rows = [load(w.type, row * size + start) for row in range(WIDTH)]
        columns[start:start + WIDTH] = transposed(w, rows)
    return columns


def store_columns(w: Writer, pointer: str, columns: list[str], start: int, size: int) -> None:
    """Store one result (width 1), or one or four columns of four rows of `size` results."""
    def store(type_: str, register: str, k: int) -> None:
        address = w.emit(f'getelementptr double, ptr {pointer}, i64 {k}')
        w.lines.append(f'  store {type_} {register}, ptr {address}, align 8')

    if w.width == 1:
        store('double', columns[0], start)
    elif len(columns) == 1:
        for row in range(WIDTH):
            scalar = w.emit(f'extractelement {w.type} {columns[0]}, i32 {row}')
            store('double', scalar, row * size + start)
    else:
        for row, vector in enumerate(transposed(w, columns)):
            store(w.type, vector, row * size + start)


def chunks(size: int) -> list[int]:
    """Return where the groups of four columns begin; the last may overlap the one before."""
    return [min(start, size - WIDTH) for start in range(0, size, WIDTH)]


def transposed(w: Writer, rows: list[str]) -> list[str]:
    """Return the columns of a 4 by 4 matrix."""
    def shuffle(a: str, b: str, lanes: str) -> str:
        picked = ', '.join(f'i32 {k}' for k in lanes)
        return w.emit(f'shufflevector {w.type} {a}, {w.type} {b}, <4 x i32> <{picked}>')

    a, b, c, d = rows
    low, high = (shuffle(a, b, '0426'), shuffle(c, d, '0426')), (
        shuffle(a, b, '1537'), shuffle(c, d, '1537'))
    return [shuffle(*low, '0145'), shuffle(*high, '0145'),
            shuffle(*low, '2367'), shuffle(*high, '2367')]
