"""Loads states into the lanes of vectors, a state in each, and stores results from them.

States and results stand in memory row by row; a vector has the same number of several states, a
column. So squares are transposed: of as many numbers as there are lanes, or of WIDTH where rows
are shorter than that, two squares in a vector.
"""

from collections.abc import Iterable

from robot_dynamics.engine.emission.elementary import Writer

WIDTH = 4  # states of a vector
WIDE = 8  # where the processor has registers for them and results are few; see `lanes`


def lanes(shapes: tuple[tuple[int, ...], ...], wide: int) -> int:
    """Return how many states a block has; shapes: of one state's results.

    Where a processor halves vectors of eight, matrices are stored as fast as four lanes compute
    them: transposing eight takes longer.
    wide: vectors of eight pay on this processor, 1: for vectors, 2: for matrices too
    """
    pays = wide > 1 or (wide == 1 and all(len(shape) < 2 for shape in shapes))
    return WIDE if pays else WIDTH


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
    columns, count = [''] * size, together(size, w.width)
    if count == 1:
        for k in range(size):
            vector = 'poison'
            for row in range(w.width):
                vector = w.emit(f'insertelement {w.type} {vector}, '
                                f'double {load("double", row * size + k)}, i32 {row}')
            columns[k] = vector
        return columns
    part = f'<{count} x double>'
    for start in chunks(size, count):
        rows = [load(part, row * size + start) for row in range(w.width)]
        if count < w.width:  # row k and row k + count, side by side
            rows = [w.emit(f'shufflevector {part} {a}, {part} {b}, {mask(range(w.width))}')
                    for a, b in zip(rows[:count], rows[count:], strict=True)]
        columns[start:start + count] = transposed(w, rows)
    return columns


def store_columns(w: Writer, pointer: str, columns: list[str], start: int, size: int) -> None:
    """Store one result (width 1), or some columns of rows of `size` results, as `together`."""
    def store(type_: str, register: str, k: int) -> None:
        address = w.emit(f'getelementptr double, ptr {pointer}, i64 {k}')
        w.lines.append(f'  store {type_} {register}, ptr {address}, align 8')

    count = len(columns)
    if w.width == 1:
        store('double', columns[0], start)
    elif count == 1:
        for row in range(w.width):
            scalar = w.emit(f'extractelement {w.type} {columns[0]}, i32 {row}')
            store('double', scalar, row * size + start)
    else:
        for k, vector in enumerate(transposed(w, columns)):
            for row in range(k, w.width, count):
                part = vector if count == w.width else w.emit(
                    f'shufflevector {w.type} {vector}, {w.type} poison, '
                    f'{mask(range(row - k, row - k + count))}')
                store(f'<{count} x double>', part, row * size + start)


def together(size: int, width: int) -> int:
    """Return how many columns of rows of `size` numbers are loaded or stored at once."""
    if size >= width:
        return width
    return WIDTH if size >= WIDTH and width == WIDE else 1


def chunks(size: int, width: int) -> list[int]:
    """Return where the groups of columns begin; the last may overlap the one before."""
    return [min(start, size - width) for start in range(0, size, width)]


def transposed(w: Writer, rows: list[str]) -> list[str]:
    """Return the columns of a square matrix: blocks off the diagonal change places, by size.

    Of fewer rows than lanes: those of the square matrices that stand in them side by side.
    """
    n, rows, half = w.width, list(rows), 1
    while half < len(rows):
        left = [k - half + n if k & half else k for k in range(n)]
        right = [k + n if k & half else k + half for k in range(n)]
        for i in range(len(rows)):
            if not i & half:
                a, b = rows[i], rows[i + half]
                rows[i], rows[i + half] = (
                    w.emit(f'shufflevector {w.type} {a}, {w.type} {b}, {mask(lanes)}')
                    for lanes in (left, right))
        half *= 2
    return rows


def mask(lanes: Iterable[int]) -> str:
    """Return which lanes of two vectors a shuffle takes."""
    numbers = [f'i32 {k}' for k in lanes]
    return f'<{len(numbers)} x i32> <{", ".join(numbers)}>'
