"""inverse_dynamics and gim_diagnostics with mechanism files, over real DDS, beside rd."""

from pathlib import Path

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.qos import QoSProfile
from robot_dynamics_interfaces.msg import GeneralizedInertia
from robot_dynamics_interfaces.srv import (
    ComputeForwardDynamics,
    ComputeInverseDynamics,
    GetInertiaMatrix,
    GetJacobian,
)
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from visualization_msgs.msg import MarkerArray

import robot_dynamics as rd

FILE = Path(__file__).parents[2] / 'urdf' / 'five_bar.yaml'
Q, QD, QDD = np.array([0.6, 0.4]), np.array([0.3, -0.2]), np.array([1.0, 2.0])


@pytest.fixture(scope='module')
def five_bar():
    return rd.load_mechanism(FILE)


@pytest.fixture(scope='module')
def other(five_bar):
    """Values of all joints on the other branch."""
    return five_bar.assemble(Q, branches=True)[1]


class Controller:
    """The test's end of the node: joint states out, efforts in."""

    def __init__(self, peer):
        self.peer, self.efforts, self.commands, self.external = peer, [], [], []
        node, deep = peer.node, QoSProfile(depth=100)
        self.states = node.create_publisher(JointState, '/joint_states', 10)
        node.create_subscription(JointState, '/inverse_dynamics/effort', self.efforts.append, deep)
        node.create_subscription(Float64MultiArray, '/inverse_dynamics/commands',
                                 self.commands.append, deep)
        node.create_subscription(JointState, '/inverse_dynamics/external_torque',
                                 self.external.append, deep)

    def call(self, kind, name, request):
        return self.peer.call(kind, f'/inverse_dynamics/{name}', request)

    def mode(self, mode):
        value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=mode)
        answer = self.call(SetParameters, 'set_parameters', SetParameters.Request(
            parameters=[Parameter(name='mode', value=value)]))
        assert answer.results[0].successful, answer.results[0].reason

    def answer(self, names, q, qd=QD, stamp=None, **fields):
        """Return the efforts of a joint state, sent until they come, and their joints."""
        state = JointState(name=list(names), position=list(map(float, q)),
                           velocity=list(map(float, qd)), **fields)
        if stamp is not None:
            state.header.stamp.sec, state.header.stamp.nanosec = divmod(stamp, 10**9)
        self.efforts.clear()

        def comes():
            self.states.publish(state)
            self.peer.spin(0.05)
            return self.efforts
        found = self.peer.until(comes)[-1]
        return tuple(found.name), np.array(found.effort)


@pytest.fixture(scope='module')
def controller(start, peer):
    start('inverse_dynamics', mechanism_file=FILE, command_timeout=60.0)
    return Controller(peer)


def all_rates(five_bar, tree):
    return five_bar.passive_rates(Q, QD, near=tree)


@pytest.mark.parametrize('mode', ['gravity', 'bias', 'computed_torque', 'full'])
def test_efforts_are_those_of_the_mechanism(controller, five_bar, mode):
    controller.mode(mode)
    names, tau = controller.answer(five_bar.joint_names[::-1], Q[::-1], QD[::-1])
    assert names == five_bar.actuated_names
    expected = {
        'gravity': lambda: five_bar.gravity_torque(Q),
        'bias': lambda: five_bar.bias(Q, QD),
        'computed_torque': lambda: five_bar.inverse_dynamics(Q, QD, -2 * 20.0 * QD),
        'full': lambda: five_bar.inverse_dynamics(Q, QD, [0, 0])}[mode]()
    np.testing.assert_allclose(tau, expected, rtol=1e-9, atol=1e-9)


def test_gravity_is_that_of_the_file(controller):
    answer = controller.call(GetParameters, 'get_parameters', GetParameters.Request(
        names=['mechanism_file']))
    assert answer.values[0].string_value == str(FILE)
    controller.mode('gravity')
    assert np.abs(controller.answer(['left_shoulder', 'right_shoulder'], Q)[1]).min() > 1.0


def test_passive_joints_tell_the_branch_and_it_is_kept(controller, five_bar, other):
    controller.mode('bias')
    names = five_bar.tree_joint_names[::-1]
    _, tau = controller.answer(names, other[::-1], all_rates(five_bar, other)[::-1])
    np.testing.assert_allclose(tau, five_bar.bias(Q, QD, near=other), rtol=1e-9)
    _, tau = controller.answer(five_bar.joint_names, Q + 0.01)
    np.testing.assert_allclose(tau, five_bar.bias(Q + 0.01, QD, near=other), rtol=1e-9)
    # values that do not close are not believed
    wrong = other + np.array([0.0, 0.3, 0.0, 0.0])
    _, tau = controller.answer(five_bar.tree_joint_names, wrong, all_rates(five_bar, other))
    np.testing.assert_allclose(tau, five_bar.bias(Q, QD, near=other), rtol=1e-9)
    here = five_bar.assemble(Q)
    _, tau = controller.answer(five_bar.tree_joint_names, here, all_rates(five_bar, here))
    np.testing.assert_allclose(tau, five_bar.bias(Q, QD), rtol=1e-9)


def test_states_that_cannot_close_are_refused(controller, five_bar):
    controller.mode('bias')
    controller.efforts.clear()
    for _ in range(5):
        controller.states.publish(JointState(name=list(five_bar.joint_names),
                                             position=[np.pi, 0.0], velocity=[0.0, 0.0]))
        controller.peer.spin(0.1)
    assert not controller.efforts
    _, tau = controller.answer(five_bar.joint_names, Q)
    np.testing.assert_allclose(tau, five_bar.bias(Q, QD), rtol=1e-9)


def test_the_observer_sees_torques_of_others(controller, five_bar):
    controller.mode('gravity')
    here, pushed = five_bar.assemble(Q), np.array([3.0, -1.0])
    tau = np.zeros(4)
    tau[[0, 2]] = five_bar.gravity_torque(Q) - pushed
    controller.external.clear()
    for k in range(1, 40):
        controller.answer(five_bar.tree_joint_names, here, np.zeros(4), k * 50_000_000,
                          effort=list(tau))
        if controller.external and np.allclose(controller.external[-1].effort, pushed, atol=0.01):
            break
    np.testing.assert_allclose(controller.external[-1].effort, pushed, atol=0.01)


def trajectory(names, **fields):
    return JointTrajectory(joint_names=list(names), points=[JointTrajectoryPoint(
        **{key: list(map(float, row)) for key, row in fields.items()})])


def test_services_are_in_actuated_joints(controller, five_bar, other):
    names = five_bar.joint_names
    answer = controller.call(
        ComputeInverseDynamics, 'compute_inverse_dynamics', ComputeInverseDynamics.Request(
            trajectory=trajectory(names, positions=Q, velocities=QD, accelerations=QDD)))
    assert answer.success, answer.message
    tau = np.array(answer.trajectory.points[0].effort)
    np.testing.assert_allclose(tau, five_bar.inverse_dynamics(Q, QD, QDD), rtol=1e-9)
    answer = controller.call(
        ComputeForwardDynamics, 'compute_forward_dynamics', ComputeForwardDynamics.Request(
            trajectory=trajectory(names, positions=Q, velocities=QD, effort=tau)))
    np.testing.assert_allclose(answer.trajectory.points[0].accelerations, QDD, rtol=1e-7)
    answer = controller.call(
        ComputeInverseDynamics, 'compute_inverse_dynamics', ComputeInverseDynamics.Request(
            trajectory=trajectory(five_bar.tree_joint_names, positions=other,
                                  velocities=all_rates(five_bar, other),
                                  accelerations=[QDD[0], 0, QDD[1], 0])))
    assert answer.success, answer.message
    np.testing.assert_allclose(
        answer.trajectory.points[0].effort,
        np.insert(five_bar.inverse_dynamics(Q, QD, QDD, near=other), [1, 2], 0.0), rtol=1e-9)
    answer = controller.call(
        ComputeInverseDynamics, 'compute_inverse_dynamics', ComputeInverseDynamics.Request(
            trajectory=trajectory(five_bar.tree_joint_names, positions=np.zeros(4),
                                  velocities=np.zeros(4), accelerations=np.zeros(4))))
    assert not answer.success
    assert 'leave a loop open' in answer.message


def test_inertia_and_jacobian_of_a_pose(controller, five_bar, other):
    state = JointState(name=list(five_bar.tree_joint_names), position=list(other))
    answer = controller.call(GetInertiaMatrix, 'get_inertia_matrix',
                             GetInertiaMatrix.Request(state=state))
    assert answer.success, answer.message
    assert tuple(answer.inertia.joint_names) == five_bar.joint_names
    np.testing.assert_allclose(np.reshape(answer.inertia.inertia, (2, 2)),
                               five_bar.inertia_matrix(Q, near=other), rtol=1e-9)
    answer = controller.call(GetJacobian, 'get_jacobian', GetJacobian.Request(
        state=JointState(name=list(five_bar.joint_names), position=list(Q)),
        link='right_forearm'))
    assert answer.success, answer.message
    np.testing.assert_allclose(np.reshape(answer.jacobian, (6, 2)),
                               five_bar.jacobian(Q, 'right_forearm'), atol=1e-9)


def test_diagnostics_tell_closure_and_singularity(start, peer, five_bar):
    start('gim_diagnostics', mechanism_file=FILE, diagnostics_rate=10.0, link='left_forearm',
          closure_tolerance=1.0)
    found, inertia, markers = {}, [], []
    node = peer.node
    states = node.create_publisher(JointState, '/joint_states', 10)
    node.create_subscription(
        DiagnosticArray, '/diagnostics', lambda message: found.update(
            {status.name: status for status in message.status}), 10)
    node.create_subscription(GeneralizedInertia, '/gim_diagnostics/inertia', inertia.append, 10)
    node.create_subscription(MarkerArray, '/gim_diagnostics/markers', markers.append, 10)

    def loops_at(tree, level):
        def comes():
            stamp = node.get_clock().now().to_msg()
            state = JointState(name=list(five_bar.tree_joint_names), position=list(tree),
                               velocity=[0.0] * 4, effort=[1.0, 0.0, 2.0, 0.0])
            state.header.stamp = stamp
            states.publish(state)
            peer.spin(0.02)
            status = found.get('gim_diagnostics: loops')
            return status if status is not None and status.level[0] == level else None
        status = peer.until(comes)
        return {item.key: item.value for item in status.values}

    here = five_bar.assemble(Q)
    values = loops_at(here, 0)
    assert float(values['closure error [m, or sine]']) < 1e-10
    condition = five_bar.model.coordinates.condition(here)
    assert np.isclose(float(values['condition']), condition, rtol=1e-3)
    assert np.isclose(float(values['distance to singularity']), 1 / condition, rtol=1e-3)
    peer.until(lambda: inertia and markers and loops_at(here, 0))
    np.testing.assert_allclose(np.reshape(inertia[-1].inertia, (2, 2)),
                               five_bar.inertia_matrix(Q), rtol=1e-9)
    spaces = {marker.ns for marker in markers[-1].markers}
    assert {'inertia', 'mass_centre', 'effort', 'manipulability'} <= spaces
    values = loops_at(here + np.array([0.0, 0.005, 0.0, 0.0]), 1)
    assert 1e-3 < float(values['closure error [m, or sine]']) < 1e-2
