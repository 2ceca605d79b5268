"""The kernels of one robot's constants, shared by all robots that differ in parameters alone."""

import os
import threading
import warnings
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robot_dynamics.engine import background, cache, general
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.general import BEHIND
from robot_dynamics.engine.trace import Spec
from robot_dynamics.errors import RobotDynamicsWarning

if TYPE_CHECKING:
    from robot_dynamics.engine.native import NativeKernel
    from robot_dynamics.engine.program import Program

try:
    import llvmlite.binding  # noqa: F401  (numba brings it)

    COMPILER = True
except ImportError:
    COMPILER = False


# Robots with more links than this are too large to be traced: the general recursion answers
LARGEST = {'inertia_matrix': 48, 'udu': 48, 'inverse_dynamics_derivatives': 40,
           'forward_dynamics_derivatives': 40, 'regressor': 40}
LARGEST_OTHER = 128


class Slot:
    """One kernel: new, pending, ready (then `native` or `general` is set) or failed."""

    def __init__(self) -> None:
        self.state = 'new'
        self.native: NativeKernel | None = None
        self.general: Any = None
        self.header: dict = {}
        self.program: Program | None = None  # for the interpreter, while there is no machine code
        self.process = 0


class Store:
    """The kernels of one robot's constants, by name and options."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.robot = cache.fingerprint(spec)
        self.slots: dict[tuple, Slot] = {}
        self.lock = threading.Lock()

    def slot(self, name: str, options: tuple = ()) -> Slot:
        """Return a kernel's slot; the first time, load it from the cache or have it compiled."""
        slot = self.slots.get((name, options))
        if slot is not None and slot.state != 'new' and not (
                slot.state == 'pending' and slot.process != os.getpid()):
            return slot
        with self.lock:
            slot = self.slots.setdefault((name, options), Slot())
            if slot.state in ('ready', 'failed') or (
                    slot.state == 'pending' and slot.process == os.getpid()):
                return slot
            if not COMPILER:
                warn_no_compiler()
                slot.state = 'failed'
                return slot
            if self.spec.L > LARGEST.get(name, LARGEST_OTHER):
                self.request_general(slot, name)
                return slot
            path = cache.entry(self.robot, name, options)
            if not self.load(slot, path, name):
                slot.state, slot.process = 'pending', os.getpid()
                background.BACKGROUND.submit(
                    (str(path), self.spec, name, options),
                    lambda reply: self.finish(slot, path, name, reply))
        return slot

    def request_general(self, slot: Slot, name: str) -> None:
        """Have the general recursion compiled, or loaded, in the background."""
        kind = BEHIND.get(name)
        if kind is None:
            slot.state = 'failed'  # the algorithms themselves answer
            return
        path = cache.entry('any robot', 'general', (kind,))
        slot.state, slot.process = 'pending', os.getpid()

        def finish(reply: str) -> None:
            if reply == 'ok':
                slot.general = general.compiled(kind, path.parent / path.stem)
            slot.state = 'ready' if reply == 'ok' else 'failed'

        background.BACKGROUND.submit((str(path), None, 'general', (kind,)), finish)

    def load(self, slot: Slot, path: Path, name: str) -> bool:
        """Take a kernel from the cache; return whether it was there."""
        found = cache.load(path)
        if found is None:
            return False
        from robot_dynamics.engine.native import NativeKernel

        slot.header, code = found
        operations = sum(slot.header['operations'].values())
        slot.native = NativeKernel(name, code, len(DEFINITIONS[name].inputs), operations)
        slot.state, slot.program = 'ready', None
        return True

    def finish(self, slot: Slot, path: Path, name: str, reply: str) -> None:
        """Take up what the compiling process has left in the cache."""
        if reply != 'ok' or not self.load(slot, path, name):
            slot.state = 'failed'
            warnings.warn(f'no compiled {name}, a slower path answers: {reply}',
                          RobotDynamicsWarning, stacklevel=2)


STORES: weakref.WeakValueDictionary[str, Store] = weakref.WeakValueDictionary()


def store_for(spec: Spec) -> Store:
    """Return the one store of these constants."""
    made = Store(spec)
    return STORES.setdefault(made.robot, made)


def warn_no_compiler() -> None:
    """Say once that there is no compiler."""
    if not getattr(warn_no_compiler, 'done', False):
        warn_no_compiler.done = True  # type: ignore[attr-defined]
        warnings.warn('numba is not installed: numpy answers, thousands of times slower in '
                      'single calls; install robot_dynamics with its default requirements',
                      RobotDynamicsWarning, stacklevel=4)
