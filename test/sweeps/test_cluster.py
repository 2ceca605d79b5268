"""Sweeps on a Dask cluster: a scheduler and two workers, real processes on this machine."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from sweeps.sweep_functions import slow_torques

import robot_dynamics as rd
from robot_dynamics.sweeps.cluster import dumps
from robot_dynamics.sweeps.function import Function
from robot_dynamics.sweeps.job import Job
from robot_dynamics.sweeps.output import ZarrOutput, begun

TEST = Path(__file__).parents[1]
ROW = rd.DHRow(1, 0.1, 0.3, 0.2, mass=1, com=(-0.5, 0, 0.1), inertia=np.diag([0.1, 0.2, 0.3]))
SPACE = rd.Sobol({name: (-np.ones(3), np.ones(3)) for name in ('q', 'qd', 'qdd')}, 12_000)


class Cluster:
    """A scheduler and its workers; each has a cache of kernels of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.scheduler = self.start('scheduler', '--host', '127.0.0.1', '--port', '0',
                                    '--scheduler-file', str(folder / 'address.json'))
        while not (folder / 'address.json').exists() or not (folder / 'address.json').read_text():
            assert self.scheduler.poll() is None
            time.sleep(0.05)
        self.address = json.loads((folder / 'address.json').read_text())['address']
        self.workers = [self.start('worker', self.address, '--nthreads', '1', '--no-nanny',
                                   '--name', str(k)) for k in range(2)]

    def start(self, what, *arguments):
        caches = self.folder / f'cache-{arguments[-1]}' if what == 'worker' else self.folder
        with (self.folder / 'log').open('a') as log:
            return subprocess.Popen(
                [sys.executable, '-m', f'distributed.cli.dask_{what}', *arguments,
                 '--no-dashboard'], stdout=log, stderr=log, cwd=self.folder,
                env={**os.environ, 'ROBOT_DYNAMICS_CACHE': str(caches), 'PYTHONPATH':
                     os.pathsep.join([str(TEST), os.environ.get('PYTHONPATH', '')])})

    def close(self):
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture(scope='module')
def cluster(tmp_path_factory):
    found = Cluster(tmp_path_factory.mktemp('cluster'))
    yield found
    found.close()


@pytest.fixture(scope='module')
def arm():
    return rd.Robot.from_dh([ROW, ROW, ROW], name='arm')


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob('*')) if path.is_file()}


def test_one_of_two_workers_killed(cluster, arm, tmp_path):
    """The same bits as on this machine; the kernels came with the job."""
    def kill():
        while len(list((tmp_path / 'cluster.zarr').glob('tau/[0-9]*'))) < 20:
            time.sleep(0.01)
        os.kill(cluster.workers[0].pid, signal.SIGKILL)
        killed.append(len(list((tmp_path / 'cluster.zarr').glob('tau/[0-9]*'))))
    killed = []
    thread = threading.Thread(target=kill)
    thread.start()
    done = rd.sweep(slow_torques, SPACE, tmp_path / 'cluster.zarr', robot=arm, chunk=100,
                    scheduler=cluster.address)
    thread.join()
    assert done.computed == 120 and 20 <= killed[0] < 120
    rd.sweep(slow_torques, SPACE, tmp_path / 'local.zarr', robot=arm, chunk=100, workers=16)
    assert contents(tmp_path / 'cluster.zarr') == contents(tmp_path / 'local.zarr')
    caches = [{path.name for path in (cluster.folder / f'cache-{k}').glob('*.kernel')}
              for k in range(2)]
    assert caches[0] == caches[1] and caches[0]
    assert rd.sweep(slow_torques, SPACE, tmp_path / 'cluster.zarr', robot=arm,
                    scheduler=cluster.address).computed == 0


def test_kernels_are_delivered_and_not_compiled_again(arm, tmp_path):
    """Also where the cache can be read alone."""
    space = rd.Sobol({'q': (-np.ones(3), np.ones(3)), 'a.1': (0.5, 1.5)}, 50)
    rd.sweep('gravity_torque', space, tmp_path / 'x.zarr', robot=arm, workers=1)
    function = Function('gravity_torque', arm, space, {})
    output = ZarrOutput(tmp_path / 'x.zarr', begun(tmp_path / 'x.zarr', ZarrOutput))
    job = Job(function, output)
    function.settle()
    job.take_kernels()
    (tmp_path / 'job').write_bytes(dumps(job))
    script = """
import pickle, sys
from robot_dynamics.engine.running import background, cache
background.BACKGROUND.submit = None  # what would have to be compiled fails
job = pickle.loads(open(sys.argv[1], 'rb').read())
job.prepare()
print(job.compute(0)['gravity_torque'].tobytes().hex(), cache.folder())
"""
    (tmp_path / 'file').touch()
    for cache in ('empty', 'file'):  # a file is no folder to write to
        run = subprocess.run(
            [sys.executable, '-W', 'error', '-c', script, str(tmp_path / 'job')],
            capture_output=True, text=True,
            env={**os.environ, 'ROBOT_DYNAMICS_CACHE': str(tmp_path / cache)})
        assert not run.returncode, run.stderr
        found = run.stdout.split()
        assert found[0] == job.compute(0)['gravity_torque'].tobytes().hex()
        assert (found[1] == str(tmp_path / cache)) == (cache == 'empty')


def test_errors_come_back(cluster, arm, tmp_path):
    def wrong(q, qd, qdd):
        if (q[:, 0] > 0.99).any():
            raise ValueError('too far')
        return q
    with pytest.raises(rd.InputError, match=r'^function: ValueError: too far; \d+ of 120 chunks'):
        rd.sweep(wrong, SPACE, tmp_path / 'x.zarr', chunk=100, scheduler=cluster.address)


def test_an_unreachable_scheduler(arm, tmp_path, monkeypatch):
    monkeypatch.setattr('robot_dynamics.sweeps.cluster.CONNECT', 1.0)
    for address in ('tcp://127.0.0.1:9', 'tcp://no.such.host.invalid:8786', 'nonsense'):
        with pytest.raises(rd.InputError, match=f'^scheduler={address}: cannot be reached: '):
            rd.sweep('gravity_torque', rd.Sobol({'q': (-np.ones(3), np.ones(3))}, 10),
                     tmp_path / 'x.zarr', robot=arm, scheduler=address)


@pytest.mark.slow
def test_a_scheduler_that_is_lost(arm, tmp_path, tmp_path_factory):
    """What is finished stays, and this machine goes on."""
    cluster = Cluster(tmp_path_factory.mktemp('lost'))

    def kill():
        while len(list((tmp_path / 'x.zarr').glob('tau/[0-9]*'))) < 5:
            time.sleep(0.01)
        cluster.close()
    thread = threading.Thread(target=kill)
    thread.start()
    with pytest.raises(rd.InputError, match=r'^scheduler=tcp://.* of 120 chunks of .* stay$'):
        rd.sweep(slow_torques, SPACE, tmp_path / 'x.zarr', robot=arm, chunk=100,
                 scheduler=cluster.address)
    thread.join()
    done = rd.sweep(slow_torques, SPACE, tmp_path / 'x.zarr', robot=arm, workers=16)
    assert done.computed <= 115
