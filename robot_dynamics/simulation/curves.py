"""Smooth curves through the samples of a trajectory, as plots draw them.

Joint values, rates and accelerations are those of polynomials of order five between samples. Where
these do not belong together, cubics through values and rates do, unless they want accelerations
that no sample has, as behind an impact that nobody recorded: then monotone ones. Torques and
energies, whose rates nobody knows, follow Akima's curves, which do not swing beside steps. All
begin anew at corners, where joints strike stops, stop or start.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.layout import Layout
from robot_dynamics.simulation.series import agreeing
from robot_dynamics.simulation.trajectory import Trajectory, hermite

POINTS = 400  # of a curve, or a few more: as many as a panel is wide [pixel]
ARRAYS = ('t', 'q', 'qd', 'qdd', 'tau', 'kinetic', 'potential')


def smooth(trajectory: Trajectory) -> Trajectory:
    """Return a motion through the samples of another, with as many as a curve needs."""
    if len(trajectory.t) < 2:
        return trajectory
    known = with_corners(trajectory)
    t = known['t']
    ends = np.flatnonzero(np.diff(t) <= 0) + 1  # of the parts between corners
    parts = [part for part in np.split(np.arange(len(t)), ends) if len(part)]
    found: dict[str, list[Array]] = {key: [] for key in (*ARRAYS[:-1], 'energy')}
    for part in parts:
        values = {key: known[key][part] for key in ARRAYS}
        times = finer(values['t'], (t[-1] - t[0]) / POINTS)
        found['t'].append(times)
        for key, curve in zip(('q', 'qd', 'qdd'), moved(times, values, trajectory.layout),
                              strict=True):
            found[key].append(curve)
        values['energy'] = values['kinetic'] + values['potential']
        for key in ('tau', 'kinetic', 'energy'):
            found[key].append(akima(times, values['t'], values[key]))
    joined: dict[str, Any] = {key: np.concatenate(found[key]) for key in found}
    joined['potential'] = joined.pop('energy') - joined['kinetic']  # so that their sum is smooth
    if trajectory.reference is not None:
        joined['reference'] = akima(joined['t'], trajectory.t, trajectory.reference)
    return replace(trajectory, **joined)


def with_corners(trajectory: Trajectory) -> dict[str, Array]:
    """Return the samples, and in their places those before and after each corner."""
    corners = trajectory.corners
    if corners is None:
        return {key: getattr(trajectory, key) for key in ARRAYS}
    keep = ~np.isin(trajectory.t, corners.t)
    order = np.argsort(np.concatenate([trajectory.t[keep], corners.t]), kind='stable')
    return {key: np.concatenate([getattr(trajectory, key)[keep], getattr(corners, key)])[order]
            for key in ARRAYS}


def finer(t: Array, step: float) -> Array:
    """Return times (K,) with others between them, no farther apart than a step [s]."""
    counts = np.ceil(np.diff(t) / step).astype(int)
    k = np.repeat(np.arange(len(counts)), counts)
    part = (np.arange(len(k)) - np.repeat(np.cumsum(counts) - counts, counts)) / counts[k]
    return np.concatenate([t[k] + part * (t[k + 1] - t[k]), t[-1:]])


def moved(times: Array, values: dict[str, Array], layout: Layout) -> tuple[Array, Array, Array]:
    """Return q, qd, qdd at times from those of the samples around."""
    t, q, qd, qdd = (values[key] for key in ('t', 'q', 'qd', 'qdd'))
    rated = layout.n == qd.shape[-1]  # not all values of closed loops have rates
    if len(t) < 2 or not rated or not all(np.isfinite(x).all() for x in (q, qd, qdd)):
        return akima(times, t, q), akima(times, t, qd), akima(times, t, qdd)
    rates, second = qd, qdd
    if layout.poses:
        q = layout.continuous(q)
        rates, second = layout.velocity(q, qd), layout.acceleration(q, qd, qdd)
    choices = [agreeing(times, t, q, rates, second)]
    slower = cubic(times, t, q, rates)
    choices.append(slower[2] <= np.abs(second).max(axis=0))  # no more than at the samples
    position, velocity, acceleration = (
        np.select(choices, curves, other) for *curves, other in zip(
            hermite(times, t, q, rates, second), (*slower[:2], straight(times, t, second)),
            (monotone(times, t, q, rates), monotone(times, t, rates, second),
             straight(times, t, second)), strict=True))
    if not layout.poses:
        return position, velocity, acceleration
    for k, _ in layout.poses:  # of the point on the sphere
        velocity[..., k + 3:k + 7] /= np.linalg.norm(position[..., k + 3:k + 7], axis=-1,
                                                     keepdims=True)
    position = layout.normalised(position)
    return position, layout.rates(position, velocity), akima(times, t, qdd)


def cubic(times: Array, t: Array, y: Array, slope: Array) -> tuple[Array, Array, Array]:
    """Return values, slopes and the largest curvatures at times, of cubics between samples."""
    k, h, s = intervals(times, t, y.ndim)
    rise, v0, v1 = y[k + 1] - y[k], h * slope[k], h * slope[k + 1]
    c2, c3 = 3 * rise - 2 * v0 - v1, v0 + v1 - 2 * rise
    bend = np.maximum(np.abs(2 * c2), np.abs(2 * c2 + 6 * c3)) / h ** 2
    return y[k] + s * (v0 + s * (c2 + s * c3)), (v0 + s * (2 * c2 + s * 3 * c3)) / h, bend


def monotone(times: Array, t: Array, y: Array, slope: Array) -> Array:
    """Return values at times of cubics that never leave the range of the two samples around.

    slope: dy/dt, cut where it would lead beyond (Fritsch and Carlson): behind an impact that
    nobody recorded nothing swings.
    """
    k, h, s = intervals(times, t, y.ndim)
    rise = y[k + 1] - y[k]
    v0, v1 = (np.sign(rise) * np.clip(np.sign(rise) * h * slope[j], 0, 3 * np.abs(rise))
              for j in (k, k + 1))
    curve: Array = y[k] + s * (v0 + s * (3 * rise - 2 * v0 - v1 + s * (v0 + v1 - 2 * rise)))
    return curve


def straight(times: Array, t: Array, y: Array) -> Array:
    """Return values at times on the lines from sample to sample."""
    k, _, s = intervals(times, t, y.ndim)
    line: Array = y[k] + s * (y[k + 1] - y[k])
    return line


def intervals(times: Array, t: Array, dimensions: int) -> tuple[Array, Array, Array]:
    """Return the sample before each instant, the way to the next [s], and the part of it done.

    The latter two have as many dimensions as the values that they are for.
    """
    k = np.clip(np.searchsorted(t, times, side='right') - 1, 0, len(t) - 2)
    h = t[k + 1] - t[k]
    shape = (-1,) + (1,) * (dimensions - 1)
    return k, h.reshape(shape), ((times - t[k]) / h).reshape(shape)


def akima(times: Array, t: Array, y: Array) -> Array:
    """Return values at times of Akima's curve through samples, of lines where some are nan."""
    if len(t) < 2:
        return y[:1].repeat(len(times), 0)
    if len(t) == 2 or not np.isfinite(y).all():
        return straight(times, t, y)
    from scipy.interpolate import Akima1DInterpolator
    curve: Any = Akima1DInterpolator(t, y, axis=0)
    values: Array = curve(times)
    return values
