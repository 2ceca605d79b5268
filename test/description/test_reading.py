"""What yourdfpy once read is remembered, and spares the next process its import."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from oracle import ROBOTS

PANDA = ROBOTS / 'panda_description/urdf/panda.urdf'
SCRIPT = ('import sys, warnings; warnings.simplefilter("ignore"); import robot_dynamics as rd\n'
          'robot = rd.load(sys.argv[1])\n'
          'print("yourdfpy" in sys.modules); print(robot.dh.to_yaml())')


def load_elsewhere(folder, source=PANDA):
    """Load in another process; return whether it imported yourdfpy, and the DH table."""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, '-c', SCRIPT, str(source)], cwd=root, check=True, capture_output=True,
        text=True, env={**os.environ, 'ROBOT_DYNAMICS_CACHE': str(folder)})
    imported, _, table = done.stdout.partition('\n')
    return imported == 'True', table


def test_the_second_process_does_without_yourdfpy(tmp_path):
    first, table = load_elsewhere(tmp_path)
    second, again = load_elsewhere(tmp_path)
    assert (first, second) == (True, False)
    assert again == table
    changed = tmp_path / 'other.urdf'
    changed.write_text(PANDA.read_text().replace('0.333', '0.334'))
    assert load_elsewhere(tmp_path, changed) == (True, table.replace('0.333', '0.334'))


@pytest.mark.parametrize('damage', [b'{"name": 1', *(
    pytest.param(damage, marks=pytest.mark.slow)
    for damage in (b'', b'[]', b'{"name": "x"}', b'\xff\xfe'))])
def test_a_damaged_memory_is_made_again(tmp_path, damage):
    _, table = load_elsewhere(tmp_path)
    file, = tmp_path.glob('urdf-*.json')
    file.write_bytes(damage)
    assert load_elsewhere(tmp_path) == (True, table)
    assert json.loads(file.read_bytes())['name'] == 'panda'
