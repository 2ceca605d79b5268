"""Nodes and bases that are not bolted down, over real DDS, beside rd: odometry, imu, feet."""

from pathlib import Path

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from nav_msgs.msg import Odometry
from rclpy.qos import QoSProfile
from robot_dynamics_interfaces.msg import GeneralizedInertia
from robot_dynamics_interfaces.srv import (
    ComputeForwardDynamics,
    ComputeInverseDynamics,
    GetInertiaMatrix,
    GetJacobian,
    SetState,
)
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import robot_dynamics as rd
from robot_dynamics.model.quaternions import rotation

URDF = Path(__file__).parents[2] / 'urdf'
POSE = np.array([0.3, -0.2, 0.5, 0.1, -0.2, 0.3, 0.9])
POSE[3:] /= np.linalg.norm(POSE[3:])
TWIST = np.array([0.1, 0.2, -0.3, 0.4, -0.5, 0.6])
G = np.array([0.0, 0.0, -9.81])


def odometry(pose=POSE, twist=TWIST, frame='odom', child='trunk'):
    message = Odometry(child_frame_id=child)
    message.header.frame_id = frame
    p, o = message.pose.pose.position, message.pose.pose.orientation
    p.x, p.y, p.z, o.x, o.y, o.z, o.w = map(float, pose)
    w, v = message.twist.twist.angular, message.twist.twist.linear
    w.x, w.y, w.z, v.x, v.y, v.z = map(float, twist)
    return message


def imu(quaternion, frame='', known=True):
    message = Imu()
    message.header.frame_id = frame
    o = message.orientation
    o.x, o.y, o.z, o.w = map(float, quaternion)
    message.orientation_covariance[0] = 0.01 if known else -1.0
    return message


class Asker:
    """The test's end of a node: tells states until an answer is as expected."""

    def __init__(self, peer, name, space=''):
        self.peer, self.name, self.answers, self.statuses = peer, name, [], []
        node, deep = peer.node, QoSProfile(depth=50)
        self.states = node.create_publisher(JointState, f'{space}/joint_states', 10)
        self.odometry = node.create_publisher(Odometry, f'{space}/odometry', 10)
        self.imu = node.create_publisher(Imu, f'{space}/imu', 10)
        node.create_subscription(JointState, f'{name}/effort', self.answers.append, deep)
        node.create_subscription(DiagnosticArray, '/diagnostics', self._told, deep)

    def _told(self, message):
        self.statuses += [x for x in message.status
                          if x.name.startswith(f'{self.name.lstrip("/")}:')]

    def refused(self):
        """Return how many messages of the base were refused, by the last report."""
        values = {v.key: v.value for x in self.statuses[-1:] for v in x.values}
        return int(float(values.get('base messages refused', 0)))

    def effort(self, state, base, wanted):
        """Tell base and state until the efforts of the motors are the ones wanted."""
        def answered():
            base[0].publish(base[1])
            self.states.publish(state)
            self.peer.spin(0.05)
            return any(len(x.effort) == len(wanted)
                       and np.allclose(x.effort, wanted, rtol=1e-9, atol=1e-9)
                       for x in self.answers[-5:])
        self.answers.clear()
        self.peer.until(answered)

    def told(self, state, level, words):
        """Tell the state, and nothing of the base, until a status says so."""
        def said():
            self.states.publish(state)
            self.peer.spin(0.05)
            return any(x.level == level and words in x.message for x in self.statuses)
        self.statuses.clear()
        self.peer.until(said)


@pytest.fixture(scope='module')
def quadruped():
    return rd.load(URDF / 'quadruped.urdf', base='floating')


@pytest.fixture(scope='module')
def state(quadruped):
    generator = np.random.default_rng(1)
    q, qd, tau = generator.uniform(-1, 1, (3, 12))
    q[2::3] -= 1.5  # knees within their limits
    names = list(quadruped.joint_names[6:])
    order = generator.permutation(12)  # of the message; and a joint of somebody else's
    message = JointState(name=[names[k] for k in order] + ['other'],
                         position=[*q[order], 0.0], velocity=[*qd[order], 0.0],
                         effort=[*tau[order], 0.0])
    return message, np.r_[POSE, q], np.r_[TWIST, qd], np.r_[np.zeros(6), tau]


@pytest.fixture(scope='module')
def asker(start, peer):
    start('inverse_dynamics', robot_description_file=URDF / 'quadruped.urdf', base='floating',
          odom_frame='odom', diagnostics_rate=10.0)
    return Asker(peer, '/inverse_dynamics')


def test_efforts_with_odometry(asker, quadruped, state):
    message, q, qd, _ = state
    asker.effort(message, (asker.odometry, odometry()), quadruped.bias(q, qd)[6:])
    turned = np.r_[POSE[:3], 0, 0, 0, 1]
    other = np.r_[turned, q[7:]]
    asker.effort(message, (asker.odometry, odometry(turned)), quadruped.bias(other, qd)[6:])


def test_bad_odometry_is_refused_and_the_node_goes_on(asker, quadruped, state):
    message, q, qd, _ = state
    good = quadruped.bias(q, qd)[6:]
    zero, long, nan = (np.r_[POSE[:3], np.zeros(4)], np.r_[POSE[:3], 2 * POSE[3:]],
                       np.r_[np.nan, POSE[1:]])
    asker.effort(message, (asker.odometry, odometry()), good)
    before = asker.refused()
    for bad in (odometry(zero), odometry(long), odometry(nan), odometry(child='nobody'),
                odometry(child='front_left_foot'), odometry(frame='map')):
        asker.odometry.publish(bad)
        asker.peer.spin(0.05)
    asker.peer.until(lambda: asker.refused() >= before + 6)
    asker.effort(message, (asker.odometry, odometry()), good)


def test_services_stand_where_odometry_says(asker, quadruped, state):
    message, q, qd, tau = state
    asker.effort(message, (asker.odometry, odometry()), quadruped.bias(q, qd)[6:])
    names, six = list(quadruped.joint_names[6:]), list(quadruped.joint_names[:6])

    def call(kind, name, request):
        asker.odometry.publish(odometry())
        asker.peer.spin(0.1)
        answer = asker.peer.call(kind, f'/inverse_dynamics/{name}', request)
        assert answer.success, answer.message
        return answer

    inertia = call(GetInertiaMatrix, 'get_inertia_matrix', GetInertiaMatrix.Request(state=message))
    np.testing.assert_allclose(np.reshape(inertia.inertia.inertia, (18, 18)),
                               quadruped.inertia_matrix(q), atol=1e-10)
    found = call(GetJacobian, 'get_jacobian',
                 GetJacobian.Request(state=message, link='rear_left_foot'))
    np.testing.assert_allclose(np.reshape(found.jacobian, (6, 18)),
                               quadruped.jacobian(q, 'rear_left_foot'), atol=1e-10)
    qdd = np.linspace(-1, 1, 18)
    rest = np.r_[np.zeros(6), qd[6:]]
    point = JointTrajectoryPoint(positions=q[7:].tolist(), velocities=qd[6:].tolist(),
                                 accelerations=qdd[6:].tolist())
    answer = call(ComputeInverseDynamics, 'compute_inverse_dynamics',
                  ComputeInverseDynamics.Request(trajectory=JointTrajectory(
                      joint_names=names, points=[point])))
    still = np.r_[np.zeros(6), qdd[6:]]
    np.testing.assert_allclose(answer.trajectory.points[0].effort,
                               quadruped.inverse_dynamics(q, rest, still)[6:], atol=1e-9)
    whole = JointTrajectoryPoint(positions=[*np.zeros(6), *q[7:]], velocities=qd.tolist(),
                                 effort=tau.tolist())
    answer = call(ComputeForwardDynamics, 'compute_forward_dynamics',
                  ComputeForwardDynamics.Request(trajectory=JointTrajectory(
                      joint_names=six + names, points=[whole])))
    np.testing.assert_allclose(answer.trajectory.points[0].accelerations,
                               quadruped.forward_dynamics(q, qd, tau), atol=1e-7)


def test_gravity_follows_the_imu(start, peer):
    puma = rd.load(URDF / 'puma560.urdf')
    start('inverse_dynamics', robot_description_file=URDF / 'puma560.urdf', base='imu',
          mode='gravity', diagnostics_rate=10.0, remaps={'__ns': '/tilted'})
    asker = Asker(peer, '/tilted/inverse_dynamics', '/tilted')
    q = np.linspace(-1, 1, 6)
    message = JointState(name=list(puma.joint_names), position=q.tolist())
    asker.told(message, DiagnosticStatus.ERROR, 'no efforts: no imu has come yet')
    for quaternion in (np.array([0, 0, 0, 1.0]), POSE[3:]):
        wanted = puma.with_gravity(rotation(quaternion).T @ G).gravity_torque(q)
        asker.effort(message, (asker.imu, imu(quaternion)), wanted)
    before = asker.refused()
    for bad in (imu(POSE[3:], known=False), imu(np.zeros(4)), imu(3 * POSE[3:]),
                imu(POSE[3:], frame='link_6'), imu(POSE[3:], frame='nobody')):
        asker.imu.publish(bad)
        peer.spin(0.05)
    peer.until(lambda: asker.refused() >= before + 5)
    asker.effort(message, (asker.imu, imu(POSE[3:])),
                 puma.with_gravity(rotation(POSE[3:]).T @ G).gravity_torque(q))
    asker.told(message, DiagnosticStatus.ERROR, 'at most 0.5 s are taken (base_timeout)')


def test_inertia_of_a_floating_robot_is_watched(start, peer, quadruped, state):
    message, q, _, _ = state
    start('gim_diagnostics', robot_description_file=URDF / 'quadruped.urdf', base='floating',
          link='trunk', remaps={'__ns': '/watched'})
    asker, found = Asker(peer, '/watched/gim_diagnostics', '/watched'), []
    peer.node.create_subscription(GeneralizedInertia, '/watched/gim_diagnostics/inertia',
                                  found.append, 10)

    def seen():
        asker.odometry.publish(odometry())
        asker.states.publish(message)
        peer.spin(0.1)
        return found
    peer.until(seen)
    np.testing.assert_allclose(np.reshape(found[-1].inertia, (18, 18)),
                               quadruped.inertia_matrix(q), atol=1e-10)
    assert found[-1].joint_names == list(quadruped.joint_names)
    asker.told(message, DiagnosticStatus.STALE, 'at most 0.5 s are taken (base_timeout)')


def test_a_falling_humanoid_publishes_odometry(start, peer):
    start('simulator', robot_description_file=URDF / 'humanoid.urdf', base='floating', rate=100.0,
          step=0.005, initial_base='[0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 1.0]',
          remaps={'__ns': '/falling'})
    bases, joints = [], []
    peer.node.create_subscription(Odometry, '/falling/odometry', bases.append, 50)
    peer.node.create_subscription(JointState, '/falling/joint_states', joints.append, 50)
    peer.until(lambda: bases and bases[-1].pose.pose.position.z < 4.5)
    base = bases[-1]
    assert base.header.frame_id == 'odom' and base.child_frame_id == 'pelvis'
    fallen, v = 5.0 - base.pose.pose.position.z, base.twist.twist.linear.z
    assert v < 0 and abs(v ** 2 - 2 * 9.81 * fallen) < 0.1 * v ** 2
    assert 'waist' in joints[-1].name and not any('base' in name for name in joints[-1].name)
    put = JointState(name=['base/z', 'base/qz', 'base/qw', 'waist'],
                     position=[9.0, np.sqrt(0.5), np.sqrt(0.5), 0.3])
    answer = peer.call(SetState, '/falling/simulator/set_state', SetState.Request(state=put))
    assert answer.success, answer.message
    peer.until(lambda: bases[-1].pose.pose.position.z > 8.0)
    assert abs(bases[-1].pose.pose.orientation.z) > 0.7
    bad = peer.call(SetState, '/falling/simulator/set_state', SetState.Request(
        state=JointState(name=['base/qw', 'base/qz'], position=[0.0, 0.0])))
    assert not bad.success and 'quaternion' in bad.message


@pytest.mark.slow
def test_a_quadruped_stands_under_its_controller(start, peer):
    common = {'mechanism_file': URDF / 'quadruped.yaml'}  # which says that it floats
    start('simulator', rate=100.0, step=0.005, remaps={'__ns': '/legs'}, **common)
    start('inverse_dynamics', mode='computed_torque', gain=10.0,
          remaps={'__ns': '/legs', '~/commands': 'effort_commands'}, **common)
    bases, commands = [], []
    peer.node.create_subscription(Odometry, '/legs/odometry', bases.append, 50)
    peer.node.create_subscription(Float64MultiArray, '/legs/effort_commands', commands.append, 50)
    peer.until(lambda: len(commands) > 100, 120.0)
    p = bases[-1].pose.pose.position
    assert np.abs([p.x, p.y, p.z - 0.3]).max() < 5e-3
    stands = rd.load(URDF / 'quadruped.yaml')
    held = stands.inverse_dynamics(stands.neutral, np.zeros(6), np.zeros(6))
    np.testing.assert_allclose(commands[-1].data, held, atol=1.0)
