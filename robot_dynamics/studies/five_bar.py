"""SahaSchiehlen2001 VI.B: the five-bar planar manipulator, Figures 10 to 13."""

from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.simulation import Trajectory
from robot_dynamics.simulation.plots import new_figure, save_figure
from robot_dynamics.studies.linkages import (
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
    singular_rows,
    tree_values,
)
from robot_dynamics.studies.report import Row

FALL = 2.0  # [s]; it ends before
STARTS = {'80 and 70 degrees': np.radians([80.0, 70.0]), '1.4 and 1.22 rad': np.array([1.4, 1.22])}


def five_bar() -> Linkage:
    """Return the manipulator and its motion."""
    return linkage('five_bar', [30.0, 30.0], [90.0, 70.3])  # SahaSchiehlen2001 (38)


def reproduce(folder: Path) -> list[Row]:
    """Draw Figures 10 to 13; return their numbers."""
    at = five_bar()
    data = samples(at)
    falls = {name: run(at, start, np.zeros(2), FALL, method='DOP853', tolerance=1e-10)
             for name, start in STARTS.items()}
    runs = forced_runs(at)
    fall = falls['80 and 70 degrees']
    draw(folder, at, data, fall, runs)
    draw_poses(folder, '9', at, data['theta'][::200], tree_values(fall)[::13])
    return [
        *curve_rows('Figure 10(a)', ['theta_1 of leg 1', 'theta_2 of leg 1'],
                    data['theta'][:, :2], 'rad'),
        *curve_rows('Figure 10(b)', ['theta_1 of leg 2', 'theta_2 of leg 2'],
                    data['theta'][:, 2:], 'rad'),
        *curve_rows('Figure 11', ['tau_1 of leg 1', 'tau_1 of leg 2'], data['tau'], 'N m'),
        *algorithm_rows(at, data), *singular_rows(at, falls),
        *forced_rows('Figure 13', at, 3.2, 'stops, singular, after',
                     'can be stabilized so too', runs)]


def draw(folder: Path, at: Linkage, data: dict[str, Any], fall: Trajectory,
         runs: dict[str, Trajectory]) -> None:
    """Draw the figures in the paper's order."""
    t = data['t']
    figure, axes = new_figure(2, 2, size=(9.0, 2.4))
    for l in range(2):
        for k in range(2):
            axes[0, l].plot(t, data['theta'][:, 2 * l + k], label=f'theta_{k + 1}')
        axes[0, l].set_title(f'Figure 10({"ab"[l]}): leg {l + 1} [rad]', fontsize='small')
        axes[1, 0].plot(t, data['tau'][:, l], label=f'tau_1, leg {l + 1}')
        axes[1, 1].plot(fall.t, fall.q[:, l], label=f'theta_1, leg {l + 1}')
    axes[1, 0].set_title('Figure 11: torques [N m]', fontsize='small')
    axes[1, 1].set_title(f'Figure 12: free simulation [rad], singular at {fall.t[-1]:.3f} s',
                         fontsize='small')
    for axis in axes.flat:
        axis.legend(fontsize='small')
        axis.set_xlabel('t [s]')
    save_figure(figure, folder_file(folder, '10_11_12'), dpi=70)
    figure, axes = new_figure(2)
    for l, axis in enumerate(axes[:, 0]):
        axis.plot(t, at.motion(t)[0][:, l], 'k', label='org')
        for name, style in (('open loop', '--'), ('open loop, held', ':'), ('law', '-.')):
            axis.plot(runs[name].t, runs[name].q[:, l], style,
                      label='sim, law (37)' if name == 'law' else f'sim, {name}')
        axis.set_ylim(-1.0, 4.0)
        axis.set_ylabel(f'({"ab"[l]}) leg {l + 1}: theta_1 [rad]')
        axis.legend(fontsize='small')
    axes[-1, 0].set_xlabel('t [s]')
    save_figure(figure, folder_file(folder, '13'), dpi=70)
