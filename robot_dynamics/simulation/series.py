"""Recording of joint values, rates and accelerations: a robot's log, a saved trajectory, a table.

Joint rates and accelerations that are given are used as they are at the samples. What is missing
is differentiated, by splines of order five with free ends (not-a-knot): nothing is assumed about
the rates at the first and the last sample. Measured series want a low-pass filter.
"""

from typing import Any, NamedTuple

import numpy as np

from robot_dynamics.errors import warn
from robot_dynamics.inputs import number
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.smoothing import low_pass
from robot_dynamics.simulation.trajectory import hermite
from robot_dynamics.words import counted

KEYS = ('q', 'qd', 'qdd')
JUMPY = 1.5  # second differences beside accelerations: noise has 2.4, motions less than 1
WINDOWS = 20  # parts of a motion over which rates and values are compared
AGREE = 0.25  # of the largest acceleration: what polynomials between samples may add to it


class Series(NamedTuple):
    """Joint values, rates, accelerations (K, n) at times (K,), and what they were made of."""

    t: Array
    q: Array
    qd: Array
    qdd: Array
    source: str

    def __call__(self, x: Array) -> tuple[Array, Array, Array]:
        """Return q, qd, qdd at any instants within, (X, n) each.

        Polynomials of order five meet q, qd and qdd of the samples around. Where these do not
        belong together (noise, an impact), such polynomials shake: there straight lines do.
        """
        t, q, qd, qdd = self[:4]
        k = np.clip(np.searchsorted(t, x, side='right') - 1, 0, len(t) - 2)
        s = ((x - t[k]) / (t[k + 1] - t[k]))[:, None]
        smooth = agreeing(x, t, q, qd, qdd)
        curves = hermite(x, t, q, qd, qdd)
        found = [np.where(smooth, curve, y[k] + s * (y[k + 1] - y[k]))
                 for curve, y in zip(curves, (q, qd, qdd), strict=True)]
        for values, y in zip(found, (q, qd, qdd), strict=True):
            values[x == t[-1]] = y[-1]  # the last sample itself, without rounding
        return found[0], found[1], found[2]


def agreeing(x: Array, t: Array, q: Array, qd: Array, qdd: Array) -> Array:
    """Tell where q, qd, qdd of the samples around instants x (X,) belong together, (X, ...).

    Polynomials of order five then hardly add to the accelerations.
    """
    k = np.clip(np.searchsorted(t, x, side='right') - 1, 0, len(t) - 2)
    h = (t[k + 1] - t[k]).reshape((-1,) + (1,) * (q.ndim - 1))
    gap = q[k + 1] - q[k] - h * (qd[k] + qd[k + 1]) / 2 - h * h * (qdd[k] - qdd[k + 1]) / 12
    jump = qd[k + 1] - qd[k] - h * (qdd[k] + qdd[k + 1]) / 2
    shake = 60 * np.abs(gap) / h ** 2 + 1.5 * np.abs(jump) / h  # added to qdd, at most
    agree: Array = shake <= AGREE * np.abs(qdd).max(axis=0)
    return agree


def make_series(where: str, t: Array, given: list[Array], names: tuple[str, ...],
                frequency: float | None) -> Series:
    """Return q, qd, qdd of samples (K, n) of each; columns of nan are differentiated.

    where: for messages; frequency: of the low pass [Hz], None without one
    """
    known = known_columns(given)
    for j in (0, 1):
        check_rates(where, t, given[j], given[j + 1], KEYS[j:j + 2], names)
    if frequency is not None:
        frequency = number('filter', frequency)
    q, qd, qdd = complete(t, given, frequency)
    if frequency is None:
        check_noise(where, qdd[:, ~known[2]])
    source = (f'{where}: {len(t)} samples, {sentence(known, names)}, '
              + (f'low pass at {frequency:g} Hz' if frequency else 'no filter'))
    return Series(t, q, qd, qdd, source)


def known_columns(given: list[Array]) -> list[Array]:
    """Return which joints have each of q, qd, qdd at all samples, (n,) each."""
    return [np.all(np.isfinite(x), axis=0) for x in given]


def complete(t: Array, given: list[Array],
             frequency: float | None = None) -> tuple[Array, Array, Array]:
    """Return q, qd, qdd at the samples: given, filtered where asked for, or differentiated."""
    known = known_columns(given)
    result = [x.copy() for x in given]
    for j, values in enumerate(given):
        made = [k for k in range(j + 1, 3) if (known[j] & ~np.any(known[j + 1:k + 1], 0)).any()]
        if frequency is None and not made:
            continue
        at = np.flatnonzero(known[j])
        curve = (spline(t, values[:, at]) if frequency is None
                 else low_pass(t, values[:, at], frequency))
        if frequency is not None:
            result[j][:, at] = curve(t)
        for k in made:
            here = ~np.any(known[j + 1:k + 1], axis=0)[at]
            result[k][:, at[here]] = curve(t, k - j)[:, here]
    return result[0], result[1], result[2]


def spline(t: Array, values: Array) -> Any:
    """Return the spline through samples, its ends free."""
    from scipy.interpolate import make_interp_spline
    return make_interp_spline(t, values, k=5 if len(t) > 5 else min(3, len(t) - 1))


def check_rates(where: str, t: Array, x: Array, xd: Array, keys: tuple[str, ...],
                names: tuple[str, ...]) -> None:
    """Warn when rates are not those of the values: zeros that a driver filled in, other units."""
    ends = np.unique(np.linspace(0, len(t) - 1, WINDOWS + 1).astype(int))
    area = np.concatenate([0 * xd[:1], np.cumsum(
        np.diff(t)[:, None] * (xd[1:] + xd[:-1]) / 2, axis=0)])
    change, integral = np.diff(x[ends], axis=0), np.diff(area[ends], axis=0)
    size = np.abs(change) + np.abs(integral)
    least = 0.01 * size.max(axis=0) + 1e-6
    wrong = np.median(np.abs(change - integral) / (size + least), axis=0) > 0.5
    if wrong.any():
        joint = names[int(np.argmax(wrong))]
        warn(f'{where}: {keys[1]} of joint {joint!r} is not the rate of its {keys[0]} (it is used '
             'as it is; left out, it would be differentiated)')


def check_noise(where: str, qdd: Array) -> None:
    """Warn when differentiated accelerations are noise."""
    if len(qdd) < 10 or not qdd.size:
        return
    size = np.sqrt(np.mean(qdd[1:-1] ** 2, axis=0))
    rough = np.sqrt(np.mean(np.diff(qdd, 2, axis=0) ** 2, axis=0))
    if np.any((rough > JUMPY * size) & (size > 1e-3)):
        warn(f'{where}: accelerations that were differentiated jump from sample to sample: filter '
             'them (--filter HZ, filter=)')


def sentence(known: list[Array], names: tuple[str, ...]) -> str:
    """Say what was given and what was differentiated."""
    used, made = ['q'], []
    for key, columns in zip(KEYS[1:], known[1:], strict=True):
        if columns.all():
            used.append(key)
        elif columns.any():
            used.append(f'{key} of {counted(int(columns.sum()), "joint")}')
            made.append(f'{key} of {", ".join(np.array(names)[~columns])}')
        else:
            made.append(key)
    text = ' and '.join([', '.join(used[:-1]), used[-1]] if len(used) > 1 else used)
    return f'{text} given' + (f', {" and ".join(made)} differentiated' if made else '')
