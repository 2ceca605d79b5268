"""The DeNOC model: the frozen arrays every algorithm reads.

Each moving link i has one joint and one parent link (-1 is the root, which does not move).

Link frame i is fixed on link i: its origin is O'_i = O_i + b_i z_i, its z axis is the joint's
axis Z_i, its x axis is X_{i+1} of the Denavit-Hartenberg convention (MohanSaha2007, Appendix A).
It differs from the papers' frame i+1 by the constant Tx(a_i) Rx(alpha_i) only. We take it because
the joint's axis is [0, 0, 1] in it, because the children of a branching link need no special case,
and because its origin stays fixed on the link when the joint is prismatic, which Bhangale2004 (1)
needs and does not say.

From the parent's link frame p to link frame i, with q the joint's value:

    R_i = Rz(gamma_i) Rx(alpha_i) Rz(theta_i)
    r_i = d_i + u_i q     (prismatic),  d_i    (revolute),   u_i = Rz(gamma_i) Rx(alpha_i) z
    theta_i = theta0_i    (prismatic),  theta0_i + q (revolute)

A constant rotation of any kind (base, branch, Hayati's turn) fits this form: it is a turn about
Z, one about X and one about Z, and the last one joins theta0_i.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robot_dynamics.rigid_body import RigidBody

Array = NDArray[Any]
RIGHT_ANGLE = 1e-15  # an angle this near a multiple of pi/2 is one, but for rounding [rad]


class Geometry(NamedTuple):
    """What of a robot never changes: the tree and the constants of its joints (L links)."""

    parent: Array  # (L,) int64, index of the parent link, -1 for the root
    prismatic: Array  # (L,) bool
    cg: Array  # (L,) cos gamma
    sg: Array  # (L,) sin gamma
    ca: Array  # (L,) cos alpha
    sa: Array  # (L,) sin alpha
    theta0: Array  # (L,) [rad]
    d: Array  # (L, 3) from O'_parent to O'_i at q = 0, in the parent's link frame [m]
    c0: Array  # (L,) cos theta0
    s0: Array  # (L,) sin theta0
    offset: Array  # (L, 3) d in the joint's frame, Rx(-alpha) Rz(-gamma) d; serial: [a, 0, b]

    @property
    def turned(self) -> dict[int, Array] | None:
        """How joint frames are turned where that is not Rz(gamma) Rx(alpha); None: nowhere."""
        return None


class PosedGeometry(Geometry):
    """A geometry at one state, where poses hang some links on their parents (floating joints)."""

    rotations: dict[int, Array]  # (3, 3) from the joint's frame to the parent's, by link

    @property
    def turned(self) -> dict[int, Array] | None:
        """How joint frames are turned, by link."""
        return self.rotations


def posed(geometry: Geometry, d: Array, offset: Array,
          rotations: dict[int, Array]) -> PosedGeometry:
    """Return a geometry with other offsets (L, 3), and rotations (3, 3) of some joint frames."""
    made = PosedGeometry(*geometry._replace(d=d, offset=offset))
    made.rotations = rotations
    return made


class Base(NamedTuple):
    """What acts on the root: gravity and its motion, each (3,) in root axes."""

    gravity: Array  # [m/s^2]
    angular_velocity: Array  # [rad/s]
    angular_acceleration: Array  # [rad/s^2]
    linear_acceleration: Array  # [m/s^2]


class Inertials(NamedTuple):
    """What of a robot may change at run time: masses and rotors of its L links, and its base."""

    mass: Array  # (L,) [kg]
    moment: Array  # (L, 3) mass times mass centre, from O'_i in link frame i [kg m]
    inertia: Array  # (L, 3, 3) about O'_i in link frame i, hub inertia included [kg m^2]
    armature: Array  # (L,) rotor inertia seen at the joint, on the GIM's diagonal [kg m^2 or kg]
    base: Base

    def link(self, i: int) -> RigidBody:
        """Return link i as a body in its frame, hub inertia included."""
        return RigidBody.about_origin(float(self.mass[i]), self.moment[i], self.inertia[i])

    def over(self, **changes: Array) -> 'Inertials':
        """Return the same links over a base with other gravity or motion."""
        return self._replace(base=self.base._replace(**changes))

    def cast(self, change: Callable[[Array], Array]) -> 'Inertials':
        """Return the same in numbers of another kind, change(array) of each array."""
        return Inertials(change(self.mass), change(self.moment), change(self.inertia),
                         change(self.armature), Base(*map(change, self.base)))


OF_LINKS = tuple(name for name in Inertials._fields if name != 'base')


def frozen(array: Array) -> Array:
    """Return the array, no longer writeable."""
    array.setflags(write=False)
    return array


def make_geometry(parent: ArrayLike, prismatic: ArrayLike, gamma: ArrayLike, alpha: ArrayLike,
                  theta0: ArrayLike, d: ArrayLike) -> Geometry:
    """Make a Geometry from angles; right angles get exact zeros and ones."""
    d = np.array(d, float).reshape(-1, 3)
    parts = geometry_numbers(np.array(gamma, float), np.array(alpha, float),
                             np.array(theta0, float), list(d.T))
    fields: dict[str, Any] = {
        name: frozen(part[0] if len(part) == 1 else np.stack(part, axis=-1))
        for name, part in parts.items()}
    return Geometry(frozen(np.array(parent, np.int64)), frozen(np.array(prismatic, bool)),
                    **fields)


def geometry_numbers(gamma: Array, alpha: Array, theta0: Array,
                     d: list[Array]) -> dict[str, list[Array]]:
    """Return the numbers of a Geometry by field, one array or x, y, z; with leading axes or not.

    gamma, alpha, theta0: (..., L) [rad]; d: x, y, z, (..., L) each [m]
    """
    (cg, sg), (ca, sa), (c0, s0) = (exact_cos_sin(angle) for angle in (gamma, alpha, theta0))
    return {'cg': [cg], 'sg': [sg], 'ca': [ca], 'sa': [sa], 'theta0': [theta0], 'd': d,
            'c0': [c0], 's0': [s0], 'offset': joint_frame_offsets(cg, sg, ca, sa, d)}


def joint_frame_offsets(cg: Array, sg: Array, ca: Array, sa: Array, d: list[Array]) -> list[Array]:
    """Return Rx(-alpha) Rz(-gamma) d of every joint; what rounding leaves of a zero is zero."""
    x, y, z = d
    x, y = cg * x + sg * y, cg * y - sg * x
    y, z = ca * y + sa * z, ca * z - sa * y
    least = 1e-15 * np.sqrt(x * x + y * y + z * z)
    return [np.where(np.abs(part) < least, 0.0, part) for part in (x, y, z)]


def make_inertials(mass: ArrayLike, moment: ArrayLike, inertia: ArrayLike,
                   armature: ArrayLike | None = None, gravity: ArrayLike = (0.0, 0.0, -9.81)
                   ) -> Inertials:
    """Make Inertials over a base at rest."""
    mass = np.array(mass, float)
    armature = np.zeros(len(mass)) if armature is None else np.array(armature, float)
    return Inertials(
        frozen(mass), frozen(np.array(moment, float).reshape(-1, 3)),
        frozen(np.array(inertia, float).reshape(-1, 3, 3)), frozen(armature),
        Base(frozen(np.array(gravity, float)),
             frozen(np.zeros(3)), frozen(np.zeros(3)), frozen(np.zeros(3))))


def exact_cos_sin(angle: Array) -> tuple[Array, Array]:
    """Return cosine and sine, exact at multiples of a right angle (to rounding).

    URDF files write pi/2 with four to sixteen digits; only what is a right angle to rounding is
    one. The exact zeros let the traced code drop the terms they multiply.
    """
    quarter = np.round(angle / (np.pi / 2))
    right = np.abs(angle - quarter * (np.pi / 2)) < RIGHT_ANGLE
    k = quarter.astype(np.int64) % 4
    cos = np.where(right, np.array([1.0, 0.0, -1.0, 0.0])[k], np.cos(angle))
    sin = np.where(right, np.array([0.0, 1.0, 0.0, -1.0])[k], np.sin(angle))
    return cos, sin
