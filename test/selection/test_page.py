"""What docs/selection.md shows runs, with fewer arms, and the files it names exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / 'docs' / 'selection.md').read_text(encoding='utf-8')


def test_the_tutorial_runs_in_thirty_lines():
    code = re.findall(r'```python\n(.*?)```', TEXT, re.DOTALL)[-1]
    assert len(code.splitlines()) <= 30
    space = {}
    exec(code.replace('2048', '128'), space)
    found = space['found']
    assert found.chosen.startswith('arm[')
    assert found.table[found.chosen]['condition'] < found.table['equal']['condition']


def test_the_files_it_names_exist():
    for link in re.findall(r'\]\(([^)]+)\)', TEXT):
        assert (ROOT / 'docs' / link.partition('#')[0]).is_file(), link
