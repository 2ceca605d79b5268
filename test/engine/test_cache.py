"""The cache: whole entries or none, damage repaired, races harmless, keys that know enough."""

import errno
import os
import subprocess
import sys
import tempfile
import textwrap
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from engine.engine_robots import CASES, arm, states

from robot_dynamics.engine import wait_for_kernels
from robot_dynamics.engine.running import background, cache, store, worker
from robot_dynamics.model.linear import Linear

HOME = str(Path(cache.__file__).parents[3])


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    """Give the test a cache of its own, and forget loaded kernels."""
    monkeypatch.setenv('ROBOT_DYNAMICS_CACHE', str(tmp_path))
    monkeypatch.setattr(store, 'STORES', type(store.STORES)())
    return tmp_path


def torque(case):
    """Return a torque from a kernel that has been compiled or loaded."""
    kernels = case.kernels()
    args = tuple(states(case.n))
    kernels.inverse_dynamics(*args, None)
    assert wait_for_kernels(120)
    tau = kernels.inverse_dynamics(*args, None)
    assert 'built-in' in repr(kernels.inverse_dynamics)
    return tau


def test_second_process_needs_no_compiler(own_folder):
    case = CASES['two']
    tau = torque(case)
    assert len(list(own_folder.glob('inverse_dynamics-*.kernel'))) == 1
    store.STORES.clear()
    kernels = case.kernels()
    np.testing.assert_array_equal(kernels.inverse_dynamics(*states(2), None), tau)
    assert 'built-in' in repr(kernels.inverse_dynamics)


@pytest.mark.parametrize('damage', ['empty', 'cut', 'bit', 'noise'])
def test_damaged_entries_are_rebuilt(own_folder, damage):
    case = CASES['two']
    tau = torque(case)
    file, = own_folder.glob('inverse_dynamics-*.kernel')
    whole = file.read_bytes()
    spoiled = bytearray(whole)
    spoiled[len(whole) // 2] ^= 1
    file.write_bytes({'empty': b'', 'cut': whole[:-7], 'bit': bytes(spoiled),
                      'noise': os.urandom(500)}[damage])
    assert cache.load(file) is None
    store.STORES.clear()
    np.testing.assert_array_equal(torque(case), tau)
    assert cache.load(file) is not None


def test_nothing_half_written_is_seen(own_folder):
    path = own_folder / 'x-1.kernel'
    cache.store(path, cache.pack({'work': 1}, b'code'))
    assert cache.load(path) == ({'work': 1}, b'code')
    assert [file.name for file in own_folder.iterdir()] == ['x-1.kernel']
    assert cache.load(own_folder / 'missing.kernel') is None


RACE = """
import os, sys
import numpy as np
from engine.engine_robots import CASES, states
from robot_dynamics.engine import wait_for_kernels
kernels = CASES['chain'].kernels()
kernels.inverse_dynamics(*states(4), None)
assert wait_for_kernels(120)
print(kernels.inverse_dynamics(*states(4), None).tobytes().hex())
assert 'built-in' in repr(kernels.inverse_dynamics)
"""


def run(code, **environment):
    return subprocess.Popen(
        [sys.executable, '-c', code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([HOME, str(Path(HOME) / 'test')]),
             **environment})


def test_processes_may_race(tmp_path):
    racers = [run(RACE, ROBOT_DYNAMICS_CACHE=str(tmp_path)) for _ in range(3)]
    results = [racer.communicate(timeout=180) for racer in racers]
    assert all(racer.returncode == 0 for racer in racers), results
    assert len({out for out, _ in results}) == 1
    assert not list(tmp_path.glob('.writing*'))


def test_a_folder_that_cannot_be_used(tmp_path):
    blocked = tmp_path / 'file'
    blocked.write_text('')
    racer = run(RACE, ROBOT_DYNAMICS_CACHE=str(blocked / 'below'))
    _, err = racer.communicate(timeout=180)
    assert racer.returncode == 0, err


def test_a_read_only_folder_is_used(own_folder, monkeypatch):
    case = CASES['two']
    tau = torque(case)
    there = set(Path(tempfile.gettempdir()).glob('robot_dynamics*'))

    def refuse(*_, **__):
        raise OSError(errno.EROFS, 'Read-only file system')
    for name in ('mkstemp', 'TemporaryFile'):
        monkeypatch.setattr(tempfile, name, refuse)
    monkeypatch.setattr(background.Lane, 'ask', refuse)  # nothing is to be compiled
    store.STORES.clear()
    kernels = case.kernels()
    np.testing.assert_array_equal(kernels.inverse_dynamics(*states(2), None), tau)
    assert 'built-in' in repr(kernels.inverse_dynamics)
    assert set(Path(tempfile.gettempdir()).glob('robot_dynamics*')) == there


FULL = """
import resource, warnings
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # no file may grow, as on a full disk
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
""" + textwrap.indent(RACE, '    ') + """
assert ['cannot be kept' in str(x.message) for x in caught] == [True]
"""


def test_a_full_disk_loses_nothing(tmp_path):
    racer = run(FULL, ROBOT_DYNAMICS_CACHE=str(tmp_path / 'cache'))
    _, err = racer.communicate(timeout=180)
    assert racer.returncode == 0, err
    assert list((tmp_path / 'cache').iterdir()) == []


def test_a_package_that_changed_is_not_compiled_for(own_folder):
    path = own_folder / 'x-1.kernel'
    assert worker.answer(('other sources', str(path), None, 'general', ('inverse',))) == (
        worker.CHANGED, None)
    assert not path.exists()


def test_what_the_killed_left_goes(tmp_path):
    for name, age in (('.writing-old', 1e5), ('.writing-new', 0)):
        (tmp_path / name).write_bytes(b'')
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    cache.store(tmp_path / '1.kernel', cache.pack({}, b''))
    assert sorted(file.name for file in tmp_path.iterdir()) == ['.writing-new', '1.kernel']


def test_a_user_without_a_home(monkeypatch):
    def homeless():
        raise RuntimeError('Could not determine home directory.')
    for name in ('ROBOT_DYNAMICS_CACHE', 'XDG_CACHE_HOME'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, 'home', homeless)
    path = cache.entry('robot', 'bias', ())
    assert cache.load(path) is None
    with pytest.raises(OSError, match='Not a directory'):
        cache.store(path, b'')


def test_where_the_folder_is(monkeypatch, tmp_path):
    monkeypatch.delenv('ROBOT_DYNAMICS_CACHE', raising=False)
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    assert cache.folder() == tmp_path / 'robot_dynamics'
    monkeypatch.delenv('XDG_CACHE_HOME')
    assert cache.folder() == Path.home() / '.cache' / 'robot_dynamics'


def test_the_key_knows_the_robot_and_the_processor(monkeypatch):
    spec = CASES['ur5'].kernels().spec
    moved = arm(seed=3).kernels().spec
    assert cache.fingerprint(spec) == cache.fingerprint(moved)  # inertials are no part of it
    keys = {cache.fingerprint(spec)}
    for change in ({'armature': True}, {'turning': True}, {'massless': (1,)},
                   {'coordinates': Linear(np.eye(6), np.ones(6))},
                   {'coordinates': Linear(-np.eye(6), np.zeros(6))},
                   {'geometry': spec.geometry._replace(theta0=np.full(6, 0.1))}):
        keys.add(cache.fingerprint(replace(spec, **change)))
    assert len(keys) == 7
    before = cache.entry('robot', 'bias', ())
    assert cache.entry('robot', 'pose', ()) != before
    import llvmlite.binding as llvm
    monkeypatch.setattr(llvm, 'get_host_cpu_name', lambda: 'another')
    cache.environment.cache_clear()
    assert cache.entry('robot', 'bias', ()) != before
    monkeypatch.undo()
    cache.environment.cache_clear()


def test_the_oldest_go(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, 'ENTRIES', 3)
    for k in range(5):
        cache.store(tmp_path / f'{k}.kernel', cache.pack({}, b''))
        os.utime(tmp_path / f'{k}.kernel', (k, k))
    cache.prune(tmp_path, '*.kernel', 3)
    assert sorted(file.stem for file in tmp_path.glob('*.kernel')) == ['2', '3', '4']
