"""Kernels: a robot's dynamics, compiled. What robot/ calls; bound.py has the calls themselves."""

from functools import cached_property
from typing import Any

import numpy as np

from robot_dynamics.engine.bound import Bound
from robot_dynamics.engine.definition import Options
from robot_dynamics.engine.running.fallback import Fallback
from robot_dynamics.engine.running.store import Store, store_for
from robot_dynamics.engine.tracing.parameters import (
    inertials_of,
    make_spec,
    parameter_vector,
    with_body,
)
from robot_dynamics.model.coordinates import Coordinates
from robot_dynamics.model.denoc import Array, Geometry, Inertials


class Kernels(Bound):
    """The compiled dynamics of one robot."""

    def __init__(
            self, geometry: Geometry, inertials: Inertials, coordinates: Coordinates,
            joint_names: tuple[str, ...], *, damping: Array | None = None,
            friction: Array | None = None, massless: tuple[int, ...] = (),
            like: 'Kernels | None' = None) -> None:
        """Take a robot; `like`: kernels of a robot that may differ in inertials alone."""
        self.spec = make_spec(geometry, coordinates, inertials, damping, friction, massless)
        self.n = self.spec.n
        self.joint_names = tuple(joint_names)
        self._friction = damping, friction
        same = like is not None and like.spec.variant == self.spec.variant
        self._store: Store = (
            like._store if like is not None and same else store_for(self.spec))
        self.parameters = parameter_vector(self.spec, inertials, damping, friction)
        self.inertials = inertials
        self._variants: dict[Options, Bound] = {}
        super().__init__(None, ())

    @cached_property
    def inertials(self) -> Inertials:
        """Masses, moments, inertias, gravity and motion of the base."""
        return inertials_of(self.spec, self.parameters)

    @cached_property
    def _fallback(self) -> Fallback:
        return Fallback(self._store, self.inertials, *self._friction, self.parameters)

    def with_inertials(self, inertials: Inertials) -> 'Kernels':
        """Return the kernels of the same robot with other masses, gravity or base motion."""
        damping, friction = self._friction
        return Kernels(
            self.spec.geometry, inertials, self.spec.coordinates, self.joint_names,
            damping=damping, friction=friction, massless=self.spec.massless, like=self)

    def with_body(self, link: int, body: list[float]) -> 'Kernels':
        """Return the kernels of the same robot with a body welded to a link, quickly.

        body: m, m c (3), Ixx Ixy Ixz Iyy Iyz Izz about the link's origin, in its frame, (10,)
        """
        changed: Kernels = object.__new__(Kernels)
        changed.spec, changed.n, changed.joint_names = self.spec, self.n, self.joint_names
        changed._store, changed._friction, changed._variants = self._store, self._friction, {}
        changed.parameters = with_body(self.spec, self.parameters, link, body)
        Bound.__init__(changed, None, ())
        return changed

    def __reduce__(self) -> tuple[Any, ...]:
        """Make copies and pickles anew: machine code stays in its process."""
        spec = self.spec
        return make_kernels, (spec.geometry, self.inertials, spec.coordinates, self.joint_names,
                              *self._friction, spec.massless)

    def variant(self, **options: Any) -> Bound:
        """Return the kernels with some options compiled in; see `Definition`."""
        key = tuple(sorted(options.items()))
        if key not in self._variants:
            self._variants[key] = Bound(self, key)
        return self._variants[key]

    def frame(self, link: int, T: Array, **options: Any) -> Bound:
        """Return the kernels of a frame: T (4, 4) in link frame `link` (-1: the root)."""
        return self.variant(
            link=int(link), frame=tuple(map(tuple, np.asarray(T, float).tolist())), **options)

    def operation_count(self, name: str, options: tuple[Any, ...] = ()) -> dict[str, int]:
        """Return multiplications M, additions A, divisions D, sines and cosines T of one call."""
        slot = self._store.slots.get((name, options))
        if slot is not None and slot.header:
            return dict(slot.header['operations'])
        return self._fallback.program(name, options, leanest=True).count()


def make_kernels(
        geometry: Geometry, inertials: Inertials, coordinates: Coordinates,
        joint_names: tuple[str, ...], damping: Array | None, friction: Array | None,
        massless: tuple[int, ...]) -> Kernels:
    """Make kernels again of what `Kernels.__reduce__` kept."""
    return Kernels(geometry, inertials, coordinates, joint_names, damping=damping,
                   friction=friction, massless=massless)
