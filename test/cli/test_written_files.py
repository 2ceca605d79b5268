"""Commands say which files they wrote, beside their answer."""

import json

import pytest

from robot_dynamics.cli.main import WRITTEN, main, make_parser

ARM = 'urdf/rp.urdf'


@pytest.mark.parametrize(('command', 'files'), [
    ('info {arm} --plot {0}', ['arm.png']),
    ('dh {arm} --plot {0}', ['frames.svg']),
    ('ops {arm} --joints 2 --plot {0}', ['counts.png']),
    ('torque {arm} --to 1 --duration 1 --output {0} --plot {1}', ['torque.csv', 'torque.png']),
    ('simulate puma560 --duration 0.1 --output {0} --plot {1}', ['fall.npz', 'fall.png']),
    ('select {arm} --samples 50 --report {0} --plot {1}', ['report.html', 'front.png']),
    ('sweep {arm} --function gravity_torque --grid q=0:1:3 --workers 1 --output {0}', ['x.zarr']),
    ('reproduce planar-arms --output {0}', ['results']),
])
@pytest.mark.filterwarnings('ignore::robot_dynamics.RobotDynamicsWarning')
def test_what_is_written_is_said_on_stderr(command, files, tmp_path, capsys):
    paths = [str(tmp_path / file) for file in files]
    assert main([*command.format(*paths, arm=ARM).split(), '--json']) == 0
    said = capsys.readouterr()
    assert [line for line in said.err.splitlines() if line.startswith('wrote')] == [
        f'wrote {path}' for path in paths]
    json.loads(said.out)


def test_what_is_not_written_is_not_said(tmp_path, capsys):
    assert main(['info', ARM]) == 0
    assert main(['torque', 'none.urdf', '--to', '1', '--plot', str(tmp_path / 'x.png')]) == 1
    assert 'wrote' not in capsys.readouterr().err


@pytest.mark.parametrize('command', ['bench', 'demo', 'view'])
def test_options_of_slow_commands_are_known_too(command):
    wanted = {'bench': {'save', 'plot'}, 'demo': {'plot'}, 'view': {'record'}}[command]
    args = make_parser([command]).parse_args([command, ARM])
    assert wanted == set(WRITTEN) & set(vars(args))
