"""Symbols fold, share and normalise as they are made."""

import math

import numpy as np
import pytest
from engine.engine_robots import CASES

from robot_dynamics.algorithms.counting import general_arm
from robot_dynamics.engine.emission.build import build_program
from robot_dynamics.engine.tracing.differentiate import jacobian
from robot_dynamics.engine.tracing.interpret import interpret
from robot_dynamics.engine.tracing.program import Outputs, make_program
from robot_dynamics.engine.tracing.symbols import SMALL, Graph, step_from
from robot_dynamics.engine.tracing.trace import Spec
from robot_dynamics.model.linear import Linear

# Mata2002, Table 4: the fewest multiplications and additions of the papers, 6R, general
PAPERS = {'inverse_dynamics': (459, 390), 'inertia_matrix': (482, 426),
          'forward_dynamics': (1042, 905)}


@pytest.fixture
def xyz():
    graph = Graph()
    return [graph.state('q', k) for k in range(3)]


def value(x, point=(0.3, -0.7, 1.9)):
    program = make_program(Outputs([x]))
    return interpret(program, {}, np.zeros(0), {'q': np.array([point])})[0][0, 0]


def test_numbers_fold(xyz):
    x, _, _ = xyz
    assert x + 0 is x
    assert x * 1 is x
    assert x * 0 == 0.0
    assert 0.0 * x == 0.0
    assert x - x == 0.0
    negative = -x
    assert -negative is x
    assert (x * 2.0) * 0.5 is x
    assert (x + 1.0) - 1.0 is x
    assert 1 / (1 / x) is x
    assert x ** 2 is x * x
    assert np.float64(1.0) * x is x


def test_equal_expressions_are_one(xyz):
    x, y, z = xyz
    assert x * y is y * x
    assert x + y is y + x
    assert x - y is -(y - x)
    assert (-x) * y is -(x * y)
    assert (-x) * (-y) is x * y
    assert z * (x - y) is -(z * (y - x))
    assert x * -2.0 is -(x * 2.0)
    assert x + x is 2 * x


def test_quarter_turns_fold(xyz):
    x, _, _ = xyz
    for k in range(-4, 9):
        for sign in (1, -1):
            angle = sign * x + k * math.pi / 2
            assert value(angle.cos()) == pytest.approx(math.cos(sign * 0.3 + k * math.pi / 2))
            assert value(angle.sin()) == pytest.approx(math.sin(sign * 0.3 + k * math.pi / 2))
            assert len(make_program(Outputs([angle.cos()])).body) <= 3


@pytest.mark.parametrize('offset', [0.0, 0.4, math.pi / 2, -math.pi])
@pytest.mark.parametrize('sign', [1, -1])
def test_sines_are_turned_by_small_steps(xyz, offset, sign):
    """After two steps, the second back, to rounding; the angle itself is their plain sum."""
    x, y, z = xyz
    angle = step_from(step_from(sign * x, y), -z) + offset
    assert make_program(Outputs([angle.sin(), angle.cos()])).count()['T'] == 2
    for steps in ((SMALL, SMALL), (-SMALL, 1e-3), (1e-9, -0.02), (0.0, 0.0)):
        point = (1.9, *steps)
        true = sign * 1.9 + steps[0] - steps[1] + offset
        assert value(angle, point) == pytest.approx(true, abs=1e-15)
        assert value(angle.sin(), point) == pytest.approx(math.sin(true), abs=4e-16)
        assert value(angle.cos(), point) == pytest.approx(math.cos(true), abs=4e-16)


def test_arrays_of_symbols(xyz):
    x, y, z = xyz
    array = np.array([x, y, z], object)
    assert (x * array)[1] is x * y
    assert (array + x)[1] is x + y
    assert np.cos(array)[0] is x.cos()
    assert (np.array([1.0, 2.0, 0.0]) * array)[2] == 0.0


def test_branches_on_values_are_refused(xyz):
    with pytest.raises(TypeError, match='branched'):
        bool(xyz[0])


def test_parameters_are_prepared_once():
    graph = Graph()
    x, p, r = graph.state('q', 0), graph.parameter('mass', 0), graph.parameter('mass', 1)
    program = make_program(Outputs([x * (p * r + 2.0)]))
    assert program.count() == {'M': 1, 'A': 0, 'D': 0, 'T': 0}
    assert len(program.work) == 1


def test_derivatives_of_every_operation(xyz):
    x, y, z = xyz
    f = (x * y - z) / (2.0 + x.cos() * z.sin()) + (x * y).tanh() - 3.0 * z
    row = jacobian([f], [x, y, z], [])[0]
    point, step = np.array([0.3, -0.7, 1.9]), 1e-6
    for k in range(3):
        h = step * np.eye(3)[k]
        slope = (value(f, point + h) - value(f, point - h)) / (2 * step)
        assert value(row[k]) == pytest.approx(slope, rel=1e-7)


@pytest.mark.parametrize('name', PAPERS)
def test_fewer_operations_than_the_papers(name):
    geometry, _ = general_arm(6)
    count = build_program(Spec(geometry, Linear(np.eye(6), np.zeros(6))), name, ()).count()
    assert count['M'] < PAPERS[name][0]
    assert count['A'] < PAPERS[name][1]


def test_operation_count_before_and_after_compiling():
    kernels = CASES['two'].kernels()
    assert kernels.operation_count('inverse_dynamics')['T'] == 4


def test_held_values_are_held_whatever_their_sign_and_factor():
    graph = Graph()
    x, y = (graph.state(name, 0) for name in 'xy')
    for value in (-(x * y), 3.0 * x * x, x * x + 2.0, -1.0 / (x * y)):
        again = 0.5 * (-value) + 1.0
        assert jacobian([again * x], [x], [value])[0][0] is again
