"""Reference motions: q, qd, qdd as functions of time.

A motion goes from one joint configuration to another in `duration` seconds along one profile, or
through samples; it rests before and after.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.inputs import number, vector
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.series import Series, make_series
from robot_dynamics.simulation.smoothing import low_pass

Profile = Callable[[Array], tuple[Array, Array, Array]]  # of time parts 0..1: s, ds, dds


class Motion:
    """A motion of n joints: call it with one instant or many.

    evaluate: q, qd, qdd, (K, n) each, of instants (K,) [s]; duration [s]; n: number of joints

    >>> motion = rd.Motion(lambda t: (t[:, None], 1 + 0 * t[:, None], 0 * t[:, None]), 2.0, 1)
    >>> motion(3.0)[0]  # it stays at its end
    array([2.])
    """

    def __init__(self, evaluate: Callable[[Array], tuple[Array, Array, Array]],
                 duration: float, n: int):
        self.evaluate = evaluate
        self.duration = duration
        self.n = n
        self.t: Array | None = None  # of the samples that it was made of, (K,) [s]
        self.tau: Array | None = None  # recorded and filtered as they, (K, n), nan if not
        self.source = ''  # what it was made of, in a line

    def __repr__(self) -> str:
        made = f'; {self.source}' if self.source else ''
        return f'<Motion: {self.n} joint{"s"[self.n == 1:]}, {self.duration:.6g} s{made}>'

    def __call__(self, t: Any) -> tuple[Array, Array, Array]:
        """Return q, qd, qdd: (n,) each for one instant, (K, n) for (K,)."""
        times = np.atleast_1d(np.asarray(t, float))
        inside = np.clip(times, 0.0, self.duration)
        q, qd, qdd = self.evaluate(inside)
        rest = (np.abs(inside - times) > 1e-9 * self.duration)[:, None]  # more than rounding
        qd, qdd = np.where(rest, 0.0, qd), np.where(rest, 0.0, qdd)
        return (q, qd, qdd) if np.ndim(t) else (q[0], qd[0], qdd[0])


def cycloidal(start: Any, end: Any, duration: float) -> Motion:
    """Return the papers' motion: MohanSaha2007 (38), Bhangale2004 (23).

    start, end: joint values, (n,) [rad or m]; duration [s]; `InputError`: shapes, no duration

    >>> q, qd, qdd = rd.cycloidal([0, 0], [1, 2], 2.0)(1.0)
    >>> qd.round(3)
    array([1., 2.])
    """
    def profile(x: Array) -> tuple[Array, Array, Array]:
        w = 2 * np.pi
        return (x - np.sin(w * x) / w,  # MohanSaha2007 (38)
                1 - np.cos(w * x), w * np.sin(w * x))
    return point_to_point(start, end, duration, profile)


def quintic(start: Any, end: Any, duration: float) -> Motion:
    """Return the polynomial of order five that begins and ends at rest without acceleration.

    start, end: joint values, (n,) [rad or m]; duration [s]; `InputError`: shapes, no duration

    >>> rd.quintic([0, 0], [1, 2], 2.0)(1.0)[0].round(3)
    array([0.5, 1. ])
    """
    def profile(x: Array) -> tuple[Array, Array, Array]:
        return (x ** 3 * (10 + x * (-15 + 6 * x)), x ** 2 * (30 + x * (-60 + 30 * x)),
                x * (60 + x * (-180 + 120 * x)))
    return point_to_point(start, end, duration, profile)


def trapezoidal(start: Any, end: Any, duration: float, blend: float = 0.25) -> Motion:
    """Return constant acceleration, constant rate, constant deceleration.

    start, end: joint values, (n,) [rad or m]; duration [s]
    blend: the part of the duration that each of the two accelerations takes, 0 to 0.5
    `InputError`: shapes, no duration, blend

    >>> rd.trapezoidal([0], [3], 2.0)(1.0)[1]
    array([2.])
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


def sampled(t: Any, q: Any, qd: Any = None, qdd: Any = None, *,
            filter: float | None = None) -> Motion:
    """Return the motion through samples; it begins at 0 with the first one.

    t: (K,) increasing [s]; q, qd, qdd: (K, n), those known, used as they are; what is missing is
        differentiated, with free ends
    filter: low pass for measured series, zero-phase [Hz]
    `InputError`: shapes, times that do not increase

    >>> t = np.linspace(0, 1, 101)
    >>> rd.sampled(t, np.sin(t)[:, None])(0.5)[1].round(4)
    array([0.8776])
    """
    times, values = np.asarray(t, float), np.asarray(q, float)
    if times.ndim != 1 or values.ndim != 2 or len(times) != len(values) or len(times) < 2:
        raise InputError(f't, q: shapes {times.shape}, {values.shape}: expected (K,), (K, n)')
    if not np.isfinite(times).all() or np.any(np.diff(times) <= 0):
        raise InputError('t: expected increasing times')
    given = [np.full(values.shape, np.nan) if x is None else vector(name, x, values.shape)
             for name, x in (('q', q), ('qd', qd), ('qdd', qdd))]
    names = tuple(f'joint {k + 1}' for k in range(values.shape[1]))
    return of_series(make_series('t, q', times - times[0], given, names, filter))


def from_file(file: Any, joint_names: Sequence[str], *, filter: float | None = None,
              rename: Mapping[str, str] | None = None) -> Motion:
    """Return the motion of a file (.csv, .npz, .mcap, .db3, a bag's folder), joints by name.

    filter: low pass for measured series, zero-phase [Hz]
    rename: {joint of the file, or the beginning of the names of several: the robot's}
    `InputError`: a file that cannot be read, joints that it lacks

    >>> rd.simulate(arm, [0, 0], [0, 0], None, 0.1).save(folder / 'fall.csv')
    >>> round(rd.from_file(folder / 'fall.csv', arm.joint_names).duration, 3)
    0.1
    """
    from robot_dynamics.simulation.files import load_joints
    found = load_joints(file, tuple(joint_names), rename or {})
    path = found.trajectory
    found.whole(file, 'qd')
    found.whole(file, 'qdd')
    motion = of_series(make_series(str(file), path.t, [path.q, path.qd, path.qdd],
                                   path.joint_names, filter))
    motion.tau = path.tau
    if filter is not None and np.isfinite(path.tau).all():
        motion.tau = low_pass(path.t, path.tau, filter)(path.t)
    return motion


def of_series(series: Series) -> Motion:
    """Return the motion of samples."""
    motion = Motion(lambda t: series(t), float(series.t[-1]), series.q.shape[1])
    motion.t, motion.source = series.t, series.source
    return motion


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
