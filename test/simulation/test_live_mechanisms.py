"""Mechanisms that move live: held, driven, put, at a singularity; beside rd.simulate."""

from pathlib import Path

import numpy as np
import pytest

import robot_dynamics as rd
from robot_dynamics.simulation.live.commanded_robot import CommandedRobot
from robot_dynamics.simulation.live.live_robot import LiveRobot, RunawayError
from robot_dynamics.simulation.live.settings import LiveSettings
from robot_dynamics.simulation.live.standing import Standing
from robot_dynamics.simulation.online.bodies import loop_gap, make_body

URDF = Path(__file__).parents[2] / 'urdf'
SHIPPED = ('four_bar', 'five_bar', 'gripper', 'palletizer', 'delta', 'stewart')


def load(name, **options):
    return rd.load_mechanism(URDF / f'{name}.yaml', **options)


def commanded(mechanism, settings):
    mock = CommandedRobot()
    mock.replace(LiveRobot(mechanism), settings)
    assert not mock.failure
    return mock


@pytest.mark.parametrize('name', SHIPPED)
def test_a_mechanism_without_commands_is_held_at_its_start(name):
    mechanism, settings = load(name), LiveSettings(rate=250.0, step=0.002)
    mock = commanded(mechanism, settings)
    start = mock.live.values.copy()
    for _ in range(10):
        mock.run(1, settings)
    np.testing.assert_allclose(mock.live.values, start, atol=1e-9)
    np.testing.assert_allclose(
        mock.applied, Standing(mechanism, settings).effort, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize('name', [pytest.param(
    name, marks=pytest.mark.slow if name in ('delta', 'stewart') else ()) for name in SHIPPED])
def test_a_mechanism_moves_as_simulated(name):
    mechanism = load(name)
    live = LiveRobot(mechanism)
    tau = 0.95 * np.asarray(mechanism.gravity_torque(live.q, near=live.values))
    q, tree = live.q.copy(), live.values.copy()
    for _ in range(5):
        live.advance(tau, 1e-3, 4)
        assert loop_gap(mechanism, live.values) < 1e-10
    motion = rd.simulate(mechanism, q, np.zeros(mechanism.n), tau, 0.02, method='rk4', step=1e-3,
                         near=tree, saturate=False)
    np.testing.assert_allclose(live.values, motion.q_tree[-1], atol=1e-12)
    np.testing.assert_allclose(live.qd, motion.qd[-1], atol=1e-10)


def test_motors_that_are_not_the_freedoms_take_efforts():
    mechanism = load('five_bar', actuated=['left_shoulder', 'left_elbow'],
                     independent=['left_shoulder', 'right_shoulder'])
    settings = LiveSettings(rate=250.0, step=0.002)
    mock = commanded(mechanism, settings)
    live, tau = mock.live, np.array([10.0, -3.0])
    q = live.q.copy()
    mock.commands.set_efforts(tau, 0.0)
    mock.run(5, settings)
    motion = rd.simulate(mechanism, q, [0, 0], tau, 0.02, method='rk4', step=2e-3)
    np.testing.assert_allclose(live.q, motion.q[-1], atol=1e-9)
    shown = live.joints.shown_efforts(mock.applied)
    np.testing.assert_allclose(shown, [10.0, -3.0, 0.0, 0.0])
    assert live.joints.motor_names == ('left_shoulder', 'left_elbow')
    body = make_body(mechanism, 0.01)
    body.stand(live.q, live.values)
    force = body.robot.gravity_torque(live.q)
    np.testing.assert_allclose(body.forces(body.motor_torques(live.q, force)), force, rtol=1e-9)


def test_branches_are_kept_and_chosen():
    mechanism = load('five_bar')
    live, q = LiveRobot(mechanism), np.array([0.6, 0.4])
    here, other = mechanism.assemble(q, branches=True)[:2]
    live.place(q, np.zeros(2))
    np.testing.assert_allclose(live.values, here, atol=1e-9)
    live.place(q, np.zeros(2), other)
    np.testing.assert_allclose(live.values, other, atol=1e-9)
    live.place(q, np.zeros(2), np.array([np.nan, here[1], np.nan, np.nan]))
    np.testing.assert_allclose(live.values, here, atol=1e-9)
    with pytest.raises(rd.InputError, match="joint 'left_elbow': at 2 the loops do not close"):
        live.place(q, np.zeros(2), np.array([np.nan, 2.0, np.nan, np.nan]))
    np.testing.assert_allclose(live.values, here, atol=1e-9)


def test_a_singularity_stops_it_with_the_last_good_state():
    mechanism = load('five_bar')
    live = LiveRobot(mechanism)
    live.place(np.deg2rad([80.0, 70.0]), np.zeros(2))
    with pytest.raises(RunawayError, match='the loops are singular there'):
        live.advance(np.zeros(2), 1e-3, 3000)
    assert live._time == pytest.approx(1.333, abs=2e-3)  # test/mechanism/test_motion.py
    assert loop_gap(mechanism, live.values) < 1e-10


def test_fixed_steps_do_not_leap_over_a_singularity():
    mechanism = load('five_bar')
    live = LiveRobot(mechanism)
    with pytest.raises(RunawayError, match='the loops are singular there'):
        live.advance(np.zeros(2), 2e-3, 1500)  # from here it meets one after 2.81 s
    assert live._time == pytest.approx(2.812, abs=4e-3)
    assert loop_gap(mechanism, live.values) < 1e-10


def test_a_pose_is_begun_anew_where_the_way_is_singular():
    mechanism = load('five_bar')
    body, q = make_body(mechanism, 0.01), np.array([0.6, 0.4])
    assert body.stand(q) == ''
    np.testing.assert_allclose(body.tree, mechanism.assemble(q), atol=1e-9)
    with pytest.raises(rd.RobotDynamicsError, match='loop'):
        body.stand(np.array([np.pi, 0.0]))
    np.testing.assert_allclose(body.tree, mechanism.assemble(q), atol=1e-9)
    assert 'leave a loop open' in body.stand(q, mechanism.assemble(q) + 0.2)
    np.testing.assert_allclose(body.tree, mechanism.assemble(q), atol=1e-9)
    assert body.open > 0.01
