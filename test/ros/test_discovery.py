"""The discovery settings that nodes bring, and how they give way."""

import os

import pytest

from robot_dynamics.nodes.discovery import CHOSEN, OLD_PROFILES, PROFILES, find_each_other_quickly


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
    {'RMW_IMPLEMENTATION': 'rmw_cyclonedds_cpp'}, {'ROS_DISCOVERY_SERVER': '127.0.0.1:11811'}])
def test_others_are_left_alone(monkeypatch, variables):
    assert chosen(monkeypatch, **variables) == ('', '')


@pytest.mark.parametrize('name', [PROFILES, OLD_PROFILES])
def test_settings_of_the_user_stay(monkeypatch, name):
    assert sorted(chosen(monkeypatch, **{name: '/mine.xml'})) == ['', '/mine.xml']


def test_a_file_that_fast_dds_finds_by_itself_stays_alone(monkeypatch, tmp_path):
    (tmp_path / 'DEFAULT_FASTDDS_PROFILES.xml').write_text('<dds/>')
    assert chosen(monkeypatch) == ('', '')
