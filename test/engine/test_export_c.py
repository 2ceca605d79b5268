"""Exported C, compiled by the machine's compiler, gives the kernels' numbers."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from engine.engine_robots import CASES, states

from robot_dynamics.engine.export_c import export_c
from robot_dynamics.errors import InputError

COMPILER = shutil.which('cc')
FUNCTIONS = {'inverse_dynamics': 3, 'forward_dynamics': 3, 'inertia_matrix': 1, 'bias': 2,
             'gravity_torque': 1}


def pointer(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


@pytest.mark.skipif(COMPILER is None, reason='no C compiler')
@pytest.mark.parametrize('robot', ['ur5', 'tree', 'mimic'])
def test_agrees(robot, tmp_path):
    case = CASES[robot]
    kernels = case.kernels()
    files = export_c(kernels, tmp_path / 'out', name='My robot-1')
    assert sorted(file.name for file in files) == ['README.md', 'my_robot_1.c', 'my_robot_1.h']
    library = tmp_path / 'robot.so'
    subprocess.run([COMPILER, '-std=c99', '-O1', '-Wall', '-Wextra', '-Werror', '-pedantic',
                    '-shared', '-fPIC', '-o', library, files[1], '-lm'], check=True)
    code = ctypes.CDLL(str(library))
    q, qd, x = states(case.n)
    for name, count in FUNCTIONS.items():
        arguments = (q, qd, x)[:count]
        expected = kernels.evaluate(name, arguments)
        out, work = np.empty(expected.shape), np.zeros(2000)
        parameters = (ctypes.c_double * len(kernels.parameters)).in_dll(
            code, 'my_robot_1_parameters')
        np.testing.assert_array_equal(parameters[:], kernels.parameters)
        getattr(code, f'my_robot_1_prepare_{name}')(parameters, pointer(work))
        call = getattr(code, f'my_robot_1_{name}')
        assert call(*map(pointer, arguments), pointer(work), pointer(out)) == 0
        np.testing.assert_allclose(out, expected, rtol=1e-11, atol=1e-11)
    bad = np.full(case.n, np.nan)
    assert call(pointer(bad), pointer(work), pointer(out)) == 1


@pytest.mark.skipif(COMPILER is None, reason='no C compiler')
def test_no_allocation_and_no_variables(tmp_path):
    files = export_c(CASES['two'].kernels(), tmp_path, ['inverse_dynamics'])
    text = files[1].read_text()
    assert 'alloc' not in text
    assert 'static' not in text
    made = tmp_path / 'robot.o'
    subprocess.run([COMPILER, '-std=c99', '-c', '-o', made, files[1]], check=True)
    if shutil.which('nm'):
        symbols = subprocess.run(['nm', made], check=True, capture_output=True, text=True).stdout
        assert {line.split()[-2] for line in symbols.splitlines()} <= {'T', 'R', 'U', 'r'}


def test_readme_is_short_and_functions_are_checked(tmp_path):
    export_c(CASES['two'].kernels(), tmp_path, ['udu'])
    assert len((tmp_path / 'README.md').read_text().splitlines()) <= 14
    with pytest.raises(InputError, match='functions.*inverse_dynamics'):
        export_c(CASES['two'].kernels(), tmp_path, ['nonsense'])


@pytest.mark.parametrize('file', ['README.md', 'arm.c', 'arm.h'])
def test_files_of_others_stay(file, tmp_path):
    kernels = CASES['two'].kernels()
    notes = tmp_path / file
    notes.write_text('# My controller\nyears of notes\n')
    with pytest.raises(InputError, match=file):
        export_c(kernels, tmp_path, ['gravity_torque'], name='arm')
    assert [path.name for path in tmp_path.iterdir()] == [file]
    assert 'years' in notes.read_text()
    export_c(kernels, tmp_path, ['gravity_torque'], name='arm', overwrite=True)
    assert 'years' not in notes.read_text()
    written = {path: path.read_text() for path in tmp_path.iterdir()}
    files = export_c(kernels, tmp_path, ['bias'], name='arm')  # our own are replaced
    assert all(path.read_text() != written[path] for path in files)
