"""Determinants without division, for Bhangale2004 (21): no pivot of symbols can be chosen."""

from typing import Any

from robot_dynamics.model.denoc import Array


def determinant(matrix: Array) -> Any:
    """Return the determinant of a small square matrix, by Laplace's expansion row by row.

    The minors of the first rows are kept by their columns: k 2^(k-1) products for k rows.
    """
    size = len(matrix)
    minors = {frozenset[int](): 1.0}
    for row in range(size):
        grown: dict[Any, Any] = {}
        for columns, minor in minors.items():
            for k in range(size):
                if k not in columns:
                    sign = (-1) ** sum(column > k for column in columns)
                    grown.setdefault(columns | {k}, []).append(sign * matrix[row, k] * minor)
        minors = {columns: sum(terms[1:], terms[0]) for columns, terms in grown.items()}
    return minors[frozenset(range(size))]
