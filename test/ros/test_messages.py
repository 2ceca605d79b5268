"""Messages to arrays: joints matched by name, and what is wrong said by name."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='needs ROS 2: make test brings it')

from geometry_msgs.msg import Inertia, Vector3
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import robot_dynamics as rd
from robot_dynamics.nodes.shared.conversion import StateReader, pose_message, read_trajectory
from robot_dynamics.nodes.shared.payloads import read_payload

RANDOM = np.random.default_rng(5)


def test_a_reader_follows_a_message_whose_order_changes():
    reader = StateReader(('a', 'b'))
    for names, values in ((['a', 'b'], [1.0, 2.0]), (['b', 'x', 'a'], [2.0, 9.0, 1.0]),
                          (['a', 'b'], [1.0, 2.0])):
        state = JointState(name=names, position=values)
        assert reader.read(state, 'position').tolist() == [1.0, 2.0]


def test_a_joint_that_is_not_ours_may_be_nan():
    state = JointState(name=['a', 'x'], position=[1.0, np.nan])
    assert StateReader(('a',)).read(state, 'position').tolist() == [1.0]


@pytest.mark.parametrize('values', [[np.inf, -np.inf], [np.nan, 1.0], [1e308, np.inf]])
def test_a_reader_refuses_what_is_not_finite(values):
    state = JointState(name=['a', 'b'], position=values)
    with pytest.raises(rd.InputError, match='not finite'):
        StateReader(('a', 'b')).read(state, 'position')


def test_what_is_not_finite_is_named():
    state = JointState(name=['x', 'lift', 'turn'], position=[0.0, np.nan, 1.0])
    with pytest.raises(rd.InputError, match="position of joint 'lift': nan is not finite"):
        StateReader(('turn', 'lift')).read(state, 'position')
    points = [JointTrajectoryPoint(positions=[0.0, 0.0]),
              JointTrajectoryPoint(positions=[0.0, np.inf])]
    trajectory = JointTrajectory(joint_names=['lift', 'turn'], points=points)
    with pytest.raises(rd.InputError, match="positions of point 1, joint 'turn': inf"):
        read_trajectory(trajectory, ('turn', 'lift'), ('positions',), most=9)


@pytest.mark.parametrize(('body', 'said'), [
    (Inertia(m=np.nan), 'inertia: mass m is nan'), (Inertia(ixy=np.inf), 'inertia: ixy is inf'),
    (Inertia(com=Vector3(y=2e9)), r'com\.y is 2e\+09'), (Inertia(m=-1.0), 'mass -1.0 kg')])
def test_payloads_are_refused_by_name(body, said):
    with pytest.raises(rd.InputError, match=said):
        read_payload(body)


def test_a_payload_is_read():
    mass, com, inertia = read_payload(Inertia(
        m=2.0, com=Vector3(x=1.0, y=2.0, z=3.0), ixx=1.0, ixy=2.0, ixz=3.0, iyy=4.0, iyz=5.0,
        izz=6.0))
    assert (mass, com.tolist()) == (2.0, [1, 2, 3])
    assert inertia.tolist() == [[1, 2, 3], [2, 4, 5], [3, 5, 6]]


def test_huge_numbers_are_finite():
    state = JointState(name=['a', 'b'], position=[1.7e308, 1.7e308])
    assert StateReader(('a', 'b')).read(state, 'position')[0] == 1.7e308


def test_quaternions_turn_as_their_matrices():
    for _ in range(50):
        R = np.linalg.qr(RANDOM.normal(size=(3, 3)))[0]
        R *= np.sign(np.linalg.det(R))
        T = np.eye(4)
        T[:3, :3] = R
        o = pose_message(T).orientation
        v, v_rotated = RANDOM.normal(size=3), None
        u = np.array([o.x, o.y, o.z])
        v_rotated = v + 2 * np.cross(u, np.cross(u, v) + o.w * v)
        np.testing.assert_allclose(v_rotated, R @ v, atol=1e-12)
        assert o.w >= 0
