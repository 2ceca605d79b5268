"""Layers of frames: those of the DH table with their common normals, those of the links."""

from __future__ import annotations

from typing import Any

import numpy as np

from robot_dynamics.drawing.dh_lines import dh_frames
from robot_dynamics.viewer.escaping import visible
from robot_dynamics.viewer.layers.layer import Layer, pose_of

NORMAL, OFFSET = (214, 93, 14), (104, 94, 168)
NEAR = 0.02  # of the robot's size: names nearer to each other would overlap
AROUND = ('top-left', 'bottom-left', 'top-right', 'bottom-right')


class DHFrames(Layer):
    """The frames of the DH table, the common normals (a) and the offsets along the axes (b)."""

    title = 'DH frames and common normals'
    hint = 'x y z are red, green, blue; common normals (a) orange, offsets (b) violet'
    inside = True

    def make(self) -> list[Any]:
        """Add the frames and lines, on the links that carry them."""
        scene, size, nodes = self.robot.server.scene, self.robot.size, []
        for k, frame in enumerate(dh_frames(self.robot.dynamics.dh)):
            nodes.append(scene.add_frame(
                self.path(k, body=frame.body), axes_length=0.08 * size, axes_radius=0.0022 * size,
                origin_radius=0.005 * size, **pose_of(frame.T)))
            for name, line, color in (('normal', frame.normal, NORMAL),
                                      ('offset', frame.offset, OFFSET)):
                if line is not None and np.linalg.norm(line[1] - line[0]) > 1e-6:
                    nodes.append(scene.add_line_segments(
                        self.path(f'{name}_{k}', body=frame.body), line[None], color,
                        thickness=0.006 * size))
        return nodes


class LinkFrames(Layer):
    """The frames of all links, as the URDF has them."""

    title = 'link frames'
    hint = 'x y z are red, green, blue'
    inside = True

    def make(self) -> list[Any]:
        """Add the frames, each on the body that carries it."""
        scene, size = self.robot.server.scene, self.robot.size
        return [scene.add_frame(
            self.path(k, body=frame.body), axes_length=0.06 * size, axes_radius=0.0016 * size,
            origin_radius=0.0035 * size, origin_color=(90, 90, 90), **pose_of(frame.T))
            for k, frame in enumerate(self.robot.dynamics.model.frames.values())]


class LinkNames(Layer):
    """The names of the links."""

    title = 'link names'
    hint = 'at the origins of the link frames'

    def make(self) -> list[Any]:
        """Add the labels, each on the body that carries its link."""
        robot, nodes = self.robot, []
        taken: dict[tuple[float, ...], int] = {}  # names at one place stand around it
        for k, (name, frame) in enumerate(robot.dynamics.model.frames.items()):
            place = tuple((robot.link_pose(name)[:3, 3] / (NEAR * robot.size)).round().tolist())
            around = taken[place] = taken.get(place, -1) + 1
            nodes.append(robot.server.scene.add_label(
                self.path(k, body=frame.body), visible(name, 60), position=frame.T[:3, 3],
                anchor=AROUND[around % len(AROUND)]))
        return nodes
