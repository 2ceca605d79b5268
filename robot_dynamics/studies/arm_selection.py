"""Bhangale2004: torques of RTX and Stanford, the planar RP and PR arms, and what they cost.

The papers' inverse dynamics is by the elements of GIM and MCI (9), (10); so is the time measured.
"""

import time
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.algorithms.convective import convective_matrix
from robot_dynamics.algorithms.denoc_inertia import inertia_matrix
from robot_dynamics.robot import Robot
from robot_dynamics.simulation import cycloidal
from robot_dynamics.simulation.plots import new_figure, save_figure
from robot_dynamics.studies.arms import pr, rp, rtx, stanford
from robot_dynamics.studies.counts import method
from robot_dynamics.studies.operation_table import PLANAR, count_tree
from robot_dynamics.studies.planar import planar_arm
from robot_dynamics.studies.report import CLOSE, DIFFERS, OURS, SAME, Row, compare, pair
from robot_dynamics.studies.selection_tables import choice_rows, table_3, table_5, unit_arms

DURATION, STEP = 10.0, 0.01
LESS = ('ours are traced for this very arm: zeros, ones and constant terms vanish, and the mass '
        "matrices are constant in the links' frames")
EACH = ("ours counts the MCI alone, its composite bodies and their turns included; the paper's "
        'builds on the GIM')


def motion_of(robot: Robot) -> Any:
    """Return the motion of every joint from 0 to pi (rad or m)."""
    return cycloidal(np.zeros(robot.n), np.full(robot.n, np.pi), DURATION)  # Bhangale2004 (23)


def spatial(folder: Path) -> list[Row]:
    """Figure 6 and Table V: RTX and Stanford."""
    robots = {'RTX': rtx(), 'Stanford': stanford()}
    t = np.linspace(0.0, DURATION, round(DURATION / STEP) + 1)
    figure, axes = new_figure(3, 2, (9.0, 2.3))
    rows, seconds = [], {}
    for column, (name, robot) in enumerate(robots.items()):
        q, qd, qdd = motion_of(robot)(t)
        tau = robot.inverse_dynamics(q, qd, qdd, algorithm='denoc')
        other = robot.inverse_dynamics(q, qd, qdd, algorithm='newton_euler')
        for k in range(3):
            unit = 'N' if robot.model.geometry.prismatic[k] else 'N m'
            axis, letter = axes[k, column], 'abcdef'[3 * column + k]
            axis.plot(t, tau[:, k])
            axis.set(xlabel='Time (s)', ylabel=f'{"Force" if unit == "N" else "Torque"} {k + 1} '
                     f'({unit})', title=f'({letter}) {name}, joint {k + 1}')
            axis.grid(alpha=0.3)
            rows.append(Row(
                f'Figure 6({letter}), {name}, joint {k + 1}', 'a curve, no number in the text',
                f'{tau[:, k].min():.4g} to {tau[:, k].max():.4g} {unit}', OURS,
                f'to be compared by eye; by Newton-Euler the same to '
                f'{np.abs(other - tau)[:, k].max():.0e} {unit}'))
        seconds[name] = computation_time(robot, q, qd, qdd)
    save_figure(figure, folder / '004_figure_6.png')
    paper = {'RTX': ((142, 138), (389, 317), 9.443), 'Stanford': ((170, 154), (522, 352), 11.166)}
    for name, robot in robots.items():
        rows += cost_rows(f'Table V, {name}', robot, paper[name], seconds[name])
    rows += choice_rows('Table V', robots, {name: paper[name][2] for name in robots}, 'RTX')
    return rows + manipulability_rows(robots) + table_5()


def cost_rows(item: str, robot: Robot, paper: tuple[Any, ...], seconds: float) -> list[Row]:
    """Return GIM and MCI complexity, and the time of inverse dynamics by them."""
    model = robot.model
    found = [count_tree(method(what, 'denoc'), model.geometry, model.inertials)[:2]
             for what in ('gim', 'convective')]
    return [*(Row(f'{item}, {word}', pair(*printed), pair(*ours), compare(ours, printed), LESS)
              for word, printed, ours in zip(('GIM', 'MCI'), paper[:2], found, strict=True)),
            Row(f'{item}, CT', f'{paper[2]} s', f'{seconds:.2f} s', CLOSE if
                0.02 < seconds / paper[2] < 2 else DIFFERS, 'MATLAB on a Pentium III at 1 GHz '
                "against Python on today's processor, 1001 instants each: only the ratio of two "
                'arms can be compared')]


def computation_time(robot: Robot, q: Any, qd: Any, qdd: Any) -> float:
    """Return the CPU time of tau = I qdd + C qd + gravity over a motion, in plain Python."""
    geometry, inertials = robot.model.geometry, robot.model.inertials
    gravity = robot.gravity_torque(q)
    began = time.process_time()
    for k in range(len(q)):
        I = inertia_matrix(geometry, inertials, q[k])
        C = convective_matrix(geometry, inertials, q[k], qd[k])
        _ = I @ qdd[k] + C @ qd[k] + gravity[k]  # Bhangale2004 (9)
    return time.process_time() - began


def manipulability_rows(robots: dict[str, Robot]) -> list[Row]:
    """Return Table V's manipulability, the formulas beside the Jacobian's."""
    generator = np.random.default_rng(1)
    q = generator.uniform(0.2, 2.8, (50, 3))
    w = {name: robot.manipulability(q) for name, robot in robots.items()}
    rtx_formula = 0.432 * 0.2 * np.abs(np.sin(q[:, 2]))
    cosine, sine = (q[:, 2] ** 2 * np.abs(f(q[:, 1])) for f in (np.cos, np.sin))
    return [
        Row('Table V, manipulability of RTX', 'a2 a3 |sin th3|',
            f'the same to {np.abs(w["RTX"] - rtx_formula).max():.0e}', SAME,
            'at 50 random states'),
        Row('Table V, manipulability of Stanford', 'b3^2 |cos th2|',
            f'differs by {np.abs(w["Stanford"] - cosine).max():.2g}; b3^2 |sin th2| to '
            f'{np.abs(w["Stanford"] - sine).max():.0e}', DIFFERS,
            "with the DH parameters of the paper's Table IV it is the sine")]


def planar(folder: Path) -> list[Row]:
    """Table III: RP and PR arms in a horizontal plane, (19) and (20)."""
    robots = {'RP': rp(), 'PR': pr()}
    paper = {'RP': ((12, 6), (26, 14), 0.651), 'PR': ((21, 6), (28, 18), 0.761)}
    t = np.linspace(0.0, DURATION, round(DURATION / STEP) + 1)
    figure, axes = new_figure(2, 2, (9.0, 2.4))
    rows, seconds = [], {}
    for column, (name, robot) in enumerate(robots.items()):
        q, qd, qdd = motion_of(robot)(t)
        tau = robot.inverse_dynamics(q, qd, qdd)
        seconds[name] = computation_time(robot, q, qd, qdd)
        for k in range(2):
            unit = 'N' if robot.model.geometry.prismatic[k] else 'N m'
            axes[k, column].plot(t, tau[:, k])
            axes[k, column].set(xlabel='Time (s)', ylabel=f'joint {k + 1} ({unit})', title=name)
            axes[k, column].grid(alpha=0.3)
        arm = planar_arm(robot.model.geometry, robot.model.inertials)
        for m, printed, word in zip(PLANAR, paper[name][:2], ('GIM', 'MCI'), strict=True):
            found = count_tree(m, arm)[:2]
            rows.append(Row(f'Table III, {name}, {word}', pair(*printed), pair(*found),
                            compare(found, printed), LESS if word == 'GIM' else EACH))
        rows.append(Row(f'Table III, {name}, CT', f'{paper[name][2]} s', f'{seconds[name]:.2f} s',
                        CLOSE, 'MATLAB on a Pentium III against Python today'))
    save_figure(figure, folder / '004_planar_torques.png')
    check = rp_closed_form(robots['RP'], t)
    rows.append(Row('(19), torques of the RP arm', 'no number; masses only, no inertias',
                    f'closed form of point masses met to {check:.0e}', OURS,
                    'm2 (b^2 qdd + 2 b bd qd) and m2 (bdd - b qd^2), masses as points at O_i+1'))
    rows += choice_rows('Table III', robots, {name: paper[name][2] for name in robots}, 'RP')
    return rows + table_3() + kinematic_rows()


def rp_closed_form(robot: Robot, t: Any) -> float:
    """Return the largest difference from the closed form of the RP arm."""
    q, qd, qdd = motion_of(robot)(t)
    m2, b, bd = 2.45, q[:, 1], qd[:, 1]
    torque = m2 * (b * b * qdd[:, 0] + 2 * b * bd * qd[:, 0])
    force = m2 * (qdd[:, 1] - b * qd[:, 0] ** 2)
    tau = robot.inverse_dynamics(q, qd, qdd)
    return float(np.abs(tau - np.stack([torque, force], 1)).max())


def kinematic_rows() -> list[Row]:
    """Return Table III's manipulability with a_i = b_i = a = 1."""
    generator = np.random.default_rng(2)
    q = np.stack([generator.uniform(-np.pi, np.pi, 200), generator.uniform(0, 1, 200)], 1)
    w = unit_arms()['RP'].manipulability(q, rows=[3, 4])
    return [
        Row('Table III, manipulability of RP', 'a1 + b2, at most a',
            f'a1 + b2 to {np.abs(w - 1.0 - q[:, 1]).max():.0e}, at most 2 a', DIFFERS,
            'the formula holds; with a_i = b_i = a it is at most 2 a, not the printed a'),
        Row('Table III, manipulability of PR', 'a2 |cos th2|, at most a',
            f'the same to {pr_manipulability():.0e}', SAME, 'from the Jacobian (22)')]


def pr_manipulability() -> float:
    """Return how far the PR arm's manipulability is from a2 |cos theta_2|."""
    robot, generator = pr(), np.random.default_rng(3)
    q = generator.uniform(-1, 1, (50, 2))
    w = np.array([np.sqrt(max(0.0, np.linalg.det(J[picked(J)] @ J[picked(J)].T)))
                  for J in robot.jacobian(q)])
    return float(np.abs(w - 0.8584 * np.abs(np.cos(q[:, 1]))).max())


def picked(J: Any) -> list[int]:
    """Return the two rows of linear velocity in which a planar arm moves."""
    size = np.abs(J[3:]).sum(axis=1)
    return sorted(int(k) + 3 for k in np.argsort(size)[-2:])
