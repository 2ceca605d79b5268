"""The discovery settings that nodes bring, and how they give way."""

import os
import subprocess
import sys

import pytest

from robot_dynamics.nodes.shared.discovery import (
    CHOSEN,
    OLD_PROFILES,
    PROFILES,
    TRANSPORTS,
    find_each_other_quickly,
)

JOIN = """
import rclpy
from pathlib import Path
from robot_dynamics.nodes.shared.discovery import find_each_other_quickly

find_each_other_quickly()
rclpy.init()
node = rclpy.create_node('someone')
threads = [task.read_text() for task in Path('/proc/self/task').glob('*/comm')]
print('shared memory', any(name.startswith('dds.shm') and name[8].isdigit() for name in threads))
"""


@pytest.fixture(autouse=True)
def _clean(monkeypatch, tmp_path):
    for name in (*CHOSEN, 'RMW_IMPLEMENTATION', 'ROS_DISTRO'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def chosen(monkeypatch, **variables):
    """Return the profile files set by the function, beside these variables."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv(PROFILES, '')  # so that it is taken back
    monkeypatch.setenv(OLD_PROFILES, '')
    monkeypatch.setenv(TRANSPORTS, variables.get(TRANSPORTS, ''))
    for name in (PROFILES, OLD_PROFILES):
        if name in variables:
            monkeypatch.setenv(name, variables[name])
    find_each_other_quickly()
    return os.environ[PROFILES], os.environ[OLD_PROFILES]


def test_fast_dds_gets_the_profile_of_the_package(monkeypatch):
    new, old = chosen(monkeypatch)
    assert new.endswith('config/fastdds.xml')
    assert not old


def test_fast_dds_2_reads_another_variable(monkeypatch):
    new, old = chosen(monkeypatch, ROS_DISTRO='jazzy')
    assert not new
    assert old.endswith('config/fastdds.xml')


@pytest.mark.parametrize('variables', [
    {'RMW_IMPLEMENTATION': 'rmw_cyclonedds_cpp'}, {'ROS_DISCOVERY_SERVER': '127.0.0.1:11811'},
    {'ROS_DISTRO': 'humble'}, {TRANSPORTS: 'LARGE_DATA'}])
def test_others_are_left_alone(monkeypatch, variables):
    assert chosen(monkeypatch, **variables) == ('', '')
    assert os.environ[TRANSPORTS] == variables.get(TRANSPORTS, '')


@pytest.mark.parametrize('name', [PROFILES, OLD_PROFILES])
def test_settings_of_the_user_stay(monkeypatch, name):
    assert sorted(chosen(monkeypatch, **{name: '/mine.xml'})) == ['', '/mine.xml']


def test_a_file_that_fast_dds_finds_by_itself_stays_alone(monkeypatch, tmp_path):
    (tmp_path / 'DEFAULT_FASTDDS_PROFILES.xml').write_text('<dds/>')
    assert chosen(monkeypatch) == ('', '')


@pytest.mark.parametrize('reach', ['LOCALHOST', 'SUBNET'])
def test_fast_dds_takes_the_profile(reach, tmp_path):
    """Real Fast DDS reads it without a complaint, and takes no port in shared memory."""
    environment = {**os.environ, 'ROS_AUTOMATIC_DISCOVERY_RANGE': reach}
    done = subprocess.run([sys.executable, '-c', JOIN], env=environment, cwd=tmp_path, text=True,
                          capture_output=True, check=True)
    assert 'XML' not in done.stdout + done.stderr
    assert done.stdout == 'shared memory False\n'
