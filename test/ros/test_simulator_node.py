"""The simulator node as a process, over real DDS: commands, services, parameters."""


import numpy as np
import pytest
from geometry_msgs.msg import Inertia
from rcl_interfaces.srv import DescribeParameters
from robot_dynamics_interfaces.srv import SetPayload
from ros_simulator import HOME, PANDA
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

import robot_dynamics as rd

NAN, INF = float('nan'), float('inf')


@pytest.fixture(scope='module')
def robot():
    return rd.load(PANDA)


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
    def pushed():
        simulator.efforts.publish(Float64MultiArray(data=[10.0, 0, 0, 0, 0, 0, 0]))
        simulator.peer.spin(0.02)
        return simulator.states[-1].effort[0] == 10.0
    simulator.peer.until(pushed)
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
    ([0.0] * 7, {}, 'joint_4'), ([NAN] * 7, {}, 'nan'), ([0, NAN], {}, 'nan'),
    ([], {}, 'none of the joints'), ([1.0], {'name': ['joint_1', 'joint_2']}, '1 values for 2'),
    ([0, 0], {'name': ['joint_1', 'joint_1']}, 'twice'),
    ([0.0], {'velocity': [INF]}, 'not finite'), ([0.0], {'velocity': [NAN]}, 'not finite'),
    ([0.0, 0.0], {'velocity': [NAN]}, '1 values for 2'),
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
    assert simulator.set('command_timeout', 1).successful  # a whole number will do
    assert not simulator.set('command_timeout', 'soon').successful
    assert not simulator.set('command_timeout', True).successful
    assert simulator.set('command_timeout', 0.2).successful
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
    assert not simulator.trigger('step').success
    assert simulator.set('saturate', True).successful
    assert simulator.set('stops', True).successful
    assert simulator.trigger('reset').success
    assert simulator.trigger('resume').success
    simulator.fresh(3)
