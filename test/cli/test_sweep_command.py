"""robot-dynamics sweep: spaces of words, one line for what is wrong."""

import json
from pathlib import Path

import numpy as np
import pytest
import zarr

import robot_dynamics as rd
from robot_dynamics.cli.main import main

PUMA = str(Path(__file__).parents[2] / 'urdf' / 'puma560.urdf')


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    monkeypatch.setattr('warnings.showwarning', lambda *args, **kwargs: None)


def sweep(capsys, *words):
    status = main(['sweep', PUMA, *map(str, words)])
    out, err = capsys.readouterr()
    return status, out, [line for line in err.splitlines() if not line.startswith('warning')]


@pytest.mark.filterwarnings('ignore::robot_dynamics.RobotDynamicsWarning')
def test_grid_and_samples(tmp_path, capsys):
    folder = tmp_path / 'x.zarr'
    words = ('--function', 'gravity_torque', '--output', folder, '--grid', 'q=-1:1:2',
             '--grid', 'mass.2=1,2,3', '--json', '--workers', '1')
    status, out, _ = sweep(capsys, *words)
    assert status == 0 and json.loads(out)['points'] == 3 * 2 ** 6
    robot = rd.load(PUMA)
    mass = [row.mass for row in robot.dh.rows]
    mass[2] = 3.0
    expected = robot.variants(mass=[mass])[0].gravity_torque(np.ones(6))  # may be interpreted yet
    np.testing.assert_allclose(zarr.open_group(str(folder), mode='r')['gravity_torque'][-1],
                               expected, rtol=1e-12, atol=1e-12)
    status, out, _ = sweep(capsys, *words)
    assert status == 0 and json.loads(out)['computed'] == 0
    status, out, _ = sweep(
        capsys, '--function', 'inverse_dynamics', '--range', 'q=-1:1', '--range', 'a=90%:110%',
        '--samples', 100, '--set', 'qd=0', '--set', 'qdd=0,0,0,0,0,1', '--method', 'latin',
        '--output', tmp_path / 'y.parquet', '--workers', '1')
    assert status == 0 and '100 points in 1 chunk;' in out


@pytest.mark.filterwarnings('ignore::robot_dynamics.RobotDynamicsWarning')
@pytest.mark.parametrize(('words', 'message'), [
    (['--grid', 'q=1:2'], '--grid q=1:2: expected LOW:HIGH:STEPS, or values as 1,2,5'),
    (['--grid', 'x=1:2:3'], 'x: expected one of q, qd, qdd, tau, a, b'),
    (['--grid', 'q.elbow=1:2:3'], 'q.elbow: expected one of joint_1'),
    (['--range', 'q=0:1'], '--range: give --samples too'),
    (['--range', 'q=limits', '--samples', '5'], '--range q=limits: some joints have none'),
    (['--range', 'q=1%:2%', '--samples', '5'], '--range q=1%:2%: expected LOW:HIGH'),
    (['--grid', 'q=0,1', '--samples', '5'], '--samples: is for --range'),
    ([], '--grid, --range, --states: expected one of them'),
    (['--states', 'none.csv'], 'none.csv: cannot be read: No such file or directory'),
    (['--grid', 'q=0', '--set', 'link=x'], "gravity_torque: argument='link': expected one of"),
    (['--grid', 'q=0', '--workers', '2', '--scheduler', 'x'], '--workers: is for this machine'),
])
def test_wrong_words(words, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, _, errors = sweep(capsys, '--function', 'gravity_torque', '--output', 'x.zarr', *words)
    assert status == 1 and len(errors) == 1 and message in errors[0]
    assert not list(tmp_path.iterdir())
