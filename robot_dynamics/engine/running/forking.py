"""The lock under which machine code is loaded, held while the process forks.

A forked process has the locks of its parent as they were, but not the threads that would give
them back. So a fork waits until nobody loads or asks for a kernel, and until LLVM, which others
(numba) may be using too, is at rest: the child then finds both as they should be.
"""

import os
import sys
import threading
from typing import Any

LOADING = threading.RLock()


def llvm_lock() -> Any:
    """Return llvmlite's lock over LLVM, None where llvmlite is not in use."""
    ffi = sys.modules.get('llvmlite.binding.ffi')
    return getattr(getattr(ffi, 'lib', None), '_lock', None)


_held: list[Any] = []  # llvmlite's lock, while a fork is under way


def before_fork() -> None:
    """Wait until neither kernels nor LLVM are in the middle of something."""
    LOADING.acquire()
    lock = llvm_lock()
    if lock is not None:
        lock.__enter__()
    _held.append(lock)


def after_fork() -> None:
    """Let parent and child go on; the thread that forked holds the locks in both."""
    lock = _held.pop()
    if lock is not None:
        lock.__exit__(None, None, None)
    LOADING.release()


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(
        before=before_fork, after_in_parent=after_fork, after_in_child=after_fork)
