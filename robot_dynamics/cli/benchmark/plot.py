"""Draws the benchmark: chains as cost against the number of links, robots as bars."""

from pathlib import Path
from typing import Any

from robot_dynamics.simulation.plots import new_figure, save_figure


def draw(report: dict[str, Any], file: Path) -> None:
    """Write the plot: of the chains, or of the robots where no chains were measured."""
    figure = draw_chains(report['chains']) if report['chains'] else draw_robots(report['robots'])
    save_figure(figure, file)


def draw_chains(chains: dict[int, Any]) -> Any:
    """Draw cost against links, log-log, a panel per function."""
    lengths = sorted(chains, key=int)
    names = [entry['function'] for entry in chains[lengths[0]]]
    figure, axes = new_figure(1, len(names), (6 * len(names), 5))
    for k, (axis, name) in enumerate(zip(axes[0], names, strict=True)):
        labels = list(dict.fromkeys(
            label for n in lengths for label in chains[n][k]['times']))
        for label in labels:
            points = [(int(n), chains[n][k]['times'][label]['median_us']) for n in lengths
                      if label in chains[n][k]['times']]
            axis.loglog(*zip(*points, strict=True), '--' if theirs(label) else '-', marker='.',
                        label=label if theirs(label) else f'ours: {label}')
        axis.set_xlabel('links n')
        axis.set_ylabel('microseconds per evaluation')
        axis.set_title(name.replace('_', ' '))
        axis.grid(True, which='both', alpha=0.3)
        axis.legend(fontsize=8)
    return figure


def draw_robots(robots: dict[str, Any]) -> Any:
    """Draw a row per robot, a panel per function, a bar per contestant."""
    columns = max(len(robot['functions']) for robot in robots.values())
    figure, axes = new_figure(len(robots), columns, (5 * columns, 3.2))
    for row, (name, robot) in zip(axes, robots.items(), strict=True):
        for axis, entry in zip(row, robot['functions'], strict=False):
            labels = list(entry['times'])
            times = [entry['times'][label]['median_us'] for label in labels]
            axis.barh(range(len(labels)), times, log=True,
                      color=['0.6' if theirs(label) else 'tab:blue' for label in labels])
            axis.set_yticks(range(len(labels)), labels, fontsize=7)
            axis.invert_yaxis()
            axis.set_title(f'{name}: {entry["function"].replace("_", " ")}', fontsize=9)
            axis.set_xlabel('microseconds per evaluation', fontsize=8)
    return figure


def theirs(label: str) -> bool:
    """Tell the peers from us."""
    return label.startswith(('pinocchio', 'mujoco'))
