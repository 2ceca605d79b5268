"""What people mistype is answered with what they may have meant."""

import pytest
from urdf_text import joint, link, robot

from robot_dynamics.cli.main import joined, main

PUMA = 'puma560'


@pytest.mark.parametrize(('arguments', 'said'), [
    (['torqe', PUMA], "there is no command 'torqe': did you mean torque?"),
    (['xyzzy'], "there is no command 'xyzzy': these are info, dh"),
    (['torque', PUMA, '--plott', 'x.png'], '--plott x.png: did you mean --plot?'),
    (['torque', PUMA, '--plott=x.png'], 'did you mean --plot?'),
    (['simulate', PUMA, '--grvity', '1'], 'did you mean --gravity?'),
    (['torque', PUMA, '--qqqqqq'], 'unrecognized arguments: --qqqqqq\n'),
    (['torque', PUMA, '--to', '1', '2', '3'],
     'joined by commas, without spaces: --to 1,2,3\n'),
    (['torque', PUMA, '--from', '0', '--to', '1,', '-2,', '3', '--plot', 'x.png'],
     'joined by commas, without spaces: --to 1,-2,3\n'),
    (['torque', PUMA, 'other.urdf'], 'unrecognized arguments: other.urdf\n')])
def test_near_words_and_commas(arguments, said, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize('words', [
    ['--gravity', '1,2,-9.81'], ['--gravity=1,2,-9.81'], ['--gravity', '1', '2', '-9.81']])
def test_gravity_is_a_list_like_others(words, capsys):
    assert joined(['torque', *words, PUMA]) == ['torque', '--gravity', '1', '2', '-9.81', PUMA]
    assert main(['torque', *words, PUMA, '--json']) == 0
    told = capsys.readouterr().out
    assert main(['torque', PUMA, '--gravity', '1', '2', '-9.81', '--json']) == 0
    assert capsys.readouterr().out == told
    assert joined(['--gravity', '-1,0,0']) == ['--gravity', '-1', '0', '0']


@pytest.mark.parametrize('word', ['2', '=2', 'link_6', 'link_6='])
def test_a_payload_is_a_link_and_its_mass(word, capsys):
    assert main(['torque', PUMA, '--payload', word]) == 1
    assert f'--payload {word}: expected LINK=KG' in capsys.readouterr().err


def test_missing_inertia_names_the_options(tmp_path, capsys):
    file = tmp_path / 'robot.urdf'
    file.write_text(robot(
        link('base', None), link('arm'), link('hand', None), joint('shoulder', 'base', 'arm'),
        joint('wrist', 'arm', 'hand', axis='0 1 0')))
    assert main(['torque', str(file)]) == 1
    said = capsys.readouterr().err
    assert 'missing_inertia="slender_rod" (rod_density in kg/m) or "zero" (--missing-' in said
    assert "locked={'wrist': 0.0} (--lock wrist=0)" in said
    assert main(['torque', str(file), '--lock', 'wrist=0']) == 0


def test_a_column_that_is_misspelt(tmp_path, capsys):
    file = tmp_path / 'log.csv'
    file.write_text('t,' + ','.join(f'q.joint{k}' for k in range(1, 7)) + '\n'
                    + '0' + ',0' * 6 + '\n1' + ',0.1' * 6 + '\n2' + ',0.2' * 6 + '\n')
    assert main(['torque', PUMA, '--motion', str(file)]) == 1
    assert '(--rename joint1=joint_1)' in capsys.readouterr().err
    assert main(['torque', PUMA, '--motion', str(file), '--rename', 'joint=joint_']) == 0
    capsys.readouterr()
    assert main(['simulate', PUMA, '--torque', str(file)]) == 1
    assert 'rename' not in capsys.readouterr().err  # which it has not


def test_broken_yaml_names_the_file_alone(tmp_path, capsys):
    file = tmp_path / 'm.yaml'
    file.write_text('robot: [a\nloops: {x\n')
    assert main(['info', str(file)]) == 1
    said = capsys.readouterr().err
    assert f'{file}: is not YAML' in said and 'line 2' in said and 'byte string' not in said
