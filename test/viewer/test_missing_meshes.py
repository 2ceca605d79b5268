"""Robots whose mesh files are missing are drawn with plain solids, and that is said."""

import warnings

import pytest

pytest.importorskip('viser', reason='needs viser: the extra viewer brings it')

from oracle import PANDA
from urdf_text import TWO_JOINTS

import robot_dynamics as rd
from robot_dynamics.cli.main import main
from robot_dynamics.viewer.opening import fill, without_meshes
from robot_dynamics.viewer.page import opened

MESH = '<visual><geometry><mesh filename="{}"/></geometry></visual>'


def drawn_with(*names):
    """Return a URDF whose links l1, l2 are drawn with mesh files."""
    text = TWO_JOINTS
    for k, name in enumerate(names, start=1):
        text = text.replace(f'<link name="l{k}">', f'<link name="l{k}">{MESH.format(name)}')
    return text


def test_a_package_that_is_missing_is_named(tmp_path):
    robot = rd.load(drawn_with('package://arm/a.stl', 'package://arm/b.stl'))
    assert without_meshes(robot) == (
        'test: 2 mesh files are missing or no mesh, the first: package://arm/a.stl; plain solids '
        "are drawn: --package arm=FOLDER (packages={'arm': folder}) says where to look")
    for name in ('a.stl', 'b.stl'):
        (tmp_path / name).write_text('solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n'
                                     'vertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid x\n')
    found = rd.load(drawn_with('package://arm/a.stl', 'package://arm/b.stl'),
                    packages={'arm': tmp_path})
    assert without_meshes(found) == ''


def test_files_beside_the_robot(tmp_path):
    file = tmp_path / 'robot.urdf'
    file.write_text(drawn_with('meshes/a.stl'))
    with warnings.catch_warnings():
        warnings.simplefilter('error')  # at loading nobody draws anything
        robot = rd.load(file)
    assert without_meshes(robot) == (
        'test: 1 mesh file is missing or no mesh: meshes/a.stl; plain solids are drawn')
    assert without_meshes(rd.load('panda_like')) == ''


def test_pages_say_it_once_per_robot(tmp_path, capsys):
    file = tmp_path / 'robot.urdf'
    file.write_text(drawn_with('package://arm/a.stl'))
    with opened(port=0) as page, pytest.warns(
            rd.RobotDynamicsWarning, match='1 mesh file is missing .*--package arm=') as said:
        fill(page, [file], None, lambda error: None)
    assert len(said) == 1
    assert main(['view', str(file), '--port', '0', '--record', str(tmp_path / 'x.html')]) == 0
    assert capsys.readouterr().err.count('1 mesh file is missing') == 1


def test_meshes_that_are_there_are_not_missed():
    assert without_meshes(rd.load(PANDA)) == ''
