"""A payload: a rigid body welded to a link, checked and taken to the link's frame.

Controllers change payloads while they run: plain numbers are quicker here than small arrays.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robot_dynamics.errors import InputError, warn
from robot_dynamics.inputs import batched, number, vector
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.inertia_checks import impossible_inertials
from robot_dynamics.rigid_body import point_inertia

Plain = list[Any]  # an array as lists of floats, of lists of them
LEVEL = 1e-6  # of the largest entry: a principal moment that rounding may have made negative


def check_payload(mass: float, com: ArrayLike, inertia: ArrayLike | None
                  ) -> tuple[float, Plain, Plain | None]:
    """Return mass, mass centre (3,) and inertia (3, 3) about it; `InputError` names what is wrong.

    inertia: None for a point
    """
    weight = mass if type(mass) is float and math.isfinite(mass) else number('mass', mass)
    if weight < 0:
        raise InputError(f'mass={mass}: expected 0 kg or more')
    center = plain('com', com, (3,))
    if inertia is None:
        return weight, center, None
    tensor = plain('inertia', inertia, (3, 3))
    (a, b, c), (d, e, f), (g, h, i) = tensor
    half = (a + e + i) / 2.0
    if b == d and c == g and f == h and positive(tensor, 0.0):  # nearly always
        if not positive([[half - a, -b, -c], [-d, half - e, -f], [-g, -h, half - i]],
                        LEVEL * half):  # moments of m x^2, m y^2, m z^2: the triangle inequality
            doubt(tensor)
        return weight, center, tensor
    size = max(map(abs, (a, b, c, d, e, f, g, h, i)))
    if max(abs(b - d), abs(c - g), abs(f - h)) > 1e-9 * size:
        raise InputError('inertia: expected a symmetric matrix')
    if not positive(tensor, LEVEL * size):
        moment = np.linalg.eigvalsh(np.array(tensor))[0]
        if not moment >= -LEVEL * size:  # else the minors overflowed
            raise InputError(f'inertia: a principal moment of {moment:.3g} kg m^2 is negative')
    doubt(tensor)
    return weight, center, tensor


def doubt(inertia: Any, at: str = '') -> None:
    """Warn of an inertia that no rigid body can have, as when a URDF is loaded."""
    for sentence in impossible_inertials([('', 1.0, np.asarray(inertia))]):
        warn('payload' + sentence.removeprefix("link ''") + at)


def plain(name: str, value: Any, shape: tuple[int, ...]) -> Plain:
    """Return an array as lists of finite numbers."""
    if type(value) is np.ndarray and value.dtype == np.float64 and value.shape == shape:
        numbers: Plain = value.tolist()
        flat = numbers if len(shape) == 1 else numbers[0] + numbers[1] + numbers[2]
        if math.isfinite(sum(flat)):
            return numbers
    if type(value) is tuple and {*map(type, value)} <= {float, int} and (
            shape == (len(value),) and all(map(math.isfinite, value))):
        return list(map(float, value))
    checked: Plain = vector(name, value, shape).tolist()
    return checked


def check_payloads(N: int, mass: Any, com: Any, inertia: Any
                   ) -> tuple[Array, Array, Array | None]:
    """Return what `check_payload` does for N payloads, or one for all of N robots."""
    weight, center = batched('mass', mass, N, ()), batched('com', com, N, (3,))
    if (weight < 0).any():
        raise InputError(f'mass={weight.min():g}: expected 0 kg or more{worst(weight)}')
    if inertia is None:
        return weight, center, None
    tensor = batched('inertia', inertia, N, (3, 3))
    size = np.abs(tensor).max(axis=(-2, -1))
    skew = np.abs(tensor - np.swapaxes(tensor, -1, -2)).max(axis=(-2, -1))
    if (skew > 1e-9 * size).any():
        raise InputError(f'inertia: expected symmetric matrices{worst(1e-9 * size - skew)}')
    moments, _, largest = np.moveaxis(np.linalg.eigvalsh(tensor), -1, 0)
    if (moments < -LEVEL * size).any():
        raise InputError(f'inertia: a principal moment of {moments.min():.3g} kg m^2 is negative'
                         + worst(moments))
    half = np.trace(tensor, axis1=-2, axis2=-1) / 2
    excess = largest - (1 + LEVEL) * half
    if (excess > 0).any():
        k = np.unravel_index(np.argmax(excess), excess.shape)
        doubt(tensor[k], worst(-excess))
    return weight, center, tensor


def worst(values: Array) -> str:
    """Return which robot has the smallest of the values, for a message."""
    return f' (robot {int(np.argmin(values))} of the stack)' if values.ndim else ''


def positive(tensor: Plain, level: float) -> bool:
    """Tell whether no principal moment is below -level: the leading minors, a level higher."""
    (a, b, c), (_, d, e), (_, _, f) = tensor
    a, d, f = a + level, d + level, f + level
    found: bool = (a >= 0 and a * d - b * b >= 0
                   and a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d) >= 0)
    return found


def welded(T: Array, mass: float, com: Plain, inertia: Plain | None) -> list[float]:
    """Return m, m c (3), Ixx Ixy Ixz Iyy Iyz Izz of a body in the frame of the link that takes it.

    About the link frame's origin: with c the centre there, R I R^T + m (c.c 1 - c c^T)

    T: pose of the body's frame in the link's, (4, 4)
    """
    body = body_numbers(T.tolist(), mass, com, inertia)
    if not math.isfinite(sum(body)) and not all(map(math.isfinite, body)):
        raise InputError('mass, com or inertia: too large: what follows from it is not finite')
    return body


def welded_each(T: Array, mass: Array, com: Array, inertia: Array | None) -> Array:
    """Return what `welded` does, to the bit, for many bodies: (N, 10), or (10,) if all are one.

    T: pose of the frame, (4, 4) or (N, 4, 4); mass () or (N,), com (3,) or (N, 3), inertia
    """
    def last(array: Array, rank: int) -> Any:
        return array if rank == 0 else [last(np.take(array, k, axis=-rank), rank - 1)
                                        for k in range(array.shape[-rank])]
    with np.errstate(over='ignore', invalid='ignore'):
        numbers = body_numbers(last(T, 2), mass, last(com, 1),
                               None if inertia is None else last(inertia, 2))
    body = np.stack(np.broadcast_arrays(*numbers), axis=-1)
    if not np.isfinite(body).all():
        raise InputError('mass, com or inertia: too large: what follows from it is not finite')
    return body


def body_numbers(T: Any, m: Any, com: Any, I: Any) -> list[Any]:
    """Return the ten numbers of `welded`, over floats or arrays; I: None for a point."""
    (a, b, c, px), (d, e, f, py), (g, h, i, pz), _ = T
    u, v, w = com
    x, y, z = (a * u + b * v + c * w + px, d * u + e * v + f * w + py,
               g * u + h * v + i * w + pz)
    point = point_inertia(m, x, y, z)
    if I is None:
        return [m, m * x, m * y, m * z, *point]
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = I
    A, B, C = a * xx + b * xy + c * xz, a * xy + b * yy + c * yz, a * xz + b * yz + c * zz  # R I
    D, E, F = d * xx + e * xy + f * xz, d * xy + e * yy + f * yz, d * xz + e * yz + f * zz
    G, H, J = g * xx + h * xy + i * xz, g * xy + h * yy + i * yz, g * xz + h * yz + i * zz
    return [m, m * x, m * y, m * z,
            A * a + B * b + C * c + point[0], A * d + B * e + C * f + point[1],
            A * g + B * h + C * i + point[2], D * d + E * e + F * f + point[3],
            D * g + E * h + F * i + point[4], G * g + H * h + J * i + point[5]]
