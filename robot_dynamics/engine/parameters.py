"""The vector of a robot's run-time parameters, and what in it decides which kernel is needed."""

import numpy as np

from robot_dynamics.algorithms.pivots import pivot_floor
from robot_dynamics.engine.trace import UPPER, Spec, parameter_sizes
from robot_dynamics.model.coordinates import Linear
from robot_dynamics.model.denoc import Array, Geometry, Inertials


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


def make_spec(
        geometry: Geometry, coordinates: Linear, inertials: Inertials, damping: Array | None,
        friction: Array | None, massless: tuple[int, ...]) -> Spec:
    """Return the constants of a robot's kernels."""
    return Spec(
        geometry, coordinates, tuple(massless),
        armature=bool(np.any(inertials.armature)),
        damping=damping is not None and bool(np.any(damping)),
        friction=friction is not None and bool(np.any(friction)),
        turning=bool(np.any(inertials.base_angular_velocity)
                     or np.any(inertials.base_angular_acceleration)))
