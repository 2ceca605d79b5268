"""The stage: ground, light and camera, as large as the robots on it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import viser

from robot_dynamics.model.denoc import Array
from robot_dynamics.viewer.shown_robot import ShownRobot

GAP = 0.25  # between robots side by side, of their size
VIEW = np.array([1.0, -0.95, 0.55])  # from where a robot is looked at, of its size
ABREAST = np.array([1.3, -0.4, 0.45])  # and from where several: they stand side by side along y
DISTANCE = 0.78  # of the camera, in these views


class Stage:
    """What robots stand on."""

    def __init__(self, server: viser.ViserServer):
        self.server, self._size = server, 0.0
        server.on_client_connect(self._welcome)
        server.gui.configure_theme(show_logo=False, show_share_button=False,
                                   brand_color=(38, 92, 150))
        scene = server.scene
        scene.world_axes.visible = False
        scene.configure_default_lights(enabled=False)
        scene.add_light_hemisphere('/light/sky', sky_color=(255, 255, 255),
                                   ground_color=(140, 140, 152), intensity=1.15)
        scene.add_light_directional('/light/sun', intensity=1.7, position=(3.0, -2.0, 6.0),
                                    cast_shadow=True)
        scene.add_light_directional('/light/fill', intensity=0.45, position=(-4.0, 3.0, 2.0))

    def furnish(self, robots: Iterable[ShownRobot]) -> None:
        """Make the ground and the cameras of browsers that come fit all robots."""
        boxes = [robot.bounds for robot in robots]
        if not boxes:
            return
        low = np.min([box[0] for box in boxes], axis=0)
        high = np.max([box[1] for box in boxes], axis=0)
        size = max(float(np.linalg.norm(high - low)), 0.05)
        middle = (low + high) / 2
        cell = 10.0 ** np.floor(np.log10(size)) / 2
        self.server.scene.add_grid(
            '/ground', 1.0, 1.0, cell_size=float(cell), section_size=float(10 * cell),
            infinite_grid=True, fade_distance=8 * size, fade_strength=2.0,
            cell_color=(222, 224, 228), section_color=(190, 194, 202), cell_thickness=0.8,
            shadow_opacity=0.2, position=(float(middle[0]), float(middle[1]), float(low[2])))
        self._size, self._middle = size, middle
        self._view = DISTANCE * size * (VIEW if len(boxes) == 1 else ABREAST)
        camera = self.server.initial_camera
        camera.up = (0.0, 0.0, 1.0)
        camera.look_at = tuple(middle)
        camera.position = tuple(middle + self._view)
        camera.near = 0.01 * size
        for client in self.server.get_clients().values():
            self._aim(client)

    def _aim(self, client: viser.ClientHandle) -> None:
        """Turn a browser to the robots; on a phone, whose lower half are panels, to below them."""
        tall = max(1.0 / client.camera.aspect, 1.0)
        below = np.array([0.0, 0.0, 0.3 * self._size * (tall > 1)])
        client.camera.position = self._middle - below + min(tall, 2.0) * self._view
        client.camera.look_at = self._middle - below  # after: a new position moves it along

    def _welcome(self, client: viser.ClientHandle) -> None:
        if self._size and client.camera.aspect < 1:  # others begin at the initial camera
            self._aim(client)

    def free_place(self, robots: Iterable[ShownRobot]) -> Array:
        """Return where the next robot stands, (3,)."""
        boxes = [robot.bounds for robot in robots]
        if not boxes:
            return np.zeros(3)
        size = max(float((high - low).max()) for low, high in boxes)
        return np.array([0.0, max(float(high[1]) for _, high in boxes) + (0.5 + GAP) * size, 0.0])
