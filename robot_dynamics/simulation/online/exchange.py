"""A motion sent state by state, and the efforts that came back: plain arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.simulation.motions import cycloidal


@dataclass(frozen=True)
class SentMotion:
    """A motion to be sent: t (K,) [s], q, qd, qdd (K, n) [rad or m, and per s, per s^2]."""

    joint_names: list[str]
    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray


@dataclass(frozen=True)
class Answers:
    """What came back: tau (K, n) [N m or N], delay (K,) [s]; nan where nothing did."""

    tau: np.ndarray
    delay: np.ndarray


def cycloid(joint_names: list[str], start: np.ndarray, end: np.ndarray, *, duration: float,
            rate: float) -> SentMotion:
    """Return the cycloidal motion from start to end, at rest at both.

    start, end: joint values, shape (n,) [rad or m]; duration: T [s]; rate: samples per second [Hz]
    """
    if not 0.1 <= duration <= 3600:
        raise InputError(f'duration: {duration} s, expected 0.1 to 3600')
    t = np.linspace(0, duration, round(duration * rate) + 1)
    return SentMotion(joint_names, t, *cycloidal(start, end, duration)(t))
