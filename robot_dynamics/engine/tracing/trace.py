"""Runs the algorithms over symbols: from a robot's constants to the outputs of a kernel."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from robot_dynamics.algorithms.pivots import pivot_floor
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.definition import Definition, Options, count_each, with_each
from robot_dynamics.engine.numbers import Numbers
from robot_dynamics.engine.tracing.limbs import kept_apart
from robot_dynamics.engine.tracing.program import Outputs, make_program
from robot_dynamics.engine.tracing.regroup import regroup
from robot_dynamics.engine.tracing.symbols import Graph
from robot_dynamics.model.coordinates import Coordinates
from robot_dynamics.model.denoc import OF_LINKS, Array, Base, Geometry, Inertials
from robot_dynamics.rigid_body import UPPER

PARAMETERS = (*OF_LINKS, *Base._fields, 'damping', 'friction')
MANY = 40  # links, beyond which methods that solve with the GIM are not worth tracing
LINEAR = ('articulated_body', 'denoc')  # forward dynamics in O(n)


@dataclass(frozen=True)
class Spec:
    """What is folded into the code of a robot's kernels, and so decides which kernel it is."""

    geometry: Geometry
    coordinates: Coordinates
    massless: tuple[int, ...] = ()
    armature: bool = False  # some rotor has inertia
    damping: bool = False  # some joint is damped
    friction: bool = False  # some joint has dry friction
    turning: bool = False  # the base has an angular velocity or acceleration
    stacked: bool = False  # every state has a robot of its own: parameters are columns
    varied: tuple[tuple[str, int], ...] = ()  # field, place: of the geometry, parameters as well

    @property
    def variant(self) -> tuple[Any, ...]:
        """Return what of this may change with the parameters."""
        return self.armature, self.damping, self.friction, self.turning

    @property
    def L(self) -> int:
        """Number of links."""
        return len(self.geometry.parent)

    @property
    def n(self) -> int:
        """Number of rates and torques a user gives."""
        return self.coordinates.nv

    @property
    def joints(self) -> int:
        """Number of joints that may rub."""
        return self.coordinates.joints


def parameter_sizes(L: int, n: int) -> dict[str, int]:
    """Return how many numbers of each kind the vector of parameters has, in its order."""
    sizes = (L, 3 * L, 6 * L, L, 3, 3, 3, 3, n, n)
    return dict(zip(PARAMETERS, sizes, strict=True))


def parameter_slots(L: int, n: int) -> dict[tuple[str, int], int]:
    """Return where each parameter stands in the vector of parameters."""
    pairs = [(name, k) for name, size in parameter_sizes(L, n).items() for k in range(size)]
    return {pair: slot for slot, pair in enumerate(pairs)}


def slots_of(spec: Spec, options: Options) -> dict[tuple[str, int], int]:
    """Return where a kernel finds each parameter: those of a stack may be geometry and options."""
    slots = parameter_slots(spec.L, spec.joints)
    for pair in (*spec.varied, *(('option', k) for k in range(count_each(options)))):
        slots[pair] = len(slots)
    return slots


def symbolic_numbers(spec: Spec, graph: Graph, *, full: bool = False) -> Numbers:
    """Return a robot of symbols; full: every inertial parameter, not the regrouped ones."""
    def parameter(name: str) -> Array:
        size = parameter_sizes(spec.L, spec.joints)[name]
        return objects([graph.parameter(name, k) for k in range(size)])

    geometry = floats(spec.geometry)
    for name, k in spec.varied:
        getattr(geometry, name).flat[k] = graph.parameter(name, k)
    coordinates = spec.coordinates
    if not spec.stacked:
        geometry, coordinates = kept_apart(spec, graph, geometry)
    inertials = symbolic_inertials(spec, parameter)
    floor = pivot_floor(geometry, inertials)
    if not full and not spec.turning:
        inertials = regroup(geometry, inertials, spec.massless)
    return Numbers(
        geometry, inertials, coordinates,
        parameter('damping') if spec.damping else None,
        parameter('friction') if spec.friction else None, floor, spec.massless)


def symbolic_inertials(spec: Spec, parameter: Callable[[str], Array]) -> Inertials:
    """Return inertials of symbols, zeros where the spec says so."""
    L = spec.L
    mass, moment = parameter('mass'), parameter('moment').reshape(L, 3)
    six, inertia = parameter('inertia').reshape(L, 6), zeros((L, 3, 3))
    for k, (row, column) in enumerate(UPPER):
        inertia[:, row, column] = inertia[:, column, row] = six[:, k]
    for i in spec.massless:
        mass[i], moment[i], inertia[i] = 0.0, 0.0, 0.0
    base = Base(*map(parameter, Base._fields))
    if not spec.turning:
        base = base._replace(angular_velocity=zeros(3), angular_acceleration=zeros(3))
    return Inertials(
        mass, moment, inertia, parameter('armature') if spec.armature else zeros(L), base)


def trace(spec: Spec, name: str, options: Options = (), *, quick: bool = False) -> Outputs:
    """Return the outputs of the leanest of the algorithms that can answer; quick: of the first."""
    definition = DEFINITIONS[name]
    best, least = None, None
    for chosen in candidates(spec, definition, options, quick):
        graph = Graph()
        numbers = symbolic_numbers(spec, graph, full=definition.full)
        arguments = [objects([graph.state(x, k) for k in range(size)])
                     for x, size in definition.sizes(spec, options).items()]
        outputs = definition.compute(numbers, arguments, with_each(
            chosen, partial(graph.parameter, 'option')))
        count = make_program(outputs).count()
        cost = count['M'] + count['A'] + 10 * count['D']
        if least is None or cost < least:
            best, least = outputs, cost
    assert best is not None
    return best


def candidates(spec: Spec, definition: Definition, options: Options,
               quick: bool) -> list[dict[str, Any]]:
    """Return the options of a kernel with each of the algorithms that compete for it."""
    given = dict(options)
    if not definition.algorithms or 'algorithm' in given:
        return [given]
    graph = Graph()
    alike = definition.alike(spec.coordinates.at(
        objects([graph.state('q', k) for k in range(spec.coordinates.nq)])))
    names = [name for name in definition.algorithms if name not in alike][:1 if quick else None]
    if spec.L > MANY and set(LINEAR) & set(names):
        names = [name for name in names if name in LINEAR]
    return [{**given, 'algorithm': name} for name in names]


def objects(values: Any) -> Array:
    """Return an array of symbols."""
    return np.array(values, object)


def zeros(shape: int | tuple[int, ...]) -> Array:
    """Return an object array of zeros."""
    array = np.empty(shape, object)
    array[...] = 0.0
    return array


def floats(geometry: Geometry) -> Geometry:
    """Return a geometry whose numbers are Python's, so that they meet symbols directly."""
    return Geometry(*[
        field.astype(object) if field.dtype == np.float64 else field for field in geometry])
