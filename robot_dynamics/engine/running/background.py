"""Compiles kernels in other processes and tells when they are in use.

A lane is a thread of this process that hands jobs to a worker of its own, one at a time, and waits
for its answers; it computes nothing itself. One lane does for kernels that nobody waits for. Who
waits has his job taken next, by another lane if all are busy. Lanes and their workers end when
there has been nothing to do for a while.
"""

import contextlib
import os
import pickle
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from robot_dynamics.errors import RobotDynamicsWarning, warn

IDLE = 10.0  # [s]
DELAY = 0.0  # [s] before a job is begun that nobody waits for; the tests have many such
LANES = 4  # at most
GLANCE = 1.0  # [s] how often those who wait look whether there is a lane


class Reply(NamedTuple):
    """What a worker answers."""

    error: str = ''  # empty: the kernel is in the cache, or in `content`
    content: bytes | None = None  # the cache's entry, where it could not be written


class KernelJob:
    """A kernel to compile."""

    def __init__(self, task: tuple[Any, ...], done: Callable[[Reply], None],
                 wanted: Callable[[], object]) -> None:
        self.task, self.done, self.wanted = task, done, wanted
        self.hurried, self.over = False, False
        self.due = time.monotonic() + DELAY


class Background:
    """The kernels to compile, and who compiles them."""

    def __init__(self) -> None:
        self.lock = threading.Condition()
        self.jobs: deque[KernelJob] = deque()  # not begun
        self.pending = 0
        self.lanes: list[Lane] = []

    @property
    def thread(self) -> threading.Thread | None:
        """The first lane's thread."""
        return next((lane.thread for lane in self.lanes), None)

    @property
    def worker(self) -> subprocess.Popen[bytes] | None:
        """The first lane's process."""
        return next((lane.worker for lane in self.lanes), None)

    def submit(self, task: tuple[Any, ...], done: Callable[[Reply], None],
               wanted: Callable[[], object] = lambda: True) -> KernelJob:
        """Have a job done; `done` is called with the worker's answer, in a lane's thread.

        wanted: returns None when nobody waits for the job any more
        """
        job = KernelJob(task, done, wanted)
        with self.lock:
            self.ensure_lane()  # raises where no thread can start: nothing has changed yet
            self.jobs.append(job)
            self.pending += 1
            self.lock.notify_all()
        return job

    def wait(self, timeout: float | None = None, job: KernelJob | None = None) -> bool:
        """Wait until a job is over, or all are; return whether that is so."""
        limit = None if timeout is None else time.monotonic() + timeout
        with self.lock:
            if job is not None:
                self.hurry(job)
            while self.pending if job is None else not job.over:
                if job is None:
                    self.begin(self.jobs)
                left = GLANCE if limit is None else min(GLANCE, limit - time.monotonic())
                if left <= 0:
                    return False
                self.lock.wait(left)
                if self.jobs:
                    self.ensure_lane()
        return True

    def ensure_lane(self) -> None:
        """Start a lane if there is none."""
        if not any(lane.thread.is_alive() for lane in self.lanes):
            self.lanes = [Lane(self)]

    def hurry(self, job: KernelJob) -> None:
        """Have a job done next, by a lane of its own if the others are busy."""
        if job not in self.jobs:
            return
        job.hurried = True
        self.jobs.remove(job)
        self.jobs.appendleft(job)
        self.begin([job])
        idle = sum(not lane.busy for lane in self.lanes)
        if sum(x.hurried for x in self.jobs) > idle and len(self.lanes) < LANES:
            with contextlib.suppress(RuntimeError):  # no thread more: its turn comes
                self.lanes.append(Lane(self))

    def begin(self, jobs: Iterable[KernelJob]) -> None:
        """Let jobs be begun at once: somebody waits for them."""
        late = [job for job in jobs if job.due]
        for job in late:
            job.due = 0.0
        if late:
            self.lock.notify_all()

    def take(self, lane: 'Lane') -> KernelJob | None:
        """Return a lane's next job, None if there was none for a while: the lane ends."""
        with self.lock:
            lane.busy, end = False, time.monotonic() + IDLE
            while True:
                now = time.monotonic()
                job = next((job for job in self.jobs if job.due <= now), None)
                if job is not None:
                    lane.busy = True
                    self.jobs.remove(job)
                    return job
                if not self.jobs and now >= end:
                    if lane in self.lanes:
                        self.lanes.remove(lane)
                    return None
                next_due = min((job.due for job in self.jobs), default=end)
                self.lock.wait(max(1e-3, next_due - now))

    def finish(self, job: KernelJob) -> None:
        """Tell those who wait that a job is over."""
        with self.lock:
            job.over = True
            self.pending -= 1
            self.lock.notify_all()


class Lane:
    """A thread with a worker of its own, until there is nothing to do."""

    def __init__(self, background: Background) -> None:
        self.background = background
        self.busy = False
        self.worker: subprocess.Popen[bytes] | None = None
        self.thread = threading.Thread(
            target=self.run, name='robot_dynamics kernels', daemon=True)
        self.thread.start()

    def run(self) -> None:
        """Do jobs until there are none for a while; nothing that a job does may end the thread."""
        while (job := self.background.take(self)) is not None:
            try:
                if job.wanted() is not None:
                    job.done(self.ask(job.task))
            except Exception:  # a warning that is an error, too
                report()
            finally:
                self.background.finish(job)
        self.close()

    def ask(self, task: tuple[Any, ...]) -> Reply:
        """Send a job to the worker and return its answer.

        A worker that ends meanwhile (killed, short of memory) gets one successor.
        """
        reason = ''
        for _ in range(2):
            try:
                if self.worker is None or self.worker.poll() is not None:
                    self.worker = start_worker()
                assert self.worker.stdin is not None and self.worker.stdout is not None
                pickle.dump(task, self.worker.stdin)
                self.worker.stdin.flush()
                return Reply(*pickle.load(self.worker.stdout))
            except (EOFError, BrokenPipeError):
                reason = 'the compiling process ended'
            except Exception as error:  # whatever it is, the caller goes on without this kernel
                reason = str(error) or type(error).__name__
            self.close()
        return Reply(reason)

    def close(self) -> None:
        """Let the worker end."""
        worker, self.worker = self.worker, None
        if worker is not None:
            assert worker.stdin is not None and worker.stdout is not None
            with contextlib.suppress(OSError):
                worker.stdin.close()
            worker.wait()
            worker.stdout.close()


def report() -> None:
    """Say what went wrong in a thread, where nobody can catch it."""
    kind, error, trace = sys.exc_info()
    assert kind is not None
    if issubclass(kind, Warning):  # warnings are errors here: as Python tells it in threads
        threading.excepthook(threading.ExceptHookArgs(
            (kind, error, trace, threading.current_thread())))
        return
    try:
        warn(f'a kernel cannot be used: {error}')
    except RobotDynamicsWarning:
        report()


def start_worker() -> subprocess.Popen[bytes]:
    """Start the process that compiles; it finds the package where this process found it.

    It may outlive this process while it finishes a kernel, and must not keep a pipe open meanwhile
    that somebody reads to the end: what goes wrong it says in its answers.
    """
    home = str(Path(__file__).resolve().parents[3])
    paths = [home, *filter(None, [os.environ.get('PYTHONPATH')])]
    return subprocess.Popen(
        [sys.executable, '-m', 'robot_dynamics.engine.running.worker'], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(paths)})


BACKGROUND = Background()
PARENTS: list[Background] = []  # kept, so that nothing of them is closed or flushed


def after_fork() -> None:
    """Start afresh in a forked process: no thread, and pipes that are its parent's."""
    global BACKGROUND
    old, BACKGROUND = BACKGROUND, Background()
    PARENTS.append(old)
    for lane in old.lanes:
        if lane.worker is not None:
            let_go(lane.worker)


def let_go(worker: subprocess.Popen[bytes]) -> None:
    """Give up the pipes of the parent's worker.

    What is left in their buffers must not reach it, and it must see when its parent ends.
    """
    nothing = os.open(os.devnull, os.O_RDWR)
    for pipe in (worker.stdin, worker.stdout):
        if pipe is not None and not pipe.closed:
            os.dup2(nothing, pipe.fileno(), inheritable=False)
    os.close(nothing)
    worker.returncode = 0  # it is no child of this process


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=after_fork)
