"""Stacks in motion: every robot as if it were alone."""

import numpy as np
import pytest

import robot_dynamics as rd

N = 6
PARTS = ('q', 'qd', 'qdd', 'tau', 'kinetic', 'potential')


@pytest.fixture(scope='module')
def arm():
    rows = [rd.DHRow(0.3, 0.1 * k, 0.5 * k, 0, mass=1 + k, com=(-0.1, 0, 0.05), lower=-3, upper=3,
                     inertia=0.02 * np.eye(3)) for k in range(3)]
    return rd.Robot.from_dh(rows)


def starts(arm):
    return np.random.default_rng(1).normal(0, 0.3, (N, arm.n))


@pytest.mark.parametrize('method', ['rk4', 'semi_implicit_euler', 'implicit_midpoint'])
def test_payloads_move_as_alone(arm, method):
    stack = arm.with_payload(arm.tip_names[0], np.linspace(0, 3, N)).with_gravity(
        np.random.default_rng(2).normal(0, 9, (N, 3)))
    q0, options = starts(arm), {'method': method, 'step': 1e-3}
    motion = rd.simulate(stack, q0, np.zeros(arm.n), np.ones(arm.n), 0.05, **options)
    for i, one in enumerate(stack):
        alone = rd.simulate(one, q0[i], np.zeros(arm.n), np.ones(arm.n), 0.05, **options)
        for part in PARTS:
            found, expected = getattr(motion, part)[:, i], getattr(alone, part)
            if method == 'implicit_midpoint':  # sweeps until the last of a block has converged
                assert np.allclose(found, expected, rtol=1e-9, atol=1e-9)
            else:
                assert np.array_equal(found, expected), part


@pytest.mark.parametrize('case', ['constant', 'law', 'pulled'])
def test_variants_move_as_alone(arm, case):
    a = np.array([row.a for row in arm.dh.rows])
    stack = arm.variants(a=a * np.random.default_rng(3).uniform(0.8, 1.2, (N, len(a))))
    torque = (lambda t, q, qd: -2.0 * qd) if case == 'law' else np.ones(arm.n)
    options = {'method': 'rk4', 'step': 1e-3, 'external': {
        arm.tip_names[0]: [0, 0, 0, 1.0, 2.0, 3.0]} if case == 'pulled' else None}
    motion = rd.simulate(stack, starts(arm)[0], np.zeros(arm.n), torque, 0.02, **options)
    for i in (0, N - 1):
        alone = rd.simulate(stack[i], starts(arm)[0], np.zeros(arm.n), torque, 0.02, **options)
        assert np.abs(motion.q[:, i] - alone.q).max() < 1e-12


def test_stops_and_friction_act_on_each():
    rows = [rd.DHRow(1, 0, 0, 0, mass=1, com=(-0.5, 0, 0), inertia=np.eye(3) / 12, lower=-0.1,
                     upper=2, damping=0.1, friction=0.2)]
    stack = rd.Robot.from_dh(rows, gravity=(0, -9.81, 0)).with_payload('link_1', [0.0, 1.0, 2.0])
    motion = rd.simulate(stack, [0.5], [0.0], [0.0], 0.5, method='rk4', step=1e-3)
    assert np.allclose(motion.q[-1], -0.1, atol=1e-6)
    for i, one in enumerate(stack):
        alone = rd.simulate(one, [0.5], [0.0], [0.0], 0.5, method='rk4', step=1e-3)
        assert np.array_equal(alone.q, motion.q[:, i])


def test_wrong_input(arm):
    stack = arm.with_payload(arm.tip_names[0], np.ones(N))
    with pytest.raises(rd.InputError, match='3 states for a stack of 6 robots'):
        rd.simulate(stack, np.zeros((3, arm.n)), np.zeros(arm.n), None, 0.1, method='rk4')
    with pytest.raises(rd.InputError, match='of robot 3 is at'):
        rd.simulate(stack, np.eye(6)[:, 3:] * -9, np.zeros(arm.n), None, 0.1, method='rk4')
    with pytest.raises(rd.InputError, match='method'):
        rd.simulate(stack, np.zeros(arm.n), np.zeros(arm.n), None, 0.1)
