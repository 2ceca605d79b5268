"""The action Simulate of a simulator that runs as a process, over real DDS."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration
from rclpy.action import ActionClient
from robot_dynamics_interfaces.action import Simulate
from ros_simulator import HOME, PANDA
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import robot_dynamics as rd


@pytest.fixture(scope='module')
def robot():
    return rd.load(PANDA)


def goal(robot, seconds=1, period=0.1, effort=None, names=None, count=1):
    points = [] if effort is None else [JointTrajectoryPoint(effort=list(effort))] * count
    return Simulate.Goal(
        initial_state=JointState(name=names or list(robot.joint_names), position=HOME),
        effort=JointTrajectory(joint_names=list(robot.joint_names) if points else [],
                               points=points),
        duration=Duration(sec=seconds), sample_period=Duration(
            sec=int(period), nanosec=round(period % 1 * 1e9)))


def run_goal(simulator, message, feedback=None):
    client = ActionClient(simulator.peer.node, Simulate,
                          f'{simulator.namespace}/simulator/simulate')
    simulator.peer.until(client.server_is_ready)
    sent = client.send_goal_async(message, feedback_callback=feedback)
    simulator.peer.until(sent.done)
    assert sent.result().accepted
    return client, sent.result()


def result_of(simulator, handle):
    future = handle.get_result_async()
    simulator.peer.until(future.done)
    return future.result()


def test_the_action_simulates_a_copy(simulator, robot):
    tau = robot.gravity_torque(HOME) + 0.5
    client, handle = run_goal(simulator, goal(robot, effort=tau))
    answer = result_of(simulator, handle)
    assert answer.status == GoalStatus.STATUS_SUCCEEDED, answer.result.message
    expected = rd.simulate(robot, HOME, np.zeros(7), tau, np.linspace(0, 1, 11), method='rk4')
    points = answer.result.trajectory.points
    assert [p.time_from_start.nanosec for p in points[:3]] == [0, 100_000_000, 200_000_000]
    for k, point in enumerate(points):
        np.testing.assert_allclose(point.positions, expected.q[k], rtol=0, atol=1e-9)
        np.testing.assert_allclose(point.accelerations, expected.qdd[k], rtol=0, atol=1e-6)
        np.testing.assert_allclose(point.effort, tau)
    np.testing.assert_allclose(simulator.fresh().position, HOME, atol=1e-6)
    client.destroy()


def test_without_an_initial_state_it_starts_from_the_live_one(simulator, robot):
    live = np.array(HOME) + 0.1
    assert simulator.place(live).success
    message = goal(robot, effort=robot.gravity_torque(live))
    message.initial_state = JointState()
    client, handle = run_goal(simulator, message)
    answer = result_of(simulator, handle)
    assert answer.result.success, answer.result.message
    np.testing.assert_allclose(answer.result.trajectory.points[0].positions, live, atol=1e-6)
    np.testing.assert_allclose(answer.result.trajectory.points[-1].positions, live, atol=1e-3)
    client.destroy()


def test_the_action_is_cancelled_and_tells_its_progress(simulator, robot):
    heard = []
    client, handle = run_goal(simulator, goal(robot, seconds=20_000, period=10.0), heard.append)
    simulator.peer.until(lambda: len(heard) > 2)
    assert 0 <= heard[-1].feedback.progress < 1
    assert heard[-1].feedback.real_time_factor > 0
    cancel = handle.cancel_goal_async()
    simulator.peer.until(cancel.done)
    answer = result_of(simulator, handle)
    assert answer.status == GoalStatus.STATUS_CANCELED
    assert 'cancelled' in answer.result.message
    client.destroy()


@pytest.mark.parametrize(('changes', 'reason'), [
    ({'seconds': 0}, 'duration'), ({'period': 1e-6}, 'max_points'), ({'seconds': -1}, 'duration'),
    ({'effort': [float('nan')] * 7}, 'torque'),
    ({'effort': [0.0] * 7, 'count': 10_001}, 'max_points'),
    ({'names': ['joint_1'] * 7}, 'twice'),
])
def test_bad_goals_are_aborted_with_a_reason(simulator, robot, changes, reason):
    client, handle = run_goal(simulator, goal(robot, **changes))
    answer = result_of(simulator, handle)
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert reason in answer.result.message
    client.destroy()


DYING_CLIENT = """
import rclpy
from rclpy.action import ActionClient
from builtin_interfaces.msg import Duration, Time
from robot_dynamics_interfaces.action import Simulate
from sensor_msgs.msg import JointState
rclpy.init()
node = rclpy.create_node('dying')
client = ActionClient(node, Simulate, 'simulator/simulate')
client.wait_for_server()
names = [f'joint_{k + 1}' for k in range(7)]
state = JointState(name=names, position=[0.0, -0.6, 0.0, -1.9, 0.0, 1.4, 0.0])
goal = Simulate.Goal(initial_state=state, duration=Duration(sec=5), sample_period=Duration(sec=1))
sent = client.send_goal_async(goal)
rclpy.spin_until_future_complete(node, sent)
sent.result().get_result_async()
print('working', flush=True)
rclpy.spin(node)
"""


def test_a_client_that_dies_leaves_the_node_well(simulator, robot):
    for _ in range(3):
        client = subprocess.Popen([sys.executable, '-c', DYING_CLIENT], stdout=subprocess.PIPE)
        assert client.stdout.readline() == b'working\n'
        os.kill(client.pid, signal.SIGKILL)
        client.wait()
    client.stdout.close()

    def free():
        client, handle = run_goal(simulator, goal(robot))
        answer = result_of(simulator, handle)
        client.destroy()
        return answer.result.success
    simulator.peer.until(free)
    simulator.fresh(10)
