"""Aligned text tables for the terminal."""

from collections.abc import Collection


def align(rows: list[list[str]], right: Collection[int] = ()) -> list[str]:
    """Return the rows as lines with aligned columns, a rule under the first; right: columns."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = ['  '.join(word.rjust(width) if k in right else word.ljust(width)
                       for k, (word, width) in enumerate(zip(row, widths, strict=True))).rstrip()
             for row in rows]
    return [lines[0], '  '.join('-' * width for width in widths), *lines[1:]]
