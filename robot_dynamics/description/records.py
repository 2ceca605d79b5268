"""What a URDF says, as plain frozen records: links and joints in document order."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robot_dynamics.rigid_body import RigidBody

Array = NDArray[np.float64]

# of a floating joint that is one of six degrees: its rates, its values, its joints as a chain
RATES = ('wx', 'wy', 'wz', 'vx', 'vy', 'vz')
VALUES = ('x', 'y', 'z', 'qx', 'qy', 'qz', 'qw')
CHAIN = ('x', 'y', 'z', 'yaw', 'pitch', 'roll')
FLOATING_BASE = 'base'  # the joint of a base that floats


@dataclass(frozen=True, slots=True)
class Shape:
    """A solid that a link is drawn with: box, sphere, cylinder or capsule along z, or mesh."""

    kind: str
    size: Array  # (3,) extent along its own x, y, z [m]; a mesh's scale
    R: Array  # (3, 3) its axes in the link frame
    p: Array  # (3,) its centre in the link frame [m]; a mesh's origin
    file: str = ''  # of a mesh, as the URDF names it
    color: tuple[float, ...] | None = None  # red, green, blue, opacity, 0 to 1


@dataclass(frozen=True, slots=True)
class Link:
    """A link; `inertial`, in its frame, is None where the file has no <inertial>."""

    name: str
    inertial: RigidBody | None = None
    shapes: tuple[Shape, ...] = ()  # of collision, or visual where there are none
    visuals: tuple[Shape, ...] = ()


@dataclass(frozen=True, slots=True)
class Mimic:
    """q = multiplier * q_leader + offset."""

    leader: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint; limits that the file does not give are infinite."""

    name: str
    type: str
    parent: str
    child: str
    origin: Array  # (4, 4) child link frame in the parent link frame at q = 0
    axis: Array  # (3,) unit vector in the child link frame
    lower: float = -np.inf
    upper: float = np.inf
    velocity: float = np.inf
    effort: float = np.inf
    damping: float = 0.0  # [N m s/rad or N s/m]
    friction: float = 0.0  # Coulomb [N m or N]
    mimic: Mimic | None = None
    armature: float = 0.0  # rotor inertia seen at the joint, which a URDF cannot say


@dataclass(frozen=True, slots=True)
class Description:
    """A whole robot. `joints` are depth first in document order, parents before children."""

    name: str
    root: str
    links: dict[str, Link]
    joints: tuple[Joint, ...]
    where: str  # file name, or 'the URDF text'
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """What links are drawn with, by link, and where their meshes are looked for.

    file: the robot's own, beside which relative names are looked for; None where it came as text
    packages: {name: folder} that the user named
    """

    visuals: Mapping[str, tuple[Shape, ...]] = field(default_factory=dict)
    shapes: Mapping[str, tuple[Shape, ...]] = field(default_factory=dict)
    file: Path | None = None
    packages: Mapping[str, str] = field(default_factory=dict)
