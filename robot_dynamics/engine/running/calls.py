"""Calls kernels: what must hold for single calls, and how a batch is shared among threads."""

import contextlib
import ctypes
import functools
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from robot_dynamics.engine.emission.call import (
    CONTIGUOUS_ALIGNED,
    DATA,
    DESCR,
    DIMENSIONS,
    FLAGS,
    NDIM,
    WORTH_A_THREAD,
)

if TYPE_CHECKING:
    from robot_dynamics.engine.running.native import NativeKernel

CHUNK = 64  # states: whole blocks, whole lines of the processor's cache


@functools.cache
def layout_is_known() -> bool:
    """Look at two arrays to see whether their fields stand where the kernels expect them."""
    if sys.implementation.name != 'cpython' or object.__basicsize__ != 16:
        return False
    for array in (np.zeros((3, 5)), np.zeros((2, 4))):
        base = id(array)
        dims = ctypes.c_void_p.from_address(base + DIMENSIONS).value or 0
        flags = ctypes.c_int.from_address(base + FLAGS).value
        if (ctypes.c_void_p.from_address(base + DATA).value != array.ctypes.data
                or ctypes.c_int.from_address(base + NDIM).value != array.ndim
                or ctypes.c_void_p.from_address(base + DESCR).value != id(np.dtype(np.float64))
                or flags & CONTIGUOUS_ALIGNED != CONTIGUOUS_ALIGNED
                or (ctypes.c_int64 * 2).from_address(dims)[:] != list(array.shape)):
            return False
    return True


DATA_AT: Any = ctypes.c_void_p.from_address  # quicker by far than what numpy tells
MOST_THREADS = [sys.maxsize]  # of a batch, the last one holds


def cores() -> int:
    """Return how many processors this process may use."""
    found = len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()
    return min(found or 1, MOST_THREADS[-1])


@contextlib.contextmanager
def at_most(threads: int) -> Iterator[None]:
    """Let batches use a few threads alone, for processes of which each has its processor."""
    MOST_THREADS.append(threads)
    try:
        yield
    finally:
        MOST_THREADS.pop()


POOLS: dict[int, ThreadPoolExecutor] = {}


def pool() -> ThreadPoolExecutor:
    """Return this process's threads."""
    if os.getpid() not in POOLS:
        POOLS[os.getpid()] = ThreadPoolExecutor(cores(), 'robot_dynamics batch')
    return POOLS[os.getpid()]


def address(array: np.ndarray) -> int:
    """Return where an array's data begin."""
    if layout_is_known():
        return DATA_AT(id(array) + DATA).value or 0
    return int(array.__array_interface__['data'][0])


def run_batch(kernel: 'NativeKernel', arrays: list[np.ndarray], work: np.ndarray,
              result: np.ndarray) -> Iterator[int]:
    """Run a kernel over states (N, n), on several threads when that pays.

    Return which states are bad; they are looked for when asked for.
    """
    N = len(result)
    sizes = [array.shape[1] * 8 for array in arrays]
    width = result.shape[1] * 8
    pointers, target = [address(array) for array in arrays], address(result)

    def part(start: int, stop: int) -> int:
        own = kernel.at(work, start)
        bad: int = kernel.batch(
            *[p + start * size for p, size in zip(pointers, sizes, strict=True)],
            address(own), target + start * width, stop - start)
        return bad

    threads = min(cores(), N * kernel.operations // WORTH_A_THREAD)
    step = N if threads < 2 else -(-N // (threads * CHUNK)) * CHUNK
    pieces = [(start, min(N, start + step)) for start in range(0, N, step or 1)]
    bad = list((pool().map if threads > 1 else map)(lambda piece: part(*piece), pieces))
    return (k for piece, found in zip(pieces, bad, strict=True) if found
            for k in search(part, *piece))


def search(part: Callable[[int, int], int], start: int, stop: int) -> Iterator[int]:
    """Yield the bad ones of a range of states that has some, by halves: one costs as much as all.

    part: computes a range of states and returns whether one is bad
    """
    if stop - start == 1:
        yield start
        return
    middle = (start + stop) // 2
    for half in ((start, middle), (middle, stop)):
        if part(*half):
            yield from search(part, *half)
