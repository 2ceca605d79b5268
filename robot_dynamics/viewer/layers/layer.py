"""Layer: something drawn on a robot that can be switched on and off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.spatial.transform import Rotation

from robot_dynamics.model.denoc import Array

if TYPE_CHECKING:
    from robot_dynamics.viewer.shown_robot import ShownRobot


class Layer:
    """Something drawn on a robot. A contract for whoever writes another.

    1. `title` names its checkbox, `hint` says what is seen and in which unit; `shown` is whether
       it is on at first.
    2. `make` adds scene nodes and returns them; it is called when the layer is first switched on,
       and again after the robot's model changed. Nodes on links go below `robot.node(body)`:
       they move with it, and nothing is sent when the robot moves. No node of a layer goes below
       another one of it, whose pose it would have as well.
    3. `update` moves what does not move by itself; it is called after each pose while it is on,
       or, of a `slow` layer, as often as the panels change.
    4. `suits` tells whether a robot has what is drawn.
    5. What lies `inside` of bodies is seen through them: they fade while it is on.
    """

    title: ClassVar[str] = ''
    hint: ClassVar[str] = ''
    shown: ClassVar[bool] = False
    slow: ClassVar[bool] = False
    inside: ClassVar[bool] = False

    def __init__(self, robot: ShownRobot):
        self.robot, self.on = robot, False
        self.nodes: list[Any] = []

    @staticmethod
    def suits(robot: ShownRobot) -> bool:
        """Tell whether the robot has what is drawn."""
        return True

    def make(self) -> list[Any]:
        """Add the scene nodes."""
        raise NotImplementedError

    def update(self) -> None:
        """Follow the robot's state."""

    def path(self, *parts: object, body: int = -1) -> str:
        """Return the name of a scene node of this layer, on a body or on the root."""
        words = '/'.join(map(str, parts))
        return f'{self.robot.node(body)}/{type(self).__name__}/{words}'

    def switch(self, on: bool) -> None:
        """Show it or not."""
        self.on = on
        if on and not self.nodes:
            self.nodes = self.make()
        for node in self.nodes:
            node.visible = on
        if on:
            self.update()
        if self.inside:
            self.robot.shade()

    def renew(self) -> None:
        """Draw it anew: the robot's model changed."""
        for node in self.nodes:
            node.remove()
        self.nodes = []
        if self.on:
            self.switch(True)


def quaternion(R: Array) -> Array:
    """Return w x y z of a rotation matrix, (3, 3) or (N, 3, 3)."""
    found: Array = np.roll(Rotation.from_matrix(R).as_quat(), 1, axis=-1)
    return found


def instance_color(color: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return what viser's arrows take for a colour: they do not decode sRGB, as its meshes do."""
    r, g, b = (255 * ((part / 255 + 0.055) / 1.055) ** 2.4 for part in color)
    return round(r), round(g), round(b)


def pose_of(T: Array) -> dict[str, Any]:
    """Return a pose, (4, 4), as scene nodes take it."""
    return {'wxyz': quaternion(T[:3, :3]), 'position': T[:3, 3]}
