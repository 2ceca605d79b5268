"""Writes `call`, which Python calls: a built-in function of positional arguments.

The last argument is the result's array, or None. It looks at the fields of the arrays itself,
which takes nanoseconds, and returns None when an argument is not a contiguous array of float64 of
the right shape, one state or a batch of states, or when the result is bad; the caller then takes
its slow path, which finds out why. Numbers come back as Python's, several results as a tuple.
"""

import math
from typing import Any

# Where the fields of a numpy array stand, and what its flags must contain (numpy's C interface)
DATA, NDIM, DIMENSIONS, DESCR, FLAGS = 16, 24, 32, 56, 64
CONTIGUOUS_ALIGNED, WRITEABLE, ALIGNED_WRITEABLE = 0x101, 0x400, 0x500
FLOAT64 = 12
WORTH_A_THREAD = 5_000_000  # operations of a batch, half a millisecond: two are for two threads

Shape = tuple[int, ...]


def call_function(inputs: dict[str, int], shapes: tuple[Shape, ...], operations: int, *,
                  stacked: bool = False) -> str:
    """Write `call(self, arguments, count)`, self the array `work`; operations: of one state.

    An array that is given for the result may be one of the arguments, and stays as it was when the
    result is bad: who asks why needs the arguments. Of a stack (self: its table, whose second
    number is how many robots it has) the arguments are states of all robots.
    """
    size = sum(math.prod(shape) for shape in shapes)
    lines = ['define ptr @call(ptr %self, ptr %arguments, i64 %count) #0 {',
             f'  %aside = alloca double, i64 {max(1, size)}, align 32',
             f'  %dims = alloca i64, i64 {max(2, *(len(shape) + 1 for shape in shapes))}',
             f'  %strides = alloca i64, i64 {max(len(shape) for shape in shapes) + 1}',
             f'  %enough = icmp eq i64 %count, {len(inputs) + 1}',
             '  br i1 %enough, label %start, label %refuse', 'start:']
    for k, name in enumerate([*inputs, 'given']):
        lines += [f'  %slot_{name} = getelementptr ptr, ptr %arguments, i64 {k}',
                  f'  %{name} = load ptr, ptr %slot_{name}']
    for name in inputs:
        lines += array_of_doubles(name, CONTIGUOUS_ALIGNED)
    first = next(iter(inputs))
    lines += ['  %fresh = icmp eq ptr %given, @rd_none', *field('self', 'data', DATA),
              f'  %many = icmp eq i32 %{first}_ndim, 2',
              '  br i1 %many, label %batch, label %one', 'one:']
    pointers = ''.join(f'ptr %{x}_data, ' for x in inputs)
    if stacked:
        lines.append('  br label %refuse')
    else:
        for name, n in inputs.items():
            lines += has_shape(name, 'one', [n])
        one = array_result if len(shapes) == 1 and shapes[0] else tuple_result
        lines += one(pointers, shapes)
    lines.append('batch:')
    if stacked:
        lines += ['  %robots_at = getelementptr i64, ptr %self_data, i64 1',
                  '  %robots = load i64, ptr %robots_at',
                  f'  %states = load i64, ptr %{first}_dims',
                  '  %each = icmp eq i64 %robots, %states',
                  '  br i1 %each, label %matched, label %refuse', 'matched:']
    if len(shapes) == 1:
        lines += batch_result(inputs, pointers, shapes[0], 2 * WORTH_A_THREAD // (operations + 1))
    else:
        lines += batch_parts(inputs, pointers, shapes, 2 * WORTH_A_THREAD // (operations + 1))
    return '\n'.join([*lines, 'refuse:', '  call void @Py_IncRef(ptr @rd_none)',
                      '  ret ptr @rd_none', 'error:', '  ret ptr null', '}'])


def array_result(pointers: str, shapes: tuple[Shape, ...]) -> list[str]:
    """Write the call for one state whose result is an array."""
    shape = shapes[0]
    return [
        '  br i1 %fresh, label %new, label %old', 'new:', *new_array('array', shape),
        '  br label %go', 'old:', *array_of_doubles('given', CONTIGUOUS_ALIGNED | WRITEABLE),
        *has_shape('given', 'one', shape), '  call void @Py_IncRef(ptr %given)',
        '  br label %go', 'go:',
        f'  %out = phi ptr [%array, %array_made], [%given, %given_one{len(shape)}]',
        *field('out', 'data', DATA), '  %place = select i1 %fresh, ptr %out_data, ptr %aside',
        f'  %bad = call i32 @single({pointers}ptr %self_data, ptr %place)',
        '  %good = icmp eq i32 %bad, 0', '  br i1 %good, label %answer, label %drop', 'answer:',
        '  br i1 %fresh, label %done, label %copy', 'copy:',
        *copy('%out_data', 0, math.prod(shape)), '  br label %done', 'done:', '  ret ptr %out',
        'drop:', '  call void @Py_DecRef(ptr %out)', '  br label %refuse']


def tuple_result(pointers: str, shapes: tuple[Shape, ...]) -> list[str]:
    """Write the call for one state whose result is a number, or several results."""
    lines = ['  br i1 %fresh, label %go, label %refuse', 'go:',
             f'  %bad = call i32 @single({pointers}ptr %self_data, ptr %aside)',
             '  %good = icmp eq i32 %bad, 0', '  br i1 %good, label %answer, label %refuse',
             'answer:']
    start = 0
    for k, shape in enumerate(shapes):
        if shape:
            lines += [*new_array(f'part{k}', shape), *field(f'part{k}', 'data', DATA),
                      *copy(f'%part{k}_data', start, math.prod(shape))]
        else:
            lines += [f'  %at{k} = getelementptr double, ptr %aside, i64 {start}',
                      f'  %number{k} = load double, ptr %at{k}',
                      f'  %part{k} = call ptr @PyFloat_FromDouble(double %number{k})']
        start += math.prod(shape)
    if len(shapes) == 1:
        return [*lines, '  ret ptr %part0']
    lines.append(f'  %tuple = call ptr @PyTuple_New(i64 {len(shapes)})')
    for k in range(len(shapes)):
        lines.append(f'  %set{k} = call i32 @PyTuple_SetItem(ptr %tuple, i64 {k}, ptr %part{k})')
    return [*lines, '  ret ptr %tuple']


def batch_result(inputs: dict[str, int], pointers: str, shape: Shape, most: int) -> list[str]:
    """Write the call for up to `most` states, whose results are rows of one array."""
    return [
        *batch_sizes(inputs, most), '  br i1 %fresh, label %new_rows, label %old_rows',
        'new_rows:', *new_array('rows', ['%N', *shape]), '  br label %go_rows', 'old_rows:',
        *array_of_doubles('given', CONTIGUOUS_ALIGNED | WRITEABLE, 'rows'),
        *has_shape('given_rows', 'many', ['%N', *shape]), *apart(inputs, shape),
        '  call void @Py_IncRef(ptr %given)', '  br label %go_rows', 'go_rows:',
        '  %all = phi ptr [%rows, %rows_made], [%given, %apart]', *field('all', 'data', DATA),
        *batch_call(pointers, 'all'), '  ret ptr %all', *lose('all')]


def batch_parts(
        inputs: dict[str, int], pointers: str, shapes: tuple[Shape, ...], most: int) -> list[str]:
    """Write the call for up to `most` states with several results: a tuple of views of one array.

    A state's results stand side by side in it, as the kernel writes them.
    """
    size, start = sum(math.prod(shape) for shape in shapes), 0
    lines = [*batch_sizes(inputs, most), '  br i1 %fresh, label %new_rows, label %refuse',
             'new_rows:', *new_array('rows', ['%N', size]), *field('rows', 'data', DATA),
             *batch_call(pointers, 'rows'),
             f'  %views = call ptr @PyTuple_New(i64 {len(shapes)})']
    for k, shape in enumerate(shapes):
        steps = [8 * size, *(8 * math.prod(shape[m + 1:]) for m in range(len(shape)))]
        for m, (length, step) in enumerate(zip(['%N', *shape], steps, strict=True)):
            lines += [f'  %view{k}_dim{m} = getelementptr i64, ptr %dims, i64 {m}',
                      f'  store i64 {length}, ptr %view{k}_dim{m}',
                      f'  %view{k}_step{m} = getelementptr i64, ptr %strides, i64 {m}',
                      f'  store i64 {step}, ptr %view{k}_step{m}']
        lines += [
            f'  %view{k}_data = getelementptr double, ptr %rows_data, i64 {start}',
            f'  %view{k} = call ptr @rd_array_new(ptr @rd_array_type, i32 {len(steps)}, '
            f'ptr %dims, i32 {FLOAT64}, ptr %strides, ptr %view{k}_data, i32 0, '
            f'i32 {ALIGNED_WRITEABLE}, ptr null)',
            '  call void @Py_IncRef(ptr %rows)',
            f'  %based{k} = call i32 @rd_array_base(ptr %view{k}, ptr %rows)',
            f'  %viewed{k} = call i32 @PyTuple_SetItem(ptr %views, i64 {k}, ptr %view{k})']
        start += math.prod(shape)
    return [*lines, '  call void @Py_DecRef(ptr %rows)', '  ret ptr %views', *lose('rows')]


def batch_sizes(inputs: dict[str, int], most: int) -> list[str]:
    """Refuse a batch that is empty, has more than `most` states, or arguments of other shapes."""
    first = next(iter(inputs))
    lines = [f'  %N = load i64, ptr %{first}_dims', '  %some = icmp sgt i64 %N, 0',
             f'  %few = icmp sle i64 %N, {most}', '  %fits = and i1 %some, %few',
             '  br i1 %fits, label %sized, label %refuse', 'sized:']
    for name, n in inputs.items():
        lines += has_shape(name, 'many', ['%N', n])
    return lines


def batch_call(pointers: str, rows: str) -> list[str]:
    """Write the call of `batch`; what follows has good results in %<rows>."""
    return [f'  %worse = call i32 @batch({pointers}ptr %self_data, ptr %{rows}_data, i64 %N)',
            '  %well = icmp eq i32 %worse, 0', '  br i1 %well, label %rows_done, label %lose',
            'rows_done:']


def lose(rows: str) -> list[str]:
    """Write what is done where a result is bad."""
    return ['lose:', f'  call void @Py_DecRef(ptr %{rows})', '  br label %refuse']


def apart(inputs: dict[str, int], shape: Shape) -> list[str]:
    """Refuse an array for the results that shares memory with an argument."""
    lines = [f'  %bytes = mul i64 %N, {8 * math.prod(shape)}',
             '  %begin = ptrtoint ptr %given_rows_data to i64',
             '  %end = add i64 %begin, %bytes']
    for name, n in inputs.items():
        lines += [f'  %{name}_begin = ptrtoint ptr %{name}_data to i64',
                  f'  %{name}_bytes = mul i64 %N, {8 * n}',
                  f'  %{name}_end = add i64 %{name}_begin, %{name}_bytes',
                  f'  %{name}_before = icmp ule i64 %{name}_end, %begin',
                  f'  %{name}_after = icmp uge i64 %{name}_begin, %end',
                  f'  %{name}_apart = or i1 %{name}_before, %{name}_after',
                  f'  br i1 %{name}_apart, label %{name}_clear, label %refuse', f'{name}_clear:']
    return [*lines, '  br label %apart', 'apart:']


def field(array: str, name: str, offset: int, type_: str = 'ptr', of: str = '') -> list[str]:
    """Load a field of an object into %<array>_<name>; of: the object, if it is another."""
    return [f'  %{array}_{name}_at = getelementptr i8, ptr %{of or array}, i64 {offset}',
            f'  %{array}_{name} = load {type_}, ptr %{array}_{name}_at']


def array_of_doubles(name: str, flags: int, where: str = '') -> list[str]:
    """Refuse what is not an array of doubles with these flags; load its fields.

    where: mark of the fields' names, for an object that is looked at in two places
    """
    mark = f'{name}_{where}' if where else name
    return [*field(mark, 'type', 8, of=name),
            f'  %{mark}_is_array = icmp eq ptr %{mark}_type, @rd_array_type',
            f'  br i1 %{mark}_is_array, label %{mark}_array, label %refuse', f'{mark}_array:',
            *field(mark, 'descr', DESCR, of=name), *field(mark, 'ndim', NDIM, 'i32', of=name),
            *field(mark, 'flags', FLAGS, 'i32', of=name),
            *field(mark, 'dims', DIMENSIONS, of=name), *field(mark, 'data', DATA, of=name),
            f'  %{mark}_double = icmp eq ptr %{mark}_descr, @rd_double',
            f'  %{mark}_have = and i32 %{mark}_flags, {flags}',
            f'  %{mark}_flagged = icmp eq i32 %{mark}_have, {flags}',
            f'  %{mark}_plain = and i1 %{mark}_double, %{mark}_flagged',
            f'  br i1 %{mark}_plain, label %{mark}_known, label %refuse', f'{mark}_known:']


def has_shape(name: str, where: str, shape: list[Any] | Shape) -> list[str]:
    """Refuse an array that has another shape; the last label is <name>_<where><rank>."""
    lines = [f'  %{name}_{where}_rank = icmp eq i32 %{name}_ndim, {len(shape)}',
             f'  br i1 %{name}_{where}_rank, label %{name}_{where}0, label %refuse',
             f'{name}_{where}0:']
    for k, size in enumerate(shape):
        mark = f'{name}_{where}_dim{k}'
        lines += [f'  %{mark}_at = getelementptr i64, ptr %{name}_dims, i64 {k}',
                  f'  %{mark} = load i64, ptr %{mark}_at',
                  f'  %{mark}_ok = icmp eq i64 %{mark}, {size}',
                  f'  br i1 %{mark}_ok, label %{name}_{where}{k + 1}, label %refuse',
                  f'{name}_{where}{k + 1}:']
    return lines


def new_array(name: str, shape: list[Any] | Shape) -> list[str]:
    """Make an array of doubles; ends in the block <name>_made."""
    lines = []
    for k, size in enumerate(shape):
        lines += [f'  %{name}_size{k} = getelementptr i64, ptr %dims, i64 {k}',
                  f'  store i64 {size}, ptr %{name}_size{k}']
    return [*lines, f'  %{name} = call ptr @rd_array_new(ptr @rd_array_type, i32 {len(shape)}, '
            f'ptr %dims, i32 {FLOAT64}, ptr null, ptr null, i32 0, i32 0, ptr null)',
            f'  %{name}_failed = icmp eq ptr %{name}, null',
            f'  br i1 %{name}_failed, label %error, label %{name}_made', f'{name}_made:']


def copy(target: str, start: int, size: int) -> list[str]:
    """Copy results that were computed aside."""
    return [f'  {target}_from = getelementptr double, ptr %aside, i64 {start}',
            f'  call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {target}_from, '
            f'i64 {8 * size}, i1 false)']
