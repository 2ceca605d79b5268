"""Descriptions from a topic open no files but meshes in packages that are installed or given."""

import pytest

from robot_dynamics.description.packages import Packages
from robot_dynamics.description.shapes import mesh_path


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A prefix with the package `arm`, a secret beside it, both with real files."""
    share = tmp_path / 'prefix' / 'share'
    (share / 'arm' / 'meshes').mkdir(parents=True)
    for file in (share / 'arm' / 'meshes' / 'link.stl', share / 'secret.stl',
                 tmp_path / 'secret.stl', tmp_path / 'prefix' / 'secret.stl',
                 share / 'arm' / 'secret.txt'):
        file.write_text('solid x\nendsolid x\n')
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path / 'prefix'))
    monkeypatch.delenv('ROS_PACKAGE_PATH', raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(name, given=None):
    return mesh_path(name, None, Packages(given).holding)


def test_meshes_of_installed_and_given_packages_are_found(place):
    mesh = place / 'prefix' / 'share' / 'arm' / 'meshes' / 'link.stl'
    assert found('package://arm/meshes/link.stl') == mesh
    assert found('package://arm/meshes/../meshes/link.stl') == mesh
    assert found('package://own/secret.stl', {'own': str(place)}) == place / 'secret.stl'


def test_links_of_an_install_are_followed(place):
    (place / 'prefix' / 'share' / 'arm' / 'linked.stl').symlink_to(place / 'secret.stl')
    assert found('package://arm/linked.stl') is not None


@pytest.mark.parametrize('name', [
    'file://{place}/secret.stl', '{place}/secret.stl', 'secret.stl', './secret.stl',
    '../secret.stl', 'package://arm/../secret.stl', 'package://arm/../../secret.stl',
    'package://arm/%2e%2e/secret.stl', 'package://arm/..%2fsecret.stl',
    'package://../secret.stl', 'package://../../secret.stl', 'package:///secret.stl',
    'package://./secret.stl', 'package://arm/{place}/secret.stl', 'model://../secret.stl',
    'package://arm/secret.txt', 'http://127.0.0.1/secret.stl', 'package://arm/a\x00.stl',
    'package://arm', 'package://arm/meshes', ''])
def test_other_files_are_not(place, name):
    assert found(name.format(place=place)) is None
