"""What the README shows runs."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / 'README.md').read_text(encoding='utf-8')


def test_the_python_lines_run():
    (code,) = re.findall(r'```python\n(.*?)```', TEXT, re.DOTALL)
    done = subprocess.run([sys.executable, '-c', code], cwd=ROOT, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    assert 'joint_7' in done.stdout


def test_the_files_it_names_exist():
    for link in re.findall(r'\]\(([^)]+)\)', TEXT):
        assert (ROOT / link).is_file(), link
