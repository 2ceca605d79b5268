"""The page: a web server with robots, which any browser shows."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import viser

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import choice, vector
from robot_dynamics.model.denoc import Array
from robot_dynamics.viewer.escaping import visible
from robot_dynamics.viewer.gate import LOOPBACK, open_server, silence
from robot_dynamics.viewer.shown_robot import ShownRobot, State

PORT = 8080
GAP = 0.35  # between robots side by side, of their size


class Page:
    """A page with robots; everything on it may be called from any thread.

    host, port, token: see open_server; title: of the page; address: where a browser finds it
    `InputError`: an address that cannot be had
    """

    def __init__(self, host: str = LOOPBACK, port: int = PORT, *, title: str = 'robot dynamics',
                 token: str | None = None):
        self.server, self.address = open_server(host, port, token=token, label=visible(title))
        self.lock = threading.RLock()
        self.robots: dict[str, ShownRobot] = {}
        self._made = 0
        self._furnish()

    def _furnish(self) -> None:
        self.server.gui.configure_theme(show_logo=False, show_share_button=False,
                                        brand_color=(31, 95, 153))
        self.server.scene.world_axes.visible = False

    def add_robot(self, dynamics: Dynamics, name: str | None = None) -> ShownRobot:
        """Put a robot on the page, beside those that are there; `InputError`: a name taken."""
        with self.lock:
            name = dynamics.name if name is None else name
            if name in self.robots:
                raise InputError(f'name: {name!r} is on the page already')
            self._made += 1
            robot = ShownRobot(self.server, f'/{self._made}', name, dynamics, self._free_place())
            self.robots[name] = robot
            self._look()
            return robot

    def remove_robot(self, name: str) -> None:
        """Take a robot off the page; `InputError`: none of that name."""
        with self.lock:
            self.robots.pop(choice('name', name, self.robots)).remove()

    def show(self, name: str, q: Any, qd: Any = None, tau: Any = None, *,
             stale: bool = False) -> None:
        """Show a robot in a state.

        q: joint values (nq,); qd: rates (nv,), zeros where None; tau: efforts (nv,) that were
        measured or commanded; stale: whether the state is old
        `InputError`: shapes, nan, names
        """
        with self.lock:
            robot = self.robots[choice('name', name, self.robots)]
            nv, rest = robot.dynamics.nv, np.zeros(robot.dynamics.nv)
            robot.show(State(vector('q', q, (robot.dynamics.nq,)),
                             rest if qd is None else vector('qd', qd, (nv,)), rest,
                             None if tau is None else vector('tau', tau, (nv,)), stale=stale))

    def message(self, text: str, *, title: str = 'robot dynamics', color: Any = 'red') -> None:
        """Show a message on the page, to those who look now and to those who come."""
        def tell(client: viser.ClientHandle) -> None:
            client.add_notification(visible(title), visible(text), auto_close_seconds=None,
                                    color=color)
        self.server.on_client_connect(tell)

    def _free_place(self) -> Array:
        boxes = [robot.bounds for robot in self.robots.values()]
        if not boxes:
            return np.zeros(3)
        size = max(float((high - low).max()) for low, high in boxes)
        return np.array([0.0, max(float(high[1]) for _, high in boxes) + (0.5 + GAP) * size, 0.0])

    def _look(self) -> None:
        """Turn the cameras of browsers that come to all robots."""
        low = np.min([robot.bounds[0] for robot in self.robots.values()], axis=0)
        high = np.max([robot.bounds[1] for robot in self.robots.values()], axis=0)
        size = max(float(np.linalg.norm(high - low)), 0.1)
        middle = (low + high) / 2
        camera = self.server.initial_camera
        camera.look_at = tuple(middle)
        camera.position = tuple(middle + size * np.array([1.05, -0.75, 0.45]))
        self.size = size

    def wait(self) -> None:
        """Serve until interrupted."""
        with contextlib.suppress(KeyboardInterrupt):
            self.server.sleep_forever()

    def close(self) -> None:
        """End the server."""
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
