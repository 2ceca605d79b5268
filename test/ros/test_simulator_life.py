"""Lifecycle, namespaces and clocks of simulators in processes, over real DDS."""

import numpy as np
from builtin_interfaces.msg import Time
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from ros_simulator import PANDA, Simulator
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray


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
