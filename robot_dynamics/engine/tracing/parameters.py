"""The vector of a robot's run-time parameters, and what in it decides which kernel is needed."""

import functools

import numpy as np

from robot_dynamics.engine.tracing.trace import Spec, parameter_sizes
from robot_dynamics.model.coordinates import Coordinates
from robot_dynamics.model.denoc import OF_LINKS, Array, Base, Geometry, Inertials, frozen
from robot_dynamics.rigid_body import UPPER


def parameter_vector(
        spec: Spec, inertials: Inertials, damping: Array | None,
        friction: Array | None) -> Array:
    """Return the parameters in the order of trace.PARAMETERS."""
    zero = np.zeros(spec.joints)
    six = np.stack([inertials.inertia[:, i, j] for i, j in UPPER], axis=1)
    parts = (inertials.mass, inertials.moment, six, inertials.armature,
             *inertials.base,
             zero if damping is None else damping, zero if friction is None else friction)
    sizes = parameter_sizes(spec.L, spec.joints)
    return np.concatenate([
        np.asarray(part, float).reshape(size)
        for part, size in zip(parts, sizes.values(), strict=True)])


def with_body(spec: Spec, parameters: Array, link: int, body: list[float]) -> Array:
    """Return the parameters with a body (m, m c, Ixx Ixy Ixz Iyy Iyz Izz) added to a link."""
    changed = parameters.copy()
    changed[body_slots(spec.L, link)] += body
    return changed


@functools.lru_cache(maxsize=4096)
def body_slots(L: int, link: int) -> Array:
    """Return where the ten numbers of a link's body stand in the vector of parameters."""
    h, I = L + 3 * link, 4 * L + 6 * link
    return np.array([link, h, h + 1, h + 2, *range(I, I + 6)])


def inertials_of(spec: Spec, parameters: Array) -> Inertials:
    """Return the inertials of a vector of parameters."""
    parts, start = {}, 0
    for name, size in parameter_sizes(spec.L, spec.joints).items():
        parts[name] = frozen(parameters[start:start + size].copy())
        start += size
    inertia = np.empty((spec.L, 3, 3))
    six = parts['inertia'].reshape(spec.L, 6)
    for k, (i, j) in enumerate(UPPER):
        inertia[:, i, j] = inertia[:, j, i] = six[:, k]
    parts.update(moment=frozen(parts['moment'].reshape(spec.L, 3)), inertia=frozen(inertia))
    base = Base(**{name: parts[name] for name in Base._fields})
    return Inertials(**{name: parts[name] for name in OF_LINKS}, base=base)


def make_spec(
        geometry: Geometry, coordinates: Coordinates, inertials: Inertials, damping: Array | None,
        friction: Array | None, massless: tuple[int, ...]) -> Spec:
    """Return the constants of a robot's kernels."""
    return Spec(
        geometry, coordinates, tuple(massless),
        armature=bool(np.any(inertials.armature)),
        damping=damping is not None and bool(np.any(damping)),
        friction=friction is not None and bool(np.any(friction)),
        turning=bool(np.any(inertials.base.angular_velocity)
                     or np.any(inertials.base.angular_acceleration)))
