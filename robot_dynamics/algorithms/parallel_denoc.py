"""DeNOC matrices of parallel structures, inverse dynamics and GIM: SahaSchiehlen2001, IV.B and V.

t = N_l N_c N_d thetad: N_l along the legs, N_c across them, N_d at the actuated joints. (16c) is
printed without a factor: each block row i != k is P_i (U Abar_ek - A_ek) or P_i U Abar_ek, with
P_i = p_i ptilde_i^T / delta_i of (15); so are (22) and (30)-(32). Legs of different length are
legs whose bodies are fewer. Abar_ek takes the twist to E, A_le from there to each leg's own point
(parallel_legs.py).

Mass matrices M_i (6, 6) are those of the bodies at O_i in root axes, of twists whose omega has the
legs' length as a factor; a body without mass has zeros. No friction or damping, as the paper has
it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from robot_dynamics.algorithms.cholesky import solution, substitutions
from robot_dynamics.algorithms.parallel_legs import Legs, carry, sum_of
from robot_dynamics.algorithms.turns import cross
from robot_dynamics.model.denoc import Array


class Denoc(NamedTuple):
    """The blocks of the three matrices, leg by leg."""

    A_tilde: list[list[Array]]  # Psi_i A_{i,i-1}; of the first joint the identity
    P: list[list[Array]]  # p_i ptilde_i^T / delta_i; of joint k the identity
    A_ek: list[Array]  # to E_l
    A_le: list[Array]  # from E to E_l
    A_bar: list[Array]  # Phi^-1 A_le^T Phi_2 A_ek
    p_k: list[Array]


def denoc(legs: Legs) -> Denoc:
    """Return the blocks of N_l, N_c and N_d."""
    A_tilde, P, A_ek, A_bar, p_k = [], [], [], [], []
    for leg, own, A_le in zip(legs.legs, legs.projected, legs.shifts, strict=True):
        one = np.array(np.eye(6), leg.E.dtype)
        blocks, factors = [], []
        for i in range(len(leg.e)):
            P_i = one if i == leg.k else np.outer(
                leg.p(i), own.p[i]) * own.inverse[i]
            A_ei = carry((leg.E - leg.O[i]) / leg.length)
            Psi = one if i == leg.k else one - P_i @ A_ei  # SahaSchiehlen2001 (15f)
            before = one if i == 0 else carry((leg.O[i] - leg.O[i - 1]) / leg.length)
            blocks.append(Psi @ before)  # SahaSchiehlen2001 (16e)
            factors.append(P_i)  # SahaSchiehlen2001 (15a)-(15e)
        A_tilde.append(blocks)
        P.append(factors)
        A_ek.append(carry((leg.E - leg.O[leg.k]) / leg.length))
        right = A_le.T @ own.Phi_2 @ A_ek[-1]
        A_bar.append(right * 0.0 if legs.fixed else np.array(
            [substitutions(*legs.Phi[1:], column) for column in right.T],
            right.dtype).T)  # SahaSchiehlen2001 (16e)
        p_k.append(leg.p(leg.k))
    return Denoc(A_tilde, P, A_ek, list(legs.shifts), A_bar, p_k)


def matrices(legs: Legs) -> tuple[Array, Array, Array]:
    """Return N_l, N_c and N_d, with 6 rows for each joint of each leg, leg by leg."""
    at, n = denoc(legs), len(legs.legs)
    sizes = [len(leg.e) for leg in legs.legs]
    dtype = legs.legs[0].E.dtype
    N_l = np.array(np.eye(6 * sum(sizes)), dtype)
    N_c, N_d = np.zeros((6 * sum(sizes), 6 * n), dtype), np.zeros((6 * n, n), dtype)
    for l, leg in enumerate(legs.legs):
        first = sum(sizes[:l])
        for i in range(sizes[l]):
            row = slice(6 * (first + i), 6 * (first + i + 1))
            for j in range(i):  # SahaSchiehlen2001 (17c)
                before = slice(6 * (first + j), 6 * (first + j + 1))
                above = slice(6 * (first + i - 1), 6 * (first + i))
                N_l[row, before] = at.A_tilde[l][i] @ N_l[above, before]
            for other in range(n):  # SahaSchiehlen2001 (16c), with P_i
                column = slice(6 * other, 6 * other + 6)
                if i != leg.k:
                    N_c[row, column] = at.P[l][i] @ at.A_le[l] @ at.A_bar[other]
                if other == l:
                    N_c[row, column] += (at.P[l][i] if i == leg.k
                                         else -at.P[l][i] @ at.A_ek[l] * (i < leg.k))
        N_d[6 * l:6 * l + 6, l] = at.p_k[l]  # SahaSchiehlen2001 (16c)
    return N_l, N_c, N_d


def torques(legs: Legs, wrenches: Sequence[Sequence[Array]]) -> Array:
    """Return N_d^T N_c^T N_l^T w, (n,), step by step: IDA-1 to IDA-3.

    wrenches: [n, f] (6,) of each body of each leg
    """
    at, tilde = denoc(legs), []
    for blocks, own in zip(at.A_tilde, wrenches, strict=True):  # IDA-1: from the tip to the base
        w = list(own)
        for i in range(len(w) - 2, -1, -1):
            w[i] = w[i] + blocks[i + 1].T @ w[i + 1]  # SahaSchiehlen2001 (21)
        tilde.append(w)
    ks = [leg.k for leg in legs.legs]
    zero = np.zeros(6, legs.legs[0].E.dtype)
    passive = [[zero if i == k else P[i].T @ x for i, x in enumerate(w)]
               for P, w, k in zip(at.P, tilde, ks, strict=True)]
    total = sum_of([A.T @ sum_of(w) for A, w in zip(at.A_le, passive, strict=True)])
    tau = []
    for l, k in enumerate(ks):  # IDA-2 and IDA-3
        before = sum_of([zero, *passive[l][:k]])
        w_bar = (tilde[l][k] + at.A_bar[l].T @ total
                 - at.A_ek[l].T @ before)  # SahaSchiehlen2001 (22), with P_i
        tau.append(at.p_k[l] @ w_bar)  # SahaSchiehlen2001 (24)
    return np.array(tau)


def inverse_dynamics(legs: Legs, masses: Sequence[Sequence[Array]], rates: Array,
                     accelerations: Array, gravity: Array) -> Array:
    """Return the torques of the actuated joints, (n,).

    masses: M_i of each body of each leg; rates, accelerations: of the actuated joints, (n,);
    gravity: (3,) in root axes [m/s^2]
    """
    theta_d = legs.follow(rates)
    theta_dd = legs.follow(accelerations, legs.drifts(rates))
    wrenches = []
    for leg, M, qd, qdd in zip(legs.legs, masses, theta_d, theta_dd, strict=True):
        own = []
        w, wd, a = (np.zeros(3, leg.E.dtype) for _ in range(3))
        a = a - gravity  # negative acceleration of gravity at the base, Sec. IV
        for i, e in enumerate(leg.e):
            if i:
                r = leg.O[i] - leg.O[i - 1]
                a = a + cross(wd, r) + cross(w, cross(w, r))
            if leg.prismatic[i]:
                a = a + e * qdd[i] + 2.0 * cross(w, e * qd[i])
            else:
                w, wd = w + e * qd[i], wd + e * qdd[i] + cross(w, e * qd[i])
            own.append(newton_euler(M[i], w, wd, a, leg.length))
        wrenches.append(own)
    return torques(legs, wrenches)


def newton_euler(M: Array, w: Array, wd: Array, a: Array, length: float) -> Array:
    """Return the wrench [n, f] of a body: M td + W M E t, (6,)."""
    moved = M @ np.concatenate([w * length, np.zeros(3, w.dtype)])  # M E t
    turned = np.concatenate([cross(w, moved[:3]), cross(w, moved[3:])])
    wrench: Array = (M @ np.concatenate([wd * length, a])
                     + turned)  # SahaSchiehlen2001 (18a), with t
    return wrench


def inertia_matrix(legs: Legs, masses: Sequence[Sequence[Array]]) -> Array:
    """Return the GIM, (n, n): FDA-1 to FDA-3."""
    at, n = denoc(legs), len(legs.legs)
    X, Y, own = np.zeros((6, 6), legs.legs[0].E.dtype), [], []
    for l, (leg, M) in enumerate(zip(legs.legs, masses, strict=True)):
        sums = leg_sums(at.A_tilde[l], at.P[l], leg.k, M)
        M_kk, S_11, S_31, S_33, S_k1, S_3k = sums
        A, A_ek = at.A_le[l], at.A_ek[l]
        X = X + A.T @ (S_11 + S_31 + S_31.T + S_33) @ A  # SahaSchiehlen2001 (31)
        # SahaSchiehlen2001 (32), printed without its minus and its plus
        Y.append(A.T @ (S_k1.T + S_3k - (S_11 + S_31) @ A_ek))
        half = S_k1 @ A_ek
        own.append(M_kk + A_ek.T @ S_11 @ A_ek - half - half.T)
    I = np.zeros((n, n), X.dtype)
    for i in range(n):
        for j in range(i + 1):
            M_bar = (at.A_bar[i].T @ X @ at.A_bar[j] + at.A_bar[i].T @ Y[j]
                     + Y[i].T @ at.A_bar[j])  # SahaSchiehlen2001 (30), printed with i and j mixed
            M_bar = M_bar + own[i] if i == j else M_bar
            I[i, j] = I[j, i] = at.p_k[i] @ M_bar @ at.p_k[j]  # SahaSchiehlen2001 (34)
    return I


def leg_sums(A_tilde: Sequence[Array], P: Sequence[Array], k: int,
             masses: Sequence[Array]) -> tuple[Array, ...]:
    """Return M_kk, and the sums (33) of P_i^T M_ij P_j: before k (1), at k, beyond it (3)."""
    m = len(masses)
    composite = list(masses)
    for i in range(m - 2, -1, -1):
        A = A_tilde[i + 1]
        composite[i] = masses[i] + A.T @ composite[i + 1] @ A  # composite bodies, FDA-1
    zero = np.zeros_like(masses[0])
    sums = {key: zero for key in ((1, 1), (3, 1), (3, 3), (2, 1), (3, 2))}

    def part(i: int) -> int:
        return 1 if i < k else 2 if i == k else 3

    for j in range(m):
        A_ij = np.array(np.eye(6), zero.dtype)
        for i in range(j, m):
            A_ij = A_ij if i == j else A_tilde[i] @ A_ij  # SahaSchiehlen2001 (17c)
            block = P[i].T @ composite[i] @ A_ij @ P[j]  # SahaSchiehlen2001 (28), with P
            key = part(i), part(j)
            if key in sums:
                twice = block if i == j or key[0] != key[1] else block + block.T
                sums[key] = sums[key] + twice  # SahaSchiehlen2001 (33)
    return (composite[k], sums[1, 1], sums[3, 1], sums[3, 3], sums[2, 1], sums[3, 2])


def forward_dynamics(legs: Legs, masses: Sequence[Sequence[Array]], rates: Array, tau: Array,
                     gravity: Array) -> Array:
    """Return the accelerations of the actuated joints, (n,), by U D U^T of the GIM."""
    bias = inverse_dynamics(legs, masses, rates, rates * 0.0, gravity)
    return solution(inertia_matrix(legs, masses), tau - bias)[0]  # SahaSchiehlen2001 (25)
