"""StackKernels: the compiled dynamics of many robots of one structure, a state each."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from robot_dynamics.engine.bound import Bound, contiguous
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.definition import Each, Options, with_each
from robot_dynamics.engine.kernels import Kernels
from robot_dynamics.engine.running.fallback import Fallback
from robot_dynamics.engine.running.store import Store, store_for
from robot_dynamics.engine.stacks.columns import Columns
from robot_dynamics.engine.stacks.fallback import StackFallback
from robot_dynamics.engine.tracing.parameters import inertials_of
from robot_dynamics.engine.tracing.trace import Spec, parameter_sizes, parameter_slots, slots_of
from robot_dynamics.errors import InputError
from robot_dynamics.model.denoc import Array, Geometry, frozen

TURNING = ('angular_velocity', 'angular_acceleration')


class StackBound(Bound):
    """The kernels of a stack, each with some options.

    own: numbers of the options that every robot has its own of, in the order of their `Each`
    """

    _kernels: Any

    def __init__(self, kernels: 'StackKernels | None', options: Options, own: Columns) -> None:
        super().__init__(kernels, options)  # type: ignore[arg-type]  # as good as Kernels here
        self._own = own

    def __reduce__(self) -> tuple[Any, ...]:
        """Make copies and pickles anew: machine code stays in its process."""
        return type(self), (self._kernels, self._options, self._own)

    @property
    def _parameters(self) -> Columns:
        """What `prepare` takes."""
        columns: Columns = self._kernels.columns.joined(self._own)
        return columns

    def _states(self, sizes: dict[str, int], arguments: tuple[Any, ...], check: bool
                ) -> tuple[list[Any], bool]:
        """Return the arguments as contiguous (N, size) arrays, one state for each robot."""
        N = self._kernels.columns.N
        arrays, batch = contiguous(sizes, arguments, check, self._kernels.joint_names)
        if batch and len(arrays[0]) != N:
            raise InputError(f'{next(iter(sizes))}: {len(arrays[0])} states for a stack of {N} '
                             'robots: expected one for each, or one for all')
        return [np.ascontiguousarray(np.broadcast_to(array, (N, array.shape[1])))
                for array in arrays], True

    def _slow(self, name: str, arrays: list[Array], rows: Array, start: int) -> list[int]:
        """Write the results of states without machine code; start: the first robot."""
        bad: list[int] = self._kernels._fallback.run_rows(self, name, arrays, rows, start)
        return bad

    def _reference(self, name: str, state: list[Array], k: int) -> tuple[Array, list[Any]]:
        """Return results and guards of robot k from the algorithms themselves."""
        member: Kernels = self._kernels.member(k)
        return member._fallback.reference(name, self.options_of(k), state)

    def _masses(self, k: int) -> Array:
        """Return the masses of the links of robot k, (L,)."""
        masses: Array = self._kernels.member(k).inertials.mass
        return masses

    def _place(self, k: int, N: int) -> str:
        """Return which robot it is, for a message."""
        return f' (robot {k} of the stack)'

    def options_of(self, i: int) -> Options:
        """Return the options of one robot."""
        return tuple(with_each(
            dict(self._options), lambda k: float(self._own.part(k, i, i + 1).item())).items())


class StackKernels(StackBound):
    """The compiled dynamics of a stack's robots."""

    def __init__(self, spec: Spec, columns: Columns, joint_names: tuple[str, ...],
                 like: 'StackKernels | None' = None) -> None:
        """Take parameters in the order of `slots_of`; like: kernels that may be the same code."""
        slots = slots_of(spec, ())
        self.columns, self.joint_names = columns, tuple(joint_names)

        def some(*names: str) -> bool:
            return any(np.any(columns.values(slot)) for (name, _), slot in slots.items()
                       if name in names)
        spec = replace(spec, stacked=True, armature=some('armature'), damping=some('damping'),
                       friction=some('friction'), turning=some(*TURNING))
        same = like is not None and like.spec.variant == spec.variant
        self.spec: Spec = like.spec if like is not None and same else spec
        self._store: Store = like._store if like is not None and same else store_for(spec)
        self.n = spec.n
        self._variants: dict[Options, StackBound] = {}
        super().__init__(None, (), Columns(columns.N, ()))

    def __reduce__(self) -> tuple[Any, ...]:
        """Make copies and pickles anew: machine code stays in its process."""
        return StackKernels, (self.spec, self.columns, self.joint_names)

    @cached_property
    def _fallback(self) -> StackFallback:
        return StackFallback(self._store)

    def numbers(self, name: str) -> Array:
        """Return all robots' parameters of one kind, (N, size)."""
        size = parameter_sizes(self.spec.L, self.spec.joints)[name]
        return self.columns.rows(parameter_slots(self.spec.L, self.spec.joints)[name, 0], size)

    def member(self, i: int) -> Kernels:
        """Return the kernels of one robot alone."""
        row, spec = self.columns.row(i), self.spec
        slots = slots_of(spec, ())
        fields: dict[str, Any] = {}
        for name, k in spec.varied:
            field = fields.setdefault(name, getattr(spec.geometry, name).copy())
            field.flat[k] = row[slots[name, k]]
        damping, friction = (row[slots[name, 0]:][:spec.joints]
                             for name in ('damping', 'friction'))
        for field in fields.values():
            frozen(field)
        return Kernels(
            spec.geometry._replace(**fields), inertials_of(spec, row), spec.coordinates,
            self.joint_names, damping=damping if spec.damping else None,
            friction=friction if spec.friction else None, massless=spec.massless)

    def alone(self, i: int) -> Kernels:
        """Return the kernels of one robot, by code that all robots of this structure share.

        Where lengths differ, geometry is an argument there too: nothing is compiled for a robot.
        """
        plain, spec = self.member(i), self.spec
        if not spec.varied or spec.L > min(x.largest for x in DEFINITIONS.values()):
            return plain
        shared: Kernels = object.__new__(Kernels)
        shared.__dict__.update(plain.__dict__)
        shared.spec, shared._store = self._shared.spec, self._shared
        shared.parameters, shared._variants = self.columns.row(i), {}
        shared.__dict__['_fallback'] = Fallback(
            self._shared, plain.inertials, *plain._friction, shared.parameters,
            plain.spec.geometry)
        Bound.__init__(shared, None, ())
        return shared

    @cached_property
    def _shared(self) -> Store:
        """The kernels of single robots of this structure."""
        return store_for(replace(self.spec, stacked=False))

    def taken(self, index: Array) -> 'StackKernels':
        """Return the kernels of some of the robots."""
        return StackKernels(self.spec, self.columns.taken(index), self.joint_names, self)

    def with_numbers(self, name: str, values: Array, *, first: int = 0,
                     add: bool = False) -> 'StackKernels':
        """Return kernels with other parameters of one kind, (N, count) or (count,).

        first: the place of the first of them; add: to what is there
        """
        slot = parameter_slots(self.spec.L, self.spec.joints)[name, first]
        changes = {}
        for k in range(values.shape[-1]):
            changes[slot + k] = values[..., k] + (self.columns.values(slot + k) if add else 0.0)
        return StackKernels(self.spec, self.columns.replaced(changes), self.joint_names, self)

    def with_body(self, link: int, body: Array) -> 'StackKernels':
        """Return kernels with a body welded to a link; body: (N, 10) or (10,), see Kernels."""
        changed = self.with_numbers('mass', body[..., :1], first=link, add=True)
        changed = changed.with_numbers('moment', body[..., 1:4], first=3 * link, add=True)
        return changed.with_numbers('inertia', body[..., 4:], first=6 * link, add=True)

    def variant(self, **options: Any) -> StackBound:
        """Return the kernels with some options compiled in.

        Numbers in them may be arrays (N,): each robot has its own.
        """
        own: list[Array] = []
        key = tuple((name, marked(options[name], own)) for name in sorted(options))
        if own:
            return StackBound(self, key, Columns.of(self.columns.N, own))
        if key not in self._variants:
            self._variants[key] = StackBound(self, key, Columns(self.columns.N, ()))
        return self._variants[key]

    def frame(self, link: int, T: Array, **options: Any) -> StackBound:
        """Return the kernels of a frame: T (4, 4) or (N, 4, 4) in link frame `link`."""
        return self.variant(link=int(link), frame=entries(T, 2), **options)

    def operation_count(self, name: str, options: tuple[Any, ...] = ()) -> dict[str, int]:
        """Return the operations of one call and robot, without what is prepared."""
        return self._fallback.program(name, options, leanest=True).count()


def entries(array: Array, rank: int) -> Any:
    """Return an array (..., *shape), shape of `rank` axes, as tuples of numbers or of (N,)."""
    if rank == 0:
        same = array.ndim == 0 or (array == array[0]).all()
        return float(array.flat[0]) if same else array
    return tuple(entries(np.take(array, k, axis=-rank), rank - 1)
                 for k in range(array.shape[-rank]))


def marked(option: Any, own: list[Array]) -> Any:
    """Return an option with `Each` for its arrays, which go into `own`."""
    if isinstance(option, np.ndarray):
        own.append(option)
        return Each(len(own) - 1)
    return tuple(marked(x, own) for x in option) if type(option) is tuple else option


def stack_spec(one: Spec, geometry: Mapping[tuple[str, int], Array]) -> tuple[Spec, list[Array]]:
    """Return the constants of a stack of robots like one, and the columns of its `varied`.

    geometry: the numbers of Geometry by field and place, (N,), or () where all robots share it.
    Shared by all, they are constants, as those of one robot are. If any are not, all become
    parameters but for zeros, ones and right angles that all robots share: those are structure.
    """
    some = any(value.ndim for value in geometry.values())
    fields: dict[str, Any] = {
        name: getattr(one.geometry, name).copy() for name, _ in geometry}
    varied: list[tuple[str, int]] = []
    for (name, k), value in geometry.items():
        if some and (value.ndim or not structural(name, value)):
            varied.append((name, k))
            value = np.zeros(())  # not a constant: stacks of this structure have one code
        fields[name].flat[k] = value
    for field in fields.values():
        frozen(field)
    spec = replace(one, stacked=True, varied=tuple(varied),
                   geometry=one.geometry._replace(**fields))
    return spec, [geometry[pair] for pair in varied]


def structural(name: str, value: Array) -> bool:
    """Tell whether a number of a geometry simplifies code: zeros, ones, right angles."""
    if name == 'theta0':
        quarters = value / (np.pi / 2)
        return bool(quarters == np.round(quarters))
    return float(value) in (0.0, 1.0, -1.0)


def geometry_columns(geometries: Iterable[Geometry]) -> dict[tuple[str, int], Array]:
    """Return the numbers of some geometries as `stack_spec` takes them."""
    found, columns = list(geometries), {}
    for name, field in found[0]._asdict().items():
        if isinstance(field, np.ndarray) and field.dtype == np.float64:
            values = np.array([getattr(geometry, name).ravel() for geometry in found])
            for k, value in enumerate(values.T):
                columns[name, k] = value[0] if (value == value[0]).all() else value
    return columns
