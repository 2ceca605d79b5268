"""Checkboxes for what is drawn."""

from __future__ import annotations

from typing import Any

import viser

from robot_dynamics.viewer.controls.pose import Guard
from robot_dynamics.viewer.layers import LAYERS
from robot_dynamics.viewer.shown_robot import ShownRobot


class DrawingControls:
    """A checkbox for each layer, for all robots; robots that come later take them over."""

    def __init__(self, server: viser.ViserServer, robots: dict[str, ShownRobot], guard: Guard):
        self._robots = robots
        self.boxes = {}
        for title, layer in LAYERS.items():
            box = server.gui.add_checkbox(title.capitalize() if title[1:2].islower() else title,
                                          layer.shown, hint=layer.hint)
            box.on_update(guard(lambda _, title=title: self.apply(title)))
            self.boxes[title] = box
        self.solid = server.gui.add_slider('Opacity of the bodies', min=0.1, max=1.0, step=0.05,
                                           initial_value=1.0)
        self.solid.on_update(guard(lambda _: self._fade()))

    def apply(self, title: str) -> None:
        """Switch a layer of all robots as its checkbox says."""
        for robot in self._robots.values():
            self._switch(robot, title)

    def welcome(self, robot: ShownRobot) -> None:
        """Switch all layers of a robot that came."""
        robot.opacity = float(self.solid.value)
        robot.shade()
        for title in self.boxes:
            self._switch(robot, title)
        suits = {title for other in self._robots.values() for title in other.layers}
        for title, box in self.boxes.items():
            box.visible = title in suits or title in robot.layers

    def _switch(self, robot: ShownRobot, title: str) -> None:
        layer: Any = robot.layers.get(title)
        if layer is not None and layer.on != self.boxes[title].value:
            layer.switch(self.boxes[title].value)

    def _fade(self) -> None:
        for robot in self._robots.values():
            robot.opacity = float(self.solid.value)
            robot.shade()
