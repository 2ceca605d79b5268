"""What the page says of a live robot, and what it may ask it to do. Knows nothing of ROS."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import viser

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.viewer.controls.pose import slider_range
from robot_dynamics.viewer.escaping import plain, visible
from robot_dynamics.viewer.state import effort_units

DURATION, SHORTEST, LONGEST = 3.0, 0.2, 60.0  # [s] of a motion
SIGNS = {'ok': 'OK', 'warning': 'WARNING', 'error': 'ERROR', 'stale': 'STALE'}
LINES = 12  # of diagnostics
FORBIDDEN = ('off: the page is open to the network; start the viewer with --allow-commands to '
             'let it command')


class Move(NamedTuple):
    """A wish: go to joint values (n,) [rad or m] within a duration [s]."""

    q: np.ndarray
    duration: float


class Carry(NamedTuple):
    """A wish: fasten a body to a link; mass [kg], 0 takes it off; centre in the link's frame [m].

    radius: of a ball of that mass, which gives it an inertia [m]
    """

    link: str
    mass: float
    com: np.ndarray
    radius: float


class MovableJoints(NamedTuple):
    """Joints that can be told where to go: names, and limits (k,) of values and rates.

    low, high [rad or m]; rate [rad/s or m/s], infinite where there is none; units: of the values
    """

    names: tuple[str, ...]
    low: np.ndarray
    high: np.ndarray
    rate: np.ndarray
    units: tuple[str, ...]


@dataclass(frozen=True)
class Stream:
    """How an input does: name, rate [Hz], age [s] (infinite: nothing came yet), late or not."""

    name: str
    rate: float
    age: float
    stale: bool


class Note(NamedTuple):
    """A diagnostic: level is one of `SIGNS`."""

    level: str
    name: str
    message: str


class LivePanel:
    """A folder of one robot: its inputs, its numbers, its diagnostics, and a switch for commands.

    send: called with a wish, only while the switch is on; allowed: whether it can be turned on.
    The switch is kept here, not in the browser: what a browser sends while it is off is dropped.
    It goes off when the last browser leaves.
    """

    def __init__(self, server: viser.ViserServer, name: str, *, allowed: bool,
                 send: Callable[[Move | Carry], None]):
        self._server, self._allowed, self._send = server, allowed, send
        self._lock, self._on = threading.RLock(), False
        self._texts: dict[str, str] = {}
        self._targets: list[Any] = []
        self._commands: Any = None
        self.present: np.ndarray | None = None  # joint values, for targets to begin with
        gui = server.gui
        self._folder = gui.add_folder(visible(f'Live: {name}', 80))
        with self._folder:
            self._markdown = {key: gui.add_markdown('') for key in
                              ('state', 'streams', 'numbers', 'notes')}
            self._switch = gui.add_checkbox(
                'Send commands', False, disabled=not allowed,
                hint='joint trajectories and payloads go to the robot while this is on'
                if allowed else FORBIDDEN)
            self._answer = gui.add_markdown('' if allowed else f'*{FORBIDDEN}*')
        self._switch.on_update(lambda event: self.turn(self._switch.value))
        server.on_client_disconnect(lambda client: self._left())

    # What it says

    def tell(self, state: str, streams: Sequence[Stream], numbers: Sequence[tuple[str, str]],
             notes: Sequence[Note]) -> None:
        """Say how the robot does; what is as before is not sent again."""
        self._write('state', f'**{plain(state)}**' if state else '')
        self._write('streams', table([('input', 'rate', 'age')] + [
            (stream.name, f'{stream.rate:.0f} Hz' if stream.rate else '', age_text(stream))
            for stream in streams]))
        self._write('numbers', table([('of gim_diagnostics', ''), *numbers]) if numbers else '')
        worst = sorted(notes, key=lambda note: -list(SIGNS).index(note.level))
        more = [f'… {len(worst) - LINES} more'] if len(worst) > LINES else []
        self._write('notes', '\n\n'.join([
            f'{SIGNS[note.level]} **{plain(note.name, 120)}** {plain(note.message, 300)}'
            for note in worst[:LINES]] + more))

    def answer(self, text: str) -> None:
        """Say what became of a wish."""
        self._answer.content = plain(text)

    def _write(self, key: str, text: str) -> None:
        if self._texts.get(key) != text:
            self._texts[key] = self._markdown[key].content = text

    # What it asks for

    @property
    def on(self) -> bool:
        """Whether wishes are sent."""
        return self._on

    def turn(self, on: bool) -> None:
        """Turn the switch, unless it may not be."""
        with self._lock:
            self._on = bool(on) and self._allowed
            if self._switch.value != self._on:
                self._switch.value = self._on
            if self._commands is not None:
                self._commands.visible = self._on
            if self._on and self.present is not None:
                self._set_targets(self.present)

    def _left(self) -> None:
        if not self._server.get_clients():
            self.turn(False)

    def offer(self, joints: MovableJoints | None, links: Sequence[str] = ()) -> None:
        """Offer commands to a robot in the place of the one before; the switch goes off."""
        with self._lock:
            self.turn(False)
            if self._commands is not None:
                self._commands.remove()
                self._commands, self._targets = None, []
            self.present = None
            if joints is None or not self._allowed:
                return
            with self._folder:
                self._commands = self._server.gui.add_folder('Commands', visible=False)
            with self._commands:
                self._offer_motion(joints)
                self._offer_payload(links)

    def _offer_motion(self, joints: MovableJoints) -> None:
        gui = self._server.gui
        for name, unit, low, high in zip(joints.names, joints.units, joints.low, joints.high,
                                         strict=True):
            self._targets.append(gui.add_slider(
                f'{visible(name, 60)} [{unit}]', float(low), float(high),
                step=float(high - low) / 1000,
                initial_value=float(np.clip(0.0, low, high))))
        duration = gui.add_number('Duration [s]', DURATION, min=SHORTEST, max=LONGEST, step=0.1)
        button = gui.add_button('Send trajectory')
        button.on_click(lambda event: self._wish(lambda: Move(
            np.array([target.value for target in self._targets]), float(duration.value))))

    def _offer_payload(self, links: Sequence[str]) -> None:
        gui, shown = self._server.gui, {visible(link, 60): link for link in links}
        if not shown:
            return
        link = gui.add_dropdown('Payload on', tuple(shown), initial_value=list(shown)[-1])
        mass = gui.add_number('Mass [kg]', 1.0, min=0.0, max=1e4, step=0.1)
        com = gui.add_vector3('Centre [m]', (0.0, 0.0, 0.0), step=0.01)
        radius = gui.add_number('Ball of radius [m]', 0.05, min=0.0, max=10.0, step=0.01)

        def carry(loaded: bool) -> Carry:
            return Carry(shown[link.value], float(mass.value) * loaded, np.array(com.value, float),
                         float(radius.value))
        gui.add_button('Send payload').on_click(lambda event: self._wish(lambda: carry(True)))
        gui.add_button('Take it off').on_click(lambda event: self._wish(lambda: carry(False)))

    def _set_targets(self, q: np.ndarray) -> None:
        for target, value in zip(self._targets, q, strict=True):
            target.value = float(np.clip(value, target.min, target.max))

    def _wish(self, make: Callable[[], Move | Carry]) -> None:
        with self._lock:
            if self._on:
                self._send(make())

    def remove(self) -> None:
        """Take the folder off the page."""
        self.turn(False)
        self._folder.remove()


def joints_of(robot: Dynamics, names: Sequence[str]) -> MovableJoints:
    """Return joints of a robot; those without limits go as far as their sliders."""
    at = [robot.joint_names.index(name) for name in names]
    slides = [unit == 'N' for unit in effort_units(robot)]
    ranges = np.array([slider_range(robot, k, slides[k]) for k in at]).reshape(-1, 2)
    rate = np.asarray(robot.limits.velocity)[at]
    return MovableJoints(tuple(names), ranges[:, 0], ranges[:, 1],
                         np.where(np.isfinite(rate) & (rate > 0), rate, np.inf),
                         tuple('m' if slides[k] else 'rad' for k in at))


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as a table of markdown, the first one its head; texts are shown as they are."""
    lines = ['| ' + ' | '.join(plain(cell, 200) for cell in row) + ' |' for row in rows]
    return '\n'.join([lines[0], '|' + '---|' * len(rows[0]), *lines[1:]])


def age_text(stream: Stream) -> str:
    """Return how old an input is, in words."""
    if np.isinf(stream.age):
        return 'nothing yet'
    return f'STALE: {stream.age:.1f} s' if stream.stale else 'fresh'
