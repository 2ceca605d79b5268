"""Matrices of large robots by their factors, I = U D U^T, state by state in LAPACK."""

import numpy as np

from robot_dynamics.model.denoc import Array

ALONE = 48  # rows of a matrix for which LAPACK starts no threads


def upper_factors(I: Array) -> tuple[Array, Array]:
    """Return U (unit upper triangular) and D of matrices (N, n, n); nan where one is not positive.

    They are Cholesky's, of rows and columns in the opposite order.
    """
    N, n = I.shape[:2]
    U, D = np.full((N, n, n), np.nan), np.full((N, n), np.nan)
    for k, matrix in enumerate(I):
        try:
            root = np.linalg.cholesky(matrix[::-1, ::-1])[::-1, ::-1]
        except np.linalg.LinAlgError:
            continue
        diagonal = np.diagonal(root)
        U[k], D[k] = root / diagonal, diagonal * diagonal
    return U, D


def inverse(U: Array, D: Array) -> Array:
    """Return I^-1 = U^-T D^-1 U^-1, (N, n, n), symmetric to the bit."""
    result = np.empty_like(U)
    for k, (upper, pivots) in enumerate(zip(U, D, strict=True)):
        left = unit_triangle_inverse(upper.T)  # U^-T
        scaled = left / np.sqrt(np.abs(pivots))  # a pivot that is not positive is not good
        np.matmul(scaled, scaled.T, out=result[k])
    return result


def unit_triangle_inverse(lower: Array) -> Array:
    """Return the inverse of a unit lower triangular matrix, (n, n).

    By halves: scipy's LAPACK has threads of its own, which keep those of numpy waiting for
    milliseconds where both compute in turn; small matrices have none.
    """
    from scipy.linalg.lapack import dtrtri

    n = len(lower)
    if n <= ALONE:
        return np.asarray(dtrtri(lower, lower=1, unitdiag=1)[0])
    half, result = n // 2, np.zeros((n, n))
    result[:half, :half] = first = unit_triangle_inverse(lower[:half, :half])
    result[half:, half:] = second = unit_triangle_inverse(lower[half:, half:])
    result[half:, :half] = -second @ (lower[half:, :half] @ first)
    return result


def solution(U: Array, D: Array, phi: Array) -> Array:
    """Return x of U D U^T x = phi, (N, n, columns)."""
    from scipy.linalg import solve_triangular

    result = np.empty_like(phi)
    for k, (upper, pivots) in enumerate(zip(U, D, strict=True)):
        rest = solve_triangular(upper, phi[k], unit_diagonal=True, check_finite=False)
        result[k] = solve_triangular(upper, rest / pivots[:, None], trans=1, unit_diagonal=True,
                                     check_finite=False)
    return result
