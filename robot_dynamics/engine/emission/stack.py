"""Writes the LLVM module of a stack's kernel: every state has a robot of its own.

    prepare(table, row, work)               what does not depend on the state, of four robots
    block(inputs..., work, out) -> bad      four states of four robots
    batch(inputs..., table, out, N) -> bad  both, block by block: no robot's `work` is kept

The table says where parameters stand: first row, number of robots, then the address of each
parameter's column and the bytes from a robot to the next, 8, or 0 for one number for all. Columns
go on for three numbers beyond the last robot, those for all are four numbers: a block is one load.
Four robots are prepared by the operations that one alone is, in the same order: the same bits.
"""

from robot_dynamics.engine.emission.arithmetic import Code, fusible_products
from robot_dynamics.engine.emission.call import call_function
from robot_dynamics.engine.emission.columns import WIDTH
from robot_dynamics.engine.emission.elementary import Writer
from robot_dynamics.engine.emission.ir import POINTER, state_function
from robot_dynamics.engine.emission.module import HEADER, batch_function, large_angles
from robot_dynamics.engine.tracing.program import Program

HEAD = 2  # numbers of the table before the columns: first row, robots


class PreparedCode(Code):
    """A body that reads prepared parameters of four robots."""

    def read(self, slot: int) -> str:
        """Load the four robots' numbers."""
        return load_four(self.w, self.source, slot)


class ColumnCode(Code):
    """The first stage of four robots, whose parameters stand in columns."""

    def read(self, slot: int) -> str:
        """Load a parameter of robots %row and the next three."""
        w = self.w
        place, stride = (self.entry(HEAD + 2 * slot + k) for k in (0, 1))
        ahead = w.emit(f'mul i64 %robot, {stride}')
        where = w.emit(f'add i64 {place}, {ahead}')
        address = w.emit(f'inttoptr i64 {where} to ptr')
        return w.emit(f'load {w.type}, ptr {address}, align 8')

    def entry(self, k: int) -> str:
        """Load an entry of the table."""
        address = self.w.emit(f'getelementptr i64, ptr {self.source}, i64 {k}')
        return self.w.emit(f'load i64, ptr {address}')


def load_four(w: Writer, pointer: str, slot: int) -> str:
    """Load number `slot` of four robots."""
    address = w.emit(f'getelementptr double, ptr {pointer}, i64 {WIDTH * slot}')
    return w.emit(f'load {w.type}, ptr {address}, align 8')


def stack_module_text(
        program: Program, inputs: dict[str, int], shapes: tuple[tuple[int, ...], ...],
        slots: dict[tuple[str, int], int], *, fused: bool, wide: int = 0) -> str:
    """Return the module; as emission.module.module_text, always of four lanes."""
    room = f'  %room = alloca double, i64 {max(1, WIDTH * len(program.work))}, align 32'
    cost = sum(program.count().values()) + len(program.prepare)
    return '\n'.join([
        HEADER, *large_angles(WIDTH), prepare_rows(program, slots),
        state_function('block', WIDTH, program, inputs, fused,
                       fusible_products(program) if fused else set(), PreparedCode),
        batch_function(inputs, len(program.outputs), WIDTH, room,
                       lambda row: f'  call void @prepare(ptr %work, i64 {row}, ptr %room)'),
        call_function(inputs, shapes, cost, stacked=True)])


def prepare_rows(program: Program, slots: dict[tuple[str, int], int]) -> str:
    """Write `prepare`; slots: where each parameter stands in the table."""
    w = Writer(WIDTH, fused=False)
    places = {node.index: slots[node.a, node.b] for node in program.prepare
              if node.op == 'parameter'}
    code = ColumnCode(w, places, '%table')
    w.lines += ['  %first = load i64, ptr %table', '  %robot = add i64 %first, %row']
    for node in program.prepare:
        if node.op != 'parameter':
            code.put(node)
    for slot, node in enumerate(program.work):
        address = w.emit(f'getelementptr double, ptr %work, i64 {WIDTH * slot}')
        w.lines.append(f'  store {w.type} {code.get(node)}, ptr {address}, align 8')
    head = f'define void @prepare({POINTER} %table, i64 %row, ptr noalias nocapture %work) #1 {{'
    return '\n'.join([head, *w.lines, '  ret void', '}'])
