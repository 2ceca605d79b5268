"""Calls of compiled kernels: any shape, any thread, any array, bad numbers."""

import copy
import gc
import pickle
import threading
import tracemalloc

import numpy as np
import pytest
from engine.engine_robots import CASES, arm, states, tree
from engine.kernel_reference import arguments, close, reference

from robot_dynamics.engine import bound as kernel_module
from robot_dynamics.engine import wait_for_kernels
from robot_dynamics.engine.emission.module import STREAMED
from robot_dynamics.engine.running import background, calls, fallback
from robot_dynamics.errors import InputError


@pytest.mark.parametrize('name', ['inverse_dynamics', 'forward_dynamics', 'inertia_matrix'])
@pytest.mark.parametrize('robot', ['ur5', 'two', 'slides'])
def test_batches(robot, name, compiled, monkeypatch):
    """The same bits alone or in a batch, whatever its size and the number of threads."""
    case = CASES[robot]
    kernels = case.kernels()
    args = arguments(name, *states(case.n, 203))
    whole = compiled(kernels, name, args)
    for size in (1, 2, 3, 4, 5, 8, 130):
        part = kernels.evaluate(name, tuple(x[7:7 + size] for x in args))
        assert part.tobytes() == whole[7:7 + size].tobytes()
    monkeypatch.setattr(calls, 'WORTH_A_THREAD', 1)
    for cores in (2, 3):
        monkeypatch.setattr(calls, 'cores', lambda cores=cores: cores)
        assert kernels.evaluate(name, args).tobytes() == whole.tobytes()
    for k in range(0, 203, 50):
        single = kernels.evaluate(name, tuple(x[k] for x in args))
        assert single.tobytes() == whole[k].tobytes()


def test_results_past_the_caches_are_the_same(compiled, monkeypatch):
    """Large results of large batches are streamed to memory, also where that is not aligned."""
    case = tree([-1, 0, 1, 2, 0, 4, 5, 6], [False] * 8)
    kernels, name = case.kernels(), 'inertia_matrix'
    many = STREAMED // (8 * 8 * 8) + 7
    monkeypatch.setattr(calls, 'cores', lambda: 1)
    few = compiled(kernels, name, (states(8, 50)[0],))
    q = np.resize(states(8, 50)[0], (many, 8))
    assert kernels.evaluate(name, (q,)).tobytes() == np.resize(few, (many, 8, 8)).tobytes()
    odd = np.empty(many * 64 + 1)[1:].reshape(many, 8, 8)
    kernels.evaluate(name, (q,), odd)
    assert odd.tobytes() == np.resize(few, (many, 8, 8)).tobytes()


def test_batches_broadcast_and_fill_out(compiled):
    case = CASES['two']
    kernels, (q, qd, x) = case.kernels(), states(2, 6)
    out = np.empty((6, 2))
    assert compiled(kernels, 'inverse_dynamics', (q, qd[0], x), out) is out
    close(out, kernels.evaluate('inverse_dynamics', (q, np.tile(qd[0], (6, 1)), x)))
    strided = np.empty((6, 4))[:, ::2]
    kernels.evaluate('inverse_dynamics', (q, qd[0], x), strided)
    np.testing.assert_array_equal(strided, out)
    np.testing.assert_array_equal(
        kernels.evaluate('inverse_dynamics', (q[:, ::1].tolist(), qd[0], x)), out)
    assert kernels.evaluate('inverse_dynamics', (q[:0], qd[0], x[:0])).shape == (0, 2)


def test_a_result_may_overwrite_an_argument(compiled):
    case = CASES['ur5']
    kernels, (q, qd, x) = case.kernels(), states(6)
    expected = compiled(kernels, 'inverse_dynamics', (q, qd, x))
    kernels.inverse_dynamics(q, qd, x, None)
    for k in range(3):
        args = [q.copy(), qd.copy(), x.copy()]
        np.testing.assert_array_equal(kernels.inverse_dynamics(*args, args[k]), expected)
    matrix, out = compiled(kernels, 'inertia_matrix', (q,)), np.full((6, 6), np.nan)
    kernels.inertia_matrix(q, None)
    np.testing.assert_array_equal(kernels.inertia_matrix(q, out), matrix)


@pytest.mark.parametrize('angle', [1e5, 9.9e5, 1.1e6, 1e9, -3e15])
def test_large_angles(angle, compiled):
    case = CASES['two']
    kernels = case.kernels()
    q = np.array([[0.3, 0.4], [angle, 0.1], [0.2, angle], [1.0, 2.0], [0.1, 0.2]])
    qd, qdd = states(2, 5)[:2]
    found = compiled(kernels, 'inverse_dynamics', (q, qd, qdd))
    for k in range(5):
        close(found[k], reference(case, 'inverse_dynamics', q[k], qd[k], qdd[k]))
        close(kernels.evaluate('inverse_dynamics', (q[k], qd[k], qdd[k])), found[k], 1e-13)
    alone = kernels.evaluate('inverse_dynamics', (q[3:], qd[3:], qdd[3:]))
    assert alone.tobytes() == found[3:].tobytes()


@pytest.mark.parametrize('bad', [np.nan, np.inf])
def test_bad_numbers_are_named(bad, compiled):
    kernels, (q, qd, x) = CASES['two'].kernels(), states(2)
    compiled(kernels, 'inverse_dynamics', (q, qd, x))
    kernels.inverse_dynamics(q, qd, x, None)
    qd[1] = bad
    assert kernels.inverse_dynamics(q, qd, x, None) is None
    with pytest.raises(InputError, match='qd'):
        kernels.evaluate('inverse_dynamics', (q, qd, x))
    with pytest.raises(InputError, match='not finite'):
        kernels.evaluate('inverse_dynamics', (q, np.full(2, 1e200), x))


def test_nan_is_seen_where_it_has_no_effect(compiled):
    """The first joint's value has no influence on the GIM."""
    kernels, (q, *_) = CASES['ur5'].kernels(), states(6, 5)
    compiled(kernels, 'inertia_matrix', (q,))
    q[3, 0] = np.nan
    for args in (q, q[3]):
        with pytest.raises(InputError, match='q: has a nan'):
            kernels.evaluate('inertia_matrix', (args,))
    assert kernels.inertia_matrix(q[3].copy(), None) is None


@pytest.mark.parametrize('wrong', [
    (np.zeros(3), 'shape'), (np.zeros((2, 2, 2)), 'shape'), ('a', 'numbers'), (None, 'q')])
def test_wrong_arguments_are_named(wrong):
    kernels = CASES['two'].kernels()
    with pytest.raises(InputError, match=wrong[1]):
        kernels.evaluate('gravity_torque', (wrong[0],))


def test_other_arrays_than_plain_ones(compiled):
    kernels, (q, qd, x) = CASES['two'].kernels(), states(2)
    expected = compiled(kernels, 'inverse_dynamics', (q, qd, x))
    kernels.inverse_dynamics(q, qd, x, None)
    fast = kernels.inverse_dynamics
    for other in (list(q), q.astype(np.float32), np.repeat(q, 2)[::2], q.astype('>f8'),
                  q.reshape(1, 2), q[:1], 'x', None, np.ma.array(q)):
        assert fast(other, qd, x, None) is None
    for wrong in (np.zeros(3), np.zeros(2, np.float32), [0, 0], np.zeros(4)[::2]):
        assert fast(q, qd, x, wrong) is None
    assert fast(q, qd, x) is None
    frozen = np.zeros(2)
    frozen.setflags(write=False)
    assert fast(q, qd, x, frozen) is None
    np.testing.assert_array_equal(
        kernels.evaluate('inverse_dynamics', (np.repeat(q, 2)[::2], qd.tolist(), x)), expected)
    with pytest.raises(InputError, match='out'):
        kernels.evaluate('inverse_dynamics', (q, qd, x), np.zeros(3))


def test_copies_and_pickles(compiled):
    kernels, (q, qd, x) = CASES['tree'].kernels(), states(6)
    expected = compiled(kernels, 'inverse_dynamics', (q, qd, x))
    kernels.inverse_dynamics(q, qd, x, None)
    for again in (copy.deepcopy(kernels), pickle.loads(pickle.dumps(kernels))):
        np.testing.assert_array_equal(again.inverse_dynamics(q, qd, x, None), expected)


def test_a_robot_without_joints(compiled):
    case = tree([], [])
    nothing = np.zeros(0)
    for name, shape in (('inverse_dynamics', (0,)), ('inertia_matrix', (0, 0))):
        args = (nothing,) * (3 if name == 'inverse_dynamics' else 1)
        assert case.kernels().evaluate(name, args).shape == shape
        assert compiled(case.kernels(), name, args).shape == shape


def test_a_function_outlives_its_robot(compiled):
    kernels, (q, qd, x) = arm(seed=5).kernels(), states(6)
    expected = compiled(kernels, 'inverse_dynamics', (q, qd, x))
    kernels.inverse_dynamics(q, qd, x, None)
    function = kernels.inverse_dynamics
    del kernels
    gc.collect()
    np.testing.assert_array_equal(function(q, qd, x, None), expected)


def pending(kernels, name, monkeypatch):
    """Have a kernel that is being compiled for ever; return the gate that ends it."""
    gate = threading.Event()
    ask = background.Lane.ask
    monkeypatch.setattr(background, 'BACKGROUND', background.Background())
    monkeypatch.setattr(background.Lane, 'ask', lambda lane, task: gate.wait(60) and ask(
        lane, task))
    kernels._store.slot(name, ())
    return gate


def test_a_large_first_batch_waits_for_its_kernel(monkeypatch):
    kernels, args = arm(((0.3, 0.11, 0.1), (0.2, 0, 0))).kernels(), tuple(states(2, 2000))
    monkeypatch.setattr(fallback, 'interpret', None)  # numpy is not asked
    monkeypatch.setattr(kernel_module, 'SLOW', 1.0)  # however busy the machine
    tau = kernels.evaluate('inverse_dynamics', args)
    assert kernels._bind('inverse_dynamics') is not None
    assert tau.tobytes() == kernels.evaluate('inverse_dynamics', args).tobytes()


def test_a_batch_without_kernel_takes_little_memory(monkeypatch):
    kernels, args = arm(((0.3, 0.12, 0.1), (0.2, 0, 0))).kernels(), tuple(states(2, 200_000))
    gate = pending(kernels, 'inverse_dynamics', monkeypatch)
    monkeypatch.setattr(kernel_module, 'PATIENCE', 0)
    monkeypatch.setattr(fallback, 'ROOM', 100_000)
    tracemalloc.start()
    tau = kernels.evaluate('inverse_dynamics', args)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < tau.nbytes + 20e6  # two hundred numbers of each state were 320 MB
    gate.set()
    assert wait_for_kernels(60)
    close(tau, kernels.evaluate('inverse_dynamics', args))


def test_a_kernel_takes_over_what_is_left_of_a_batch(monkeypatch):
    kernels, args = arm(((0.3, 0.13, 0.1), (0.2, 0, 0))).kernels(), tuple(states(2, 500))
    gate = pending(kernels, 'inverse_dynamics', monkeypatch)
    monkeypatch.setattr(kernel_module, 'PATIENCE', 0)
    monkeypatch.setattr(fallback, 'ROOM', 1)
    blocks, interpret = [], fallback.interpret

    def first_blocks(*given):
        blocks.append(len(given[-1]['q']))
        if len(blocks) == 3:
            gate.set()
            assert wait_for_kernels(60)
        return interpret(*given)
    monkeypatch.setattr(fallback, 'interpret', first_blocks)
    tau = kernels.evaluate('inverse_dynamics', args)
    assert blocks == [fallback.FEW] * 3
    close(tau, kernels.evaluate('inverse_dynamics', args))


def test_one_bad_state_is_explained_alone(compiled, monkeypatch):
    case = CASES['ur5']
    kernels, args = case.kernels(), tuple(states(6, 1000))
    compiled(kernels, 'inverse_dynamics', args)
    asked, reference = [], kernels._fallback.reference
    monkeypatch.setattr(kernels._fallback, 'reference', lambda name, options, state: asked.append(
        state) or reference(name, options, state))
    args[2][917] = 1e308
    with pytest.raises(InputError, match='state 917'):
        kernels.evaluate('inverse_dynamics', args)
    assert len(asked) == 1


@pytest.mark.parametrize('bad', [[0], [3], [498], [0, 1, 4, 77, 78, 499], range(500)])
def test_bad_states_are_found(bad):
    marks = np.zeros(500, bool)
    marks[list(bad)] = True
    assert list(calls.search(lambda a, b: marks[a:b].any(), 0, 500)) == list(bad)
