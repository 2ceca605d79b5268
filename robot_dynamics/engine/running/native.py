"""Turns LLVM code into machine code, and machine code into functions Python can call."""

import ctypes
import functools
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from robot_dynamics.engine.emission.columns import WIDTH
from robot_dynamics.engine.running.calls import address
from robot_dynamics.engine.running.forking import LOADING

FASTCALL = 0x80
# positions of PyArray_New and PyArray_SetBaseObject in numpy's table of functions
PYARRAY_NEW, PYARRAY_BASE = 93, 282
REGION = 100  # stores and loads that LLVM's scheduler compares with each other


class MethodDefinition(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = [('name', ctypes.c_char_p), ('function', ctypes.c_void_p),
                ('flags', ctypes.c_int), ('doc', ctypes.c_char_p)]


def target_machine() -> Any:
    """Return LLVM's description of this processor; an execution engine takes it for itself."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    if has_wide():
        features += ',-prefer-256-bit'  # else LLVM splits vectors of eight
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features,
        opt=1, reloc='static', codemodel='large', jit=True)


def has_fused() -> bool:
    """Tell whether this processor multiplies and adds at once."""
    features = llvm.get_host_cpu_features()
    return bool(features.get('fma')) or not llvm.get_process_triple().startswith(('x86', 'i'))


def has_wide() -> int:
    """Tell for what vectors of eight doubles pay on this processor: 0 nothing, 1 vectors, 2 all.

    Measured on one of Intel's with AVX512-FP16 (those before it lower their clock for such
    vectors), on AMD's Zen 4, which halves them, and on Zen 5, which does not.
    """
    if llvm.get_host_cpu_name() == 'znver5':
        return 2
    return int(bool(llvm.get_host_cpu_features().get('avx512fp16'))
               or llvm.get_host_cpu_name() == 'znver4')


def compile_module(text: str, *, ordered: bool = True) -> bytes:
    """Return the object code of a module.

    No passes over the LLVM code: a program has nothing left to fold or share. Without them, and
    with the order of the operations nearly kept (opt=1), the code is faster by a tenth and the
    compiler by half.

    ordered: have LLVM's scheduler move operations within what a processor looks at. Its time grows
    with the square of what is stored, and it lengthens the lives of values: long code and that of
    matrices come out as fast or faster without. The options are the process's, so that modules
    are compiled by a process of their own (worker.py).
    """
    for option in (f'-enable-misched={str(ordered).lower()}', f'-dag-maps-huge-region={REGION}'):
        llvm.set_option('robot_dynamics', option)
    machine = target_machine()
    module = llvm.parse_assembly(text)
    module.triple = llvm.get_process_triple()
    module.data_layout = str(machine.target_data)
    code: bytes = machine.emit_object(module)
    return code


@functools.cache
def add_symbols() -> None:
    """Tell LLVM where the objects and functions are that a kernel's call needs."""
    table_of = ctypes.pythonapi.PyCapsule_GetPointer
    table_of.restype, table_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(table_of(array_interface(), None), ctypes.POINTER(ctypes.c_void_p))
    llvm.add_symbol('rd_array_type', id(np.ndarray))
    llvm.add_symbol('rd_double', id(np.dtype(np.float64)))
    llvm.add_symbol('rd_none', id(None))
    llvm.add_symbol('rd_array_new', table[PYARRAY_NEW])
    llvm.add_symbol('rd_array_base', table[PYARRAY_BASE])
    for name in ('Py_IncRef', 'Py_DecRef', 'PyFloat_FromDouble', 'PyTuple_New', 'PyTuple_SetItem'):
        llvm.add_symbol(name, ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value)


def array_interface() -> object:
    """Return the capsule with numpy's table of C functions."""
    try:
        # numpy's stubs leave its C table out
        from numpy._core import _multiarray_umath as core  # type: ignore[attr-defined]
    except ImportError:  # numpy 1
        from numpy.core import _multiarray_umath as core
    return core._ARRAY_API


def load_code(code: bytes) -> Any:
    """Return the execution engine with some machine code, which lives as long as it does."""
    with LOADING:
        add_symbols()
        backing = llvm.parse_assembly('')
        backing.triple = llvm.get_process_triple()
        engine = llvm.create_mcjit_compiler(backing, target_machine())
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        return engine


@functools.cache
def make_function() -> Any:
    """Return what makes built-in functions of a definition and the object they belong to."""
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [
        ctypes.c_void_p, ctypes.py_object, ctypes.py_object]
    return make


class NativeKernel:
    """The functions of one kernel, loaded."""

    def __init__(self, name: str, code: bytes, arguments: int, operations: int = 0,
                 lanes: int = WIDTH) -> None:
        self.operations, self.lanes = operations, lanes
        self.engine, pointer = load_code(code), ctypes.c_void_p
        address = self.engine.get_function_address
        self.single, self.block = address('single'), address('block')  # for compiled loops
        self.prepare = ctypes.CFUNCTYPE(None, pointer, pointer)(address('prepare'))
        many = ctypes.CFUNCTYPE(ctypes.c_int, *[pointer] * (arguments + 2), ctypes.c_int64)
        self.batch, self.loop = many(address('batch')), many(address('loop'))
        self.definition = MethodDefinition(name.encode(), address('call'), FASTCALL, None)

    def make_work(self, parameters: np.ndarray, size: int) -> np.ndarray:
        """Return the prepared parameters."""
        work = np.empty(max(1, size))
        self.prepare(address(parameters), address(work))
        return work

    def at(self, work: np.ndarray, start: int) -> np.ndarray:
        """Return `work` for the states of a batch from one on: it is the same for all."""
        return work

    def bind(self, work: np.ndarray) -> Callable[..., Any]:
        """Return the built-in function that answers single calls with this array of `work`.

        It keeps `work` and, in place of a module, this kernel: its code lives as long as it.
        """
        call: Callable[..., Any] = make_function()(
            ctypes.addressof(self.definition), work, self)
        return call
