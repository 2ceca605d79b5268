"""The viewer over DDS, its page looked at by a websocket client: real processes, no browser."""

import asyncio
import re
import subprocess
import sys
import time

import numpy as np
import pytest

pytest.importorskip('viser')

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from nav_msgs.msg import Odometry
from page_client import PageClient
from robot_dynamics_interfaces.msg import GeneralizedInertia
from robot_dynamics_interfaces.srv import SetPayload
from ros_peer import PATIENCE, stop
from ros_simulator import PANDA
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory

import robot_dynamics as rd
from robot_dynamics.nodes.shared.opening import LATCHED
from robot_dynamics.viewer.shown_robot import STALE

QUADRUPED = PANDA.parent / 'quadruped.urdf'
HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>'


class Browser:
    """The page as a client holds it: the last message of each element and node."""

    def __init__(self, address):
        self.gui, self.orientation, self.position = {}, {}, {}
        self.opacity, self.texts = {}, []
        self._loop = asyncio.new_event_loop()
        self._client = PageClient(self._seen)
        self._run(self._client.open(address))

    def _run(self, work):
        return self._loop.run_until_complete(work)

    def _seen(self, message, now):
        self.texts.append(str(message))
        kind = message['type']
        if kind == 'GuiUpdateMessage' and message['uuid'] in self.gui:
            self.gui[message['uuid']].update(message['updates'])
        elif kind.startswith('Gui') and 'props' in message:
            self.gui[message['uuid']] = {**message['props'], 'kind': kind,
                                         'value': message.get('value')}
        elif kind == 'GuiRemoveMessage':
            self.gui.pop(message['uuid'], None)
        elif kind == 'SetOrientationMessage':
            self.orientation[message['name']] = np.array(message['wxyz'])
        elif kind == 'SetPositionMessage':
            self.position[message['name']] = np.array(message['position'])
        elif kind == 'SceneNodeUpdateMessage' and 'opacity' in message['updates']:
            self.opacity[message['name']] = message['updates']['opacity']

    def element(self, label):
        """Return the uuid of the element with a label, None where there is none."""
        return next((uuid for uuid, props in self.gui.items()
                     if props.get('label') == label), None)

    def text(self):
        """Return all that is written in markdown, references as the characters they are."""
        import html
        return html.unescape('\n'.join(str(props.get('_markdown', ''))
                                       for props in self.gui.values()))

    def torques(self):
        """Return the numbers beside the torque bars."""
        return [float(number) for props in self.gui.values() for number in re.findall(
            r'class="rd-torque"[^>]*>([^<]+)<', str(props.get('content', '')))]

    def set(self, label, value):
        self._run(self._client.set(self.element(label), value))

    def until(self, condition, feed=lambda: None):
        """Listen until a condition holds, feeding the robot."""
        end = time.monotonic() + PATIENCE
        while not (found := condition()):
            assert time.monotonic() < end, f'nothing came in {PATIENCE} s'
            feed()
            self._run(self._client.listen(time.monotonic() + 0.05))
        return found

    def listen(self, seconds, feed=lambda: None):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            feed()
            self._run(self._client.listen(time.monotonic() + 0.05))

    def close(self):
        self._run(self._client.close())
        self._loop.close()


@pytest.fixture
def view(domain):
    """Start a viewer; return its address. Ended with the test."""
    processes = []

    def start_viewer(*arguments):
        process = subprocess.Popen(
            [sys.executable, '-m', 'robot_dynamics.nodes.viewer', '--no-open', '--port', '0',
             *arguments], stdout=subprocess.PIPE, text=True)
        processes.append(process)
        return re.search(r'http\S+', process.stdout.readline()).group()

    yield start_viewer
    for process in processes:
        assert stop(process) == 0


class Robot:
    """The test's own robot: joint states of the Panda-like arm."""

    def __init__(self, peer, namespace='', names=None):
        self.peer = peer
        self.model = rd.load(PANDA)
        self.names = list(names or self.model.joint_names)
        self.publisher = peer.node.create_publisher(JointState, f'{namespace}/joint_states', 10)
        self.q = np.full(len(self.names), 0.2)

    def say(self):
        """Publish the present state."""
        self.publisher.publish(JointState(name=self.names[::-1], position=self.q[::-1].tolist(),
                                          velocity=(0 * self.q).tolist()))
        self.peer.executor.spin_once(timeout_sec=0.01)

    def close(self):
        self.peer.node.destroy_publisher(self.publisher)


@pytest.fixture
def arm(peer):
    robot = Robot(peer)
    yield robot
    robot.close()


def described(file=PANDA):
    return ('--ros-args', '-p', f'robot_description_file:={file}')


def turn_between(a, b):
    """Return the angle between two quaternions [rad]."""
    return 2 * np.arccos(min(1.0, abs(float(a @ b))))


def last_body(browser):
    found = [name for name in browser.orientation if re.fullmatch(r'/\d+/bodies/6', name)]
    return browser.orientation[found[0]] if found else None


def test_the_page_follows_and_goes_stale(view, arm):
    browser = Browser(view(*described()))
    browser.until(lambda: last_body(browser) is not None and 'fresh' in browser.text(), arm.say)
    browser.listen(0.3, arm.say)
    before = last_body(browser)
    q = np.array([0.3, -0.4, 0.5, -1.2, 0.2, 0.9, 0.7])
    arm.q = np.clip(q, arm.model.limits.lower, arm.model.limits.upper)
    wanted = np.linalg.inv(arm.model.pose(np.full(7, 0.2))) @ arm.model.pose(arm.q)
    angle = np.arccos(np.clip((np.trace(wanted[:3, :3]) - 1) / 2, -1, 1))
    browser.until(lambda: abs(turn_between(before, last_body(browser)) - angle) < 1e-4, arm.say)
    browser.until(lambda: 'joint_states are stale' in browser.text())
    assert set(browser.opacity.values()) == {STALE}
    browser.until(lambda: 'joint_states are stale' not in browser.text(), arm.say)
    assert None in browser.opacity.values() or max(browser.opacity.values()) > STALE
    browser.close()


def test_commands_only_while_the_switch_is_on(view, arm, peer):
    got, asked = [], []
    trajectories = peer.node.create_subscription(
        JointTrajectory, 'joint_trajectory', got.append, 10)

    def serve(request, response):
        asked.append(request)
        response.success = True
        return response

    service = peer.node.create_service(SetPayload, 'inverse_dynamics/set_payload', serve)
    browser = Browser(view(*described()))
    browser.until(lambda: browser.element('Send trajectory') is not None, arm.say)
    browser.listen(1.0, arm.say)
    browser.set('Send trajectory', True)  # hidden, and a browser may send it all the same
    browser.set('Send payload', True)
    browser.listen(1.0, arm.say)
    assert not got and not asked

    browser.set('Send commands', True)
    name = arm.model.joint_names[0]
    browser.until(lambda: browser.gui[browser.element('Commands')]['visible'], arm.say)
    browser.set(f'{name} [rad]', 0.25)
    browser.listen(0.2, arm.say)
    browser.set('Send trajectory', True)
    browser.until(lambda: got, arm.say)
    point = got[0].points[0]
    target = dict(zip(got[0].joint_names, point.positions, strict=True))
    assert target[name] == pytest.approx(0.25, abs=1e-3)
    assert list(point.velocities) == [0.0] * 7
    browser.until(lambda: 'sent to joint_trajectory' in browser.text(), arm.say)

    browser.set('Mass [kg]', 2.5)
    browser.listen(0.2, arm.say)
    browser.set('Send payload', True)
    browser.until(lambda: asked, arm.say)
    assert asked[0].inertia.m == 2.5
    assert asked[0].inertia.ixx == pytest.approx(0.4 * 2.5 * 0.05**2)

    browser.until(lambda: 'inverse_dynamics taken' in browser.text(), arm.say)

    browser.set('Send commands', False)
    browser.until(lambda: not browser.gui[browser.element('Commands')]['visible'], arm.say)
    got.clear()
    browser.set('Send trajectory', True)
    browser.listen(0.5, arm.say)
    assert not got
    browser.close()
    peer.node.destroy_subscription(trajectories)
    peer.node.destroy_service(service)


def statuses(*entries):
    """Return the message of /diagnostics with (level, name, message)."""
    return DiagnosticArray(status=[DiagnosticStatus(level=level, name=name, message=message)
                                   for level, name, message in entries])


def test_efforts_inertia_and_diagnostics_are_shown_until_they_are_stale(view, arm, peer):
    tau = np.array([1.5, -22.25, 3.0, 14.5, -0.125, 2.0, 0.5])
    effort = JointState(name=arm.names[::-1], effort=tau[::-1].tolist())
    inertia = GeneralizedInertia(
        condition_number=1234.0, minimum_pivot=0.0125, kinetic_energy=12.5,
        potential_energy=-3.5, power=7.25, manipulability=float('nan'))
    notes = statuses((DiagnosticStatus.OK, 'simulator', 'runs'),
                     (DiagnosticStatus.ERROR, 'gim_diagnostics: inertia', HOSTILE),
                     (DiagnosticStatus.WARN, 'inverse_dynamics: input', 'late'))
    publishers = [peer.node.create_publisher(type(message), topic, 10) for message, topic in (
        (effort, 'inverse_dynamics/effort'), (inertia, 'gim_diagnostics/inertia'),
        (notes, '/diagnostics'))]

    def feed():
        arm.say()
        for publisher, message in zip(publishers, (effort, inertia, notes), strict=True):
            publisher.publish(message)

    browser = Browser(view(*described()))
    browser.until(lambda: browser.torques() == pytest.approx(tau, rel=6e-4), feed)
    rows = ('condition of the GIM | 1234 |', 'smallest pivot | 0.0125 kg m² or kg |',
            'kinetic energy | 12.5 J |', 'potential energy | -3.5 J |', 'power | 7.25 W |')
    browser.until(lambda: all(row in browser.text() for row in rows), feed)
    assert 'manipulability' not in browser.text()  # there is none: not shown as nan
    browser.until(lambda: 'late' in browser.text(), feed)
    text = browser.text()
    said = (f'ERROR **gim_diagnostics: inertia** {HOSTILE}',
            'WARNING **inverse_dynamics: input** late', 'OK **simulator** runs')
    assert sorted(said, key=text.index) == list(said)  # the worst first
    assert not any(re.search(r'<\s*(script|img)', str(props.get('_markdown', '')))
                   for props in browser.gui.values())

    gravity = arm.model.gravity_torque(arm.q)
    browser.until(lambda: browser.torques() == pytest.approx(gravity, rel=6e-4, abs=1e-9), arm.say)
    browser.until(lambda: 'kinetic energy' not in browser.text(), arm.say)
    assert browser.text().count('STALE: ') == 2 and 'fresh' in browser.text()
    browser.close()
    for publisher in publishers:
        peer.node.destroy_publisher(publisher)


def test_a_base_that_floats_follows_odometry(view, peer):
    robot = rd.load(QUADRUPED, base='floating')
    joints = list(robot.joint_names[6:])
    states = peer.node.create_publisher(JointState, 'joint_states', 10)
    bases = peer.node.create_publisher(Odometry, 'odometry', 10)
    odometry = Odometry()
    odometry.pose.pose.position.x, odometry.pose.pose.position.z = 1.25, 0.75
    odometry.pose.pose.orientation.w = 1.0

    def feed():
        bases.publish(odometry)
        states.publish(JointState(name=joints, position=[0.0] * len(joints)))
        peer.executor.spin_once(timeout_sec=0.01)

    browser = Browser(view(*described(QUADRUPED), '-p', 'base:=floating'))
    browser.until(lambda: any(np.allclose(p, [1.25, 0.0, 0.75], atol=1e-5)
                              for p in browser.position.values()), feed)
    browser.close()
    peer.node.destroy_publisher(states)
    peer.node.destroy_publisher(bases)


def test_robots_by_namespace_and_hostile_descriptions(view, peer):
    texts = [peer.node.create_publisher(String, f'/{name}/robot_description', LATCHED)
             for name in ('left', 'right')]
    names = [['joint'], [HOSTILE]]
    for publisher, (joint,) in zip(texts, names, strict=True):
        publisher.publish(String(data=hostile_urdf(joint)))
    robots = [Robot(peer, f'/{name}', joint)
              for name, joint in zip(('left', 'right'), names, strict=True)]

    def feed():
        for robot in robots:
            robot.say()

    address = view('--host', '0.0.0.0', '--namespace', 'left', '--namespace', '/right')
    browser = Browser(address)
    browser.until(lambda: len({name.split('/')[1] for name in browser.orientation
                               if '/bodies/' in name}) == 2, feed)
    browser.until(lambda: browser.text().count('joint_states') >= 2, feed)
    notes = peer.node.create_publisher(DiagnosticArray, '/diagnostics', 10)
    named = statuses(*((DiagnosticStatus.WARN, f'{name}/simulator', 'late')
                       for name in ('leftover', 'left')))
    browser.until(lambda: 'left/simulator' in browser.text(),
                  lambda: (feed(), notes.publish(named)))
    assert 'leftover' not in browser.text()
    peer.node.destroy_publisher(notes)
    texts[1].publish(String(data='<robot name="&lt;script>"><link/></robot>'))
    browser.until(lambda: 'refused' in browser.text(), feed)
    for props in browser.gui.values():
        for key in ('_markdown', 'content'):
            assert not re.search(r'<\s*(script|img)', str(props.get(key, '')), re.IGNORECASE)
    assert 'root:' not in ''.join(browser.texts)
    commands_are_refused(browser)
    browser.close()
    for robot in robots:
        robot.close()
    for publisher in texts:
        peer.node.destroy_publisher(publisher)


def commands_are_refused(browser):
    """The page is open to the network: what its switch is set to does not matter."""
    assert browser.gui[browser.element('Send commands')]['disabled']
    assert browser.element('Send trajectory') is None
    browser.texts.clear()
    browser.set('Send commands', True)
    browser.until(lambda: any("'value': False" in text and 'GuiUpdate' in text
                              for text in browser.texts))
    assert '--allow-commands' in browser.text()


def hostile_urdf(joint):
    """Return a robot whose names are markup, and whose meshes are other people's files."""
    from xml.sax.saxutils import quoteattr
    meshes = ''.join(
        f'<visual><geometry><mesh filename={quoteattr(name)}/></geometry></visual>' for name in (
            'file:///etc/passwd', 'package://../../etc/passwd', '/etc/passwd', '../../etc/passwd',
            'package://robot_dynamics/../../../../../../etc/passwd'))
    return (f'<robot name={quoteattr(HOSTILE)}><link name="base"/><link name={quoteattr(HOSTILE)}>'
            '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
            f'</inertial>{meshes}</link><joint name={quoteattr(joint)} type="revolute"><parent '
            f'link="base"/><child link={quoteattr(HOSTILE)}/><axis xyz="0 0 1"/><limit lower="-1" '
            'upper="1" effort="1" velocity="1"/></joint></robot>')
