"""SahaSchiehlen2001 VI.A: the four-bar linkage, Figures 5 to 8."""

from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.simulation import Trajectory
from robot_dynamics.simulation.plots import new_figure, save_figure
from robot_dynamics.studies.linkages import (
    DURATION,
    Linkage,
    algorithm_rows,
    curve_rows,
    draw_poses,
    folder_file,
    forced_rows,
    forced_runs,
    linkage,
    run,
    samples,
    tree_values,
)
from robot_dynamics.studies.report import CLOSE, OURS, SAME, Row

FALL = 10.0  # of the free simulation [s]; the paper does not print how far its figure goes


def four_bar() -> Linkage:
    """Return the linkage and its motion."""
    return linkage('four_bar', [30.0], [90.0])  # SahaSchiehlen2001 (36)


def reproduce(folder: Path) -> list[Row]:
    """Draw Figures 5 to 8; return their numbers."""
    at = four_bar()
    data = samples(at)
    fall = run(at, [np.pi / 2], np.zeros(1), FALL, method='DOP853', tolerance=1e-10)
    runs = forced_runs(at)
    draw(folder, at, data, fall, runs)
    draw_poses(folder, '4', at, data['theta'][::200], tree_values(fall)[:80:13])
    joints = ['theta_1', 'theta_2', 'theta_3']
    return [
        *curve_rows('Figure 5(a)', joints, data['theta'], 'rad'),
        *curve_rows('Figure 5(b)', [f'rate of {name}' for name in joints], data['theta_d'],
                    'rad/s'),
        *curve_rows('Figure 5(c)', [f'acceleration of {name}' for name in joints],
                    data['theta_dd'], 'rad/s^2'),
        *curve_rows('Figure 6', ['tau_1'], data['tau'], 'N m'),
        *algorithm_rows(at, data), *fall_rows(fall),
        *forced_rows('Figure 8', at, 2.25, 'diverges after about', 'followed exactly', runs)]


def fall_rows(fall: Trajectory) -> list[Row]:
    """Return the numbers of the free simulation."""
    period, drift = period_of(fall), float(np.ptp(fall.energy) / np.abs(fall.energy).max())
    return [
        Row('Figure 7, free simulation from 90 degrees', 'a curve',
            f'swings between {fall.q.min():.4f} and {fall.q.max():.4f} rad with a period of '
            f'{period:.4f} s', OURS, 'to be laid beside the figure'),
        Row('Figure 7, period by quadrature of the energy', '3.6077 s (ours, no number in the '
            'paper)', f'{period:.4f} s', SAME if abs(period - 3.60766) < 1e-3 else CLOSE,
            f'two ways to one number; the energy stays within {drift:.1e}')]


def period_of(fall: Trajectory) -> float:
    """Return the period: between two passages of the middle in the same sense [s]."""
    x = fall.q[:, 0] - (fall.q.min() + fall.q.max()) / 2
    up = np.flatnonzero((x[:-1] < 0) & (x[1:] >= 0))
    times = fall.t[up] - x[up] * (fall.t[up + 1] - fall.t[up]) / (x[up + 1] - x[up])
    return float(np.diff(times).mean())


def draw(folder: Path, at: Linkage, data: dict[str, Any], fall: Trajectory,
         runs: dict[str, Trajectory]) -> None:
    """Draw the figures in the paper's order."""
    figure, axes = new_figure(3)
    for axis, key, label in zip(axes[:, 0], ('theta', 'theta_d', 'theta_dd'), (
            '(a) angle [rad]', '(b) rate [rad/s]', '(c) acceleration [rad/s$^2$]'), strict=True):
        for k in range(3):
            axis.plot(data['t'], data[key][:, k], label=f'theta_{k + 1}')
        axis.set_ylabel(label)
        axis.legend(fontsize='small')
    axes[-1, 0].set_xlabel('t [s]')
    save_figure(figure, folder_file(folder, '5'), dpi=70)
    figure, axes = new_figure(3, size=(8.0, 2.4))
    torque, free, forced = axes[:, 0]
    torque.plot(data['t'], data['tau'][:, 0])
    torque.set_ylabel('Figure 6: tau_1 [N m]')
    free.plot(fall.t, fall.q[:, 0])
    free.set_ylabel('Figure 7: theta_1 [rad]')
    forced.plot(data['t'], at.motion(data['t'])[0][:, 0], 'k', label='org')
    for name, style in (('open loop', '--'), ('open loop, held', ':'), ('law', '-.')):
        forced.plot(runs[name].t, runs[name].q[:, 0], style,
                    label='sim, law (37)' if name == 'law' else f'sim, {name}')
    forced.set_ylim(-4.0, 8.0)
    forced.set_xlim(0.0, DURATION)
    forced.set_ylabel('Figure 8: theta_1 [rad]')
    forced.legend(fontsize='small')
    forced.set_xlabel('t [s]')
    save_figure(figure, folder_file(folder, '6_7_8'), dpi=70)
