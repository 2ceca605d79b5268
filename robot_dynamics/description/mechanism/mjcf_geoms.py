"""Masses of MJCF's geoms, where a body has no <inertial>: those of simple solids."""

import math
from typing import Any

import numpy as np

from robot_dynamics.description.checks import MAX_LENGTH, MAX_MASS, numbers
from robot_dynamics.description.frames import Array, placed, z_along
from robot_dynamics.errors import DescriptionError
from robot_dynamics.rigid_body import NO_BODY, RigidBody

SIZES = {'sphere': 1, 'capsule': 2, 'cylinder': 2, 'ellipsoid': 3, 'box': 3}
DENSITY = 1000.0  # [kg/m^3], MuJoCo's own


def geom_body(
    kind: str, values: dict[str, Any], at: str, pose: Array
) -> RigidBody | None:
    """Return the body of a geom, None where its mass is not known (meshes).

    pose: (4, 4) in the body, where the geom is not placed by fromto
    """
    if 'mass' in values:
        (mass,) = numbers(values['mass'], 1, MAX_MASS, at, 'mass')
        if not mass:
            return NO_BODY
    if kind == 'plane':
        return NO_BODY
    if kind not in SIZES:
        return None
    if values.get('shellinertia', 'false') != 'false':
        raise DescriptionError(f'{at}: shellinertia is not read; expected solid geoms')
    size, T = _size_and_pose(kind, values, at, pose)
    volume, unit = _solid(kind, size)
    if 'mass' not in values:
        (density,) = numbers(values.get('density', str(DENSITY)), 1, MAX_MASS, at, 'density')
        mass = density * volume
    return RigidBody(mass, np.zeros(3), mass * np.diag(unit)).in_frame(T)


def _size_and_pose(kind: str, values: dict[str, Any], at: str, pose: Array
                   ) -> tuple[list[float], Array]:
    if 'fromto' in values:
        if kind not in ('capsule', 'cylinder'):
            raise DescriptionError(f'{at}: fromto of a {kind} is not read; expected size')
        ends = np.array(numbers(values['fromto'], 6, MAX_LENGTH, at, 'fromto'))
        along = ends[3:] - ends[:3]
        words = (values.get('size') or '').split()[:1]
        radius = numbers(' '.join(words), 1, MAX_LENGTH, at, 'size')
        half = float(np.linalg.norm(along)) / 2
        R = z_along(along) if half else np.eye(3)
        return [*radius, half], placed(R, (ends[:3] + ends[3:]) / 2)
    words = (values.get('size') or '').split()[:SIZES[kind]]
    return numbers(' '.join(words), SIZES[kind], MAX_LENGTH, at, 'size'), pose


def _solid(kind: str, size: list[float]) -> tuple[float, list[float]]:
    """Return the volume and the principal inertias for a mass of 1; sizes are halves."""
    if kind == 'box':
        x, y, z = size
        return 8 * x * y * z, [(y * y + z * z) / 3, (x * x + z * z) / 3, (x * x + y * y) / 3]
    if kind in ('sphere', 'ellipsoid'):
        x, y, z = size * 3 if kind == 'sphere' else size
        return 4 / 3 * math.pi * x * y * z, [(y * y + z * z) / 5, (x * x + z * z) / 5,
                                             (x * x + y * y) / 5]
    r, h = size
    tube, across = 2 * math.pi * r * r * h, r * r / 4 + h * h / 3
    if kind == 'cylinder':
        return tube, [across, across, r * r / 2]
    ball = 4 / 3 * math.pi * r**3
    t, b = tube / (tube + ball), ball / (tube + ball)
    # two half balls on the ends, each with its centre 3 r / 8 beyond them
    across = t * across + b * (0.4 * r * r + h * h + 0.75 * h * r)
    return tube + ball, [across, across, t * r * r / 2 + b * 0.4 * r * r]
