"""The general recursion: the same numbers as the algorithms, for any robot, bit by bit."""

import math
from dataclasses import replace

import numpy as np
import pytest
from engine.engine_robots import CASES, states, tree, turning

import robot_dynamics as rd
from robot_dynamics.algorithms.articulated_body import forward_dynamics
from robot_dynamics.algorithms.gibbs_appell import inverse_dynamics
from robot_dynamics.engine import wait_for_kernels
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.large.general import (
    ALGORITHMS,
    General,
    Recursion,
    Tables,
    build_general,
)
from robot_dynamics.engine.large.rolled import KINDS, read_first, trace_loops
from robot_dynamics.engine.running import calls
from robot_dynamics.errors import InputError

pytest.importorskip('llvmlite', reason='needs a compiler')


@pytest.fixture(scope='module')
def recursions():
    return {kind: Recursion(*build_general(kind)) for kind in ALGORITHMS}


ANSWERED = [(name, options) for name, definition in DEFINITIONS.items()
            for options in definition.general]


@pytest.mark.parametrize(('name', 'options'), ANSWERED)
@pytest.mark.parametrize('robot', ['chain', 'signs', 'slides', 'tree', 'mimic'])
def test_agrees_with_the_reference(robot, name, options, recursions):
    case = CASES[robot]
    kernels = case.kernels()
    general = General(kernels.spec, case.inertials, np.zeros(len(case.offset)))
    definition = DEFINITIONS[name]
    arrays = list(states(case.n, 7))[:len(definition.sizes(kernels.spec, ()))]
    rest = np.zeros((7, case.n))
    friction = rest if len(arrays) < 2 else kernels._fallback.numbers.friction_torque(
        None, arrays[1])
    slope = None if len(arrays) < 2 else kernels._fallback.numbers.friction_slope(arrays[1])
    found = np.empty((7, math.prod(definition.shape(kernels.spec))))
    assert not general.run(
        recursions[definition.general[options]], name, arrays, friction, found, slope)
    for k in range(7):
        expected, _ = kernels._fallback.reference(name, options, [x[k] for x in arrays])
        np.testing.assert_allclose(found[k], expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize('armature', [0.0, 0.3])
@pytest.mark.parametrize('still', [True, False])
def test_every_kind_of_link_on_any_base(recursions, still, armature):
    """Roots and branches, revolute and prismatic: all kinds of links that the code knows."""
    parent = [-1, -1, 0, 1, 2, 2, 3, 6, -1]
    prismatic = [False, True, True, False, False, True, True, False, True]
    case = tree(parent, prismatic, armature=armature)
    kinds = {(bool(p), up < 0) for p, up in zip(prismatic, parent, strict=True)}
    assert kinds == set(KINDS)
    inertials = case.inertials if still else turning(case)
    tables = Tables(case.kernels().spec, inertials)
    q, qd, x = states(9, 5)
    tau, qdd, pivots = np.empty_like(q), np.empty_like(q), np.empty_like(q)
    recursions['inverse'](tables, q, qd, x, tau)
    recursions['forward'](tables, q, qd, x, qdd, pivots)
    for k in range(5):
        model = case.geometry, inertials, q[k], qd[k]
        expected = inverse_dynamics(*model, x[k])
        np.testing.assert_allclose(tau[k], expected, atol=1e-12 * np.abs(expected).max())
        accelerations, D = forward_dynamics(*model, x[k])
        np.testing.assert_allclose(qdd[k], accelerations, atol=1e-11 * np.abs(accelerations).max())
        np.testing.assert_allclose(pivots[k], D, rtol=1e-12)


@pytest.mark.parametrize('kind', ALGORITHMS)
def test_the_same_bits_alone_in_a_batch_and_on_threads(recursions, kind, monkeypatch):
    case = tree(np.arange(30) - 1, [k % 7 == 3 for k in range(30)])
    tables = Tables(case.kernels().spec, case.inertials)
    inputs = [np.ascontiguousarray(x) for x in states(30, 43)][:len(ALGORITHMS[kind][1])]
    loops = trace_loops(*ALGORITHMS[kind])
    shapes = [(30, 30, *loops.matrices[x]) if x in loops.matrices else (30,)
              for x in loops.results]

    def run(start, stop):
        out = [np.empty((stop - start, *shape)) for shape in shapes]
        recursions[kind](tables, *[x[start:stop] for x in inputs], *out)
        return np.concatenate([x.reshape(stop - start, -1) for x in out], axis=1)

    whole = run(0, 43)
    for start, stop in ((0, 1), (5, 6), (3, 10), (40, 43)):
        assert run(start, stop).tobytes() == whole[start:stop].tobytes()
    monkeypatch.setattr(calls, 'WORTH_A_THREAD', 1)
    for cores in (2, 3):
        monkeypatch.setattr(calls, 'cores', lambda cores=cores: cores)
        assert run(0, 43).tobytes() == whole.tobytes()


def test_large_angles(recursions):
    case = CASES['chain']
    general = General(case.kernels().spec, case.inertials, np.zeros(4))
    q, qd, qdd = states(4, 2)
    near, far = np.empty((2, 4)), np.empty((2, 4))
    turns = np.array([1e7, 0, -3e6, 0])  # not of the prismatic joint
    general.run(recursions['inverse'], 'inverse_dynamics', [q, qd, qdd], np.zeros((2, 4)), near)
    general.run(recursions['inverse'], 'inverse_dynamics', [q + 2 * np.pi * turns, qd, qdd],
                np.zeros((2, 4)), far)
    np.testing.assert_allclose(far, near, rtol=1e-6)  # the angles themselves are rounded


def test_a_singular_robot_is_seen(recursions):
    case = CASES['chain']
    general = General(case.kernels().spec, case.inertials, np.full(4, 1e9))
    out = np.empty((1, 4))
    assert general.run(recursions['forward'], 'forward_dynamics', list(states(4, 1)),
                       np.zeros((1, 4)), out)


def test_large_robots_are_answered_at_once_and_then_quickly(monkeypatch):
    """The algorithms answer until the recursion is compiled, in another process, for everyone."""
    monkeypatch.setitem(DEFINITIONS, 'inverse_dynamics',
                        replace(DEFINITIONS['inverse_dynamics'], largest=100))
    n = 150
    case = tree(np.arange(n) - 1, [False] * n, seed=8)
    kernels, (q, qd, qdd) = case.kernels(), states(n) / 10
    first = kernels.inverse_dynamics(q, qd, qdd, None)
    assert wait_for_kernels(60)
    slot = kernels._store.slots['inverse_dynamics', ()]
    assert slot.general is not None
    np.testing.assert_allclose(kernels.inverse_dynamics(q, qd, qdd, None), first, rtol=1e-10)
    other = tree(np.arange(n + 7) - 1, [False] * (n + 7), seed=9).kernels()
    other.inverse_dynamics(*states(n + 7), None)  # found in the cache: another robot, same code
    assert other._store.slots['inverse_dynamics', ()].general is not None
    T, _ = kernels.evaluate('energies', (q, qd))  # too large to trace, no recursion of its own
    assert T > 0


def test_only_what_is_read_first_is_cleared():
    """Articulated bodies: rates of slides' axes, and the blocks with constant zeros."""
    loops = {kind: trace_loops(*algorithm) for kind, algorithm in ALGORITHMS.items()}
    assert read_first(loops['inverse']) == set()
    cleared = read_first(loops['forward'])
    assert sorted(loops['forward'].work[name] for name in cleared) == [(3,), (3, 3), (6,)]


def test_other_loops_than_over_all_links_are_refused():
    def half(geometry, inertials, q):
        for i in range(1, len(q)):
            q[i] = q[i] + 1

    with pytest.raises(TypeError, match='all links'):
        trace_loops(half, ('q',))


@pytest.mark.parametrize('name', [x for x in DEFINITIONS if DEFINITIONS[x].general])
def test_single_calls_have_the_bits_of_the_careful_path(name, monkeypatch):
    """The quick call of a large robot: the same answer, and None where there is something odd."""
    monkeypatch.setitem(DEFINITIONS, name, replace(DEFINITIONS[name], largest=4))
    case = tree([-1, 0, 1, 1, 3, 4], [False, True, False, False, True, False], seed=5,
                armature=0.1)
    kernels = case.kernels()
    arguments = list(states(6))[:len(DEFINITIONS[name].sizes(kernels.spec, ()))]
    kernels.evaluate(name, tuple(arguments))
    assert wait_for_kernels(60)
    careful = kernels.evaluate(name, tuple(arguments))
    quick = kernels.__dict__.get(name)
    found = quick(*arguments, None)
    careful, found = (x if isinstance(x, tuple) else (x,) for x in (careful, found))
    for one, other in zip(found, careful, strict=True):
        assert one.shape == other.shape
        assert one.tobytes() == np.ascontiguousarray(other).tobytes()
    odd = np.array(arguments[0])
    odd[2] = np.nan
    assert quick(odd, *arguments[1:], None) is None
    assert quick(arguments[0].tolist(), *arguments[1:], None) is None
    with pytest.raises(InputError, match='q'):
        kernels.evaluate(name, (odd, *arguments[1:]))


def test_single_calls_of_large_robots_write_into_out():
    """With the bits of a new result; what is no array for it goes the careful way."""
    rows = [rd.DHRow(0.1, 0, np.pi / 2 * (k % 2), None, mass=1, com=(0.05, 0, 0),
                     inertia=0.01 * np.eye(3)) for k in range(210)]
    robot = rd.Robot.from_dh(rows)
    q, qd, tau = np.random.default_rng(4).normal(size=(3, robot.n))
    for verb, arguments, shape in (
            (robot.inverse_dynamics, (q, qd, tau), (robot.n,)),
            (robot.forward_dynamics, (q, qd, tau), (robot.n,)),
            (robot.inertia_matrix, (q,), (robot.n, robot.n)),
            (robot.regressor, (q, qd, tau), (robot.n, 10 * robot.n))):
        verb(*arguments)
        rd.wait_for_kernels()
        verb(*arguments)
        out = np.zeros(shape)
        assert verb(*arguments, out=out) is out
        np.testing.assert_array_equal(out, verb(*arguments))
        with pytest.raises(InputError, match='out'):
            verb(*arguments, out=np.zeros(shape, np.float32))
    before, bad = np.full(robot.n, 7.0), np.full(robot.n, np.nan)
    with pytest.raises(InputError, match='nan'):
        robot.inverse_dynamics(q, qd, bad, out=before)
    assert (before == 7.0).all()
