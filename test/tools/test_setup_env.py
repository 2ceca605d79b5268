"""The set-up says what a machine lacks, one line each."""

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / 'tools' / 'setup_env.py'


@pytest.fixture
def setup_env(monkeypatch):
    monkeypatch.delenv('ROS_DISTRO', raising=False)
    for variable in ('CC', 'CXX'):
        monkeypatch.delenv(variable, raising=False)
    spec = importlib.util.spec_from_file_location('setup_env', FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_nothing_is_missing_where_the_tests_run(setup_env):
    assert list(setup_env.missing()) == []


@pytest.mark.parametrize(('absent', 'lines'), [
    ({'cmake'}, ['cmake']),
    ({'cc', 'gcc', 'clang'}, ['C compiler']),
    ({'c++', 'g++', 'clang++', 'cmake'}, ['C++ compiler', 'cmake']),
])
def test_missing_tools(setup_env, monkeypatch, absent, lines):
    which = shutil.which
    monkeypatch.setattr(shutil, 'which', lambda name: None if name in absent else which(name))
    found = list(setup_env.missing())
    assert len(found) == len(lines)
    assert all(text in line for text, line in zip(lines, found, strict=True))


def test_old_python(setup_env, monkeypatch):
    monkeypatch.setattr(sys, 'version_info', (3, 8))
    (line,) = setup_env.missing()
    assert 'Python 3.10 or newer, this is Python 3.8' in line


def test_missing_headers(setup_env, monkeypatch, tmp_path):
    monkeypatch.setattr(setup_env.sysconfig, 'get_path', lambda name: str(tmp_path))
    (line,) = setup_env.missing()
    assert 'Python.h' in line


def test_a_distribution_for_another_python(setup_env, monkeypatch):
    monkeypatch.setattr(setup_env, 'DISTRIBUTION', 'jazzy')
    spec = {'ensurepip': object()}
    monkeypatch.setattr(setup_env.importlib.util, 'find_spec', spec.get)
    (line,) = setup_env.missing()
    assert 'rclpy of ROS jazzy' in line
