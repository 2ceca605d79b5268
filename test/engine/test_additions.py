"""A new algorithm and a new kernel, added as docs/architecture.md says: one entry each."""

import numpy as np
import pytest
from engine.engine_robots import CASES, states
from engine.kernel_reference import reference

from robot_dynamics.algorithms import GIM, INVERSE
from robot_dynamics.algorithms.newton_euler import inverse_dynamics
from robot_dynamics.cli import ops
from robot_dynamics.engine import motion_kernels
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.definition import Definition
from robot_dynamics.engine.emission.build import build
from robot_dynamics.engine.running.native import NativeKernel
from robot_dynamics.engine.tracing.program import Outputs
from robot_dynamics.studies.operation_table import METHODS, Method


def by_columns(geometry, inertials, q):
    """A toy: the GIM as the inverse dynamics of unit accelerations, at rest without gravity."""
    still = inertials.over(gravity=0 * inertials.base.gravity)
    rest = np.zeros_like(q)
    columns = []
    for k in range(len(q)):
        unit = np.zeros_like(q)
        unit[k] = 1.0
        columns.append(inverse_dynamics(geometry, still, q, rest, unit))
    return np.array(columns, q.dtype).T


def spin(m, q, qd):
    """A toy: the power of the convective and gravity torques."""
    tau = motion_kernels.bias(m, q, qd).values
    return Outputs([sum(a * b for a, b in zip(tau, qd, strict=True))])


def compiled(kernels, name, options):
    """Compile a kernel in this process: the one that compiles does not know the toys."""
    header, code = build(kernels.spec, name, options)
    sizes = DEFINITIONS[name].sizes(kernels.spec, options)
    native = NativeKernel(name, code, len(sizes))
    return native.bind(native.make_work(kernels.parameters, header['work']))


@pytest.mark.parametrize('robot', ['chain', 'tree', 'mimic'])
def test_an_algorithm_is_its_file_and_one_line(robot, monkeypatch):
    monkeypatch.setitem(GIM, 'by_columns', by_columns)
    case = CASES[robot]
    kernels, (q, qd, tau) = case.kernels(), states(case.n)
    expected = reference(case, 'inertia_matrix', q, qd, tau)
    by_name = (('algorithm', 'by_columns'),)
    np.testing.assert_allclose(
        kernels._fallback.reference('inertia_matrix', by_name, [q])[0].reshape(case.n, -1),
        expected, rtol=1e-10, atol=1e-12)
    call = compiled(kernels, 'inertia_matrix', by_name)
    np.testing.assert_allclose(call(q, None), expected, rtol=1e-10, atol=1e-12)
    assert 'by_columns' in DEFINITIONS['inertia_matrix'].algorithms
    assert 'by_columns' not in INVERSE


@pytest.mark.parametrize('robot', ['chain', 'tree', 'mimic'])
def test_a_kernel_is_a_function_and_one_entry(robot, monkeypatch):
    monkeypatch.setitem(DEFINITIONS, 'spin', Definition(spin, ('q', 'qd'), lambda n, L: ((),)))
    case = CASES[robot]
    kernels, (q, qd, tau) = case.kernels(), states(case.n)
    expected = reference(case, 'bias', q, qd, tau) @ qd
    call = compiled(kernels, 'spin', ())
    assert call(q, qd, None) == pytest.approx(expected, rel=1e-10)
    many = call(np.tile(q, (7, 1)), np.tile(qd, (7, 1)), None)
    np.testing.assert_allclose(many, expected, rtol=1e-10)
    assert kernels.operation_count('spin')['M'] > 0


def test_ops_counts_an_algorithm_that_no_paper_has():
    lines = [ops.row(Method('gim', name, function, 1), None, 6)
             for name, function in (('by_columns', by_columns), *GIM.items())]
    assert lines[0]['paper'] is None and all(line['paper'] for line in lines[1:])
    printed = ops.our_table(lines, 6)
    assert any('by_columns' in line and ' - ' in line for line in printed)
    assert {method.name for method in METHODS if method.what == 'gim'} == set(GIM)
