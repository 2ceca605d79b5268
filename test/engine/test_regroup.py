"""Regrouped inertials: the same torques from fewer parameters."""

import numpy as np
import pytest
from engine.engine_robots import CASES, states

from robot_dynamics.algorithms import GIM, INVERSE
from robot_dynamics.engine.tracing.regroup import regroup


@pytest.mark.parametrize('gravity', [(0.0, 0.0, -9.81), (4.0, -5.0, 6.0)])
@pytest.mark.parametrize('robot', CASES)
def test_the_dynamics_stay_the_same(robot, gravity):
    case = CASES[robot]
    L = len(case.offset)
    inertials = case.inertials.over(
        gravity=np.array(gravity), linear_acceleration=np.array([1.0, 2.0, 3.0]))
    base = regroup(case.geometry, inertials, ())
    q, qd, qdd = states(L)
    for algorithm in INVERSE.values():
        np.testing.assert_allclose(
            algorithm(case.geometry, base, q, qd, qdd),
            algorithm(case.geometry, inertials, q, qd, qdd), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(
        GIM['composite_body'](case.geometry, base, q),
        GIM['denoc'](case.geometry, inertials, q), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize('robot', CASES)
def test_what_vanishes(robot):
    case = CASES[robot]
    base = regroup(case.geometry, case.inertials, ())
    for i, prismatic in enumerate(case.geometry.prismatic):
        if prismatic:
            assert not base.inertia[i].any()
        else:
            assert base.mass[i] == base.moment[i, 2] == base.inertia[i, 1, 1] == 0


def test_nothing_moves_to_massless_links():
    case = CASES['chain']
    base = regroup(case.geometry, case.inertials, (0, 1))
    for i in (1, 2):
        assert base.mass[i] >= case.inertials.mass[i]
    assert base.mass[3] == 0
