"""Writes single operations of LLVM code and stores results, over one state or several at once."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from robot_dynamics.engine.emission.columns import (
    WIDTH,
    chunks,
    load_repeated,
    store_columns,
    together,
)
from robot_dynamics.engine.emission.elementary import Writer
from robot_dynamics.engine.tracing.operations import OPERATIONS
from robot_dynamics.engine.tracing.program import Program, lanes_key, operands
from robot_dynamics.engine.tracing.symbols import CONSTANTS, Symbol, Value


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


def fusible_products(program: Program) -> set[int]:
    """Return the products that are used once, by a sum: there they cost nothing of their own.

    Of a sum of two products, one is fused: the second. Of a pack (packs.py) either all lanes are,
    in a pack of sums, or none.
    """
    packed = {x.index: pack for pack in program.packs for _, x in pack.lanes}
    made = {lanes_key(pack.lanes, sign) for pack in program.packs for sign in (1, -1)}
    uses = Counter([x.index for node in program.body for x in (node.a, node.b)
                    if type(x) is Symbol])
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
            found.update([x.index for x in (node.b, node.a)
                          if once(x) and x.index not in packed][:1])
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
        width = together(size, code.w.width)
        self.groups = [range(start, start + width) for start in chunks(size, width)]
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
