"""Chunks on a Dask cluster.

The scheduler keeps the job for every worker, also for those that come later, and sees some tasks
per worker at a time: a task is as many chunks as take a few seconds. Workers write their chunks
themselves, into the folder that all share. A worker that is lost has its tasks done by others.
"""

import contextlib
import pickle
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from robot_dynamics.errors import InputError, RobotDynamicsError, warn
from robot_dynamics.inputs import text
from robot_dynamics.sweeps.job import Job
from robot_dynamics.sweeps.local import Report, as_message

CONNECT = 10.0  # [s] to reach the scheduler
TASK = 10.0  # [s] that a task should take: what the scheduler has to do is per task
AHEAD = 2  # tasks for each thread of the workers that the scheduler knows of
JOBS: dict[str, Job] = {}  # those of this process, a worker of the cluster
LOADING = threading.Lock()


def run_cluster(job: Job, chunks: Sequence[int], address: str, report: Report) -> None:
    """Compute chunks on a cluster; `InputError`: it cannot be reached, or is lost."""
    with connected(address) as client:
        if not chunks:
            return
        job.function.settle()
        job.take_kernels()
        key = f'robot_dynamics-{job.output.manifest["space"][:16]}-{time.time_ns():x}'
        client.register_plugin(make_plugin(key, dumps(job)), name=key)
        try:
            with client.as_current():
                follow(client, key, list(chunks), report)
        except RobotDynamicsError:
            raise
        except Exception as error:
            raise InputError(f'scheduler={address}: {said(error)}') from None
        finally:
            with contextlib.suppress(Exception):
                client.unregister_worker_plugin(key)


@contextlib.contextmanager
def connected(address: str) -> Iterator[Any]:
    """Open a connection to a scheduler."""
    try:
        from distributed import Client
    except ImportError:
        raise InputError('scheduler: needs Dask: install the extra cluster') from None
    try:
        client = Client(text('scheduler', address), timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f'scheduler={address}: cannot be reached: {said(error)}') from None
    try:
        yield client
    finally:
        with contextlib.suppress(Exception):
            client.close(timeout=CONNECT)


def follow(client: Any, key: str, left: list[int], report: Report) -> None:
    """Hand out chunks as workers get on with them, until none is left."""
    from distributed import as_completed
    pending, size = as_completed(), 1
    left.reverse()
    if not client.nthreads():
        warn('the cluster has no workers yet: the sweep waits for them')
    while left or not pending.is_empty():
        threads = sum(client.nthreads().values())
        while left and pending.count() < max(1, AHEAD * threads):
            task = [left.pop() for _ in range(min(size, len(left)))]
            pending.add(client.submit(run_chunks, key, task, pure=False, priority=-task[0]))
        done = next(pending)
        chunks, seconds, error = done.result()
        for chunk in chunks:
            report(chunk)
        if error is not None:
            raise error
        fair = -(-len(left) // max(1, AHEAD * threads))  # at the end all have something to do
        size = max(1, min(int(TASK * len(chunks) / max(seconds, 1e-3)), 2 * size, fair))


def run_chunks(key: str, chunks: list[int]) -> tuple[list[int], float, Exception | None]:
    """Compute chunks on a worker; return those that are finished, the time [s], what went wrong.

    A task that is done again, since its worker was lost, leaves out what is finished.
    """
    began, done = time.perf_counter(), []
    try:
        job = job_of(key)
        for chunk in chunks:
            if not job.done(chunk):
                job.run(chunk)
            done.append(chunk)
    except Exception as error:
        return done, time.perf_counter() - began, as_message(error)
    return done, time.perf_counter() - began, None


def job_of(key: str) -> Job:
    """Return a job on a worker; the first time, from what the scheduler has sent."""
    from distributed import get_worker
    with LOADING:
        if key not in JOBS:
            job: Job = pickle.loads(get_worker().plugins[key].job)
            job.prepare()
            JOBS.clear()
            JOBS[key] = job
        return JOBS[key]


def make_plugin(key: str, job: bytes) -> Any:
    """Return what Dask hands to every worker."""
    from distributed import WorkerPlugin

    class Delivery(WorkerPlugin):  # type: ignore[misc]  # Dask has no types
        """A job, not opened until it is wanted."""

        def __init__(self) -> None:
            self.name, self.job = key, job
    return Delivery()


def dumps(job: Job) -> bytes:
    """Return a job as bytes; functions of scripts and notebooks go along."""
    import cloudpickle
    try:
        content: bytes = cloudpickle.dumps(job)
    except Exception as error:
        raise InputError(f'function: cannot be sent to workers: {said(error)}') from None
    return content


def said(error: Exception) -> str:
    """Return what an error says, in one line."""
    words = str(error).strip().splitlines()
    return words[0] if words else type(error).__name__
