"""Forward dynamics without recursion: the twin MohanSaha2007 compares its algorithm with.

The GIM element by element, its Cholesky decomposition, two substitutions; O(n^3). We take the
decomposition without its square roots, I = L D L^T: the same pivots squared, and it stays
within plain arithmetic.
"""

import numpy as np

from robot_dynamics.algorithms.denoc import inverse_dynamics
from robot_dynamics.algorithms.denoc_inertia import inertia_matrix
from robot_dynamics.model.denoc import Array, Geometry, Inertials


def forward_dynamics(
        geometry: Geometry, inertials: Inertials, q: Array, qd: Array,
        tau: Array) -> tuple[Array, Array]:
    """Return the joint accelerations qdd and the pivots of the decomposition, each (L,).

    q, qd, tau: joint values, rates and torques or forces, each of shape (L,)
    """
    gim = inertia_matrix(geometry, inertials, q)  # MohanSaha2007 (29)
    # MohanSaha2007 (27), printed without gamma: what inverse dynamics gives for qdd = 0
    phi = tau - inverse_dynamics(geometry, inertials, q, qd, np.zeros_like(q))
    return solution(gim, phi)  # MohanSaha2007 (25)


def solution(gim: Array, phi: Array) -> tuple[Array, Array]:
    """Return the solution x of gim x = phi, and the pivots.

    The joints stand in reverse order, so that L D L^T becomes U D U^T and the pivots are those of
    the recursive methods.
    """
    lower, pivots = decomposition(gim[::-1, ::-1])
    return substitutions(lower, pivots, phi[::-1])[::-1], pivots[::-1]


def decomposition(gim: Array) -> tuple[Array, Array]:
    """Return L (unit lower triangular) and D with gim = L diag(D) L^T."""
    n = len(gim)
    lower, pivots = np.zeros((n, n), gim.dtype), np.zeros(n, gim.dtype)
    scaled = np.zeros((n, n), gim.dtype)  # L D
    for i in range(n):
        for j in range(i):
            x = gim[i, j]
            for k in range(j):
                x = x - scaled[i, k] * lower[j, k]
            scaled[i, j] = x
            lower[i, j] = x / pivots[j]
        x = gim[i, i]
        for k in range(i):
            x = x - scaled[i, k] * lower[i, k]
        lower[i, i], pivots[i] = 1, x
    return lower, pivots


def substitutions(lower: Array, pivots: Array, phi: Array) -> Array:
    """Return the solution x of L diag(D) L^T x = phi."""
    n = len(phi)
    x = phi.copy()
    for i in range(n):
        for k in range(i):
            x[i] -= lower[i, k] * x[k]
    for i in range(n):
        x[i] = x[i] / pivots[i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= lower[k, i] * x[k]
    return x
