"""The time line, what is simulated, and the plot that follows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import viser
import viser.uplot

from robot_dynamics.simulation.layout import Layout
from robot_dynamics.viewer.controls.pose import Guard
from robot_dynamics.viewer.escaping import visible
from robot_dynamics.viewer.panels.axes import time_axes
from robot_dynamics.viewer.player import Player
from robot_dynamics.viewer.shown_robot import ShownRobot
from robot_dynamics.viewer.simulating import LAWS

SPEEDS = ('0.1', '0.25', '0.5', '1', '2', '4')
QUANTITIES = {'torques': ('N m', 'N'), 'positions': ('rad', 'm'), 'rates': ('rad/s', 'm/s')}
POINTS = 300  # of a line in the plot
SMALLEST = 0.02  # [N m, rad, ...] that the plot is high where nothing moves
LINES = 12  # in the plot; of robots with more joints those that move most
COLORS = ('#4878a8', '#e08a2c', '#3f9a5b', '#c2447e', '#8a63b0', '#8d6b4f', '#46a8a8', '#b0a030',
          '#666666', '#d05c4c', '#5c7ce0', '#92b558')


class PlayControls:
    """Play, scrub and simulate all robots; the plot is that of the chosen one.

    chosen: gives the robot whose numbers are shown; begin: begins a simulation (Page.simulate)
    save: called to record, with the browser that asked; told: as guard, without the lock
    """

    def __init__(self, server: viser.ViserServer, player: Player,
                 robots: dict[str, ShownRobot], chosen: Callable[[], ShownRobot | None],
                 begin: Callable[..., None], save: Callable[[Any], None], guard: Guard,
                 told: Guard):
        self.player, self.gui, self._chosen, self._begin = player, server.gui, chosen, begin
        self.goals: dict[str, Any] = {}
        gui = server.gui
        with gui.add_folder('Simulate from this pose'):
            self.law = gui.add_dropdown('Law', LAWS, initial_value=LAWS[0])
            self.span = gui.add_number('Duration [s]', 5.0, min=0.1, max=600.0, step=0.1)
            goal = gui.add_button('Take this pose as the goal', visible=False,
                                  hint='of computed torque; then go where it shall begin')
            self.start = gui.add_button('Start', icon=viser.Icon.PLAYER_PLAY)
            self.stop = gui.add_button('Stop', icon=viser.Icon.PLAYER_STOP, visible=False)
        with gui.add_folder('Time line'):
            self.button = gui.add_button('Play', icon=viser.Icon.PLAYER_PLAY, disabled=True)
            self.time = gui.add_slider('Time [s]', min=0.0, max=1.0, step=0.001,
                                       initial_value=0.0, disabled=True)
            self.speed = gui.add_dropdown('Speed [of real time]', SPEEDS, initial_value='1')
            self.loop = gui.add_checkbox('Repeat', False)
            self.record = gui.add_button(
                'Record to a web page', icon=viser.Icon.DOWNLOAD,
                hint='one HTML file with all that moves; it needs neither Python nor a server')
        self.folder = gui.add_folder('Plot')
        with self.folder:
            self.what = gui.add_dropdown('Quantity', tuple(QUANTITIES), initial_value='torques')
        self._plot: Any = None
        self._drawn: object = None
        self.law.on_update(lambda _: setattr(goal, 'visible', self.law.value == LAWS[2]))
        goal.on_click(guard(lambda _: self.goals.update(
            {name: robot.state.q.copy() for name, robot in robots.items()})))
        self.start.on_click(told(lambda _: self._simulate()))
        self.stop.on_click(guard(lambda _: player.stop()))
        self.button.on_click(guard(lambda _: player.play(not player.playing)))
        self.time.on_update(guard(self._scrubbed))
        self.speed.on_update(guard(lambda _: setattr(player, 'speed', float(self.speed.value))))
        self.loop.on_update(guard(lambda _: setattr(player, 'loop', self.loop.value)))
        self.record.on_click(save)

    def _scrubbed(self, event: Any) -> None:
        if event.client is not None:
            self.player.playing = False
            self.player.scrub(self.time.value)

    def _simulate(self) -> None:
        self.start.disabled, self.start.label = True, 'Preparing'
        try:
            self._begin(self.law.value, float(self.span.value), self.goals)
        finally:
            self.start.disabled, self.start.label = False, 'Start'

    def update(self) -> None:
        """Follow the player."""
        player = self.player
        busy = bool(player.simulations)
        self.start.visible, self.stop.visible = not busy, busy
        self.button.disabled = self.time.disabled = not player.runs
        self.button.label = 'Pause' if player.playing else 'Play'
        self.button.icon = (viser.Icon.PLAYER_PAUSE if player.playing
                            else viser.Icon.PLAYER_PLAY)
        end = round(max(player.duration, player.time, 0.001), 3)
        if self.time.max != end:
            self.time.max = end
        self.time.value = round(min(player.time, end), 3)
        self._draw()

    def _draw(self) -> None:
        """Draw the lines up to now: the plot follows."""
        robot = self._chosen()
        run = None if robot is None else self.player.current(robot.name)
        if robot is None or run is None:
            if self._plot is not None:
                self._plot.remove()
                self._plot = self._drawn = None
            return
        busy = bool(self.player.simulations)
        key = (robot.name, self.what.value, self.player.edition)
        if key != self._drawn or busy:
            t = run.t - run.t[0]
            lines = run.over_time(self.what.value, robot.original)
            pick = np.unique(np.linspace(0, len(t) - 1, POINTS).astype(int))
            if key != self._drawn:
                self._columns = most_moving(lines)
            self._lines = t[pick], lines[pick][:, self._columns]
        t, lines = self._lines
        data = t, *np.where((t <= self.player.time + 1e-9)[:, None], lines, np.nan).T
        if key != self._drawn:
            self._drawn = key
            self._replot(robot, data)
        else:
            self._plot.data = data

    def _replot(self, robot: ShownRobot, data: tuple[Any, ...]) -> None:
        if self._plot is not None:
            self._plot.remove()
        names, units = columns_of(robot, self.what.value)
        present = ', '.join(sorted({units[k] for k in self._columns} - {''}))
        lines = self._lines[1]
        scales = {'x': viser.uplot.Scale(time=False, auto=True)}
        if not self.player.simulations and np.isfinite(lines).any():
            low, high = float(np.nanmin(lines)), float(np.nanmax(lines))
            pad = 0.05 * max(high - low, 1e-2 * max(abs(low), abs(high)), SMALLEST)
            scales['y'] = viser.uplot.Scale(auto=False, range=(low - pad, high + pad))
        with self.folder:
            self._plot = self.gui.add_uplot(
                data, height=220, scales=scales,
                series=(viser.uplot.Series(label='t [s]'), *(
                    viser.uplot.Series(label=with_unit(visible(names[k], 40), units[k]), width=1.5,
                                       stroke=COLORS[j % len(COLORS)])
                    for j, k in enumerate(self._columns))),
                axes=time_axes(with_unit(self.what.value, present)))


def columns_of(robot: ShownRobot, what: str) -> tuple[tuple[str, ...], list[str]]:
    """Return names and units of the columns of a quantity; a quaternion has none."""
    turns, slides = QUANTITIES[what]
    units = [slides if unit == 'N' else turns for unit in robot.units]
    if what != 'positions':
        return robot.dynamics.joint_names, units
    names: tuple[str, ...] = robot.dynamics.value_names
    layout, found = Layout(names), [''] * len(names)
    for q, v in layout.single:
        found[q] = units[v]
    for q, _ in layout.poses:
        found[q:q + 3] = [slides] * 3
    return names, found


def with_unit(text: str, unit: str) -> str:
    """Return a text with its unit in brackets, where it has one."""
    return f'{text} [{unit}]' if unit else text


def most_moving(lines: Any) -> list[int]:
    """Return the columns that change most, no more than LINES, in their order."""
    span = np.nan_to_num(np.ptp(lines, axis=0))
    return sorted(np.argsort(-span, kind='stable')[:LINES].tolist())
