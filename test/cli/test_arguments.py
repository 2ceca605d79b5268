"""The command line as people write it."""

import json

import pytest

import robot_dynamics as rd
from robot_dynamics.cli.main import joined, main

PUMA = 'urdf/puma560.urdf'


def test_lists_may_begin_with_a_minus(capsys):
    assert main(['torque', PUMA, '--q', '-1,0,0,0,0.5,0', '--json']) == 0
    report = json.loads(capsys.readouterr().out)
    expected = rd.load(PUMA).gravity_torque([-1, 0, 0, 0, 0.5, 0])
    assert report['torque'] == pytest.approx(expected.tolist())
    assert joined(['a', '--q', '-.5,1', '--x', '-y', '-1,2']) == ['a', '--q=-.5,1', '--x', '-y',
                                                                 '-1,2']


@pytest.mark.parametrize(('arguments', 'said'), [
    (['simulate', PUMA, '--duration', '0'], '--duration 0'),
    (['torque', PUMA, '--to', '1', '--step', '1e-12'], 'memory'),
    (['torque', PUMA, '--to', '1', '--qd', '1'], '--qd: is for one state'),
    (['torque', PUMA, '--from', '1'], '--from: is for a motion'),
    (['torque', PUMA, '--to', '1', '--motion', 'x.csv'], '--to and --motion'),
    (['simulate', PUMA, '--torque', '1', '--control', 'pd_gravity'], '--torque and --control'),
])
def test_too_little_too_much_and_both(arguments, said, capsys):
    assert main(arguments) == 1
    assert said in capsys.readouterr().err


def test_it_starts_where_the_stops_allow(capsys):
    """Zero is not within reach of every joint."""
    assert main(['simulate', 'urdf/panda_like.urdf.xacro', '--duration', '0.01', '--json']) == 0


def test_operations_are_drawn(tmp_path, capsys):
    assert main(['ops', PUMA, '--plot', str(tmp_path / 'ops.png')]) == 0
    assert (tmp_path / 'ops.png').stat().st_size > 10000
    assert main(['ops', PUMA, '--plot', str(tmp_path / 'ops.nothing')]) == 1
    assert 'cannot be written' in capsys.readouterr().err


def test_version(capsys):
    with pytest.raises(SystemExit):
        main(['--version'])
    assert rd.__version__ in capsys.readouterr().out


def test_names_for_users_are_listed():
    assert {'load', 'simulate', 'cycloidal', 'Trajectory', '__version__'} <= set(dir(rd))
    assert 'Any' not in dir(rd)
