"""Forward dynamics by the Gibbs-Appell equations: D qdd = tau - bias, solved by Cholesky, O(n^3).

Square roots are left out of the decomposition (D = L diag(d) L^T); Mata2002 Table 3 counts them
among the products.
"""

import numpy as np

from robot_dynamics.algorithms.cholesky import solution
from robot_dynamics.algorithms.gibbs_appell import torques
from robot_dynamics.algorithms.gibbs_appell_inertia import hessian
from robot_dynamics.algorithms.joints import cosines_sines
from robot_dynamics.model.denoc import Array, Geometry, Inertials


def forward_dynamics(
        geometry: Geometry, inertials: Inertials, q: Array, qd: Array,
        tau: Array) -> tuple[Array, Array]:
    """Return the joint accelerations qdd and the pivots of the decomposition, each (L,).

    q, qd, tau: joint values, rates and torques or forces, each of shape (L,)
    """
    c, s = cosines_sines(geometry, q)
    D = hessian(geometry, inertials, c, s, q)  # Mata2002 (19)
    bias = torques(geometry, inertials, c, s, q, qd, np.zeros_like(q))
    return solution(D, tau - bias)  # Mata2002 (17)
