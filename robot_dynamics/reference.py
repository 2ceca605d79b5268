"""The algorithms over user coordinates, one state at a time: mimics, signs and pivots.

User coordinates q of n free joints and tree coordinates of L links are joined by
q_tree = G q + q0, so tau = G^T tau_tree and the GIM is G^T I G.
"""

import numpy as np

from robot_dynamics.algorithms import FORWARD, GIM, INVERSE
from robot_dynamics.algorithms.cholesky import decomposition, substitutions
from robot_dynamics.algorithms.denoc_forward import udu as tree_udu
from robot_dynamics.algorithms.newton_euler import reaction_wrenches
from robot_dynamics.errors import InputError, SingularityError
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.model import Model
from robot_dynamics.model.transforms import turn

# Where joints mimic others the tree's own factors do not solve for the leaders: each forward
# method then takes these (GIM, inverse dynamics) and factors the reduced GIM.
_PARTS = {
    'denoc': ('denoc', 'denoc'), 'cholesky': ('denoc', 'denoc'),
    'gibbs_appell': ('gibbs_appell', 'gibbs_appell'),
    'articulated_body': ('composite_body', 'newton_euler'),
    'composite_body': ('composite_body', 'newton_euler'),
}


def inverse_dynamics(model: Model, algorithm: str, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the joint torques (n,), without friction and external wrenches."""
    G = model.G
    tau = INVERSE[algorithm](
        model.geometry, model.inertials, G @ q + model.q0, G @ qd, G @ qdd)
    return G.T @ tau


def inertia_matrix(model: Model, algorithm: str, q: Array) -> Array:
    """Return the GIM (n, n)."""
    I = GIM[algorithm](model.geometry, model.inertials, model.G @ q + model.q0)
    return model.G.T @ I @ model.G


def forward_dynamics(model: Model, algorithm: str, q: Array, qd: Array, tau: Array) -> Array:
    """Return the joint accelerations (n,); `SingularityError` where the GIM is singular."""
    with np.errstate(all='ignore'):
        if model.independent:
            G = model.G
            qdd, pivots = FORWARD[algorithm](
                model.geometry, model.inertials, G @ q + model.q0, G @ qd, G @ tau)
            qdd = G.T @ qdd
        else:
            gim, inverse = _PARTS[algorithm]
            phi = tau - inverse_dynamics(model, inverse, q, qd, np.zeros_like(q))
            # reversed, L D L^T becomes U D U^T: the pivots are those of `udu`
            lower, pivots = decomposition(inertia_matrix(model, gim, q)[::-1, ::-1])
            qdd = substitutions(lower, pivots, phi[::-1].copy())[::-1]
            pivots = pivots[::-1]
    check_pivots(model, q, pivots, qdd)
    return qdd


def joint_reactions(model: Model, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the wrench [n, f] on each tree joint's link, about O_i in the papers' frame i."""
    G = model.G
    s = G @ q + model.q0
    wrenches = reaction_wrenches(model.geometry, model.inertials, s, G @ qd, G @ qdd)
    for i, (n, f) in enumerate(zip(wrenches[:, :3], wrenches[:, 3:], strict=True)):
        b = model.joint_offset[i] + (s[i] if model.geometry.prismatic[i] else 0.0)
        n += np.array([-b * f[1], b * f[0], 0.0])  # b z x f: from O'_i to O_i
        turned = turn(2, -model.joint_turn[i])
        n[:], f[:] = turned @ n, turned @ f
    return wrenches


def udu(model: Model, q: Array) -> tuple[Array, Array]:
    """Return U (n, n) and D (n,) with GIM = U diag(D) U^T."""
    with np.errstate(all='ignore'):
        if model.independent:
            U, D = tree_udu(model.geometry, model.inertials, model.G @ q + model.q0)
            U = model.G.T @ U @ model.G
        else:
            lower, pivots = decomposition(inertia_matrix(model, 'denoc', q)[::-1, ::-1])
            U, D = lower[::-1, ::-1], pivots[::-1]
    check_pivots(model, q, D, D)
    return U, D


def check_pivots(model: Model, q: Array, pivots: Array, result: Array) -> None:
    """Raise `SingularityError` where a pivot is zero to rounding.

    A pivot is the inertia that a joint feels with all joints after it free (MohanSaha2007 (33));
    it is judged beside the one it feels with them locked, the GIM's diagonal.
    """
    if np.isfinite(result).all() and pivots.min(initial=np.inf) > 1e-9 * pivots.max(initial=0.0):
        return
    diagonal = np.diag(inertia_matrix(model, 'composite_body', q))
    rounding = 64 * np.finfo(float).eps * len(pivots) * np.abs(diagonal)
    zero = np.flatnonzero(np.isfinite(pivots) & ~(pivots > rounding))  # then nan spreads from it
    if len(zero):
        i = zero[-1]
        raise SingularityError(
            f'the generalized inertia matrix is singular at joint {model.joint_names[i]!r}: '
            f'its pivot is {pivots[i]:.3g} of {diagonal[i]:.3g} '
            '(a joint without inertia, or rotations that coincide)')
    if not np.isfinite(result).all():
        raise InputError('the result is not finite: the torques or rates are too large')
