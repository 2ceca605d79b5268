"""A rigid body: mass, mass centre and inertia about it, all in one frame."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  # of a symmetric matrix, in order


@dataclass(frozen=True, slots=True, eq=False)
class RigidBody:
    """Mass [kg], mass centre (3,) [m] and inertia about it (3, 3) [kg m^2]; `+` welds two.

    Each body keeps the inertia about its own centre, so that one far from the frame's origin
    loses no digits.
    """

    mass: float
    com: Array
    inertia: Array

    @staticmethod
    def about_origin(mass: float, moment: Array, inertia: Array) -> 'RigidBody':
        """Return the body of a first moment m c (3,) and an inertia about the frame's origin."""
        com = moment / mass if mass else np.zeros(3)
        return RigidBody(mass, com, inertia - parallel_axis(mass, com))

    def in_frame(self, T: Array) -> 'RigidBody':
        """Return the same body in another frame; T (4, 4): the pose of this body's in that."""
        R = T[:3, :3]
        return RigidBody(self.mass, R @ self.com + T[:3, 3], R @ self.inertia @ R.T)

    @property
    def moment(self) -> Array:
        """First moment m c about the frame's origin, (3,) [kg m]."""
        return self.mass * self.com

    @property
    def origin_inertia(self) -> Array:
        """Inertia about the frame's origin, (3, 3) [kg m^2]."""
        return self.inertia + parallel_axis(self.mass, self.com)

    def __add__(self, other: 'RigidBody') -> 'RigidBody':
        """Return both as one: I = I_1 + I_2 + m_1 m_2 / (m_1 + m_2) (d^2 1 - d d^T)."""
        mass, inertia = self.mass + other.mass, self.inertia + other.inertia
        if not mass:
            return RigidBody(mass, self.com, inertia)
        d = other.com - self.com  # between the centres
        return RigidBody(mass, self.com + other.mass / mass * d,
                         inertia + parallel_axis(self.mass * other.mass / mass, d))


NO_BODY = RigidBody(0.0, np.zeros(3), np.zeros((3, 3)))
NO_BODY.com.setflags(write=False)
NO_BODY.inertia.setflags(write=False)


def parallel_axis(mass: float, d: Array) -> Array:
    """Return m (d^2 1 - d d^T): what a mass at d adds to an inertia about the origin, (3, 3)."""
    xx, xy, xz, yy, yz, zz = point_inertia(mass, *d.tolist())
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def point_inertia(mass: float, x: float, y: float, z: float) -> tuple[float, ...]:
    """Return Ixx Ixy Ixz Iyy Iyz Izz of a point mass about the origin [kg m^2]."""
    return (mass * (y * y + z * z), -mass * x * y, -mass * x * z,
            mass * (x * x + z * z), -mass * y * z, mass * (x * x + y * y))
