"""Common normals: axes in every relation give a row that reaches them."""

import numpy as np
import pytest

from robot_dynamics.model.dh.assign import common_normal

GENERATOR = np.random.default_rng(11)
RIGHT = np.pi / 2


def direction(tilt, heading=0.7):
    """Return a unit vector at an angle from Z."""
    return np.array([np.sin(tilt) * np.cos(heading), np.sin(tilt) * np.sin(heading),
                     np.cos(tilt)])


AXES = {
    'skew': ([0.3, -0.2, 0.5], direction(1.1)),
    'intersecting': ([0, 0, 0.4], direction(0.8)),
    'intersecting at right angles': ([0, 0, 0.4], direction(RIGHT)),
    'parallel': ([0.3, 0.4, 0.9], direction(0.0)),
    'anti-parallel': ([0.3, 0.4, 0.9], -direction(0.0)),
    'coincident': ([0, 0, 0.9], direction(0.0)),
    'coincident, opposite': ([0, 0, 0.9], -direction(0.0)),
    'nearly parallel': ([0.3, 0.4, 0.9], direction(4e-8)),
    'nearly anti-parallel': ([0.3, 0.4, 0.9], -direction(4e-8)),
    'nearly coincident': ([0, 0, 0.9], direction(3e-7)),
    'at the edge of Hayati': ([0.1, 0.2, 0.3], direction(0.99e-4)),
    'beyond it': ([0.1, 0.2, 0.3], direction(1.01e-4)),
    'parallel to rounding': ([0.1, 0.2, 0.3], direction(5e-13)),
}


@pytest.mark.parametrize(('point', 'axis'), AXES.values(), ids=AXES.keys())
def test_row_reaches_the_axis(point, axis):
    point = np.array(point)
    T = common_normal(point, axis).pose()
    assert np.abs(T[:3, 2] - axis).max() < 1e-12  # its Z is the axis
    off = np.cross(T[:3, 3] - point, axis)
    assert np.abs(off).max() < 1e-11 * max(1.0, np.abs(T[:3, 3]).max())  # its origin is on it


def test_random_axes_have_non_negative_lengths():
    for _ in range(500):
        z = GENERATOR.normal(size=3)
        row = common_normal(GENERATOR.normal(size=3), z / np.linalg.norm(z))
        assert row.a >= 0
        assert row.beta == 0


def test_nearly_parallel_axes_stay_near_the_joint():
    """The true common normal is 7,000 km away; Hayati's row is not."""
    row = common_normal(np.array([0.3, 0.4, 0.9]), direction(4e-8))
    assert row.beta != 0
    assert abs(row.b) < 1
    assert row.a < 1


def test_free_choices():
    parallel = common_normal(np.array([0.3, 0.4, 0.9]), direction(0.0))
    assert (parallel.b, parallel.alpha) == (0, 0)
    assert parallel.a == pytest.approx(0.5)
    coincident = common_normal(np.array([0, 0, 0.9]), direction(0.0))
    assert coincident[:4] == (0, 0, 0, 0)
    crossing = common_normal(np.array([0, 0, 0.4]), direction(0.8))
    assert crossing.a == 0
    assert crossing.alpha == pytest.approx(0.8)
