"""Aligned text tables for the terminal."""

from collections.abc import Collection, Iterable

import numpy as np

ROUNDING = 1e-13  # beside the largest number of a column: what is less is rounding


def align(rows: list[list[str]], right: Collection[int] = ()) -> list[str]:
    """Return the rows as lines with aligned columns, a rule under the first; right: columns.

    A head may have several lines.
    """
    heads = [head.split('\n') for head in rows[0]]
    deep = max(map(len, heads))
    rows = [*([lines[k] if k < len(lines) else '' for lines in heads] for k in range(deep)),
            *rows[1:]]
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = ['  '.join(word.rjust(width) if k in right else word.ljust(width)
                       for k, (word, width) in enumerate(zip(row, widths, strict=True))).rstrip()
             for row in rows]
    return [*lines[:deep], '  '.join('-' * width for width in widths), *lines[deep:]]


def cells(numbers: Iterable[float], digits: int = 6, beside: float = 0.0) -> list[str]:
    """Return a column of numbers as text, with 0 for what is rounding, and for -0.

    beside: how large numbers of this kind are where the column itself may be all rounding
    """
    column = np.array(list(numbers), float)
    size = max(beside, float(np.abs(column[np.isfinite(column)]).max(initial=0.0)))
    shown = np.where(np.abs(column) <= ROUNDING * size, 0.0, column)
    return [f'{x:.{digits}g}' for x in shown + 0.0]  # -0.0 + 0.0 is 0.0
