"""Robots that move live: motion, commands, pace."""

from pathlib import Path

import numpy as np
import pytest
import urdf_text as urdf

import robot_dynamics as rd
from robot_dynamics.errors import InputError
from robot_dynamics.simulation.live.commanded_robot import CommandedRobot
from robot_dynamics.simulation.live.commands import Commands, Gains, servo
from robot_dynamics.simulation.live.live_robot import LiveRobot, RunawayError
from robot_dynamics.simulation.live.pace import Pace
from robot_dynamics.simulation.live.settings import LiveSettings

URDF = Path(__file__).parents[2] / 'urdf'
NAN = float('nan')
THREE = rd.load(urdf.chain({}, {}, {}).replace('j1', 'a').replace('j2', 'b').replace('j3', 'c'))


@pytest.fixture(scope='module')
def panda():
    return rd.load(URDF / 'panda_like.urdf.xacro')


@pytest.fixture
def mock(panda):
    mock = CommandedRobot()
    mock.replace(LiveRobot(panda), LiveSettings())
    return mock


def test_the_live_robot_moves_as_simulate_says(panda):
    q = np.array([0.1, -0.5, 0.2, -1.8, 0.1, 1.2, 0.3])
    tau = panda.gravity_torque(q) + 1.0
    expected = rd.simulate(panda, q, np.zeros(7), tau, 0.2, method='rk4', step=1e-3)
    live = LiveRobot(panda)
    live.place(q, np.zeros(7))
    for _ in range(100):
        live.advance(tau, 1e-3, 2)
    np.testing.assert_allclose(live.q, expected.q[-1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(live.qd, expected.qd[-1], rtol=0, atol=1e-9)


def test_stops_hold_and_free_the_joint_again(panda):
    live = LiveRobot(panda)
    assert live.q[3] == panda.limits.upper[3]  # nearest to zero
    held = panda.gravity_torque(live.q.copy())
    push = np.array([0, 0, 0, 2.0, 0, 0, 0])
    live.advance(held + push, 1e-3, 50)
    assert live.q[3] == panda.limits.upper[3]
    live.advance(panda.gravity_torque(live.q.copy()) - push, 1e-3, 50)
    assert live.q[3] < panda.limits.upper[3] - 1e-4


def test_a_state_beyond_a_stop_is_refused(panda):
    live = LiveRobot(panda)
    with pytest.raises(InputError, match='joint_4'):
        live.place(np.zeros(7), np.zeros(7))


def test_a_runaway_leaves_the_last_good_state(panda):
    live = LiveRobot(panda, stops=False)
    with pytest.raises(RunawayError, match='stopped'):
        live.advance(np.full(7, 1e12), 1e-3, 1000)
    assert np.isfinite(live.q).all()


@pytest.mark.parametrize('gains', [
    Gains(), Gains(frequency=1000.0), pytest.param(Gains(frequency=40.0), marks=pytest.mark.slow)])
def test_a_servo_comes_to_its_goal_and_rests(panda, gains):
    live, commands = LiveRobot(panda), Commands(7)
    goal = np.array([0.5, -0.6, 0.3, -1.9, 0.2, 1.4, 0.4])
    commands.set_joints(list(range(7)), goal, None, None, now=0.0)
    for _ in range(3000):
        live.follow(*servo(panda, commands, gains, live.q, live.qd), np.inf, 1e-3)
    np.testing.assert_allclose(live.q, goal, rtol=0, atol=1e-4)
    np.testing.assert_allclose(live.qd, 0, atol=1e-3)


def test_a_servo_follows_a_velocity(panda):
    live, commands = LiveRobot(panda), Commands(7)
    live.place(np.array([0, -0.6, 0, -1.9, 0, 1.4, 0]), np.zeros(7))
    wanted = np.array([0.2, 0.1, -0.1, 0.1, 0.2, -0.2, 0.3])
    commands.set_joints(list(range(7)), None, wanted, None, now=0.0)
    for _ in range(500):
        live.follow(*servo(panda, commands, Gains(), live.q, live.qd), np.inf, 1e-3)
    np.testing.assert_allclose(live.qd, wanted, rtol=0, atol=2e-3)


@pytest.mark.parametrize(('policy', 'kinds', 'efforts'), [
    ('hold', [1, 2, 2], [5, 0, 0]), ('zero', [1, 1, 1], [5, 0, 0]), ('last', [1, 1, 1], [5, 7, 0]),
])
def test_stale_commands_act_as_the_policy_says(policy, kinds, efforts):
    commands = Commands(3)
    commands.set_joints([1], None, None, np.array([7.0]), now=0.0)
    commands.set_joints([0], None, None, np.array([5.0]), now=1.0)
    assert commands.stale(1.05, 0.1).tolist() == [False, True, True]
    assert commands.stale(1.05, 0.0).tolist() == [False, False, True]
    acting = commands.current(1.05, 0.1, policy)
    assert acting.kind.tolist() == kinds
    assert acting.effort.tolist() == efforts


def test_held_the_robot_comes_to_rest(mock, panda):
    mock.put(np.array([0, -0.6, 0, -1.9, 0, 1.4, 0]), np.full(7, 0.3))
    mock.run(500, LiveSettings())
    np.testing.assert_allclose(mock.live.qd, 0, atol=1e-6)
    np.testing.assert_allclose(mock.applied, panda.gravity_torque(mock.live.q.copy()), atol=1e-3)


def test_a_pose_without_inertia_is_said():
    robot = rd.load(Path(__file__).parents[2] / 'urdf' / 'rp.urdf')
    mock = CommandedRobot()
    mock.replace(LiveRobot(robot), LiveSettings())
    with pytest.raises(rd.SingularityError, match='joint_1'):
        mock.run(1, LiveSettings())
    assert 'joint_1' in mock.failure
    mock.put(np.array([0.0, 1.0]), np.zeros(2))
    mock.run(1, LiveSettings())
    assert not mock.failure


def test_efforts_are_cut_at_the_limits(mock):
    mock.commands.set_efforts(np.full(7, 500.0), now=0.0)
    mock.run(1, LiveSettings())
    assert mock.applied.tolist() == [87] * 4 + [12] * 3
    mock.run(1, LiveSettings(saturate=False))
    assert mock.applied.tolist() == [500] * 7


def test_another_payload_keeps_state_and_commands(mock, panda):
    mock.put(np.array([0, -0.6, 0, -1.9, 0, 1.4, 0]), np.zeros(7))
    mock.commands.set_efforts(np.ones(7), now=0.0)
    q = mock.live.q.copy()
    mock.replace(LiveRobot(panda.with_payload('flange', 2.0)), LiveSettings())
    assert mock.live.q.tolist() == q.tolist()
    assert mock.commands.effort.tolist() == [1] * 7


def test_initial_values_of_another_robot_are_said(panda):
    mock = CommandedRobot()
    mock.replace(LiveRobot(panda), LiveSettings(initial_positions=[0.0] * 6))
    assert '6 values for 7 joints' in mock.failure
    names = list(panda.joint_names)
    mock = CommandedRobot()
    mock.replace(LiveRobot(panda), LiveSettings(
        joints=names[::-1], initial_positions=[0.7, 1.4, 0, -1.9, 0, -0.6, 0.1]))
    assert mock.failure == ''
    assert mock.live.q.tolist() == [0.1, -0.6, 0, -1.9, 0, 1.4, 0.7]


def test_the_pace_makes_up_for_little_and_loses_much():
    pace = Pace()
    pace.restart(10.0)
    assert pace.due(10.002, 0.002, 1.0, 0.1) == 1
    pace.advanced(10.002, 0.002)
    assert pace.due(10.012, 0.002, 1.0, 0.1) == 5
    pace.advanced(10.012, 0.010)
    assert (pace.cycles, pace.skipped, pace.lost) == (6, 4, 0.0)
    assert pace.due(11.012, 0.002, 1.0, 0.1) == 1
    pace.advanced(11.012, 0.002)
    assert pace.lost == pytest.approx(0.998)
    assert pace.real_at(1.0) == pytest.approx(11.012)
    assert pace.due(5.0, 0.002, 1.0, 0.1) == 0  # the clock went back
    assert pace.due(5.002, 0.002, 1.0, 0.1) == 1


def test_the_pace_measures_its_factor():
    pace = Pace()
    pace.restart(0.0)
    for k in range(1, 601):
        count = pace.due(k * 0.002, 0.01, 5.0, 0.1)
        pace.advanced(k * 0.002, count * 0.01)
    assert pace.real_time_factor == pytest.approx(5.0, rel=1e-2)
