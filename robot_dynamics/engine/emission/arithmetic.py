"""Writes single operations, loads and stores of LLVM code, over one state or several at once."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from robot_dynamics.engine.emission.elementary import Writer
from robot_dynamics.engine.tracing.operations import OPERATIONS
from robot_dynamics.engine.tracing.program import Program, lanes_key, operands
from robot_dynamics.engine.tracing.symbols import CONSTANTS, Symbol, Value

WIDTH = 4  # states of a vector
WIDE = 8  # where the processor has registers for them and results are few; see `lanes`


class Code:
    """Writes nodes into a Writer and remembers their registers."""

    def __init__(self, writer: Writer, slots: dict[int, int], source: str,
                 fusible: set[int] | None = None) -> None:
        self.w = writer
        self.fusible = fusible or set()  # products that one sum alone uses, by index
        self.registers: dict[int, str] = {}
        self.slots = slots  # of nodes that are read from memory, by index
        self.source = source  # the pointer they are read from
        self.parts: list[list[str]] = []  # the lines of functions that are complete
        self.homes: dict[int, tuple[int, str]] = {}  # part and register of earlier nodes
        self.scratch: dict[int, int] = {}  # where later parts find them

    def get(self, x: Any) -> str:
        """Return the register (or literal) of a node or number."""
        if type(x) is not Symbol:
            return self.w.constant(float(x))
        if x.op in CONSTANTS:
            return self.w.constant(x.a)
        if x.index not in self.registers:
            self.registers[x.index] = (
                self.fetch(x.index) if x.index in self.homes else self.read(self.slots[x.index]))
        return self.registers[x.index]

    def fetch(self, index: int) -> str:
        """Load what an earlier part has computed; that part stores it at its end."""
        w, (part, register) = self.w, self.homes[index]
        if index not in self.scratch:
            self.scratch[index] = len(self.scratch)
            lines = self.parts[part]
            lines[-1:-1] = [
                f'  %s{index} = getelementptr {w.type}, ptr %scratch, i64 {self.scratch[index]}',
                f'  store {w.type} {register}, ptr %s{index}, align 8']
        address = w.emit(f'getelementptr {w.type}, ptr %scratch, i64 {self.scratch[index]}')
        return w.emit(f'load {w.type}, ptr {address}, align 8')

    def next_part(self, bad: str) -> None:
        """End a function, which returns `bad`, and begin the next."""
        for index, register in self.registers.items():
            if index not in self.slots and index not in self.homes:
                self.homes[index] = len(self.parts), register
        self.parts.append([*self.w.lines, f'  ret i32 {bad}'])
        self.w.lines.clear()
        self.registers.clear()

    def read(self, slot: int) -> str:
        """Load one number and repeat it in every lane."""
        return load_repeated(self.w, self.source, slot)

    def put(self, node: Symbol) -> None:
        """Write one operation."""
        w = self.w
        if node.index in self.fusible:
            return  # the sum that uses it computes it
        if node.op in ('add', 'sub') and node.b.index in self.fusible:
            a, b = self.get(node.b.a), self.get(node.b.b)
            register = w.multiply_add(
                a if node.op == 'add' else w.negative(a), b, self.get(node.a))
        elif node.op in ('add', 'sub') and node.a.index in self.fusible:
            c = self.get(node.b)
            register = w.multiply_add(self.get(node.a.a), self.get(node.a.b),
                                      c if node.op == 'add' else w.negative(c))
        else:
            register = OPERATIONS[node.op].llvm(w, *map(self.get, operands(node)))
        self.registers[node.index] = register


def lanes(shapes: tuple[tuple[int, ...], ...], wide: int) -> int:
    """Return how many states a block has; shapes: of one state's results.

    Where a processor halves vectors of eight, matrices are stored as fast as four lanes compute
    them: transposing eight takes longer.
    wide: vectors of eight pay on this processor, 1: for vectors, 2: for matrices too
    """
    pays = wide > 1 or (wide == 1 and all(len(shape) < 2 for shape in shapes))
    return WIDE if pays else WIDTH


def fusible_products(program: Program) -> set[int]:
    """Return the products that are used once, by a sum: there they cost nothing of their own.

    Of a sum of two products, one is fused: the second. Of a pack (packs.py) either all lanes are,
    in a pack of sums, or none.
    """
    packed = {x.index: pack for pack in program.packs for _, x in pack.lanes}
    made = {lanes_key(pack.lanes, sign) for pack in program.packs for sign in (1, -1)}
    uses = Counter(a.index for node in program.body for a in operands(node))
    uses.update(x.index for x in program.outputs if type(x) is Symbol)
    uses.update(x.index for pair in program.guards for x in pair if type(x) is Symbol)
    found: set[int] = set()

    def once(x: Symbol) -> bool:
        return x.op == 'mul' and x.varies and uses[x.index] == 1

    for node in program.body:
        if node.op not in ('add', 'sub'):
            continue
        pack = packed.get(node.index)
        if pack is None:
            possible = [[x] for x in (node.b, node.a) if once(x) and x.index not in packed]
        else:
            possible = [[x for _, x in lanes] for lanes in reversed(pack.operands)
                        if lanes_key(lanes) in made and all(once(x) for _, x in lanes)]
        found.update(x.index for x in (possible or [[]])[0])
    return found


class Results:
    """Stores results as soon as they are known, so that few values wait at any time.

    Every argument has been loaded before the first result is stored.
    """

    def __init__(self, code: Code, program: Program) -> None:
        self.code = code
        self.outputs = program.outputs
        size = len(self.outputs)
        width = code.w.width if size >= code.w.width else 1
        starts = range(size) if width == 1 else chunks(size, width)
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
        self.clear_zeros()

    def clear_zeros(self) -> None:
        """Clear the result at once where much of it is always zero; those zeros need no store."""
        zero = [all(type(self.outputs[k]) is not Symbol and self.outputs[k] == 0 for k in group)
                for group in self.groups]
        if self.code.w.width == 1 and sum(zero) * 4 > len(zero):
            size = 8 * len(self.outputs) * self.code.w.width
            self.code.w.lines.append(
                f'  call void @llvm.memset.p0.i64(ptr %out, i8 0, i64 {size}, i1 false)')
            self.missing = [-1 if done else missing
                            for done, missing in zip(zero, self.missing, strict=True)]

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
        code = self.code
        for node in [x for x in self.outputs if type(x) is Symbol and x.index in self.waiting]:
            self.take(node)  # arguments and sines that are results themselves
        for number, missing in enumerate(self.missing):
            if missing == 0:
                self.store(number)
        for x in {x.index: x for x in self.outputs
                  if type(x) is Symbol and not x.varies}.values():
            self.check(code.get(x))
        return self.bad(program.guards)

    def bad(self, guards: Sequence[tuple[Value, Value]] = ()) -> str:
        """Return the register that tells whether a result since the last time is bad."""
        code, w = self.code, self.code.w
        total = w.constant(0.0)
        for register in self.sums:
            total = w.binary('fadd', total, register, '')
        self.sums.clear()
        rest = w.binary('fsub', total, total, '')
        one = 'i1' if w.width == 1 else f'<{w.width} x i1>'
        bad = w.emit(f'fcmp une {w.type} {rest}, {w.constant(0.0)}')
        for guard, limit in guards:
            low = w.emit(f'fcmp ule {w.type} {code.get(guard)}, {code.get(limit)}')
            bad = w.emit(f'or {one} {bad}, {low}')
        if w.width > 1:
            bits = w.emit(f'bitcast {one} {bad} to i{w.width}')
            bad = w.emit(f'icmp ne i{w.width} {bits}, 0')
        return w.emit(f'zext i1 {bad} to i32')


def load_repeated(w: Writer, pointer: str, k: int | str) -> str:
    """Load number k and repeat it in every lane."""
    address = w.emit(f'getelementptr double, ptr {pointer}, i64 {k}')
    scalar = w.emit(f'load double, ptr {address}')
    if w.width == 1:
        return scalar
    first = w.emit(f'insertelement {w.type} poison, double {scalar}, i32 0')
    return w.emit(f'shufflevector {w.type} {first}, {w.type} poison, '
                  f'<{w.width} x i32> zeroinitializer')


def load_columns(w: Writer, pointer: str, size: int) -> list[str]:
    """Load a row (width 1), or the columns of as many rows as a vector has lanes."""
    def load(type_: str, k: int) -> str:
        address = w.emit(f'getelementptr double, ptr {pointer}, i64 {k}')
        return w.emit(f'load {type_}, ptr {address}, align 8')

    if w.width == 1:
        return [load('double', k) for k in range(size)]
    columns = [''] * size
    if size < w.width:
        for k in range(size):
            vector = 'poison'
            for row in range(w.width):
                vector = w.emit(f'insertelement {w.type} {vector}, '
                                f'double {load("double", row * size + k)}, i32 {row}')
            columns[k] = vector
        return columns
    for start in chunks(size, w.width):
        rows = [load(w.type, row * size + start) for row in range(w.width)]
        columns[start:start + w.width] = transposed(w, rows)
    return columns


def store_columns(w: Writer, pointer: str, columns: list[str], start: int, size: int) -> None:
    """Store one result (width 1), or one or `width` columns of rows of `size` results."""
    def store(type_: str, register: str, k: int) -> None:
        address = w.emit(f'getelementptr double, ptr {pointer}, i64 {k}')
        w.lines.append(f'  store {type_} {register}, ptr {address}, align 8')

    if w.width == 1:
        store('double', columns[0], start)
    elif len(columns) == 1:
        for row in range(w.width):
            scalar = w.emit(f'extractelement {w.type} {columns[0]}, i32 {row}')
            store('double', scalar, row * size + start)
    else:
        for row, vector in enumerate(transposed(w, columns)):
            store(w.type, vector, row * size + start)


def chunks(size: int, width: int) -> list[int]:
    """Return where the groups of columns begin; the last may overlap the one before."""
    return [min(start, size - width) for start in range(0, size, width)]


def transposed(w: Writer, rows: list[str]) -> list[str]:
    """Return the columns of a square matrix: blocks off the diagonal change places, by size."""
    n, rows, half = len(rows), list(rows), 1
    while half < n:
        left = [k - half + n if k & half else k for k in range(n)]
        right = [k + n if k & half else k + half for k in range(n)]
        for i in range(n):
            if not i & half:
                a, b = rows[i], rows[i + half]
                rows[i], rows[i + half] = (w.emit(
                    f'shufflevector {w.type} {a}, {w.type} {b}, <{n} x i32> '
                    f'<{", ".join(f"i32 {k}" for k in lanes)}>') for lanes in (left, right))
        half *= 2
    return rows
