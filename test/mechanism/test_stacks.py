"""Stacks of mechanisms are the mechanisms one by one."""

from pathlib import Path

import numpy as np
import pytest

import robot_dynamics as rd

URDF = Path(__file__).parents[2] / 'urdf'


def test_payloads_and_gravity():
    five_bar = rd.load(URDF / 'five_bar.yaml')
    members = [five_bar, five_bar.with_payload('left_forearm', 1.5, (0.5, 0, 0)),
               five_bar.with_gravity((0, -1.62, 0))]
    stack = rd.stack(members)
    assert len(stack) == 3
    assert stack[1] is members[1]
    generator = np.random.default_rng(0)
    q = np.deg2rad(30) + generator.uniform(-0.1, 0.1, (3, 2))
    qd, last = generator.normal(size=(2, 3, 2))
    for verb, arguments in (('inverse_dynamics', (qd, last)), ('forward_dynamics', (qd, last)),
                            ('inertia_matrix', ()), ('kinetic_energy', (qd,))):
        found = getattr(stack, verb)(q, *arguments)
        for k, member in enumerate(members):
            np.testing.assert_allclose(
                found[k], getattr(member, verb)(q[k], *(x[k] for x in arguments)), rtol=1e-12)
    same = stack.gravity_torque(q[0])
    for k, member in enumerate(members):
        np.testing.assert_allclose(same[k], member.gravity_torque(q[0]), rtol=1e-12)


def test_others_are_refused():
    five_bar, four_bar = (rd.load(URDF / f'{name}.yaml') for name in ('five_bar', 'four_bar'))
    with pytest.raises(rd.InputError, match='has other loops than five_bar'):
        rd.stack([five_bar, four_bar])
    with pytest.raises(rd.InputError, match='2 states for 3 mechanisms'):
        rd.stack([five_bar] * 3).gravity_torque(np.zeros((2, 2)))


def test_stacks_of_mechanisms_answer_as_their_members():
    five_bar = rd.load('five_bar')
    members = [five_bar, five_bar.with_payload('left_arm', 1.0), five_bar.with_gravity((1, -5, 0))]
    stack, rng = rd.stack(members), np.random.default_rng(0)
    q = 0.5 + rng.uniform(-0.1, 0.1, (3, 2))
    qd, qdd = rng.normal(size=(2, 3, 2))
    pull = {'right_arm': np.arange(6.0)}
    for verb, rates, options in (
            ('reaction_wrenches', (qd, qdd), {}), ('constraint_wrenches', (qd, qdd), {}),
            ('constraint_wrenches', (qd, qdd), {'external': pull}), ('passive_rates', (qd,), {}),
            ('passive_accelerations', (qd, qdd), {})):
        expected = [getattr(m, verb)(q[k], *(x[k] for x in rates), **options)
                    for k, m in enumerate(members)]
        np.testing.assert_allclose(
            getattr(stack, verb)(q, *rates, **options), expected, rtol=1e-9, atol=1e-12)
    assert stack.friction_torque(qd, q=q).shape == (3, 2)


def test_what_stacks_of_mechanisms_lack_is_that_of_one():
    five_bar = rd.load('five_bar')
    stack = rd.stack([five_bar] * 3)
    with pytest.raises(AttributeError, match=r'have assemble, .*; ask stack\[i\]\.contacts'):
        stack.contacts([0.5, 0.5])
    with pytest.raises(AttributeError, match="'nonsense': expected one of assemble"):
        stack.nonsense([0.5, 0.5])
    with pytest.raises(rd.InputError, match='near: 2 states for 3 mechanisms'):
        stack.gravity_torque([0.5, 0.5], near=[five_bar.start] * 2)
