"""Layers of masses: inertia ellipsoids, mass centre, payload, gravity, manipulability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from robot_dynamics.drawing.ellipsoids import (
    inertia_ellipsoids,
    mass_centre,
    velocity_ellipsoid,
)
from robot_dynamics.viewer.layers.layer import Layer, instance_color, pose_of, quaternion
from robot_dynamics.viewer.panels.numbers import short

if TYPE_CHECKING:
    from robot_dynamics.viewer.shown_robot import ShownRobot

THINNEST = 1e-3  # of the robot's size: an ellipsoid without thickness is not seen
DENSITY = 2000.0  # [kg/m^3] of a payload that is drawn as a ball


class InertiaEllipsoids(Layer):
    """The solid ellipsoids that have the links' masses and inertias."""

    title = 'inertia ellipsoids'
    hint = 'homogeneous ellipsoids with the mass and inertia of each link'
    inside = True

    def make(self) -> list[Any]:
        """Add an ellipsoid on each link."""
        robot, nodes = self.robot, []
        for i, (T, semi_axes) in inertia_ellipsoids(robot.dynamics.model.inertials):
            nodes.append(robot.server.scene.add_icosphere(
                self.path(i, body=i), 1.0, (46, 117, 182), opacity=0.35, cast_shadow=False,
                scale=thick(semi_axes, robot.size), **pose_of(T)))
        return nodes


class MassCentre(Layer):
    """The centre of all moving mass."""

    title = 'mass centre'
    hint = 'of all that moves; its shadow on the ground of the root'

    def make(self) -> list[Any]:
        """Add a ball, and a line from it to the ground."""
        scene, size = self.robot.server.scene, self.robot.size
        return [scene.add_icosphere(self.path('ball'), 0.018 * size, (200, 30, 45),
                                    cast_shadow=False),
                scene.add_line_segments(self.path('line'), np.zeros((1, 2, 3)), (200, 30, 45),
                                        thickness=0.003 * size),
                scene.add_label(self.path('label'),
                                f'{short(self.robot.dynamics.moving_mass)} kg')]

    def update(self) -> None:
        """Move them."""
        centre = mass_centre(self.robot.dynamics.model.inertials, self.robot.bodies)
        self.nodes[0].position = self.nodes[2].position = centre
        ground = np.array([centre[0], centre[1], self.robot.ground - self.robot.place[2]])
        self.nodes[1].points = np.array([[centre, ground]], np.float32)


class Manipulability(Layer):
    """The velocities of the tip under joint rates of unit length."""

    title = 'manipulability'
    hint = ('velocities of the tip under joint rates of length 1 rad/s (m/s); 1 m/s is 0.25 m '
            'long; the label is the longest axis')

    def make(self) -> list[Any]:
        """Add an ellipsoid and its label at each tip."""
        scene, tips = self.robot.server.scene, range(len(self.robot.dynamics.tip_names))
        return [*(scene.add_icosphere(self.path(k), 1.0, (44, 160, 90), opacity=0.3,
                                      cast_shadow=False) for k in tips),
                *(scene.add_label(self.path('label', k), '', anchor='bottom-left')
                  for k in tips)]

    def update(self) -> None:
        """Move them."""
        robot, tips = self.robot, self.robot.dynamics.tip_names
        for node, label, link in zip(self.nodes[:len(tips)], self.nodes[len(tips):], tips,
                                     strict=True):
            T, semi_axes = velocity_ellipsoid(
                robot.joint_columns(robot.dynamics.jacobian(robot.state.q, link)[3:]),
                robot.link_pose(link)[:3, 3])
            node.scale = thick(0.25 * semi_axes, robot.size)
            node.wxyz, node.position = quaternion(T[:3, :3]), T[:3, 3]
            label.position, label.text = T[:3, 3], f'up to {short(float(semi_axes.max()))} m/s'


class PayloadMark(Layer):
    """What the robot carries, as a ball of its mass."""

    title = 'payload'
    hint = f'a ball of its mass, {DENSITY:g} kg/m^3'
    shown = True

    def make(self) -> list[Any]:
        """Add the ball on its link."""
        payload = self.robot.payload
        if payload is None or payload.mass <= 0:
            return []
        frame = self.robot.dynamics.model.frames[payload.link]
        radius = (3 * payload.mass / (4 * np.pi * DENSITY)) ** (1 / 3)
        centre = frame.T[:3, :3] @ payload.com + frame.T[:3, 3]
        scene = self.robot.server.scene
        return [scene.add_icosphere(self.path('ball', body=frame.body), radius, (120, 84, 60),
                                    position=centre),
                scene.add_label(self.path('label', body=frame.body), f'{short(payload.mass)} kg',
                                position=centre)]


class GravityArrow(Layer):
    """Gravity, as an arrow beside the robot."""

    title = 'gravity'
    hint = '9.81 m/s^2 is a third of the robot long; the rings turn it'

    def make(self) -> list[Any]:
        """Add the arrow and its label."""
        scene, size = self.robot.server.scene, self.robot.size
        return [scene.add_arrows(
            self.path('arrow'), np.zeros((1, 2, 3)), instance_color((90, 70, 160)),
            shaft_radius=0.008 * size, head_radius=0.02 * size, head_length=0.05 * size),
            scene.add_label(self.path('label'), '', anchor='top-right')]

    def update(self) -> None:
        """Turn it."""
        start = gravity_place(self.robot)
        along = self.robot.gravity / 9.81 * self.robot.size / 3
        self.nodes[0].points = np.array([[start, start + along]], np.float32)
        self.nodes[1].position = start + along
        self.nodes[1].text = f'{short(float(np.linalg.norm(self.robot.gravity)))} m/s²'


def gravity_place(robot: ShownRobot) -> Any:
    """Return where the arrow of gravity begins, (3,), in the robot's root frame."""
    return np.array([0.0, -0.3 * robot.size, 0.5 * robot.size])


def thick(semi_axes: Any, size: float) -> tuple[float, float, float]:
    """Return semi-axes none of which is too thin to be seen."""
    a, b, c = np.maximum(semi_axes, THINNEST * size).tolist()
    return a, b, c
