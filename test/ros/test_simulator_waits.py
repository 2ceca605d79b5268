"""What the simulator shows while it does not move: kernels in the making, a pause, a runaway."""

import numpy as np
import pytest
import xacro
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import Log
from rclpy.qos import DurabilityPolicy, QoSProfile
from ros_simulator import PANDA, Simulator
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def stamp(message):
    return message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv('ROBOT_DYNAMICS_CACHE', str(tmp_path))


def test_it_stands_and_says_so_while_kernels_are_compiled(start, peer, empty_cache):
    said, states = [], []
    peer.node.create_subscription(DiagnosticArray, '/diagnostics', lambda message: said.extend(
        status.message for status in message.status if status.name.startswith('cold/')), 10)
    peer.node.create_subscription(JointState, '/cold/joint_states', states.append, 10)
    initial = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]
    start('simulator', remaps={'__ns': '/cold'}, robot_description_file=PANDA, rate=50.0,
          initial_positions=initial, diagnostics_rate=20.0)
    peer.until(lambda: states and any('kernels are being compiled' in text for text in said))
    standing = states[0]
    assert list(standing.position) == initial
    assert not any(standing.velocity)
    assert len(standing.effort) == 7
    peer.until(lambda: said and said[-1].startswith('no command'))
    times = [stamp(state) for state in states]
    assert np.all(np.diff(times) > 0)


def test_paused_it_stays_in_sight(simulator):
    assert simulator.trigger('pause').success
    try:
        first = simulator.fresh(3)
        later = simulator.fresh(20)
        assert later.position == first.position
        assert later.velocity == first.velocity
        assert stamp(later) > stamp(first)
        now = simulator.peer.node.get_clock().now().nanoseconds * 1e-9
        assert abs(now - stamp(later)) < 5.0
    finally:
        assert simulator.trigger('resume').success


def test_after_a_runaway_it_can_come_back_by_itself(simulator):
    assert simulator.set('saturate', False).successful
    assert simulator.set('stops', False).successful
    assert simulator.set('restart_after_runaway', 1.5).successful
    simulator.peer.until(lambda: simulator.place([9.0] * 7).success)
    try:
        def failed():
            simulator.efforts.publish(Float64MultiArray(data=[1e12] * 7))
            return simulator.status()[0] == 2
        simulator.peer.until(failed)
        simulator.fresh(3)  # in sight meanwhile
        simulator.peer.until(lambda: simulator.status()[0] == 1)
        assert np.abs(simulator.fresh(3).position).max() < 9.0
    finally:
        for name, value in (('saturate', True), ('stops', True), ('restart_after_runaway', 0.0)):
            assert simulator.set(name, value).successful


def test_the_same_description_again_changes_nothing(start, peer):
    text = xacro.process_file(str(PANDA)).toxml()
    said = []
    kept = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    peer.node.create_subscription(Log, '/rosout', lambda log: said.append(log.msg), kept)
    topic = peer.node.create_publisher(String, '/again/robot_description', LATCHED)
    topic.publish(String(data=text))
    start('simulator', remaps={'__ns': '/again'}, rate=50.0)
    again = Simulator(peer, '/again')
    peer.until(lambda: [text for text in said if text.startswith('model with')])
    loaded = len([text for text in said if text.startswith('model with')])
    topic.publish(String(data=xacro.process_file(str(PANDA)).toprettyxml()))
    topic.publish(String(data='<robot'))  # refused, after the one above was looked at
    peer.until(lambda: [text for text in said if 'refused' in text])
    assert len([text for text in said if text.startswith('model with')]) == loaded
    again.fresh(3)
