"""Derivatives of what verbs give: motors elsewhere than freedoms, floating bases over loops."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import robot_dynamics as rd

ROOT = Path(__file__).parents[2]
H = 1e-6


def mechanism(name):
    """Return a mechanism whose motors are not where its freedoms are."""
    if name == 'elsewhere':
        return rd.load_mechanism('four_bar', actuated=['joint_1'], independent=['joint_3'])
    if name == 'fewer':
        return rd.load_mechanism(ROOT / 'urdf' / 'five_bar.yaml', actuated=['left_shoulder'],
                                 independent=['left_shoulder', 'right_shoulder'])
    return rd.load_mechanism(ROOT / 'test' / 'data' / 'mechanisms' / 'stephenson.yaml')


def slopes(function, x):
    """Return the derivative of a function of a vector by central differences."""
    return np.stack([(function(x + H * e) - function(x - H * e)) / (2 * H)
                     for e in np.eye(len(x))], axis=-1)


@pytest.mark.parametrize('name', ['elsewhere', 'more', 'fewer'])
def test_derivatives_are_those_of_the_verbs(name, rng):
    m = mechanism(name)
    near, motors = m.start, len(m.actuated_names)
    q, (qd, qdd), tau = m.neutral, rng.normal(size=(2, m.n)), rng.normal(size=motors)
    state = [q, qd, qdd]
    found = m.inverse_dynamics_derivatives(*state, near=near)
    for k, slope in enumerate(found):
        assert slope.shape == (motors, m.n)

        def at(x, k=k):
            return m.inverse_dynamics(*state[:k], x, *state[k + 1:], near=near)
        np.testing.assert_allclose(slope, slopes(at, state[k]), rtol=1e-5, atol=1e-5)
    state = [q, qd, tau]
    found = m.forward_dynamics_derivatives(*state, near=near)
    for k, slope in enumerate(found):
        assert slope.shape == (m.n, motors if k == 2 else m.n)

        def at(x, k=k):
            return m.forward_dynamics(*state[:k], x, *state[k + 1:], near=near)
        np.testing.assert_allclose(slope, slopes(at, state[k]), rtol=1e-5, atol=1e-5)
    many = m.forward_dynamics_derivatives(*(np.tile(x, (3, 1)) for x in state),
                                          near=np.tile(near, (3, 1)))
    out = tuple(np.zeros_like(x) for x in many)
    assert m.forward_dynamics_derivatives(*(np.tile(x, (3, 1)) for x in state),
                                          near=np.tile(near, (3, 1)), out=out)[0] is out[0]
    for slope, each, kept in zip(found, many, out, strict=True):
        np.testing.assert_allclose(each, np.tile(slope, (3, 1, 1)), rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(each, kept)


def test_rates_of_a_floating_base_over_loops():
    """Twists do not commute: dJ/dt and the skew C of a quadruped whose feet are pinned."""
    m, h = rd.load('quadruped'), 1e-5
    q, qd = m.neutral, np.linspace(0.2, 0.9, 6)

    def moved(part):
        twist = part * np.r_[qd[3:], qd[:3]]
        return pin.SE3ToXYZQUAT(pin.XYZQUATToSE3(q) * pin.exp6(twist))
    ahead, behind = moved(h), moved(-h)
    expected = (m.jacobian(ahead, 'trunk') - m.jacobian(behind, 'trunk')) / (2 * h)
    np.testing.assert_allclose(m.jacobian_rate(q, qd, 'trunk'), expected, atol=1e-9)
    change = (m.inertia_matrix(ahead) - m.inertia_matrix(behind)) / (2 * h)
    skew = change - 2 * m.convective_matrix(q, qd, form='skew')
    np.testing.assert_allclose(skew, -skew.T, atol=1e-6 * np.abs(change).max())
    for form in ('paper', 'skew'):
        np.testing.assert_allclose(m.convective_matrix(q, qd, form=form) @ qd,
                                   m.bias(q, qd) - m.gravity_torque(q), atol=1e-9)
