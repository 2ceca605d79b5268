"""The motion that a JointTrajectory asks for."""

from __future__ import annotations

from typing import Any

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.nodes.shared.conversion import read_trajectory, seconds
from robot_dynamics.simulation.online.following import Following


def follow(trajectory: Any, joint_names: tuple[str, ...], now: float, start: float,
           present: tuple[np.ndarray, np.ndarray] | None, *, most: int) -> Following:
    """Return the motion of a trajectory.

    now, start: time of its arrival, and when its time_from_start is zero [s]; present: q, qd, from
    where it goes to its first point if that is later than its start; most: points that may come
    """
    fields = ['positions'] + [
        field for field in ('velocities', 'accelerations')
        if any(len(getattr(point, field)) for point in trajectory.points)]
    if fields[1:] == ['accelerations']:
        raise InputError('accelerations without velocities')
    columns = read_trajectory(trajectory, joint_names, fields, most=most)
    t = np.array([seconds(point.time_from_start) for point in trajectory.points])
    if t[0] < 0 or (np.diff(t) <= 0).any():
        raise InputError('time_from_start must be positive and increase from point to point')
    if start + t[-1] < now:
        raise InputError(f'the trajectory ended {now - start - t[-1]:.3f} s ago')
    if t[0] > 0 and present is not None:
        rates = (*present, np.zeros_like(present[0]))  # from now on, or from half way if late
        t = np.concatenate([[max(0.0, min(now - start, t[0] / 2))], t])
        columns = [np.concatenate([row[None], column])
                   for row, column in zip(rates, columns, strict=False)]
    return Following(start, t, *columns)
