"""The composite-rigid-body method: GIM, its factors, forward dynamics; O(n^3) at worst.

The second baseline of Mata2002's study. Featherstone2008 Table 6.2 for the matrix: the wrench of
each composite body travels inward. Its factors and the solution keep to the branches of the tree
(Table 6.3, Table 6.5), so that nothing is spent on the zeros between them.
"""

from typing import Any

import numpy as np

from robot_dynamics.algorithms.denoc_inertia import axis_wrenches, composite_masses
from robot_dynamics.algorithms.gibbs_appell import inverse_dynamics
from robot_dynamics.algorithms.joints import cosines_sines, inward, wrench_to_parent
from robot_dynamics.model.denoc import Array, Geometry, Inertials


def inertia_matrix(geometry: Geometry, inertials: Inertials, q: Array) -> Array:
    """Return the GIM, shape (L, L).

    q: joint values, shape (L,)
    """
    L = len(q)
    c, s = cosines_sines(geometry, q)
    m, h, I = composite_masses(geometry, inertials, q, c, s)  # Featherstone2008 Table 6.2, I^c
    n, f = axis_wrenches(geometry, m, h, I, q)  # Featherstone2008 Table 6.2, F = I^c S
    gim = np.zeros((L, L), q.dtype)
    at_n, at_f = np.zeros((L + 1, 3), q.dtype), np.zeros((L + 1, 3), q.dtype)
    for i in range(L):
        at_n[i], at_f[i] = n[i], f[i]
        # Inward from i: its wrench at every ancestor
        for k in inward(geometry, i):
            # Featherstone2008 Table 6.2, H_ij = F^T S_j
            if geometry.prismatic[k]:
                gim[i, k] = gim[k, i] = at_f[k, 2]
            else:
                gim[i, k] = gim[k, i] = at_n[k, 2]
            p = geometry.parent[k]
            if p >= 0:  # Featherstone2008 Table 6.2, F = X F
                at_n[p], at_f[p] = wrench_to_parent(geometry, k, q, c, s, at_n[k], at_f[k])
        if geometry.prismatic[i]:
            gim[i, i] = f[i, 2] + inertials.armature[i]
        else:
            gim[i, i] = n[i, 2] + inertials.armature[i]
    return gim


def forward_dynamics(
        geometry: Geometry, inertials: Inertials, q: Array, qd: Array,
        tau: Array) -> tuple[Array, Array]:
    """Return the joint accelerations qdd and the pivots of the GIM's factors, each (L,).

    q, qd, tau: joint values, rates and torques or forces, each of shape (L,)
    """
    # Any inverse dynamics with qdd = 0 gives the bias; Gibbs-Appell takes the fewest operations.
    bias = inverse_dynamics(geometry, inertials, q, qd, np.zeros_like(q))
    factors, pivots = branch_factors(geometry.parent, inertia_matrix(geometry, inertials, q))
    return branch_solution(geometry.parent, factors, pivots, tau - bias), pivots


def held_dynamics(
        geometry: Geometry, inertials: Inertials, q: Array, qd: Array, tau: Array,
        free: Array) -> tuple[Array, Array, Array]:
    """Return qdd, the reactions that hold joints, and the pivots, each of shape (L,).

    free: 1 for a joint that moves, 0 for one that is held, whose pivot is raised by 1; shape (L,)
    """
    bias = inverse_dynamics(geometry, inertials, q, qd, np.zeros_like(q))
    gim = inertia_matrix(geometry, inertials, q)
    return held_solution(geometry.parent, gim, tau - bias, free)


def held_solution(parent: Array, gim: Array, phi: Array,
                  free: Array) -> tuple[Array, Array, Array]:
    """Return x with gim x = phi + reaction, x = 0 where held; the reactions; the pivots.

    With 1 / D_i = 0 a held row is left as it is, less what its descendants take: it then says what
    the reaction is beside the x of its ancestors.
    """
    factors, pivots = branch_factors(parent, gim, free)
    x, rest = branch_solution(parent, factors, pivots, phi, free)
    reaction = np.zeros_like(rest)
    for k in range(len(phi)):
        total = -rest[k]
        j = parent[k]
        while j >= 0:
            total = total + factors[j, k] * x[j]
            j = parent[j]
        reaction[k] = (1 - free[k]) * total
    return x, reaction, pivots


def branch_factors(parent: Array, gim: Array,
                   free: Array | None = None) -> tuple[Array, Array]:
    """Return L (unit lower triangular) and D with gim = L^T D L; L is zero where gim is.

    free: 0 for rows that are not to be solved for, None for none; above its diagonal the result
    then has the rows before they were divided by their pivot
    """
    factors, n = gim.copy(), len(gim)
    pivots = np.zeros(n, gim.dtype)
    # Featherstone2008 Table 6.3, LTDL: tips first
    for k in range(n - 1, -1, -1):
        pivots[k] = factors[k, k] if free is None else factors[k, k] + (1 - free[k])
        inverse = (1 if free is None else free[k]) / pivots[k]
        i = parent[k]
        while free is not None and i >= 0:
            factors[i, k] = factors[k, i]
            i = parent[i]
        i = parent[k]
        while i >= 0:
            ratio = factors[k, i] * inverse
            j = i
            while j >= 0:
                factors[i, j] -= ratio * factors[k, j]
                j = parent[j]
            factors[k, i] = ratio
            i = parent[i]
    return factors, pivots


def branch_solution(parent: Array, factors: Array, pivots: Array, phi: Array,
                    free: Array | None = None) -> Any:
    """Return the solution x of L^T D L x = phi; with `free`, also L^-T phi."""
    n = len(phi)
    x = phi.copy()
    for i in range(n - 1, -1, -1):  # Featherstone2008 Table 6.5, L^-T
        j = parent[i]
        while j >= 0:
            x[j] -= factors[i, j] * x[i]
            j = parent[j]
    rest = x.copy()
    for i in range(n):  # Featherstone2008 Table 6.5, L^-1
        x[i] = x[i] / pivots[i] if free is None else free[i] * x[i] / pivots[i]
        j = parent[i]
        while j >= 0:
            x[i] -= factors[i, j] * x[j]
            j = parent[j]
    return x if free is None else (x, rest)
