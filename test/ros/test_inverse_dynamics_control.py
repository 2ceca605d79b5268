"""The inverse_dynamics node as part of a control loop: commands, references, wrenches, time."""

from pathlib import Path

import numpy as np
import pinocchio
import pytest
from builtin_interfaces.msg import Duration, Time
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

PUMA = Path(__file__).parents[2] / 'urdf' / 'puma560.urdf'
LIMIT, GAIN = 15.0, 10.0  # [N m], [1/s]
MODEL = pinocchio.buildModelFromUrdf(str(PUMA))
NAMES = list(MODEL.names)[1:]
N = MODEL.nv
REST = np.zeros(N)
Q = np.array([0.3, -0.8, 0.4, 0.5, -0.6, 0.7])
NANOSECONDS = 10**9


def as_pinocchio(q):
    """Pinocchio wants cosine and sine of a continuous joint."""
    return np.concatenate([[angle] if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
                           for angle, joint in zip(q, list(MODEL.joints)[1:], strict=True)])


def rnea(q, qd=REST, qdd=REST):
    return pinocchio.rnea(MODEL, MODEL.createData(), as_pinocchio(q), qd, qdd)


def time_of(nanoseconds):
    return Time(sec=nanoseconds // NANOSECONDS, nanosec=nanoseconds % NANOSECONDS)


class Arm:
    """Our end of a node's topics."""

    def __init__(self, peer, name):
        self.peer, self.name, node = peer, name, peer.node
        self.efforts, self.commands, self.external, self.out = [], [], [], []
        own = f'{name}/inverse_dynamics'
        for kind, topic, received in (
                (JointState, f'{own}/effort', self.efforts),
                (Float64MultiArray, f'{own}/commands', self.commands),
                (JointTrajectory, f'{own}/trajectory_out', self.out)):
            node.create_subscription(kind, topic, received.append, 10)
        self.states = node.create_publisher(JointState, f'{name}/joint_states', 10)
        self.reference = node.create_publisher(JointTrajectory, f'{name}/joint_trajectory', 10)
        self.trajectory = node.create_publisher(JointTrajectory, f'{own}/trajectory_in', 10)
        self.wrench = node.create_publisher(WrenchStamped, f'{own}/wrench', 10)

    def now(self):
        return self.peer.node.get_clock().now().nanoseconds

    def answer(self, q, qd=REST, stamp=0, effort=(), into=None):
        """Send a state; return the efforts that answer it."""
        received = self.efforts if into is None else into
        received.clear()
        self.commands.clear()
        message = JointState(name=NAMES, position=list(q), velocity=list(qd), effort=list(effort))
        message.header.stamp = time_of(stamp)
        self.states.publish(message)
        self.peer.until(lambda: received)
        return np.array(received[0].effort)

    def set(self, **values):
        request = SetParameters.Request(parameters=[
            Parameter(name, value=value).to_parameter_msg() for name, value in values.items()])
        return self.peer.call(
            SetParameters, f'{self.name}/inverse_dynamics/set_parameters', request).results

    def greet(self):
        def greeted():
            self.states.publish(JointState(name=NAMES, position=list(REST), velocity=list(REST)))
            return self.efforts and self.commands
        self.peer.until(greeted)
        self.peer.spin(0.3)


@pytest.fixture(scope='module')
def processes(start, tmp_path_factory):
    limited = tmp_path_factory.mktemp('urdf') / 'limited.urdf'
    limited.write_text(PUMA.read_text().replace('effort="1000000000"', f'effort="{LIMIT}"'))
    common = {'robot_description_file': limited, 'gain': GAIN}
    start('inverse_dynamics', remaps={'__ns': '/arm'}, joints=f'[{", ".join(NAMES[::-1])}]',
          mode='computed_torque', wrench_timeout=0.5, **common)
    start('inverse_dynamics', remaps={'__ns': '/timed'}, mode='full', filter_cutoff=0.0,
          use_sim_time='true', **common)


@pytest.fixture(scope='module')
def arm(processes, peer):
    arm = Arm(peer, '/arm')
    arm.greet()
    return arm


@pytest.fixture(autouse=True)
def mode(request):
    if 'arm' in request.fixturenames and 'timed' not in request.fixturenames:
        request.getfixturevalue('arm').set(mode='gravity')


def test_commands_are_saturated_and_in_the_order_asked_for(arm):
    tau = arm.answer(Q, stamp=arm.now())
    np.testing.assert_allclose(tau, rnea(Q), atol=1e-9)
    assert np.abs(tau).max() > LIMIT
    arm.peer.until(lambda: arm.commands)
    np.testing.assert_allclose(arm.commands[0].data, np.clip(tau, -LIMIT, LIMIT)[::-1])


@pytest.mark.parametrize('age', [2.0, -2.0])
def test_an_old_state_is_not_commanded(arm, age):
    arm.answer(Q, stamp=arm.now() - round(age * NANOSECONDS))
    arm.peer.spin(0.2)
    assert not arm.commands
    arm.answer(Q, stamp=arm.now())
    arm.peer.until(lambda: arm.commands)


def test_without_a_reference_it_holds(arm):
    arm.set(mode='computed_torque')
    np.testing.assert_allclose(arm.answer(Q), rnea(Q), atol=1e-9)
    q, qd = Q + 0.01, REST + 0.1
    a = -2 * GAIN * qd - GAIN**2 * (q - Q)
    # a machine that pauses makes the node lower its gain for a while
    arm.peer.until(lambda: np.allclose(arm.answer(q, qd), rnea(q, qd, a), rtol=1e-7, atol=1e-9))


def reference(stamp, points, times, names=NAMES):
    message = JointTrajectory(joint_names=names, points=[
        JointTrajectoryPoint(
            positions=list(q), velocities=list(qd), accelerations=list(qdd),
            time_from_start=Duration(nanosec=round(t * NANOSECONDS) % NANOSECONDS, sec=int(t)))
        for t, (q, qd, qdd) in zip(times, points, strict=True)])
    message.header.stamp = time_of(stamp)
    return message


def test_it_follows_a_trajectory_and_stops_on_an_empty_one(arm):
    arm.set(mode='computed_torque')
    speed, pull = np.linspace(-1, 1, N), np.linspace(2, -2, N)

    def at(t):
        return Q + speed * t + pull * t**2 / 2, speed + pull * t, pull

    begin = arm.now()
    names = NAMES[::-1]
    times = [0.0, 0.3, 3.0]
    arm.reference.publish(reference(
        begin, [tuple(x[::-1] for x in at(t)) for t in times], times, names))

    def follows(t):
        q_d, qd_d, qdd_d = at(t)
        q, qd = q_d + 0.02, qd_d - 0.1
        a = qdd_d - 2 * GAIN * (qd - qd_d) - GAIN**2 * (q - q_d)
        tau = arm.answer(q, qd, begin + round(t * NANOSECONDS))
        return np.allclose(tau, rnea(q, qd, a), atol=1e-6)

    arm.peer.until(lambda: follows(0.1))
    arm.reference.publish(reference(begin, [(np.full(N, np.nan), REST, REST)], [1.0]))  # refused
    arm.reference.publish(reference(begin, [(REST, REST, REST)] * 2, [1.0, 0.5]))  # refused
    arm.peer.spin(0.3)
    for t in (0.1, 0.5, 2.0):
        arm.peer.until(lambda t=t: follows(t))
    last = at(3.0)[0]
    np.testing.assert_allclose(arm.answer(last, stamp=begin + 4 * NANOSECONDS), rnea(last),
                               atol=1e-6)
    arm.reference.publish(JointTrajectory())
    arm.peer.until(lambda: np.allclose(arm.answer(Q), rnea(Q), atol=1e-9))


def test_a_wrench_acts_until_it_is_old(arm):
    message = WrenchStamped()
    message.header.frame_id = link = 'link_6'
    message.wrench.force.x, message.wrench.torque.y = 30.0, -2.0
    frame = MODEL.getFrameId(link)
    data = MODEL.createData()
    pinocchio.framesForwardKinematics(MODEL, data, as_pinocchio(Q))
    J = pinocchio.computeFrameJacobian(
        MODEL, data, as_pinocchio(Q), frame, pinocchio.ReferenceFrame.LOCAL)
    pushed = rnea(Q) - J.T @ [30, 0, 0, 0, -2, 0]

    def felt():
        arm.wrench.publish(message)
        return np.allclose(arm.answer(Q), pushed, atol=1e-8)

    arm.peer.until(felt)
    message.header.frame_id = 'nowhere'
    arm.wrench.publish(message)
    message.header.frame_id, message.wrench.force.x = link, np.nan
    arm.wrench.publish(message)
    arm.peer.spin(0.6)
    np.testing.assert_allclose(arm.answer(Q), rnea(Q), atol=1e-9)


def test_the_observer_sees_an_external_torque(arm):
    subscription = arm.peer.node.create_subscription(
        JointState, '/arm/inverse_dynamics/external_torque', arm.external.append, 10)
    push = np.linspace(-3, 3, N)
    begin, k = arm.now(), 0

    def seen():
        nonlocal k
        k += 1
        arm.answer(Q, stamp=begin + k * NANOSECONDS // 100, effort=rnea(Q) - push)
        return arm.external and np.allclose(arm.external[-1].effort, push, atol=1e-3)

    arm.peer.until(seen)
    arm.peer.node.destroy_subscription(subscription)


def test_a_trajectory_comes_back_with_efforts(arm):
    q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, 3, N))
    bad = reference(0, [(REST, REST, np.full(N, np.inf))], [0.0])
    good = reference(0, list(zip(q, qd, qdd, strict=True)), [0.0, 1.0, 2.0])
    good.header.frame_id = 'kept'
    arm.trajectory.publish(bad)
    arm.trajectory.publish(good)
    arm.peer.until(lambda: arm.out)
    assert len(arm.out) == 1
    assert arm.out[0].header.frame_id == 'kept'
    for k, point in enumerate(arm.out[0].points):
        np.testing.assert_allclose(point.effort, rnea(q[k], qd[k], qdd[k]), atol=1e-9)
        assert point.time_from_start.sec == k


@pytest.mark.parametrize(('values', 'reason'), [
    ({'mode': 'fast'}, 'gravity, bias, full, computed_torque'),
    ({'gain': -1.0}, ''), ({'gain': float('nan')}, ''), ({'gain': 'high'}, ''),
    ({'joints': ['joint_1', 'nose']}, 'nose'),
    ({'joints': ['joint_1', 'joint_1']}, 'twice'), ({'gravity': [0.0, 1.0]}, 'expected 3'),
    ({'max_points': 0}, ''), ({'autostart': False}, ''),
    ({'robot_description': '<robot'}, 'robot'),
    ({'robot_description': '<robot name="stone"><link name="a"/></robot>'}, 'no joints'),
])
def test_parameters_that_make_no_sense_are_refused(arm, values, reason):
    result, = arm.set(**values)
    assert not result.successful
    assert reason in result.reason
    np.testing.assert_allclose(arm.answer(Q), rnea(Q), atol=1e-9)


def test_gravity_and_description_can_be_set_while_it_runs(arm):
    assert arm.set(gravity=[0.0, 0.0, 0.0])[0].successful
    np.testing.assert_allclose(arm.answer(Q), REST, atol=1e-9)
    lighter = PUMA.read_text()
    assert arm.set(robot_description=lighter, gravity=[0.0, 0.0, -9.81])[0].successful
    np.testing.assert_allclose(arm.answer(Q), rnea(Q), atol=1e-9)


def test_joints_of_another_robot_are_said_on_diagnostics(arm):
    said = []
    subscription = arm.peer.node.create_subscription(
        DiagnosticArray, '/diagnostics', lambda message: said.extend(
            status for status in message.status if status.name.startswith('arm/')), 10)
    other = (PUMA.parent / 'rtx.urdf').read_text()
    names = [f'joint_{k}' for k in (1, 2, 3)]
    assert arm.set(robot_description=other)[0].successful

    def warned():
        arm.states.publish(JointState(name=names, position=[0.0] * 3, velocity=[0.0] * 3))
        return any('no commands' in status.message for status in said)
    arm.peer.until(warned)
    assert arm.set(robot_description=PUMA.read_text())[0].successful
    arm.peer.node.destroy_subscription(subscription)
    np.testing.assert_allclose(arm.answer(Q), rnea(Q), atol=1e-9)


def test_a_clock_that_jumps_back(processes, peer):
    timed = Arm(peer, '/timed')
    clock = peer.node.create_publisher(Clock, '/clock', 10)
    peer.until(lambda: clock.get_subscription_count())
    timed.greet()
    qd = np.linspace(-1, 1, N)

    def tick(seconds, qd, qdd):
        """Let the clock say the time, and send a state of it, until both are answered."""
        stamp = round(seconds * NANOSECONDS)

        def answered():
            clock.publish(Clock(clock=time_of(stamp)))
            tau = timed.answer(Q, qd, stamp)
            peer.spin(0.05)
            return timed.commands and np.allclose(tau, rnea(Q, qd, qdd), atol=1e-6)

        peer.until(answered)

    for begin in (1000.0, 10.0):
        tick(begin, qd, REST)
        tick(begin + 0.125, 2 * qd, 8 * qd)
    timed.answer(Q, qd, 1000 * NANOSECONDS)  # from before the jump
    peer.spin(0.2)
    assert not timed.commands
