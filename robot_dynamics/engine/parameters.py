"""The vector of a robot's run-time parameters, and what in it decides which kernel is needed."""

import numpy as np

from robot_dynamics.engine.trace import UPPER, Spec, parameter_sizes
from robot_dynamics.model.denoc import Array, Geometry, Inertials

PIVOT = 1e-14  # a pivot below this part of the inertia it is made of is zero to rounding


def parameter_vector(
        spec: Spec, inertials: Inertials, damping: Array | None,
        friction: Array | None) -> Array:
    """Return the parameters in the order of trace.PARAMETERS."""
    zero = np.zeros(spec.n)
    six = np.stack([inertials.inertia[:, i, j] for i, j in UPPER], axis=1)
    parts = (inertials.mass, inertials.moment, six, *inertials[3:],
             zero if damping is None else damping, zero if friction is None else friction,
             pivot_floor(spec.geometry, inertials))
    sizes = parameter_sizes(spec.L, spec.n)
    return np.concatenate([
        np.asarray(part, float).reshape(size)
        for part, size in zip(parts, sizes.values(), strict=True)])


def pivot_floor(geometry: Geometry, inertials: Inertials) -> Array:
    """Return what each pivot must exceed: PIVOT times a bound of the inertia its joint can feel.

    Bodies beyond joint i count as stretched out straight; strokes of prismatic joints do not.
    """
    L = len(geometry.parent)
    m = np.abs(inertials.mass)
    h = np.sqrt((inertials.moment ** 2).sum(axis=1))
    I = np.abs(inertials.inertia).max(axis=(1, 2)) if L else np.zeros(0)
    length = np.sqrt((geometry.d ** 2).sum(axis=1))
    floor = np.zeros(L)
    for i in range(L - 1, -1, -1):  # m, h, I of everything beyond, about O'_i
        floor[i] = m[i] if geometry.prismatic[i] else I[i]
        p, r = geometry.parent[i], length[i]
        if p >= 0:
            m[p], h[p], I[p] = (m[p] + m[i], h[p] + h[i] + r * m[i],
                                I[p] + I[i] + r * (2 * h[i] + r * m[i]))
    return PIVOT * floor


def make_spec(
        geometry: Geometry, expand: Array, offset: Array, inertials: Inertials,
        damping: Array | None, friction: Array | None, massless: tuple[int, ...]) -> Spec:
    """Return the constants of a robot's kernels."""
    return Spec(
        geometry, np.asarray(expand, float), np.asarray(offset, float), tuple(massless),
        armature=bool(np.any(inertials.armature)),
        damping=damping is not None and bool(np.any(damping)),
        friction=friction is not None and bool(np.any(friction)),
        turning=bool(np.any(inertials.base_angular_velocity)
                     or np.any(inertials.base_angular_acceleration)))
