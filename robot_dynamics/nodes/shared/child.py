"""Nodes as processes that do not outlive the one that started them. Knows nothing of ROS."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 5.0  # [s] for a node to end


@contextmanager
def child(module: str, *arguments: Any, **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Run a module of Python as a process until the block ends; options: of Popen."""
    process = subprocess.Popen(
        [sys.executable, '-m', module, *map(str, arguments)], stdin=subprocess.DEVNULL,
        start_new_session=True, preexec_fn=_die_with_parent, **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _die_with_parent() -> None:
    set_parent_death_signal = 1  # PR_SET_PDEATHSIG of prctl(2): even kill -9 leaves no child
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGTERM)
