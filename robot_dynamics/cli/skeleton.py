"""Draws a robot as its DH skeleton: rods from frame to frame, joints as dots."""

from pathlib import Path

import numpy as np

from robot_dynamics.algorithms.kinematics import poses
from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError

AXIS_COLOURS = ('tab:red', 'tab:green', 'tab:blue')


def draw(robot: Dynamics, path: Path, q=None, frames: bool = False) -> None:
    """Save a picture of the robot at q (0 by default); frames: with the axes of its links."""
    from matplotlib.figure import Figure
    model = robot.model
    q = np.zeros(robot.n) if q is None else q
    R, p = poses(model.geometry, model.coordinates.positions(q))
    figure = Figure(figsize=(7, 7))
    axes = figure.add_subplot(projection='3d')
    ends = [robot.pose(q, name)[:3, 3] for name in robot.tip_names]
    points = np.vstack([np.zeros((1, 3)), p, *ends])
    size = max(np.ptp(points, axis=0).max(), 1e-3)
    for i, parent in enumerate(model.geometry.parent):
        start = p[parent] if parent >= 0 else np.zeros(3)
        axes.plot(*np.array([start, p[i]]).T, color='0.35', linewidth=3)
        axes.scatter(*p[i], color='black', s=18)
        if frames:
            for k, colour in enumerate(AXIS_COLOURS):
                axes.plot(*np.array([p[i], p[i] + 0.08 * size * R[i][:, k]]).T, color=colour)
    for name in robot.tip_names:
        frame = model.frames[name]
        if frame.body >= 0:
            end = robot.pose(q, name)[:3, 3]
            axes.plot(*np.array([p[frame.body], end]).T, color='0.6', linewidth=2)
    centre = (points.max(axis=0) + points.min(axis=0)) / 2
    for set_limits, middle in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), centre,
                                  strict=True):
        set_limits(middle - 0.55 * size, middle + 0.55 * size)
    axes.set_xlabel('x [m]')
    axes.set_ylabel('y [m]')
    axes.set_zlabel('z [m]')
    axes.set_title(f'{robot.name}, {robot.n} joints')
    try:
        figure.savefig(path, dpi=120, bbox_inches='tight')
    except (OSError, ValueError) as error:
        raise InputError(f'{path}: cannot be written: {error}') from None
