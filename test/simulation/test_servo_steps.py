"""Servo steps by one kernel: where `implicit_step` goes, and without it while nothing changes."""

import numpy as np
import pytest
from simulation.test_robots_at_rest import HARD, load

from robot_dynamics.simulation.live import live_robot
from robot_dynamics.simulation.live.commanded_robot import CommandedRobot
from robot_dynamics.simulation.live.live_robot import LiveRobot
from robot_dynamics.simulation.live.settings import LiveSettings

ARMS = {'z1': HARD['z1'], 'panda': 'panda_description/urdf/panda.urdf'}


def commanded(robot, **more):
    """Return a robot that obeys, its kernel of servo steps compiled."""
    parameters = LiveSettings(command_timeout=0.0, **more)
    found = CommandedRobot()
    found.replace(LiveRobot(robot), parameters)
    assert found.live._holds.system.kernels.compiled('servo_step') is not None
    return found, parameters


def follow(found, parameters, goals):
    """Return the states and torques of a robot that is told other positions at every cycle."""
    rows = []
    for goal in goals:
        found.commands.set_joints(list(range(len(goal))), goal, None, None, 0.0)
        found.run(1, parameters)
        rows.append([found.live.q.copy(), found.live.qd.copy(), found.applied])
    return np.array(rows) if len(rows[0][0]) == len(rows[0][2]) else rows


def ramp(robot, far, cycles):
    """Positions that move on from where robots stand, by `far` of their joints' ranges."""
    start = np.clip(np.zeros(robot.n), robot.limits.lower, robot.limits.upper)
    way = np.minimum(robot.limits.upper - robot.limits.lower, 2.0) * far
    return [start + way * k / cycles for k in range(cycles)]


@pytest.mark.parametrize('name', ARMS)
def test_the_kernel_goes_where_python_goes(name, monkeypatch):
    robot = load(ARMS[name])
    goals = ramp(robot, 0.3, 100)
    fast = follow(*commanded(robot, saturate=False), goals)
    monkeypatch.setattr(live_robot, 'servo_step', lambda *arguments: None)
    slow = follow(*commanded(robot, saturate=False), goals)
    np.testing.assert_allclose(fast[:, 0], slow[:, 0], atol=1e-10)
    np.testing.assert_allclose(fast[:, 1], slow[:, 1], atol=1e-7)
    np.testing.assert_allclose(fast[:, 2], slow[:, 2], atol=1e-5)
    assert np.abs(fast[-1, 0] - fast[0, 0]).max() > 0.1


def test_a_floating_robot_goes_where_python_goes(monkeypatch):
    """It falls and tumbles, and its joints follow; nearly all steps are the kernel's."""
    solo = load('solo_description/robots/solo12.urdf', base='floating')
    goals = [0.3 * np.sin(0.05 * k + np.arange(solo.n - 6)) for k in range(60)]
    steps, implicit = [], live_robot.implicit_step
    monkeypatch.setattr(live_robot, 'implicit_step',
                        lambda *arguments: steps.append(1) or implicit(*arguments))
    fast = follow(*commanded(solo, saturate=False), goals)
    assert len(steps) < 10
    monkeypatch.setattr(live_robot, 'servo_step', lambda *arguments: None)
    slow = follow(*commanded(solo, saturate=False), goals)
    assert len(steps) > 60
    for found, expected, close in zip(zip(*fast, strict=True), zip(*slow, strict=True),
                                      (1e-10, 1e-7, 1e-5), strict=True):
        np.testing.assert_allclose(np.array(found), np.array(expected), atol=close)
    assert abs(fast[-1][0][2] - fast[0][0][2]) > 1e-3  # the base falls
    assert np.linalg.norm(fast[-1][0][3:7]) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize('name', ARMS)
def test_pressed_on_its_stops_a_robot_needs_no_python(name, monkeypatch):
    robot = load(ARMS[name])
    found, parameters = commanded(robot)
    beyond = np.where(np.isfinite(robot.limits.upper), robot.limits.upper + 0.2, 0.0)
    follow(found, parameters, [beyond + 1e-4 * np.sin(0.1 * k) for k in range(1500)])
    monkeypatch.setattr(live_robot, 'implicit_step', None)
    rows = follow(found, parameters, [beyond + 1e-4 * np.sin(0.1 * k) for k in range(50)])
    on = rows[-1, 0] == robot.limits.upper
    assert on.sum() > robot.n // 2
    assert (rows[:, 0][:, on] == robot.limits.upper[on]).all()
    assert (np.abs(rows[:, 2]) <= np.where(robot.limits.effort > 0, robot.limits.effort,
                                           np.inf)).all()


def test_let_go_by_its_limit_a_servo_comes_back():
    """Efforts are cut on the way, and the robot arrives where it is told."""
    robot = load(ARMS['panda'])
    found, parameters = commanded(robot)
    goal = np.clip(ramp(robot, 0.3, 2)[1], robot.limits.lower, robot.limits.upper)
    rows = follow(found, parameters, [goal] * 1500)
    limit = robot.limits.effort
    assert (np.abs(rows[:, 2]) <= limit * (1 + 1e-9)).all()
    assert (np.abs(rows[:, 2]).max(axis=0) >= limit * (1 - 1e-9)).any()
    np.testing.assert_allclose(rows[-1, 0], goal, atol=1e-6)
