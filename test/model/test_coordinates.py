"""Linear coordinates: identities of the map, over floats, batches and symbols."""

import numpy as np
import pytest

from robot_dynamics.engine.tracing.symbols import Graph
from robot_dynamics.model.linear import Linear

MAPS = {
    'identity': Linear(np.eye(3), np.zeros(3)),
    'signs': Linear(np.diag([1.0, -1.0, 2.0]), [0.0, 0.3, -1.0]),
    'mimic': Linear([[1, 0], [0, 1], [-0.5, 0], [0, 3]], [0, 0.1, 0.2, 0]),
    'swapped': Linear([[0, 1], [1, 0]], [0, 0]),
    'no joints': Linear(np.zeros((0, 0)), np.zeros(0)),
}


@pytest.fixture(params=MAPS)
def coordinates(request):
    return MAPS[request.param]


def test_virtual_work_is_the_same(coordinates):
    q, qd = np.random.default_rng(0).normal(size=(2, coordinates.nq))
    tau, M = np.arange(coordinates.L) + 1.0, np.random.default_rng(1).normal(
        size=(coordinates.L, coordinates.L))
    rates = coordinates.rates(q, qd)
    assert coordinates.torques(q, tau) @ qd == pytest.approx(tau @ rates)
    assert qd @ coordinates.matrix(q, M) @ qd == pytest.approx(rates @ M @ rates)
    np.testing.assert_allclose(coordinates.diagonal(tau),
                               np.diag(coordinates.matrix(q, np.diag(tau))))


def test_rates_are_those_of_the_positions(coordinates):
    q, v = np.random.default_rng(2).normal(size=(2, coordinates.nq))
    moved = coordinates.positions(coordinates.integrate(q, v)) - coordinates.positions(q)
    np.testing.assert_allclose(moved, coordinates.rates(q, v))
    np.testing.assert_allclose(
        coordinates.integrate(q, coordinates.difference(q, q + v)), q + v)


def test_batches_are_states_one_by_one(coordinates):
    q = np.random.default_rng(3).normal(size=(5, coordinates.nq))
    rows = [coordinates.positions(row) for row in q]
    assert np.array_equal(coordinates.positions(q), np.reshape(rows, (5, coordinates.L)))


def test_symbols_pass_through():
    graph = Graph()
    q = np.array([graph.state('q', k) for k in range(2)], object)
    positions = MAPS['mimic'].positions(q)
    assert positions[0] is q[0]
    assert positions.dtype == object
    assert MAPS['identity'].factors == (1.0, 1.0, 1.0)
    assert MAPS['mimic'].factors is None and MAPS['swapped'].factors is None


def test_nothing_depends_on_q(coordinates):
    q, v = np.random.default_rng(4).normal(size=(2, coordinates.nq))
    assert coordinates.at(q) is coordinates
    assert coordinates.flat and coordinates.drifting == ()
    assert np.array_equal(coordinates.tangent(q), np.eye(coordinates.nq))
    assert np.array_equal(coordinates.rate(q, v), np.zeros((coordinates.L, coordinates.nv)))
