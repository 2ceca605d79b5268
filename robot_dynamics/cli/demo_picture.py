"""The demo's picture: the robot moving, and beside it the torques that came back."""

from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.joint_facts import joint_facts, unit
from robot_dynamics.simulation.online.exchange import Answers, SentMotion
from robot_dynamics.simulation.plots import (
    THEMES,
    add_panel,
    draw_limits,
    empty_figure,
    save_figure,
)
from robot_dynamics.simulation.skeleton import Shapes, add_space, draw_bodies, draw_rods, fit

POSES = 6  # of the robot, the first faint, the last solid
ROW, BETWEEN, SPACE = 0.85, 0.14, 6.2  # [inch]: a panel, below it, the picture's width
PANEL, MARGIN, TOP, BOTTOM = 4.4, 1.1, 0.85, 0.6  # [inch]: the panels' width, around them


def save_picture(file: Path, robot: Dynamics, shapes: Shapes, motion: SentMotion,
                 answers: Answers, exact: Array, theme: str = 'light') -> None:
    """Draw the robot along its motion, the path of its tip, and the torques over time.

    exact: efforts of the service, (K, n) [N m or N], from the motion's own accelerations
    """
    colours = THEMES[theme]
    height = max(TOP + robot.n * (ROW + BETWEEN) + BOTTOM, 5.5)
    width = SPACE + MARGIN + PANEL + 0.2
    figure = empty_figure((width, height), theme)
    axes = add_space(figure, (0.01, 0.02, SPACE / width, 1 - 0.6 / height), theme)
    draw_motion(axes, robot, shapes, motion.q, theme)
    draw_torques(figure, robot, motion, answers, exact, (width, height), colours)
    figure.text(0.02, 1 - 0.32 / height, f'{robot.name} moves for {motion.t[-1]:g} s; '
                'the inverse_dynamics node answers with its torques', va='center',
                fontsize='large', fontweight='bold', color=colours['ink'])
    save_figure(figure, file, dpi=110)


def draw_motion(axes: Any, robot: Dynamics, shapes: Shapes, q: Array, theme: str) -> None:
    """Draw the robot along a motion, q: (K, n), the last pose solid, and the paths of its tips."""
    points = [np.zeros((1, 3))]
    for k, row in enumerate(np.linspace(0, len(q) - 1, POSES).round().astype(int)):
        alpha = 1.0 if k == POSES - 1 else 0.10 + 0.08 * k
        drawn = draw_bodies(axes, robot, q[row], shapes, alpha)
        points.append(drawn if len(drawn) else draw_rods(axes, robot, q[row], theme))
    for name in robot.tip_names:
        path = robot.pose(q, name)[:, :3, 3]
        axes.plot(*path.T, color=THEMES[theme]['limit'], linewidth=2.0, zorder=10)
        points.append(path)
    fit(axes, np.vstack(points))
    axes.view_init(elev=18, azim=-60)


def draw_torques(figure: Any, robot: Dynamics, motion: SentMotion, answers: Answers,
                 exact: Array, size: tuple[float, float], colours: dict[str, str]) -> None:
    """Draw a panel per joint: what came back, the exact torques, and the limits."""
    facts, lines = joint_facts(robot), {}
    for i, name in enumerate(motion.joint_names):
        bottom = size[1] - TOP - (i + 1) * ROW - i * BETWEEN
        axis = add_panel(figure, (SPACE + MARGIN, bottom, PANEL, ROW), colours, *size)
        (live,) = axis.plot(motion.t, answers.tau[:, i], color=colours['motion'], linewidth=2.2)
        (known,) = axis.plot(motion.t, exact[:, i], '--', color=colours['potential'],
                             linewidth=1.0)
        if facts is not None and (bounds := facts.bounds('tau', i)) is not None:
            draw_limits(axis, exact[:, i], bounds, colours)
        axis.set_ylabel(f'{name}\n[{unit("tau", name, facts)}]', fontsize='x-small')
        axis.tick_params(labelbottom=i == robot.n - 1)
        lines = {'live, from ~/effort': live, 'service, exact accelerations': known}
    figure.text((SPACE + MARGIN + PANEL / 2) / size[0], 0.14 / size[1], 'time [s]', ha='center',
                color=colours['ink'], fontsize='small')
    figure.legend(lines.values(), lines.keys(), loc='center right', ncols=2, frameon=False,
                  bbox_to_anchor=(1.0, 1 - 0.65 / size[1]), fontsize='small',
                  labelcolor=colours['ink'])
