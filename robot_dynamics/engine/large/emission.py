"""Writes the loops of an algorithm (rolled.py) as LLVM code, over one state or four at once.

    one(tables, inputs..., results..., scratch, n)        one state of a robot with n links
    four(tables, inputs..., results..., scratch, n)       four states, rows of (N, n) arrays
    states(tables, inputs..., results..., scratch, n, N)  any number of them

`tables` holds pointers to the robot's numbers, in the order of TABLES. `scratch` has room for the
inputs and the arrays of the algorithm, a row per link and one for the root, four lanes each.
"""

from typing import Any

from robot_dynamics.engine.emission.arithmetic import Code, fusible_products
from robot_dynamics.engine.emission.columns import WIDTH, load_repeated
from robot_dynamics.engine.emission.elementary import Writer
from robot_dynamics.engine.emission.module import HEADER
from robot_dynamics.engine.large.over_states import parameters, size, states_function
from robot_dynamics.engine.large.rolled import (
    TAILS,
    LinkLoop,
    Pass,
    Rolled,
    Steps,
    read_first,
)
from robot_dynamics.engine.tracing.program import Program, reachable
from robot_dynamics.model.denoc import OF_LINKS, Base, Geometry

LINKS = (*Geometry._fields[2:], *OF_LINKS)  # a row per link
ALONE = Base._fields  # vectors of the whole robot
TABLES = ('parent', 'kind', *LINKS, *ALONE)


def scratch_size(loops: Rolled, inputs: tuple[str, ...]) -> int:
    """Return how many numbers of scratch a link takes, per state."""
    return len(inputs) + sum(map(size, loops.work.values()))


def loops_module(loops: Rolled, inputs: tuple[str, ...], *, fused: bool) -> str:
    """Return the module of an algorithm."""
    return '\n'.join([HEADER, *(LoopWriter(loops, inputs, width, fused).function(name)
                                for name, width in (('one', 1), ('four', WIDTH))),
                      states_function(inputs, loops)])


class LoopWriter:
    """Writes one function."""

    def __init__(self, loops: Rolled, inputs: tuple[str, ...], width: int, fused: bool) -> None:
        self.loops, self.inputs, self.w = loops, inputs, Writer(width, fused)
        self.sizes = {name: size(TAILS.get(name, ())) for name in LINKS}
        self.sizes.update({name: 3 for name in ALONE})
        self.sizes.update({name: 1 for name in inputs})
        self.sizes.update({name: size(tail) for name, tail in loops.work.items()})
        self.pointers: dict[str, str] = {}
        self.block = 'entry'  # the label of what is being written
        self.labels = 0
        self.lanes: dict[str, list[str]] = {}

    def function(self, name: str) -> str:
        """Return the function."""
        w = self.w
        for k, table in enumerate(TABLES):
            at = w.emit(f'getelementptr ptr, ptr %tables, i64 {k}')
            self.pointers[table] = w.emit(f'load ptr, ptr {at}')
        rows = w.emit('add i64 %n, 1')
        start = 0
        for array in (*self.inputs, *self.loops.work):
            at = w.emit(f'mul i64 {rows}, {start}')
            self.pointers[array] = w.emit(f'getelementptr {w.type}, ptr %scratch, i64 {at}')
            start += self.sizes[array]
        self.lanes = self.matrices()
        clear = read_first(self.loops)
        for array in self.loops.work:
            self.clear(array, rows if array in clear else '1')
        i = self.begin_loop(1)
        for array in self.inputs:
            self.store(self.pointers[array], i, self.gather(f'%in_{array}', i))
        self.end_loop(i)
        for loop in self.loops.loops:
            self.loop(loop)
        i = self.begin_loop(1)
        for k, array in enumerate(self.loops.results):
            if array in self.loops.work:
                self.scatter(f'%out{k}', i, self.load(self.pointers[array], i))
        self.end_loop(i)
        return '\n'.join([f'define void @{name}({parameters(self.inputs, self.loops)}, '
                          'ptr %scratch, i64 %n) #1 {', 'entry:', *w.lines, '  ret void', '}'])

    def clear(self, array: str, rows: str) -> None:
        """Write zeros into the last rows of an array; the root's is the last of all."""
        w, numbers = self.w, self.sizes[array]
        first = w.emit(f'sub i64 %n, {rows}')
        first = w.emit(f'add i64 {first}, 1')
        at = self.address(w.type, self.pointers[array], w.emit(f'mul i64 {first}, {numbers}'))
        bytes_ = w.emit(f'mul i64 {rows}, {8 * w.width * numbers}')
        w.lines.append(f'  call void @llvm.memset.p0.i64(ptr {at}, i8 0, i64 {bytes_}, i1 false)')

    def loop(self, loop: LinkLoop) -> None:
        """Write a loop, or what is done once."""
        if not loop.order:
            self.steps(loop.passes[0], {'root': '%n'})
            return
        i = self.begin_loop(loop.order)
        self.passes(loop, i, {'i': i})
        self.end_loop(i, loop.order)

    def passes(self, loop: LinkLoop, i: str, rows: dict[str, str]) -> None:
        """Write what is done for link i, according to its kind; rows: registers of other links."""
        w = self.w
        self.labels += 1
        mark = self.labels
        rows['p'] = w.emit(f'load i64, ptr {self.address("i64", self.pointers["parent"], i)}')
        kind = w.emit(f'load i64, ptr {self.address("i64", self.pointers["kind"], i)}')
        seen: dict[tuple[Any, ...], int] = {}  # kinds of links for which the same is done
        alike = [seen.setdefault(signature(steps), k) for k, steps in enumerate(loop.passes)]
        cases = ' '.join(f'i64 {k}, label %kind{mark}_{first}' for k, first in enumerate(alike))
        w.lines.append(f'  switch i64 {kind}, label %kind{mark}_0 [{cases}]')
        for k in sorted(set(alike)):
            w.lines.append(f'kind{mark}_{k}:')
            self.block = f'kind{mark}_{k}'
            self.steps(loop.passes[k], rows)
            w.lines.append(f'  br label %join{mark}')
        w.lines.append(f'join{mark}:')
        self.block = f'join{mark}'

    def steps(self, steps: Steps, rows: dict[str, str]) -> None:
        """Write bodies and loops to the root in their order."""
        for step in steps:
            if isinstance(step, Pass):
                self.body(step, rows)
            else:
                self.to_root(step, rows)

    def to_root(self, loop: LinkLoop, rows: dict[str, str]) -> None:
        """Write a loop from link i over those that carry it; the root is link n."""
        w, before = self.w, self.block
        self.labels += 1
        mark = self.labels
        w.lines += [f'  br label %way{mark}', f'way{mark}:',
                    f'  %k{mark} = phi i64 [{rows["i"]}, %{before}], [%up{mark}, %end{mark}]']
        self.block = f'way{mark}'
        inside = {'i': rows['i'], 'k': f'%k{mark}', 'root': '%n'}
        self.passes(loop, f'%k{mark}', inside)
        w.lines += [f'  br label %end{mark}', f'end{mark}:',
                    f'  %up{mark} = add i64 {inside["p"]}, 0',
                    f'  %on{mark} = icmp slt i64 %up{mark}, %n',
                    f'  br i1 %on{mark}, label %way{mark}, label %out{mark}', f'out{mark}:']
        self.block = f'out{mark}'

    def matrices(self) -> dict[str, list[str]]:
        """Clear the results with a row and a column per link; return where each state's begin."""
        w, lanes = self.w, {}
        for k, array in enumerate(self.loops.results):
            if array in self.loops.matrices:
                square = w.emit('mul i64 %n, %n')
                stride = w.emit(f'mul i64 {square}, {size(self.loops.matrices[array])}')
                bytes_ = w.emit(f'mul i64 {stride}, {8 * w.width}')
                w.lines.append(f'  call void @llvm.memset.p0.i64(ptr %out{k}, i8 0, '
                               f'i64 {bytes_}, i1 false)')
                lanes[array] = [self.address('double', f'%out{k}',
                                             w.emit(f'mul i64 {stride}, {lane}'))
                                for lane in range(w.width)]
        return lanes

    def begin_loop(self, order: int) -> str:
        """Write the head of a loop over the links; return the register of the link."""
        w, before = self.w, self.block
        self.labels += 1
        mark = self.labels
        first = '0' if order > 0 else w.emit('sub i64 %n, 1')
        w.lines += [f'  br label %head{mark}', f'head{mark}:',
                    f'  %i{mark} = phi i64 [{first}, %{before}], [%next{mark}, %latch{mark}]',
                    f'  %more{mark} = icmp {"slt" if order > 0 else "sge"} i64 %i{mark}, '
                    + ('%n' if order > 0 else '0'),
                    f'  br i1 %more{mark}, label %body{mark}, label %exit{mark}', f'body{mark}:']
        self.block = f'body{mark}'
        return f'%i{mark}'

    def end_loop(self, i: str, order: int = 1) -> None:
        """Write the end of a loop."""
        mark = i.removeprefix('%i')
        self.w.lines += [f'  br label %latch{mark}', f'latch{mark}:',
                         f'  %next{mark} = add i64 {i}, {order}', f'  br label %head{mark}',
                         f'exit{mark}:']
        self.block = f'exit{mark}'

    def body(self, body: Pass, rows: dict[str, str]) -> None:
        """Write what one pass computes: load, compute, store."""
        w, outputs = self.w, list(body.values.values())
        order = reachable(outputs)
        program = Program([], [], [node for node in order if node.op != 'const'], outputs, [])
        code = Code(w, {}, '', fusible_products(program) if w.fused else None)
        starts: dict[tuple[str, int], str] = {}

        def place(array: str, row: str, k: int) -> str:
            if array in ALONE:
                return str(k)
            key = (row, self.sizes[array])
            if key not in starts:
                starts[key] = w.emit(f'mul i64 {rows[row]}, {key[1]}')
            return w.emit(f'add i64 {starts[key]}, {k}')

        angles: dict[int, tuple[str, str]] = {}
        for node in program.body:
            if node.op == 'state':
                (array, row), k = node.a, node.b
                at, pointer = place(array, row, k), self.pointers[array]
                code.registers[node.index] = (
                    load_repeated(w, pointer, at) if array in TABLES else self.load(pointer, at))
            elif node.op in ('sin', 'cos'):
                if node.a.index not in angles:
                    angles[node.a.index] = w.sine_cosine(code.get(node.a))
                code.registers[node.index] = angles[node.a.index][node.op == 'cos']
            else:
                code.put(node)
        for (array, row, k), value in body.values.items():
            if array in self.lanes:
                at = w.emit(f'mul i64 {rows[row[0]]}, %n')
                at = w.emit(f'add i64 {at}, {rows[row[1]]}')
                at = w.emit(f'mul i64 {at}, {size(self.loops.matrices[array])}')
                self.store_lanes(array, w.emit(f'add i64 {at}, {k}'), code.get(value))
            else:
                self.store(self.pointers[array], place(array, row, k), code.get(value))

    # Memory

    def address(self, type_: str, pointer: str, k: str) -> str:
        """Return where element k stands."""
        return self.w.emit(f'getelementptr {type_}, ptr {pointer}, i64 {k}')

    def load(self, pointer: str, k: str) -> str:
        """Load a number of every state."""
        return self.w.emit(f'load {self.w.type}, ptr {self.address(self.w.type, pointer, k)}, '
                           'align 8')

    def store(self, pointer: str, k: str, register: str) -> None:
        """Store a number of every state."""
        at = self.address(self.w.type, pointer, k)
        self.w.lines.append(f'  store {self.w.type} {register}, ptr {at}, align 8')

    def store_lanes(self, array: str, k: str, register: str) -> None:
        """Store a number of every state's matrix."""
        w = self.w
        for lane, pointer in enumerate(self.lanes[array]):
            scalar = register if w.width == 1 else w.emit(
                f'extractelement {w.type} {register}, i32 {lane}')
            w.lines.append(f'  store double {scalar}, ptr {self.address("double", pointer, k)}')

    def lane(self, pointer: str, i: str, lane: int) -> str:
        """Return where element i of a state's row stands."""
        row = self.w.emit(f'mul i64 %n, {lane}')
        return self.address('double', pointer, self.w.emit(f'add i64 {row}, {i}'))

    def gather(self, pointer: str, i: str) -> str:
        """Load element i of every state's row."""
        w = self.w
        if w.width == 1:
            return w.emit(f'load double, ptr {self.lane(pointer, i, 0)}')
        vector = 'poison'
        for lane in range(w.width):
            scalar = w.emit(f'load double, ptr {self.lane(pointer, i, lane)}')
            vector = w.emit(f'insertelement {w.type} {vector}, double {scalar}, i32 {lane}')
        return vector

    def scatter(self, pointer: str, i: str, register: str) -> None:
        """Store element i of every state's row."""
        w = self.w
        for lane in range(w.width):
            scalar = register if w.width == 1 else w.emit(
                f'extractelement {w.type} {register}, i32 {lane}')
            w.lines.append(f'  store double {scalar}, ptr {self.lane(pointer, i, lane)}')


def signature(steps: Steps) -> tuple[Any, ...]:
    """Return what two passes that do the same have in common."""
    def operand(x: Any) -> Any:
        return getattr(x, 'index', x)

    def of(step: Pass | LinkLoop) -> tuple[Any, ...]:
        if isinstance(step, LinkLoop):
            return tuple(signature(inner) for inner in step.passes)
        return (tuple((node.op, operand(node.a), operand(node.b)) for node in step.graph.nodes),
                tuple((place, operand(value)) for place, value in step.values.items()))
    return tuple(map(of, steps))
