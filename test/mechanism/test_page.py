"""What docs/mechanisms.md shows runs."""

import re
import subprocess
import sys
from pathlib import Path

import robot_dynamics as rd
from robot_dynamics.cli.main import main

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


def test_info_prints_what_the_page_shows(capsys):
    (shown,) = re.findall(r'```\n(ground\n.*?)```', TEXT, re.DOTALL)
    assert main(['info', 'five_bar']) == 0
    joints, printed = capsys.readouterr().out.split('\n\nground\n')
    assert joints.startswith('five_bar: 4 free joints')
    assert f'ground\n{printed}' == shown


def test_where_a_four_bar_is_cut_decides_which_formulations_it_has(write_bars):
    assert 'A four-bar cut between coupler and rocker has two legs for one freedom' in TEXT
    bars = rd.load(write_bars(0.25, {'motor': 1.57, 'pin': -1.0, 'pivot': 1.5}))
    assert bars.formulation == 'orthogonal complement'
    assert bars.formulation_reason.endswith('2 legs for 1 freedom')
