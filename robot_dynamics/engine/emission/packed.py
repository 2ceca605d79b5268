"""Writes one state's code where limbs are alike: what they do together as vectors, else scalars.

The program's packs (tracing/packs.py) become vectors, one operation each. A scalar that is needed
in all lanes is repeated; of a pack that scalars need, the lanes are stored at once and read from
memory. Every lane does what `block` does with the same node, so that results have the same bits.
"""

import heapq

from robot_dynamics.engine.emission.arithmetic import Code, Results
from robot_dynamics.engine.emission.columns import load_columns
from robot_dynamics.engine.emission.elementary import Writer, double
from robot_dynamics.engine.emission.ir import functions, pack, rounds_of_angles, vector_sines
from robot_dynamics.engine.tracing.operations import OPERATIONS
from robot_dynamics.engine.tracing.program import Lanes, Program, by_need, lanes_key, operands
from robot_dynamics.engine.tracing.symbols import CONSTANTS, Symbol

Item = int  # of an order: the number of a pack, or -1 - the index of a node


def packed_function(program: Program, inputs: dict[str, int], fused: bool,
                    fusible: set[int]) -> str:
    """Write `single` of a program with packs; fusible: products that sums compute."""
    w = Writer(1, fused)
    code = PackedCode(w, program, fusible)
    arguments = {(argument, k): register for argument, size in inputs.items()
                 for k, register in enumerate(load_columns(w, f'%{argument}', size))}
    for node in program.body:
        if node.op == 'state':
            code.registers[node.index] = arguments.pop((node.a, node.b))
    results = Results(code, program)
    for register in arguments.values():  # a nan there would be seen nowhere else
        results.check(register)
    code.write_angles()
    for item in code.order:
        for node in code.write(item):
            results.take(node)
    bad = results.finish(program)
    w.lines.insert(0, f'  %lanes = alloca double, i64 {max(1, code.room)}, align 64')
    code.next_part(bad)
    return functions('single', code, inputs)


class PackedCode(Code):
    """Writes nodes and packs, and remembers the registers of both."""

    def __init__(self, writer: Writer, program: Program, fusible: set[int]) -> None:
        super().__init__(writer, {node.index: k for k, node in enumerate(program.work)}, '%work',
                         fusible)
        self.program = program
        self.home = home(program)
        self.made = {lanes_key(pack.lanes): k for k, pack in enumerate(program.packs)}
        self.nodes = {node.index: node for node in program.body}
        self.order = program.order
        self.done: set[Item] = set()
        self.vectors: dict[int, str] = {}  # registers of packs
        self.filled: dict[tuple[tuple[tuple[int, int], ...], int], str] = {}  # of other lanes
        self.slots_of: dict[int, int] = {}  # where packs are stored
        self.room = 0
        self.writers: dict[int, Writer] = {}

    def writer(self, width: int) -> Writer:
        """Return what writes vectors of a width into the same lines."""
        if width not in self.writers:
            self.writers[width] = Writer(width, self.w.fused, f'w{width}_')
            self.writers[width].lines = self.w.lines
        return self.writers[width]

    def get(self, x: object) -> str:
        """Return the register (or literal) of a node or number; of a lane, read it."""
        if type(x) is Symbol and x.index in self.home and x.index not in self.registers:
            self.registers[x.index] = self.lane(*self.home[x.index])
        return super().get(x)

    def lane(self, number: int, lane: int) -> str:
        """Read one lane of a pack, which is stored when the first is read."""
        pack, w = self.program.packs[number], self.w
        if number not in self.slots_of:
            self.slots_of[number] = self.room
            self.room += pack.width
            place = w.emit(f'getelementptr double, ptr %lanes, i64 {self.slots_of[number]}')
            w.lines.append(f'  store {self.writer(pack.width).type} {self.vectors[number]}, '
                           f'ptr {place}, align 8')
        place = w.emit(
            f'getelementptr double, ptr %lanes, i64 {self.slots_of[number] + lane}')
        register = w.emit(f'load double, ptr {place}, align 8')
        return register if pack.lanes[lane][0] > 0 else w.negative(register)

    def vector(self, lanes: Lanes, width: int) -> str:
        """Return the register (or literal) of lanes; those left over repeat the last one."""
        if (number := self.made.get(lanes_key(lanes))) is not None:
            return self.vectors[number]
        key = lanes_key(lanes), width
        if key not in self.filled:
            self.filled[key] = self.fill(lanes, width)
        return self.filled[key]

    def fill(self, lanes: Lanes, width: int) -> str:
        """Write lanes into a vector."""
        v, number = self.writer(width), self.made.get(lanes_key(lanes, -1))
        if number is not None:
            return v.negative(self.vectors[number])
        full = [*lanes, *lanes[-1:] * (width - len(lanes))]
        if all(x.op in CONSTANTS for _, x in lanes):
            return '<' + ', '.join(f'double {double(sign * x.a)}' for sign, x in full) + '>'
        if (slot := self.program.vectors.get(lanes_key(lanes))) is not None:
            place = self.w.emit(f'getelementptr double, ptr %work, i64 {slot}')
            return self.w.emit(f'load {v.type}, ptr {place}, align 8')
        if len(set(lanes_key(lanes))) == 1:
            first = v.emit(f'insertelement {v.type} poison, double {self.signed(*full[0])}, i32 0')
            return v.emit(f'shufflevector {v.type} {first}, {v.type} poison, '
                          f'<{width} x i32> zeroinitializer')
        vector = 'poison'
        for k, lane in enumerate(full):
            vector = v.emit(
                f'insertelement {v.type} {vector}, double {self.signed(*lane)}, i32 {k}')
        return vector

    def signed(self, sign: int, x: Symbol) -> str:
        """Return the register of a node or its negative."""
        return self.get(x) if sign > 0 else self.w.negative(self.get(x))

    def write(self, item: Item) -> list[Symbol]:
        """Write a pack or a node, unless it is there; return the nodes."""
        if item in self.done:
            return []
        self.done.add(item)
        if item < 0:
            self.put(self.nodes[-1 - item])
            return [self.nodes[-1 - item]]
        pack = self.program.packs[item]
        if pack.lanes[0][1].index not in self.fusible:
            self.vectors[item] = self.operation(item)
        return [x for _, x in pack.lanes]

    def operation(self, number: int) -> str:
        """Write the operation of a pack, a product in it fused."""
        pack = self.program.packs[number]
        v, less = self.writer(pack.width), -1 if pack.op == 'sub' else 1
        if pack.b is not None and pack.op in ('add', 'sub'):
            for product, sign, rest, other in ((pack.b, less, pack.a, 1), (pack.a, 1, pack.b,
                                                                           less)):
                if product[0][1].index in self.fusible:
                    exact = self.made.get(lanes_key(product))
                    source = self.made[lanes_key(product, -1)] if exact is None else exact
                    factors = self.program.packs[source]
                    assert factors.b is not None
                    a, b = (self.vector(x, pack.width) for x in (factors.a, factors.b))
                    c = self.vector(rest, pack.width)
                    negative = (sign < 0) != (exact is None)
                    return v.multiply_add(v.negative(a) if negative else a, b,
                                          c if other > 0 else v.negative(c))
        return OPERATIONS[pack.op].llvm(v, *(
            self.vector(x, pack.width) for x in pack.operands))

    def write_angles(self) -> None:
        """Write all sines and cosines, of packs as they stand, of others four at a time."""
        angles = [angle for found in rounds_of_angles(self.program.body) for angle in found]
        if not angles:
            return
        self.write_before({x.index for x in angles})
        packs: dict[tuple[tuple[int, int], ...], list[int]] = {}
        for number, each in enumerate(self.program.packs):
            if each.op in ('sin', 'cos'):
                packs.setdefault(lanes_key(each.a), []).append(number)
        single: dict[int, list[Symbol]] = {}
        for node in self.program.body:
            if node.op in ('sin', 'cos') and node.index not in self.home:
                single.setdefault(node.a.index, []).append(node)
        first = [self.program.packs[numbers[0]] for numbers in packs.values()]
        vectors = [(one.width, self.vector(one.a, one.width)) for one in first]
        rest = pack(self.w, [self.get(self.nodes[index]) for index in single])
        found = vector_sines(self.w, [*vectors, *((4, x) for x in rest)])
        for numbers, pair in zip(packs.values(), found, strict=False):
            for number in numbers:
                self.vectors[number] = pair[self.program.packs[number].op == 'cos']
                self.done.add(number)
        for k, nodes in enumerate(single.values()):
            vector = found[len(vectors) + k // 4]
            for node in nodes:
                self.registers[node.index] = self.w.emit(
                    f'extractelement <4 x double> {vector[node.op == "cos"]}, i32 {k % 4}')
                self.done.add(-1 - node.index)

    def write_before(self, wanted: set[int]) -> None:
        """Write all that some nodes are computed of, and the nodes."""
        needed = set(wanted)
        for item in reversed(self.order):
            nodes = self.members(item)
            if not needed.isdisjoint(x.index for x in nodes):
                needed.update(a.index for x in nodes for a in operands(x))
        for item in self.order:
            if not needed.isdisjoint(x.index for x in self.members(item)):
                self.write(item)

    def members(self, item: Item) -> list[Symbol]:
        """Return the nodes of an item."""
        return ([self.nodes[-1 - item]] if item < 0
                else [x for _, x in self.program.packs[item].lanes])


def home(program: Program) -> dict[int, tuple[int, int]]:
    """Return the pack and the lane of nodes that are in one."""
    return {x.index: (number, lane) for number, pack in enumerate(program.packs)
            for lane, (_, x) in enumerate(pack.lanes)}


def order(program: Program, homes: dict[int, tuple[int, int]]) -> list[Item]:
    """Return packs and nodes such that each comes after what it is computed of.

    As results need them, a pack as early as the first of its lanes: in the program's order more
    values wait in memory. What is missing at the end hangs on each other.
    """
    def item(x: Symbol) -> Item:
        return homes[x.index][0] if x.index in homes else -1 - x.index

    first: dict[Item, int] = {}
    waits: dict[Item, set[Item]] = {}
    users: dict[Item, list[Item]] = {}
    roots = [*program.outputs, *(x for pair in program.guards for x in pair)]
    for place, node in enumerate(by_need(roots)):
        if node.varies and node.op != 'state':
            one = item(node)
            first.setdefault(one, place)
            waits.setdefault(one, set()).update(
                item(x) for x in operands(node) if x.varies and x.op != 'state')
    for one, before in waits.items():
        for other in before:
            users.setdefault(other, []).append(one)
    ready = [(first[one], one) for one, before in waits.items() if not before]
    heapq.heapify(ready)
    found: list[Item] = []
    while ready:
        _, one = heapq.heappop(ready)
        found.append(one)
        for other in users.get(one, []):
            waits[other].discard(one)
            if not waits[other]:
                heapq.heappush(ready, (first[other], other))
    return found
