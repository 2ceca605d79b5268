"""Planar turns and joint transformations against the matrices they stand for."""

import numpy as np
import pytest
from algorithms.robots import random_tree

from robot_dynamics.algorithms import joints, turns

ANGLE = 0.7
C, S = np.cos(ANGLE), np.sin(ANGLE)
MATRIX = {'z': np.array([[C, -S, 0], [S, C, 0], [0, 0, 1]]),
          'x': np.array([[1, 0, 0], [0, C, -S], [0, S, C]])}
RNG = np.random.default_rng(0)
V, H = RNG.normal(size=3), RNG.normal(size=(3, 3))
TENSOR = H + H.T


@pytest.mark.parametrize('about', 'zx')
@pytest.mark.parametrize('back', [False, True])
def test_turns_are_rotations(about, back):
    R = MATRIX[about].T if back else MATRIX[about]
    tail = '_back' if back else ''
    assert np.allclose(getattr(turns, f'turn_{about}{tail}')(V, C, S), R @ V)
    if not back:
        found = getattr(turns, f'turn_{about}_symmetric')(turns.symmetric(TENSOR), C, S)
        assert np.allclose(found, turns.symmetric(R @ TENSOR @ R.T))
        assert np.allclose(getattr(turns, f'turn_{about}_tensor')(H, C, S), R @ H @ R.T)


def test_products():
    assert np.allclose(turns.cross(V, H[0]), np.cross(V, H[0]))
    assert np.isclose(turns.dot(V, H[0]), V @ H[0])
    assert np.allclose(turns.tensor_times(H, V), H @ V)
    assert np.allclose(turns.transpose_times(H, V), H.T @ V)
    assert np.allclose(turns.symmetric_times(turns.symmetric(TENSOR), V), TENSOR @ V)


@pytest.mark.parametrize('square', [False, True])
def test_joints_turn_and_move_as_the_model_says(square):
    """R = Rz(gamma) Rx(alpha) Rz(theta), r = d + u q: the definition in model/denoc.py."""
    geometry, _ = random_tree(8, 2, branching=0.3, prismatic=0.5, square=square)
    q = RNG.normal(size=8)
    c, s = joints.cosines_sines(geometry, q)
    for i in range(8):
        constant = np.stack(
            [joints.joint_to_parent(geometry, i, e) for e in np.eye(3)], axis=1)
        theta = geometry.theta0[i] + (0.0 if geometry.prismatic[i] else q[i])
        spin = np.array([[np.cos(theta), -np.sin(theta), 0],
                         [np.sin(theta), np.cos(theta), 0], [0, 0, 1]])
        R = constant @ spin
        assert np.allclose(joints.link_to_parent(geometry, i, c, s, V), R @ V)
        assert np.allclose(joints.parent_to_link(geometry, i, c, s, V), R.T @ V)
        assert np.allclose(joints.parent_to_joint(geometry, i, V), constant.T @ V)
        r = geometry.d[i] + constant[:, 2] * (q[i] if geometry.prismatic[i] else 0.0)
        assert np.allclose(joints.parent_offset(geometry, i, q), r)
        assert np.allclose(constant @ joints.joint_offset(geometry, i, q), r)
        six = turns.symmetric(TENSOR)
        assert np.allclose(joints.joint_to_parent_symmetric(geometry, i, six),
                           turns.symmetric(constant @ TENSOR @ constant.T))
