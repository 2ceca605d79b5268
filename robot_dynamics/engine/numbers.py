"""A robot in numbers of one kind: what kernels are computed from."""

from dataclasses import dataclass

import numpy as np

from robot_dynamics.algorithms.friction import friction_torque
from robot_dynamics.model.coordinates import Linear
from robot_dynamics.model.denoc import Array, Geometry, Inertials


@dataclass(frozen=True)
class Numbers:
    """A robot of floats (reference), complex numbers (derivatives) or symbols (traced)."""

    geometry: Geometry
    inertials: Inertials
    coordinates: Linear
    damping: Array | None  # (nv,)
    friction: Array | None  # (nv,)
    floor: Array  # (L,) what a pivot must exceed
    massless: tuple[int, ...] = ()  # links that never have mass

    @property
    def n(self) -> int:
        """Number of the user's rates and torques."""
        return self.coordinates.nv

    def state(self, q: Array, *rates: Array) -> tuple[Array, ...]:
        """Return q, qd and qdd of the tree, as many as are given."""
        at = self.coordinates
        mapped = [at.positions(q)]
        if rates:
            mapped.append(at.rates(q, rates[0]))
        if rates[1:]:
            mapped.append(at.accelerations(q, *rates))
        return tuple(mapped)

    def branches(self) -> Array:
        """Return the parents of the user's joints."""
        return self.coordinates.parents(self.geometry.parent)

    def reduced_floor(self) -> Array:
        """Return what the pivots of the GIM over the user's joints must exceed."""
        return self.coordinates.diagonal(self.floor)

    def friction_torque(self, qd: Array) -> Array:
        """Return what overcomes friction, zero when there is none."""
        none = np.zeros_like(qd)
        if self.damping is None and self.friction is None:
            return none
        return friction_torque(none if self.damping is None else self.damping,
                               none if self.friction is None else self.friction, qd)


def array_like(example: Array, values) -> Array:
    """Return an array of the example's type."""
    return np.array(list(values), example.dtype)
