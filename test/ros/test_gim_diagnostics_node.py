"""The gim_diagnostics node as a process, over real DDS, against Pinocchio."""

import time
from pathlib import Path

import numpy as np
import pinocchio
import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Inertia
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from robot_dynamics_interfaces.msg import GeneralizedInertia
from robot_dynamics_interfaces.srv import SetPayload
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

PUMA = Path(__file__).parents[2] / 'urdf' / 'puma560.urdf'
MODEL = pinocchio.buildModelFromUrdf(str(PUMA))
NAMES = list(MODEL.names)[1:]
N = MODEL.nv
Q, QD = np.array([[0.3, -0.8, 0.4, 0.5, -0.6, 0.7], [0.1, 0.2, -0.1, 0.3, 0.2, -0.4]])
OK, WARN, ERROR, STALE = (DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR,
                          DiagnosticStatus.STALE)


def as_pinocchio(q):
    """Pinocchio wants cosine and sine of a continuous joint."""
    return np.concatenate([[angle] if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
                           for angle, joint in zip(q, list(MODEL.joints)[1:], strict=True)])


class Watched:
    """Our end of the node: states in, what it says out."""

    def __init__(self, peer):
        self.peer, node = peer, peer.node
        self.inertia, self.markers, self.reports = [], [], []
        self.states = node.create_publisher(JointState, 'joint_states', 10)
        for kind, topic, received in (
                (GeneralizedInertia, 'gim_diagnostics/inertia', self.inertia),
                (MarkerArray, 'gim_diagnostics/markers', self.markers),
                (DiagnosticArray, '/diagnostics', self.reports)):
            node.create_subscription(kind, topic, received.append, 10)
        self._last = 0.0

    def send(self, q=Q, qd=QD, effort=(), names=NAMES):
        """Send a state, at 50 Hz at most."""
        if time.monotonic() - self._last < 0.02:
            return
        self._last = time.monotonic()
        message = JointState(name=names, position=list(q), velocity=list(qd), effort=list(effort))
        message.header.stamp = self.peer.node.get_clock().now().to_msg()
        self.states.publish(message)

    def status(self, name):
        """Return the newest status of a name, None before the first."""
        for report in reversed(self.reports):
            for status in report.status:
                if status.name == f'gim_diagnostics: {name}':
                    return status
        return None

    def until(self, name, level, **state):
        """Send states until a new status has the level; no state: be silent. Return it."""
        return self.until_it(name, lambda status: status.level == level, **state)

    def until_it(self, name, condition, **state):
        self.reports.clear()

        def reached():
            if state:
                self.send(**state)
            status = self.status(name)
            return status if status is not None and condition(status) else None
        return self.peer.until(reached)

    def set(self, **values):
        request = SetParameters.Request(parameters=[
            Parameter(name.replace('__', '.'), value=value).to_parameter_msg()
            for name, value in values.items()])
        return self.peer.call(SetParameters, 'gim_diagnostics/set_parameters', request).results


@pytest.fixture(scope='module')
def watched(start, peer):
    start('gim_diagnostics', **{'rate.warn': 2.0, 'rate.error': 0.5, 'latency.warn': 5.0,
                                'latency.error': 20.0, 'diagnostics_rate': 5.0})
    return Watched(peer)


def values(status):
    return {pair.key: pair.value for pair in status.values}


def test_it_says_that_there_is_no_model_and_takes_one(watched):
    assert 'robot_description' in watched.until('inertia', STALE).message
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    description = watched.peer.node.create_publisher(String, 'robot_description', latched)
    description.publish(String(data=PUMA.read_text()))
    watched.until('input', OK, q=Q)
    status = watched.until('singularity', OK, q=Q)
    assert status.hardware_id == 'puma560'
    description.publish(String(data='<robot'))
    watched.reports.clear()
    watched.until('input', OK, q=Q)


def test_the_inertia_is_pinocchios(watched):
    def received():
        watched.send(effort=[1.0] * N)
        return watched.inertia and not np.isnan(watched.inertia[-1].power)

    watched.peer.until(received)
    message = watched.inertia[-1]
    I = pinocchio.crba(MODEL, MODEL.createData(), as_pinocchio(Q))
    I = np.triu(I) + np.triu(I, 1).T
    np.testing.assert_allclose(np.reshape(message.inertia, (N, N)), I, atol=1e-9)
    assert message.joint_names == NAMES
    assert message.power == pytest.approx(QD.sum())
    assert message.condition_number == pytest.approx(np.linalg.cond(I))
    assert message.header.stamp != Time()


def test_a_payload_is_part_of_the_inertia(watched):
    body = Inertia(m=2.0)
    loaded = MODEL.copy()
    loaded.appendBodyToJoint(N, pinocchio.Inertia(2.0, np.zeros(3), np.zeros((3, 3))),
                             pinocchio.SE3.Identity())
    for inertia, model in ((body, loaded), (Inertia(), MODEL)):
        assert watched.peer.call(SetPayload, 'gim_diagnostics/set_payload', SetPayload.Request(
            link='link_6', inertia=inertia)).success
        I = np.triu(pinocchio.crba(model, model.createData(), as_pinocchio(Q)))
        I += np.triu(I, 1).T

        def received(I=I):
            watched.send(q=Q)
            return watched.inertia and np.allclose(
                np.reshape(watched.inertia[-1].inertia, (N, N)), I, atol=1e-9)
        watched.peer.until(received)


def test_levels_follow_the_thresholds(watched):
    status = watched.until_it('inertia', lambda found: 'condition number' in values(found), q=Q)
    number = float(values(status)['condition number'])
    assert values(status)['its joint'] in NAMES
    assert all(result.successful for result in watched.set(
        condition_number__warn=0.5 * number, condition_number__error=10 * number,
        minimum_pivot__warn=0.0, minimum_pivot__error=0.0, coupling__warn=1.0))
    assert 'ill-conditioned' in watched.until('inertia', WARN, q=Q).message
    watched.set(condition_number__error=0.6 * number)
    watched.until('inertia', ERROR, q=Q)
    watched.set(condition_number__warn=1e9, condition_number__error=1e9)
    watched.until('inertia', OK, q=Q)
    assert not watched.set(condition_number__warn=-1.0)[0].successful


def test_a_singularity_is_seen(watched):
    stretched = np.array([0.0, 0.0, np.pi / 2, 0.0, 0.0, 0.0])
    distances = []
    for elbow in np.linspace(-np.pi, np.pi, 721):  # where the PUMA's elbow is straight
        stretched[2] = elbow
        J = pinocchio.computeFrameJacobian(
            MODEL, MODEL.createData(), as_pinocchio(stretched), MODEL.getFrameId('link_6'),
            pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        distances.append((np.linalg.svd(J[:3], compute_uv=False)[-1], elbow))
    distance, stretched[2] = min(distances)
    assert distance < 0.005
    assert 'singularity' in watched.until('singularity', ERROR, q=stretched).message
    watched.until('singularity', OK, q=Q)


def test_markers_are_drawn(watched):
    def drawn():
        watched.send(effort=[5.0] * N)
        return watched.markers and {m.ns for m in watched.markers[-1].markers} >= {
            'inertia', 'effort', 'manipulability', 'mass_centre'}

    watched.peer.until(drawn)
    message = watched.markers[-1]
    centre = next(m for m in message.markers if m.ns == 'mass_centre').pose.position
    expected = pinocchio.centerOfMass(MODEL, MODEL.createData(), as_pinocchio(Q))
    np.testing.assert_allclose([centre.x, centre.y, centre.z], expected, atol=1e-6)


def test_efforts_that_do_not_explain_the_motion_are_seen(watched):
    rest = np.zeros(N)
    tau = pinocchio.rnea(MODEL, MODEL.createData(), as_pinocchio(Q), rest, rest)
    watched.until('power balance', OK, q=Q, qd=rest, effort=tau)
    assert 'explain' in watched.status('power balance').message
    watched.until('power balance', ERROR, q=Q, qd=rest + 5.0, effort=rest + 100.0)


def test_bad_states_are_counted_and_silence_is_seen(watched):
    for state in ({'q': [np.nan] * N}, {'q': Q[1:]}, {'names': NAMES[1:], 'q': Q[1:]},
                  {'names': [NAMES[0]] * N}, {'qd': [np.inf] * N}):
        watched.peer.spin(0.03)
        watched.send(**state)
    watched.peer.until(lambda: int(values(watched.status('input'))['states refused']) >= 5)
    assert 'stopped' in watched.until('input', ERROR).message
    assert watched.until('inertia', STALE).message == 'no joint states'
    watched.until('input', OK, q=Q)
    watched.until('singularity', OK, q=Q)
