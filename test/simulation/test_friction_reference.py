"""Falling arms with friction against the event-driven reference."""

import numpy as np
import pytest
from oracle import ROBOTS
from simulation.friction_oracle import FrictionOracle
from simulation.test_friction import ARMS, FIXED, arm, start

import robot_dynamics as rd

TIMES = np.linspace(0.0, 1.0, 21)


@pytest.mark.parametrize('name', ARMS)
@pytest.mark.parametrize('shift', [0.0, pytest.param(-0.25, marks=pytest.mark.slow)])
def test_falling_arms(name, shift):
    robot = arm(name)
    q0 = start(robot) + shift
    tau = 0.3 * robot.gravity_torque(q0)
    oracle = FrictionOracle(str(ROBOTS / ARMS[name]))
    assert tuple(oracle.joint_names) == robot.joint_names
    truth, rates = oracle.fall(q0, np.zeros(robot.n), tau, TIMES)
    assert np.abs(truth - q0).max() > 0.03
    for method in (*FIXED, 'RK45', 'LSODA'):
        found = rd.simulate(robot, q0, np.zeros(robot.n), tau, TIMES, method=method, limits=False)
        assert np.abs(found.q - truth).max() < 1e-3, method
        assert np.abs(found.qd - rates).max() < 1e-2, method


@pytest.mark.parametrize('name', [pytest.param(
    name, marks=pytest.mark.slow if name == 'talos' else ()) for name in ARMS])
def test_thrown_arms_come_to_rest_as_they_should(name):
    robot = arm(name).with_gravity((0, 0, -2.0))
    generator = np.random.default_rng(5)
    q0, v0 = start(robot), generator.uniform(-1, 1, robot.n)
    oracle = FrictionOracle(str(ROBOTS / ARMS[name]))
    oracle.model.gravity.linear = np.array([0, 0, -2.0])
    truth, rates = oracle.fall(q0, v0, np.zeros(robot.n), TIMES)
    for method in ('rk4', 'gauss4', 'DOP853'):
        found = rd.simulate(robot, q0, v0, None, TIMES, method=method, limits=False)
        assert np.abs(found.q - truth).max() < 1e-3, method
        resting = np.abs(rates[-1]) == 0
        assert (found.qd[-1][resting] == 0).all()
