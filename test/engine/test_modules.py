"""Modules of LLVM code: well formed, and what goes into the lanes of vectors comes out again."""

import ctypes

import llvmlite.binding as llvm
import numpy as np
import pytest
from engine.engine_robots import CASES

from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.emission import build as building
from robot_dynamics.engine.emission.columns import (
    WIDE,
    WIDTH,
    chunks,
    load_columns,
    store_columns,
    together,
)
from robot_dynamics.engine.emission.elementary import Writer
from robot_dynamics.engine.running import native
from robot_dynamics.engine.running.native import compile_module, load_code

POINTERS = 'ptr %source, ptr %target'


@pytest.mark.parametrize('robot', ['chain', 'tree', 'mimic'])
def test_modules_are_well_formed(robot, monkeypatch):
    """The compiler is not asked to look: what it makes of a malformed module is undefined."""
    texts = []
    monkeypatch.setattr(native, 'compile_module', lambda text, **_: texts.append(text) or b'')
    spec = CASES[robot].kernels().spec
    for name in ('inverse_dynamics', 'forward_dynamics', 'inertia_matrix', 'udu', 'energies',
                 'inverse_dynamics_derivatives', 'center_of_mass', 'regressor'):
        assert DEFINITIONS[name]
        building.build(spec, name, ())
    assert len(texts) == 8
    for text in texts:
        llvm.parse_assembly(text).verify()
    with pytest.raises(RuntimeError):  # the verifier does look
        llvm.parse_assembly('define i32 @f() {\na:\n  %x = add i32 %x, 1\n  ret i32 %x }').verify()


@pytest.mark.parametrize('width', [1, WIDTH, WIDE])
@pytest.mark.parametrize('size', [1, 2, 3, 4, 5, 7, 8, 11, 12, 17])
def test_columns_come_out_as_rows(width, size):
    w = Writer(width)
    columns = load_columns(w, '%source', size)
    doubled = [w.binary('fadd', x, x) for x in columns]
    count = together(size, width)
    for start in chunks(size, count):
        store_columns(w, '%target', doubled[start:start + count], start, size)
    engine = load_code(compile_module('\n'.join([
        f'define void @f({POINTERS}) {{', *w.lines, '  ret void', '}'])))
    rows = np.arange(1.0, width * size + 1)
    found = np.full(width * size + 1, -1.0)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(engine.get_function_address('f'))(
        rows.ctypes.data, found.ctypes.data)
    np.testing.assert_array_equal(found, [*(2 * rows), -1.0])
