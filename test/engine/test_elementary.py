"""The vector code of sine, cosine and tangent against numpy."""

import numpy as np
import pytest

from robot_dynamics.engine.elementary import LIMIT
from robot_dynamics.engine.emit_module import module_text
from robot_dynamics.engine.native import NativeKernel, compile_module, has_fused
from robot_dynamics.engine.program import Outputs, make_program
from robot_dynamics.engine.symbols import Graph


@pytest.fixture(scope='module', params=[True, False], ids=['fused', 'not fused'])
def functions(request):
    x = Graph().state('q', 0)
    program = make_program(Outputs([x.sin(), x.cos(), x.tanh()]))
    text = module_text(program, {'q': 1}, (3,), {}, fused=request.param and has_fused())
    kernel = NativeKernel('test', compile_module(text), 1)
    work = kernel.make_work(np.zeros(1), 0)

    def run(x):
        out = np.empty((len(x), 3))
        bad = kernel.batch(x.ctypes.data, work.ctypes.data, out.ctypes.data, len(x))
        return out.T, bad
    return run


def ulps(found, expected):
    return np.abs(found - expected) / np.spacing(np.abs(expected))


@pytest.mark.parametrize('size', [1e-8, 0.01, 1.0, 10.0, 1e3, LIMIT, 1e12])
def test_accuracy(functions, size):
    x = np.random.default_rng(3).uniform(-size, size, 50_001)
    (sine, cosine, tangent), bad = functions(x)
    assert not bad
    assert ulps(sine, np.sin(x)).max() <= 2
    assert ulps(cosine, np.cos(x)).max() <= 2
    assert ulps(tangent, np.tanh(x)).max() <= 4


def test_near_multiples_of_a_quarter_turn(functions):
    k = np.arange(-600_000, 600_000, 7)
    x = np.clip(k * (np.pi / 2), -LIMIT, LIMIT)
    (sine, cosine, _), _ = functions(x)
    np.testing.assert_allclose(sine, np.sin(x), rtol=0, atol=3e-16)
    np.testing.assert_allclose(cosine, np.cos(x), rtol=0, atol=3e-16)


def test_special_values(functions):
    (sine, cosine, tangent), bad = functions(np.array([0.0, -0.0, 50.0, -50.0, 1e-300]))
    assert not bad
    assert sine[0] == sine[1] == 0
    assert cosine[0] == 1
    assert tangent.tolist() == [0.0, 0.0, 1.0, -1.0, 1e-300]
    for wrong in (np.nan, np.inf, -np.inf):
        assert functions(np.array([1.0, wrong]))[1]
