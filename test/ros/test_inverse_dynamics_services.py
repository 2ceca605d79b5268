"""The services of the inverse_dynamics node, over real DDS, against Pinocchio."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pinocchio
import pytest
from geometry_msgs.msg import Inertia
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.srv import DescribeParameters, ListParameters
from rclpy.serialization import deserialize_message, serialize_message
from robot_dynamics_interfaces.srv import (
    ComputeForwardDynamics,
    ComputeInverseDynamics,
    GetDhTable,
    GetInertiaMatrix,
    GetJacobian,
    SetPayload,
)
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

PUMA = Path(__file__).parents[2] / 'urdf' / 'puma560.urdf'
MODEL = pinocchio.buildModelFromUrdf(str(PUMA))
NAMES = list(MODEL.names)[1:]
N = MODEL.nv
Q, QD, QDD = np.random.default_rng(8).uniform(-1, 1, (3, N))


def as_pinocchio(q):
    """Pinocchio wants cosine and sine of a continuous joint."""
    return np.concatenate([[angle] if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
                           for angle, joint in zip(q, list(MODEL.joints)[1:], strict=True)])


def rnea(q, qd, qdd, model=MODEL):
    return pinocchio.rnea(model, model.createData(), as_pinocchio(q), qd, qdd)


@pytest.fixture(scope='module')
def call(start, peer):
    start('inverse_dynamics', robot_description_file=PUMA)
    return lambda kind, name, request: peer.call(kind, f'/inverse_dynamics/{name}', request)


def efforts(call, q=Q, qd=QD, qdd=QDD):
    point = JointTrajectoryPoint(
        positions=list(q), velocities=list(qd), accelerations=list(qdd))
    response = call(ComputeInverseDynamics, 'compute_inverse_dynamics',
                    ComputeInverseDynamics.Request(trajectory=JointTrajectory(
                        joint_names=NAMES, points=[point])))
    assert response.success, response.message
    return np.array(response.trajectory.points[0].effort)


def test_forward_dynamics_undoes_inverse_dynamics(call):
    tau = rnea(Q, QD, QDD)
    names = NAMES[::-1]
    point = JointTrajectoryPoint(
        positions=list(Q[::-1]), velocities=list(QD[::-1]), effort=list(tau[::-1]))
    response = call(ComputeForwardDynamics, 'compute_forward_dynamics',
                    ComputeForwardDynamics.Request(trajectory=JointTrajectory(
                        joint_names=names, points=[point] * 3)))
    assert response.success, response.message
    for answer in response.trajectory.points:
        np.testing.assert_allclose(answer.accelerations, QDD[::-1], atol=1e-7)


def test_the_inertia_matrix_is_pinocchios(call):
    state = JointState(name=NAMES, position=list(Q), velocity=list(QD))
    response = call(GetInertiaMatrix, 'get_inertia_matrix', GetInertiaMatrix.Request(state=state))
    assert response.success, response.message
    I = pinocchio.crba(MODEL, MODEL.createData(), as_pinocchio(Q))
    I = np.triu(I) + np.triu(I, 1).T
    np.testing.assert_allclose(np.reshape(response.inertia.inertia, (N, N)), I, atol=1e-9)
    assert response.inertia.kinetic_energy == pytest.approx(QD @ I @ QD / 2)
    assert np.isnan(response.inertia.power)


def test_jacobian_and_pose_are_pinocchios(call):
    state = JointState(name=NAMES, position=list(Q))
    data = MODEL.createData()
    J = pinocchio.computeFrameJacobian(
        MODEL, data, as_pinocchio(Q), MODEL.getFrameId('link_5'),
        pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED)
    response = call(GetJacobian, 'get_jacobian', GetJacobian.Request(state=state, link='link_5'))
    assert response.success, response.message
    assert response.joint_names == NAMES
    np.testing.assert_allclose(np.reshape(response.jacobian, (6, N)), J[[3, 4, 5, 0, 1, 2]],
                               atol=1e-9)
    pinocchio.framesForwardKinematics(MODEL, data, as_pinocchio(Q))
    pose = pinocchio.SE3ToXYZQUAT(data.oMf[MODEL.getFrameId('link_5')])
    p, o = response.pose.position, response.pose.orientation
    found = np.array([p.x, p.y, p.z, o.x, o.y, o.z, o.w])
    pose[3:] *= np.sign(pose[6])
    np.testing.assert_allclose(found, pose, atol=1e-9)


@pytest.mark.parametrize(('state', 'link', 'reason'), [
    (JointState(name=NAMES, position=[0.0] * N), 'nowhere', 'nowhere'),
    (JointState(name=NAMES, position=[0.0] * (N - 1)), '', f'{N - 1} values'),
    (JointState(), '', 'not given'),
])
def test_a_jacobian_of_nothing_is_refused(call, state, link, reason):
    response = call(GetJacobian, 'get_jacobian', GetJacobian.Request(state=state, link=link))
    assert not response.success
    assert reason in response.message


def test_the_dh_table(call):
    response = call(GetDhTable, 'get_dh_table', GetDhTable.Request())
    assert response.success
    assert [row.joint_name for row in response.rows] == NAMES
    assert response.rows[0].parent_link_name == response.root_link
    assert response.rows[2].a == pytest.approx(0.02032, abs=0.02)


def test_a_payload_is_put_on_and_taken_off(call):
    body = Inertia(m=2.0, ixx=0.01, iyy=0.02, izz=0.025, ixy=0.001)
    body.com.z = 0.1
    loaded = pinocchio.buildModelFromUrdf(str(PUMA))
    loaded.appendBodyToJoint(N, pinocchio.Inertia(
        2.0, np.array([0, 0, 0.1]),
        np.array([[0.01, 0.001, 0], [0.001, 0.02, 0], [0, 0, 0.025]])), pinocchio.SE3.Identity())
    bare = rnea(Q, QD, QDD)
    for _ in range(2):  # the second takes the place of the first
        response = call(SetPayload, 'set_payload', SetPayload.Request(link='link_6', inertia=body))
        assert response.success, response.message
        np.testing.assert_allclose(efforts(call), rnea(Q, QD, QDD, loaded), atol=1e-9)
    for link, wrong, reason in (('nose', body, 'nose'), ('link_6', Inertia(m=-1.0), 'mass'),
                                ('link_6', Inertia(m=np.nan), 'nan'),
                                ('link_6', Inertia(m=1e300), 'beyond'),
                                ('link_6', Inertia(m=1.0, ixx=-1.0), 'negative'),
                                ('link_5', Inertia(m=1.0, ixx=-5e-10, iyy=1e-4, izz=1e-4),
                                 'negative')):
        response = call(SetPayload, 'set_payload', SetPayload.Request(link=link, inertia=wrong))
        assert not response.success
        assert reason in response.message
    np.testing.assert_allclose(efforts(call), rnea(Q, QD, QDD, loaded), atol=1e-9)
    rounded = Inertia(m=0.0, ixx=1e-3, iyy=1e-3, izz=-1e-11)  # as drawing programs do
    assert call(SetPayload, 'set_payload', SetPayload.Request(link='link_6', inertia=rounded)
                ).success  # no mass: it is taken off
    np.testing.assert_allclose(efforts(call), bare, atol=1e-9)


@pytest.mark.parametrize('count', [50_001, pytest.param(10**6, marks=pytest.mark.slow)])
def test_a_request_larger_than_the_bound_is_refused(call, count):
    points = [JointTrajectoryPoint()] * count
    response = call(ComputeInverseDynamics, 'compute_inverse_dynamics',
                    ComputeInverseDynamics.Request(
                        trajectory=JointTrajectory(joint_names=NAMES, points=points)))
    assert not response.success
    assert f'{count} points, at most 50000' in response.message
    assert not response.trajectory.points


def test_a_million_points_are_survived(call, peer):
    """Written as bytes: rclpy would take half a minute to write them."""
    message = serialize_message(JointTrajectory(joint_names=NAMES))
    last = NAMES[-1].encode() + b'\0'
    count = message.rindex(last) + len(last)  # where the number of points is, at a multiple of 4
    count += -count % 4
    point = bytes(4 * 4 + 8)  # four empty sequences and a duration
    two, million = (message[:count] + number.to_bytes(4, 'little') + point * number
                    for number in (2, 10**6))
    assert len(deserialize_message(two, JointTrajectory).points) == 2
    publisher = peer.node.create_publisher(
        JointTrajectory, 'inverse_dynamics/trajectory_in', 1)
    peer.until(publisher.get_subscription_count)
    publisher.publish(million)
    peer.spin(0.5)
    np.testing.assert_allclose(efforts(call), rnea(Q, QD, QDD), atol=1e-9)


def test_every_parameter_is_described(call):
    names = call(ListParameters, 'list_parameters', ListParameters.Request()).result.names
    own = [name for name in names if not name.startswith(('qos_overrides.', 'use_sim_time'))
           and 'type_description' not in name]
    assert {'mode', 'joints', 'gain', 'max_points', 'gravity'} <= set(own)
    reply = call(DescribeParameters, 'describe_parameters',
                 DescribeParameters.Request(names=own))
    assert all(descriptor.description for descriptor in reply.descriptors)
    assert any(name.startswith('qos_overrides./joint_states') for name in names)


def test_wrong_lifecycle_orders_are_refused(call):
    def change(transition):
        return call(ChangeState, 'change_state', ChangeState.Request(
            transition=Transition(id=transition))).success

    def state():
        return call(GetState, 'get_state', GetState.Request()).current_state.id

    assert state() == State.PRIMARY_STATE_ACTIVE
    for wrong in (Transition.TRANSITION_ACTIVATE, Transition.TRANSITION_CONFIGURE,
                  Transition.TRANSITION_CLEANUP, 123):
        assert not change(wrong)
        assert state() == State.PRIMARY_STATE_ACTIVE
    assert change(Transition.TRANSITION_DEACTIVATE)
    assert not change(Transition.TRANSITION_DEACTIVATE)
    assert change(Transition.TRANSITION_ACTIVATE)
    np.testing.assert_allclose(efforts(call), rnea(Q, QD, QDD), atol=1e-9)


def test_the_documented_client_prints_the_efforts(call):
    page = (PUMA.parents[1] / 'docs' / 'controllers.md').read_text()
    code = re.search(r'```python\n(.*?)```', page, re.DOTALL).group(1)
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                          timeout=60, check=True)
    pose, rest = np.array([0.0, -0.8, 0.0, -2.3, 0.0, 1.6]), np.zeros(N)
    found = json.loads(done.stdout)  # of seven joints; this robot has six
    np.testing.assert_allclose(found[:N], rnea(pose, rest, rest), atol=1e-9)
    assert found[N:] == [0.0]
