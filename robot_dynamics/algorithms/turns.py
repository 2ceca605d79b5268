"""Planar turns of vectors and tensors: every rotation of the recursions is made of these.

Those of floating joints alone have a matrix R.

A frame is turned about its own Z or X axis by an angle given as (c, s), its cosine and sine.
With R the matrix of the turn, `turn_*` gives R v or R S R^T (from the turned frame to the frame
before the turn), `turn_*_back` gives R^T v or R^T S R.

Tensors come as arrays: symmetric ones as six numbers [xx, xy, xz, yy, yz, zz], others as (3, 3).

A new small array is made wherever a component changes: over symbols an array of plain numbers
is one of floats, which cannot take a symbol in place.
"""

from typing import Any

import numpy as np

from robot_dynamics.model.denoc import Array


def turn_z(v: Array, c: Any, s: Any) -> Array:
    """Return Rz v, 4 M 2 A."""
    return np.array([c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]])  # Angeles7 (7.24a)


def turn_z_back(v: Array, c: Any, s: Any) -> Array:
    """Return Rz^T v, 4 M 2 A."""
    return np.array([c * v[0] + s * v[1], c * v[1] - s * v[0], v[2]])  # Angeles7 (7.23a)


def turn_x(v: Array, c: Any, s: Any) -> Array:
    """Return Rx v, 4 M 2 A; (7.24a) prints v2 where it means the v of (7.24b)."""
    return np.array([v[0], c * v[1] - s * v[2], s * v[1] + c * v[2]])  # Angeles7 (7.24b)


def turn_x_back(v: Array, c: Any, s: Any) -> Array:
    """Return Rx^T v, 4 M 2 A."""
    return np.array([v[0], c * v[1] + s * v[2], c * v[2] - s * v[1]])  # Angeles7 (7.23b)


def turn_z_symmetric(S: Array, c: Any, s: Any) -> Array:
    """Return Rz S Rz^T of a symmetric tensor, 8 M 8 A."""
    # Bhangale2004 B.2, right with (i11 - i22) in beta_1 and i22 + beta_5; the listing turns back.
    beta = s * (S[0] - S[3]) + c * (S[1] + S[1])
    sb = s * beta
    return np.array([
        S[0] - sb, c * beta - S[1], c * S[2] - s * S[4],
        S[3] + sb, s * S[2] + c * S[4], S[5]])


def turn_x_symmetric(S: Array, c: Any, s: Any) -> Array:
    """Return Rx S Rx^T of a symmetric tensor, 8 M 8 A."""
    beta = s * (S[3] - S[5]) + c * (S[4] + S[4])  # Bhangale2004 B.2, corrected as above
    sb = s * beta
    return np.array([
        S[0], c * S[1] - s * S[2], s * S[1] + c * S[2],
        S[3] - sb, c * beta - S[4], S[5] + sb])


def turn_z_tensor(H: Array, c: Any, s: Any) -> Array:
    """Return Rz H Rz^T of any tensor, 12 M 11 A: its skew part in the plane does not change."""
    beta = s * (H[0, 0] - H[1, 1]) + c * (H[0, 1] + H[1, 0])
    sb, cb = s * beta, c * beta
    return np.array([
        [H[0, 0] - sb, cb - H[1, 0], c * H[0, 2] - s * H[1, 2]],
        [cb - H[0, 1], H[1, 1] + sb, s * H[0, 2] + c * H[1, 2]],
        [c * H[2, 0] - s * H[2, 1], s * H[2, 0] + c * H[2, 1], H[2, 2]]])


def turn_x_tensor(H: Array, c: Any, s: Any) -> Array:
    """Return Rx H Rx^T of any tensor, 12 M 11 A."""
    beta = s * (H[1, 1] - H[2, 2]) + c * (H[1, 2] + H[2, 1])
    sb, cb = s * beta, c * beta
    return np.array([
        [H[0, 0], c * H[0, 1] - s * H[0, 2], s * H[0, 1] + c * H[0, 2]],
        [c * H[1, 0] - s * H[2, 0], H[1, 1] - sb, cb - H[2, 1]],
        [s * H[1, 0] + c * H[2, 0], cb - H[1, 2], H[2, 2] + sb]])


def turn_tensor(R: Array, H: Array) -> Array:
    """Return R H R^T of any tensor, 54 M 36 A."""
    B = [tensor_times(H, row) for row in R]  # columns of H R^T
    return np.array([[dot(row, column) for column in B] for row in R])


def turn_symmetric(R: Array, S: Array) -> Array:
    """Return R S R^T of a symmetric tensor, 45 M 30 A."""
    B = [symmetric_times(S, row) for row in R]  # columns of S R^T
    return np.array([dot(R[i], B[j]) for i in range(3) for j in range(i, 3)])


def cross(a: Array, b: Array) -> Array:
    """Return the vector product a x b, 6 M 3 A."""
    return np.array([
        a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def along_z(v: Array, z: Any) -> Array:
    """Return v + [0, 0, z], 1 A."""
    return np.array([v[0], v[1], v[2] + z])


def dot(a: Array, b: Array) -> Any:
    """Return the scalar product of two vectors, 3 M 2 A."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def symmetric(matrix: Array) -> Array:
    """Return the six numbers of a symmetric (3, 3) matrix, read from its upper triangle."""
    return np.array([matrix[0, 0], matrix[0, 1], matrix[0, 2],
                     matrix[1, 1], matrix[1, 2], matrix[2, 2]])


def symmetric_times(S: Array, v: Array) -> Array:
    """Return S v, S symmetric, 9 M 6 A."""
    return np.array([
        S[0] * v[0] + S[1] * v[1] + S[2] * v[2],
        S[1] * v[0] + S[3] * v[1] + S[4] * v[2],
        S[2] * v[0] + S[4] * v[1] + S[5] * v[2]])


def tensor_times(H: Array, v: Array) -> Array:
    """Return H v, 9 M 6 A."""
    return np.array([
        H[0, 0] * v[0] + H[0, 1] * v[1] + H[0, 2] * v[2],
        H[1, 0] * v[0] + H[1, 1] * v[1] + H[1, 2] * v[2],
        H[2, 0] * v[0] + H[2, 1] * v[1] + H[2, 2] * v[2]])


def transpose_times(H: Array, v: Array) -> Array:
    """Return H^T v, 9 M 6 A."""
    return np.array([
        H[0, 0] * v[0] + H[1, 0] * v[1] + H[2, 0] * v[2],
        H[0, 1] * v[0] + H[1, 1] * v[1] + H[2, 1] * v[2],
        H[0, 2] * v[0] + H[1, 2] * v[1] + H[2, 2] * v[2]])
