"""Draws trajectories."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.inputs import user_path
from robot_dynamics.simulation.trajectory import check_quantities

if TYPE_CHECKING:
    from robot_dynamics.simulation.trajectory import Trajectory

LABELS = {'q': 'q [rad, m]', 'qd': 'qd [rad/s, m/s]', 'qdd': 'qdd [rad/s$^2$, m/s$^2$]',
          'tau': 'tau [N m, N]', 'energy': 'energy [J]', 'power': 'power [W]'}


def new_figure(rows: int, columns: int = 1, size: tuple[float, float] = (8.0, 2.2)) -> Any:
    """Return a figure that needs no display and its axes, (rows, columns)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(size[0], size[1] * rows), layout='constrained')
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, squeeze=False)


def save_figure(figure: Any, file: Any, dpi: int = 100) -> None:
    """Write a figure; `InputError` where that cannot be."""
    try:
        figure.savefig(user_path('file', file), dpi=dpi)
    except (OSError, ValueError) as error:
        raise InputError(f'{file}: cannot be written: {error}') from None


def plot(trajectory: 'Trajectory', file: Any, what: Sequence[str]) -> Any:
    """Draw one panel per quantity."""
    names = check_quantities(what)
    figure, axes = new_figure(len(names))
    for axis, name in zip(axes[:, 0], names, strict=True):
        draw(axis, trajectory, name)
    axes[-1, 0].set_xlabel('t [s]')
    if file is not None:
        save_figure(figure, file)
    return figure


def draw(axis: Any, trajectory: 'Trajectory', name: str) -> None:
    """Draw one quantity over time."""
    t = trajectory.t
    axis.set_ylabel(LABELS[name])
    axis.grid(alpha=0.3)
    if name == 'energy':
        for key in ('kinetic', 'potential', 'energy'):
            axis.plot(t, getattr(trajectory, key), label='total' if key == 'energy' else key)
        if not trajectory.batch:
            axis.legend(fontsize='small')
        return
    values = getattr(trajectory, name)
    lines = axis.plot(t, values.reshape(len(t), -1) if len(t) else np.zeros((0, 1)))
    if name != 'power' and not trajectory.batch and len(lines) <= 12:
        names = trajectory.value_names if name == 'q' else trajectory.joint_names
        for line, joint in zip(lines, names, strict=True):
            line.set_label(joint)
        axis.legend(fontsize='small', ncol=max(1, -(-len(lines) // 6)))
