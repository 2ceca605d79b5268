"""The algorithms over user coordinates, one state at a time: mimics, signs and pivots.

User coordinates q of n free joints and tree coordinates of L links are joined by
q_tree = G q + q0, so tau = G^T tau_tree and the GIM is G^T I G.
"""

import numpy as np

from robot_dynamics.algorithms import FORWARD, GIM, INVERSE, pivots
from robot_dynamics.algorithms.cholesky import solution
from robot_dynamics.algorithms.newton_euler import reaction_wrenches
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
            qdd, found = FORWARD[algorithm](
                model.geometry, model.inertials, G @ q + model.q0, G @ qd, G @ tau)
            qdd = G.T @ qdd
        else:
            gim, inverse = _PARTS[algorithm]
            phi = tau - inverse_dynamics(model, inverse, q, qd, np.zeros_like(q))
            qdd, found = solution(inertia_matrix(model, gim, q), phi)
    pivots.check(model.joint_names, found, user_floor(model), qdd)
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


def user_floor(model: Model) -> Array:
    """Return what the pivots of the GIM over the user's joints must exceed, (n,)."""
    return (model.G * model.G).T @ pivots.pivot_floor(model.geometry, model.inertials)
