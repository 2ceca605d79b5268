"""simulate, then torque of its file: what was put in comes out, from every kind of file."""

import json

import numpy as np
import pytest
from oracle import ROBOTS
from simulation.sim_robots import FINGERS, TEN

import robot_dynamics as rd
from robot_dynamics.cli.main import main

ARM, PUMA = 'urdf/rtx.urdf', 'urdf/puma560.urdf'


def torque(arguments, capsys):
    """Return the torques that `robot-dynamics torque` reports, by joint, and its line on them."""
    assert main(['torque', *map(str, arguments), '--json']) == 0
    report = json.loads(capsys.readouterr().out)
    return {joint['joint']: joint for joint in report['joints']}, report['motion']


@pytest.mark.parametrize('name', [*list(TEN)[:5], *(
    pytest.param(name, marks=pytest.mark.slow) for name in list(TEN)[5:])])
def test_torques_of_a_simulated_motion_come_back(name, tmp_path, capsys):
    """From CSV, NPZ, MCAP and a bag's folder, to 1e-6 of their peak."""
    options = [str(ROBOTS / TEN[name]), '--no-friction']
    if name == 'panda':
        options += ['--lock', f'{FINGERS[0]}=0']
    assert main(['simulate', *options, '--no-limits', '--q0', '0.3', '--qd0', '-0.3', '--from',
                 '0.2', '--control', 'pd_gravity', '--stiffness', '5', '--damping', '1',
                 '--duration', '0.1', '--output', str(tmp_path / 'a.csv')]) == 0
    capsys.readouterr()
    given = rd.Trajectory.load(tmp_path / 'a.csv')
    assert np.abs(given.qdd).max() > 0.01 and len(given.t) > 3
    for file in ('a.csv', 'b.npz', 'c.mcap', 'bag'):
        if file != 'a.csv':
            given.save(tmp_path / file)
        torque([*options, '--motion', tmp_path / file, '--output', tmp_path / 'tau.npz'], capsys)
        found = rd.Trajectory.load(tmp_path / 'tau.npz')
        np.testing.assert_allclose(found.t, given.t, atol=1e-9)
        np.testing.assert_allclose(found.tau, given.tau, rtol=0,
                                   atol=1e-6 * np.abs(given.tau).max())


def test_a_free_fall_needs_no_torque(tmp_path, capsys):
    """Whatever instants are wanted, and its first and last sample are in motion."""
    file = str(tmp_path / 'fall.csv')
    assert main(['simulate', PUMA, '--duration', '0.4', '--output', file]) == 0
    capsys.readouterr()
    for more in ([], ['--step', '0.003']):
        joints, line = torque([PUMA, '--motion', file, *more], capsys)
        assert max(joint['peak'] for joint in joints.values()) < (1e-9 if not more else 0.05)
    assert 'q, qd and qdd given' in line


def moving_log(tmp_path, columns, noise=0.0):
    """Write a log at 100 Hz that begins and ends in motion; return it, its robot and torques."""
    robot = rd.load(ARM)
    t = np.arange(101) / 100
    phase = 3 * t[:, None] + np.arange(3)
    q, qd, qdd = np.sin(phase), 3 * np.cos(phase), -9 * np.sin(phase)
    measured = q + noise * np.random.default_rng(1).normal(size=q.shape)
    table = {'q': measured, 'qd': qd, 'qdd': qdd}
    heads = ['t', *(f'{key}.joint_{k}' for key in columns for k in (1, 2, 3))]
    np.savetxt(tmp_path / 'log.csv', np.column_stack([t, *(table[key] for key in columns)]),
               delimiter=',', header=','.join(heads), comments='')
    return robot, robot.inverse_dynamics(q, qd, qdd)


@pytest.mark.parametrize(('columns', 'line', 'close'), [
    (('q',), 'q given, qd and qdd differentiated', 1e-5),
    (('q', 'qd'), 'q and qd given, qdd differentiated', 1e-6),
    (('q', 'qd', 'qdd'), 'q, qd and qdd given', 1e-12),
])
def test_a_log_in_motion_has_its_own_torques_up_to_both_ends(columns, line, close, tmp_path,
                                                             capsys):
    _, tau = moving_log(tmp_path, columns)
    found, said = torque([ARM, '--motion', tmp_path / 'log.csv', '--output',
                          tmp_path / 'tau.npz'], capsys)
    assert said.endswith(f'{line}, no filter')
    np.testing.assert_allclose(rd.Trajectory.load(tmp_path / 'tau.npz').tau, tau,
                               atol=close * np.abs(tau).max())
    assert len(found) == 3


def test_noisy_positions_are_filtered(tmp_path, capsys):
    _, tau = moving_log(tmp_path, ('q',), noise=1e-4)
    assert main(['torque', ARM, '--motion', str(tmp_path / 'log.csv'), '--json']) == 0
    raw, said = capsys.readouterr()
    assert '--filter' in said
    clean, line = torque([ARM, '--motion', tmp_path / 'log.csv', '--filter', '5'], capsys)
    assert 'low pass at 5 Hz' in line
    for k, name in enumerate(clean):
        right = np.abs(tau[:, k]).max()
        assert clean[name]['peak'] == pytest.approx(right, rel=0.05)
    assert json.loads(raw)['joints'][0]['peak'] > 1.1 * clean['joint_1']['peak']
    for wrong in ('60', '0', '0.5'):
        assert main(['torque', ARM, '--motion', str(tmp_path / 'log.csv'), '--filter', wrong]) == 1
        assert 'filter=' in capsys.readouterr().err


def test_simulate_follows_a_log_from_its_first_rate_on(tmp_path, capsys):
    moving_log(tmp_path, ('q',))
    assert main(['simulate', ARM, '--no-limits', '--motion', str(tmp_path / 'log.csv'),
                 '--control', 'feed_forward', '--json']) == 0
    report = json.loads(capsys.readouterr().out)
    assert max(report['largest_error']) < 1e-3
    assert 'differentiated' in report['motion']
    assert main(['simulate', ARM, '--motion', str(tmp_path / 'log.csv'), '--control',
                 'computed_torque', '--duration', '2']) == 1
    assert 'not at rest' in capsys.readouterr().err


def test_a_motion_begins_where_the_robot_does(capsys):
    assert main(['simulate', PUMA, '--no-limits', '--q0', '0.4', '--to', '0.6', '--duration', '1',
                 '--control', 'computed_torque', '--json']) == 0
    assert max(json.loads(capsys.readouterr().out)['largest_error']) < 1e-3


def test_joints_are_renamed(tmp_path, capsys):
    _, tau = moving_log(tmp_path, ('q', 'qd', 'qdd'))
    log = tmp_path / 'log.csv'
    log.write_text(log.read_text().replace('.joint_', '.left_arm_'))
    found, _ = torque([ARM, '--motion', log, '--rename', 'left_arm_=joint_'], capsys)
    assert found['joint_2']['peak'] == pytest.approx(np.abs(tau[:, 1]).max(), rel=1e-9)
    for words, said in (([], "no joint 'joint_1' (it has left_arm_1"),
                        (['--rename', 'right=joint_'], "'right'"),
                        (['--rename', 'left'], 'NAME=VALUE')):
        assert main(['torque', ARM, '--motion', str(log), *words]) == 1
        assert said in capsys.readouterr().err


def test_all_payloads_act(capsys):
    def gravity(*payloads):
        words = [word for payload in payloads for word in ('--payload', payload)]
        assert main(['torque', PUMA, '--q', '0.3', '--json', *words]) == 0
        return np.array(json.loads(capsys.readouterr().out)['gravity'])
    none, one, two = gravity(), gravity('link_3=2'), gravity('link_6=5')
    np.testing.assert_allclose(gravity('link_3=2', 'link_6=5'), one + two - none, atol=1e-12)
    np.testing.assert_allclose(gravity('link_3=1.5', 'link_3=0.5'), one, atol=1e-12)
    assert main(['torque', PUMA, '--payload', 'base=3']) == 0
    assert 'does not move' in capsys.readouterr().err


def test_a_mechanism_begins_at_its_start(tmp_path, capsys):
    assert main(['simulate', 'five_bar', '--duration', '0.01', '--output',
                 str(tmp_path / 'fall.npz')]) == 0
    mechanism = rd.load('five_bar')
    begun = rd.Trajectory.load(tmp_path / 'fall.npz').q[0]
    np.testing.assert_allclose(begun, mechanism.neutral)
    assert np.abs(begun).max() > 0.1
    capsys.readouterr()


def test_the_table_says_which_payload_it_is_for(capsys):
    assert main(['torque', 'panda_like', '--to', '0.3', '--payload', 'flange=2']) == 0
    assert capsys.readouterr().out.startswith('panda_like with flange=2 kg: torques')
