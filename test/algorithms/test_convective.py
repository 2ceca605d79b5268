"""The matrix of convective inertia: C qd, dI/dt - 2 C, and the planar shortcut."""

import numpy as np
import pytest
from algorithms.robots import (
    NAMES,
    PAPERS,
    ROBOTS,
    paper_robot,
    random_inertials,
    random_state,
    relative_error,
)

from robot_dynamics.algorithms.bias import bias, gravity_torque
from robot_dynamics.algorithms.convective import convective_matrix, skew_convective_matrix
from robot_dynamics.algorithms.gibbs_appell_inertia import inertia_matrix
from robot_dynamics.errors import ModelError
from robot_dynamics.model.denoc import make_geometry, make_inertials
from robot_dynamics.studies import planar

robots = pytest.mark.parametrize(('name', 'geometry', 'inertials'), ROBOTS, ids=NAMES)
both = pytest.mark.parametrize('method', [convective_matrix, skew_convective_matrix])


def inertia_rate(geometry, inertials, q, qd, step=1e-3):
    """Return dI/dt by a difference of sixth order."""
    weights = ((1, 45), (2, -9), (3, 1))
    return sum(w * (inertia_matrix(geometry, inertials, q + k * step * qd)
                    - inertia_matrix(geometry, inertials, q - k * step * qd))
               for k, w in weights) / (60 * step)


@robots
@both
def test_convective_torque_is_bias_without_gravity(method, name, geometry, inertials):
    q, qd, _ = random_state(geometry, 1)
    expected = bias(geometry, inertials, q, qd) - gravity_torque(geometry, inertials, q)
    assert relative_error(method(geometry, inertials, q, qd) @ qd, expected) < 1e-11


@both
def test_stanford_convective_torque(method):
    geometry, inertials = paper_robot('stanford')
    for row in PAPERS['stanford']['random_states']:
        q, qd = np.array(row['q']), np.array(row['qd'])
        found = method(geometry, inertials, q, qd) @ qd
        assert relative_error(found, row['bias_Cqd']) < 1e-11


SMALL = [robot for robot in ROBOTS if len(robot[1].parent) <= 12]


@pytest.mark.parametrize(('name', 'geometry', 'inertials'), SMALL, ids=[r[0] for r in SMALL])
def test_skew_symmetry(name, geometry, inertials):
    q, qd, _ = random_state(geometry, 2)
    rate = inertia_rate(geometry, inertials, q, qd)
    size = np.abs(rate).max() + 1e-3
    S = rate - 2 * skew_convective_matrix(geometry, inertials, q, qd)
    assert np.abs(S + S.T).max() < 1e-9 * size
    # the paper's factorisation claims it along the motion only
    S = rate - 2 * convective_matrix(geometry, inertials, q, qd)
    assert abs(qd @ S @ qd) < 1e-9 * size * (qd @ qd)


def test_the_papers_factorisation_is_not_skew_symmetric_in_space():
    _, geometry, inertials = ROBOTS[NAMES.index('chain 6R')]
    q, qd, _ = random_state(geometry, 3)
    rate = inertia_rate(geometry, inertials, q, qd)
    S = rate - 2 * convective_matrix(geometry, inertials, q, qd)
    assert np.abs(S + S.T).max() > 0.01
    centred = inertials._replace(moment=np.zeros_like(inertials.moment))
    S = inertia_rate(geometry, centred, q, qd) - 2 * convective_matrix(geometry, centred, q, qd)
    assert np.abs(S + S.T).max() < 1e-9


def planar_tree(n, seed):
    """Return a random planar tree: revolute axes normal to a plane, prismatic ones in it."""
    rng = np.random.default_rng(seed)
    prismatic = rng.random(n) < 0.4
    parent = [int(rng.integers(max(-1, i - 2), i)) for i in range(n)]
    gamma, theta0 = rng.uniform(-3, 3, (2, n))
    theta0[prismatic] = 0.0
    alpha = np.zeros(n)
    for i, p in enumerate(parent):
        slides = p >= 0 and prismatic[p]
        if prismatic[i] != slides:  # from a normal axis to one in the plane, or back
            alpha[i] = np.pi / 2 * rng.choice([-1, 1])
            gamma[i] = 0.0 if slides else gamma[i]
        elif slides:  # from one axis in the plane to another: a turn about y
            gamma[i], alpha[i], theta0[i] = np.pi / 2, rng.uniform(-3, 3), -np.pi / 2
    geometry = make_geometry(parent, prismatic, gamma, alpha, theta0, rng.uniform(-1, 1, (n, 3)))
    return geometry, random_inertials(n, rng, armature=True)


@pytest.mark.parametrize('seed', range(20))
def test_planar_shortcut_equals_the_general_path(seed):
    geometry, inertials = planar_tree(6, seed)
    arm = planar.planar_arm(geometry, inertials)
    q, qd, _ = random_state(geometry, seed)
    assert relative_error(planar.inertia_matrix(arm, q),
                          inertia_matrix(geometry, inertials, q)) < 1e-12
    C = convective_matrix(geometry, inertials, q, qd)
    assert relative_error(planar.convective_matrix(arm, q, qd), C) < 1e-12
    S = inertia_rate(geometry, inertials, q, qd) - 2 * C
    assert np.abs(S + S.T).max() < 1e-8


def test_an_arm_that_is_not_planar_is_refused():
    with pytest.raises(ModelError, match='not a planar arm: the axis of joint 1'):
        planar.planar_arm(*paper_robot('puma_rods'))


def test_the_papers_planar_arm():
    """RP of Bhangale2004 (19): point masses at the tips, a_1 = 0; axis 2 turned into the plane."""
    case = PAPERS['rp_planar']
    mass = [case['params']['m1'], case['params']['m2']]
    geometry = make_geometry(
        [-1, 0], [False, True], [0.0, 0.0], [0.0, np.pi / 2], [0.0, 0.0], np.zeros((2, 3)))
    inertials = make_inertials(mass, np.zeros((2, 3)), np.zeros((2, 3, 3)), gravity=np.zeros(3))
    arm = planar.planar_arm(geometry, inertials)
    for row in case['variants']['point_mass_tip']:
        q, qd, qdd = (np.full(2, row[key]) for key in ('q', 'qd', 'qdd'))
        gim, C = planar.inertia_matrix(arm, q), planar.convective_matrix(arm, q, qd)
        assert relative_error(gim, row['GIM']) < 1e-9
        assert relative_error(C @ qd, row['bias_Cqd']) < 1e-9
        assert relative_error(gim @ qdd + C @ qd, row['tau']) < 1e-9
