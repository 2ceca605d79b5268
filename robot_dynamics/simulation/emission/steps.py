"""Writes the fixed-step methods as LLVM code that calls a kernel's machine code at every stage.

A function of the module for m numbers (the n joints of one robot, or of the four of a block):

    done = method(f, work, state, torque, stride, h, relax, steps, every, lower, upper, out,
                  code)
    done = method_held(..., code, free, least, most, direction)

f, work: the kernel of forward dynamics and its prepared parameters; state: q then qd, updated;
torque: of each step's nodes (tableaus.NODES), `stride` numbers apart (0: always the same);
relax: what part of each change the sweeps of an implicit step take (1 unless damping is stiff);
out: a row [q, qd] after every `every` steps. It returns the number of steps done; code says why it
ended: 0 all done, 1 a result is not finite, singular or runs away, 2 something may have happened
within the step: a joint at or near a stop, and of the second kind a reaction beyond its bounds or
a joint that turned round. The state is then that before the step.

A further argument comes last where more than torques of time drives the robot (drives.py):
`drive`, addresses in the order of DRIVE (emission/drives.py). A control law's torques are then
made at every stage of a row of its reference, cut at `limit`, and code is 2 where one is beyond
`watch`; `pull` turns wrenches into torques; `sliding` is added.

The second kind takes the kernel of held_dynamics. free, least, most, direction: m numbers each, 1
for joints that move, the bounds of the reactions (infinite where free), the directions of joints
that slide (0 where that does not matter).
"""

from collections.abc import Sequence

from robot_dynamics.engine.emission.elementary import Writer
from robot_dynamics.simulation.emission.drives import DRIVE, write_drive
from robot_dynamics.simulation.tableaus import CLOSE, GAUSS_A, GAUSS_B, ITERATIONS, NODES, RUNAWAY

ARGUMENTS = ('ptr %f, ptr %work, ptr %state, ptr %torque, i64 %stride, double %h, '
             'double %relax, i64 %steps, i64 %every, ptr %lower, ptr %upper, ptr %out, ptr %code')
HELD_ARGUMENTS = ', ptr %free, ptr %least, ptr %most, ptr %direction'


class Steps(Writer):
    """Writes one method over vectors of m numbers."""

    def __init__(self, m: int, method: str, held: bool, law: str = '', pulls: int = 0) -> None:
        super().__init__(m)
        self.method = method
        self.held = held
        self.law, self.pulls = law, pulls  # see drives.py
        self.nodes = len(NODES[method])

    def load(self, pointer: str) -> str:
        """Load m numbers."""
        return self.emit(f'load {self.type}, ptr {pointer}, align 8')

    def store(self, x: str, pointer: str) -> None:
        """Store m numbers."""
        self.lines.append(f'  store {self.type} {x}, ptr {pointer}, align 8')

    def at(self, pointer: str, index: str) -> str:
        """Return the address of a double."""
        return self.emit(f'getelementptr double, ptr {pointer}, i64 {index}')

    def at_pointer(self, pointer: str, index: int) -> str:
        """Return the address of an address."""
        return self.emit(f'getelementptr ptr, ptr {pointer}, i64 {index}')

    def repeated(self, x: str) -> str:
        """Return a scalar in all lanes."""
        if self.width == 1:
            return x
        first = self.emit(f'insertelement {self.type} poison, double {x}, i32 0')
        return self.emit(f'shufflevector {self.type} {first}, {self.type} poison, '
                         f'<{self.width} x i32> zeroinitializer')

    def absolute_of(self, x: str) -> str:
        """Return |x|, the sign's bit cleared."""
        bits = self.integer_binary('and', self.bits(x), self.integers(0x7fff_ffff_ffff_ffff))
        return self.from_bits(bits)

    def any(self, condition: str, x: str, y: str) -> str:
        """Return whether x and y compare so in any lane."""
        return self.any_of(self.emit(f'fcmp {condition} {self.type} {x}, {y}'))

    def all_of(self, *comparisons: tuple[str, str, str]) -> str:
        """Return the lanes in which all comparisons (condition, x, y) hold."""
        lanes = ''
        for condition, x, y in comparisons:
            these = self.emit(f'fcmp {condition} {self.type} {x}, {y}')
            kind = 'i1' if self.width == 1 else f'<{self.width} x i1>'
            lanes = self.emit(f'and {kind} {lanes}, {these}') if lanes else these
        return lanes

    def any_of(self, lanes: str) -> str:
        """Return whether a condition holds in any lane."""
        if self.width == 1:
            return lanes
        bits = self.emit(f'bitcast <{self.width} x i1> {lanes} to i{self.width}')
        return self.emit(f'icmp ne i{self.width} {bits}, 0')

    def label(self, name: str) -> None:
        """Begin a block."""
        self.lines.append(f'{name}:')

    def branch(self, condition: str, yes: str, no: str) -> None:
        """End a block."""
        self.lines.append(f'  br i1 {condition}, label %{yes}, label %{no}')

    def go(self, label: str) -> None:
        """End a block."""
        self.lines.append(f'  br label %{label}')

    def acceleration(self, q: str, v: str, node: int) -> str:
        """Call the kernel at a stage; %bad gathers what it says."""
        self.store(q, '%at_q')
        self.store(v, '%at_v')
        index = self.emit(f'add i64 %first_node, {node}')
        tau = self.at('%torque', self.emit(f'mul i64 {index}, %stride'))
        if self.law or self.pulls:
            tau = write_drive(self, tau, q, v)
        free = ', ptr %free' if self.held else ''
        self.ask('%f', f'ptr %at_q, ptr %at_v, ptr {tau}{free}, ptr %work, ptr %at_a')
        a = self.load('%at_a')
        if not self.held:
            return a
        less = self.any('olt', a, self.load('%least'))
        self.note(self.emit(f'or i1 {less}, {self.any("ogt", a, self.load("%most"))}'))
        return self.binary('fmul', a, self.load('%free'))

    def ask(self, kernel: str, arguments: str) -> None:
        """Call a kernel; %bad gathers what it says."""
        bad = self.emit(f'call i32 {kernel}({arguments})')
        before = self.emit('load i32, ptr %bad')
        after = self.emit(f'or i32 {before}, {bad}')
        self.lines.append(f'  store i32 {after}, ptr %bad')

    def note(self, happened: str) -> None:
        """Join something that ends the modes to %left."""
        before = self.emit('load i1, ptr %left')
        after = self.emit(f'or i1 {before}, {happened}')
        self.lines.append(f'  store i1 {after}, ptr %left')

    def chosen(self, condition: str, x: str, y: str, other: str) -> str:
        """Return `other` in the lanes where x and y compare so, x in the rest."""
        lanes = self.emit(f'fcmp {condition} {self.type} {x}, {y}')
        kind = 'i1' if self.width == 1 else f'<{self.width} x i1>'
        return self.emit(f'select {kind} {lanes}, {self.type} {other}, {self.type} {x}')


def function_text(m: int, method: str, held: bool, law: str = '', pulls: int = 0) -> str:
    """Return the function of one method for m numbers; held: that of the second kind."""
    w = Steps(m, method, held, law, pulls)
    vectors = ['at_q', 'at_v', 'at_a', 'at_tau', *(f'k{i}' for i in range(w.nodes))]
    driven = bool(law or pulls)
    for k, name in enumerate(DRIVE if driven else ()):
        w.lines.append(f'  %{name} = load ptr, ptr {w.at_pointer("%drive", k)}')
    w.lines += [f'  %{name} = alloca [{m} x double], align 32' for name in vectors]
    w.lines += [f'  %{name} = alloca {type_}' for name, type_ in (
        ('bad', 'i32'), ('left', 'i1'), ('step', 'i64'),
        ('since', 'i64'), ('row', 'i64'), ('sweep', 'i64'))]
    w.lines += [f'  store i64 0, ptr %{name}' for name in ('step', 'since', 'row')]
    for i in range(w.nodes):
        w.store(w.constant(0.0), f'%k{i}')
    w.lines += ['  store i32 0, ptr %code', '  %v_state = getelementptr double, ptr %state, '
                f'i64 {m}']
    h = w.repeated('%h')
    w.go('head')
    w.label('head')
    w.lines += ['  %now = load i64, ptr %step', '  %more = icmp slt i64 %now, %steps']
    w.branch('%more', 'body', 'done')
    w.label('body')
    w.lines += ['  store i32 0, ptr %bad', '  store i1 0, ptr %left',
                f'  %first_node = mul i64 %now, {w.nodes}']
    q, v = w.load('%state'), w.load('%v_state')
    q1, v1 = WRITERS[method](w, q, v, h)
    write_checks(w, v, q1, v1, h)
    write_end(w, q1, v1)
    more = HELD_ARGUMENTS * held + ', ptr %drive' * driven
    return '\n'.join([f'define i64 @{method}({ARGUMENTS}{more}) {{', 'entry:', *w.lines, '}'])


def write_checks(w: Steps, v: str, q1: str, v1: str, h: str) -> None:
    """Write what is looked for after a step: failures, joints at stops, joints that turn round.

    A joint that turned within the step was at most h |v1| / 2 further than where it ends.
    """
    said = w.emit('load i32, ptr %bad')
    wrong = w.emit(f'icmp ne i32 {said}, 0')
    wrong = w.emit(f'or i1 {wrong}, {w.any("ugt", w.absolute_of(v1), w.constant(RUNAWAY))}')
    w.branch(wrong, 'failed', 'finite')
    w.label('finite')
    lower, upper, zero = w.load('%lower'), w.load('%upper'), w.constant(0.0)
    back = w.binary('fmul', w.binary('fmul', h, w.constant(-0.5)), v1)
    furthest = w.binary('fadd', q1, back)
    events = [w.any('olt', q1, lower), w.any('ogt', q1, upper),
              w.any_of(w.all_of(('olt', v, zero), ('ogt', v1, zero), ('olt', furthest, lower))),
              w.any_of(w.all_of(('ogt', v, zero), ('olt', v1, zero), ('ogt', furthest, upper)))]
    if w.held:
        events.append(w.any('olt', w.binary('fmul', w.load('%direction'), v1), zero))
    if w.held or w.law:
        events.append(w.emit('load i1, ptr %left'))
    happened = events[0]
    for event in events[1:]:
        happened = w.emit(f'or i1 {happened}, {event}')
    w.branch(happened, 'stop', 'accept')


def write_end(w: Steps, q1: str, v1: str) -> None:
    """Write what ends a step: the record, the next one."""
    m = w.width
    w.label('accept')
    w.store(q1, '%state')
    w.store(v1, '%v_state')
    w.lines += ['  %next = add i64 %now, 1', '  store i64 %next, ptr %step',
                '  %count0 = load i64, ptr %since', '  %count = add i64 %count0, 1',
                '  %due = icmp eq i64 %count, %every']
    w.branch('%due', 'record', 'skip')
    w.label('record')
    w.lines += ['  %row0 = load i64, ptr %row']
    target = w.at('%out', w.emit(f'mul i64 %row0, {2 * m}'))
    w.store(q1, target)
    w.store(v1, w.at(target, str(m)))
    w.lines += ['  %row1 = add i64 %row0, 1', '  store i64 %row1, ptr %row',
                '  store i64 0, ptr %since', '  br label %head', 'skip:',
                '  store i64 %count, ptr %since', '  br label %head', 'failed:',
                '  store i32 1, ptr %code', '  ret i64 %now', 'stop:',
                '  store i32 2, ptr %code', '  ret i64 %now', 'done:', '  ret i64 %now']


def write_euler(w: Steps, q: str, v: str, h: str) -> tuple[str, str]:
    """Write qd1 = qd + h qdd(q, qd), q1 = q + h qd1."""
    v1 = w.multiply_add(h, w.acceleration(q, v, 0), v)
    return w.multiply_add(h, v1, q), v1


def write_rk4(w: Steps, q: str, v: str, h: str) -> tuple[str, str]:
    """Write the classical Runge-Kutta step."""
    half = w.binary('fmul', h, w.constant(0.5))
    sixth = w.binary('fmul', h, w.constant(1 / 6))
    rates, accelerations = [v], [w.acceleration(q, v, 0)]
    for part, node in ((half, 1), (half, 1), (h, 2)):
        q_stage = w.multiply_add(part, rates[-1], q)
        v_stage = w.multiply_add(part, accelerations[-1], v)
        rates.append(v_stage)
        accelerations.append(w.acceleration(q_stage, v_stage, node))

    def total(k: list[str], start: str) -> str:
        middle = w.binary('fmul', w.binary('fadd', k[1], k[2]), w.constant(2.0))
        ends = w.binary('fadd', k[0], k[3])
        return w.multiply_add(sixth, w.binary('fadd', ends, middle), start)

    return total(rates, q), total(accelerations, v)


def write_gauss(w: Steps, q: str, v: str, h: str) -> tuple[str, str]:
    """Write Gauss's collocation, its stages found by fixed-point sweeps.

    They begin at the accelerations of the step before.
    """
    A, B = GAUSS_A[w.method], GAUSS_B[w.method]
    stages = range(len(B))

    def combined(weights: Sequence[float], values: list[str], start: str) -> str:
        total = start
        for weight, x in zip(weights, values, strict=True):
            scaled = w.binary('fmul', h, w.constant(weight))
            total = w.multiply_add(scaled, x, total)
        return total

    relax = w.repeated('%relax')
    w.lines.append('  store i64 0, ptr %sweep')
    w.go('sweeps')
    w.label('sweeps')
    k = [w.load(f'%k{i}') for i in stages]
    moved = None
    for i in stages:
        rates = [combined(row, k, v) for row in A]
        a = w.acceleration(combined(A[i], rates, q), rates[i], i)
        difference = w.binary('fsub', a, k[i])
        change = w.binary('fmul', w.absolute_of(difference), h)
        size = w.binary('fadd', w.absolute_of(rates[i]), w.constant(1.0))
        far = w.any('ugt', change, w.binary('fmul', size, w.constant(CLOSE)))
        moved = far if moved is None else w.emit(f'or i1 {moved}, {far}')
        k[i] = w.multiply_add(relax, difference, k[i])
        w.store(k[i], f'%k{i}')
    w.lines += ['  %sweeps_done = load i64, ptr %sweep',
                '  %sweeps_next = add i64 %sweeps_done, 1',
                '  store i64 %sweeps_next, ptr %sweep',
                f'  %many = icmp sge i64 %sweeps_next, {ITERATIONS}',
                '  %said = load i32, ptr %bad', '  %ill = icmp ne i32 %said, 0',
                '  %hopeless = or i1 %many, %ill']
    w.branch(str(moved), 'again', 'converged')
    w.label('again')
    w.branch('%hopeless', 'failed', 'sweeps')
    w.label('converged')
    rates = [combined(row, k, v) for row in A]
    return combined(B, rates, q), combined(B, k, v)


WRITERS = {'semi_implicit_euler': write_euler, 'rk4': write_rk4,
           'implicit_midpoint': write_gauss, 'gauss4': write_gauss}
