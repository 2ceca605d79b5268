"""The commands info and dh, as a person and as a program reads them."""

import json

import pytest
from oracle import ROBOTS

import robot_dynamics as rd
from robot_dynamics.cli.main import main

PANDA = str(ROBOTS / 'panda_description/urdf/panda.urdf')
ROMEO = str(ROBOTS / 'romeo_description/urdf/romeo.urdf')


def test_info_shows_joints_masses_and_the_tree(capsys):
    assert main(['info', PANDA]) == 0
    text = capsys.readouterr().out
    assert '8 free joints, 9 moving links, 17.4519 kg, 16.8221 kg of it in motion' in text
    assert 'prismatic = 1 panda_finger_joint1' in text
    assert '`-- o panda_joint1 -> panda_link1' in text
    assert 'panda_link7 [panda_link8, panda_hand, panda_hand_tcp]' in text


def test_info_lists_what_is_missing(capsys):
    assert main(['info', ROMEO]) == 0
    assert "joint 'LHand' moves neither mass nor inertia" in capsys.readouterr().out


def test_info_for_programs(capsys):
    assert main(['info', PANDA, '--json', '--lock', 'panda_finger_joint1=0.02']) == 0
    report = json.loads(capsys.readouterr().out)
    assert report['free_joints'] == 7
    assert report['joints'][0]['effort'] == 87
    assert report['fixed_links']['panda_rightfinger'] == 'panda_link7'


def test_dh_in_every_form(capsys, tmp_path):
    assert main(['dh', PANDA]) == 0
    assert 'alpha [rad]' in capsys.readouterr().out
    assert main(['dh', PANDA, '--markdown']) == 0
    assert '| panda_joint1 |' in capsys.readouterr().out
    assert main(['dh', PANDA, '--json']) == 0
    assert len(json.loads(capsys.readouterr().out)['rows']) == 9
    assert main(['dh', PANDA, '--yaml', '--plot', str(tmp_path / 'dh.png')]) == 0
    path = tmp_path / 'panda.yaml'
    path.write_text(capsys.readouterr().out)
    assert rd.load(path).dh == rd.load(PANDA).dh
    assert (tmp_path / 'dh.png').stat().st_size > 10_000


@pytest.mark.parametrize('arguments', [
    ['info', 'no/such.urdf'], ['dh', PANDA, '--lock', 'panda_joint1'],
    ['dh', PANDA, '--lock', 'panda_joint1=x'], ['info', PANDA, '--tip', 'ghost'],
    ['info', ROMEO, '--missing-inertia', 'error']])
def test_mistakes_are_one_line(capsys, arguments):
    assert main(arguments) == 1
    error = capsys.readouterr().err.strip().splitlines()
    assert error[-1].startswith(f'robot-dynamics {arguments[0]}: ')


def test_without_a_command_it_says_what_there_is(capsys):
    assert main([]) == 0
    text = capsys.readouterr().out
    assert all(command in text for command in ('info', 'dh', 'ops', 'demo'))
