"""Torques of mechanisms whose motors are not where their freedoms are, on the command line."""

import json
from pathlib import Path

import numpy as np

import robot_dynamics as rd
from robot_dynamics.cli.main import main

LINKAGE = Path(__file__).parents[1] / 'data' / 'mechanisms' / 'stephenson.yaml'
MOTION = ['--from', '1.0', '--to', '0.95', '--duration', '1']


def test_a_state_has_what_freedoms_need_and_what_motors_give(capsys):
    assert main(['torque', str(LINKAGE), '--q', '1.0', '--json']) == 0
    report, linkage = json.loads(capsys.readouterr().out), rd.load(LINKAGE)
    assert report['joints'] == ['A'] and report['motors'] == ['A', 'C', 'D']
    np.testing.assert_allclose(report['force'], linkage.gravity_torque([1.0]))
    np.testing.assert_allclose(report['torque'], linkage.inverse_dynamics([1.0], [0.0], [0.0]))
    assert main(['torque', str(LINKAGE), '--q', '1.0']) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[-3:]] == ['A', 'C', 'D']
    np.testing.assert_allclose(float(lines[-2].split()[1]), report['torque'][1], rtol=1e-5)


def test_a_motion_has_a_row_for_each_motor(capsys, tmp_path):
    file = tmp_path / 'motion.csv'
    assert main(['torque', str(LINKAGE), *MOTION, '--json', '--output', str(file)]) == 0
    joints = json.loads(capsys.readouterr().out)['joints']
    assert [joint['joint'] for joint in joints] == ['A', 'C', 'D']
    motion, linkage = rd.Trajectory.load(file), rd.load(LINKAGE)
    tau = linkage.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    np.testing.assert_allclose([joint['peak'] for joint in joints], np.abs(tau).max(axis=0),
                               rtol=1e-6)
    rates = np.einsum('kmn,kn->km', linkage.actuation_matrix(motion.q), motion.qd)
    np.testing.assert_allclose([joint['peak_power'] for joint in joints],
                               np.abs(tau * rates).max(axis=0), rtol=1e-6)
    assert file.read_text().splitlines()[0].split(',') == [
        't', 'q.A', 'qd.A', 'qdd.A', 'tau.A', 'kinetic', 'potential']
    force = linkage.generalized_force(linkage.assemble(motion.q), tau)
    np.testing.assert_allclose(motion.tau, force, rtol=1e-6, atol=1e-9)


def test_every_command_takes_what_a_mechanism_file_leaves_open(capsys, tmp_path):
    """Motors, freedoms and start; other files are refused with them."""
    closed = ['four_bar', '--actuated', 'joint_1', '--independent', 'joint_3']
    assert main(['torque', *closed, '--json']) == 0
    report = json.loads(capsys.readouterr().out)
    assert report['joints'] == ['joint_3'] and report['motors'] == ['joint_1']
    bars = rd.load('four_bar')
    for name, value in zip(bars.tree_joint_names, bars.start, strict=True):
        closed += ['--start', f'{name}={value}']
    for command in ('dh', 'ops', 'info'):
        assert main([command, *closed, '--json']) == 0, command
    capsys.readouterr()
    assert main(['simulate', *closed, '--duration', '0.01', '--json']) == 0
    assert 'joint_3' in capsys.readouterr().out
    assert main(['torque', 'rp', '--actuated', 'joint_1']) == 1
    assert 'expected' in capsys.readouterr().err
    assert main(['dh', 'four_bar', '--start', 'joint_1=fast']) == 1
    assert '--start joint_1=fast: expected a number' in capsys.readouterr().err
