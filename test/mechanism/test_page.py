"""What docs/mechanisms.md shows runs."""

import re
import subprocess
import sys
from pathlib import Path

import robot_dynamics as rd

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / 'docs' / 'mechanisms.md').read_text(encoding='utf-8')


def test_the_python_lines_run():
    (code,) = re.findall(r'```python\n(.*?)```', TEXT, re.DOTALL)
    assert len([line for line in code.splitlines() if line and 'import' not in line]) <= 10
    done = subprocess.run([sys.executable, '-c', code], cwd=ROOT, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout.split()[-1]) < 1e-10


def test_the_files_it_names_exist():
    for link in re.findall(r'\]\(([^)]+)\)', TEXT):
        assert (ROOT / 'docs' / link).is_file(), link


def test_the_counts_are_those_of_today():
    for name in ('four_bar', 'five_bar'):
        title = name.replace('_', '-')
        row = re.search(rf'\| {title} \| (\d+) M (\d+) A \| (\d+) M (\d+) A', TEXT)
        numbers = [int(x) for x in row.groups()]
        for k, formulation in enumerate(('recursive projections', 'orthogonal complement')):
            mechanism = rd.load_mechanism(ROOT / 'urdf' / f'{name}.yaml', formulation=formulation)
            count = mechanism.operation_count('forward_dynamics')
            assert [*count][:2] == numbers[2 * k:2 * k + 2]
