"""Derivatives of floating robots, by recursion, are complex steps of their torques."""

import numpy as np
import pytest
from floating_oracle import random_states
from oracle import ROBOTS
from urdf_text import joint, link, robot

import robot_dynamics as rd
from robot_dynamics.engine.derivative_kernels import torque_derivatives, traced_derivatives

SOLO = ROBOTS / 'solo_description/robots/solo12.urdf'
WITHIN = robot(
    link('base', 2.0), link('arm', 1.0, '0 0.2 0.1'), link('thing', 3.0, '0.1 -0.1 0.2'),
    link('hand', 1.0, '0 0 0.3'), joint('shoulder', 'base', 'arm', axis='0 1 0'),
    joint('free', 'arm', 'thing', type='floating', rpy='0.3 -0.2 0.5'),
    joint('wrist', 'thing', 'hand', axis='1 0 0'))


@pytest.mark.parametrize('moving', [False, True])
@pytest.mark.parametrize('pulled', [False, True])
@pytest.mark.parametrize('which', ['base', 'within'])
def test_recursion_is_complex_steps(which, pulled, moving):
    ours = rd.load(SOLO, base='floating') if which == 'base' else rd.load(WITHIN)
    if moving:  # then the pose itself counts, not gravity's direction alone
        ours = ours.with_base_motion((0.3, -0.2, 0.5), (0.1, 0.4, -0.3), (1.0, 2.0, -1.0))
    generator = np.random.default_rng(7)
    if which == 'base':
        q, qd, qdd, _ = (x[0] for x in random_states(ours, generator))
    else:
        q, (qd, qdd) = generator.uniform(-1, 1, ours.nq), generator.uniform(-1, 1, (2, ours.n))
    frame = ours.model.frames[ours.tip_names[-1]]
    external = (generator.uniform(-5, 5, 6),) if pulled else ()
    frames = ((frame.body, tuple(frame.T[:3, 3].tolist())),) if pulled else ()
    m = ours.kernels._fallback.numbers.at(q)
    found = torque_derivatives(m, q, qd, qdd, [], external, frames)[:2]
    expected = traced_derivatives(m, q, qd, qdd, [], external, frames)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-11 * max(1.0, np.abs(other).max()))
