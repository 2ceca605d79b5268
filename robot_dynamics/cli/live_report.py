"""What the demo shows: a live table in the terminal, a summary."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from robot_dynamics.simulation.online.exchange import Answers, SentMotion

PERIOD_WITHOUT_TERMINAL = 1.0  # [s] of motion between tables in a log


class LiveTable:
    """Position, velocity and torque of each joint, redrawn in place in a terminal."""

    def __init__(self, motion: SentMotion):
        self._motion = motion
        self._terminal = sys.stdout.isatty()
        self._drawn = 0  # lines on the screen
        self._next = 0.0  # [s] of motion, in a log

    def update(self, sent: int, tau: np.ndarray, *, last: bool = False) -> None:
        """Show the latest answered sample among those sent so far.

        tau: answers, shape (K, n) [N m or N], nan where none came yet
        """
        answered = np.flatnonzero(np.isfinite(tau[:sent, 0]))
        if not answered.size:
            return
        k = answered[-1]
        if not (self._terminal or last or self._motion.t[k] >= self._next):
            return
        self._next = self._motion.t[k] + PERIOD_WITHOUT_TERMINAL
        lines = self._lines(k, tau[k])
        up = f'\x1b[{self._drawn}A' if self._terminal and self._drawn else ''
        clear = '\x1b[K' if self._terminal else ''
        print(up + '\n'.join(line + clear for line in lines), flush=True)
        self._drawn = len(lines)

    def _lines(self, k: int, tau: np.ndarray) -> list[str]:
        motion = self._motion
        width = max(map(len, [*motion.joint_names, 'joint']))
        return [
            f't = {motion.t[k]:6.2f} of {motion.t[-1]:.2f} s',
            f'{"joint":{width}}  position  velocity     torque',
            *(f'{name:{width}}  {q:8.3f}  {qd:8.3f}  {effort:9.3f}' for name, q, qd, effort
              in zip(motion.joint_names, motion.q[k], motion.qd[k], tau, strict=True)),
        ]


def outcome(motion: SentMotion, answers: Answers, exact: np.ndarray) -> dict[str, Any]:
    """Return what happened as plain data.

    exact: efforts of the service, shape (K, n) [N m or N], from the motion's own accelerations
    """
    answered = np.isfinite(answers.delay)
    delay = 1e3 * answers.delay[answered]
    error = np.abs(answers.tau - exact)[answered].max(axis=0)
    return {'sent': len(motion.t), 'answered': int(answered.sum()),
            'round_trip_ms': {'median': float(np.median(delay)), 'worst': float(delay.max())},
            'joints': [{'joint': name, 'largest_torque': float(peak), 'largest_error': float(far)}
                       for name, peak, far in zip(motion.joint_names, np.abs(exact).max(axis=0),
                                                  error, strict=True)]}


def summary(report: dict[str, Any]) -> str:
    """Return a few lines on what happened."""
    width = max(len(joint['joint']) for joint in report['joints'])
    delay = report['round_trip_ms']
    return '\n'.join([
        '',
        f'{report["sent"]} joint states sent, {report["answered"]} answered; round trip '
        f'{delay["median"]:.2f} ms median, {delay["worst"]:.2f} ms worst',
        f'{"joint":{width}}  largest torque  live against exact acceleration  [N m or N]',
        *(f'{joint["joint"]:{width}}  {joint["largest_torque"]:14.3f}  '
          f'{joint["largest_error"]:31.4f}' for joint in report['joints']),
    ])
