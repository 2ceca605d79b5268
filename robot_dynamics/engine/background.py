"""Compiles kernels in another process and tells when they are in use.

A thread of this process hands jobs to the worker, one at a time, and waits for its answers; it
computes nothing itself. Worker and thread end when there has been nothing to do for a while.
"""

import os
import pickle
import queue
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from robot_dynamics.errors import RobotDynamicsWarning

IDLE = 10.0  # [s]


class Background:
    """The queue of kernels to compile."""

    def __init__(self) -> None:
        self.lock = threading.Condition()
        self.jobs: queue.Queue = queue.Queue()
        self.pending = 0
        self.thread: threading.Thread | None = None
        self.worker: subprocess.Popen | None = None

    def submit(self, job: tuple, done: Callable[[str], None],
               wanted: Callable[[], object] = lambda: True) -> None:
        """Have a job done; `done` is called with the worker's answer, in the thread.

        wanted: returns None when nobody waits for the job any more
        """
        with self.lock:
            self.pending += 1
            self.jobs.put((job, done, wanted))
            if self.thread is None:
                self.thread = threading.Thread(
                    target=self.run, name='robot_dynamics kernels', daemon=True)
                self.thread.start()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is pending; return whether that is so."""
        limit = None if timeout is None else time.monotonic() + timeout
        with self.lock:
            while self.pending:
                left = None if limit is None else limit - time.monotonic()
                if left is not None and left <= 0:
                    return False
                self.lock.wait(left)
        return True

    def run(self) -> None:
        """Do jobs until there are none for a while."""
        while True:
            try:
                job, done, wanted = self.jobs.get(timeout=IDLE)
            except queue.Empty:
                with self.lock:
                    if self.jobs.empty():
                        self.close()
                        self.thread = None
                        return
                continue
            try:
                if wanted() is not None:
                    done(self.ask(job))
            except Exception as error:  # the thread must live on for the jobs that follow
                warnings.warn(f'a kernel cannot be used: {error}', RobotDynamicsWarning,
                              stacklevel=2)
            with self.lock:
                self.pending -= 1
                self.lock.notify_all()

    def ask(self, job: tuple) -> str:
        """Send a job to the worker and return its answer."""
        try:
            if self.worker is None or self.worker.poll() is not None:
                self.worker = start_worker()
            assert self.worker.stdin is not None and self.worker.stdout is not None
            pickle.dump(job, self.worker.stdin)
            self.worker.stdin.flush()
            reply = self.worker.stdout.readline().decode().strip()
        except (OSError, ValueError) as error:
            reply = str(error)
        return reply or 'the compiling process ended'

    def close(self) -> None:
        """Let the worker end."""
        if self.worker is not None and self.worker.stdin is not None:
            self.worker.stdin.close()
            self.worker.wait()
        self.worker = None


def start_worker() -> subprocess.Popen:
    """Start the process that compiles; it finds the package where this process found it."""
    home = str(Path(__file__).resolve().parent.parent.parent)
    paths = [home, *filter(None, [os.environ.get('PYTHONPATH')])]
    return subprocess.Popen(
        [sys.executable, '-m', 'robot_dynamics.engine.worker'], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, env={**os.environ, 'PYTHONPATH': os.pathsep.join(paths)},
        start_new_session=True)


BACKGROUND = Background()


def after_fork() -> None:
    """Start afresh in a forked process: no thread, and pipes that are its parent's."""
    global BACKGROUND
    BACKGROUND = Background()


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=after_fork)
