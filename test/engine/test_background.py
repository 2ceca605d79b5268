"""Compiling happens elsewhere; meanwhile, and without a compiler, slower paths answer."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from engine.engine_robots import CASES, arm, states

from robot_dynamics.engine import background, cache, native, wait_for_kernels
from robot_dynamics.engine.background import Background, Reply
from robot_dynamics.errors import RobotDynamicsWarning

HOME = str(Path(background.__file__).parents[2])

WITHOUT_NUMBA = """
import sys, warnings
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] in ('numba', 'llvmlite'):
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
assert len(caught) == 1 and 'numba' in str(caught[0].message), [str(x.message) for x in caught]
"""


def test_without_numba_numpy_answers_with_one_warning(compiled):
    result = subprocess.run(
        [sys.executable, '-c', WITHOUT_NUMBA], capture_output=True, text=True, timeout=120,
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
