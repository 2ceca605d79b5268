"""Layers of frames: those of the DH table with their common normals, those of the links."""

from __future__ import annotations

from typing import Any

import numpy as np

from robot_dynamics.drawing.dh_lines import dh_frames
from robot_dynamics.viewer.escaping import visible
from robot_dynamics.viewer.layers.layer import Layer, pose_of

NORMAL, OFFSET = (214, 93, 14), (104, 94, 168)


class DHFrames(Layer):
    """The frames of the DH table, the common normals (a) and the offsets along the axes (b)."""

    title = 'DH frames and common normals'
    hint = 'x y z are red, green, blue; common normals (a) orange, offsets (b) violet'

    def make(self) -> list[Any]:
        """Add the frames and lines, on the links that carry them."""
        scene, size, nodes = self.robot.server.scene, self.robot.size, []
        for k, frame in enumerate(dh_frames(self.robot.dynamics.dh)):
            nodes.append(scene.add_frame(
                self.path(k, body=frame.body), axes_length=0.08 * size, axes_radius=0.0022 * size,
                origin_radius=0.005 * size, **pose_of(frame.T)))
            lines = [(frame.normal, NORMAL)]
            if frame.offset is not None:
                lines.append((frame.offset, OFFSET))
            lines = [(line, color) for line, color in lines
                     if np.linalg.norm(line[1] - line[0]) > 1e-6]
            if lines:
                nodes.append(scene.add_line_segments(
                    self.path(f'lines_{k}', body=frame.body),
                    np.array([line for line, _ in lines]),
                    np.array([[color, color] for _, color in lines]), thickness=0.006 * size))
        return nodes


class LinkFrames(Layer):
    """The frames of all links, as the URDF has them."""

    title = 'link frames'
    hint = 'x y z are red, green, blue'

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
        frames = self.robot.dynamics.model.frames
        return [self.robot.server.scene.add_label(
            self.path(k, body=frame.body), visible(name, 60), position=frame.T[:3, 3])
            for k, (name, frame) in enumerate(frames.items())]
