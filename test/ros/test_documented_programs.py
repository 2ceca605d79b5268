"""The programs that pages print for ROS, in Python and in C++, do to real nodes what is said."""

import re
import subprocess
import sys

import numpy as np
import pytest
from documented import ROOT, blocks, compiled
from ros_peer import stop
from ros_simulator import PANDA

import robot_dynamics as rd

POSE = [0.0, -0.8, 0.0, -2.3, 0.0, 1.6, 0.8]  # that of the pages


@pytest.fixture(scope='module')
def controller(start, peer):
    """What the pages start beside the robot."""
    start('inverse_dynamics', robot_description_file=PANDA, mode='gravity')


@pytest.fixture(scope='module')
def holding():
    robot = rd.load(PANDA)
    return robot.inverse_dynamics(POSE, np.zeros(7), np.zeros(7))


@pytest.fixture
def printed(tmp_path, domain):
    """Start the program for ROS that a page has; return it and where its output goes."""
    processes, output = [], tmp_path / 'output'

    def start_program(page, kind):
        code, = (block for block in blocks(ROOT / 'docs' / page, kind) if 'rcl' in block)
        if kind == 'cpp':
            command = [compiled(code, tmp_path)]
        else:
            (tmp_path / 'program.py').write_text(code)
            command = [sys.executable, '-u', tmp_path / 'program.py']
        with output.open('w') as file:
            processes.append(subprocess.Popen(command, stdout=file))
        return processes[-1], output

    yield start_program
    for process in processes:
        stop(process)


def numbers(text):
    return [float(word) for word in re.findall(r'[-+.\de]+', text)]


@pytest.mark.parametrize('kind', ['python', 'cpp'])
def test_a_client_prints_the_efforts_that_hold_the_arm(printed, controller, holding, kind):
    client, output = printed('controllers.md', kind)
    assert client.wait(timeout=60) == 0
    assert np.allclose(numbers(output.read_text()), holding, rtol=1e-4, atol=1e-9)


def test_who_asks_hears_the_efforts_that_hold_the_arm(printed, controller, holding, peer):
    _, output = printed('ros/index.md', 'python')
    line = peer.until(lambda: output.read_text().partition('\n')[0])
    assert np.allclose(numbers(line), holding)


@pytest.mark.parametrize('kind', ['python', 'cpp'])
def test_a_controller_brakes_the_robot_and_holds_it(printed, controller, simulator, kind):
    printed('ros/own_controller.md', kind)
    simulator.peer.until(lambda: simulator.status()[1] == 'follows its commands')
    begin = simulator.fresh().position  # efforts jump where a pose does
    assert simulator.place(begin, velocity=[0.5] * 7).success

    def rate():
        return np.abs(simulator.fresh().velocity).max()

    simulator.peer.until(lambda: rate() < 0.01)
    held = simulator.fresh().position
    assert np.allclose(held, begin, atol=0.3)  # and did not come to rest on a stop
    simulator.peer.spin(2.0)
    assert rate() < 0.01
    assert np.allclose(simulator.fresh().position, held, atol=0.02)
    assert simulator.status()[1] == 'follows its commands'
