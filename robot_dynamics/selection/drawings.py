"""Pictures of a selection: the GIM's condition over the workspace, the front, arms."""

from itertools import combinations
from typing import Any

import numpy as np

from robot_dynamics.mechanism.mechanism import Mechanism
from robot_dynamics.model.denoc import Array
from robot_dynamics.selection import measures
from robot_dynamics.selection.case import Case
from robot_dynamics.selection.criteria import CRITERIA
from robot_dynamics.selection.family import Family
from robot_dynamics.selection.selection import Selection
from robot_dynamics.simulation.plots import empty_figure, new_figure
from robot_dynamics.simulation.skeleton import add_legend, add_space, draw_rods, fit

MAP_POSTURES = 20_000
MECHANISM_POSTURES = 2000
CELLS = 44  # of a map, each way
PANELS = 3
AMID = (0.55, 0.6, 0.65)  # part of the ranges at which an arm is drawn: bent a little
NAMED = 12  # points of a front that get their names


def draw_map(case: Case, i: int) -> Any:
    """Return a figure of the GIM's condition where the tip of arm i can be.

    Mean over the postures that bring it into a cell, geometric. Of arms in space a cell is a ring
    about the root's Z axis: distance from it, height.
    """
    from matplotlib.colors import LogNorm
    arm = case.family.some([i])
    loops = arm.looped
    q = arm.postures(MECHANISM_POSTURES if loops else MAP_POSTURES)
    owner = np.zeros(len(q), int)
    points, labels = flattened(arm, arm.tips(owner, q))
    values = measures.condition(arm, owner, q)
    there = np.isfinite(values) & np.isfinite(points).all(axis=1)
    figure, axes = new_figure(1, 1, (5.6, 4.6))
    axis = axes[0, 0]
    axis.set(xlabel=labels[0], ylabel=labels[1], title=plain_text(arm.names[0]), aspect='equal')
    if there.any():
        cells = CELLS // 2 if loops else CELLS
        logs, x, y = binned(points[there], np.log(values[there]), cells)
        low, high = np.exp(np.nanmin(logs)), np.exp(np.nanmax(logs))
        mesh = axis.pcolormesh(x, y, np.exp(logs).T, cmap='viridis_r',
                               norm=LogNorm(low, max(high, 1.001 * low)))
        figure.colorbar(mesh, ax=axis, label='condition number of the GIM')
    return figure


def flattened(arm: Family, tips: Array) -> tuple[Array, tuple[str, str]]:
    """Return points (S, 3) in two coordinates, and what these are."""
    good = tips[np.isfinite(tips).all(axis=1)]
    extent = np.ptp(good, axis=0) if len(good) else np.ones(3)
    flat = extent < 1e-9 * max(extent.max(), 1e-300)
    if flat.any() and not flat.all():
        across = [k for k in range(3) if k != int(np.argmax(flat))]
        return tips[:, across], (f'{"xyz"[across[0]]} [m]', f'{"xyz"[across[1]]} [m]')
    return (np.stack([np.hypot(tips[:, 0], tips[:, 1]), tips[:, 2]], axis=1),
            ('distance from the Z axis [m]', 'height [m]'))


def binned(points: Array, values: Array, cells: int) -> tuple[Array, Array, Array]:
    """Return the mean of values in square cells, nan in empty ones, and the cells' edges."""
    low, high = points.min(axis=0), points.max(axis=0)
    width = max(float((high - low).max()), 1e-9) / cells
    edges = [np.arange(a - width / 2, b + width, width)
             for a, b in zip(low, high, strict=True)]
    across, up = points[:, 0], points[:, 1]
    total, x, y = np.histogram2d(across, up, bins=edges, weights=values)
    count = np.histogram2d(across, up, bins=edges)[0]
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0), x, y


def draw_front(found: Selection) -> Any:
    """Return a figure of all arms over the criteria in which they differ most, two by two."""
    names = differing(found)[:3]
    pairs = list(combinations(names, 2))[:PANELS] or [(next(iter(found.columns)),) * 2]
    figure, axes = new_figure(1, len(pairs), (5.0 * len(pairs), 4.4))
    chosen = found.names.index(found.chosen)
    front = [i for i, name in enumerate(found.names) if name in set(found.front)]
    for axis, (x, y) in zip(axes[0], pairs, strict=True):
        xs, ys = found.columns[x], found.columns[y]
        axis.scatter(xs, ys, s=14, color='0.7', label='all')
        axis.scatter(xs[front], ys[front], s=26, color='tab:blue', label='front')
        axis.scatter(xs[chosen], ys[chosen], s=130, marker='*', color='tab:red', label='chosen',
                     zorder=3)
        if len(found.names) <= NAMED:
            for i, name in enumerate(found.names):
                if np.isfinite(xs[i]) and np.isfinite(ys[i]):
                    axis.annotate(plain_text(name), (xs[i], ys[i]), fontsize='small',
                                  xytext=(6, 4), textcoords='offset points')
        for scale, values in ((axis.set_xscale, xs), (axis.set_yscale, ys)):
            good = values[np.isfinite(values)]
            if len(good) and good.min() > 0 and good.max() > 30 * good.min():
                scale('log')
        axis.margins(0.15)
        axis.set_xlabel(label(x))
        axis.set_ylabel(label(y))
        axis.grid(alpha=0.3)
    axes[0, 0].legend(fontsize='small')
    return figure


def differing(found: Selection) -> list[str]:
    """Return the criteria in which arms differ: those of the front, then others, widest first."""
    def apart(name: str) -> float:
        values, spread = found.columns[name], found.spreads.get(name)
        good = np.isfinite(values)
        if good.sum() < 2:
            return 0.0
        unsure = 0.0 if spread is None else 2 * float(np.nanmax(spread[good]))
        return float((np.ptp(values[good]) - unsure) / max(np.abs(values[good]).max(), 1e-300))
    names = [name for name in found.columns if apart(name) > 1e-3]
    return sorted(names, key=lambda name: (name not in found.judged, -apart(name)))


def label(name: str) -> str:
    """Return a criterion for an axis."""
    one = CRITERIA[name]
    return f'{name} ({"less" if one.better < 0 else "more"} is better)'


def draw_arm(case: Case, i: int) -> Any:
    """Return a figure of arm i amid its ranges, and where its tip can be."""
    arm, robot, ranges = case.family.some([i]), case.family.one(i), case.family.ranges
    figure = empty_figure((5.2, 4.8))
    axes = add_space(figure, (0.02, 0.02, 0.96, 0.9), 'light')
    shown = []
    if case.family.link is not None:
        q = arm.postures(800, seed=5)
        cloud = arm.tips(np.zeros(len(q), int), q)
        cloud = cloud[np.isfinite(cloud).all(axis=1)]
        axes.scatter(*cloud.T, s=3, color='tab:blue', alpha=0.35, label='tip, by chance')
        shown.append(cloud)
    part = np.resize(AMID, robot.n)
    q = ranges.lower + part * (ranges.upper - ranges.lower)
    if isinstance(robot, Mechanism):
        tree = robot.start if not robot.can_assemble(q) else robot.assemble(q)
        shown.append(draw_rods(axes, robot.whole, tree))
    else:
        shown.append(draw_rods(axes, robot, q))
    add_legend(axes, 'light')
    fit(axes, np.concatenate(shown))
    figure.suptitle(plain_text(arm.names[0]))
    return figure


def plain_text(text: str) -> str:
    """Return text in which matplotlib sees no formulas."""
    return text.replace('$', r'\$')
