"""Chunks on this machine: in this process, or in some that it forks.

A fork has the function, the robot and its kernels at once, whatever they are; it takes chunks from
a pipe until the pipe ends, as it does when the one who forked it is killed.
"""

import contextlib
import multiprocessing
import os
import signal
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from typing import IO, Any

from robot_dynamics.engine.running.calls import cores
from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.inputs import number
from robot_dynamics.sweeps.job import Job

AHEAD = 2  # chunks that a worker has before it: it need not wait for the next one
DEATHS = 2  # of workers at one chunk, then it is the chunk's fault

Report = Callable[[int], None]  # is told of each chunk that is finished


class Worker:
    """A forked process, what it has to do, and the pipe to it."""

    def __init__(self, job: Job, others: Sequence['Worker'], held: IO[str] | None) -> None:
        self.chunks: deque[int] = deque()
        self.pipe, end = multiprocessing.Pipe()
        inherited = [self.pipe, *(other.pipe for other in others)]
        self.process = multiprocessing.get_context('fork').Process(
            target=work, args=(job, end, inherited, held), daemon=True)
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', DeprecationWarning)  # of threads: the engine knows
            self.process.start()
        end.close()

    def give(self, chunk: int) -> None:
        """Give it a chunk."""
        self.chunks.append(chunk)
        with contextlib.suppress(OSError):  # it is gone, which is seen when its answer is read
            self.pipe.send(chunk)

    def answer(self) -> Exception | None:
        """Read what became of its first chunk; `EOFError`: it is gone."""
        try:
            error: Exception | None = self.pipe.recv()
        except OSError:
            raise EOFError from None
        return error

    def end(self) -> None:
        """End it, in the middle of a chunk if need be."""
        self.pipe.close()
        self.process.terminate()
        self.process.join()


def work(job: Job, pipe: Connection, inherited: Sequence[Connection],
         held: IO[str] | None) -> None:
    """Compute chunks until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who forked us will end us
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in inherited:
        other.close()
    if held is not None:
        held.close()
    with contextlib.suppress(EOFError, OSError):
        while True:
            chunk, error = pipe.recv(), None
            try:
                job.run(chunk)
            except Exception as reason:
                error = reason
            pipe.send(as_message(error))


def as_message(error: Exception | None) -> Exception | None:
    """Return an error that can be sent: ours as they are, others by their words."""
    if error is None or isinstance(error, RobotDynamicsError):
        return error
    return InputError(f'function: {type(error).__name__}: {error}')


def run_here(job: Job, chunks: Sequence[int], report: Report) -> None:
    """Compute chunks in this process."""
    for chunk in chunks:
        try:
            job.run(chunk)
        except Exception as error:
            raise as_message(error) or error from error
        report(chunk)


def run_local(job: Job, chunks: Sequence[int], workers: int, report: Report,
              held: IO[str] | None) -> None:
    """Compute chunks in forked processes; `RobotDynamicsError`: the first that went wrong."""
    left, deaths = deque(chunks), dict[int, int]()
    pool: list[Worker] = []
    try:
        while len(pool) < min(workers, len(chunks)):
            pool.append(Worker(job, pool, held))
        while left or any(worker.chunks for worker in pool):
            for _ in range(AHEAD):
                for worker in pool:
                    if left and len(worker.chunks) < AHEAD:
                        worker.give(left.popleft())
            busy: list[Any] = [worker.pipe for worker in pool if worker.chunks]
            ready = wait(busy)
            for worker in [worker for worker in pool if worker.pipe in ready]:
                try:
                    error = worker.answer()
                except EOFError:
                    bury(worker, left, deaths)
                    pool.remove(worker)
                    pool.append(Worker(job, pool, held))
                    continue
                if error is not None:
                    raise error
                report(worker.chunks.popleft())
    finally:
        for worker in pool:
            worker.end()


def bury(worker: Worker, left: deque[int], deaths: dict[int, int]) -> None:
    """Take back the chunks of a worker that is gone."""
    worker.end()
    chunk = worker.chunks[0]
    deaths[chunk] = deaths.get(chunk, 0) + 1
    if deaths[chunk] > DEATHS:
        raise InputError(f'chunk {chunk}: its worker was ended {deaths[chunk]} times (exit code '
                         f'{worker.process.exitcode}): too little memory?')
    left.extendleft(reversed(worker.chunks))


def count_workers(workers: Any) -> int:
    """Return how many processes to use: as many as there are processors unless it is said."""
    if workers is None:
        return cores()
    found = number('workers', workers)
    if found < 1 or found != int(found):
        raise InputError(f'workers={workers}: expected 1 or more')
    return int(found) if hasattr(os, 'fork') else 1
