"""Mata2002, 5.2: a PUMA's end effector on a straight line, inverse dynamics then simulation.

The paper does not print its PUMA's parameters; this study takes those measured by Armstrong,
Khatib and Burdick (1986), rotors behind their gears included. The arm of MohanSaha2007 Table 2
cannot do it: its forearm's and wrist's mass is missing, and the forced simulation is lost within
a second.
"""

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.errors import RobotDynamicsWarning
from robot_dynamics.loading import from_dh
from robot_dynamics.model.dh.table import DHRow
from robot_dynamics.model.transforms import turn
from robot_dynamics.robot import Robot
from robot_dynamics.simulation import Motion, inverse_kinematics, simulate, straight_line
from robot_dynamics.simulation.plots import new_figure, save_figure
from robot_dynamics.studies.report import CLOSE, DIFFERS, OURS, SAME, Row

START, END, DURATION = (0.50, 0.0, 0.05), (0.62, 0.30, 0.11), 5.0
ATTITUDE = turn(2, 0.0) @ turn(1, np.pi / 2) @ turn(2, np.pi)  # Z, Y, Z: 0, 90, 180 degrees
TOLERANCE, INTERVAL = 1e-6, 0.1
METHODS = {'CRBA': 'composite_body', 'ABM': 'articulated_body', 'GA': 'gibbs_appell'}
TABLE_6 = ((6.92e-4, 1.28e-3, 2.84e-3), (1.74e-2, 1.66e-3, 9.22e-2), (8.55e-4, 1.66e-3, 3.13e-3),
           (1.74e-2, 4.06e-2, 9.22e-2), (1.78e-2, 4.18e-2, 9.54e-3), (6.92e-4, 1.22e-3, 2.44e-3))
TABLE_7 = {'CRBA': (0.65, 1122), 'ABM': (0.71, 1089), 'GA': (0.59, 1092)}


def puma560() -> Robot:
    """Return the PUMA 560 as measured: masses, centres, principal inertias, rotors."""
    right = np.pi / 2
    dh = ((0.0, 0.0, right), (0.4318, 0.0, 0.0), (0.0203, 0.15005, -right), (0.0, 0.4318, right),
          (0.0, 0.0, -right), (0.0, 0.05625, 0.0))
    mass = (0.0, 17.4, 4.8, 0.82, 0.34, 0.09)
    com = ((0, 0, 0), (-0.3638, 0.006, 0.2275), (-0.0203, -0.0141, 0.070), (0, 0.019, 0),
           (0, 0, 0), (0, 0, 0.032 - 0.05625))
    inertia = ((0, 0.35, 0), (0.13, 0.524, 0.539), (0.066, 0.086, 0.0125),
               (1.8e-3, 1.3e-3, 1.8e-3), (0.3e-3, 0.4e-3, 0.3e-3), (0.15e-3, 0.15e-3, 0.04e-3))
    gears = (62.6111, 107.815, 53.7063, 76.0364, 71.923, 76.686)
    rotors = (200e-6, 200e-6, 200e-6, 33e-6, 33e-6, 33e-6)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', RobotDynamicsWarning)
        return from_dh([
            DHRow(a, b, alpha, 0.0, mass=m, com=c, inertia=np.diag(i), armature=g * g * rotor)
            for (a, b, alpha), m, c, i, g, rotor in zip(dh, mass, com, inertia, gears, rotors,
                                                        strict=True)], name='puma560_measured')


def line(robot: Robot) -> Motion:
    """Return the joint motion along the line, from the first elbow configuration found."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = ATTITUDE, START
    guess = np.array([-0.3, 0.6, -1.6, 0.3, 0.5, 0.1])
    return straight_line(robot, START, END, DURATION, rotation=ATTITUDE,
                         guess=inverse_kinematics(robot, pose, guess))


def run(folder: Path) -> list[Row]:
    """Figures 3 and 4, Tables 6 and 7."""
    robot = puma560()
    motion = line(robot)
    knots = np.linspace(0.0, DURATION, round(DURATION / INTERVAL) + 1)
    held = (knots, robot.inverse_dynamics(*motion(knots)))

    def exact(t: float, q: Any, qd: Any) -> Any:
        return robot.inverse_dynamics(*motion(t))
    times = np.linspace(0.0, DURATION, 101)
    desired = motion(times)
    runs = {'every evaluation': forced(robot, motion, exact, times, 'auto'),
            '0.1 s, straight lines between': forced(robot, motion, held, times, 'auto')}
    rows = [table_6(runs, desired, k) for k in range(6)]
    rows += speed(robot, motion, exact, times)
    draw(folder, robot, motion, runs, times)
    pose = robot.pose(motion(DURATION)[0])
    rows.append(Row('Figure 3, end of the line', '[0.62, 0.30, 0.11] m in frame 0',
                    f'[{pose[0, 3]:.9g}, {pose[1, 3]:.9g}, {pose[2, 3]:.9g}] m', SAME,
                    'by inverse kinematics; attitude kept to '
                    f'{np.abs(pose[:3, :3] - ATTITUDE).max():.0e}'))
    rows.append(Row('Figure 4, block diagram', 'inverse kinematics, inverse dynamics, forward '
                    'dynamics, integration', 'straight_line, inverse_dynamics, simulate', SAME,
                    'the same blocks, drawn as what they give: torques and errors'))
    return rows


def forced(robot: Robot, motion: Motion, torque: Any, times: Any, algorithm: str) -> Any:
    """Simulate under the torques of the line."""
    q, qd, _ = motion(0.0)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', RobotDynamicsWarning)
        return simulate(robot, q, qd, torque, times, rtol=TOLERANCE, atol=TOLERANCE, limits=False,
                        algorithm=algorithm)


def table_6(runs: dict[str, Any], desired: Any, k: int) -> Row:
    """Return the average differences of one joint, with the torques known in two ways."""
    cells, sizes = [], []
    for name, run in runs.items():
        errors = [np.abs(found[:, k] - wanted[:len(run.t), k]).mean() for found, wanted in zip(
            (run.q, run.qd, run.qdd), desired, strict=True)]
        cells.append(f'{errors[0]:.1e}, {errors[1]:.1e}, {errors[2]:.1e} (torques at {name})')
        sizes.append(errors[0] / TABLE_6[k][0])
    near = any(0.1 < size < 10 for size in sizes)
    return Row(f'Table 6, joint {k + 1}: q, qd, qdd', '{:.2e}, {:.2e}, {:.2e}'.format(*TABLE_6[k]),
               '; '.join(cells), CLOSE if near else DIFFERS,
               "another PUMA, and the paper's printed qd_2 and qdd_5 do not fit their neighbours; "
               "the errors are the integrator's tolerance, grown by a motion that is unstable "
               'without feedback; torques known every 0.1 s only give far larger ones')


def speed(robot: Robot, motion: Motion, torque: Any, times: Any) -> list[Row]:
    """Return Table 7."""
    rows = []
    law = times, robot.inverse_dynamics(*motion(times))
    for name, algorithm in METHODS.items():
        forced(robot, motion, law, times[:3], algorithm)  # compiled
        began = time.process_time()
        result = forced(robot, motion, law, times, algorithm)
        seconds = time.process_time() - began
        paper = TABLE_7[name]
        rows.append(Row(f'Table 7, {name}: time, evaluations', f'{paper[0]} s, {paper[1]}',
                        f'{seconds:.3f} s, {result.evaluations}',
                        CLOSE if 0.1 < result.evaluations / paper[1] < 5 else OURS,
                        "a Pentium II at 400 MHz against today's processor; ours spends most of "
                        'the time in the integrator, so that the methods hardly differ'))
    return rows


def draw(folder: Path, robot: Robot, motion: Motion, runs: dict[str, Any], times: Any) -> None:
    """Draw the arm at both ends with the line, then torques and errors."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    figure = Figure(figsize=(6.0, 5.0), layout='constrained')
    FigureCanvasAgg(figure)
    axis = figure.add_subplot(projection='3d')
    path = np.array([robot.pose(motion(t)[0])[:3, 3] for t in times])
    for t, style, word in ((0.0, 'o-', 'initial position'), (DURATION, 's--', 'final position')):
        q = motion(t)[0]
        points = np.array([np.zeros(3)] + [robot.pose(q, link)[:3, 3]
                                           for link in robot.link_names if link != 'base'])
        axis.plot(*points.T, style, label=word, markersize=3)
    axis.plot(*path.T, 'r', linewidth=2, label='trajectory')
    axis.set(xlabel='x (m)', ylabel='y (m)', zlabel='z (m)')
    axis.legend(fontsize='small')
    save_figure(figure, folder / '003_figure_3.png')
    figure, axes = new_figure(1, 2, (9.0, 3.2))
    axes[0, 0].plot(times, robot.inverse_dynamics(*motion(times)))
    axes[0, 0].set(xlabel='Time (s)', ylabel='generalized forces (N m)')
    for run, style in zip(runs.values(), ('-', '--'), strict=True):
        error = np.abs(run.q - motion(run.t)[0])
        axes[0, 1].semilogy(run.t, error + 1e-16, style, linewidth=1)
    axes[0, 1].set(xlabel='Time (s)', ylabel='|q - q*| (rad)',
                   title='- every evaluation, -- 0.1 s')
    axes[0, 0].legend([f'joint {k + 1}' for k in range(6)], fontsize='x-small')
    save_figure(figure, folder / '003_figure_4.png')
