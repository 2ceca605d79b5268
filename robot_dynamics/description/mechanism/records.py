"""What a mechanism's file says, whatever its format: a tree, and what closes its loops."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robot_dynamics.description.records import Description

Array = NDArray[np.float64]

# What the cut joint allows: fixed nothing; revolute a turn about z; prismatic a slide along z;
# cylindrical both; universal turns about x of the first frame and y of the second; spherical all
# turns; planar slides along x and y and a turn about z.
CUT_JOINTS = ('fixed', 'revolute', 'prismatic', 'cylindrical', 'universal', 'spherical', 'planar')
WORLD = 'world'  # the inertial frame, where a link is expected

_EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class CutFrame:
    """The frame of a cut joint in one of its two links; link `world` is the inertial frame."""

    link: str
    T: Array  # (4, 4) pose in the link's frame


@dataclass(frozen=True, slots=True)
class Loop:
    """A cut joint: what it allows between a frame of one link and a frame of another."""

    name: str
    joint: str  # one of CUT_JOINTS
    frames: tuple[CutFrame, CutFrame]
    friction: float | None = None  # of a contact with the world, whose normal is z of its frame


@dataclass(frozen=True, slots=True)
class Coupling:
    """Gears and belts: sum of coefficients[j] * q[j] over joints of the tree is `constant`."""

    name: str
    coefficients: Mapping[str, float]
    constant: float = 0.0  # [rad or m, of the joint whose coefficient is 1]


@dataclass(frozen=True, slots=True)
class MechanismRecord:
    """A whole mechanism; names of joints are those that the tree has as a robot."""

    name: str
    where: str  # file name, or 'the mechanism text'
    tree: Description | Path | None  # Path: a DH file, which the model reads; None: made by code
    loops: tuple[Loop, ...]
    couplings: tuple[Coupling, ...] = ()
    options: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)  # of rd.load
    actuated: tuple[str, ...] | None = None  # None where nobody says
    independent: tuple[str, ...] | None = None
    start: Mapping[str, float] = field(default_factory=lambda: _EMPTY)  # 0 where not named
    warnings: tuple[str, ...] = ()  # beside those of the tree
