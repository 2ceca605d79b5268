"""The vector code of sine, cosine, tangents and roots against numpy."""

from functools import partial

import numpy as np
import pytest

from robot_dynamics.engine.emission.elementary import LIMIT
from robot_dynamics.engine.emission.module import module_text
from robot_dynamics.engine.running.native import NativeKernel, compile_module, has_fused
from robot_dynamics.engine.tracing.differentiate import jacobian
from robot_dynamics.engine.tracing.interpret import interpret
from robot_dynamics.engine.tracing.program import Outputs, make_program
from robot_dynamics.engine.tracing.symbols import Graph


@pytest.fixture(scope='module', params=[True, False], ids=['fused', 'not fused'])
def functions(request):
    x = Graph().state('q', 0)
    return compiled([x.sin(), x.cos(), x.tanh()], 1, request.param)


@pytest.fixture(scope='module', params=[True, False], ids=['fused', 'not fused'])
def roots_and_angles(request):
    graph = Graph()
    x, y = graph.state('q', 0), graph.state('q', 1)
    return compiled([(x * x).sqrt(), y.arctan2(x), y.arctan2(2.0)], 2, request.param)


def compiled(outputs, size, fused):
    """Return the compiled outputs as a function of arguments (N, size)."""
    text = module_text(make_program(Outputs(outputs)), {'q': size}, ((len(outputs),),), {},
                       fused=fused and has_fused())
    kernel = NativeKernel('test', compile_module(text), 1)
    work = kernel.make_work(np.zeros(1), 0)

    def run(x):
        out = np.empty((len(x), len(outputs)))
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


@pytest.mark.parametrize('size', [1e-150, 1e-8, 1.0, 1e8, 1e150])
def test_arc_tangent(roots_and_angles, size):
    at = np.random.default_rng(4).normal(size=(50_001, 2)) * (1.0, size)
    (root, angle, half), bad = roots_and_angles(at)
    assert not bad
    assert np.array_equal(root, np.abs(at[:, 0]))
    assert ulps(angle, np.arctan2(at[:, 1], at[:, 0])).max() <= 2
    assert ulps(half, np.arctan2(at[:, 1], 2.0)).max() <= 2


def test_arc_tangent_on_the_axes(roots_and_angles):
    values = [0.0, -0.0, 1.0, -1.0]
    at = np.array([(x, y) for x in values for y in values])
    (_, angle, _), bad = roots_and_angles(at)
    expected = np.arctan2(at[:, 1], at[:, 0])
    assert not bad
    assert np.array_equal(angle, expected)
    assert np.array_equal(np.signbit(angle), np.signbit(expected))


def test_slopes_of_roots_and_angles():
    """Against differences: square root and arc tangent in the table of operations."""
    graph = Graph()
    y, x = graph.state('q', 0), graph.state('q', 1)
    values = [(x * x + y).sqrt(), (2.0 * y).arctan2(x)]
    rows = jacobian(values, [y, x], [])
    run = partial(interpret, slots={}, parameters=np.zeros(0))
    at, h = np.array([[0.7, -0.4]]), 1e-6
    found, _ = run(make_program(Outputs([d for row in rows for d in row])), arguments={'q': at})
    for k in range(2):
        step = h * np.eye(2)[k]
        (above, _), (below, _) = (run(make_program(Outputs(values)), arguments={'q': at + d})
                                  for d in (step, -step))
        difference = ((above - below) / (2 * h)).ravel()
        np.testing.assert_allclose(found.reshape(2, 2)[:, k], difference, rtol=1e-8)


@pytest.mark.parametrize('fused', [True, False])
def test_sines_of_sines(fused):
    graph = Graph()
    x, y = graph.state('q', 0), graph.state('q', 1)
    first = x.sin() * y + y.cos()
    second = first.cos() * x + first.sin()
    run = compiled([first, second.sin(), (second + x).cos() * first], 2, fused)
    for size in (1.0, 1e7):  # angles of the second are beyond the limit, and so those of its sums
        q = np.random.default_rng(3).uniform(-size, size, (7, 2))
        found, bad = run(q)
        a = np.sin(q[:, 0]) * q[:, 1] + np.cos(q[:, 1])
        b = np.cos(a) * q[:, 0] + np.sin(a)
        assert not bad
        scale = 1e-15 * (1 + size) ** 2
        np.testing.assert_allclose(found[0], a, atol=scale)
        if size == 1.0:
            np.testing.assert_allclose(
                found[1:], [np.sin(b), np.cos(b + q[:, 0]) * a], atol=1e-14)
