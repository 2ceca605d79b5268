"""What `import robot_dynamics` costs: nothing but its names."""

import subprocess
import sys

import robot_dynamics as rd
from robot_dynamics import errors


def test_every_name_has_one_place():
    placed = [name for names in rd.PLACES.values() for name in names]
    own = [name for name in rd.__all__ if hasattr(errors, name)]
    assert sorted([*placed, *own]) == sorted(rd.__all__)
    assert all(getattr(rd, name) is not None for name in rd.__all__)


def test_libraries_are_imported_when_a_name_is_asked_for():
    code = ('import sys, robot_dynamics as rd; before = set(sys.modules); rd.load; '
            'print("numpy" in before, "numpy" in sys.modules, "lxml" in before, '
            '"matplotlib" in sys.modules, "llvmlite" in sys.modules)')
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ['False', 'True', 'False', 'False', 'False']
