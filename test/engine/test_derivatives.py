"""Derivatives against finite differences, complex steps and Pinocchio; the regressor."""

import numpy as np
import pytest
from engine.engine_robots import CASES, states, turning

from robot_dynamics.algorithms.derivatives import inverse_dynamics_derivatives
from robot_dynamics.algorithms.external import external_torque, external_torque_derivative
from robot_dynamics.algorithms.newton_euler import inverse_dynamics as newton_euler
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.errors import InputError

SOME = ('two', 'chain', 'mimic')


def slopes(f, x, step=1e-6):
    return np.array([(f(x + h) - f(x - h)) / (2 * step) for h in step * np.eye(len(x))]).T


@pytest.mark.parametrize('robot', [*SOME, 'tree'])
@pytest.mark.parametrize('kind', ['inverse', 'forward'])
def test_against_finite_differences(robot, kind, compiled):
    case = CASES[robot]
    name, kernels = f'{kind}_dynamics', case.kernels()
    q, qd, x = states(case.n)
    before = kernels.evaluate(f'{name}_derivatives', (q, qd, x))  # the algorithm over floats
    found = compiled(kernels, f'{name}_derivatives', (q, qd, x))
    compiled(kernels, name, (q, qd, x))
    expected = [slopes(lambda y: kernels.evaluate(name, (y, qd, x)), q),
                slopes(lambda y: kernels.evaluate(name, (q, y, x)), qd),
                slopes(lambda y: kernels.evaluate(name, (q, qd, y)), x)]
    for a, b, c in zip(found, before, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10 * np.abs(b).max())
        np.testing.assert_allclose(a, c, rtol=1e-5, atol=1e-5 * np.abs(c).max())


def test_last_derivatives_are_the_gim_and_its_inverse(compiled):
    case = CASES['chain']
    kernels, (q, qd, x) = case.kernels(), states(case.n)
    gim = compiled(kernels, 'inertia_matrix', (q,))
    np.testing.assert_allclose(
        compiled(kernels, 'inverse_dynamics_derivatives', (q, qd, x))[2], gim, rtol=1e-12)
    inverse = compiled(kernels, 'forward_dynamics_derivatives', (q, qd, x))[2]
    np.testing.assert_allclose(inverse @ gim, np.eye(case.n), atol=1e-10)


def test_batches_of_derivatives(compiled):
    case = CASES['two']
    kernels, args = case.kernels(), states(2, 7)
    found = compiled(kernels, 'inverse_dynamics_derivatives', tuple(args))
    assert [part.shape for part in found] == [(7, 2, 2)] * 3
    one = kernels.evaluate('inverse_dynamics_derivatives', tuple(x[3] for x in args))
    for part, single in zip(found, one, strict=True):
        np.testing.assert_allclose(part[3], single, rtol=1e-13)


@pytest.mark.parametrize('robot', SOME)
def test_regressor(robot, compiled):
    case = CASES[robot]
    kernels, (q, qd, qdd) = case.kernels(), states(case.n)
    i = case.inertials
    upper = i.inertia[:, (0, 0, 0, 1, 1, 2), (0, 1, 2, 1, 2, 2)]
    pi = np.concatenate([i.mass[:, None], i.moment, upper], axis=1).ravel()
    before = kernels.evaluate('regressor', (q, qd, qdd))
    Y = compiled(kernels, 'regressor', (q, qd, qdd))
    assert Y.shape == (case.n, 10 * len(i.mass))
    np.testing.assert_allclose(Y, before, atol=1e-12)
    tau = compiled(kernels, 'inverse_dynamics', (q, qd, qdd))
    rotors = case.expand.T @ (i.armature * (case.expand @ qdd))
    np.testing.assert_allclose(Y @ pi + rotors, tau, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize('robot', CASES)
@pytest.mark.parametrize('moving', [False, True])
def test_the_algorithm_against_complex_steps(robot, moving):
    """Prismatic joints, trees, rotors, a base that turns: Im tau(x + i h) / h is exact."""
    case = CASES[robot]
    inertials = turning(case) if moving else case.inertials
    L = len(case.offset)
    state = states(L)
    *found, tau = inverse_dynamics_derivatives(case.geometry, inertials, *state)
    np.testing.assert_allclose(
        tau, newton_euler(case.geometry, inertials, *state), rtol=1e-10, atol=1e-10)
    for which, matrix in enumerate(found):
        columns = []
        for k in range(L):
            moved = [x.astype(complex) for x in state]
            moved[which][k] += 1e-40j
            columns.append(newton_euler(case.geometry, inertials, *moved).imag / 1e-40)
        expected = np.array(columns).T
        np.testing.assert_allclose(matrix, expected, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize('robot', ['tree', 'slides', 'chain'])
def test_wrenches_against_complex_steps(robot):
    case = CASES[robot]
    L = len(case.offset)
    q, rng = states(L)[0], np.random.default_rng(3)
    links, points, wrenches = [L - 1, 1], rng.normal(size=(2, 3)), rng.normal(size=(2, 6))
    columns = []
    for k in range(L):
        moved = q.astype(complex)
        moved[k] += 1e-40j
        tau = external_torque(case.geometry, moved, links, points, wrenches)
        columns.append(tau.imag / 1e-40)
    found = external_torque_derivative(case.geometry, q, links, points, wrenches)
    np.testing.assert_allclose(found, np.array(columns).T, atol=1e-13)


@pytest.mark.parametrize('name', ['inverse_dynamics_derivatives', 'udu', 'energies'])
@pytest.mark.parametrize('N', [1, 5, 64, 300])
def test_several_results_of_a_batch(name, N, compiled):
    case = CASES['chain']
    kernels = case.kernels()
    arguments = tuple(states(case.n, N))[:len(DEFINITIONS[name].sizes(kernels.spec, ()))]
    compiled(kernels, name, arguments)
    found = getattr(kernels, name)(*arguments, None)  # the built-in function itself
    for k in range(N):
        one = getattr(kernels, name)(*(x[k] for x in arguments), None)
        assert all(np.array_equal(part[k], single)
                   for part, single in zip(found, one, strict=True))
    out = tuple(np.empty(part.shape) for part in found)
    assert all(a is b for a, b in zip(kernels.evaluate(name, arguments, out), out, strict=True))
    assert all(np.array_equal(a, b) for a, b in zip(out, found, strict=True))
    bad = [np.array(x) for x in arguments]
    bad[0][N // 2] = np.nan
    with pytest.raises(InputError, match='q'):
        kernels.evaluate(name, tuple(bad), out)
    with pytest.raises(InputError, match='out: expected'):
        kernels.evaluate(name, arguments, out[:1])
