"""The command line as people write it."""

import json

import pytest

import robot_dynamics as rd
from robot_dynamics.cli.main import joined, main
from robot_dynamics.cli.table import cells

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
    (['torque', PUMA, '--to', '1', '--step', '20'], '--step 20: expected a part of the 10 s'),
    (['torque', PUMA, '--to', '1', '--duration', '1e300'], 'expected a part of the 1e+300 s'),
    (['torque', PUMA, '--lock', 'joint_1=1', '--lock', 'joint_1=2'], '--lock: given twice for'),
    (['torque', PUMA, '--payload', 'link_6=-1'], '--payload link_6=-1: mass'),
    (['bench', PUMA, PUMA], 'given twice: '),
    (['torque', PUMA, '--to', '1', '--qd', '1'], '--qd: is for one state'),
    (['torque', PUMA, '--from', '1'], '--from: is for a motion'),
    (['torque', PUMA, '--to', '1', '--motion', 'x.csv'], '--to and --motion'),
    (['simulate', PUMA, '--torque', '1', '--control', 'pd_gravity'], '--torque and --control'),
    (['torque', PUMA, '--duration', '1'], '--duration: is for a motion'),
    (['torque', PUMA, '--profile', 'quintic'], '--profile: is for a motion'),
    (['torque', PUMA, '--step', '0.1'], '--step: is for a motion'),
    (['torque', PUMA, '--plot', 'x.png'], '--plot: is for a motion'),
    (['torque', PUMA, '--filter', '5'], '--filter: is for --motion FILE'),
    (['torque', PUMA, '--to', '1', '--rename', 'a=b'], '--rename: is for --motion FILE'),
    (['torque', PUMA, '--motion', 'x.csv', '--duration', '1'], '--duration: is for --to'),
    (['torque', PUMA, '--motion', 'x.csv', '--profile', 'quintic'], '--profile: is not for'),
    (['torque', PUMA, '--rod-density', '2'], '--rod-density: is for --missing-inertia'),
    (['torque', PUMA, '--to', '1', '--duration', 'nan'], '--duration nan'),
    (['torque', PUMA, '--q', 'nan'], '--q nan: expected finite'),
    (['torque', PUMA, '--to', '1', '--output', 'no/such/x.csv'], 'no folder no/such'),
    (['torque', PUMA, '--to', '1', '--plot', 'x.xyz'], 'must end in'),
    (['simulate', PUMA, '--gain', '3'], '--gain: is for --control computed_torque'),
    (['simulate', PUMA, '--control', 'pd_gravity', '--gain', '3'], '--gain: is for'),
    (['simulate', PUMA, '--control', 'computed_torque', '--damping', '3'], '--damping: is for'),
    (['simulate', PUMA, '--control', 'feed_forward', '--stiffness', '3'], '--stiffness: is for'),
    (['simulate', PUMA, '--profile', 'quintic'], '--profile: is for a motion'),
    (['simulate', PUMA, '--from', '1', '--q0', '1'], '--from: is where the motion begins'),
    (['simulate', PUMA, '--to', '1'], '--to: only a control law follows a motion'),
    (['simulate', PUMA, '--method', 'rk4', '--rtol', '1e-3'], '--rtol: is for methods'),
    (['simulate', PUMA, '--no-limits', '--restitution', '1'], '--restitution: is for stops'),
    (['simulate', PUMA, '--no-saturation'], '--no-saturation: is for --control'),
    (['simulate', PUMA, '--torque', 'x.txt'], "'gravity', or a file (.csv"),
    (['simulate', PUMA, '--duration', 'inf'], '--duration inf'),
    (['bench', PUMA, '--longest', '20'], '--longest: is for chains'),
    (['bench', '--longest', '2'], '--longest 2: expected 5 or more'),
    (['bench', PUMA, '--plot', 'x.xyz'], 'must end in'),
    (['bench', PUMA, '--save', 'no/such.json'], 'no folder no'),
    (['info', PUMA, '--plot', 'no/such.png'], 'no folder no'),
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


@pytest.mark.parametrize('command', ['ops', 'bench', 'simulate'])
def test_robots_without_joints(command, tmp_path, capsys):
    (tmp_path / 'a.urdf').write_text('<robot name="r"><link name="a"/></robot>')
    assert main([command, str(tmp_path / 'a.urdf')]) == 1
    assert 'has no joints that could move' in capsys.readouterr().err


@pytest.mark.parametrize('arguments', [
    ['info', PUMA, '--gravity', '0', '0', '1'], ['dh', PUMA, '--no-friction'],
    ['ops', PUMA, '--no-friction'], ['torque', PUMA, '--step', 'x']])
def test_options_that_a_command_has_no_use_for(arguments):
    with pytest.raises(SystemExit):
        main(arguments)


def test_a_law_holds_from_while_the_robot_begins_at_q0(capsys):
    assert main(['simulate', 'urdf/rtx.urdf', '--q0', '0.2', '--from', '0.1', '--control',
                 'computed_torque', '--gain', '50', '--duration', '1', '--json']) == 0
    assert json.loads(capsys.readouterr().out)['q'] == pytest.approx([0.1] * 3, abs=1e-5)


def test_torques_of_a_file_act_as_long_as_it_lasts(tmp_path, capsys):
    file = str(tmp_path / 'tau.csv')
    assert main(['torque', 'urdf/rtx.urdf', '--to', '0.5', '--duration', '0.5', '--step', '0.001',
                 '--output', file]) == 0
    capsys.readouterr()
    assert main(['simulate', 'urdf/rtx.urdf', '--torque', file, '--json']) == 0
    report = json.loads(capsys.readouterr().out)
    assert report['duration'] == 0.5
    assert report['q'] == pytest.approx([0.5] * 3, abs=1e-3)


def test_angles_in_degrees_are_seen(tmp_path, capsys):
    arm = 'urdf/panda_like.urdf.xacro'
    n = rd.load(arm).n
    assert main(['torque', arm, '--q', '45']) == 0
    said = capsys.readouterr().err
    assert said.count('degrees given for radians?') == 1
    assert f'and {n - 1} more' in said
    assert main(['torque', arm, '--to', '90', '--duration', '1']) == 0
    assert '--to: joint' in capsys.readouterr().err
    names = rd.load(arm).joint_names
    rows = [[t, *[30.0 + t] * n] for t in (0.0, 0.1, 0.2)]
    (tmp_path / 'log.csv').write_text('\n'.join(
        [','.join(['t', *(f'q.{name}' for name in names)]),
         *(','.join(map(str, row)) for row in rows)]))
    assert main(['torque', arm, '--motion', str(tmp_path / 'log.csv')]) == 0
    assert capsys.readouterr().err.count('degrees given for radians?') == 1
    assert main(['torque', arm]) == 0  # zero is out of reach of one joint, and nobody asked for it
    assert 'degrees' not in capsys.readouterr().err


def test_tables_show_no_rounding(capsys):
    """It is 4e-16 N m that the first joint of the PUMA holds; programs see that."""
    assert main(['torque', PUMA, '--q', '-0.0,0.1,0.2,0,0,0', '--qd', '-0']) == 0
    words = capsys.readouterr().out.split()
    assert '-0' not in words
    assert not [word for word in words if 'e-' in word]
    assert cells([4e-16, -62.5, 1e-28, -0.0, float('nan')]) == ['0', '-62.5', '0', '0', 'nan']
    assert cells([1e-28, 2e-28]) == ['1e-28', '2e-28']  # nothing says that this is rounding
    assert cells([1e-28], beside=1.0) == ['0']


def test_a_second_run_leaves_the_results_of_the_first(tmp_path, capsys):
    def run(name, *more):
        assert main(['reproduce', name, '--output', str(tmp_path / 'r'), *more]) == 0
        return capsys.readouterr().err
    run('forward-counts')
    assert str(tmp_path / 'r-2') in run('inverse-counts')
    assert list(json.loads((tmp_path / 'r/results.json').read_text())) == ['forward-counts']
    assert list(json.loads((tmp_path / 'r-2/results.json').read_text())) == ['inverse-counts']
    run('gim-counts', '--overwrite')
    assert list(json.loads((tmp_path / 'r/results.json').read_text())) == ['gim-counts']


def test_joints_without_limits_that_turn_often_are_seen(capsys):
    assert main(['torque', 'puma560', '--q', '20']) == 0
    assert 'which has no limits' not in capsys.readouterr().err
    assert main(['torque', 'four_bar', '--q', '90']) == 0
    said = capsys.readouterr().err
    assert "--q: joint 'joint_1', which has no limits, has turned 14.3 times" in said


def test_a_motion_says_its_payload_and_what_is_too_fast(capsys):
    arm = ['torque', 'panda_like', '--from', '0,-0.8,0,-2.3,0,1.6,0.8', '--to',
           '1,0,0,-1.5,0,2,0', '--payload', 'flange=2']
    assert main([*arm, '--duration', '0.5']) == 0
    said = capsys.readouterr().out
    assert said.startswith('panda_like with flange=2 kg: ')
    assert 'faster than their limits' in said and 'joint_1 (4 of 2.175)' in said  # 2 * 1 rad / T
    assert 'joint_3 (' not in said
    assert main([*arm, '--duration', '5']) == 0
    assert 'faster' not in capsys.readouterr().out
