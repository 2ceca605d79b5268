"""Runs fixed steps in machine code: one robot, or a batch in blocks on all threads."""

import ctypes
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics.engine.running.calls import address, pool
from robot_dynamics.engine.running.forking import LOADING
from robot_dynamics.engine.running.native import load_code, target_machine
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.emission.steps import function_text

DONE, FAILED, HAPPENED = 0, 1, 2


class Outcome(NamedTuple):
    """What a run in machine code came to."""

    steps: int  # done
    code: int  # DONE, or FAILED or HAPPENED in the step that follows


class StepCode:
    """A method for m numbers, compiled; held: that for robots with joints held.

    law, pulls: see drives.py
    """

    def __init__(self, method: str, m: int, held: bool, law: str, pulls: int):
        import llvmlite.binding as llvm

        machine = target_machine()
        module = llvm.parse_assembly(function_text(m, method, held, law, pulls))
        module.triple = llvm.get_process_triple()
        module.data_layout = str(machine.target_data)
        module.verify()
        # unlike kernels, loops have variables in memory that belong in registers
        passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(2))
        passes.getModulePassManager().run(module, passes)
        self.engine = load_code(machine.emit_object(module))
        p, i, d = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
        prototype = ctypes.CFUNCTYPE(i, p, p, p, p, i, d, d, i, i, p, p, p, p,
                                     *[p] * (4 * held + bool(law or pulls)))
        self.function = prototype(self.engine.get_function_address(method))


@functools.lru_cache(maxsize=64)
def loops(method: str, m: int, held: bool, law: str, pulls: int) -> StepCode:
    """Return the compiled method for m numbers; it does not depend on the robot.

    Who takes its function keeps it too: the code lives as long as it does.
    """
    with LOADING:
        return StepCode(method, m, held, law, pulls)


class Runner:
    """Fixed steps of one method with one robot's kernel, for one state or for blocks."""

    def __init__(self, kernel: Any, work: Array, method: str, n: int, *, block: bool = False,
                 held: bool = False, law: str = '', pulls: int = 0):
        self.m = n * kernel.lanes if block else n
        self.loops = loops(method, self.m, held, law, pulls)
        self.function = self.loops.function
        self.address = kernel.block if block else kernel.single
        self.kernel, self.work = kernel, work
        self.relax = 1.0  # see emission/steps.py

    def run(self, state: Array, torque: Array, h: float, steps: int, every: int,
            lower: Array, upper: Array, out: Array, *holding: Array,
            work: Array | None = None) -> Outcome:
        """Advance `state` (2 m,) in place; see emission/steps.py.

        torque: a row, or (steps, nodes, row)
        holding: free, least, most, direction, each (m,), where joints may be held; the addresses
        of the drive, where there is one
        work: prepared parameters, where they are not the runner's
        """
        code = ctypes.c_int32()
        stride = 0 if torque.ndim == 1 else torque.shape[-1]
        done = self.function(
            self.address, address(self.work if work is None else work), address(state),
            address(torque), stride, h, self.relax, steps, every, address(lower), address(upper),
            address(out), ctypes.addressof(code), *map(address, holding))
        return Outcome(done, code.value)


def run_batch(kernel: Any, work: Array | Callable[[int], Array], method: str, q: Array,
              qd: Array, tau: Array, h: float, steps: int, every: int, bounds: tuple[Array, Array],
              threads: int, relax: float = 1.0) -> tuple[Array, Array, Array]:
    """Advance N robots; return q, qd of shape (N, steps // every, n) and who is whole, (N,).

    work: prepared parameters, or what gives those of the block that begins with a robot
    tau: (N, n), constant; bounds: (n,) or (N, n) each. A block in which a robot fails or meets a
    stop is given up: its robots are not whole, and what is written of them does not count.
    """
    (N, n), lanes = q.shape, kernel.lanes
    blocks = -(-N // lanes)
    works = work if callable(work) else lambda robot: work
    runner = Runner(kernel, works(0), method, n, block=True)
    runner.relax = relax
    rows = steps // every
    index = np.minimum(np.arange(blocks * lanes), N - 1)
    states = np.stack([q[index].reshape(blocks, -1), qd[index].reshape(blocks, -1)], axis=1)
    torques = np.ascontiguousarray(tau[index].reshape(blocks, -1))
    lower, upper = (np.broadcast_to(bound, (N, n))[index].reshape(blocks, -1) for bound in bounds)
    out = np.empty((blocks, rows, 2, lanes, n))
    whole = np.zeros(blocks, bool)

    def part(start: int, stop: int) -> None:
        for b in range(start, stop):
            outcome = runner.run(states[b].reshape(-1), torques[b], h, steps, every, lower[b],
                                 upper[b], out[b], work=works(b * lanes))
            whole[b] = outcome.code == DONE

    threads = max(1, min(threads, blocks))
    edges = np.linspace(0, blocks, threads + 1).astype(int)
    if threads == 1:
        part(0, blocks)
    else:
        list(pool().map(part, edges[:-1], edges[1:]))
    both = out.transpose(2, 0, 3, 1, 4).reshape(2, blocks * lanes, rows, n)[:, :N]
    return both[0], both[1], np.repeat(whole, lanes)[:N]
