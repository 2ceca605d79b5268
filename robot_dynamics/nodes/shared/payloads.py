"""The body that a SetPayload request fastens to a link."""

from __future__ import annotations

from typing import Any

import numpy as np

from robot_dynamics.errors import InputError

LARGEST = 1e9  # [kg, m, kg m^2] no payload has more
MOMENTS = ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')


def read_payload(body: Any) -> tuple[float, np.ndarray, np.ndarray]:
    """Return mass [kg], mass centre (3,) [m] and inertia (3, 3) [kg m^2] of an Inertia message.

    `InputError`: what is not finite, absurdly large, or a mass below zero
    """
    numbers = {'mass m': body.m, **{f'com.{axis}': getattr(body.com, axis) for axis in 'xyz'},
               **{name: getattr(body, name) for name in MOMENTS}}
    for name, number in numbers.items():
        if not np.isfinite(number):
            raise InputError(f'inertia: {name} is {number}: expected a finite number')
        if abs(number) > LARGEST:
            raise InputError(f'inertia: {name} is {number:g}: beyond {LARGEST:g}')
    mass, *rest = numbers.values()
    if mass < 0:
        raise InputError(f'inertia: mass {mass} kg, expected zero or more')
    values = np.array(rest)
    return mass, values[:3], values[3:][[[0, 1, 2], [1, 3, 4], [2, 4, 5]]]
