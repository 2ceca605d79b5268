"""The simulator with mechanism files, over real DDS: all joints are shown, loops stay closed."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration
from rclpy.action import ActionClient
from rclpy.qos import DurabilityPolicy, QoSProfile
from robot_dynamics_interfaces.action import Simulate
from robot_dynamics_interfaces.srv import GetInertiaMatrix
from ros_peer import stop
from ros_simulator import Simulator
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import robot_dynamics as rd
from robot_dynamics.simulation.online.bodies import loop_gap

URDF = Path(__file__).parents[2] / 'urdf'
CLOSED = 1e-10  # [m]


@pytest.fixture(scope='module')
def five_bar():
    return rd.load_mechanism(URDF / 'five_bar.yaml')


@pytest.fixture(scope='module')
def linkage(start, peer):
    """A simulated five-bar that falls when nobody commands it."""
    start('simulator', mechanism_file=URDF / 'five_bar.yaml', rate=100, on_timeout='zero',
          diagnostics_rate=5.0)
    return Simulator(peer)


@pytest.fixture(autouse=True)
def at_start(request):
    if 'linkage' in request.fixturenames:
        linkage = request.getfixturevalue('linkage')
        assert linkage.trigger('reset').success
        assert linkage.trigger('resume').success


def place(linkage, names, q, **fields):
    return linkage.place(q, name=list(names), **fields)


def tree_of(five_bar, state):
    return np.array([state.position[state.name.index(name)] for name in five_bar.tree_joint_names])


def shows(linkage, five_bar, tree):
    """Wait until joint states have these values of all joints."""
    linkage.peer.until(
        lambda: np.allclose(tree_of(five_bar, linkage.fresh()), tree, atol=1e-9), 20)


def test_all_joints_are_shown_and_close_the_loops(linkage, five_bar):
    linkage.states.clear()
    linkage.peer.until(lambda: len(linkage.states) > 20)  # it falls
    for state in linkage.states:
        assert tuple(state.name) == five_bar.tree_joint_names
        tree, qd = tree_of(five_bar, state), np.array(state.velocity)
        assert loop_gap(five_bar, tree) < CLOSED
        independent = [state.name.index(name) for name in five_bar.joint_names]
        assert np.allclose(five_bar.passive_rates(tree[independent], qd[independent], near=tree),
                           qd, rtol=1e-9, atol=1e-12)
    assert np.abs(linkage.states[-1].velocity).max() > 0.01


def test_efforts_are_those_of_the_motors(linkage, five_bar):
    tau = five_bar.gravity_torque([0.5, 0.5])
    linkage.efforts.publish(Float64MultiArray(data=list(tau)))

    def acts():
        linkage.efforts.publish(Float64MultiArray(data=list(tau)))
        effort = np.array(linkage.fresh().effort)
        return np.allclose(effort[[0, 2]], tau) and not effort[[1, 3]].any()
    linkage.peer.until(acts)


def test_a_state_is_set_with_and_without_passive_joints(linkage, five_bar):
    assert linkage.trigger('pause').success
    q = np.array([0.6, 0.4])
    assert place(linkage, five_bar.joint_names, q).success
    shows(linkage, five_bar, five_bar.assemble(q))
    other = five_bar.assemble(q, branches=True)[1]
    assert place(linkage, five_bar.tree_joint_names[::-1], other[::-1]).success
    shows(linkage, five_bar, other)
    # the branch is that of where it is
    assert place(linkage, five_bar.joint_names, q + 0.01).success
    shows(linkage, five_bar, five_bar.assemble(q + 0.01, near=other))
    answer = place(linkage, five_bar.tree_joint_names, [0.6, 1.0, 0.4, 1.0])
    assert not answer.success
    assert 'the loops do not close' in answer.message
    answer = place(linkage, five_bar.joint_names, [np.pi, 0.0])
    assert not answer.success
    assert 'tip' in answer.message
    assert linkage.trigger('reset').success
    shows(linkage, five_bar, five_bar.start)
    assert linkage.trigger('resume').success


def test_it_pauses_at_a_singularity(linkage, five_bar):
    # without torque the paper's five-bar meets a singularity from here, too
    linkage.peer.until(lambda: linkage.status()[0] == 2)
    _, message, values = linkage.status()
    assert values['paused'] == 'True'
    assert 'loops' in message or 'rates run away' in message
    state = linkage.fresh(2)
    assert loop_gap(five_bar, tree_of(five_bar, state)) < CLOSED
    assert not linkage.trigger('resume').success
    assert linkage.trigger('reset').success
    assert linkage.trigger('resume').success


def test_the_action_simulates_mechanisms(linkage, five_bar):
    client = ActionClient(linkage.peer.node, Simulate, '/simulator/simulate')
    linkage.peer.until(client.server_is_ready)
    q, tau = np.array([0.6, 0.4]), np.array([20.0, 10.0])
    sent = client.send_goal_async(Simulate.Goal(
        initial_state=JointState(name=list(five_bar.joint_names), position=list(q)),
        effort=JointTrajectory(joint_names=list(five_bar.joint_names),
                               points=[JointTrajectoryPoint(effort=list(tau))]),
        duration=Duration(nanosec=200_000_000), sample_period=Duration(nanosec=50_000_000)))
    linkage.peer.until(sent.done)
    future = sent.result().get_result_async()
    linkage.peer.until(future.done)
    assert future.result().status == GoalStatus.STATUS_SUCCEEDED, future.result().result.message
    motion = rd.simulate(five_bar, q, [0, 0], tau, np.linspace(0, 0.2, 5), method='rk4',
                         step=1e-3)
    result = future.result().result.trajectory
    assert tuple(result.joint_names) == five_bar.tree_joint_names
    for k, point in enumerate(result.points):
        assert loop_gap(five_bar, np.array(point.positions)) < CLOSED
        assert np.allclose(point.positions, motion.q_tree[k], atol=1e-9)
        assert np.allclose(np.array(point.velocities)[[0, 2]], motion.qd[k], atol=1e-9)
        assert not np.array(point.effort)[[1, 3]].any()


def test_a_description_does_not_replace_the_mechanism(linkage, five_bar):
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    description = linkage.peer.node.create_publisher(String, '/robot_description', latched)
    description.publish(String(data=(URDF / 'puma560.urdf').read_text()))
    linkage.peer.spin(1.0)
    assert tuple(linkage.fresh(3).name) == five_bar.tree_joint_names
    linkage.peer.node.destroy_publisher(description)
    assert not linkage.set('robot_description', (URDF / 'puma560.urdf').read_text()).successful


BAD = {
    'no such file': ('', 'cannot be read'),
    'no mechanism': ('name: nothing\n', 'no mechanism'),
    'open': ('robot: {urdf}/five_bar.urdf\nloops:\n  - joint: revolute\n    between: '
             '[left_forearm, right_forearm]\n    at: [{{xyz: [9, 0, 0]}}, {{xyz: [0.8, 0, 0]}}]\n'
             'actuated: [left_shoulder, right_shoulder]\n', 'open'),
    'link': ('robot: {urdf}/five_bar.urdf\nloops:\n  - joint: revolute\n    between: '
             '[left_forearm, nobody]\n    at: [{{xyz: [1, 0, 0]}}, {{xyz: [0.8, 0, 0]}}]\n'
             'actuated: [left_shoulder, right_shoulder]\n', 'nobody'),
}


@pytest.mark.parametrize('kind', BAD)
def test_a_bad_mechanism_file_leaves_the_node_alive(peer, domain, tmp_path, kind):
    text, expected = BAD[kind]
    file = tmp_path / 'linkage.yaml'
    if text:
        file.write_text(text.format(urdf=URDF))
    node = kind.replace(' ', '_')
    process = subprocess.Popen(
        [sys.executable, '-m', 'robot_dynamics.nodes.inverse_dynamics', '--ros-args', '-r',
         f'__node:={node}', '-p', f'mechanism_file:={file}'], stderr=subprocess.PIPE, text=True)
    try:
        answer = peer.call(GetInertiaMatrix, f'/{node}/get_inertia_matrix',
                           GetInertiaMatrix.Request())
        assert not answer.success
        assert f'mechanism_file {file} was refused' in answer.message
        assert process.poll() is None
    finally:
        stop(process)
    log = process.stderr.read()
    assert log.count('mechanism file refused') == 1
    assert expected in log
    assert 'Traceback' not in log
