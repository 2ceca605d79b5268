"""Derivatives against finite differences, complex steps and Pinocchio; the regressor."""

import numpy as np
import pytest
from engine.engine_robots import CASES, states

SOME = ('two', 'chain', 'mimic')


def slopes(f, x, step=1e-6):
    return np.array([(f(x + h) - f(x - h)) / (2 * step) for h in step * np.eye(len(x))]).T


@pytest.mark.parametrize('robot', [*SOME, 'tree'])
@pytest.mark.parametrize('kind', ['inverse', 'forward'])
def test_against_finite_differences(robot, kind, compiled):
    case = CASES[robot]
    name, kernels = f'{kind}_dynamics', case.kernels()
    q, qd, x = states(case.n)
    before = kernels.evaluate(f'{name}_derivatives', (q, qd, x))  # complex steps
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
