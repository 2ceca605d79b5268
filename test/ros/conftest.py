"""Nodes in processes of their own, on a DDS domain of their own."""

import subprocess
import sys

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2: make test brings it')

import rclpy
from ros_peer import Peer, free_domain, stop
from ros_simulator import PANDA, Simulator

from robot_dynamics.nodes.shared.discovery import find_each_other_quickly


def pytest_collection_modifyitems(items: list) -> None:
    """Real processes in real time: a machine that pauses in the middle gets a second try."""
    for item in items:
        if 'ros' in item.path.parts:
            item.add_marker(pytest.mark.flaky(reruns=2))


@pytest.fixture(scope='module')
def domain():
    """A DDS domain that this module alone uses, also by the processes it starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('ROS_DOMAIN_ID', str(free_domain()))
        patch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
        yield


@pytest.fixture(scope='module')
def peer(domain):
    find_each_other_quickly()
    rclpy.init(args=[])
    peer = Peer()
    yield peer
    peer.close()
    rclpy.try_shutdown()


@pytest.fixture(scope='module')
def start(domain):
    """Start a node's module as a process; all are ended when the module's tests are."""
    processes = []

    def start_process(name, *, remaps=None, **parameters):
        command = [sys.executable, '-m', f'robot_dynamics.nodes.{name}', '--ros-args']
        for old, new in (remaps or {}).items():
            command += ['-r', f'{old}:={new}']
        for key, value in parameters.items():
            command += ['-p', f'{key}:={value}']
        processes.append(subprocess.Popen(command))
        return processes[-1]

    yield start_process
    for process in processes:
        stop(process)


@pytest.fixture(scope='module')
def simulator(start, peer):
    """A simulator of the Panda-like arm as a process."""
    start('simulator', robot_description_file=PANDA, rate=200)
    return Simulator(peer)


@pytest.fixture(autouse=True)
def at_home(request):
    """Every test that uses the simulator begins where it did."""
    if 'simulator' in request.fixturenames:
        simulator = request.getfixturevalue('simulator')
        assert simulator.trigger('reset').success
        assert simulator.place().success
