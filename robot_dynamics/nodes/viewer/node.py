"""The viewer node: a robot as its topics say that it is, on a page."""

from __future__ import annotations

import math
import queue
import time
from pathlib import Path
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from robot_dynamics_interfaces.msg import GeneralizedInertia
from sensor_msgs.msg import JointState

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import RobotDynamicsError
from robot_dynamics.nodes.shared.base_input import BaseInput
from robot_dynamics.nodes.shared.conversion import StateReader
from robot_dynamics.nodes.shared.diagnostics import ERROR, OK, STALE, WARN, Input
from robot_dynamics.nodes.shared.executor import drain
from robot_dynamics.nodes.shared.handlers import saying_why
from robot_dynamics.nodes.shared.model_node import ModelNode
from robot_dynamics.nodes.shared.models import build_model
from robot_dynamics.nodes.shared.states import BodyReader
from robot_dynamics.nodes.viewer.commands import PageCommands
from robot_dynamics.nodes.viewer.settings import SETTINGS
from robot_dynamics.simulation.online.bodies import make_body
from robot_dynamics.viewer.live_panel import Carry, LivePanel, Move, Note, Stream, joints_of
from robot_dynamics.viewer.page import Page
from robot_dynamics.viewer.state import Carried

LOOSE = QoSProfile(depth=50, reliability=ReliabilityPolicy.BEST_EFFORT)  # what comes in a look
TELLING = 0.5  # [s] between texts on the page
FORGOTTEN = 30.0  # [s] after which a diagnostic that came no more is not shown
STATUSES = 200  # diagnostics that are remembered
LEVELS = {OK: 'ok', WARN: 'warning', ERROR: 'error', STALE: 'stale'}
NUMBERS = (('condition_number', 'condition of the GIM', ''),
           ('minimum_pivot', 'smallest pivot', 'kg m² or kg'),
           ('kinetic_energy', 'kinetic energy', 'J'),
           ('potential_energy', 'potential energy', 'J'),
           ('power', 'power', 'W'), ('manipulability', 'manipulability', 'm³'))


class Latest:
    """The last message of a topic, read when it is looked at, and how the topic does."""

    def __init__(self, kind: Any, name: str):
        self.kind, self.name, self.input = kind, name, Input()
        self.subscription: Any = None  # polled: robots that say much do not keep a core awake
        self._data: bytes | None = None

    def take(self, data: bytes) -> None:
        """Keep a message."""
        self._data = data
        self.input.take()

    def read(self) -> Any:
        """Return the last message, None where it was read already or none came."""
        drain(self.subscription)
        data, self._data = self._data, None
        return None if data is None else deserialize_message(data, self.kind)

    def stream(self, stale: float) -> Stream:
        """Return how it does since the last time that was asked for."""
        drain(self.subscription)
        report = self.input.report()
        return Stream(self.name, report['rate'], report['age'], report['age'] > stale)


class ViewerNode(ModelNode):
    """Shows `joint_states`, efforts, the inertia matrix and `/diagnostics` of one robot.

    page: where; allowed: whether commands may be sent once the switch on the page is on
    packages: {name: folder} in which meshes are looked for
    """

    def __init__(self, page: Page, *, allowed: bool, packages: dict[str, str] | None = None,
                 **options: Any):
        self._page, self._allowed, self._packages = page, allowed, packages or {}
        self._shown: str | None = None  # the robot's name on the page
        self._drawn: Dynamics | None = None  # as it was described
        self._reader: BodyReader | None = None
        self._tau: np.ndarray | None = None
        self._stale = True
        self._said = self._fault = ''
        self._numbers: list[tuple[str, str]] = []
        self._notes: dict[str, tuple[float, Note]] = {}
        self._wishes: queue.SimpleQueue[Move | Carry] = queue.SimpleQueue()
        self._panel: LivePanel | None = None
        self._commands: PageCommands | None = None
        self.base = BaseInput(self)
        super().__init__('viewer', SETTINGS, **options)

    @property
    def label(self) -> str:
        """The robot's name on the page: its namespace, else the model's."""
        space = self.get_namespace().strip('/')
        return space or (self.robot.name if self.robot is not None else 'robot')

    # Lifecycle and model

    @saying_why
    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Open topics and the panel on the page."""
        self._states = Latest(JointState, 'joint_states')
        self._efforts = Latest(JointState, 'inverse_dynamics/effort')
        self._inertia = Latest(GeneralizedInertia, 'gim_diagnostics/inertia')
        for latest in self._streams:
            latest.subscription = self.listen(latest.kind, latest.name, latest.take, LOOSE,
                                              raw=True, polled=True)
        self.base.open()
        self.listen(DiagnosticArray, '/diagnostics', self._on_diagnostics)
        self._panel = LivePanel(self._page.server, self.get_namespace().strip('/') or 'robot',
                                allowed=self._allowed, send=self._wishes.put)
        self.when_closed(self._panel.remove)
        self._commands = PageCommands(self)
        self.every(1 / self.settings.rate, self._draw)
        self.every(TELLING, self._tell)
        return super().on_configure(state)

    @property
    def _streams(self) -> tuple[Latest, Latest, Latest]:
        return self._states, self._efforts, self._inertia

    def load_model(self, source: bytes | Path) -> Dynamics:
        """Return the model of a description; what is wrong with one is said on the page too."""
        try:
            robot = build_model(source, self.settings, packages=self._packages)
        except RobotDynamicsError as error:
            self._fault = f'robot description refused: {error}'
            raise
        self._fault = ''
        return robot

    def model_changed(self, robot: Dynamics | None) -> None:
        """Show another robot in the place of the one before; payloads and gravity on that one."""
        self._tau = None
        if robot is not None and self._shown is not None and self._drawn is self._described:
            self.gravity_turned(robot)
            return
        if self._shown is not None:
            self._page.remove_robot(self._shown)
        self._shown, self._reader, self._drawn, self._stale = None, None, self._described, True
        if robot is not None:
            self._reader = BodyReader(
                make_body(robot, self.settings.closure_tolerance), self.base.state)
            names = self._reader.body.read_names
            self._single, self._joints = StateReader(names), joints_of(robot, names)
            self._shown = unused(self.label, self._page.robots)
            self._page.add_robot(robot, self._shown)
        if self._panel is not None:
            self._panel.offer(None if robot is None else self._joints,
                              () if robot is None else robot.link_names)

    def gravity_turned(self, robot: Dynamics) -> None:
        """Go on with the same bodies."""
        assert self._reader is not None and self._shown is not None
        self._reader.body.swap(robot)
        carried = [Carried(link, mass, com) for link, (mass, com, _) in self.payloads.items()]
        with self._page.lock:
            self._page.robots[self._shown].swap(robot, carried[-1] if carried else None)

    def forget(self) -> None:
        """Drop what came before the clock jumped back."""
        self._tau = None

    # Topics

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        space, now = self.get_namespace().strip('/'), time.monotonic()
        for status in message.status:
            if not space or status.name.lstrip('/').startswith(f'{space}/'):
                self._notes.pop(status.name, None)
                self._notes[status.name] = (now, Note(
                    LEVELS.get(status.level, 'error'), status.name, status.message))
        while len(self._notes) > STATUSES:
            del self._notes[next(iter(self._notes))]

    def _draw(self) -> None:
        """Show the last joint state, if there is a new one, or that it has become old."""
        if not self.active or self._reader is None or self._shown is None:
            return
        self._send_wishes()
        state, stale = self._states.read(), self._states.input.age > self.settings.stale
        try:
            self._read_effort(self._efforts.read())
            if state is not None:
                self._show(state)
            elif stale != self._stale:
                self._stale = stale
                shown = self._page.robots[self._shown].state
                self._page.show(self._shown, shown.q, shown.qd, self._tau, near=shown.near,
                                stale=stale)
        except RobotDynamicsError as error:
            self._said = str(error)
            self.warn(error)

    def _show(self, state: JointState) -> None:
        assert self._reader is not None and self._shown is not None
        reader = self._reader
        q = reader.position(state)
        qd = reader.velocity(state) if len(state.velocity) else np.zeros(reader.body.robot.n)
        tau = self._tau
        if tau is None and len(state.effort):
            tau = reader.body.forces(reader.effort(state))
        self._stale, self._said = False, reader.said
        if self._panel is not None:
            self._panel.present = self._single.read(state, 'position')
        self._page.show(self._shown, q, qd, tau, near=reader.body.tree)

    def _read_effort(self, message: JointState | None) -> None:
        """Take efforts of inverse_dynamics over: drawn until they are stale."""
        assert self._reader is not None
        if message is not None:
            self._tau = self._reader.body.forces(self._reader.effort(message))
        elif self._efforts.input.age > self.settings.stale:
            self._tau = None

    # Texts and wishes

    def _tell(self) -> None:
        """Say on the page how the inputs do."""
        if self._panel is None:
            return
        message, stale = self._inertia.read(), self.settings.stale
        if message is not None:
            self._numbers = [(text, f'{getattr(message, key):.4g} {unit}'.strip())
                             for key, text, unit in NUMBERS
                             if not math.isnan(getattr(message, key))]
        streams = [latest.stream(stale) for latest in self._streams]
        if streams[2].stale:
            self._numbers = []
        now = time.monotonic()
        notes = [note if now - at < FORGOTTEN / 3 else note._replace(level='stale')
                 for at, note in self._notes.values() if now - at < FORGOTTEN]
        state = (self._fault or (self.modelless if self.robot is None else '') or self._said
                 or ('joint_states are stale' if streams[0].stale else ''))
        self._panel.tell(state, streams, self._numbers, notes)

    def _send_wishes(self) -> None:
        """Send what was asked for on the page; the switch is looked at once more."""
        assert self._panel is not None and self._commands is not None
        while not self._wishes.empty():
            wish = self._wishes.get()
            if not self._panel.on:
                continue
            try:
                self._commands.send(wish, self._panel.answer, self._joints,
                                    None if self._stale else self._panel.present)
            except RobotDynamicsError as error:
                self._panel.answer(f'not sent: {error}')


def unused(name: str, taken: Any) -> str:
    """Return a name that nobody has."""
    number, result = 1, name
    while result in taken:
        number += 1
        result = f'{name} {number}'
    return result
