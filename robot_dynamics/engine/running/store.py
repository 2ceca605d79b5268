"""The kernels of one robot's constants, shared by all robots that differ in parameters alone."""

import functools
import math
import os
import time
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.definition import Options
from robot_dynamics.engine.large import general
from robot_dynamics.engine.running import background, cache
from robot_dynamics.engine.running.background import KernelJob, Reply
from robot_dynamics.engine.running.forking import LOADING
from robot_dynamics.engine.tracing.trace import Spec
from robot_dynamics.errors import RobotDynamicsWarning, warn
from robot_dynamics.model.linear import Linear

if TYPE_CHECKING:
    from robot_dynamics.engine.running.native import NativeKernel
    from robot_dynamics.engine.tracing.program import Program

AGAIN = 10.0  # [s] after which a kernel is asked for again that no thread could be started for


@functools.cache
def has_compiler() -> bool:
    """Tell whether llvmlite works; it is imported when the first kernel is asked for."""
    try:
        import llvmlite.binding  # noqa: F401
    except ImportError:
        return False
    return True


class Slot:
    """One kernel: new, pending, ready (then `native` or `general` is set) or failed."""

    def __init__(self, options: Options = ()) -> None:
        self.state = 'new'
        self.options = options
        self.native: NativeKernel | None = None
        self.general: Any = None
        self.header: dict[Any, Any] = {}
        self.program: Program | None = None  # for the interpreter, while there is no machine code
        self.process = 0
        self.until = math.inf  # when it has failed: how long that holds
        self.job: KernelJob | None = None
        self.kind: str | None = None  # of the general recursion, for large robots

    def settled(self) -> bool:
        """Tell whether nothing has to be started for this kernel, in this process."""
        if self.state == 'failed':
            return time.monotonic() < self.until
        return self.state == 'ready' or (
            self.state == 'pending' and self.process == os.getpid())


class Store:
    """The kernels of one robot's constants, by name and options."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.robot = cache.fingerprint(spec)
        self.slots: dict[tuple[Any, ...], Slot] = {}

    def slot(self, name: str, options: Options = ()) -> Slot:
        """Return a kernel's slot; the first time, load it from the cache or have it compiled."""
        slot = self.slots.get((name, options))
        if slot is not None and slot.settled():
            return slot
        with LOADING:
            slot = self.slots.setdefault((name, options), Slot(options))
            if slot.settled():
                return slot
            if not has_compiler():
                slot.state = 'failed'
                warn_no_compiler()
                return slot
            slot.state, slot.process, slot.job = 'pending', os.getpid(), None
            try:
                self.request(slot, name, options)
            except RuntimeError as error:  # no thread can be started: another time perhaps
                self.fail(slot, name, str(error), until=time.monotonic() + AGAIN)
            except Exception as error:  # whatever it is, a slower path can answer
                self.fail(slot, name, str(error))
        return slot

    def wait(self, name: str, options: Options, timeout: float | None = None) -> None:
        """Wait until a kernel is ready or has failed; other kernels need not be."""
        slot = self.slot(name, options)
        if slot.state == 'pending' and slot.job is not None:
            background.BACKGROUND.wait(timeout, slot.job)

    def request(self, slot: Slot, name: str, options: Options) -> None:
        """Load a kernel, or have it compiled in the background."""
        this = weakref.ref(self)  # when the last robot goes, nobody wants the kernel any more

        def finish(reply: Reply) -> None:
            store = this()
            if store is not None:
                store.finish(slot, path, name, reply)

        task: tuple[Any, ...]
        if not DEFINITIONS[name].traces(self.spec):
            # a method by name, wrenches, a tree that changes with q: the recursion has them not
            linear = isinstance(self.spec.coordinates, Linear)
            slot.kind = DEFINITIONS[name].general.get(options) if linear else None
            if slot.kind is None:
                slot.state = 'failed'  # the algorithms themselves answer
                return
            path, task = cache.entry('any robot', 'general', (slot.kind,)), (
                None, 'general', (slot.kind,))
        else:
            path, task = cache.entry(self.robot, name, options), (self.spec, name, options)
        if not self.load(slot, name, cache.load(path)):
            slot.job = background.BACKGROUND.submit(
                (cache.environment(), str(path), *task), finish, this)

    def load(self, slot: Slot, name: str, found: tuple[dict[str, Any], bytes] | None) -> bool:
        """Take a kernel as the cache has it; return whether there is one."""
        if found is None:
            return False
        from robot_dynamics.engine.running.native import NativeKernel
        from robot_dynamics.engine.stacks.native import StackKernel

        with LOADING:
            if slot.kind is not None:
                slot.general, slot.state = general.Recursion(*found), 'ready'
                return True
            slot.header, code = found
            operations = sum(slot.header['operations'].values())
            arguments = len(DEFINITIONS[name].sizes(self.spec, slot.options))
            if self.spec.stacked:
                slot.native = StackKernel(
                    name, code, arguments, operations + slot.header['prepare'])
            else:
                slot.native = NativeKernel(
                    name, code, arguments, operations, slot.header['lanes'])
            slot.state, slot.program = 'ready', None
        return True

    def finish(self, slot: Slot, path: Path, name: str, reply: Reply) -> None:
        """Take up what the compiling process has left in the cache, or handed over."""
        try:
            if reply.error:
                self.fail(slot, name, reply.error)
                return
            found = cache.load(path) if reply.content is None else cache.unpack(reply.content)
            if not self.load(slot, name, found):
                self.fail(slot, name, f'{path} is gone or damaged')
            elif reply.content is not None:
                warn_not_kept(str(path.parent))
        except RobotDynamicsWarning:  # warnings are errors here
            raise
        except Exception as error:  # whatever it is, a slower path can answer
            self.fail(slot, name, str(error))

    def fail(self, slot: Slot, name: str, reason: str, *, until: float = math.inf) -> None:
        """Go on without a kernel, and say so."""
        slot.state, slot.until = 'failed', until
        warn(f'no compiled {name}, a slower path answers: {reason}')


STORES: weakref.WeakValueDictionary[str, Store] = weakref.WeakValueDictionary()
KEPT = 32  # stores of stacks that stay when nobody has them: variants come block after block
RECENT: dict[str, Store] = {}  # those, the last one asked for at the end


def store_for(spec: Spec) -> Store:
    """Return the one store of these constants."""
    made = Store(spec)
    found = STORES.setdefault(made.robot, made)
    if not spec.stacked:
        return found
    with LOADING:
        RECENT.pop(found.robot, None)
        RECENT[found.robot] = found
        while len(RECENT) > KEPT:
            del RECENT[next(iter(RECENT))]
    return found


@functools.cache
def warn_no_compiler() -> None:
    """Say once that there is no compiler."""
    warn('llvmlite is not installed: numpy answers, thousands of times slower in single calls; '
         'install robot_dynamics with its default requirements')


@functools.cache
def warn_not_kept(folder: str) -> None:
    """Say once that kernels are lost when this process ends."""
    warn(f'kernels cannot be kept in {folder}: every process compiles them again; '
         'set ROBOT_DYNAMICS_CACHE to a folder that can be written to')
