"""Every URDF of example-robot-data is the same robot here as in Pinocchio."""

import numpy as np
import pytest
from model.robot_table import compare, load
from oracle import REAL_URDFS, ROBOTS, Oracle, random_state

import robot_dynamics as rd
from robot_dynamics.algorithms import FORWARD, GIM, INVERSE

REFUSED = {  # for a reason the user can act on: the leader's name lacks its prefix
    'alex_description/urdf/alex_psyonic_hands.urdf': "mimics 'index_q1', which does not exist",
}
MISSING = {  # hands without inertials
    'romeo_description/urdf/romeo.urdf': "'LHand'",
    'romeo_description/urdf/romeo_laas_small.urdf': "'l_gripper_joint'",
}
EMPTY = {  # nothing in them moves
    'hector_description/robots/quadrotor_base.urdf', 'iris_description/robots/iris_simple.urdf',
    'ur_description/urdf/ur3.urdf'}
LOADED = [name for name in REAL_URDFS if name not in REFUSED]


def test_there_are_69():
    assert len(REAL_URDFS) == 69


@pytest.mark.parametrize(('name', 'reason'), REFUSED.items())
def test_refused_by_name(name, reason):
    with pytest.raises(rd.DescriptionError, match=reason):
        rd.load(ROBOTS / name)


@pytest.mark.parametrize(('name', 'joint'), MISSING.items())
@pytest.mark.filterwarnings('ignore::robot_dynamics.RobotDynamicsWarning')
def test_missing_inertials_are_loud(name, joint):
    with pytest.raises(rd.DescriptionError, match=joint):
        rd.load(ROBOTS / name)


@pytest.mark.parametrize('name', [name for name in LOADED if name not in MISSING])
@pytest.mark.filterwarnings('ignore::robot_dynamics.RobotDynamicsWarning')
def test_loads_by_default(name):
    assert rd.load(ROBOTS / name).link_names


@pytest.mark.filterwarnings('ignore:.*has no links')
def test_robot_without_a_name_or_links_loads_with_warnings():
    with pytest.warns(rd.RobotDynamicsWarning, match='has no name'):
        robot = rd.load(ROBOTS / 'ur_description/urdf/ur3.urdf')
    assert (robot.name, robot.n) == ('ur3', 0)
    assert robot.pose([]).shape == (4, 4)
    assert robot.inverse_dynamics([], [], []).shape == (0,)


@pytest.mark.parametrize('name', LOADED)
def test_same_kinematics_and_masses(name):
    worst = compare(name)
    assert worst['pose'] < 1e-11
    assert max(worst['mass'], worst['centre'], worst['energy']) < 1e-10


@pytest.mark.parametrize('name', [name for name in LOADED if name not in EMPTY])
def test_same_dynamics(name):
    """Every method against Pinocchio to 1e-9 relative, the condition number taken into account.

    Ours agree with each other to max(1e-11, 50 eps cond(I)).
    """
    robot = load(name)
    oracle = Oracle(ROBOTS / name, robot)
    q, qd, qdd, tau = (batch[0] for batch in random_state(robot, np.random.default_rng(3)))
    torque = oracle.inverse_dynamics(q, qd, qdd)
    for method in INVERSE:
        ours = robot.inverse_dynamics(q, qd, qdd, algorithm=method)
        assert np.abs(ours - torque).max() < 1e-9 * np.abs(torque).max(), method
    gim = oracle.inertia_matrix(q)
    for method in GIM:
        ours = robot.inertia_matrix(q, algorithm=method)
        assert np.abs(ours - gim).max() < 1e-9 * np.abs(gim).max(), method
    if name in MISSING:
        for method in FORWARD:
            with pytest.raises(rd.SingularityError, match='Hand|gripper'):
                robot.forward_dynamics(q, qd, tau, algorithm=method)
        return
    cond = np.linalg.cond(gim)
    eps = np.finfo(float).eps
    reference = oracle.forward_dynamics(q, qd, tau)
    ours = {method: robot.forward_dynamics(q, qd, tau, algorithm=method) for method in FORWARD}
    for method, result in ours.items():
        error = np.abs(result - reference).max() / np.abs(reference).max()
        assert error < max(1e-9, 1e3 * eps * cond), method
        mutual = np.abs(result - ours['denoc']).max() / np.abs(reference).max()
        assert mutual < max(1e-11, 50 * eps * cond), method
