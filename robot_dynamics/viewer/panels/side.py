"""The side panel: what the model says of the chosen robot, and energies over time."""

from __future__ import annotations

from collections import deque

import numpy as np
import viser
import viser.uplot

from robot_dynamics.viewer.escaping import plain
from robot_dynamics.viewer.motors import motors_of
from robot_dynamics.viewer.panels.axes import time_axes
from robot_dynamics.viewer.panels.inertia_map import inertia_html
from robot_dynamics.viewer.panels.numbers import short
from robot_dynamics.viewer.panels.torque_bars import torque_html
from robot_dynamics.viewer.shown_robot import ShownRobot

POINTS = 600  # of energies that are kept
SERIES = (('kinetic', '#e08a2c'), ('potential', '#4878a8'), ('total', '#333333'))
WIDTH = 380


class SidePanel:
    """Torques, inertia and energies of one robot, each in a folder."""

    def __init__(self, server: viser.ViserServer):
        gui = server.gui
        self.panel = gui.add_panel()
        with self.panel.add_tab('Dynamics', viser.Icon.CHART_BAR):
            self.head = gui.add_html('')
            with gui.add_folder('Torques'):
                self.torques = gui.add_html('')
            with gui.add_folder('Inertia matrix'):
                self.inertia = gui.add_html('')
            with gui.add_folder('Energies'):
                self.numbers = gui.add_html('')
                self.plot = gui.add_uplot(
                    (np.zeros(1), *(np.zeros(1) for _ in SERIES)),
                    series=(viser.uplot.Series(label='t [s]'), *(
                        viser.uplot.Series(label=f'{name} [J]', stroke=color, width=1.5)
                        for name, color in SERIES)),
                    scales={'x': viser.uplot.Scale(time=False, auto=True)},
                    legend=viser.uplot.Legend(show=False), height=160,
                    axes=time_axes('[J]'))
        self.panel.dock_left()
        self.panel.set_width(WIDTH)
        self._history: deque[tuple[float, float, float]] = deque(maxlen=POINTS)
        self._of: object = None

    def update(self, robot: ShownRobot, clock: float) -> None:
        """Show a robot; clock: the page's time, for energies of states that have none [s]."""
        time = robot.state.time
        now = clock if time is None else time
        readings, names = robot.readings, robot.dynamics.joint_names
        self.head.content = head_html(robot)
        self.torques.content = torque_html(motors_of(robot))
        self.inertia.content = inertia_html(
            readings.inertia, readings.pivots, readings.condition, names,
            [unit == 'N' for unit in robot.units])
        kinetic, potential = readings.energies
        self.numbers.content = energy_html(kinetic, potential)
        of = robot.name, time is None
        if self._of != of or (self._history and now < self._history[-1][0]):
            self._history.clear()
        self._of = of
        if not self._history or now > self._history[-1][0]:
            self._history.append((now, kinetic, potential))
        t, T, V = np.array(self._history).T
        self.plot.data = (t, T, V, T + V)


def head_html(robot: ShownRobot) -> str:
    """Return the robot's name and numbers; what is wrong with its state."""
    dynamics = robot.dynamics
    said = [robot.said] if robot.said else []
    if robot.state.stale:
        said.append('stale: no state has come for a while')
    notes = ''.join(f'<div style="color:#c81e28">{plain(note)}</div>' for note in said)
    return (f'<div style="padding:6px 10px 2px 10px;font-size:13px"><b>{plain(robot.name, 80)}'
            f'</b><span style="color:#888">, {freedoms(robot)}, '
            f'{short(dynamics.moving_mass)} kg in motion</span>{notes}</div>')


def freedoms(robot: ShownRobot) -> str:
    """Return what moves: joints, and bases that float; of a mechanism freedoms and motors."""
    n, free = robot.dynamics.n, len(robot.free)
    if robot.body.closed:
        return f'{n} freedoms, {len(robot.body.motor_names)} motors'
    bases = {0: '', 6: ' and a free base'}.get(free, f' and {free // 6} free bodies')
    return f'{n - free} joints{bases}'


def energy_html(kinetic: float, potential: float) -> str:
    """Return the energies now."""
    words = [f'<span style="color:{color}">{name} <b class="rd-{name}">{short(value)}</b> J</span>'
             for (name, color), value in zip(
                 SERIES, (kinetic, potential, kinetic + potential), strict=True)]
    return ('<div style="display:flex;justify-content:space-between;font-size:12px;'
            f'padding:2px 8px">{"".join(words)}</div>')
