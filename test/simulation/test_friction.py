"""Dry friction as a set-valued torque: joints that stick, slide and start."""

import warnings
from functools import cache

import numpy as np
import pytest
from oracle import ROBOTS

import robot_dynamics as rd
from robot_dynamics import DHRow
from robot_dynamics.simulation import METHODS

G = 9.81
FIXED = [name for name, kind in METHODS.items() if kind == 'fixed step']
ARMS = {'z1': 'z1_description/urdf/z1.urdf', 'xarm7': 'xarm_description/urdf/xarm7.urdf',
        'talos': 'talos_data/robots/talos_left_arm.urdf'}


@cache
def arm(name):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return rd.load(ROBOTS / ARMS[name])


def start(robot):
    return np.clip(np.full(robot.n, 0.3), robot.limits.lower + 0.05, robot.limits.upper - 0.05)


def sledge(**row):
    """A mass of 2 kg on a horizontal slide, friction 5 N."""
    return rd.Robot.from_dh([DHRow(0, 0, 0, 0, 'prismatic', mass=2.0, friction=5.0, **row)],
                            gravity=(0, 0, 0))


@pytest.mark.parametrize('method', METHODS)
def test_a_sliding_mass_stops_where_it_should_and_stays(method):
    """v0^2 / (2 F / m) on, after v0 m / F."""
    times = np.array([0.0, 0.2, 0.4 + 1e-9, 1.0, 3.0])
    found = rd.simulate(sledge(), [0.0], [1.0], [0.0], times, method=method)
    coarse = 2e-3 if method == 'semi_implicit_euler' else 1e-9
    assert found.q[-1, 0] == pytest.approx(0.2, abs=coarse)
    assert found.q[1, 0] == pytest.approx(0.2 - 2.5 / 2 * 0.2 ** 2, abs=coarse)
    assert (found.qd[3:] == 0).all()
    assert (found.q[3:] == found.q[3]).all()
    np.testing.assert_allclose(found.qdd[:2, 0], -2.5, atol=1e-9)
    assert (found.qdd[3:] == 0).all()


@pytest.mark.parametrize('method', METHODS)
def test_it_starts_when_pulled_by_more_than_friction(method):
    """Pulled by 10 t, it slides from t = 0.5 on: m x = 10 (t - 0.5)^3 / 6."""
    found = rd.simulate(sledge(), [0.0], [0.0], ([0.0, 1.0], [[0.0], [10.0]]),
                        np.linspace(0, 1, 11), method=method)
    exact = 10 / 2 * np.maximum(0, found.t - 0.5) ** 3 / 6
    assert (found.q[found.t < 0.5] == 0).all()
    np.testing.assert_allclose(found.q[:, 0], exact,
                               atol=1e-3 if method == 'semi_implicit_euler' else 2e-7)


@pytest.mark.parametrize('method', METHODS)
def test_it_turns_round_under_a_force_that_beats_friction(method):
    """Pushed back by 15 N: it slows at 10 m/s^2, and returns at 5 m/s^2."""
    found = rd.simulate(sledge(), [0.0], [1.0], [-15.0], [0.0, 0.1, 0.3], method=method)
    coarse = 1e-2 if method == 'semi_implicit_euler' else 1e-9
    np.testing.assert_allclose(found.qd[2, 0], -1.0, atol=coarse)
    np.testing.assert_allclose(found.q[2, 0], 0.05 - 5.0 / 2 * 0.2 ** 2, atol=coarse)


@pytest.mark.parametrize('method', METHODS)
@pytest.mark.parametrize('name', ['z1', 'talos'])
def test_an_arm_held_by_friction_stays(method, name):
    """Torques that leave half of its friction to friction, for 60 s."""
    robot = arm(name)
    q0 = start(robot)
    half = 0.5 * robot.model.friction * np.where(np.arange(robot.n) % 2, 1, -1)
    found = rd.simulate(robot, q0, np.zeros(robot.n), robot.gravity_torque(q0) + half,
                        np.linspace(0.0, 60.0, 7), method=method,
                        step=0.01 if method in FIXED else None)
    assert np.abs(found.q - q0).max() < 1e-9
    np.testing.assert_allclose(found.qdd, 0, atol=1e-9)


@pytest.mark.parametrize('name', ARMS)
def test_falling_arms_agree_in_every_method(name):
    robot = arm(name)
    q0, times = start(robot), np.linspace(0.0, 1.0, 11)
    truth = rd.simulate(robot, q0, np.zeros(robot.n), None, times, method='DOP853', rtol=1e-9,
                        atol=1e-11)
    assert np.abs(truth.q[-1] - q0).max() > 0.1
    for method in METHODS:
        found = rd.simulate(robot, q0, np.zeros(robot.n), None, times, method=method)
        limit = 3e-3 if method == 'semi_implicit_euler' else 1e-3  # Talos' arm strikes a stop
        assert np.abs(found.q - truth.q).max() < limit, method
        assert (np.diff(found.energy) < 1e-6).all(), method


@pytest.mark.parametrize('method', ['RK45', 'LSODA', 'rk4', 'gauss4'])
def test_accelerations_of_samples_are_those_of_the_motion(method):
    """The change of the rates between samples is the mean acceleration, sticking or sliding."""
    robot = arm('z1')
    found = rd.simulate(robot, start(robot), np.zeros(robot.n), None, np.linspace(0, 0.5, 2001),
                        method=method, step=2.5e-4, rtol=1e-9)
    mean = (found.qdd[1:] + found.qdd[:-1]) / 2
    change = np.diff(found.qd, axis=0) / np.diff(found.t)[:, None]
    off = np.abs(change - mean)
    hits = (np.diff(((found.q == robot.limits.lower) | (found.q == robot.limits.upper)) + 0.0,
                    axis=0) > 0).any(axis=1)
    smooth = (np.abs(np.diff(found.qdd, axis=0)) < 0.1) & ~hits[:, None]
    assert off[smooth].max() < 0.1
    held = found.qd == 0
    assert (found.qdd[held & (np.arange(len(found.t)) > 0)[:, None]] == 0).mean() > 0.5


def test_friction_of_coupled_joints_holds_as_long_as_it_can():
    """At rest the accelerations fulfil Gauss's principle: no other answer is allowed."""
    robot, generator = arm('z1'), np.random.default_rng(3)
    F = robot.model.friction
    for _ in range(50):
        q0 = start(robot) + generator.uniform(-0.1, 0.1, robot.n)
        tau = robot.gravity_torque(q0) + generator.normal(size=robot.n) * 1.5
        qdd = rd.simulate(robot, q0, np.zeros(robot.n), tau, [0.0, 1e-6], limits=False).qdd[0]
        r = robot.inertia_matrix(q0) @ qdd + robot.gravity_torque(q0) - tau
        np.testing.assert_allclose(r[qdd > 0], -F[qdd > 0], atol=1e-9)
        np.testing.assert_allclose(r[qdd < 0], F[qdd < 0], atol=1e-9)
        assert (np.abs(r) <= F + 1e-9).all()


def test_batches_know_friction():
    robot = arm('z1')
    q0 = start(robot) + np.linspace(-0.04, 0.04, 3)[:, None]
    times = np.linspace(0, 0.3, 4)
    many = rd.simulate(robot, q0, np.zeros(robot.n), None, times, method='rk4')
    for k in range(3):
        one = rd.simulate(robot, q0[k], np.zeros(robot.n), None, times, method='rk4')
        for name in ('q', 'qd', 'qdd', 'energy'):
            np.testing.assert_allclose(getattr(many.robot(k), name), getattr(one, name),
                                       atol=1e-9)
