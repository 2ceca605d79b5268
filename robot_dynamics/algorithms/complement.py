"""The orthogonal complement of loop closure: passive rates from independent ones.

Closure is J qd = 0. With the columns of J parted into independent and dependent joints,

    J_d qd_d = -J_i qd_i

is solved in the sense of least squares: over-constrained loops, of which planar ones in space are
the usual kind, have more rows than unknowns, and rows that say the same. The columns of J_d are
made orthogonal one after the other, which is what the projections Phi of SahaSchiehlen2001
(10a), (11d) do to the columns A_ei p_i of one leg: no square root, no pivoting, no branch.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from robot_dynamics.model.denoc import Array

SINGULAR = 1e-9  # sin^2 of the least angle between a column and those before it: 30 microrad


class Factors(NamedTuple):
    """J_d = P (1 + R) with orthogonal columns P."""

    P: list[Array]  # ptilde_k, (rows,) each
    inverse: list[Any]  # 1 / delta_k
    R: dict[tuple[int, int], Any]  # above the diagonal
    guards: list[tuple[Any, Any]]  # delta_k and what it must exceed


def orthogonal(columns: Sequence[Array]) -> Factors:
    """Make columns orthogonal, each to those before it."""
    P: list[Array] = []
    inverse: list[Any] = []
    R: dict[tuple[int, int], Any] = {}
    guards = []
    for k, column in enumerate(columns):
        p = column
        for i in range(k):
            share = product(P[i], p)
            if is_zero(share):
                continue
            R[i, k] = share * inverse[i]
            p = p - P[i] * R[i, k]  # SahaSchiehlen2001 (11c), Phi_{i+1} applied column by column
        delta = product(p, p)  # SahaSchiehlen2001 (11c)
        P.append(p)
        guards.append((delta, SINGULAR * product(column, column)))
        inverse.append(1.0 / delta if not is_zero(delta) else np.inf)
    return Factors(P, inverse, R, guards)


def solve(factors: Factors, right: Array) -> list[Any]:
    """Return x with J_d x = right, in the sense of least squares."""
    d = len(factors.P)
    x: list[Any] = [0.0] * d
    for k in range(d):
        x[k] = product(factors.P[k], right) * factors.inverse[k]  # SahaSchiehlen2001 (9b)
        right = right - factors.P[k] * x[k]
    for k in range(d - 1, -1, -1):
        for j in range(k + 1, d):
            if (k, j) in factors.R:
                x[k] = x[k] - factors.R[k, j] * x[j]
    return x


def solve_transposed(factors: Factors, right: Sequence[Any], rows: int, dtype: DTypeLike) -> Array:
    """Return the shortest y (rows,) with J_d^T y = right."""
    d = len(factors.P)
    z: list[Any] = list(right)
    for k in range(d):
        for i in range(k):
            if (i, k) in factors.R:
                z[k] = z[k] - factors.R[i, k] * z[i]
    y = np.zeros(rows, dtype)
    for k in range(d - 1, -1, -1):  # as Bjorck does it: what y has along P_k already is left out
        y = y + factors.P[k] * ((z[k] - product(factors.P[k], y)) * factors.inverse[k])
    return y


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
