"""The machine code of a stack's kernel, loaded."""

import ctypes
from typing import Any

import numpy as np

from robot_dynamics.engine.emission.columns import WIDTH
from robot_dynamics.engine.running.calls import address
from robot_dynamics.engine.running.native import (
    FASTCALL,
    MethodDefinition,
    NativeKernel,
    load_code,
)
from robot_dynamics.engine.stacks.columns import Columns


class StackKernel(NativeKernel):
    """The functions of one kernel over robots of their own; see emission/stack.py."""

    def __init__(self, name: str, code: bytes, arguments: int, operations: int = 0) -> None:
        self.operations, self.lanes = operations, WIDTH
        self.engine, pointer = load_code(code), ctypes.c_void_p
        where = self.engine.get_function_address
        self.block = where('block')  # for compiled loops
        self.prepare_rows = ctypes.CFUNCTYPE(None, pointer, ctypes.c_int64, pointer)(
            where('prepare'))
        self.batch = ctypes.CFUNCTYPE(
            ctypes.c_int, *[pointer] * (arguments + 2), ctypes.c_int64)(where('batch'))
        self.definition = MethodDefinition(name.encode(), where('call'), FASTCALL, None)

    def make_work(self, parameters: Any, size: int) -> np.ndarray:
        """Return the table of columns: an array that keeps them and this kernel's code alive."""
        columns: Columns = parameters
        table = columns.table()
        buffer = (ctypes.c_int64 * len(table))(*table)
        # ctypes arrays take attributes and are buffers; their stubs say neither
        buffer.kept = self, columns  # type: ignore[attr-defined]  # a ctypes array
        self.size = size
        work: np.ndarray = np.frombuffer(buffer, np.int64)  # type: ignore[call-overload]
        return work

    def at(self, work: np.ndarray, start: int) -> np.ndarray:
        """Return the table for robots from one on."""
        if not start:
            return work
        moved = work.copy()
        moved[0] += start
        return moved

    def prepared(self, work: np.ndarray, row: int) -> np.ndarray:
        """Return the prepared parameters of four robots from a row on, for compiled loops."""
        four = np.empty(max(1, WIDTH * self.size))
        self.prepare_rows(address(work), row, address(four))
        return four
