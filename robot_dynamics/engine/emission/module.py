"""Writes the LLVM module of a kernel: its code for states, the loop over a batch, the call."""

from collections.abc import Callable

from robot_dynamics.engine.emission.arithmetic import fusible_products
from robot_dynamics.engine.emission.call import call_function
from robot_dynamics.engine.emission.columns import WIDE, WIDTH, lanes
from robot_dynamics.engine.emission.elementary import LIMIT, double
from robot_dynamics.engine.emission.groups import GROUP, is_grouped
from robot_dynamics.engine.emission.ir import prepare_function, state_function
from robot_dynamics.engine.emission.packed import packed_function
from robot_dynamics.engine.tracing.program import Program

STREAMED = 12_000_000  # [bytes] of results that no cache is to keep, where
MANY = 64  # or more numbers are a state's result

HEADER = '\n'.join(
    f'declare {kind} @llvm.{name}.{suffix}({", ".join([kind] * count)})'
    for kind, suffix in (('double', 'f64'), *((f'<{width} x double>', f'v{width}f64')
                                              for width in (2, WIDTH, WIDE)))
    for name, count in (('fabs', 1), ('fma', 3), ('copysign', 2), ('sqrt', 1))) + """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare double @sin(double)
declare double @cos(double)
@rd_array_type = external global i8
@rd_double = external global i8
@rd_none = external global i8
declare ptr @rd_array_new(ptr, i32, ptr, i32, ptr, ptr, i32, i32, ptr)
declare i32 @rd_array_base(ptr, ptr)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare ptr @PyFloat_FromDouble(double)
declare ptr @PyTuple_New(i64)
declare i32 @PyTuple_SetItem(ptr, i64, ptr)
attributes #0 = { nounwind }
attributes #1 = { nounwind noinline }
attributes #2 = { nounwind noinline cold }
attributes #3 = { nounwind noinline optnone }
!0 = !{!"branch_weights", i32 1, i32 100000}
!1 = !{i32 1}
"""
LARGE = f"""define internal void @large(ptr %x, ptr %sin, ptr %cos, i64 %lanes) #2 {{
entry:
  br label %head
head:
  %k = phi i64 [0, %entry], [%next, %step]
  %at = getelementptr double, ptr %x, i64 %k
  %angle = load double, ptr %at
  %size = call double @llvm.fabs.f64(double %angle)
  %far = fcmp ugt double %size, {double(LIMIT)}
  br i1 %far, label %true, label %step
true:
  %s = call double @sin(double %angle)
  %at_sin = getelementptr double, ptr %sin, i64 %k
  store double %s, ptr %at_sin
  %c = call double @cos(double %angle)
  %at_cos = getelementptr double, ptr %cos, i64 %k
  store double %c, ptr %at_cos
  br label %step
step:
  %next = add i64 %k, 1
  %more = icmp slt i64 %next, %lanes
  br i1 %more, label %head, label %done
done:
  ret void
}}"""


def module_text(
        program: Program, inputs: dict[str, int], shapes: tuple[tuple[int, ...], ...],
        slots: dict[tuple[str, int], int], *, fused: bool, wide: int = 0) -> str:
    """Return the module; inputs: size of each argument; shapes: of one state's results.

    fused: the processor can multiply and add at once; wide: see `lanes`
    """
    size, width, grouped = len(program.outputs), lanes(shapes, wide), is_grouped(program)
    fusible = fusible_products(program) if fused else set()
    return '\n'.join([
        HEADER, *large_angles(*{WIDTH, width, *(pack.width for pack in program.packs)}),
        prepare_function(program, slots),
        packed_function(program, inputs, fused, fusible) if program.packs else
        state_function('single', 1, program, inputs, fused, fusible),
        state_function('block', width, program, inputs, fused, fusible, grouped=grouped),
        batch_function(inputs, size, width, grouped=grouped), loop_function(inputs, size),
        call_function(inputs, shapes, sum(program.count().values()))])


def large_angles(*widths: int) -> list[str]:
    """Write the C library's sine and cosine for the lanes whose angle is large."""
    return [LARGE, *(large_angle(width) for width in sorted(widths))]


def large_angle(width: int) -> str:
    """Write the function of vectors of a width: it puts them where LARGE goes through them."""
    t = f'<{width} x double>'
    lines = [f'define internal {{{t}, {t}}} @large_{width}({t} %x, {t} %sin, {t} %cos) #2 {{']
    lines += [f'  %at_{name} = alloca {t}\n  store {t} %{name}, ptr %at_{name}'
              for name in ('x', 'sin', 'cos')]
    lines.append(f'  call void @large(ptr %at_x, ptr %at_sin, ptr %at_cos, i64 {width})')
    found = 'poison'
    for k, name in enumerate(('sin', 'cos')):
        lines += [f'  %{name}_true = load {t}, ptr %at_{name}',
                  f'  %with_{name} = insertvalue {{{t}, {t}}} {found}, {t} %{name}_true, {k}']
        found = f'%with_{name}'
    return '\n'.join([*lines, f'  ret {{{t}, {t}}} {found}', '}'])


def batch_function(inputs: dict[str, int], size: int, width: int, room: str = '',
                   prepare: Callable[[str], str] | None = None, *, grouped: bool = False) -> str:
    """Write the loop over the blocks of a batch.

    Large results of large batches go past the processor's caches: a block is computed in a place
    that stays in them and streamed to memory, which need not be read first.

    room, prepare: for a stack, where parameters of a block are prepared, and the call that does it
    grouped: whole groups of blocks come first, unless results are streamed
    """
    names, work = list(inputs), '%work' if prepare is None else '%room'
    prepare = prepare or (lambda row: '')
    pad = '\n'.join(
        f'  %pad_{x} = alloca double, i64 {width * inputs[x]}, align 64' for x in names)
    rows = '\n'.join(f'  %at_{x} = mul i64 %i, {inputs[x]}\n'
                     f'  %row_{x} = getelementptr double, ptr %{x}, i64 %at_{x}' for x in names)
    fill = '\n'.join(
        f'  %from_{x} = mul i64 %state, {inputs[x]}\n'
        f'  %source_{x} = getelementptr double, ptr %{x}, i64 %from_{x}\n'
        f'  %to_{x} = mul i64 %lane, {inputs[x]}\n'
        f'  %target_{x} = getelementptr double, ptr %pad_{x}, i64 %to_{x}\n'
        f'  call void @llvm.memcpy.p0.p0.i64(ptr %target_{x}, ptr %source_{x}, '
        f'i64 {8 * inputs[x]}, i1 false)' for x in names)
    arguments = f"{''.join(f'ptr %row_{x}, ' for x in names)}ptr {work}, ptr %target"
    once = f'  %b = call i32 @block({arguments})'
    if grouped:
        once = f"""  %left = sub i64 %whole, %i
  %many = icmp sge i64 %left, {GROUP * width}
  %kept = xor i1 %stream, true
  %together = and i1 %many, %kept
  br i1 %together, label %grouped, label %alone
grouped:
  %bg = call i32 @group({arguments})
  br label %called
alone:
  %ba = call i32 @block({arguments})
  br label %called
called:
  %b = phi i32 [%bg, %grouped], [%ba, %alone]
  %count = phi i64 [{GROUP * width}, %grouped], [{width}, %alone]"""
    count, filled = ('%count', '%called') if grouped else (str(width), '%loop')
    copies = '\n'.join(
        f'  %k{j} = add i64 %k, {j}\n'
        f'  %kept{j} = getelementptr double, ptr %pad_out, i64 %k{j}\n'
        f'  %pair{j} = load <2 x double>, ptr %kept{j}, align 16\n'
        f'  %sent{j} = getelementptr double, ptr %row_out, i64 %k{j}\n'
        f'  store <2 x double> %pair{j}, ptr %sent{j}, align 16, !nontemporal !1'
        for j in range(0, width, 2))
    return f"""
define i32 @batch({''.join(f'ptr %{x}, ' for x in names)}ptr %work, ptr %out, i64 %N) #3 {{
entry:
{pad}
  %pad_out = alloca double, i64 {width * size}, align 64
{room}
  %whole = and i64 %N, {-width}
  %last = sub i64 %N, 1
  %large = icmp sgt i64 %N, {STREAMED // (8 * size) if size >= MANY else 2**62}
  %place = ptrtoint ptr %out to i64
  %off = and i64 %place, 15
  %aligned = icmp eq i64 %off, 0
  %stream = and i1 %large, %aligned
  br label %head
head:
  %i = phi i64 [0, %entry], [%next, %step]
  %bad = phi i32 [0, %entry], [%worse, %step]
  %more = icmp slt i64 %i, %whole
  br i1 %more, label %loop, label %tail
loop:
{rows}
  %at_out = mul i64 %i, {size}
  %row_out = getelementptr double, ptr %out, i64 %at_out
  %target = select i1 %stream, ptr %pad_out, ptr %row_out
{prepare('%i')}
{once}
  %worse = or i32 %bad, %b
  br i1 %stream, label %copy, label %step
copy:
  %k = phi i64 [0, {filled}], [%k_next, %copy]
{copies}
  %k_next = add i64 %k, {width}
  %copied = icmp eq i64 %k_next, {width * size}
  br i1 %copied, label %step, label %copy
step:
  %next = add i64 %i, {count}
  br label %head
tail:
  %rest = sub i64 %N, %whole
  %none = icmp eq i64 %rest, 0
  br i1 %none, label %done, label %fill
fill:
  %lane = phi i64 [0, %tail], [%lane_next, %fill]
  %wanted = add i64 %whole, %lane
  %inside = icmp slt i64 %wanted, %N
  %state = select i1 %inside, i64 %wanted, i64 %last
{fill}
  %lane_next = add i64 %lane, 1
  %full = icmp eq i64 %lane_next, {width}
  br i1 %full, label %padded, label %fill
padded:
{prepare('%whole')}
  %pb = call i32 @block({''.join(f'ptr %pad_{x}, ' for x in names)}ptr {work}, ptr %pad_out)
  %pad_bad = or i32 %bad, %pb
  %end_at = mul i64 %whole, {size}
  %end = getelementptr double, ptr %out, i64 %end_at
  %bytes = mul i64 %rest, {8 * size}
  call void @llvm.memcpy.p0.p0.i64(ptr %end, ptr %pad_out, i64 %bytes, i1 false)
  br label %done
done:
  %result = phi i32 [%bad, %tail], [%pad_bad, %padded]
  br i1 %stream, label %settle, label %return
settle:
  fence seq_cst
  br label %return
return:
  ret i32 %result
}}"""


def loop_function(inputs: dict[str, int], size: int) -> str:
    """Write a loop over `single`: what a state costs inside a compiled program, one by one."""
    rows = '\n'.join(f'  %at_{x} = mul i64 %i, {n}\n'
                     f'  %row_{x} = getelementptr double, ptr %{x}, i64 %at_{x}'
                     for x, n in {**inputs, 'out': size}.items())
    return f"""
define i32 @loop({''.join(f'ptr %{x}, ' for x in inputs)}ptr %work, ptr %out, i64 %N) #3 {{
entry:
  br label %head
head:
  %i = phi i64 [0, %entry], [%next, %body]
  %bad = phi i32 [0, %entry], [%worse, %body]
  %more = icmp slt i64 %i, %N
  br i1 %more, label %body, label %done
body:
{rows}
  %b = call i32 @single({''.join(f'ptr %row_{x}, ' for x in inputs)}ptr %work, ptr %row_out)
  %worse = or i32 %bad, %b
  %next = add i64 %i, 1
  br label %head
done:
  ret i32 %bad
}}"""
