"""The inverse_dynamics node as a process, over real DDS, against Pinocchio."""

import math
from pathlib import Path

import numpy as np
import pinocchio
import pytest
from builtin_interfaces.msg import Time
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.qos import DurabilityPolicy, QoSProfile
from robot_dynamics_interfaces.srv import ComputeInverseDynamics
from ros_peer import stop
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

PUMA = Path(__file__).parents[2] / 'urdf' / 'puma560.urdf'
SERVICE = 'inverse_dynamics/compute_inverse_dynamics'
MODEL = pinocchio.buildModelFromUrdf(str(PUMA))
NAMES = list(MODEL.names)[1:]
N = MODEL.nv


def rnea(q, qd, qdd):
    """Pinocchio's efforts; it wants cosine and sine of a continuous joint."""
    values = np.concatenate([[angle] if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
                             for angle, joint in zip(q, list(MODEL.joints)[1:], strict=True)])
    return pinocchio.rnea(MODEL, MODEL.createData(), values, qd, qdd)


@pytest.fixture(scope='module')
def node(start):
    return start('inverse_dynamics', robot_description_file=PUMA)


@pytest.fixture(scope='module')
def efforts(node, peer):
    """The list of all messages on ~/effort, once the node answers joint states."""
    received = []
    peer.node.create_subscription(JointState, 'inverse_dynamics/effort', received.append, 10)
    peer.states = peer.node.create_publisher(JointState, 'joint_states', 10)

    def greeted():
        peer.states.publish(state(np.zeros(N), np.zeros(N)))
        return received

    peer.until(greeted)
    peer.spin(0.3)
    return received


def state(q, qd, names=NAMES, seconds=0.0):
    message = JointState(name=names, position=list(q), velocity=list(qd))
    message.header.stamp = Time(sec=int(seconds), nanosec=round(seconds % 1 * 1e9))
    return message


def answer(peer, efforts, message):
    """Publish a joint state and return the effort that answers it."""
    efforts.clear()
    peer.states.publish(message)
    peer.until(lambda: efforts)
    return efforts[0]


def trajectory(q, qd, qdd, names=NAMES):
    return ComputeInverseDynamics.Request(trajectory=JointTrajectory(joint_names=names, points=[
        JointTrajectoryPoint(positions=list(a), velocities=list(b), accelerations=list(c))
        for a, b, c in zip(q, qd, qdd, strict=True)]))


def set_mode(peer, mode):
    value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=mode)
    request = SetParameters.Request(parameters=[Parameter(name='mode', value=value)])
    return peer.call(SetParameters, 'inverse_dynamics/set_parameters', request).results[0]


def test_service_agrees_with_pinocchio(node, peer):
    motion = np.random.default_rng(1).uniform(-2, 2, (3, 20, N))
    response = peer.call(ComputeInverseDynamics, SERVICE, trajectory(*motion))
    assert response.success, response.message
    for point, *sample in zip(response.trajectory.points, *motion, strict=True):
        np.testing.assert_allclose(point.effort, rnea(*sample), rtol=0, atol=1e-9)


def test_service_matches_joints_by_name(node, peer):
    motion = np.random.default_rng(2).uniform(-2, 2, (3, 4, N))
    names = [*NAMES[::-1], 'a_joint_of_another_robot']
    mixed = np.pad(motion[:, :, ::-1], ((0, 0), (0, 0), (0, 1)))
    response = peer.call(ComputeInverseDynamics, SERVICE, trajectory(*mixed, names))
    assert response.success, response.message
    for point, *sample in zip(response.trajectory.points, *motion, strict=True):
        np.testing.assert_allclose(point.effort[:N][::-1], rnea(*sample), rtol=0, atol=1e-9)


def test_topic_agrees_with_pinocchio_in_every_mode(efforts, peer):
    q, qd = np.random.default_rng(3).uniform(-2, 2, (2, N))
    rest = np.zeros(N)
    for mode, tau in (('gravity', rnea(q, rest, rest)), ('bias', rnea(q, qd, rest))):
        assert set_mode(peer, mode).successful
        message = answer(peer, efforts, state(q, qd, seconds=7.5))
        assert list(message.name) == NAMES
        assert message.header.stamp == Time(sec=7, nanosec=500_000_000)
        np.testing.assert_allclose(message.effort, tau, rtol=0, atol=1e-9)

    assert set_mode(peer, 'full').successful
    answer(peer, efforts, state(q, qd, seconds=8.0))
    message = answer(peer, efforts, state(q, 1.5 * qd, seconds=8.125))
    np.testing.assert_allclose(message.effort, rnea(q, 1.5 * qd, 4 * qd), rtol=0, atol=1e-9)
    assert set_mode(peer, 'bias').successful


def test_topic_matches_joints_by_name(efforts, peer):
    q, qd = np.random.default_rng(4).uniform(-2, 2, (2, N))
    names = ['gripper', *NAMES[::-1]]
    message = answer(peer, efforts, state([9, *q[::-1]], [9, *qd[::-1]], names))
    np.testing.assert_allclose(message.effort, rnea(q, qd, np.zeros(N)), rtol=0, atol=1e-9)


def test_a_mode_that_is_none_is_refused(node, peer):
    result = set_mode(peer, 'fast')
    assert not result.successful
    assert 'gravity, bias, full' in result.reason


BAD = {
    'nan': (NAMES, [math.nan] + [0.0] * (N - 1), 'finite'),
    'inf': (NAMES, [0.0] * (N - 1) + [math.inf], 'finite'),
    'short': (NAMES, [0.0] * (N - 1), f'{N - 1} values for {N}'),
    'long': (NAMES, [0.0] * (N + 1), f'{N + 1} values for {N}'),
    'empty': (NAMES, [], f'0 values for {N}'),
    'joint missing': (NAMES[1:], [0.0] * (N - 1), NAMES[0]),
    'joint twice': ([*NAMES, NAMES[0]], [0.0] * (N + 1), NAMES[0]),
    'no joints': ([], [], NAMES[0]),
}


@pytest.mark.parametrize(('names', 'values', 'reason'), BAD.values(), ids=BAD)
def test_bad_input_is_refused_and_the_node_keeps_running(efforts, peer, names, values, reason):
    request = trajectory([values], [values], [values], names)
    response = peer.call(ComputeInverseDynamics, SERVICE, request)
    assert not response.success
    assert reason in response.message

    efforts.clear()
    peer.states.publish(state(values, values, names))
    good = answer(peer, efforts, state(np.ones(N), np.ones(N)))
    np.testing.assert_allclose(good.effort, rnea(*np.ones((2, N)), np.zeros(N)), atol=1e-9)
    assert len(efforts) == 1, 'the bad state was answered too'


def test_no_points_are_refused(node, peer):
    response = peer.call(ComputeInverseDynamics, SERVICE, trajectory([], [], []))
    assert not response.success
    assert 'no points' in response.message


def test_the_description_comes_by_topic_and_a_broken_one_changes_nothing(start, peer):
    start('inverse_dynamics', remaps={'__ns': '/other', 'robot_description': 'description'})
    service = f'/other/{SERVICE}'
    request = trajectory(*np.ones((3, 1, N)))
    response = peer.call(ComputeInverseDynamics, service, request)
    assert not response.success
    assert 'robot_description' in response.message

    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    descriptions = peer.node.create_publisher(String, '/other/description', latched)
    descriptions.publish(String(data=PUMA.read_text()))
    tau = rnea(*np.ones((3, N)))

    def answered():
        response = peer.call(ComputeInverseDynamics, service, request)
        return response.success and response.trajectory.points[0].effort

    np.testing.assert_allclose(peer.until(answered), tau, rtol=0, atol=1e-9)
    for broken in ('<robot name="x"><link', str(PUMA), '', '<robot name="no_joints"/>'):
        descriptions.publish(String(data=broken))
        peer.spin(0.3)
        np.testing.assert_allclose(answered(), tau, rtol=0, atol=1e-9)


def test_lifecycle_without_autostart(start, peer):
    process = start('inverse_dynamics', robot_description_file=PUMA, autostart='false',
                    remaps={'__ns': '/manual'})

    def label():
        reply = peer.call(GetState, '/manual/inverse_dynamics/get_state', GetState.Request())
        return reply.current_state.id

    def change(transition):
        request = ChangeState.Request(transition=Transition(id=transition))
        return peer.call(ChangeState, '/manual/inverse_dynamics/change_state', request).success

    assert label() == State.PRIMARY_STATE_UNCONFIGURED
    for _ in range(2):
        assert change(Transition.TRANSITION_CONFIGURE)
        assert label() == State.PRIMARY_STATE_INACTIVE
        response = peer.call(ComputeInverseDynamics, f'/manual/{SERVICE}',
                             trajectory(*np.ones((3, 1, N))))
        assert response.success, response.message
        assert change(Transition.TRANSITION_ACTIVATE)
        assert label() == State.PRIMARY_STATE_ACTIVE
        assert change(Transition.TRANSITION_DEACTIVATE)
        assert change(Transition.TRANSITION_CLEANUP)
        assert label() == State.PRIMARY_STATE_UNCONFIGURED
    assert stop(process) == 0
