"""Compiling happens elsewhere; meanwhile, and without a compiler, slower paths answer."""

import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
from engine.engine_robots import CASES, arm, states

from robot_dynamics.engine import wait_for_kernels
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.running import background, cache, native, store
from robot_dynamics.engine.running.background import Background, Reply
from robot_dynamics.errors import RobotDynamicsWarning

HOME = str(Path(background.__file__).parents[3])

WITHOUT_COMPILER = """
import sys, warnings
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] == 'llvmlite':
            raise ImportError(name)
sys.meta_path.insert(0, Block())
import numpy as np
from engine.engine_robots import CASES, states
from robot_dynamics.engine import wait_for_kernels
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    for name in ('two', 'mimic'):
        case = CASES[name]
        kernels = case.kernels()
        q, qd, x = states(case.n)
        tau = kernels.inverse_dynamics(q, qd, x, None)
        many = kernels.evaluate('inverse_dynamics', tuple(states(case.n, 40)))
        assert np.allclose(kernels.forward_dynamics(q, qd, tau, None), x)
        kernels.evaluate('inverse_dynamics_derivatives', (q, qd, x))
        kernels.evaluate('regressor', (q, qd, x))
        kernels.evaluate('udu', (q,))
        assert wait_for_kernels(1)
        if name == 'two':
            print(tau.tolist())
assert 'llvmlite' not in sys.modules
assert len(caught) == 1 and 'llvmlite' in str(caught[0].message), [str(x.message) for x in caught]
"""


def test_without_llvmlite_numpy_answers_with_one_warning(compiled):
    result = subprocess.run(
        [sys.executable, '-c', WITHOUT_COMPILER], capture_output=True, text=True, timeout=120,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([HOME, str(Path(HOME) / 'test')])})
    assert result.returncode == 0, result.stderr
    tau = compiled(CASES['two'].kernels(), 'inverse_dynamics', tuple(states(2)))
    np.testing.assert_allclose(eval(result.stdout), tau, rtol=1e-12)


def test_a_worker_that_cannot_start_is_no_error(monkeypatch):
    monkeypatch.setattr(background, 'BACKGROUND', Background())
    monkeypatch.setattr(background.sys, 'executable', '/does/not/exist')
    kernels = arm(((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))).kernels()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        first = kernels.gravity_torque(states(2)[0], None)
        assert wait_for_kernels(60)
    assert [w.category for w in caught] == [RobotDynamicsWarning]
    np.testing.assert_allclose(kernels.gravity_torque(states(2)[0], None), first, rtol=1e-12)
    batch = kernels.evaluate('gravity_torque', (states(2, 30)[0],))
    assert batch.shape == (30, 2)


def test_a_worker_that_fails_is_no_error(monkeypatch):
    monkeypatch.setattr(background, 'BACKGROUND', Background())
    monkeypatch.setattr(background.Lane, 'ask', lambda self, task: Reply('ValueError: no'))
    kernels = arm(((0.1, 0.2, 0.31), (0.4, 0.5, 0.6))).kernels()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        kernels.gravity_torque(states(2)[0], None)
        assert wait_for_kernels(60)
    assert [w.category for w in caught] == [RobotDynamicsWarning]
    assert 'ValueError: no' in str(caught[0].message)
    assert kernels.gravity_torque(states(2)[0], None).shape == (2,)


def test_jobs_nobody_wants_are_dropped(monkeypatch):
    asked = []
    monkeypatch.setattr(background, 'BACKGROUND', Background())
    monkeypatch.setattr(background.Lane, 'ask', lambda self, task: asked.append(task) or Reply())
    background.BACKGROUND.submit((), asked.append, lambda: None)
    assert wait_for_kernels(60)
    assert asked == []


def test_a_damaged_kernel_is_no_error(monkeypatch):
    kernels = arm(((0.1, 0.2, 0.33), (0.4, 0.5, 0.6))).kernels()
    monkeypatch.setattr(cache, 'load', lambda path: ({'operations': {}}, b'nonsense'))
    monkeypatch.setattr(native, 'NativeKernel', None)
    with pytest.warns(RobotDynamicsWarning, match='slower path'):
        assert kernels.gravity_torque(states(2)[0], None).shape == (2,)


def test_waiting_has_a_limit(monkeypatch):
    monkeypatch.setattr(background, 'BACKGROUND', Background())
    assert wait_for_kernels(0)
    background.BACKGROUND.pending = 1
    assert not wait_for_kernels(0.01)
    background.BACKGROUND.pending = 0


def test_idle_workers_end(monkeypatch):
    monkeypatch.setattr(background, 'IDLE', 0.05)
    own = Background()
    replies = []
    own.submit((cache.environment(), '/nowhere/x', None, 'nonsense', ()), replies.append)
    lane, = own.lanes
    assert own.wait(60)
    lane.thread.join(30)
    assert lane.worker is None and own.lanes == []
    assert replies and 'Error' in replies[0].error


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='no fork')
def test_a_forked_process_goes_on(compiled):
    code = (
        'import os, sys\n'
        'from engine.engine_robots import arm, states\n'
        'from robot_dynamics.engine import wait_for_kernels\n'
        'kernels = arm(((0.1, 0.2, 0.32), (0.4, 0.5, 0.6))).kernels()\n'
        'kernels.gravity_torque(states(2)[0], None)\n'
        'child = os.fork()\n'
        'kernels.gravity_torque(states(2)[0], None)\n'
        'assert wait_for_kernels(120)\n'
        'kernels.gravity_torque(states(2)[0], None)\n'
        "assert 'built-in' in repr(kernels.gravity_torque)\n"
        'if child:\n'
        '    assert os.waitpid(child, 0)[1] == 0\n'
        'else:\n'
        '    os._exit(0)\n')
    result = subprocess.run(
        [sys.executable, '-c', code], capture_output=True, text=True, timeout=180,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([HOME, str(Path(HOME) / 'test')])})
    assert result.returncode == 0, result.stderr


def new_arm(length):
    """Return kernels of a robot that no other test has."""
    return arm(((0.1, 0.2, length), (0.4, 0.5, 0.6))).kernels()


def is_compiled(kernels, name='gravity_torque'):
    kernels.evaluate(name, tuple(states(2))[:len(DEFINITIONS[name].sizes(kernels.spec, ()))])
    assert wait_for_kernels(120)
    return kernels._bind(name) is not None


def test_warnings_that_are_errors_end_nothing(monkeypatch):
    said = []
    monkeypatch.setattr(background, 'BACKGROUND', Background())
    monkeypatch.setattr(threading, 'excepthook', said.append)
    monkeypatch.setattr(background.Lane, 'ask', lambda self, task: Reply('no memory'))
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert not is_compiled(new_arm(0.341))
    monkeypatch.undo()
    assert 'no memory' in str(said[0].exc_value)
    assert is_compiled(new_arm(0.342))


def test_a_killed_worker_has_a_successor(monkeypatch):
    monkeypatch.setattr(background, 'BACKGROUND', Background())
    start = background.start_worker

    def doomed():
        monkeypatch.setattr(background, 'start_worker', start)
        worker = start()
        worker.kill()
        worker.wait()
        return worker
    monkeypatch.setattr(background, 'start_worker', doomed)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert is_compiled(new_arm(0.343))


def test_a_thread_that_cannot_start_is_no_error(monkeypatch):
    own = Background()
    monkeypatch.setattr(background, 'BACKGROUND', own)
    kernels = new_arm(0.344)

    def refuse(self):
        raise RuntimeError("can't start new thread")
    with monkeypatch.context() as few:
        few.setattr(threading.Thread, 'start', refuse)
        with pytest.warns(RobotDynamicsWarning, match='new thread'):
            kernels.gravity_torque(states(2)[0], None)
        assert kernels.compiled('gravity_torque') is None  # does not wait
    assert wait_for_kernels(0)
    assert own.pending == 0
    monkeypatch.setattr(store, 'AGAIN', 0)
    assert is_compiled(new_arm(0.345))
    kernels._store.slots['gravity_torque', ()].until = 0
    assert is_compiled(kernels)  # asked for again after a while


def test_who_waits_does_not_wait_for_others(monkeypatch):
    own, gate, order = Background(), threading.Event(), []

    def ask(self, task):
        if task == 'long':
            assert gate.wait(60)
        order.append(task)
        return Reply()
    monkeypatch.setattr(background.Lane, 'ask', ask)
    own.submit('long', lambda reply: None)
    own.submit('later', lambda reply: None)
    job = own.submit('mine', lambda reply: None)
    assert own.wait(60, job)
    assert order[0] == 'mine'
    assert not own.wait(0)
    gate.set()
    assert own.wait(60)
    assert sorted(order) == ['later', 'long', 'mine']


def run_alone(code):
    """Run a program that may hang or crash."""
    return subprocess.run(
        [sys.executable, '-c', code], capture_output=True, text=True, timeout=180,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([HOME, str(Path(HOME) / 'test')])})


FORK = """
import os, signal, sys, threading, time
import llvmlite.binding.ffi as ffi
from engine.engine_robots import arm, states
from robot_dynamics.engine import wait_for_kernels
from robot_dynamics.engine.running import forking
kernels = arm(((0.1, 0.2, 0.351), (0.4, 0.5, 0.6))).kernels()
kernels.gravity_torque(states(2)[0], None)
assert wait_for_kernels(120)
for lock in (ffi.lib._lock, forking.LOADING):  # another thread is in the middle of something
    held = threading.Event()
    def hold():
        with lock:
            held.set()
            time.sleep(0.5)
    threading.Thread(target=hold).start()
    held.wait()
    child = os.fork()
    if not child:
        signal.alarm(30)
        kernels.gravity_torque(states(2)[0], None)
        kernels.bias(*states(2)[:2], None)
        os._exit(0 if wait_for_kernels(25) and kernels._bind('bias') is not None else 1)
    assert os.waitpid(child, 0)[1] == 0, lock
"""


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='no fork')
def test_a_fork_while_kernels_load():
    result = run_alone(FORK)
    assert result.returncode == 0, result.stderr


@pytest.mark.skipif(not Path('/proc/self/fd').exists(), reason='no /proc')
def test_a_worker_keeps_no_pipe_of_its_parent_open():
    worker = background.start_worker()
    try:
        assert os.readlink(f'/proc/{worker.pid}/fd/2') == os.devnull
    finally:
        worker.stdin.close()
        assert worker.wait(60) == 0
        worker.stdout.close()
