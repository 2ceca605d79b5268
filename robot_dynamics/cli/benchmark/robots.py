"""What the benchmark measures of one robot."""

import os
import tempfile
import time
from typing import Any

import numpy as np

from robot_dynamics.cli.benchmark.measure import Timing, interleaved
from robot_dynamics.cli.benchmark.peers import peers
from robot_dynamics.engine import wait_for_kernels
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.running import cache, calls, store

FUNCTIONS = ('inverse_dynamics', 'forward_dynamics', 'inertia_matrix')
BATCH = 4096
LARGE = 8  # times that for all threads
LONG = 50_000  # joints in a batch of long chains, whose every state takes long
RESULT = 500_000  # numbers: a batch whose results stay in the processor's cache


def measure(robot: Any, functions: tuple[str, ...], repetitions: int) -> list[dict[str, Any]]:
    """Return one row per function: microseconds per evaluation of every contestant."""
    rivals = peers(robot)
    rows = []
    for name in functions:
        timings = interleaved(contestants(robot, name, rivals), repetitions)
        count = robot._kernels.operation_count(name) if robot.n <= 64 else None
        rows.append({'function': name, 'operations': count,
                     'times': {key: value.row() for key, value in timings.items()},
                     'ratios': ratios(timings)})
    return rows


def contestants(robot: Any, name: str, rivals: dict[str, Any]) -> dict[str, Any]:
    """Return what is to be timed: (function, evaluations per call) by name."""
    n, kernels = robot.n, robot._kernels
    rng = np.random.default_rng(0)
    q, qd, x = rng.uniform(-1, 1, (3, n))
    several = max(4, min(BATCH if n <= 32 else LONG // n,
                         RESULT // (n ** 2 if name == 'inertia_matrix' else n)))
    batch = rng.uniform(-1, 1, (3, several, n))
    ours = getattr(robot, name)
    arguments = (q,) if name == 'inertia_matrix' else (q, qd, x)
    ours(*arguments)
    if not wait_for_kernels(600):
        raise TimeoutError(f'{name} was not compiled in ten minutes')
    out = ours(*arguments)
    states = tuple(batch[:len(arguments)])
    results = ours(*states)
    if name == 'inertia_matrix':  # written out, as users and the peers' calls are
        found = {'python': (lambda: ours(q), 1), 'python, out=': (lambda: ours(q, out=out), 1)}
    else:
        found = {'python': (lambda: ours(q, qd, x), 1),
                 'python, out=': (lambda: ours(q, qd, x, out=out), 1)}
    bound = kernels._bind(name)
    if bound is not None:
        kernel, work, _ = bound
        pointers = [*(array.ctypes.data for array in (*states, work, results)), several]
        found['compiled loop'] = (lambda: kernel.loop(*pointers), several)
    found['batch'] = (lambda: with_threads(1, ours, states, results), several)
    batches = [('batch', 1, batch)]
    if calls.cores() > 1:  # threads pay off in large batches alone
        large = np.tile(batch, (1, LARGE if n <= 32 else 1, 1))
        all_states, all_results = tuple(large[:len(arguments)]), ours(*large[:len(arguments)])
        found['batch, all threads'] = (lambda: ours(*all_states, out=all_results), len(large[0]))
        batches.append(('batch, all threads', calls.cores(), large))
    for peer, rival in rivals.items():
        found[peer] = (rival.call(name, q, qd, x), 1)
        for label, threads, given in batches:
            run = rival.batch(name, threads, *given) if hasattr(rival, 'batch') else None
            if run is not None:
                found[f'{peer} {label}'] = (run, len(given[0]))
    return found


def with_threads(threads: int, function: Any, states: tuple, out: np.ndarray) -> None:
    """Call a function over a batch on so many threads."""
    kept, calls.cores = calls.cores, lambda: threads
    try:
        function(*states, out=out)
    finally:
        calls.cores = kept


def ratios(timings: dict[str, Timing]) -> dict[str, float]:
    """Return how many times faster we are than Pinocchio's own Python call."""
    peer = timings.get('pinocchio')
    return {name: peer.median / timing.median for name, timing in timings.items()
            if peer is not None and not name.startswith(('pinocchio', 'mujoco'))}


def start_up(robot: Any, functions: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """Return seconds to the first answer, to a compiled kernel, and to a cached one."""
    kept = os.environ.get('ROBOT_DYNAMICS_CACHE')
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ['ROBOT_DYNAMICS_CACHE'] = folder
        try:
            for name in functions:
                cold, first = time_to_kernel(robot, name)
                cached, _ = time_to_kernel(robot, name)
                size = sum(file.stat().st_size for file in cache.folder().glob(f'{name}-*.kernel'))
                result[name] = {'first_answer_s': first, 'kernel_cold_s': cold,
                                'kernel_cached_s': cached, 'code_bytes': size}
        finally:
            del os.environ['ROBOT_DYNAMICS_CACHE']
            if kept is not None:
                os.environ['ROBOT_DYNAMICS_CACHE'] = kept
    return result


def time_to_kernel(robot: Any, name: str) -> tuple[float, float]:
    """Return the time until a kernel is in use, and until the first answer, from nothing."""
    known = dict(store.STORES)
    store.STORES.clear()
    try:
        state = np.zeros((len(DEFINITIONS[name].sizes(robot._kernels.spec, ())), robot.n))
        start = time.perf_counter()
        kernels = robot._kernels.with_inertials(robot.inertials)
        getattr(kernels, name)(*state, None)
        first = time.perf_counter() - start
        wait_for_kernels(600)
        getattr(kernels, name)(*state, None)
        return time.perf_counter() - start, first
    finally:
        store.STORES.update(known)
