"""A payload: a rigid body welded to a link, checked and taken to the link's frame.

Controllers change payloads while they run: plain numbers are quicker here than small arrays.
"""

import math

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.inputs import number, vector
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.model import LinkFrame
from robot_dynamics.rigid_body import point_inertia

LEVEL = 1e-6  # of the largest entry: a principal moment that rounding may have made negative
NO_INERTIA = np.zeros((3, 3))


def check_payload(mass: float, com, inertia) -> tuple[float, Array, Array]:
    """Return mass, mass centre (3,) and inertia (3, 3) about it; `InputError` names what is wrong.

    inertia: None for a point
    """
    weight = mass if type(mass) is float and math.isfinite(mass) else number('mass', mass)
    if weight < 0:
        raise InputError(f'mass={mass}: expected 0 kg or more')
    center = vector('com', com, (3,))
    if inertia is None:
        return weight, center, NO_INERTIA
    tensor = vector('inertia', inertia, (3, 3))
    size = np.abs(tensor).max()
    if np.abs(tensor - tensor.T).max() > 1e-9 * size:
        raise InputError('inertia: expected a symmetric matrix')
    if not positive(tensor, LEVEL * size):
        moment = np.linalg.eigvalsh(tensor)[0]
        raise InputError(f'inertia: a principal moment of {moment:.3g} kg m^2 is negative')
    return weight, center, tensor


def positive(tensor: Array, level: float) -> bool:
    """Tell whether no principal moment is below -level: the leading minors, a level higher."""
    (a, b, c), (_, d, e), (_, _, f) = tensor.tolist()
    a, d, f = a + level, d + level, f + level
    return (a >= 0 and a * d - b * b >= 0
            and a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d) >= 0)


def welded(frame: LinkFrame, mass: float, com: Array, inertia: Array) -> Array:
    """Return m, m c (3), Ixx Ixy Ixz Iyy Iyz Izz of a body in the frame of the link that takes it.

    About the link frame's origin: with c the centre there, R I R^T + m (c.c 1 - c c^T)
    """
    R, p = frame.T[:3, :3], frame.T[:3, 3]
    with np.errstate(over='ignore', invalid='ignore'):
        x, y, z = (R @ com + p).tolist()
        I = R @ inertia @ R.T if inertia is not NO_INERTIA else inertia
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = I.tolist()
    XX, XY, XZ, YY, YZ, ZZ = point_inertia(mass, x, y, z)
    body = np.array([mass, mass * x, mass * y, mass * z,
                     xx + XX, xy + XY, xz + XZ, yy + YY, yz + YZ, zz + ZZ])
    if not all(map(math.isfinite, body.tolist())):
        raise InputError('mass, com or inertia: too large: what follows from it is not finite')
    return body
