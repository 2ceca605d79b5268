"""Ellipsoids: of inertia, of velocities and of forces at a link, as poses and semi-axes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from robot_dynamics.drawing.places import placed
from robot_dynamics.model.denoc import Array, Inertials


class Ellipsoid(NamedTuple):
    """Semi-axes, (3,), along the axes of a pose, (4, 4)."""

    T: Array
    semi_axes: Array


def inertia_ellipsoids(inertials: Inertials) -> Iterator[tuple[int, Ellipsoid]]:
    """Yield the solid ellipsoid with the mass and inertia of each body, in the body's frame."""
    for i in range(len(inertials.mass)):
        body = inertials.link(i)
        if body.mass <= 0:
            continue
        moments, axes = np.linalg.eigh(body.inertia)
        # I_1 = m (b^2 + c^2) / 5 and so on: a^2 = 5 (I_2 + I_3 - I_1) / (2 m)
        squares = 5 * (moments.sum() - 2 * moments) / (2 * body.mass)
        yield i, Ellipsoid(placed(axes, body.com), np.sqrt(np.maximum(squares, 0)))


def velocity_ellipsoid(J: Array, origin: Array) -> Ellipsoid:
    """Return the velocities J qd of joint rates of unit length, about a point (manipulability).

    J: linear rows of a Jacobian, (3, n); origin: (3,)
    """
    squares, axes = np.linalg.eigh(J @ J.T)
    return Ellipsoid(placed(axes, origin), np.sqrt(np.maximum(squares, 0)))


def force_ellipsoid(J: Array, effort: Array, origin: Array, most: float) -> Ellipsoid:
    """Return the forces f that torques J^T f of at most unit share of `effort` balance.

    effort: (n,) limits of the joints; most: how long an axis may become where J is singular
    """
    scaled = J / effort
    squares, axes = np.linalg.eigh(scaled @ scaled.T)
    with np.errstate(divide='ignore'):
        lengths = 1.0 / np.sqrt(np.maximum(squares, 0.0))
    return Ellipsoid(placed(axes, origin), np.minimum(lengths, most))


def mass_centre(inertials: Inertials, bodies: Array) -> Array:
    """Return the centre of all moving mass, (3,) in root axes [m]."""
    m = inertials.mass
    sums = m[:, None] * bodies[:, :3, 3] + np.einsum(
        'lij,lj->li', bodies[:, :3, :3], inertials.moment)
    centre: Array = sums.sum(axis=0) / max(float(m.sum()), np.finfo(float).tiny)
    return centre
