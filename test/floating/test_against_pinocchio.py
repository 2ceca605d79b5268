"""Floating bases beside Pinocchio's free flyer: every verb, at random states."""

import numpy as np
import pinocchio as pin
import pytest
from floating_oracle import FreeOracle, random_states
from oracle import ROBOTS

import robot_dynamics as rd
from robot_dynamics.algorithms import FORWARD, GIM, INVERSE

PATHS = {
    'solo12': 'solo_description/robots/solo12.urdf',
    'hector': 'hector_description/robots/quadrotor_base.urdf',
    'talos arm': 'talos_data/robots/talos_left_arm.urdf',
    'bolt': 'bolt_description/robots/bolt.urdf',
    'pr2 gripper': None,  # mimic joints on a floating base, below
}
MIMIC = """<robot name="gripper">
  <link name="palm"><inertial><origin xyz="0.1 0 0.02"/><mass value="2"/>
    <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="0" iyz="0"/></inertial></link>
  <link name="left"><inertial><origin xyz="0 0.1 0"/><mass value="0.4"/>
    <inertia ixx="0.002" iyy="0.003" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right"><inertial><origin xyz="0 -0.1 0"/><mass value="0.5"/>
    <inertia ixx="0.002" iyy="0.003" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="open" type="revolute"><parent link="palm"/><child link="left"/>
    <origin xyz="0.2 0.1 0" rpy="0.3 0.1 0"/><axis xyz="0 0.6 0.8"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="follow" type="revolute"><parent link="palm"/><child link="right"/>
    <origin xyz="0.2 -0.1 0"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
    <mimic joint="open" multiplier="-1.5" offset="0.2"/></joint>
</robot>"""


@pytest.fixture(scope='module', params=PATHS)
def pair(request):
    path = PATHS[request.param]
    source = MIMIC if path is None else ROBOTS / path
    robot = rd.load(source, base='floating', friction=False)
    model = pin.buildModelFromXML(MIMIC, pin.JointModelFreeFlyer()) if path is None else None
    return robot, FreeOracle(source, robot, model)


@pytest.fixture(scope='module')
def states(pair):
    return list(zip(*random_states(pair[0], np.random.default_rng(3), 4), strict=True))


def close(found, expected, tolerance=1e-9):
    size = max(np.abs(expected).max(), 1e-12)
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * size)


def test_names_and_sizes(pair):
    robot, _ = pair
    assert robot.nq == robot.n + 1 and robot.nv == robot.n == len(robot.joint_names)
    six = ('wx', 'wy', 'wz', 'vx', 'vy', 'vz')
    assert robot.joint_names[:6] == tuple(f'base/{x}' for x in six)
    assert np.isinf(robot.limits.lower[:6]).all() and np.isinf(robot.limits.effort[:6]).all()


def test_total_mass(pair):
    robot, oracle = pair
    mass = pin.computeTotalMass(oracle.model)
    assert robot.total_mass == pytest.approx(mass, rel=1e-12)
    assert robot.moving_mass == pytest.approx(mass, rel=1e-12)


def test_equations_of_motion(pair, states):
    robot, oracle = pair
    for q, qd, qdd, _ in states:
        tau, I = oracle.inverse_dynamics(q, qd, qdd), oracle.inertia_matrix(q)
        for algorithm in ('auto', *INVERSE):
            close(robot.inverse_dynamics(q, qd, qdd, algorithm=algorithm), tau)
        for algorithm in ('auto', *GIM):
            close(robot.inertia_matrix(q, algorithm=algorithm), I)
        for algorithm in ('auto', *FORWARD):
            close(robot.forward_dynamics(q, qd, tau, algorithm=algorithm), qdd)
        U, D = robot.udu(q)
        close(U @ np.diag(D) @ U.T, I)
        assert np.array_equal(np.triu(U), U) and (np.diag(U) == 1).all() and (D > 0).all()
        close(robot.inertia_matrix_inverse(q) @ I, np.eye(robot.n), 1e-8)
        rest = np.zeros(robot.n)
        close(robot.bias(q, qd), oracle.inverse_dynamics(q, qd, rest))
        close(robot.gravity_torque(q), oracle.inverse_dynamics(q, rest, rest))
        for form in ('paper', 'skew'):
            close(robot.convective_matrix(q, qd, form=form) @ qd,
                  robot.bias(q, qd) - robot.gravity_torque(q))


def test_skew_form(pair, states):
    robot, _ = pair
    coordinates, h = robot.model.coordinates, 1e-6
    q, qd, _, _ = states[0]
    C = robot.convective_matrix(q, qd, form='skew')
    after, before = (robot.inertia_matrix(coordinates.integrate(q, s * h * qd)) for s in (1, -1))
    np.testing.assert_allclose((after - before) / (2 * h), C + C.T,
                               atol=1e-7 * np.abs(C).max() + 1e-8 * np.abs(after).max())


def test_kinematics_and_momentum(pair, states):
    robot, oracle = pair
    model, data = oracle.model, oracle.data
    for q, qd, _, _ in states:
        for link in (robot.link_names[1], robot.tip_names[-1]):
            close(robot.pose(q, link), oracle.pose(q, link))
            close(robot.jacobian(q, link), oracle.jacobian(q, link))
            close(robot.jacobian_rate(q, qd, link), oracle.jacobian_rate(q, qd, link))
        x, v = oracle.position(q), oracle.rates(qd)
        close(robot.center_of_mass(q), pin.centerOfMass(model, data, x))
        close(robot.centroidal_momentum(q, qd), oracle.momentum_matrix(q) @ qd)
        close(robot.centroidal_momentum_matrix(q), oracle.momentum_matrix(q))
        assert robot.kinetic_energy(q, qd) == pytest.approx(
            pin.computeKineticEnergy(model, data, x, v), rel=1e-9)
        assert robot.potential_energy(q) == pytest.approx(
            pin.computePotentialEnergy(model, data, x), rel=1e-9, abs=1e-9)


def test_derivatives_and_regressor(pair, states):
    robot, oracle = pair
    for q, qd, qdd, tau in states[:2]:
        by_q, by_qd, by_qdd = robot.inverse_dynamics_derivatives(q, qd, qdd)
        if robot.model.coordinates.factors is not None:  # with mimics Pinocchio's are the tree's
            for found, expected in zip((by_q, by_qd), oracle.inverse_derivatives(q, qd, qdd),
                                       strict=True):
                close(found, expected)
        I = oracle.inertia_matrix(q)
        close(by_qdd, I)
        x = robot.forward_dynamics(q, qd, tau)
        by_q, by_qd, _ = robot.inverse_dynamics_derivatives(q, qd, x)
        forward = robot.forward_dynamics_derivatives(q, qd, tau)
        for found, expected in zip(forward, (-by_q, -by_qd, np.eye(robot.n)), strict=True):
            close(I @ found, expected, 1e-8)
        Y = robot.regressor(q, qd, qdd)
        close(Y @ robot.parameters, oracle.inverse_dynamics(q, qd, qdd))


def test_wrenches_on_links(pair, states):
    robot, oracle = pair
    q, qd, qdd, tau = states[0]
    wrenches = {robot.link_names[1]: np.arange(6.0), robot.tip_names[-1]: np.ones(6)}
    pull = sum(oracle.jacobian(q, link).T @ w for link, w in wrenches.items())
    close(robot.inverse_dynamics(q, qd, qdd, external=wrenches),
          oracle.inverse_dynamics(q, qd, qdd) - pull)
    close(robot.forward_dynamics(q, qd, tau, external=wrenches),
          oracle.forward_dynamics(q, qd, tau + pull))
