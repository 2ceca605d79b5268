"""Bound: kernels with their robot's parameters, and what stands around a call of them.

The kernels of the catalogue are attributes: functions of positional arguments, the result's array
(or None) last. Once compiled they are built-in functions that look at their arguments in
nanoseconds and return None when anything is out of the ordinary. `evaluate` then takes its time:
it converts, checks, shares large batches among threads, and says what is wrong.
"""

import math
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from robot_dynamics.algorithms import pivots
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.definition import Options
from robot_dynamics.engine.running.calls import CHUNK, layout_is_known, run_batch
from robot_dynamics.engine.running.fallback import FEW
from robot_dynamics.errors import InputError, ModelError, SingularityError
from robot_dynamics.inputs import states, store
from robot_dynamics.model.denoc import Array

if TYPE_CHECKING:
    from robot_dynamics.engine.kernels import Kernels

PATIENCE = 300.0  # [s] how long a batch waits for its kernel at most
BLOCK = 60_000  # numbers of results that stay in a processor's cache
SLOW = 1e-4  # [s] for a number of the result without a kernel, about
OF_MASS = ('center_of_mass', 'centroidal_momentum', 'centroidal_momentum_matrix')


def is_plain(array: object) -> bool:
    """Tell whether this is a contiguous array of float64."""
    return (type(array) is np.ndarray and array.dtype == np.float64
            and array.flags.c_contiguous)


def contiguous(sizes: dict[str, int], arguments: tuple[Any, ...], check: bool,
               joint_names: tuple[str, ...] = ()) -> tuple[list[Any], bool]:
    """Return the arguments as contiguous (N, size) arrays, and whether they came as a batch.

    check: look for nan and inf; kernels find them by themselves; joint_names: for messages
    """
    first = arguments[0]
    if not check and is_plain(first) and first.ndim == 2 and all(
            is_plain(x) and x.shape == (len(first), size)
            for x, size in zip(arguments, sizes.values(), strict=True)):
        return list(arguments), True
    arrays, batch = states(sizes, *arguments, joint_names=joint_names)
    return [np.ascontiguousarray(array) for array in arrays], batch


class Unbound:
    """A kernel's attribute of `Bound` until one's own takes its place.

    With `__getattr__` instead the interpreter would look up every attribute the slow way.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, bound: 'Bound | None', owner: type) -> Any:
        """Return the kernel's function as it is now."""
        return self if bound is None else bound._function(self.name)


class Bound:
    """The kernels of one robot, each with some options: attributes, and `evaluate`."""

    def __init__(self, kernels: 'Kernels | None', options: Options) -> None:
        """Take the robot's kernels; None: these. A reference to itself would outlive it."""
        self._owner = kernels
        self._options = options
        self._bound: dict[str, tuple[Any, Array, Any]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Make copies and pickles anew: machine code stays in its process."""
        return type(self), (self._kernels, self._options)

    @property
    def _kernels(self) -> 'Kernels':
        """The robot's kernels without options."""
        return self._owner or self  # type: ignore[return-value]  # unowned: they are Kernels

    @property
    def _parameters(self) -> Any:
        """What `prepare` takes."""
        return self._kernels.parameters

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...  # the kernels, see Unbound

    def __dir__(self) -> Iterable[str]:
        """List what is there: looking at a kernel that is not has it compiled."""
        return [x for x in super().__dir__() if x not in DEFINITIONS or x in self.__dict__]

    def _function(self, name: str) -> Any:
        """Return a kernel's function: the built-in one when that is there."""
        bound = self._bind(name)
        return partial(self._first, name) if bound is None or not layout_is_known() else bound[2]

    def _first(self, name: str, *arguments: Any) -> Any:
        """Answer a fast call before the kernel is bound."""
        return self.evaluate(name, arguments[:-1], arguments[-1])

    def _bind(self, name: str) -> tuple[Any, Array, Any] | None:
        """Return kernel, prepared parameters and built-in function, None until it is compiled."""
        bound = self._bound.get(name)
        if bound is None:
            slot = self._kernels._store.slot(name, self._options)
            if slot.native is None:
                return None
            work = slot.native.make_work(self._parameters, slot.header['work'])
            bound = (slot.native, work, slot.native.bind(work))
            self._bound[name] = bound
            if layout_is_known():
                setattr(self, name, bound[2])
        return bound

    def compiles(self, name: str) -> bool:
        """Have a kernel compiled, in the background; return whether it is ready."""
        return self._bind(name) is not None

    def compiled(self, name: str) -> tuple[Any, Array] | None:
        """Return a kernel and its prepared parameters, for compiled loops; waits for them."""
        if self._bind(name) is None:
            self._kernels._store.wait(name, self._options)
        bound = self._bind(name)
        return None if bound is None else bound[:2]

    def ready(self, name: str) -> Any:
        """Return a kernel's built-in function once it is compiled, None until then."""
        bound = self._bind(name) if layout_is_known() else None
        return None if bound is None else bound[2]

    def evaluate(self, name: str, arguments: tuple[Any, ...], out: Array | None = None) -> Any:
        """Return the result of any function for one state or a batch; see the module."""
        kernels, definition = self._kernels, DEFINITIONS[name]
        if out is not None and len(definition.result_shapes(kernels.spec)) > 1:
            return self._into(name, arguments, out)
        bound = self._bind(name)
        if bound is not None and layout_is_known():
            result = bound[2](*arguments, out)
            if result is not None:
                return result
        sizes = definition.sizes(kernels.spec, self._options)
        careful = bound is None and kernels._store.slot(name, self._options).general is None
        if bound is None and not careful and name not in self.__dict__ and layout_is_known():
            quick = kernels._fallback.quick(name, self._options)
            if quick is not None:
                setattr(self, name, quick)
        arrays, batch = self._states(sizes, arguments, careful)
        N, shape = len(arrays[0]), definition.shape(kernels.spec)
        result = self._target(out if batch else None, (N, *shape) if batch else shape, arrays)
        rows = result.reshape(N, math.prod(shape))
        for k in self._run(name, arrays, rows):
            self._states(sizes, arguments, True)  # is an argument to blame?
            self._explain(name, arrays, rows, k)
        return self._answer(name, result, batch, out)

    def attempt(self, name: str, arguments: tuple[Any, ...]
                ) -> tuple[list[Array], Array, bool] | None:
        """Return the states of a batch, a compiled kernel's results, flat, and whether all hold.

        (N, size) each, (N, outputs); None: there is no kernel yet. `InputError`: shapes
        """
        bound, definition = self._bind(name), DEFINITIONS[name]
        if bound is None:
            return None
        arrays, _ = self._states(
            definition.sizes(self._kernels.spec, self._options), arguments, False)
        rows = np.empty((len(arrays[0]), math.prod(definition.shape(self._kernels.spec))))
        bad = run_batch(bound[0], arrays, bound[0].at(bound[1], 0), rows)
        return arrays, rows, next(iter(bad), None) is None

    def answer(self, name: str, rows: Array, out: Array | None) -> Any:
        """Return flat results (N, outputs) as the function has them."""
        shape = DEFINITIONS[name].shape(self._kernels.spec)
        return self._answer(name, rows.reshape(len(rows), *shape), True, out)

    def _into(self, name: str, arguments: tuple[Any, ...], out: Any) -> tuple[Any, ...]:
        """Write several results into an array for each, block by block as long as all is well.

        A state's results stand side by side where they are computed: a block stays in the cache.
        """
        spec, bound, definition = self._kernels.spec, self._bind(name), DEFINITIONS[name]
        shapes, (size,) = definition.result_shapes(spec), definition.shape(spec)
        arrays, batch = self._states(definition.sizes(spec, self._options), arguments, False)
        lead = arrays[0].shape[:1] if batch else ()
        outs: tuple[Any, ...] = tuple(out) if isinstance(out, (tuple, list)) else (out,)
        if len(outs) != len(shapes) or any(
                not is_plain(x) or x.shape != lead + shape or not x.flags.writeable
                for x, shape in zip(outs, shapes, strict=True)) or any(
                np.may_share_memory(x, y) for x, y in combinations(outs, 2)):
            raise InputError('out: expected several arrays, writeable, contiguous, float64 and '
                             'without memory in common, of shapes '
                             + ', '.join(str(lead + shape) for shape in shapes))
        step = max(16, BLOCK // size // CHUNK * CHUNK)
        if bound is not None and batch and not any(
                np.may_share_memory(x, array) for x in outs for array in arrays):
            rows = np.empty((min(step, len(arrays[0])), size))
            for start in range(0, len(arrays[0]), step):
                part = [array[start:start + step] for array in arrays]
                found, work = rows[:len(part[0])], bound[0].at(bound[1], start)
                if any(True for _ in run_batch(bound[0], part, work, found)):
                    break
                for x, y in zip(outs, self._answer(name, found, True, None), strict=True):
                    x[start:start + step] = y
            else:
                return outs
        for x, y in zip(outs, self.evaluate(name, arguments), strict=True):
            x[...] = y
        return outs

    def _states(self, sizes: dict[str, int], arguments: tuple[Any, ...], check: bool
                ) -> tuple[list[Any], bool]:
        """Return the arguments as contiguous (N, size) arrays, and whether they are a batch."""
        return contiguous(sizes, arguments, check, self._kernels.joint_names)

    def _run(self, name: str, arrays: list[Array], rows: Array) -> Iterator[int]:
        """Write the results (N, outputs) of states (N, n); yield which of them are bad.

        A large batch waits for its kernel, but no longer than it would take without. What is
        computed without goes in blocks, until the kernel is there for the rest.
        """
        kernels, start, N = self._kernels, 0, len(rows)
        if N >= FEW and self._bind(name) is None:
            kernels._store.wait(name, self._options, min(PATIENCE, rows.size * SLOW))
        while start < N:
            bound, stop = self._bind(name), N
            if bound is None:
                stop = min(N, start + kernels._fallback.block(name, self._options, N))
            part = [array[start:stop] for array in arrays]
            bad = (self._slow(name, part, rows[start:stop], start) if bound is None else run_batch(
                bound[0], part, bound[0].at(bound[1], start), rows[start:stop]))
            yield from (start + k for k in bad)
            start = stop

    def _slow(self, name: str, arrays: list[Array], rows: Array, start: int) -> list[int]:
        """Write the results of states without machine code; start: the place of the first."""
        return self._kernels._fallback.run(name, self._options, arrays, rows)

    def _reference(self, name: str, state: list[Array], k: int) -> tuple[Array, list[Any]]:
        """Return results and guards of state k of a batch from the algorithms themselves."""
        return self._kernels._fallback.reference(name, self._options, state)

    def _masses(self, k: int) -> Array:
        """Return the masses of the links in state k of a batch, (L,)."""
        return self._kernels.inertials.mass

    def _place(self, k: int, N: int) -> str:
        """Return which of N states it is, for a message."""
        return '' if N == 1 else f' (state {k} of the batch)'

    def _target(self, out: Array | None, shape: tuple[int, ...], arrays: list[Array]) -> Array:
        """Return the array to write into: `out` itself where that is possible."""
        if (out is not None and is_plain(out) and out.shape == shape and out.flags.writeable
                and not any(np.may_share_memory(out, array) for array in arrays)):
            return out
        return np.empty(shape)

    def _answer(self, name: str, result: Array, batch: bool, out: Array | None) -> Any:
        """Return the result as the function's definition has it: a number, arrays."""
        shapes = DEFINITIONS[name].result_shapes(self._kernels.spec)
        if len(shapes) == 1 and (batch or shapes[0] or out is not None):
            return result if out is result else store(result, out)
        lead, parts, start = result.shape[:len(result.shape) - (len(shapes) > 1)], [], 0
        flat = result if len(shapes) > 1 else result.reshape(1)
        for shape in shapes:
            stop = start + math.prod(shape)
            part = flat[..., start:stop].reshape(lead + shape)
            parts.append(part if batch or shape else float(part))
            start = stop
        return tuple(parts) if len(shapes) > 1 else parts[0]

    def _explain(self, name: str, arrays: list[Array], result: Array, k: int) -> None:
        """Recompute a bad state from the reference; raise if it is bad there too."""
        kernels = self._kernels
        values, guards = self._reference(name, [array[k] for array in arrays], k)
        at, coordinates = self._place(k, len(result)), kernels.spec.coordinates
        definition, loops = DEFINITIONS[name], getattr(coordinates, 'loops', None)
        if 'q' in definition.inputs:
            q = arrays[definition.inputs.index('q')][k]
            if loops is not None:
                loops.tree.check(q, at)  # quaternions, before what is computed of them
            coordinates.check(q, at)
        found, floor = np.array(guards, float).reshape(-1, 2)[:coordinates.L].T
        own = 0 if 'values' in definition.inputs else len(kernels.joint_names)  # pivots
        if not (found[own:] > floor[own:])[np.isfinite(found[own:])].all():
            raise SingularityError(f'the loops are singular, or do not close{at}')
        found, floor = found[:own], floor[:own]
        if name in OF_MASS and not self._masses(k).any():
            raise ModelError(f'no link that moves has mass{self._place(k, 1)}: there is no mass '
                             'centre')
        sizes = definition.sizes(kernels.spec, self._options)
        largest, most = max(zip(sizes, (np.abs(array[k]).max(initial=0.0) for array in arrays),
                                strict=True), key=lambda pair: pair[1])
        pivots.check(kernels.joint_names, found, floor, values, at,
                     f'{largest} up to {most:.3g}')
        result[k] = values


for _name in DEFINITIONS:
    setattr(Bound, _name, Unbound(_name))
