"""Where robots begin whose joint values nobody gives: at zero, moved inside the limits, said."""

import json

import numpy as np
import pytest
from oracle import PANDA, ROBOTS

import robot_dynamics as rd
from robot_dynamics.cli.main import main

GO1 = str(ROBOTS / 'go1_description/urdf/go1.urdf')
SAID = 'not given, so at the limits nearest to 0: panda_joint4 at -0.0698\n'


@pytest.mark.parametrize('arguments', [
    ['simulate', '--duration', '0.002', '--samples', '2'],
    ['simulate', '--duration', '0.002', '--samples', '2', '--base', 'floating'],
    ['simulate', '--to', '-0.07', '--control', 'feed_forward', '--duration', '0.01',
     '--samples', '2'],
    ['torque'], ['torque', '--base', 'floating'], ['torque', '--to', '-0.07']])
def test_zero_is_moved_inside_the_limits(arguments, capsys):
    assert main([arguments[0], str(PANDA), *arguments[1:]]) == 0
    assert SAID in capsys.readouterr().err


def test_the_state_is_the_one_that_is_said(capsys):
    assert main(['torque', str(PANDA), '--json']) == 0
    report = json.loads(capsys.readouterr().out)
    robot = rd.load(PANDA)
    q = np.clip(np.zeros(robot.n), robot.limits.lower, robot.limits.upper)
    np.testing.assert_array_equal(report['q'], q)
    np.testing.assert_allclose(report['torque'], robot.gravity_torque(q), atol=1e-10)


def test_four_legs_begin_with_their_knees_bent(capsys):
    assert main(['simulate', GO1, '--base', 'floating', '--duration', '0.002', '--samples',
                 '2']) == 0
    assert ('nearest to 0: FR_calf_joint at -0.888, FL_calf_joint at -0.888'
            in capsys.readouterr().err)


@pytest.mark.parametrize('arguments', [
    ['simulate', str(PANDA), '--no-limits', '--duration', '0.002', '--samples', '2'],
    ['simulate', str(PANDA), '--q0', '0,0,0,-0.1,0,0,0,0', '--duration', '0.002', '--samples',
     '2'],
    ['torque', str(PANDA), '--q', '-0.1'], ['torque', str(PANDA), '--from', '-0.1', '--to',
                                            '-0.2'],
    ['torque', 'puma560'], ['torque', 'five_bar']])
def test_nothing_is_said_where_nothing_is_moved(arguments, capsys):
    assert main(arguments) == 0
    assert 'not given' not in capsys.readouterr().err
