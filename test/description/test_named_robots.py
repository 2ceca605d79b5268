"""Robots by name, from any folder, of packages that are or are not installed."""

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from oracle import ROBOTS

import robot_dynamics as rd
from robot_dynamics.description import named_robots

SHIPPED = sorted(name for name, package in rd.robots().items() if package == 'robot_dynamics')


def test_all_that_is_shipped_has_a_name():
    files = (Path(__file__).parents[2] / 'urdf').iterdir()
    assert SHIPPED == sorted({file.name.split('.')[0] for file in files})
    assert list(rd.robots())[:len(SHIPPED)] == SHIPPED


@pytest.mark.parametrize('name', SHIPPED)
@pytest.mark.filterwarnings('ignore::robot_dynamics.RobotDynamicsWarning')
def test_it_loads_from_an_empty_folder(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    robot = rd.load(name)
    assert robot.n and robot.name == name


def test_the_first_robot_is_sound():
    """No warning, finite limits, a body to look at for every link that has mass."""
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        robot = rd.load('panda_like')
    assert robot.n == 7
    for name in ('lower', 'upper', 'velocity', 'effort'):
        assert np.isfinite(getattr(robot.limits, name)).all()
    shown = named_robots.named_file('panda_like').read_text()
    assert shown.count('<visual>') == 1 and shown.count('<xacro:body ') == 8  # one macro makes all


def test_mechanisms_have_names_too():
    assert isinstance(rd.load('five_bar'), rd.Mechanism)
    assert rd.load_mechanism('four_bar').n == 1


def test_a_file_comes_before_a_robot(tmp_path, monkeypatch):
    (tmp_path / 'panda_like').write_text(rd.load('rp').to_urdf())
    monkeypatch.chdir(tmp_path)
    assert rd.load('panda_like').n == 2


def test_an_unknown_name_is_told_what_is_near():
    with pytest.raises(rd.DescriptionError, match=r"'panda_lik'.*did you mean 'panda_like'"):
        rd.load('panda_lik')
    with pytest.raises(rd.DescriptionError, match="did you mean 'panda_like'"):
        rd.load('PANDA_LIKE')
    with pytest.raises(rd.DescriptionError, match="did you mean 'quadruped'"):
        rd.load('ruped')
    with pytest.raises(rd.DescriptionError,
                       match=r'those here are delta, five_bar.*, and rd.robots\(\) lists all'):
        rd.load('xyzzy_42')
    with pytest.raises(rd.DescriptionError, match='No such file') as error:
        rd.load('folder/xyzzy.urdf')
    assert 'robots' not in str(error.value)


@pytest.mark.filterwarnings('ignore::robot_dynamics.RobotDynamicsWarning')
def test_names_of_example_robot_data():
    """Their files are found, and nothing of theirs is imported."""
    assert rd.robots()['ur5'] == rd.robots()['anymal_c_simple'] == 'example-robot-data'
    assert rd.load('ur5').dh.to_yaml() == rd.load(
        ROBOTS / 'ur_description/urdf/ur5_robot.urdf').dh.to_yaml()
    code = ("import sys, robot_dynamics as rd; rd.load('ur5'); rd.robots(); "
            "print({'pinocchio', 'example_robot_data'} & set(sys.modules))")
    done = subprocess.run([sys.executable, '-W', 'ignore', '-c', code], capture_output=True,
                          text=True, check=True)
    assert done.stdout.strip() == 'set()'


def test_without_the_packages_of_others(monkeypatch):
    monkeypatch.setattr(named_robots, 'example_folder', lambda: None)
    monkeypatch.setattr(named_robots.importlib.util, 'find_spec', lambda name: None)
    assert list(rd.robots()) == SHIPPED


@pytest.fixture
def descriptions(tmp_path, monkeypatch):
    """A package laid out as robot_descriptions is: a table, a module for each robot."""
    package = tmp_path / 'robot_descriptions'
    package.mkdir()
    (tmp_path / 'arm.urdf').write_text(rd.load('rp').to_urdf())
    (package / '__init__.py').write_text(
        'from types import SimpleNamespace as R\n'
        "DESCRIPTIONS = {name + '_description': R(has_urdf=name != 'mj') for name in\n"
        "                ('toy_arm', 'toy_xacro', 'toy_away', 'mj')}\n")
    (package / 'toy_arm_description.py').write_text(f"URDF_PATH = '{tmp_path}/arm.urdf'\n")
    (package / 'toy_xacro_description.py').write_text(
        "XACRO_PATH = '/x/arm.urdf.xacro'\nXACRO_ARGS = {'size': '5'}\n")
    (package / 'toy_away_description.py').write_text("raise OSError('no network')\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in [name for name in sys.modules if name.startswith('robot_descriptions')]:
        del sys.modules[name]


def test_names_of_robot_descriptions(descriptions):
    names = rd.robots()
    assert names['toy_arm_description'] == names['toy_arm'] == 'robot_descriptions'
    assert 'mj' not in names
    assert rd.load('toy_arm').n == rd.load('toy_arm_description').n == 2
    with pytest.raises(rd.DescriptionError, match=r"xacro_args=\{'size': '5'\}"):
        rd.load('toy_xacro')
    with pytest.raises(rd.DescriptionError, match='toy_away.*no network'):
        rd.load('toy_away')
