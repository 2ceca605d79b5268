"""Measures of dynamics and dexterity in a posture.

Each takes a family, whose arm each posture is of, owner (M,), and the postures q (M, n); it gives
(M,), nan where an arm cannot be.
"""

import numpy as np

from robot_dynamics.model.denoc import Array
from robot_dynamics.selection.family import Family

SINGULAR = 1e-12  # part of the largest below which a singular value is zero


def condition(family: Family, owner: Array, q: Array) -> Array:
    """Return the condition number of the GIM, infinite where it is singular."""
    values = eigenvalues(family.rows('inertia_matrix', owner, q))
    least, most = values[:, 0], values[:, -1]
    ratio: Array = np.divide(most, least, out=np.full(len(q), np.inf),
                             where=~(least <= SINGULAR * most))
    return ratio


def coupling(family: Family, owner: Array, q: Array) -> Array:
    """Return the distance of the GIM from diagonal, 0 to 1.

    Root mean square of I_ij / sqrt(I_ii I_jj) over i != j, which has no units.
    """
    I = family.rows('inertia_matrix', owner, q)
    n = I.shape[-1]
    if n == 1:
        return np.where(np.isfinite(I[:, 0, 0]), 0.0, np.nan)
    scale = np.sqrt(np.einsum('mii->mi', I))
    ratio = I / np.where(scale > 0, scale, np.inf)[:, :, None] / np.where(
        scale > 0, scale, np.inf)[:, None, :]
    ratio[:, np.arange(n), np.arange(n)] = 0.0
    coupling: Array = np.sqrt((ratio ** 2).sum(axis=(1, 2)) / (n * (n - 1)))
    return coupling


def manipulability(family: Family, owner: Array, q: Array) -> Array:
    """Return Yoshikawa's w over the directions in which the link can move."""
    w: Array = np.prod(motions(family, owner, q), axis=1)  # Bhangale2004 (21)
    return w


def isotropy(family: Family, owner: Array, q: Array) -> Array:
    """Return least over largest singular value of the link's Jacobian, 0 to 1."""
    s = motions(family, owner, q)
    return s[:, -1] / np.where(s[:, 0] > 0, s[:, 0], 1.0)


def reflected_inertia(family: Family, owner: Array, q: Array) -> Array:
    """Return the mass felt at the link's origin, harmonic mean over directions [kg].

    d / trace(J I^-1 J^T): finite at singular postures, where single directions are not.
    """
    J, I = family.motion(owner, q), family.rows('inertia_matrix', owner, q)
    good = np.isfinite(I).all(axis=(1, 2)) & np.isfinite(J).all(axis=(1, 2))
    found = np.full(len(q), np.nan)
    d = directions(family)
    with np.errstate(all='ignore'):
        mobility = J[good] @ np.linalg.pinv(I[good], hermitian=True) @ np.swapaxes(J[good], 1, 2)
    trace = np.einsum('mii->m', mobility)
    found[good] = np.divide(d, trace, out=np.full(good.sum(), np.inf), where=trace > 0)
    return found


def eigenvalues(I: Array) -> Array:
    """Return the eigenvalues of matrices (M, n, n), ascending, nan of nan."""
    good = np.isfinite(I).all(axis=(1, 2))
    found = np.full(I.shape[:2], np.nan)
    found[good] = np.linalg.eigvalsh(I[good])
    return found


def motions(family: Family, owner: Array, q: Array) -> Array:
    """Return the singular values of the link's Jacobian, those that can differ from 0, (M, d)."""
    J, d = family.motion(owner, q), directions(family)
    good = np.isfinite(J).all(axis=(1, 2))
    found = np.full((len(q), d), np.nan)
    found[good] = np.linalg.svd(J[good], compute_uv=False)[:, :d]
    return found


def directions(family: Family) -> int:
    """Return in how many directions the link can move: the largest rank of its Jacobian."""
    q = family.postures(16, seed=3)
    J = family.motion(np.zeros(16, int), q)
    J = J[np.isfinite(J).all(axis=(1, 2))]
    s = np.linalg.svd(J, compute_uv=False) if len(J) else np.zeros((1, 1))
    return max(1, int((s.max(axis=0) > 1e-9 * max(s.max(), 1e-300)).sum()))
