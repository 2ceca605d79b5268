"""Draws what the algorithms cost on an arm of n joints, a panel for each kind."""

from pathlib import Path

from robot_dynamics.algorithms.paper_counts import evaluate
from robot_dynamics.simulation.plots import new_figure, save_figure
from robot_dynamics.studies.operation_table import METHODS, count_formula

JOINTS = range(4, 41)  # where the formulas hold, and arms are
LINES = ('-', '--', ':', '-.', (0, (5, 1)))  # curves may lie on each other


def draw(file: Path, n: int) -> None:
    """Write the plot; n: joints of the robot, marked."""
    kinds = list(dict.fromkeys(method.what for method in METHODS))
    figure, axes = new_figure(1, len(kinds), (5.0 * len(kinds), 4.5))
    for axis, what in zip(axes[0], kinds, strict=True):
        for method, line in zip([m for m in METHODS if m.what == what], LINES, strict=False):
            count = count_formula(method)
            axis.semilogy(JOINTS, [float(evaluate(count.multiplications, k)
                                         + evaluate(count.additions, k)) for k in JOINTS],
                          linestyle=line, label=method.name)
        axis.axvline(n, color='0.6', linewidth=0.8, linestyle=':')
        axis.set(title=what, xlabel='joints n', ylabel='operations (M + A)')
        axis.grid(True, which='both', alpha=0.3)
        axis.legend(fontsize=8)
    save_figure(figure, file)
