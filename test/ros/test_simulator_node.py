"""The simulator node as a process, over real DDS."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration, Time
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Inertia
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import DescribeParameters, SetParameters
from rclpy.action import ActionClient
from robot_dynamics_interfaces.action import Simulate
from robot_dynamics_interfaces.srv import SetPayload, SetState
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import robot_dynamics as rd

PANDA = Path(__file__).parents[2] / 'urdf' / 'panda_like.urdf.xacro'
HOME = [0.0, -0.6, 0.0, -1.9, 0.0, 1.4, 0.0]
NAN, INF = float('nan'), float('inf')


@pytest.fixture(scope='module')
def robot():
    return rd.load(PANDA)


class Simulator:
    """The test's end of a simulator: what it publishes, and its services by name."""

    def __init__(self, peer, namespace=''):
        self.peer, self.namespace = peer, namespace
        self.states, self.diagnostics, self.clients = [], [], {}
        node = peer.node
        node.create_subscription(JointState, f'{namespace}/joint_states', self.states.append, 10)
        node.create_subscription(DiagnosticArray, '/diagnostics', self._on_diagnostics, 10)
        self.efforts = node.create_publisher(Float64MultiArray, f'{namespace}/effort_commands', 10)
        self.joints = node.create_publisher(JointState, f'{namespace}/joint_commands', 10)
        peer.until(lambda: self.states)

    def _on_diagnostics(self, message):
        self.diagnostics += [status for status in message.status
                             if status.name.startswith(f'{self.namespace}/simulator'.strip('/'))]

    def call(self, kind, name, **fields):
        if name not in self.clients:
            self.clients[name] = self.peer.node.create_client(
                kind, f'{self.namespace}/simulator/{name}')
        self.peer.until(self.clients[name].service_is_ready)
        future = self.clients[name].call_async(kind.Request(**fields))
        self.peer.until(future.done)
        return future.result()

    def trigger(self, name):
        return self.call(Trigger, name)

    def set(self, name, value):
        kind = {str: 'string', float: 'double', bool: 'bool', int: 'integer', list: 'double_array'}
        name_of = kind[type(value)]
        parameter = ParameterValue(
            type=getattr(ParameterType, f'PARAMETER_{name_of.upper()}'),
            **{f'{name_of}_value': value})
        return self.call(SetParameters, 'set_parameters',
                         parameters=[Parameter(name=name, value=parameter)]).results[0]

    def place(self, q=HOME, **fields):
        names = [f'joint_{k + 1}' for k in range(len(q))]
        return self.call(SetState, 'set_state', state=JointState(
            name=fields.pop('name', names), position=list(map(float, q)), **fields))

    def fresh(self, count=1):
        """Return the newest of states that are published from now on."""
        self.states.clear()
        self.peer.until(lambda: len(self.states) >= count)
        return self.states[-1]

    def status(self):
        """Return level, message and values of the next diagnostic."""
        self.diagnostics.clear()
        self.peer.until(lambda: self.diagnostics)
        status = self.diagnostics[-1]
        return status.level[0], status.message, {item.key: item.value for item in status.values}


@pytest.fixture(scope='module')
def simulator(start, peer):
    start('simulator', robot_description_file=PANDA, rate=200.0)
    return Simulator(peer)


@pytest.fixture(autouse=True)
def at_home(request):
    if 'simulator' in request.fixturenames:
        simulator = request.getfixturevalue('simulator')
        assert simulator.trigger('reset').success
        assert simulator.place().success


def test_without_commands_it_is_held_against_gravity(simulator, robot):
    state = simulator.fresh(20)
    assert list(state.name) == list(robot.joint_names)
    np.testing.assert_allclose(state.position, HOME, atol=1e-6)
    np.testing.assert_allclose(state.effort, robot.gravity_torque(HOME), atol=1e-6)
    level, message, values = simulator.status()
    assert level == 1
    assert message.startswith('no command (hold): joint_1')
    assert float(values['real-time factor wanted']) == 1


def test_efforts_move_it_as_simulate_says(simulator, robot):
    assert simulator.set('command_timeout', 0.0).successful
    assert simulator.trigger('pause').success
    assert simulator.place(velocity=[0.1] * 7).success
    tau = robot.gravity_torque(HOME) + 1.0
    simulator.efforts.publish(Float64MultiArray(data=list(tau)))
    simulator.peer.until(lambda: simulator.status()[2]['commands'] != '0')
    for _ in range(20):
        assert simulator.trigger('step').success
    simulator.peer.spin(0.1)
    expected = rd.simulate(robot, HOME, [0.1] * 7, tau, 0.1, method='rk4', step=1e-3)
    last = simulator.states[-1]
    np.testing.assert_allclose(last.position, expected.q[-1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(last.velocity, expected.qd[-1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(last.effort, tau, rtol=0, atol=1e-12)
    assert simulator.trigger('resume').success
    assert not simulator.trigger('step').success
    assert simulator.set('command_timeout', 0.1).successful


def test_positions_are_followed_by_the_servo(simulator):
    goal = np.array(HOME) + 0.1
    message = JointState(name=[f'joint_{k}' for k in range(7, 0, -1)], position=list(goal[::-1]))

    def arrived():
        simulator.joints.publish(message)
        simulator.peer.spin(0.02)
        return np.abs(np.array(simulator.states[-1].position) - goal).max() < 1e-4
    simulator.peer.until(arrived)


def test_commands_that_stop_are_held(simulator):
    simulator.efforts.publish(Float64MultiArray(data=[10.0, 0, 0, 0, 0, 0, 0]))
    simulator.peer.until(lambda: simulator.states[-1].effort[0] == 10.0)
    simulator.peer.until(lambda: simulator.states[-1].effort[0] != 10.0)
    simulator.peer.until(lambda: np.abs(simulator.states[-1].velocity).max() < 1e-6)


BAD_EFFORTS = ([], [1.0], [1.0] * 8, [NAN] * 7, [INF] + [0.0] * 6)
BAD_JOINTS = (
    JointState(), JointState(name=['joint_1']), JointState(name=['a'], effort=[1.0]),
    JointState(name=['joint_1', 'joint_1'], effort=[1.0, 1.0]),
    JointState(name=['joint_1', 'joint_2'], effort=[1.0]),
    JointState(name=['joint_1', 'joint_2'], position=[1.0, NAN]),
    JointState(name=['joint_1'], velocity=[INF]))


def test_bad_commands_are_counted_and_change_nothing(simulator):
    before = int(simulator.status()[2]['commands refused'])
    for data in BAD_EFFORTS:
        simulator.efforts.publish(Float64MultiArray(data=data))
    for message in BAD_JOINTS:
        simulator.joints.publish(message)
    wanted = before + len(BAD_EFFORTS) + len(BAD_JOINTS)
    simulator.peer.until(
        lambda: int(simulator.status()[2]['commands refused']) == wanted, patience=5)
    np.testing.assert_allclose(simulator.fresh(3).position, HOME, atol=1e-6)


@pytest.mark.parametrize(('q', 'fields', 'reason'), [
    ([0.0] * 7, {}, 'joint_4'), ([NAN] * 7, {}, 'no positions'), ([0, NAN], {}, 'nan'),
    ([], {}, 'none of the joints'), ([1.0], {'name': ['joint_1', 'joint_2']}, '1 values for 2'),
    ([0, 0], {'name': ['joint_1', 'joint_1']}, 'twice'),
    ([0.0], {'velocity': [INF]}, 'nan or inf'),
])
def test_bad_states_are_refused(simulator, q, fields, reason):
    response = simulator.place(q, **fields)
    assert not response.success
    assert reason in response.message
    np.testing.assert_allclose(simulator.fresh(3).position, HOME, atol=1e-6)


def test_a_payload_is_felt_and_removed(simulator, robot):
    heavy = robot.with_payload('flange', 2.0, (0, 0, 0.1))
    body = Inertia(m=2.0)
    body.com.z = 0.1
    for inertia, tau in ((body, heavy.gravity_torque(HOME)),
                         (Inertia(), robot.gravity_torque(HOME))):
        assert simulator.call(SetPayload, 'set_payload', link='flange', inertia=inertia).success
        simulator.peer.until(lambda t=tau: np.allclose(simulator.states[-1].effort, t, atol=1e-6))
    assert not simulator.call(SetPayload, 'set_payload', link='hand', inertia=body).success


def test_parameters_are_described_checked_and_act(simulator):
    described = simulator.call(DescribeParameters, 'describe_parameters',
                               names=['rate', 'on_timeout', 'initial_positions']).descriptors
    assert all(item.description for item in described)
    assert described[0].floating_point_range[0].to_value == 2000
    for name, value in (('rate', 0.0), ('step', 1.0), ('on_timeout', 'fall'), ('method', 'Euler'),
                        ('initial_positions', [0.0]), ('initial_positions', [NAN] * 7),
                        ('servo_stiffness', [-1.0] * 7), ('publish_clock', True)):
        assert not simulator.set(name, value).successful, name
    assert simulator.set('initial_positions', [0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0]).successful
    assert simulator.trigger('reset').success
    assert simulator.fresh(3).position[3] == pytest.approx(-1.0)
    for method in ('semi_implicit_euler', 'rk4'):
        assert simulator.set('method', method).successful
    assert simulator.set('initial_positions', []).successful


def test_the_real_time_factor_is_a_parameter_and_measured(simulator):
    assert simulator.set('real_time_factor', 4.0).successful
    simulator.peer.until(lambda: float(simulator.status()[2]['real-time factor']) > 2, patience=10)
    assert simulator.set('real_time_factor', 1.0).successful


def test_a_runaway_pauses_and_says_so(simulator):
    assert simulator.set('saturate', False).successful
    assert simulator.set('stops', False).successful
    simulator.peer.until(lambda: simulator.place([9.0] * 7).success)

    def failed():
        simulator.efforts.publish(Float64MultiArray(data=[1e12] * 7))
        return simulator.status()[0] == 2
    simulator.peer.until(failed)
    assert not simulator.trigger('resume').success
    assert simulator.set('saturate', True).successful
    assert simulator.set('stops', True).successful
    assert simulator.trigger('reset').success
    assert simulator.trigger('resume').success
    simulator.fresh(3)


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
    ({'effort': [NAN] * 7}, 'torque'), ({'effort': [0.0] * 7, 'count': 10_001}, 'max_points'),
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


def test_clock_lifecycle_and_namespace(start, peer):
    start('simulator', remaps={'__ns': '/second'}, robot_description_file=PANDA, rate=100.0,
          publish_clock='true', use_sim_time='true', autostart='false')
    times = []
    peer.node.create_subscription(Clock, '/clock', lambda message: times.append(
        message.clock.sec + 1e-9 * message.clock.nanosec), 10)
    service = '/second/simulator'

    def change(transition):
        request = ChangeState.Request(transition=Transition(id=transition))
        return peer.call(ChangeState, f'{service}/change_state', request).success

    def state():
        return peer.call(GetState, f'{service}/get_state', GetState.Request()).current_state.id

    assert state() == State.PRIMARY_STATE_UNCONFIGURED
    assert not change(Transition.TRANSITION_ACTIVATE)
    for _ in range(2):
        assert change(Transition.TRANSITION_CONFIGURE)
        assert change(Transition.TRANSITION_ACTIVATE)
        second = Simulator(peer, '/second')
        peer.until(lambda: len(times) > 20)
        assert np.all(np.diff(times) > 0)
        steps = np.diff(times) / 0.01
        np.testing.assert_allclose(steps, np.round(steps), atol=1e-6)
        stamp = second.states[-1].header.stamp
        assert stamp.sec + 1e-9 * stamp.nanosec in times
        assert change(Transition.TRANSITION_DEACTIVATE)
        peer.spin(0.2)
        count = len(times)
        peer.spin(0.2)
        assert len(times) == count
        assert change(Transition.TRANSITION_CLEANUP)
        times.clear()


def test_efforts_in_an_order_of_their_own_and_a_description_by_topic(start, peer):
    from rclpy.qos import DurabilityPolicy, QoSProfile
    from std_msgs.msg import String
    start('simulator', remaps={'__ns': '/third'}, rate=100.0,
          joints='[joint_7, joint_6, joint_5, joint_4, joint_3, joint_2, joint_1]')
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    topic = peer.node.create_publisher(String, '/third/robot_description', latched)
    import xacro
    topic.publish(String(data=xacro.process_file(str(PANDA)).toxml()))
    third = Simulator(peer, '/third')

    def ordered():
        third.efforts.publish(Float64MultiArray(data=[7.0, 6, 5, 4, 3, 2, 1]))
        return list(third.states[-1].effort) == [1, 2, 3, 4, 5, 6, 7]
    peer.until(ordered)
    topic.publish(String(data='<robot'))
    third.fresh(20)


def test_it_follows_a_clock_of_somebody_else_also_back(start, peer):
    start('simulator', remaps={'__ns': '/fourth'}, rate=100.0, robot_description_file=PANDA,
          use_sim_time='true')
    clock = peer.node.create_publisher(Clock, '/clock', 10)
    states = []
    peer.node.create_subscription(JointState, '/fourth/joint_states', states.append, 10)

    def runs(begin):
        """Let time pass from a second on; return whether states with its stamps come."""
        states.clear()
        for k in range(200):
            now = begin * 10**9 + k * 10_000_000
            clock.publish(Clock(clock=Time(sec=now // 10**9, nanosec=now % 10**9)))
            peer.spin(0.01)
        return len([s for s in states if begin <= s.header.stamp.sec <= begin + 2]) > 20

    peer.until(lambda: runs(100))
    assert runs(50)
    seen = len(states)
    peer.spin(0.3)
    assert len(states) <= seen + 2  # time stands
