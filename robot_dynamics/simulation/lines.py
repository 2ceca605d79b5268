"""Straight lines in space: inverse kinematics along them, one link's pose given over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import vector
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.motions import Motion, positive_duration

CLOSE = 1e-12  # of the pose [rad, m]
ITERATIONS = 100
LARGEST = 0.3  # change of a joint in one iteration


def inverse_kinematics(robot: Dynamics, pose: Any, guess: Any, *,
                       link: str | None = None) -> Array:
    """Return joint values that bring a link (the tip by default) to a pose (4, 4).

    Newton's method from `guess`, (n,), with the Jacobian's pseudo-inverse; `InputError` where it
    finds none, and for shapes.

    >>> rd.inverse_kinematics(arm, arm.pose([0.3, 0.5]), [0.2, 0.4]).round(6)
    array([0.3, 0.5])
    """
    T = vector('pose', pose, (4, 4))
    q = vector('guess', guess, (robot.n,))
    error = np.zeros(6)
    for _ in range(ITERATIONS):
        error = pose_error(T, robot.pose(q, link))
        if np.abs(error).max() < CLOSE:
            return q
        step = np.linalg.pinv(robot.jacobian(q, link), rcond=1e-8) @ error
        q = q + step * min(1.0, LARGEST / max(np.abs(step).max(), 1e-300))
    if np.abs(error).max() < 1e-9:  # a redundant or singular arm that creeps
        return q
    raise InputError(f'pose: no joint values found near the guess: '
                     f'{np.abs(error[3:]).max():.2g} m and '
                     f'{np.abs(error[:3]).max():.2g} rad are left')


def pose_error(wanted: Array, found: Array) -> Array:
    """Return the turn and the way from one pose to another, in root axes, (6,)."""
    R = wanted[:3, :3] @ found[:3, :3].T
    axis = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine, cosine = np.linalg.norm(axis) / 2, (np.trace(R) - 1) / 2
    angle = np.arctan2(sine, cosine)
    if sine > 1e-8:
        turn = axis * (angle / (2 * sine))
    elif cosine > 0:
        turn = axis / 2
    else:  # half a turn: its axis is the column of R + 1 that is longest
        columns = R + np.eye(3)
        column = columns[:, int(np.argmax(np.abs(np.diag(columns))))]
        turn = np.pi * column / np.linalg.norm(column)
    return np.concatenate([turn, wanted[:3, 3] - found[:3, 3]])


def straight_line(robot: Dynamics, start: Any, end: Any, duration: float, *, guess: Any,
                  rotation: Any = None, link: str | None = None, profile: str = 'constant',
                  knots: int = 200) -> Motion:
    """Return the motion of a link's origin along a line, its attitude kept (Mata2002, 5.2).

    start, end: (3,) in root axes; rotation: (3, 3) of the link, that at `guess` by default;
    profile: 'constant' speed, or 'cycloidal': from rest to rest; guess: joint values near start
    `InputError`: shapes, a line that the link cannot follow

    >>> slide = rd.DHRow(0, None, np.pi / 2, 0, 'prismatic', mass=1)
    >>> robot = rd.Robot.from_dh([slide, slide])
    >>> start, end = (robot.pose(q)[:3, 3] for q in ([0, 0], [1, 1]))
    >>> motion = rd.straight_line(robot, start, end, 2.0, guess=[0, 0])
    >>> motion(1.0)[0].round(6)
    array([0.5, 0.5])
    """
    a, b = vector('start', start, (3,)), vector('end', end, (3,))
    T = positive_duration(duration)
    q = vector('guess', guess, (robot.n,))
    R = robot.pose(q, link)[:3, :3] if rotation is None else vector('rotation', rotation, (3, 3))
    if profile not in ('constant', 'cycloidal'):
        raise InputError(f"profile={profile!r}: expected 'constant' or 'cycloidal'")

    def along(t: float) -> tuple[float, float, float]:
        x, w = t / T, 2 * np.pi
        if profile == 'constant':
            return x, 1 / T, 0.0
        return x - np.sin(w * x) / w, (1 - np.cos(w * x)) / T, w * np.sin(w * x) / T ** 2

    def pose(t: float) -> Array:
        target = np.eye(4)
        target[:3, :3], target[:3, 3] = R, a + along(t)[0] * (b - a)
        return target

    instants = np.linspace(0.0, T, knots + 1)
    path = []
    for t in instants:
        q = inverse_kinematics(robot, pose(t), q, link=link)
        path.append(q)

    def evaluate(times: Array) -> tuple[Array, Array, Array]:
        rows = [state(t) for t in times]
        motion: Array = np.array(rows).reshape(-1, 3, robot.n)
        return motion[:, 0], motion[:, 1], motion[:, 2]

    def state(t: float) -> tuple[Array, Array, Array]:
        near = path[int(np.argmin(np.abs(instants - t)))]
        q = inverse_kinematics(robot, pose(t), near, link=link)
        _, speed, rate = along(t)
        inverse = np.linalg.pinv(robot.jacobian(q, link), rcond=1e-8)
        qd = inverse @ np.concatenate([np.zeros(3), speed * (b - a)])
        bend = robot.jacobian_rate(q, qd, link) @ qd
        return q, qd, inverse @ (np.concatenate([np.zeros(3), rate * (b - a)]) - bend)
    return Motion(evaluate, T, robot.n)
