"""Trajectories saved and loaded, plots, and the commands torque and simulate."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from simulation.sim_robots import load, pendulum

import robot_dynamics as rd
from robot_dynamics import InputError
from robot_dynamics.cli.main import main
from robot_dynamics.simulation.motions import from_file

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
            ('g.txt', '', 'must end in .csv, .npz, .mcap, .db3$')):
        (tmp_path / name).write_text(content)
        with pytest.raises(InputError, match=match):
            rd.Trajectory.load(tmp_path / name)
    for name in ('no.csv', 'no.npz', 'no.mcap', 'no'):
        with pytest.raises(InputError, match=rf'{name}: .*[Nn]o such file'):
            rd.Trajectory.load(tmp_path / name)
    with pytest.raises(InputError, match='written'):
        trajectory.save(tmp_path / 'no' / 'where.csv')


@pytest.mark.parametrize(('lines', 'said'), [
    (['0,0', '0.1,1', '0.1,2', '0.2,3'], 'line 4: the time comes twice: t = 0.1'),
    (['0,0', '0.2,1', '', '0.1,2'], 'line 5: the time goes back: t = 0.1 after 0.2'),
    (['0,0', 'nan,1', '0.2,2'], 'line 3: the time is nan'),
    (['0,0', '0.1,nan', '0.2,2'], "line 3: q of joint 'a' is nan"),
    (['0,0', '0.1,', '0.2,2'], "line 3: q of joint 'a' is nan"),
    (['0,0', '0.1,1.5 rad', '0.2,2'], "line 3, column 'q.a': could not convert '1.5 rad'"),
    (['0,0', '0.1,2,3'], 'line 3 has 3 values: expected 2'),
])
def test_what_is_wrong_in_a_csv_is_named_by_line(lines, said, tmp_path):
    file = tmp_path / 'log.csv'
    file.write_text('\n'.join(['t,q.a', *lines]))
    with pytest.raises(InputError) as refused:
        rd.Trajectory.load(file)
    assert f'{file}: {said}' in str(refused.value)


@pytest.mark.parametrize('text', [
    't;q.a;qd.a\r\n0;0,5;1\r\n0,1;0,6;1\r\n', '\ufefft\tq.a\tqd.a\n0\t0.5\t1\n0.1\t0.6\t1\n',
    'time [s], q.a [rad], qd.a [rad/s]\r0, 0.5, 1\r0.1, 0.6, 1\r',
    '# t q.a qd.a\n0 0.5 1\n\n0.1 0.6 1\n'])
def test_csv_of_spreadsheets_and_other_programs(text, tmp_path):
    (tmp_path / 'log.csv').write_bytes(text.encode())
    read = rd.Trajectory.load(tmp_path / 'log.csv')
    assert read.joint_names == ('a',)
    np.testing.assert_array_equal(np.c_[read.t, read.q, read.qd], [[0, 0.5, 1], [0.1, 0.6, 1]])
    assert np.isnan(read.tau).all()


def test_columns_that_are_not_ours(tmp_path):
    file = tmp_path / 'log.csv'
    for head, said in (('t,q.a [deg]', 'expected seconds, radians and metres'),
                       ('t [ms],q.a', 'expected seconds'), ('t,q.a,q.a', 'named twice: q.a')):
        file.write_text(head + '\n' + ','.join('0' * (head.count(',') + 1)))
        with pytest.raises(InputError, match=said):
            rd.Trajectory.load(file)
    file.write_text('t,q.a,dq.a\n0,1,2\n1,2,3\n')
    with pytest.warns(rd.RobotDynamicsWarning, match='not used: dq.a'):
        rd.Trajectory.load(file)
    file.write_bytes('t,q.ä\n0,1\n'.encode('latin-1'))
    with pytest.raises(InputError, match='UTF-8'):
        rd.Trajectory.load(file)


def test_an_npz_needs_times_and_joint_values_alone(tmp_path):
    file, q = tmp_path / 'log.npz', np.arange(6.0).reshape(3, 2)
    np.savez(file, t=[0.0, 0.1, 0.2], q=q)
    np.testing.assert_array_equal(rd.Trajectory.load(file).q, q)
    np.testing.assert_allclose(rd.Trajectory.load(file).at(0.15), [[3, 4], [20, 20]])
    motion = from_file(file, ('shoulder', 'elbow'))  # in the robot's order
    np.testing.assert_allclose(motion(0.1)[0], q[1])
    with pytest.raises(InputError, match=r'names no joints and has 2: expected 3 \(a, b, c\)'):
        from_file(file, ('a', 'b', 'c'))
    for arrays, said in (
            ({'t': [0, 1], 'q': q}, 'shapes'), ({'t': [0, 1, 1], 'q': q}, 'sample 3: the time'),
            ({'t': [0, 1, 2], 'q': q.astype(object)}, 'not a saved'),
            ({'q': q}, 'expected arrays t and q'), ({'t': [0, 1, 2], 'q': q * 1j}, 'real numbers'),
            ({'t': [0, 1, 2], 'q': q, 'qd': q[:, :1]}, 'qd has shape'),
            ({'t': [0, 1, 2], 'q': q, 'joint_names': ['a']}, '1 joint_names for 2'),
            ({'t': [0, 1, 2], 'q': q, 'joint_names': ['a', 'a']}, 'named twice: a')):
        np.savez(file, **arrays)
        with pytest.raises(InputError, match=said):
            rd.Trajectory.load(file)


def test_samples_nearer_than_a_nanosecond_stay_in_order_in_a_bag(trajectory, tmp_path):
    """As at an impact."""
    close = replace(trajectory, t=np.array([0, 1e-10, 2e-10, 0.1, 0.1 + 1e-13, 0.2, 0.3]))
    close.save(tmp_path / 'a.mcap')
    np.testing.assert_allclose(rd.Trajectory.load(tmp_path / 'a.mcap').t, close.t, atol=3e-9)


def test_a_fall_onto_stops_is_read_again(tmp_path):
    """Impacts that follow at once are one sample."""
    robot = load('so100')
    q0 = np.clip(0.3, robot.limits.lower, robot.limits.upper)
    fall = rd.simulate(robot, q0, np.zeros(robot.n), None, 0.6)
    assert (np.diff(fall.t) > 0).all()
    for name in ('a.csv', 'a.mcap'):
        fall.save(tmp_path / name)
        motion = from_file(tmp_path / name, robot.joint_names)
        q, qd, qdd = motion(np.linspace(0, 0.6, 1000))
        assert (q > robot.limits.lower - 1e-3).all() and (q < robot.limits.upper + 1e-3).all()
        assert np.abs(qd).max() < 1.1 * np.abs(fall.qd).max()
        assert np.abs(qdd).max() < 1.5 * np.abs(fall.qdd).max()


def joint_states(file, messages):
    """Write a robot's log: (time, names, positions, velocities) as sensor_msgs/JointState."""
    from robot_dynamics.simulation.bags import NANO, STATE, rosbags
    Writer, _, plugin, types = rosbags()
    make = types.types
    with Writer(file, version=9, storage_plugin=plugin) as bag:
        topic = bag.add_connection('/joint_states', STATE, typestore=types)
        for t, names, q, qd in messages:
            stamp = 1_700_000_000 * NANO + round(t * NANO)
            header = make['std_msgs/msg/Header'](stamp=make['builtin_interfaces/msg/Time'](
                sec=stamp // NANO, nanosec=stamp % NANO), frame_id='')
            bag.write(topic, stamp, types.serialize_cdr(make[STATE](
                header=header, name=names, position=np.array(q, float),
                velocity=np.array(qd, float), effort=np.zeros(0)), STATE))


def test_the_log_of_a_robot_is_read(tmp_path):
    """Joints in any order, a gripper's messages between those of the arm, times from 0."""
    t = np.arange(50) / 100
    messages = []
    for x in t:
        arm = (x, ['b', 'a'], [2 * x, x], [2, 1]) if x < 0.2 else (x, ['a', 'b'], [x, 2 * x],
                                                                   [1, 2])
        messages += [arm, (x + 0.002, ['finger'], [0.0], [])]
    joint_states(tmp_path / 'bag', messages)
    motion = from_file(tmp_path / 'bag', ('a', 'b'))
    np.testing.assert_allclose(motion.t, t, atol=1e-9)
    np.testing.assert_allclose(motion(0.15), [[0.15, 0.3], [1, 2], [0, 0]], atol=1e-6)
    with pytest.warns(rd.RobotDynamicsWarning, match='2 groups of joints'):
        rd.Trajectory.load(tmp_path / 'bag')
    joint_states(tmp_path / 'twice', [messages[0], messages[0]])
    with pytest.raises(InputError, match='message 2 on /joint_states: the time comes twice'):
        rd.Trajectory.load(tmp_path / 'twice')


def test_a_tilde_is_the_home_folder(trajectory, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv('HOME', str(tmp_path))
    (tmp_path / 'arm.urdf').write_text(Path(ARM).read_text())
    trajectory.save('~/a.npz')
    assert rd.Trajectory.load('~/a.npz').joint_names == trajectory.joint_names
    trajectory.plot('~/a.png')
    assert rd.load('~/arm.urdf').n == 3
    assert main(['torque', '~/arm.urdf', '--to', '1', '--output', '~/b.csv', '--plot',
                 '~/b.png']) == 0
    assert main(['simulate', '~/arm.urdf', '--motion', '~/b.csv', '--control', 'feed_forward',
                 '--duration', '0.1']) == 0
    assert {'a.npz', 'a.png', 'b.csv', 'b.png'} <= {file.name for file in tmp_path.iterdir()}


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
