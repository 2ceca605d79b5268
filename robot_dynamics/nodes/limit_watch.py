"""Notices joint values outside the limits, such as angles in degrees: no ROS."""

from __future__ import annotations

import numpy as np

from robot_dynamics.robot import Robot

SLACK = 1e-3  # [rad or m] beyond a limit: a joint on its stop, an encoder's offset
TURN = 2 * np.pi  # [rad] larger angles are rare, and likely degrees


class LimitWatch:
    """Says of each joint once that it is outside its limits."""

    def __init__(self, robot: Robot):
        self._names, self._limits = robot.joint_names, robot.limits
        self._lower, self._upper = robot.limits.lower - SLACK, robot.limits.upper + SLACK

    def look(self, q: np.ndarray, what: str) -> str:
        """Return what to say about joint values, (n,) or (N, n) [rad or m], mostly nothing.

        what: where the values come from, to begin the sentence with
        """
        beyond = (q < self._lower) | (q > self._upper)
        if not beyond.any():
            return ''
        rows, hits = np.atleast_2d(q), np.atleast_2d(beyond)
        joints = np.flatnonzero(hits.any(axis=0))
        said = []
        for j in joints:
            value = rows[int(hits[:, j].argmax()), j]
            said.append(f'joint {self._names[j]!r} at {value:.6g}, limits '
                        f'{self._limits.lower[j]:.6g} to {self._limits.upper[j]:.6g}')
            self._lower[j], self._upper[j] = -np.inf, np.inf  # said
        degrees = np.abs(rows[:, joints]).max() > TURN
        return (f'{what}: outside the limits: {"; ".join(said)}'
                + ' (are these degrees? radians are expected)' * bool(degrees))
