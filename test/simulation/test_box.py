"""Reactions within bounds fulfil their conditions, whatever is held and whatever cannot be."""

import numpy as np
import pytest

from robot_dynamics.simulation.box import box_reactions


@pytest.mark.parametrize('dead', [0, 1, 3])
def test_reactions_fulfil_their_conditions(dead):
    """dead: joints that no force moves, as at a dead point of a linkage."""
    rng = np.random.default_rng(dead)
    places = set()
    for _ in range(200):
        n = int(rng.integers(1, 6))
        B = rng.normal(size=(n, n))
        B[:, :dead] = 0.0
        A, b, F = B.T @ B, rng.normal(size=n), rng.uniform(0, 2, n)
        stop = rng.random(n) < 0.2
        lower, upper = np.where(stop, -np.inf, -F), F
        r, side = box_reactions(A, b, lower, upper, 1e-12)
        v = A @ r + b
        assert np.isfinite(r).all()
        moved = np.diagonal(A) > 0.0
        assert np.abs(v[(side == 0) & moved]).max(initial=0.0) < 1e-6
        assert (r >= lower - 1e-9).all() and (r <= upper + 1e-9).all()
        assert (v[side < 0] >= -1e-9).all() and (v[side > 0] <= 1e-9).all()
        assert np.array_equal(side[~moved], -np.sign(b[~moved]))
        places.update(side.tolist())
    assert places == {-1, 0, 1}
