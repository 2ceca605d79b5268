"""What the benchmark measures of one robot."""

import math
import os
import tempfile
import time
from typing import Any

import numpy as np

from robot_dynamics import cache_folder
from robot_dynamics.cli.benchmark.measure import SliceTiming, interleaved
from robot_dynamics.cli.benchmark.peers import peers
from robot_dynamics.cli.benchmark.verbs import EXTERNAL, Verb
from robot_dynamics.engine import wait_for_kernels
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.running import calls, store
from robot_dynamics.robot import Robot

FUNCTIONS = ('inverse_dynamics', 'forward_dynamics', 'inertia_matrix')
BATCH = 4096
FEW = 64  # states of a small batch
LARGE = 8  # times that for all threads
LONG = 50_000  # joints in a batch of long chains, whose every state takes long
RESULT = 500_000  # numbers: a batch whose results stay in the processor's cache


def measure(robot: Robot, functions: tuple[str, ...], repetitions: int) -> list[dict[str, Any]]:
    """Return one row per function: microseconds per evaluation of every contestant."""
    rivals = peers(robot)
    rows = []
    for name in functions:
        verb = Verb(robot, name, states_of(robot, name))
        timings = interleaved(contestants(robot, name, verb, rivals), repetitions)
        small = robot.n <= 64 and verb.plain and verb.wrench is None
        rows.append({'function': name,
                     'operations': robot._kernels.operation_count(name) if small else None,
                     'times': {key: value.row() for key, value in timings.items()},
                     'ratios': ratios(timings)})
    return rows


def states_of(robot: Robot, name: str) -> int:
    """Return how many states a batch has: so many that its results stay in a cache."""
    definition, spec = DEFINITIONS[name.removesuffix(EXTERNAL)], robot._kernels.spec
    size = sum(math.prod(shape) for shape in definition.result_shapes(spec))
    return max(4, min(BATCH if robot.n <= 32 else LONG // robot.n, RESULT // size))


def contestants(robot: Robot, name: str, verb: Verb, rivals: dict[str, Any]) -> dict[str, Any]:
    """Return what is to be timed: (function, evaluations per call) by name."""
    verb.single()()
    if not wait_for_kernels(600):
        raise TimeoutError(f'{name} was not compiled in ten minutes')
    out, results, several = verb.single()(), verb.batch()(), len(verb.batches[0])
    found = {'python': (verb.single(), 1)}
    if isinstance(out, np.ndarray):
        found['python, out='] = (verb.single(out), 1)
    bound = robot._kernels._bind(name) if verb.plain and verb.wrench is None else None
    if bound is not None:
        kernel, work, _ = bound
        flat = np.empty(several * sum(x.size for x in parts(out)))
        arrays = (*verb.batches, work, flat)
        pointers = [*(array.ctypes.data for array in arrays), several]
        found['compiled loop'] = (CompiledLoop(kernel.loop, pointers, arrays), several)
    whole = verb.batch(given(results))
    found['batch'] = (lambda: with_threads(1, whole), several)
    few = Verb(robot, name, min(several, FEW))
    found[f'batch of {min(several, FEW)}'] = (few.batch(), min(several, FEW))
    batches = [('batch', 1, verb)]
    if calls.cores() > 1:  # threads pay off in large batches alone
        large = Verb(robot, name, several * (LARGE if robot.n <= 32 else 1))
        found['batch, all threads'] = (
            large.batch(given(large.batch()())), len(large.batches[0]))
        batches.append(('batch, all threads', calls.cores(), large))
    for peer, rival in rivals.items():
        run = rival.call(verb.kernel, *verb.state, link=verb.link, wrench=verb.wrench)
        if run is not None:
            found[peer] = (run, 1)
        for label, threads, large in batches:
            run = rival.batch(name, threads, *large.batches) if hasattr(rival, 'batch') else None
            if run is not None:
                found[f'{peer} {label}'] = (run, len(large.batches[0]))
    return found


class CompiledLoop:
    """A call of a kernel's loop over addresses, with the arrays that stand there."""

    def __init__(self, loop: Any, pointers: list[int], arrays: tuple[np.ndarray, ...]) -> None:
        self.loop, self.pointers, self.arrays = loop, pointers, arrays

    def __call__(self) -> None:
        """Run it."""
        self.loop(*self.pointers)


def given(result: Any) -> Any:
    """Return where to write results into; several, which are views of one array, are made anew."""
    return None if isinstance(result, tuple) else result


def parts(result: Any) -> list[Any]:
    """Return the arrays of a result, which may be a number or several."""
    return [np.asarray(x) for x in (result if isinstance(result, tuple) else (result,))]


def with_threads(threads: int, function: Any) -> None:
    """Call a function over a batch on so many threads."""
    kept, calls.cores = calls.cores, lambda: threads
    try:
        function()
    finally:
        calls.cores = kept


def ratios(timings: dict[str, SliceTiming]) -> dict[str, float]:
    """Return how many times faster we are than Pinocchio's own Python call."""
    peer = timings.get('pinocchio')
    return {name: peer.median / timing.median for name, timing in timings.items()
            if peer is not None and not name.startswith(('pinocchio', 'mujoco'))}


def start_up(robot: Robot, functions: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """Return seconds to the first answer, to a compiled kernel, and to a cached one."""
    kept = os.environ.get('ROBOT_DYNAMICS_CACHE')
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ['ROBOT_DYNAMICS_CACHE'] = folder
        try:
            for name in functions:
                cold, first = time_to_kernel(robot, name)
                cached, _ = time_to_kernel(robot, name)
                kernels = cache_folder.folder().glob(f'{name}-*.kernel')
                size = sum(file.stat().st_size for file in kernels)
                result[name] = {'first_answer_s': first, 'kernel_cold_s': cold,
                                'kernel_cached_s': cached, 'code_bytes': size}
        finally:
            del os.environ['ROBOT_DYNAMICS_CACHE']
            if kept is not None:
                os.environ['ROBOT_DYNAMICS_CACHE'] = kept
    return result


def time_to_kernel(robot: Robot, name: str) -> tuple[float, float]:
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
