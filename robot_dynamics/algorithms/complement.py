"""The orthogonal complement of loop closure: passive rates from independent ones.

Closure is J qd = 0. With the columns of J parted into independent and dependent joints,

    J_d qd_d = -J_i qd_i

is solved in the sense of least squares: over-constrained loops, of which planar ones in space are
the usual kind, have more rows than unknowns, and rows that say the same. The columns of J_d are
made orthogonal one after the other, which is what the projections Phi of SahaSchiehlen2001
(10a), (11d) do to the columns A_ei p_i of one leg: no square root, no pivoting, no branch.
Columns that are zero but for one row need none of this.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from robot_dynamics.model.denoc import Array

SINGULAR = 1e-9  # sin^2 of the least angle between a column and those before it: 30 microrad


class Factors(NamedTuple):
    """J_d = P (1 + R) with orthogonal columns P, beside columns that are told one by one."""

    columns: Sequence[Array]  # of J_d, (rows,) each
    single: list[tuple[int, int]]  # columns with one row of their own, and that row
    rows: list[int]  # those of all other columns
    P: dict[int, Array]  # ptilde_k, over these rows
    inverse: dict[int, Any]  # 1 / delta_k; of single columns 1 / their entry
    R: dict[tuple[int, int], Any]  # above the diagonal
    guards: list[tuple[Any, Any]]  # delta_k and what it must exceed, column by column


def orthogonal(columns: Sequence[Array], size: float = 0.0) -> Factors:
    """Make columns orthogonal, each to those before it.

    size: of columns of ordinary length, beside which one may vanish: a joint whose axis comes to
        point at what it moves, as in a universal joint that is bent by a right angle
    """
    single, rows = alone(columns)
    P: dict[int, Array] = {}
    inverse: dict[int, Any] = {}
    R: dict[tuple[int, int], Any] = {}
    guards = []
    for k, column in enumerate(columns):
        own = [column[row] for j, row in single if j == k]
        p = column[rows]
        for i in [] if own else list(P):
            share = product(P[i], p)
            if is_zero(share):
                continue
            R[i, k] = share * inverse[i]
            p = p - P[i] * R[i, k]  # SahaSchiehlen2001 (11c), Phi_{i+1} applied column by column
        delta = own[0] * own[0] if own else product(p, p)  # SahaSchiehlen2001 (11c)
        if not own:
            P[k] = p
        guards.append((delta, SINGULAR * (product(column, column) + size * size)))
        pivot = own[0] if own else delta
        inverse[k] = 1.0 / pivot if not is_zero(pivot) else np.inf
    return Factors(columns, single, rows, P, inverse, R, guards)


def alone(columns: Sequence[Array]) -> tuple[list[tuple[int, int]], list[int]]:
    """Return columns that have one row to themselves, with that row, and the rows of the others.

    A column that is zero but for one row says nothing of the other unknowns: without both, the
    rest is solved first. So on, until none is left. Where there are more rows than columns none
    is looked for: all rows count then.
    """
    used = [{row for row, x in enumerate(column) if not is_zero(x)} for column in columns]
    single: list[tuple[int, int]] = []
    rows = sorted(set().union(*used))
    if len(rows) != len(columns):
        return [], list(range(len(columns[0]) if len(columns) else 0))
    while found := [(k, left) for k, own in enumerate(used)
                    if len(left := own.intersection(rows)) == 1 and k not in dict(single)]:
        k, (row,) = found[0]
        single.append((k, row))
        rows.remove(row)
    return single, rows


def solve(factors: Factors, right: Array) -> list[Any]:
    """Return x with J_d x = right, in the sense of least squares."""
    x: list[Any] = [0.0] * len(factors.columns)
    left, rest = right[factors.rows], list(factors.P)
    for k in rest:
        x[k] = product(factors.P[k], left) * factors.inverse[k]  # SahaSchiehlen2001 (9b)
        left = left - factors.P[k] * x[k]
    for place, k in reversed(list(enumerate(rest))):
        for j in rest[place + 1:]:
            if (k, j) in factors.R:
                x[k] = x[k] - factors.R[k, j] * x[j]
    for k, row in reversed(factors.single):
        total = right[row]
        for j, column in enumerate(factors.columns):
            if not is_zero(column[row]) and not is_zero(x[j]):
                total = total - column[row] * x[j]
        x[k] = total * factors.inverse[k]
    return x


def solve_transposed(factors: Factors, right: Sequence[Any], rows: int, dtype: DTypeLike) -> Array:
    """Return the shortest y (rows,) with J_d^T y = right."""
    y, z, rest = np.zeros(rows, dtype), list(right), list(factors.P)
    for k, row in factors.single:
        y[row] = (z[k] - product(factors.columns[k], y)) * factors.inverse[k]
    taken = [row for _, row in factors.single]
    for k in rest:
        z[k] = z[k] - product(factors.columns[k][taken], y[taken])
    for place, k in enumerate(rest):
        for i in rest[:place]:
            if (i, k) in factors.R:
                z[k] = z[k] - factors.R[i, k] * z[i]
    part = y[factors.rows]
    for k in reversed(rest):  # as Bjorck does it: what y has along P_k already is left out
        part = part + factors.P[k] * ((z[k] - product(factors.P[k], part)) * factors.inverse[k])
    y[factors.rows] = part
    return y


def congruent(N: Array, I: Array, total: Callable[[Array], Any]) -> Array:
    """Return N^T I N, (nv, nv); total: how what belongs to all joints is summed."""
    half = np.array([[total(row * column) for row in I] for column in N.T], I.dtype)
    symmetric = bool((I == I.T).all())  # of symbols: the same ones
    nv = N.shape[1]
    full = np.zeros((nv, nv), I.dtype)
    for i in range(nv):
        for k in range(i + 1 if symmetric else nv):
            full[i, k] = total(N[:, i] * half[k])
            if symmetric:
                full[k, i] = full[i, k]
    return full


def product(a: Array, b: Array) -> Any:
    """Return the scalar product; exact zeros cost nothing."""
    if a.dtype != object and b.dtype != object:
        return a @ b
    total: Any = 0.0
    for x, y in zip(a, b, strict=True):
        if not is_zero(x) and not is_zero(y):
            total = total + x * y
    return total


def is_zero(x: Any) -> bool:
    """Tell whether this is a number that is known to be zero, not a symbol."""
    return isinstance(x, (int, float)) and x == 0
