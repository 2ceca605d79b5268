"""DeNOC matrices written out: constraints, rates, constraint wrenches, and the recursions."""

import numpy as np
import pytest
from algorithms.robots import ROBOTS, random_state, relative_error

from robot_dynamics.algorithms import GIM, INVERSE
from robot_dynamics.algorithms.convective import convective_matrix
from robot_dynamics.algorithms.external import external_torque
from robot_dynamics.algorithms.kinematics import jacobian
from robot_dynamics.studies import natural_complement as noc

SMALL = [robot for robot in ROBOTS if len(robot[1].parent) <= 12]
pytestmark = pytest.mark.parametrize(
    ('name', 'geometry', 'inertials'), SMALL, ids=[robot[0] for robot in SMALL])


def test_the_complement_is_orthogonal_to_the_constraints(name, geometry, inertials):
    q, _, _ = random_state(geometry, 1)
    K, N = noc.K(geometry, q), noc.N(geometry, q)
    assert np.abs(K @ N).max() < 1e-12
    assert np.linalg.matrix_rank(K) == 5 * len(q)  # nullity L: N spans the whole nullspace
    assert np.linalg.matrix_rank(N) == len(q)


def test_blocks_are_jacobians(name, geometry, inertials):
    q, _, _ = random_state(geometry, 2)
    N = noc.N(geometry, q)
    for i in range(len(q)):
        assert np.abs(N[noc.block(i)] - jacobian(geometry, q, i, np.zeros(3))).max() < 1e-12


def test_rates(name, geometry, inertials):
    q, qd, _ = random_state(geometry, 3)
    h = 1e-6
    for function, rate in ((noc.N_l, noc.N_l_rate), (noc.N_d, noc.N_d_rate), (noc.N, noc.N_rate)):
        expected = (function(geometry, q + h * qd) - function(geometry, q - h * qd)) / (2 * h)
        assert np.abs(rate(geometry, q, qd) - expected).max() < 1e-7


def test_matrices_equal_recursions(name, geometry, inertials):
    q, qd, qdd = random_state(geometry, 4)
    N, Nd, M = noc.N(geometry, q), noc.N_rate(geometry, q, qd), noc.M(geometry, inertials, q)
    gim = N.T @ M @ N + np.diag(inertials.armature)
    for method in GIM.values():
        assert relative_error(method(geometry, inertials, q), gim) < 1e-12
    wrenches = noc.inertia_wrenches(geometry, inertials, q, qd, qdd)
    weight = noc.gravity_wrenches(geometry, inertials, q)
    tau = N.T @ (wrenches - weight) + inertials.armature * qdd
    for method in INVERSE.values():
        assert relative_error(method(geometry, inertials, q, qd, qdd), tau) < 1e-11
    t = N @ qd
    WME = np.zeros_like(M)
    for i in range(len(q)):
        b = noc.block(i)
        W = np.kron(np.eye(2), noc.tilde(t[b][:3]))
        WME[b, b] = W @ M[b, b] @ np.diag([1.0, 1, 1, 0, 0, 0])
    C = N.T @ (M @ Nd + WME @ N)  # not only C qd: every element
    assert relative_error(convective_matrix(geometry, inertials, q, qd), C) < 1e-12


def test_constraint_wrenches_do_no_work(name, geometry, inertials):
    q, qd, qdd = random_state(geometry, 5)
    wrenches = noc.constraint_wrenches(geometry, inertials, q, qd, qdd)
    size = np.abs(noc.inertia_wrenches(geometry, inertials, q, qd, qdd)).max() + 1.0
    assert np.abs(noc.N(geometry, q).T @ wrenches).max() < 1e-11 * size
    multipliers = np.linalg.lstsq(noc.K(geometry, q).T, wrenches, rcond=None)[0]
    residual = noc.K(geometry, q).T @ multipliers - wrenches  # w^C = K^T lambda
    assert np.abs(residual).max() < 1e-10 * size


def test_external_wrenches_project_like_the_complement(name, geometry, inertials):
    q, _, _ = random_state(geometry, 6)
    n = len(q)
    wrenches = np.random.default_rng(0).normal(size=(n, 6))
    found = external_torque(geometry, q, np.arange(n), np.zeros((n, 3)), wrenches)
    assert relative_error(found, noc.N(geometry, q).T @ wrenches.ravel()) < 1e-12
