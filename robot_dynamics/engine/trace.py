"""Runs the algorithms over symbols: from a robot's constants to the outputs of a kernel."""

from dataclasses import dataclass

import numpy as np

from robot_dynamics.engine.regroup import regroup
from robot_dynamics.engine.symbols import Graph
from robot_dynamics.model.denoc import Array, Geometry, Inertials

FRICTION_RATE = 0.01  # [rad/s or m/s]: friction is friction tanh(qd / FRICTION_RATE)

PARAMETERS = ('mass', 'moment', 'inertia', 'armature', 'gravity', 'base_angular_velocity',
              'base_angular_acceleration', 'base_linear_acceleration', 'damping', 'friction',
              'floor')
UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


@dataclass(frozen=True)
class Spec:
    """What is folded into the code of a robot's kernels, and so decides which kernel it is."""

    geometry: Geometry
    expand: Array  # (L, n): q_tree = expand q + offset
    offset: Array  # (L,)
    massless: tuple[int, ...] = ()
    armature: bool = False  # some rotor has inertia
    damping: bool = False  # some joint is damped
    friction: bool = False  # some joint has dry friction
    turning: bool = False  # the base has an angular velocity or acceleration

    @property
    def L(self) -> int:
        """Number of links."""
        return len(self.geometry.parent)

    @property
    def n(self) -> int:
        """Number of joint values a user gives."""
        return self.expand.shape[1]


def parameter_sizes(L: int, n: int) -> dict[str, int]:
    """Return how many numbers of each kind the vector of parameters has, in its order."""
    sizes = (L, 3 * L, 6 * L, L, 3, 3, 3, 3, n, n, L)
    return dict(zip(PARAMETERS, sizes))


def parameter_slots(L: int, n: int) -> dict[tuple[str, int], int]:
    """Return where each parameter stands in the vector of parameters."""
    pairs = [(name, k) for name, size in parameter_sizes(L, n).items() for k in range(size)]
    return {pair: slot for slot, pair in enumerate(pairs)}


class Traced:
    """Symbols of one robot: state and parameters, ready for an algorithm."""

    def __init__(self, spec: Spec, *, full: bool = False) -> None:
        self.spec = spec
        self.graph = Graph()
        self.geometry = floats(spec.geometry)
        self.inertials = self.symbolic_inertials()
        if not full and not spec.turning:
            self.inertials = regroup(self.geometry, self.inertials, spec.massless)

    def state(self, name: str, scale: float = 1.0) -> Array:
        """Return the user's (n,) argument of this name."""
        return objects([self.graph.state(name, k) for k in range(self.spec.n)])

    def tree(self, values: Array, *, position: bool = False) -> Array:
        """Return joint values (or rates, accelerations) of the tree's L joints."""
        expand, offset = self.spec.expand.tolist(), self.spec.offset.tolist()
        rows = []
        for row, constant in zip(expand, offset):
            total = constant if position else 0.0
            for g, x in zip(row, values):
                total = total + g * x
            rows.append(total)
        return objects(rows)

    def project(self, forces: Array) -> Array:
        """Return the user's n torques of the tree's L torques."""
        expand = self.spec.expand.tolist()
        return objects([
            sum((expand[i][k] * forces[i] for i in range(self.spec.L) if expand[i][k]), 0.0)
            for k in range(self.spec.n)])

    def parameter(self, name: str) -> Array:
        """Return all parameters of this name."""
        size = parameter_sizes(self.spec.L, self.spec.n)[name]
        return objects([self.graph.parameter(name, k) for k in range(size)])

    def symbolic_inertials(self) -> Inertials:
        """Return inertials of symbols, zeros where the spec says so."""
        L = self.spec.L
        mass, moment = self.parameter('mass'), self.parameter('moment').reshape(L, 3)
        six, inertia = self.parameter('inertia').reshape(L, 6), zeros((L, 3, 3))
        for k, (row, column) in enumerate(UPPER):
            inertia[:, row, column] = inertia[:, column, row] = six[:, k]
        for i in self.spec.massless:
            mass[i], moment[i], inertia[i] = 0.0, 0.0, 0.0
        return Inertials(
            mass, moment, inertia,
            self.parameter('armature') if self.spec.armature else zeros(L),
            self.parameter('gravity'),
            *[self.parameter(name) if self.spec.turning else zeros(3)
              for name in PARAMETERS[5:7]],
            self.parameter('base_linear_acceleration'))


def objects(values) -> Array:
    """Return an object array; numpy never looks into its elements."""
    array = np.empty(len(values), object)
    array[:] = values
    return array


def zeros(shape) -> Array:
    """Return an object array of zeros."""
    array = np.empty(shape, object)
    array[...] = 0.0
    return array


def floats(geometry: Geometry) -> Geometry:
    """Return a geometry whose numbers are Python's, so that they meet symbols directly."""
    return Geometry(*[
        field.astype(object) if field.dtype == np.float64 else field for field in geometry])
