"""What kernels are compared with: the algorithms over floats, in the user's coordinates."""

import numpy as np

from robot_dynamics.algorithms import GIM, INVERSE
from robot_dynamics.algorithms.friction import friction_torque


def reference(case, name, q, qd, x, inertials=None):
    """Return what the papers' algorithms give, in the user's coordinates."""
    G = case.expand
    model = (case.geometry, case.inertials if inertials is None else inertials)
    at, rate, rest = G @ q + case.offset, G @ qd, np.zeros(len(case.offset))
    zero = np.zeros(case.n)
    friction = friction_torque(zero if case.damping is None else case.damping,
                               zero if case.friction is None else case.friction, qd)
    if name == 'inverse_dynamics':
        return G.T @ INVERSE['newton_euler'](*model, at, rate, G @ x) + friction
    if name == 'bias':
        return G.T @ INVERSE['denoc'](*model, at, rate, rest)
    if name == 'gravity_torque':
        return G.T @ INVERSE['denoc'](*model, at, rest, rest)
    gim = G.T @ GIM['denoc'](*model, at) @ G
    if name == 'inertia_matrix':
        return gim
    bias = G.T @ INVERSE['denoc'](*model, at, rate, rest)
    return np.linalg.solve(gim, x - friction - bias)


def arguments(name, q, qd, x):
    return {'inertia_matrix': (q,), 'gravity_torque': (q,), 'bias': (q, qd)}.get(name, (q, qd, x))


def close(found, expected, tolerance=1e-11):
    np.testing.assert_allclose(found, expected, rtol=tolerance,
                               atol=tolerance * np.abs(expected).max())
