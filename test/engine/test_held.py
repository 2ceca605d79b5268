"""Forward dynamics with joints held against a masked solve."""

import warnings

import numpy as np
import pytest
from oracle import ROBOTS

import robot_dynamics as rd

ROBOTS_HERE = ('panda_description/urdf/panda.urdf',  # a mimic joint
               'z1_description/urdf/z1.urdf',  # damping and friction
               'solo_description/robots/solo12.urdf')  # branches


def expected(robot, q, qd, tau, free):
    """Return qdd where free, the reaction where held, by the rows of the GIM that are free."""
    I, moves = robot.inertia_matrix(q), free > 0
    rest = tau - robot.bias(q, qd) - robot.model.damping * qd
    qdd = np.zeros(robot.n)
    qdd[moves] = np.linalg.solve(I[np.ix_(moves, moves)], rest[moves])
    return np.where(moves, qdd, I @ qdd - rest)


@pytest.mark.parametrize('path', ROBOTS_HERE)
def test_held_joints(path):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        robot = rd.load(ROBOTS / path)
    rng, n = np.random.default_rng(2), robot.n
    assert robot.kernels.compiled('held_dynamics') is not None
    for held in (0.0, 0.3, 0.7, 1.0):
        q, qd, tau = rng.uniform(-1, 1, (3, n))
        free = (rng.random(n) >= held) * 1.0
        truth = expected(robot, q, qd, tau, free)
        answer = robot.kernels.evaluate('held_dynamics', (q, qd, tau, free))
        np.testing.assert_allclose(answer, truth, rtol=0, atol=1e-9 * np.abs(truth).max())
