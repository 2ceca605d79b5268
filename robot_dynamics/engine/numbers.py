"""A robot in numbers of one kind: what kernels are computed from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from robot_dynamics.algorithms.friction import friction_slope, friction_torque
from robot_dynamics.model.coordinates import Coordinates
from robot_dynamics.model.denoc import Array, Geometry, Inertials


@dataclass(frozen=True)
class Numbers:
    """A robot of floats (reference), complex numbers (derivatives) or symbols (traced)."""

    geometry: Geometry
    inertials: Inertials
    coordinates: Coordinates
    damping: Array | None  # (joints,)
    friction: Array | None  # (joints,)
    floor: Array  # (L,) what a pivot must exceed
    massless: tuple[int, ...] = ()  # links that never have mass
    q: Array | None = None  # (nq,) where it stands

    @property
    def n(self) -> int:
        """Number of the user's rates and torques."""
        return self.coordinates.nv

    def at(self, q: Array) -> Numbers:
        """Return the robot standing at q: what its coordinates need of q is computed once."""
        if self.q is q:
            return self
        coordinates = self.coordinates.at(q)
        return replace(self, coordinates=coordinates, q=q,
                       geometry=coordinates.geometry(self.geometry, q))

    def rest(self, q: Array) -> Array:
        """Return rates of zero, (nv,), in numbers of the kind of q."""
        return np.zeros(self.n, q.dtype)

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

    def friction_torque(self, q: Array | None, qd: Array) -> Array:
        """Return what overcomes friction, (nv,), zero when there is none."""
        if self.damping is None and self.friction is None:
            return np.zeros_like(qd)
        return self.coordinates.joint_torques(
            q, self.joint_friction(self.coordinates.joint_rates(q, qd)))

    def joint_friction(self, rates: Array) -> Array:
        """Return what overcomes the friction of each joint that rubs, (joints,)."""
        return self.of_friction(friction_torque, rates)

    def friction_slope(self, rates: Array) -> Array:
        """Return the derivative of each joint's friction by its rate, (joints,)."""
        return self.of_friction(friction_slope, rates)

    def of_friction(self, function: Callable[..., Any], rates: Array) -> Array:
        """Return a function of damping, dry friction and rates."""
        none = np.zeros_like(rates)
        damping = none if self.damping is None else self.damping
        friction = none if self.friction is None else self.friction
        if rates.dtype != object or not any(isinstance(x, (int, float)) for x in rates):
            found: Array = function(damping, friction, rates)
            return found
        # a number among symbols: loops hold that joint still, and numpy has no tanh of both
        return np.concatenate([function(damping[[k]], friction[[k]], (
            rates[[k]].astype(float) if isinstance(x, (int, float)) else rates[[k]]))
            for k, x in enumerate(rates)]).astype(object)

    def smooth_friction(self, q: Array, qd: Array) -> Array:
        """Return what overcomes damping, and the dry friction of joints that follow others."""
        following = self.coordinates.following
        if self.damping is None and not (following and self.friction is not None):
            return np.zeros_like(qd)
        dry = self.friction if following else None
        if dry is not None:
            dry = array_like(qd, [x if k in following else 0.0 for k, x in enumerate(dry)])
        return replace(self, friction=dry).friction_torque(q, qd)


def array_like(example: Array, values: Iterable[Any]) -> Array:
    """Return an array of the example's type."""
    return np.array(list(values), example.dtype)


def product(A: Array, B: Array) -> Array:
    """Return A B, (rows, columns), over numbers of any kind; zeros cost nothing in a trace."""
    return np.array([[sum(a * b for a, b in zip(row, column, strict=True))
                      for column in B.T] for row in A], B.dtype).reshape(len(A), B.shape[1])
