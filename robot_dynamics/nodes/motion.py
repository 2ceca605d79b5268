"""The demo's motion and what came back on the way: plain arrays, no ROS."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics.errors import InputError


@dataclass(frozen=True)
class Motion:
    """A sampled motion: t (K,) [s], q, qd, qdd (K, n) [rad or m, and per s, per s^2]."""

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
            rate: float) -> Motion:
    """Return the cycloidal motion from start to end, at rest at both.

    start, end: joint values, shape (n,) [rad or m]; duration: T [s]; rate: samples per second [Hz]
    """
    if not 0.1 <= duration <= 3600:
        raise InputError(f'duration: {duration} s, expected 0.1 to 3600')
    t = np.linspace(0, duration, round(duration * rate) + 1)
    x = t[:, None] / duration
    stroke = np.asarray(end) - start
    s = x - np.sin(2 * np.pi * x) / (2 * np.pi)  # SahaSchiehlen2001 (35)
    sd = (1 - np.cos(2 * np.pi * x)) / duration
    sdd = 2 * np.pi * np.sin(2 * np.pi * x) / duration**2
    return Motion(joint_names, t, start + stroke * s, stroke * sd, stroke * sdd)
