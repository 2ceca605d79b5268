"""The same source on float32, and on objects that only know arithmetic."""

import numpy as np
import pytest
from algorithms.robots import random_state, random_tree, relative_error

from robot_dynamics.algorithms import FORWARD, GIM, INVERSE
from robot_dynamics.algorithms.denoc_forward import udu
from robot_dynamics.algorithms.derivatives import inverse_dynamics_derivatives
from robot_dynamics.algorithms.newton_euler import reaction_wrenches
from robot_dynamics.algorithms.regressor import regressor

TREE = random_tree(9, 11, branching=0.4, armature=True)
CALLS = (
    [(f'inverse {name}', function, 3) for name, function in INVERSE.items()]
    + [(f'forward {name}', function, 3) for name, function in FORWARD.items()]
    + [(f'gim {name}', function, 1) for name, function in GIM.items()]
    + [('udu', udu, 1), ('reaction_wrenches', reaction_wrenches, 3),
       ('derivatives', inverse_dynamics_derivatives, 3), ('regressor', regressor, 3)])
calls = pytest.mark.parametrize(
    ('function', 'arguments'), [call[1:] for call in CALLS], ids=[call[0] for call in CALLS])


class Number:
    """A number that can be added, subtracted, multiplied, divided and turned, nothing else."""

    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        return combine(self, other, lambda a, b: a + b)

    def __radd__(self, other):
        return combine(self, other, lambda a, b: b + a)

    def __sub__(self, other):
        return combine(self, other, lambda a, b: a - b)

    def __rsub__(self, other):
        return combine(self, other, lambda a, b: b - a)

    def __mul__(self, other):
        return combine(self, other, lambda a, b: a * b)

    def __rmul__(self, other):
        return combine(self, other, lambda a, b: b * a)

    def __truediv__(self, other):
        return combine(self, other, lambda a, b: a / b)

    def __rtruediv__(self, other):
        return combine(self, other, lambda a, b: b / a)

    def __neg__(self):
        return Number(-self.value)

    def cos(self):
        return Number(np.cos(self.value))

    def sin(self):
        return Number(np.sin(self.value))


def combine(number, other, operation):
    if isinstance(other, np.ndarray):
        return NotImplemented
    return Number(operation(number.value, getattr(other, 'value', other)))


def numbers(array):
    return np.array([Number(x) for x in array.ravel()] + [None])[:-1].reshape(array.shape)


def plain(result):
    return np.array([getattr(x, 'value', x) for x in np.ravel(result)], float)


def results(result):
    return result if isinstance(result, tuple) else (result,)


def in_precision(arrays, dtype):
    """Return the same named tuple with its floating arrays in another precision."""
    def cast(x):
        return x.astype(dtype) if x.dtype == float else x
    return arrays.cast(cast) if hasattr(arrays, 'cast') else type(arrays)(*map(cast, arrays))


@calls
def test_objects_give_what_floats_give(function, arguments):
    geometry, inertials = TREE
    state = random_state(geometry, 0)[:arguments]
    expected = results(function(geometry, inertials, *state))
    objects = inertials.cast(numbers)
    for each in (inertials, objects):  # inertials as constants, then as arguments
        found = results(function(geometry, each, *(numbers(x) for x in state)))
        for one, other in zip(found, expected, strict=True):
            assert relative_error(plain(one), np.ravel(other)) < 1e-12


@calls
def test_single_precision_stays_single(function, arguments):
    geometry, inertials = TREE
    state = random_state(geometry, 0)[:arguments]
    expected = results(function(geometry, inertials, *state))
    found = results(function(
        in_precision(geometry, np.float32), in_precision(inertials, np.float32),
        *(x.astype(np.float32) for x in state)))
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == np.float32
        assert 1e-9 < relative_error(one, other) < 1e-3
