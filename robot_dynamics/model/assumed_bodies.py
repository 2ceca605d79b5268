"""Bodies for links whose inertia nobody gave, by what is known of their size.

In this order, each with the same mass per metre:
- a DH row with a length: MohanSaha2007's bent slender rod, unless it runs along its own joint's
  axis, where the joint would turn next to nothing;
- the shapes the link is drawn with, filled evenly; a mesh counts as the box around it;
- a rod along its own joint's axis: a cylinder, a fifth as thick as long;
- the next link's length: a ball of that diameter about O_{i+1};
- a ball of the given size.
Every joint then moves mass, and inertia about its own axis, so the GIM is regular: a pivot is no
less than what the joint's own link adds to it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from robot_dynamics.description.records import Shape
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.dh.table import DHRow, DHTable, step
from robot_dynamics.model.slender_rod import slender_rod
from robot_dynamics.model.transforms import inverse
from robot_dynamics.rigid_body import NO_BODY, RigidBody

SHORT = 0.1  # of the given size: a row below it counts as one without length
RADIUS = 0.1  # of a rod's length, where it must have one


@dataclass(frozen=True, slots=True)
class AssumedBody:
    """What was assumed for a link without inertials."""

    joint: str
    link: str
    what: str  # 'slender rod', 'shapes of its own', 'ball ...'
    size: float  # longest extent [m]
    mass: float  # [kg]

    def __str__(self) -> str:
        """Return one line for people."""
        return (f'{self.link!r} (joint {self.joint!r}): {self.what}, {self.size:.3g} m, '
                f'{self.mass:.3g} kg')


def assume_body(
    table: DHTable, i: int, density: float, size: float,
    shapes: Mapping[str, Sequence[Shape]],
) -> tuple[DHRow, AssumedBody]:
    """Return row i with a body, and what was assumed.

    density: mass per metre of the longest extent [kg/m]; size: where nothing else is known [m]
    shapes: of each link, in its own frame
    """
    row = table.rows[i]
    following = [_length(child) for child, parent in zip(table.rows, table.parents(), strict=True)
                 if parent == i]
    long, solids = _length(row) >= SHORT * size, _solids(table, i, shapes)
    if long and not (solids and _along_axis(row)):
        what, longest, body = 'slender rod', _length(row), _rod(row, density)
    elif solids:
        longest, body = _filled(solids, density)
        what = 'shapes of its own'
    elif max(following, default=0.0) >= SHORT * size:
        longest, what = max(following), 'ball as large as the next link'
        body = _ball(longest, density)
    else:
        longest, what = size, 'ball of rod_length'
        body = _ball(size, density)
    return (row.with_body(body),
            AssumedBody(str(row.name), str(row.link), what, float(longest), float(body.mass)))


def _length(row: DHRow) -> float:
    return abs(row.a) + abs(row.b or 0.0)


def _along_axis(row: DHRow) -> bool:
    """Whether the rod turns about Z_i with less inertia than a cylinder about its own axis."""
    return abs(row.a)**3 / 3 < _length(row) * (RADIUS * _length(row))**2 / 2


def _rod(row: DHRow, density: float) -> RigidBody:
    """Return the bent rod of MohanSaha2007 (17a) in frame i+1, thick where its axis needs it."""
    a, b = row.a, row.b or 0.0
    rod = slender_rod(a, b, density)
    if _along_axis(row):
        thick = 0.5 * rod.mass * (RADIUS * _length(row))**2  # of a cylinder about its own axis
        rod = replace(rod, inertia=rod.inertia + np.diag([thick / 2, thick / 2, thick]))
    return rod.in_frame(inverse(step(a, row.alpha, row.beta)))  # link frame i to frame i+1


def _ball(diameter: float, density: float) -> RigidBody:
    mass = density * diameter
    return RigidBody(mass, np.zeros(3), np.eye(3) * (0.4 * mass * (diameter / 2)**2))


def _solids(table: DHTable, i: int, shapes: Mapping[str, Sequence[Shape]]) -> list[Shape]:
    """Return the shapes of all links on row i, in frame i+1."""
    return [replace(shape, R=frame.T[:3, :3] @ shape.R, p=frame.T[:3, :3] @ shape.p
                    + frame.T[:3, 3])
            for name, frame in table.frames.items() if frame.row == i
            for shape in shapes.get(name, ())]


def _filled(solids: list[Shape], density: float) -> tuple[float, RigidBody]:
    """Return the longest side of the box around the solids, and the body they make."""
    half = [np.abs(solid.R) @ solid.size / 2 for solid in solids]
    high = np.max([solid.p + h for solid, h in zip(solids, half, strict=True)], axis=0)
    low = np.min([solid.p - h for solid, h in zip(solids, half, strict=True)], axis=0)
    longest = float((high - low).max())
    volumes = np.array([_PART[solid.kind] * solid.size.prod() for solid in solids])
    body = NO_BODY
    for solid, mass in zip(solids, density * longest * volumes / volumes.sum(), strict=True):
        central = solid.R @ _moments(solid, mass) @ solid.R.T
        body += RigidBody(float(mass), solid.p, central)
    return longest, body


def _moments(solid: Shape, mass: float) -> Array:
    """Return the inertia of a full solid about its centre, in its own axes."""
    xx, yy, zz = solid.size**2 * mass * np.array(_SPREAD[solid.kind])
    return np.diag([yy + zz, xx + zz, xx + yy])


# of the box around it: a solid's volume; its mean square along x, y, z over the extent's square.
# A capsule counts as a cylinder.
_PART = {'box': 1.0, 'cylinder': np.pi / 4, 'capsule': np.pi / 4, 'sphere': np.pi / 6}
_SPREAD = {'box': (1 / 12, 1 / 12, 1 / 12), 'cylinder': (1 / 16, 1 / 16, 1 / 12),
           'capsule': (1 / 16, 1 / 16, 1 / 12), 'sphere': (1 / 20, 1 / 20, 1 / 20)}
