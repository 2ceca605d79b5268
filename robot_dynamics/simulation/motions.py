"""Reference motions: q, qd, qdd as functions of time.

A motion goes from one joint configuration to another in `duration` seconds along one profile; it
rests before and after.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.inputs import number
from robot_dynamics.model.denoc import Array

Profile = Callable[[Array], tuple[Array, Array, Array]]  # of time parts 0..1: s, ds, dds


class Motion:
    """A motion of n joints: call it with one instant or many."""

    def __init__(self, evaluate: Callable[[Array], tuple[Array, Array, Array]],
                 duration: float, n: int):
        self.evaluate = evaluate
        self.duration = duration
        self.n = n

    def __call__(self, t: Any) -> tuple[Array, Array, Array]:
        """Return q, qd, qdd: (n,) each for one instant, (K, n) for (K,)."""
        times = np.atleast_1d(np.asarray(t, float))
        inside = np.clip(times, 0.0, self.duration)
        q, qd, qdd = self.evaluate(inside)
        rest = (inside != times)[:, None]
        qd, qdd = np.where(rest, 0.0, qd), np.where(rest, 0.0, qdd)
        return (q, qd, qdd) if np.ndim(t) else (q[0], qd[0], qdd[0])


def cycloidal(start: Any, end: Any, duration: float) -> Motion:
    """Return the papers' motion: MohanSaha2007 (38), Bhangale2004 (23)."""
    def profile(x: Array) -> tuple[Array, Array, Array]:
        w = 2 * np.pi
        return (x - np.sin(w * x) / w,  # MohanSaha2007 (38)
                1 - np.cos(w * x), w * np.sin(w * x))
    return point_to_point(start, end, duration, profile)


def quintic(start: Any, end: Any, duration: float) -> Motion:
    """Return the polynomial of order five that begins and ends at rest without acceleration."""
    def profile(x: Array) -> tuple[Array, Array, Array]:
        return (x ** 3 * (10 + x * (-15 + 6 * x)), x ** 2 * (30 + x * (-60 + 30 * x)),
                x * (60 + x * (-180 + 120 * x)))
    return point_to_point(start, end, duration, profile)


def trapezoidal(start: Any, end: Any, duration: float, blend: float = 0.25) -> Motion:
    """Return constant acceleration, constant rate, constant deceleration.

    blend: the part of the duration that each of the two accelerations takes, 0 to 0.5
    """
    part = number('blend', blend)
    if not 0 < part <= 0.5:
        raise InputError(f'blend={part:g}: expected more than 0, at most 0.5')
    rate = 1 / (1 - part)

    def profile(x: Array) -> tuple[Array, Array, Array]:
        rising, falling = x < part, x > 1 - part
        s = np.where(rising, rate * x * x / (2 * part), np.where(
            falling, 1 - rate * (1 - x) ** 2 / (2 * part), rate * (x - part / 2)))
        ds = np.where(rising, rate * x / part, np.where(falling, rate * (1 - x) / part, rate))
        return s, ds, np.where(rising, rate / part, np.where(falling, -rate / part, 0.0))
    return point_to_point(start, end, duration, profile)


PROFILES = {'cycloidal': cycloidal, 'quintic': quintic, 'trapezoidal': trapezoidal}


def point_to_point(start: Any, end: Any, duration: float, profile: Profile) -> Motion:
    """Return the motion along a straight line of joint values."""
    a, b = joint_values('start', start), joint_values('end', end)
    if a.shape != b.shape:
        raise InputError(f'start has {len(a)} joint values, end {len(b)}')
    T = positive_duration(duration)

    def evaluate(t: Array) -> tuple[Array, Array, Array]:
        s, ds, dds = (x[:, None] for x in profile(t / T))
        return a + s * (b - a), ds * (b - a) / T, dds * (b - a) / T ** 2
    return Motion(evaluate, T, len(a))


def sampled(t: Any, q: Any) -> Motion:
    """Return the cubic spline through samples, t (K,) from 0 and q (K, n); ends at rest."""
    from scipy.interpolate import CubicSpline
    times, values = np.asarray(t, float), np.asarray(q, float)
    if times.ndim != 1 or values.ndim != 2 or len(times) != len(values) or len(times) < 2:
        raise InputError(f't, q: shapes {times.shape}, {values.shape}: expected (K,), (K, n)')
    if np.any(np.diff(times) <= 0) or not np.isfinite(values).all():
        raise InputError('t, q: expected increasing times and finite values')
    spline = CubicSpline(times - times[0], values, bc_type='clamped')
    return Motion(lambda x: (spline(x), spline(x, 1), spline(x, 2)),
                  float(times[-1] - times[0]), values.shape[1])


def from_file(file: Any, joint_names: tuple[str, ...]) -> Motion:
    """Return the motion of a saved trajectory (.csv, .npz, .mcap), joints matched by name."""
    from robot_dynamics.simulation.files import load
    trajectory = load(Path(file))
    missing = [name for name in joint_names if name not in trajectory.joint_names]
    if missing:
        raise InputError(f'{file}: has no joint {missing[0]!r}')
    order = [trajectory.joint_names.index(name) for name in joint_names]
    return sampled(trajectory.t, trajectory.q[:, order])


def joint_values(name: str, values: Any) -> Array:
    """Return joint values (n,) as finite numbers."""
    try:
        array = np.atleast_1d(np.array(values, float))
    except (TypeError, ValueError):
        raise InputError(f'{name}: expected numbers, found {str(values)[:80]}') from None
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InputError(f'{name}: expected finite joint values (n,)')
    return array


def positive_duration(duration: Any) -> float:
    """Return a duration in seconds."""
    T = number('duration', duration)
    if T <= 0:
        raise InputError(f'duration={T:g}: expected a positive number of seconds')
    return T
