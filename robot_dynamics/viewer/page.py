"""The page: a web server with robots, which any browser shows."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import viser

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.inputs import choice, positive, user_path, vector
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.trajectory import Trajectory
from robot_dynamics.viewer import recording
from robot_dynamics.viewer.controls.drawing import DrawingControls
from robot_dynamics.viewer.controls.play import PlayControls
from robot_dynamics.viewer.controls.robot import RobotControls
from robot_dynamics.viewer.escaping import visible
from robot_dynamics.viewer.gate import LOOPBACK, open_server, silence
from robot_dynamics.viewer.messages import Messages
from robot_dynamics.viewer.painter import Painter
from robot_dynamics.viewer.panels.side import SidePanel
from robot_dynamics.viewer.player import Player
from robot_dynamics.viewer.runs import Run, run_of
from robot_dynamics.viewer.shown_robot import ShownRobot
from robot_dynamics.viewer.simulating import LAWS, Simulation
from robot_dynamics.viewer.stage import Stage
from robot_dynamics.viewer.state import State

PORT = 8080


class Page:
    """A page with robots; everything on it may be called from any thread.

    host, port, token: see open_server; title: of the page; controls: whether people may move the
    robots and simulate (a page that shows live robots has none)
    address: where a browser finds it. `InputError`: an address that cannot be had
    """

    def __init__(self, host: str = LOOPBACK, port: int = PORT, *, title: str = 'robot dynamics',
                 token: str | None = None, controls: bool = True):
        self.server, self.address = open_server(host, port, token=token, label=visible(title))
        self.lock, self.controls = threading.RLock(), controls
        self.robots: dict[str, ShownRobot] = {}
        self.hands: dict[str, RobotControls] = {}
        self.messages = Messages(self.server)
        self.player = Player(self.robots, self.message)
        self._made, self._begun, self._choice = 0, time.monotonic(), ''
        self.stage = Stage(self.server)
        self._furnish()
        self.painter = Painter(self.lock, self._paint, self._panels, self.player.tick,
                               lambda error: self.message(str(error)))

    def _furnish(self) -> None:
        gui = self.server.gui
        gui.main_panel.dock_right()
        gui.main_panel.set_width(330)
        self.chooser = gui.add_dropdown('Robot', ('',), visible=False)
        self.chooser.on_update(self.guarded(lambda _: None))
        tabs = gui.add_tab_group()
        if self.controls:
            self.pose_tab = tabs.add_tab('Pose', viser.Icon.ADJUSTMENTS_HORIZONTAL)
            self.load_tab = tabs.add_tab('Loads', viser.Icon.WEIGHT)
            with tabs.add_tab('Play', viser.Icon.PLAYER_PLAY):
                self.playing = PlayControls(
                    self.server, self.player, self.robots, lambda: self.chosen, self.simulate,
                    self._save, self.guarded, self.told)
        with tabs.add_tab('Draw', viser.Icon.EYE):
            self.drawing = DrawingControls(self.server, self.robots, self.guarded)
        self.side = SidePanel(self.server)

    # Robots

    def add_robot(self, dynamics: Dynamics, name: str | None = None) -> ShownRobot:
        """Put a robot on the page, beside those that are there; `InputError`: a name taken."""
        with self.lock:
            name = dynamics.name if name is None else name
            if name in self.robots:
                raise InputError(f'name: {name!r} is on the page already')
            self._made += 1
            robot = ShownRobot(self.server, f'/{self._made}', name, dynamics,
                               self.stage.free_place(self.robots.values()))
            self.robots[name] = robot
            self.hands[name] = RobotControls(self, robot)
            self.drawing.welcome(robot)
            self._arrange()
        self.painter.wake()
        return robot

    def remove_robot(self, name: str) -> None:
        """Take a robot off the page; `InputError`: none of that name."""
        with self.lock:
            self.robots.pop(choice('name', name, self.robots)).remove()
            self.hands.pop(name).remove()
            self.player.forget(name)
            self._arrange()
        self.painter.wake()

    def _arrange(self) -> None:
        """Turn cameras to the robots that are there, and offer them."""
        self.stage.furnish(self.robots.values())
        if self.robots:
            self.chooser.options = tuple(visible(name, 60) for name in self.robots)
        several = len(self.robots) > 1
        self.chooser.visible = several
        for robot in self.robots.values():
            robot.title.visible = several

    @property
    def chosen(self) -> ShownRobot | None:
        """The robot whose numbers are shown."""
        named = {visible(name, 60): robot for name, robot in self.robots.items()}
        return named.get(self.chooser.value) or next(iter(self.robots.values()), None)

    def show(self, name: str, q: Any, qd: Any = None, tau: Any = None, *, qdd: Any = None,
             near: Any = None, stale: bool = False) -> None:
        """Show a robot in a state; browsers see it soon, thirty times a second and more.

        q: joint values (nq,); qd, qdd: rates and accelerations (nv,), zeros where None; tau:
        efforts (nv,) that were measured or commanded; near: of a mechanism, values of all joints,
        (L,), where they are known; stale: whether the state is old
        `InputError`: shapes, nan, names; `SingularityError`: loops that cannot close there
        """
        with self.lock:
            robot = self.robots[choice('name', name, self.robots)]
            nq, nv = robot.dynamics.nq, robot.dynamics.nv
            rate, acceleration = (np.zeros(nv) if x is None else vector(what, x, (nv,))
                                  for what, x in (('qd', qd), ('qdd', qdd)))
            robot.show(State(
                vector('q', q, (nq,)), rate, acceleration,
                None if tau is None else vector('tau', tau, (nv,)), stale=stale,
                near=None if near is None else np.asarray(near, float)))
        self.painter.wake()

    # Runs

    def play_run(self, name: str, run: Trajectory | Run, title: str = 'run') -> None:
        """Have a robot play a trajectory, from its beginning; `InputError`: not its joints."""
        with self.lock:
            robot = self.robots[choice('name', name, self.robots)]
            made = run if isinstance(run, Run) else run_of(run, robot.original, title)
            self.player.take(name, made)
        self.painter.wake()

    def simulate(self, law: str = LAWS[0], duration: float = 5.0,
                 goals: Mapping[str, Any] | None = None) -> None:
        """Simulate all robots from the poses on screen; browsers watch it in real time.

        law: one of LAWS; duration [s]; goals: {name: joint values (nq,)} of computed torque
        `InputError`: another law
        """
        with self.lock:
            made = {name: Simulation(
                robot, choice('law', law, LAWS), positive('duration', duration),
                (goals or {}).get(name), partial(self._pulls, name))
                for name, robot in self.robots.items()}
        for simulation in made.values():
            simulation.prepare()
        with self.lock:
            self.player.simulate(made)
        self.painter.wake()

    def play(self, on: bool = True) -> None:
        """Start the runs, or pause them."""
        with self.lock:
            self.player.play(on)
        self.painter.wake()

    def record(self, file: Any) -> None:
        """Write what is played, or the scene as it stands, as one HTML file for any web page.

        `InputError`: a file that cannot be written, a run that is too long
        """
        recording.write(self, user_path('file', file))

    def _save(self, event: Any) -> None:
        try:
            html = recording.recorded(self)
        except RobotDynamicsError as error:
            self.message(str(error))
            return
        event.client.send_file_download('recording.html', html.encode(), save_immediately=True)

    def _pulls(self, name: str) -> dict[str, Array] | None:
        loads = self.hands[name].loads if name in self.hands else None
        return None if loads is None else loads.external

    def gizmos(self) -> list[Any]:
        """Return what is in the scene for hands alone."""
        return [gizmo for hands in self.hands.values() for gizmo in hands.gizmos()]

    # Painting

    def guarded(self, action: Callable[..., Any]) -> Callable[..., None]:
        """Return an action under the page's lock, whose errors people are told."""
        def locked(*arguments: Any) -> None:
            with self.lock:
                action(*arguments)
        return self.told(locked)

    def told(self, action: Callable[..., Any]) -> Callable[..., None]:
        """Return an action whose errors people are told, and after which the page is painted."""
        def run(*arguments: Any) -> None:
            try:
                action(*arguments)
            except RobotDynamicsError as error:
                self.message(str(error))
            self.painter.wake()
        return run

    def paint_all(self) -> None:
        """Send all that changed, at once."""
        for robot in self.robots.values():
            robot.paint()
            robot.paint_slowly()

    def _paint(self) -> None:
        for robot in self.robots.values():
            if robot.dirty:
                robot.paint()
                self.hands[robot.name].follow()

    def _panels(self) -> None:
        with self.server.atomic():
            for name, robot in self.robots.items():
                robot.paint_slowly()
                self.hands[name].follow_slowly()
            if (shown := self.chosen) is not None:
                self.side.update(shown, time.monotonic() - self._begun)
            if self.controls:
                self.playing.update()

    def message(self, text: str, *, title: str = 'robot dynamics', color: Any = 'red') -> None:
        """Show a message on the page, to those who look now and to those who come."""
        self.messages.say(text, title, color)

    def wait(self) -> None:
        """Serve until interrupted."""
        with contextlib.suppress(KeyboardInterrupt):
            self.server.sleep_forever()

    def close(self) -> None:
        """End the server."""
        self.painter.close()
        with silence():
            self.server.stop()


@contextlib.contextmanager
def opened(*arguments: Any, **options: Any) -> Iterator[Page]:
    """Give a page that is closed afterwards."""
    page = Page(*arguments, **options)
    try:
        yield page
    finally:
        page.close()
