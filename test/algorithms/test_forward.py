"""Forward dynamics, GIM and its factors: every method against Pinocchio, and identities."""

import numpy as np
import pytest
from algorithms.robots import NAMES, ROBOTS, paper_robot, random_state, relative_error

from robot_dynamics.algorithms import FORWARD, GIM, INVERSE
from robot_dynamics.algorithms.denoc_forward import udu

EPS = np.finfo(float).eps
robots = pytest.mark.parametrize(('name', 'geometry', 'inertials'), ROBOTS, ids=NAMES)


def tolerance(geometry, inertials, q, floor):
    """Return max(floor, 50 eps cond(I)): what rounding of the GIM's entries allows."""
    return max(floor, 50 * EPS * np.linalg.cond(GIM['denoc'](geometry, inertials, q)))


@robots
@pytest.mark.parametrize('method', FORWARD)
def test_accelerations_agree_with_pinocchio(method, name, geometry, inertials):
    oracle = pytest.importorskip('algorithms.oracle').Oracle(geometry, inertials)
    for seed in range(3):
        q, qd, tau = random_state(geometry, seed)
        found, pivots = FORWARD[method](geometry, inertials, q, qd, tau)
        limit = tolerance(geometry, inertials, q, 1e-11)
        assert relative_error(found, oracle.forward_dynamics(q, qd, tau)) < limit
        assert np.all(pivots > 0)


@robots
@pytest.mark.parametrize('method', FORWARD)
@pytest.mark.parametrize('inverse', INVERSE)
def test_forward_undoes_inverse(inverse, method, name, geometry, inertials):
    q, qd, qdd = random_state(geometry, 3)
    tau = INVERSE[inverse](geometry, inertials, q, qd, qdd)
    found, _ = FORWARD[method](geometry, inertials, q, qd, tau)
    limit = tolerance(geometry, inertials, q, 1e-11)
    scale = max(np.max(np.abs(qdd)), np.max(np.abs(
        FORWARD[method](geometry, inertials, q, qd, np.zeros_like(q))[0])))
    assert np.max(np.abs(found - qdd)) < limit * scale


@robots
def test_methods_agree_with_each_other(name, geometry, inertials):
    q, qd, tau = random_state(geometry, 8)
    limit = tolerance(geometry, inertials, q, 1e-11)
    found = [method(geometry, inertials, q, qd, tau)[0] for method in FORWARD.values()]
    for one in found:
        for other in found:
            assert relative_error(one, other) < limit


@robots
@pytest.mark.parametrize('method', GIM)
def test_inertia_matrix_agrees_with_pinocchio(method, name, geometry, inertials):
    oracle = pytest.importorskip('algorithms.oracle').Oracle(geometry, inertials)
    q, _, _ = random_state(geometry, 4)
    found = GIM[method](geometry, inertials, q)
    assert relative_error(found, oracle.inertia_matrix(q)) < 1e-12
    assert np.array_equal(found, found.T)


@robots
def test_factors_multiply_to_the_inertia_matrix(name, geometry, inertials):
    q, _, _ = random_state(geometry, 5)
    U, D = udu(geometry, inertials, q)
    assert relative_error(U @ np.diag(D) @ U.T, GIM['denoc'](geometry, inertials, q)) < 1e-12
    assert np.array_equal(np.tril(U), np.eye(len(q)))
    assert np.all(D > 0)


@robots
def test_factors_are_zero_between_branches(name, geometry, inertials):
    q, _, _ = random_state(geometry, 6)
    U, _ = udu(geometry, inertials, q)
    for j in range(len(q)):
        ancestors, k = set(), j
        while k >= 0:
            ancestors.add(k)
            k = int(geometry.parent[k])
        assert all(U[i, j] == 0 for i in range(len(q)) if i not in ancestors)


@pytest.mark.parametrize('method', FORWARD)
def test_a_singular_inertia_matrix_shows_in_the_pivots(method):
    """The PUMA of MohanSaha2007 without hub inertia: nothing turns about the wrist's axes."""
    geometry, inertials = paper_robot('puma_rods')
    inertia = np.array(inertials.inertia)
    inertia[3:] = 0.0
    inertials = inertials._replace(inertia=inertia)
    q, qd, tau = random_state(geometry, 7)
    with np.errstate(all='ignore'):
        _, pivots = FORWARD[method](geometry, inertials, q, qd, tau)
    finite = np.abs(pivots[np.isfinite(pivots)])
    assert finite.size < len(q) or finite.min() < 1e-12 * finite.max()
