"""Writes fixed steps over values that move on a manifold: floating joints, closed loops.

The state is y = [q (nq), qd (nv)], with dy/dt from one kernel (state_rate) and, after each step,
the values put back where they belong by another (normalised: unit quaternions, closed loops).
Explicit methods alone. That kernel is called again as long as it finds that one pass is not
enough; it is not called where the first puts values back itself. A step in which a kernel fails, a
rate runs away or a joint passes its stop is not taken: Python looks closer.

    f(q, qd, tau, work, dydt) -> bad      p(q, work, q) -> bad

Semi-implicit Euler has a kernel of its own (euler_rate), which takes the step's length as well.
The rates qd are those of the kernel: of a mechanism with a trunk state_rate has the trunk's.

Joints of a mechanism that slide are watched: dry friction goes to the kernel (sliding_rate), and
one more gives the speeds of all joints after the step. Where one turned round, it is not taken.

A block of robots (lanes = 4 or 8) is y = [q (lanes, nq), qd (lanes, nv)], with the kernels'
blocks, whose dy/dt is (lanes, nq + nv). A step that one of them cannot take is taken by none.
"""

from collections.abc import Sequence

from robot_dynamics.engine.emission.columns import WIDTH
from robot_dynamics.engine.emission.elementary import double
from robot_dynamics.simulation.tableaus import RUNAWAY

# stages: (the part of the step at which each is taken, its node of the torques, its weight)
STAGES = {'rk4': ((0.0, 0, 1 / 6), (0.5, 1, 1 / 3), (0.5, 1, 1 / 3), (1.0, 2, 1 / 6))}
METHODS = ('rk4', 'semi_implicit_euler')
PASSES = 5  # of the kernel that puts values back, at most


def module_text(method: str, nq: int, nv: int, places: Sequence[int], lanes: int,
                joints: int = 0, *, back: bool = True) -> str:
    """Return the module of one method; places: where in q each rate's value stands, -1: nowhere.

    The function has the arguments of the contract in manifold_steps.py; lanes: robots; joints: how
    many are watched, of one robot; back: values are put back after each step, not within it
    """
    m = lanes * (nq + nv)
    w = Text(nq, nv, lanes)
    w.lines += [
        'define i64 @steps(ptr %f, ptr %fwork, ptr %p, ptr %pwork, ptr %y, ptr %torque, '
        'i64 %stride, double %h, i64 %count, i64 %every, ptr %lower, ptr %upper, ptr %out, '
        'ptr %s, ptr %swork, ptr %friction, ptr %ways) {',
        'entry:', f'  %speeds = alloca double, i64 {max(1, joints)}, align 32']
    w.more = ', ptr %friction' if joints else ''
    for name in ('here', 'there', 'at', 'rate', 'sum'):
        w.lines.append(f'  %{name} = alloca double, i64 {m}, align 64')
    for k in range(lanes * nv if method == 'semi_implicit_euler' else 0):
        w.store('%h', '%at', k)  # what its kernel takes as the step's length
    w.lines += [
        f'  call void @llvm.memcpy.p0.p0.i64(ptr %here, ptr %y, i64 {8 * m}, i1 false)',
        '  br label %head', 'head:',
        '  %from = phi ptr [%here, %entry], [%new, %kept]',  # the two change places
        '  %new = phi ptr [%there, %entry], [%from, %kept]',
        '  %i = phi i64 [0, %entry], [%next, %kept]',
        '  %kept_rows = phi i64 [0, %entry], [%rows, %kept]',
        '  %more = icmp slt i64 %i, %count', '  br i1 %more, label %step, label %done', 'step:']
    wrong = (euler if method == 'semi_implicit_euler' else explicit)(w, method)
    if back:
        w.lines += [
            '  br label %back', 'back:', '  %pass = phi i64 [1, %step], [%next_pass, %back]',
            '  %projected = call i32 %p(ptr %new, ptr %pwork, ptr %new)',
            '  %next_pass = add i64 %pass, 1', '  %short = icmp ne i32 %projected, 0',
            f'  %may = icmp slt i64 %pass, {PASSES}', '  %again = and i1 %short, %may',
            '  br i1 %again, label %back, label %closed', 'closed:']
        wrong = w.emit(f'or i32 {wrong}, %projected', 'i32')
    wrong = w.emit(f'icmp ne i32 {wrong}, 0', 'i1')
    for k in range(lanes * nv):
        lane, joint = divmod(k, nv)
        size = w.emit(f'call double @llvm.fabs.f64(double {w.load("%new", lanes * nq + k)})')
        wrong = w.emit(f'or i1 {wrong}, ' + w.emit(
            f'fcmp uge double {size}, {double(RUNAWAY)}', 'i1'), 'i1')
        if places[joint] >= 0:
            x = w.load('%new', lane * nq + places[joint])
            for bound, condition in (('%lower', 'ult'), ('%upper', 'ugt')):
                wrong = w.emit(f'or i1 {wrong}, ' + w.emit(
                    f'fcmp {condition} double {x}, {w.load(bound, k)}', 'i1'), 'i1')
    wrong = turned(w, wrong, joints) if joints else wrong
    w.lines += [
        f'  br i1 {wrong}, label %done, label %take', 'take:',
        '  %next = add i64 %i, 1', '  %rest = urem i64 %next, %every',
        '  %sample = icmp eq i64 %rest, 0', '  br i1 %sample, label %keep, label %skip', 'keep:',
        f'  %place = mul i64 %kept_rows, {m}',
        '  %row = getelementptr double, ptr %out, i64 %place',
        f'  call void @llvm.memcpy.p0.p0.i64(ptr %row, ptr %new, i64 {8 * m}, i1 false)',
        '  %one_more = add i64 %kept_rows, 1', '  br label %kept', 'skip:', '  br label %kept',
        'kept:', '  %rows = phi i64 [%one_more, %keep], [%kept_rows, %skip]', '  br label %head',
        'done:',
        f'  call void @llvm.memcpy.p0.p0.i64(ptr %y, ptr %from, i64 {8 * m}, i1 false)',
        '  ret i64 %i', '}',
        'declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)',
        'declare double @llvm.fabs.f64(double)']
    return '\n'.join(w.lines)


class Text:
    """Lines of one function over the states of some robots."""

    def __init__(self, nq: int, nv: int, lanes: int) -> None:
        self.lines: list[str] = []
        self.count = 0
        self.more = ''  # arguments of the kernel after the torque
        self.values, self.size = lanes * nq, lanes * (nq + nv)
        places = [*((lane, k) for lane in range(lanes) for k in range(nq)),
                  *((lane, nq + k) for lane in range(lanes) for k in range(nv))]
        self.spots = [lane * (nq + nv) + k for lane, k in places]  # of y's numbers in dy/dt

    def emit(self, text: str, kind: str = 'double') -> str:
        """Write an instruction and return its register."""
        self.count += 1
        self.lines.append(f'  %v{self.count} = {text}')
        return f'%v{self.count}'

    def place(self, pointer: str, k: int) -> str:
        """Return the address of a number."""
        return self.emit(f'getelementptr double, ptr {pointer}, i64 {k}', 'ptr')

    def load(self, pointer: str, k: int, width: int = 1) -> str:
        """Load a number, or several that stand side by side."""
        return self.emit(f'load {kind(width)}, ptr {self.place(pointer, k)}, align 8')

    def store(self, value: str, pointer: str, k: int, width: int = 1) -> None:
        """Store what `load` loads."""
        self.lines.append(f'  store {kind(width)} {value}, ptr {self.place(pointer, k)}, align 8')

    def slope(self, k: int, width: int = 1) -> str:
        """Load the rate of number k of the state, and of those after it."""
        return self.load('%rate', self.spots[k], width)

    def chunks(self) -> list[tuple[int, int]]:
        """Return the state's numbers as (first, how many): of each the rates stand together."""
        found, k = [], 0
        while k < self.size:
            spots = self.spots[k:k + WIDTH]
            together = len(spots) == WIDTH and spots[-1] - spots[0] == WIDTH - 1
            found.append((k, WIDTH if together else 1))
            k += found[-1][1]
        return found

    def repeated(self, value: str) -> dict[int, str]:
        """Return a number as it meets one and WIDTH others, by how many."""
        first = self.emit(f'insertelement {kind(WIDTH)} poison, double {value}, i32 0')
        return {1: value, WIDTH: self.emit(
            f'shufflevector {kind(WIDTH)} {first}, {kind(WIDTH)} poison, '
            f'<{WIDTH} x i32> zeroinitializer')}

    def rates(self, source: str, node: int, nodes: int) -> str:
        """Call the kernel at a state; the result goes to %rate, whether it is bad is returned."""
        row = self.emit(f'add i64 {self.emit(f"mul i64 %i, {nodes}", "i64")}, {node}', 'i64')
        index = self.emit(f'mul i64 {row}, %stride', 'i64')
        tau = self.emit(f'getelementptr double, ptr %torque, i64 {index}', 'ptr')
        qd = self.place(source, self.values)
        return self.emit(f'call i32 %f(ptr {source}, ptr {qd}, ptr {tau}{self.more}, ptr %fwork, '
                         'ptr %rate)', 'i32')


def turned(w: Text, wrong: str, joints: int) -> str:
    """Write whether a joint that slides turned round in the step, beside what else is wrong.

    %ways: directions d of all joints, then 1 - |d|: d speed + 1 - |d| is positive if it did not
    """
    qd = w.place('%new', w.values)
    bad = w.emit(f'call i32 %s(ptr %new, ptr {qd}, ptr %swork, ptr %speeds)', 'i32')
    wrong = w.emit(f'or i1 {wrong}, ' + w.emit(f'icmp ne i32 {bad}, 0', 'i1'), 'i1')
    for j in range(joints):
        along = w.emit(f'fmul double {w.load("%ways", j)}, {w.load("%speeds", j)}')
        along = w.emit(f'fadd double {along}, {w.load("%ways", joints + j)}')
        wrong = w.emit(f'or i1 {wrong}, ' + w.emit(f'fcmp ule double {along}, 0.0', 'i1'), 'i1')
    return wrong


def kind(width: int) -> str:
    """Return LLVM's type of so many numbers."""
    return 'double' if width == 1 else f'<{width} x double>'


def moved(w: Text, target: str, length: str, pointer: str) -> None:
    """Write target = state + length times the rates, or times what stands at another pointer."""
    by = w.repeated(length)
    for k, width in w.chunks():
        slope = w.slope(k, width) if pointer == '%rate' else w.load(pointer, k, width)
        way = w.emit(f'fmul {kind(width)} {by[width]}, {slope}')
        w.store(w.emit(f'fadd {kind(width)} {w.load("%from", k, width)}, {way}'), target, k, width)


def explicit(w: Text, method: str) -> str:
    """Write an explicit Runge-Kutta step; return what tells whether it is bad."""
    bad = '0'
    for number, (part, node, weight) in enumerate(STAGES[method]):
        if number:
            moved(w, '%at', w.emit(f'fmul double %h, {double(part)}'), '%rate')
        bad = w.emit(f'or i32 {bad}, {w.rates("%at" if number else "%from", node, 3)}', 'i32')
        share = w.repeated(double(weight))
        for k, width in w.chunks():
            x = w.emit(f'fmul {kind(width)} {w.slope(k, width)}, {share[width]}')
            w.store(x if not number else w.emit(
                f'fadd {kind(width)} {w.load("%sum", k, width)}, {x}'), '%sum', k, width)
    moved(w, '%new', '%h', '%sum')
    return bad


def euler(w: Text, method: str) -> str:
    """Write a step of semi-implicit Euler: the kernel gives dq/dt with the new rates."""
    w.more = ', ptr %at'
    bad = w.rates('%from', 0, 1)
    moved(w, '%new', '%h', '%rate')
    return bad
