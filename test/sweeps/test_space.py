"""Design spaces: every block by its indices alone, the digest tells them apart."""

import itertools
import pickle

import numpy as np
import pytest
from scipy.stats import qmc

import robot_dynamics as rd
from robot_dynamics.sweeps import Grid, LatinHypercube, Sobol

RANGES = {'q': ([-1.0, 0.0, 2.0], [1.0, 0.5, 5.0]), 'mass.2': (1.0, 3.0)}
AXES = {'q.a': np.linspace(-1, 1, 7), 'qd': np.arange(6.0).reshape(3, 2), 'mass.1': [4.0],
        'q.b': np.arange(11.0)}
SPACES = {
    'grid': Grid(AXES), 'latin': LatinHypercube(RANGES, 10_007, seed=3),
    'sobol': Sobol(RANGES, 10_007, seed=3), 'small': LatinHypercube(RANGES, 5),
    'one': Sobol({'q': (0, 1)}, 1)}


@pytest.fixture(params=SPACES)
def space(request):
    return SPACES[request.param]


def test_a_block_does_not_depend_on_others(space):
    whole = space.block(0, len(space))
    random = np.random.default_rng(0)
    for _ in range(20):
        start, stop = np.sort(random.integers(0, len(space) + 1, 2)).tolist()
        part = pickle.loads(pickle.dumps(space)).block(start, stop)
        for name, shape in space.shapes.items():
            assert part[name].shape == (stop - start, *shape)
            assert part[name].tobytes() == whole[name][start:stop].tobytes()
    for name in space.shapes:
        joined = np.concatenate([block[name] for block in space.blocks(1000)])
        assert joined.tobytes() == whole[name].tobytes()


def test_a_grid_has_all_combinations_in_order():
    found, axes = SPACES['grid'].block(0, 231), [list(map(np.array, v)) for v in AXES.values()]
    for k, point in enumerate(itertools.product(*axes)):
        for name, value in zip(AXES, point, strict=True):
            assert np.array_equal(found[name][k], value)
    assert k == 230


@pytest.mark.parametrize('N', [1, 2, 3, 5, 64, 1000, 4097, 30_000])
def test_a_latin_hypercube_has_one_point_in_each_part(N):
    found = LatinHypercube(RANGES, N, seed=N).block(0, N)
    columns = np.column_stack([found['q'], found['mass.2']])
    low, high = np.array([-1, 0, 2, 1.0]), np.array([1, 0.5, 5, 3])
    parts = np.floor((columns - low) / (high - low) * N + 1e-9).astype(int)
    for column in parts.T:
        assert np.array_equal(np.sort(column), np.arange(N))


def test_a_latin_hypercube_looks_like_chance():
    """Variables do not know of each other, nor points of their neighbours; so says its shape."""
    N, D = 20_000, 6
    unit = LatinHypercube({'x': (np.zeros(D), np.ones(D))}, N, seed=1).block(0, N)['x']
    bound = 5 / np.sqrt(N)
    assert np.abs(np.corrcoef(unit.T) - np.eye(D)).max() < bound
    for lag in (1, 2, 64):
        assert np.abs([np.corrcoef(c[lag:], c[:-lag])[0, 1] for c in unit.T]).max() < bound
    squares = np.histogram2d(unit[:, 0], unit[:, 1], 20)[0]
    assert ((squares - N / 400) ** 2 / (N / 400)).sum() < 361 + 6 * np.sqrt(2 * 361)
    assert np.abs(np.histogram(unit[:, 0] * N % 1, 20)[0] - N / 20).max() < 6 * np.sqrt(N / 20)


def test_sobol_points_are_those_of_scipy_but_for_the_shift():
    D, N = 21, 8192
    space = Sobol({'x': (np.zeros(D), np.ones(D))}, N, seed=5)
    words = (space.block(0, N)['x'] * 2.0 ** 52).astype(np.uint64) ^ space.shift
    assert np.array_equal(words * 2.0 ** -52, qmc.Sobol(D, scramble=False, bits=52).random(N))
    engine = qmc.Sobol(D, scramble=False, bits=32)  # more of them scipy does not leap over
    engine.fast_forward(1_000_003)
    late = Sobol({'x': (np.zeros(D), np.ones(D))}, 2 ** 40, seed=5).block(1_000_003, 1_000_103)
    words = (late['x'] * 2.0 ** 52).astype(np.uint64) ^ space.shift
    assert np.array_equal((words >> np.uint64(20)) * 2.0 ** -32, engine.random(100))


def test_sobol_fills_evenly():
    unit = Sobol({'x': (np.zeros(4), np.ones(4))}, 1024, seed=2).block(0, 1024)['x']
    chance = np.random.default_rng(0).uniform(size=(1024, 4))
    assert qmc.discrepancy(unit) < 0.2 * qmc.discrepancy(chance)


def test_points_far_out_are_made_at_once():
    grid = Grid({'x': np.arange(2.0 ** 20), 'y': np.arange(2.0 ** 20), 'z': [1.0, 2.0]})
    assert grid.points == 2 ** 41
    assert [values[-1] for values in grid.block(2 ** 41 - 5, 2 ** 41).values()] == [
        2 ** 20 - 1, 2 ** 20 - 1, 2.0]
    for kind in (LatinHypercube, Sobol):
        space = kind(RANGES, 2 ** 51, seed=1)
        found = space.block(2 ** 51 - 3, 2 ** 51)
        assert all(((low <= found[name]) & (found[name] <= high)).all()
                   for name, (low, high) in space.ranges.items())


def test_the_digest_tells_a_changed_space():
    spaces = [*SPACES.values(), Grid({**AXES, 'q.b': np.arange(12.0)}),
              Grid({**AXES, 'q.b': np.arange(11.0) + 1e-12}), Grid(dict(reversed(AXES.items()))),
              Grid({('q.c' if name == 'q.a' else name): axis for name, axis in AXES.items()}),
              *(kind({**RANGES, **more}, N, seed=seed) for kind in (LatinHypercube, Sobol)
                for more, N, seed in (({}, 10_007, 4), ({}, 10_008, 3),
                                      ({'mass.2': (1.0, 3.1)}, 10_007, 3)))]
    digests = [space.digest for space in spaces]
    assert len(set(digests)) == len(spaces)
    assert digests == [pickle.loads(pickle.dumps(space)).digest for space in spaces]
    assert Grid(AXES).digest == digests[0]


@pytest.mark.parametrize(('make', 'message'), [
    (lambda: Grid({}), 'axes: expected'),
    (lambda: Grid({'q': 3.0}), r'q: shape \(\)'),
    (lambda: Grid({'q': []}), r'q: shape \(0,\)'),
    (lambda: Grid({'q': [np.nan]}), 'q: has a nan'),
    (lambda: Grid({'q': ['x']}), 'q: expected real numbers'),
    (lambda: Grid({name: np.arange(2.0 ** 18) for name in 'abc'}),
     r'expected 1 to 2\^52'),
    (lambda: Sobol({'q': (1, 0)}, 5), 'q: expected ranges from low to high'),
    (lambda: Sobol({'q': 1}, 5), r'q=1: expected \(low, high\)'),
    (lambda: Sobol({'q': ([0, 0], [1, 1, 1])}, 5), 'q: ends of shapes'),
    (lambda: Sobol({'q': (0, 1)}, 0), 'samples: 0 points'),
    (lambda: LatinHypercube({'q': (0, 1)}, 2.5), 'samples=2.5'),
    (lambda: LatinHypercube({'q': (0, 1)}, 5, seed=-1), 'seed=-1'),
    (lambda: LatinHypercube({1: (0, 1)}, 5), 'ranges=1: expected a string'),
    (lambda: Sobol({'q': (0, 1)}, 5).block(3, 6), 'points 3 to 6: expected some of 0 to 5'),
    (lambda: next(Sobol({'q': (0, 1)}, 5).blocks(0)), 'size=0'),
])
def test_wrong_input(make, message):
    with pytest.raises(rd.InputError, match=message):
        make()
