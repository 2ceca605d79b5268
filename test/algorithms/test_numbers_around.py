"""Matrices, energies and kinematics on float32 and on objects."""

import numpy as np
import pytest
from algorithms.robots import random_state, random_tree, relative_error
from algorithms.test_numbers import in_precision, numbers, plain, results

from robot_dynamics.algorithms.bias import bias, gravity_torque
from robot_dynamics.algorithms.convective import convective_matrix, skew_convective_matrix
from robot_dynamics.algorithms.energy import kinetic_energy, potential_energy, power
from robot_dynamics.algorithms.external import external_torque
from robot_dynamics.algorithms.friction import friction_torque
from robot_dynamics.algorithms.kinematics import jacobian, jacobian_rate, poses, twist
from robot_dynamics.model.denoc import Geometry, Inertials

GEOMETRY, INERTIALS = random_tree(9, 12, branching=0.4, armature=True)
Q, QD, TAU = random_state(GEOMETRY, 0)
POINT = np.array([0.1, 0.2, -0.3])
LINKS, POINTS = np.array([8, 3]), np.array([[0.1, 0.2, 0.3], [0.0, -0.1, 0.4]])
WRENCHES = np.arange(12.0).reshape(2, 6)
CALLS = [
    (bias, (GEOMETRY, INERTIALS, Q, QD)), (gravity_torque, (GEOMETRY, INERTIALS, Q)),
    (convective_matrix, (GEOMETRY, INERTIALS, Q, QD)),
    (skew_convective_matrix, (GEOMETRY, INERTIALS, Q, QD)),
    (kinetic_energy, (GEOMETRY, INERTIALS, Q, QD)),
    (potential_energy, (GEOMETRY, INERTIALS, Q)), (power, (TAU, QD)),
    (poses, (GEOMETRY, Q)), (jacobian, (GEOMETRY, Q, 8, POINT)),
    (jacobian_rate, (GEOMETRY, Q, QD, 8, POINT)), (twist, (GEOMETRY, Q, QD, 8, POINT)),
    (external_torque, (GEOMETRY, Q, LINKS, POINTS, WRENCHES)),
    (friction_torque, (TAU, TAU, QD)),
]
calls = pytest.mark.parametrize(
    ('function', 'arguments'), CALLS, ids=[call[0].__name__ for call in CALLS])


def converted(argument, change):
    if isinstance(argument, Inertials):
        return argument.cast(change)
    floating = isinstance(argument, np.ndarray) and argument.dtype == float
    return change(argument) if floating else argument


def agree(found, expected, tolerance):
    for one, other in zip(results(found), results(expected), strict=True):
        assert relative_error(plain(one), np.ravel(other)) < tolerance


@calls
def test_objects_give_what_floats_give(function, arguments):
    if function is friction_torque:
        pytest.skip('the hyperbolic tangent is not asked of a bare number')
    found = function(*(converted(x, numbers) for x in arguments))
    agree(found, function(*arguments), 1e-12)


@calls
def test_single_precision_stays_single(function, arguments):
    single = (in_precision(x, np.float32) if isinstance(x, (Geometry, Inertials))
              else converted(x, lambda a: a.astype(np.float32)) for x in arguments)
    found = function(*single)
    assert all(np.asarray(x).dtype == np.float32 for x in results(found))
    agree(found, function(*arguments), 1e-3)
