"""Trajectories saved and loaded, plots, and the commands torque and simulate."""

import json

import numpy as np
import pytest
from simulation.sim_robots import pendulum

import robot_dynamics as rd
from robot_dynamics import InputError
from robot_dynamics.cli.main import main

ARM = 'urdf/rtx.urdf'


@pytest.fixture(scope='module')
def trajectory():
    return rd.simulate(pendulum(), [0.1, 0.2], [0, 0], [0.01, 0.02], np.linspace(0, 0.3, 7),
                       limits=False)


@pytest.mark.parametrize('name', ['a.csv', 'a.npz', 'a.mcap', 'bag'])
def test_what_is_saved_is_loaded_again(trajectory, tmp_path, name):
    trajectory.save(tmp_path / name)
    again = rd.Trajectory.load(tmp_path / name)
    assert again.joint_names == trajectory.joint_names
    for key in ('t', 'q', 'qd', 'qdd', 'tau', 'kinetic', 'potential', 'energy', 'power'):
        np.testing.assert_allclose(getattr(again, key), getattr(trajectory, key), rtol=0,
                                   atol=1e-9 if key == 't' else 0)


def test_a_batch_is_saved_as_npz(tmp_path):
    many = rd.simulate(pendulum(), [[0.1, 0.2]] * 3, [0, 0], None, np.linspace(0, 0.1, 3),
                       method='rk4', limits=False)
    many.save(tmp_path / 'many.npz')
    np.testing.assert_array_equal(rd.Trajectory.load(tmp_path / 'many.npz').q, many.q)
    with pytest.raises(InputError, match='npz'):
        many.save(tmp_path / 'many.csv')
    with pytest.raises(InputError, match='robot 9'):
        many.robot(9)


def test_damaged_files_are_refused_in_our_words(trajectory, tmp_path):
    trajectory.save(tmp_path / 'a.npz')
    whole = (tmp_path / 'a.npz').read_bytes()
    for size in (10, len(whole) // 2, len(whole) - 30):
        (tmp_path / 'b.npz').write_bytes(whole[:size])
        with pytest.raises(InputError, match='not a saved') as refused:
            rd.Trajectory.load(tmp_path / 'b.npz')
        assert 'pickle' not in str(refused.value)


def test_a_trajectory_says_what_it_holds(trajectory):
    assert repr(trajectory) == 'Trajectory(0 to 0.3 s, 7 samples of 2 joints)'
    many = rd.simulate(pendulum(), [[0.1, 0.2]] * 3, [0, 0], None, np.linspace(0, 0.1, 3),
                       method='rk4', limits=False)
    assert repr(many) == 'Trajectory(0 to 0.1 s, 3 samples of 3 robots with 2 joints)'


def test_files_that_are_none(trajectory, tmp_path):
    for name, content, match in (
            ('a.csv', 'x,y\n1,2\n', 'columns t and q'), ('b.csv', 't,q.a\n1\n', 'line 2'),
            ('c.csv', 't,q.a\n1,x\n', 'could not convert'), ('d.csv', '', 'expected a line'),
            ('e.npz', 'nothing', 'not a saved'), ('f.mcap', 'nothing', 'rosbag2'),
            ('g.txt', '', 'must end in .csv, .npz, .mcap$')):
        (tmp_path / name).write_text(content)
        with pytest.raises(InputError, match=match):
            rd.Trajectory.load(tmp_path / name)
    for name in ('no.csv', 'no.npz', 'no.mcap', 'no'):
        with pytest.raises(InputError):
            rd.Trajectory.load(tmp_path / name)
    with pytest.raises(InputError, match='written'):
        trajectory.save(tmp_path / 'no' / 'where.csv')


def test_plots(trajectory, tmp_path):
    trajectory.plot(tmp_path / 'a.png', ('q', 'qd', 'qdd', 'tau', 'energy', 'power'))
    assert (tmp_path / 'a.png').stat().st_size > 1000
    with pytest.raises(InputError, match='what='):
        trajectory.plot(None, ('speed',))
    with pytest.raises(InputError, match='written'):
        trajectory.plot(tmp_path / 'a.nothing')


def test_torque_command(tmp_path, capsys):
    assert main(['torque', ARM, '--q', '0.1', '--json']) == 0
    report = json.loads(capsys.readouterr().out)
    robot = rd.load(ARM)
    np.testing.assert_allclose(report['torque'], robot.gravity_torque([0.1] * 3))
    file, plot = tmp_path / 'm.csv', tmp_path / 'm.png'
    assert main(['torque', ARM, '--to', '1', '--duration', '2', '--output', str(file), '--plot',
                 str(plot), '--payload', 'link_3=2']) == 0
    assert plot.stat().st_size > 1000
    saved = rd.Trajectory.load(file)
    loaded = robot.with_payload('link_3', 2.0)
    np.testing.assert_allclose(saved.tau, loaded.inverse_dynamics(saved.q, saved.qd, saved.qdd),
                               atol=1e-12)
    assert 'peak' in capsys.readouterr().out
    assert main(['torque', ARM, '--to', '1,2']) == 1
    assert 'expected 3' in capsys.readouterr().err
    assert main(['torque', ARM, '--output', 'x.csv']) == 1


def test_simulate_command(tmp_path, capsys):
    file = tmp_path / 'm.csv'
    assert main(['simulate', ARM, '--to', '1', '--duration', '1', '--control', 'computed_torque',
                 '--samples', '11', '--output', str(file), '--plot', str(tmp_path / 'm.png'),
                 '--json']) == 0
    report = json.loads(capsys.readouterr().out)
    np.testing.assert_allclose(report['q'], 1.0, atol=1e-4)
    assert main(['simulate', ARM, '--torque', str(file), '--duration', '0.5', '--q0', '0',
                 '--method', 'rk4']) == 0
    assert 'energy' in capsys.readouterr().out
    for control in ('pd_gravity', 'feed_forward'):
        assert main(['simulate', ARM, '--to', '0.1', '--duration', '0.2', '--control',
                     control]) == 0
    assert main(['simulate', ARM, '--torque', 'gravity', '--duration', '0.2']) == 0
    capsys.readouterr()
    assert main(['simulate', ARM, '--torque', '1,2']) == 1
    assert main(['simulate', ARM, '--samples', '1']) == 1
    assert main(['simulate', ARM, '--payload', 'link_3']) == 1
    assert main(['simulate', ARM, '--motion', str(tmp_path / 'none.csv')]) == 1
    assert 'none.csv' in capsys.readouterr().err
