"""Layers of efforts: torque arcs, the forces a tip can balance, the forces in closed loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from robot_dynamics.drawing.arcs import (
    effort_arc,
    effort_shares,
    limited,
    turning_signs,
)
from robot_dynamics.drawing.ellipsoids import force_ellipsoid
from robot_dynamics.drawing.places import joint_place
from robot_dynamics.dynamics import is_closed
from robot_dynamics.viewer.layers.layer import Layer, instance_color, pose_of, quaternion
from robot_dynamics.viewer.layers.masses import thick
from robot_dynamics.viewer.motors import motors_of
from robot_dynamics.viewer.panels.numbers import short

if TYPE_CHECKING:
    from robot_dynamics.viewer.shown_robot import ShownRobot

CALM, BUSY, FULL = np.array([[38, 150, 110], [230, 150, 20], [205, 30, 40]])
FORCE = instance_color((170, 30, 110))
SEEN = 2e-3  # of an effort limit: less is not drawn anew
SIDES = ('bottom-right', 'bottom-left')  # of labels: arrows may end at one place
LONGEST, HEAD = 0.3, 0.04  # of an arrow and its head, of the robot's size


class TorqueArcs(Layer):
    """An arc about each joint, its length the effort over its limit."""

    title = 'torque arcs'
    hint = 'three quarters of a turn are the effort limit (without limits, the largest effort)'
    shown = slow = True

    def make(self) -> list[Any]:
        """Add an arc on each joint's link."""
        robot, model = self.robot, self.robot.dynamics.model
        names = motors_of(robot).names
        self._signs = turning_signs(robot.dynamics.dh, names)
        self._drawn = np.full(len(names), np.inf)
        self._joints = [model.tree_joint_names.index(name) for name in names]
        nodes = []
        for k, i in enumerate(self._joints):
            T = np.linalg.inv(robot.bodies[i]) @ joint_place(model, robot.bodies, i)
            nodes.append(robot.server.scene.add_line_segments(
                self.path(k, body=i), np.zeros((1, 2, 3)), (0, 0, 0),
                thickness=0.011 * robot.size, **pose_of(T)))
        return nodes

    def update(self) -> None:
        """Draw the arcs of the torques now."""
        motors = motors_of(self.robot)
        shares = effort_shares(motors.torque, motors.limit)
        prismatic = self.robot.dynamics.model.geometry.prismatic
        for k, (node, i) in enumerate(zip(self.nodes, self._joints, strict=True)):
            if abs(shares[k] - self._drawn[k]) < SEEN:
                continue
            self._drawn[k] = shares[k]
            points = effort_arc(shares[k] * self._signs[k], 0.1 * self.robot.size,
                                slides=bool(prismatic[i]))
            node.points = np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)
            node.colors = color_of(abs(shares[k])).round().astype(np.uint8)


class ForceEllipsoid(Layer):
    """The forces at the tip that torques within their limits balance."""

    title = 'force ellipsoid'
    hint = ('forces that torques of at most one limit in all balance at the tip; the label is its '
            'shortest axis, drawn a tenth of the robot long, the others three tenths at most')

    def make(self) -> list[Any]:
        """Add an ellipsoid and its label at each tip."""
        scene, tips = self.robot.server.scene, range(len(self.robot.dynamics.tip_names))
        return [*(scene.add_icosphere(self.path(k), 1.0, (190, 70, 40), opacity=0.28,
                                      cast_shadow=False) for k in tips),
                *(scene.add_label(self.path('label', k), '') for k in tips)]

    def update(self) -> None:
        """Move them."""
        robot = self.robot
        limit = robot.joint_columns(robot.dynamics.limits.effort[None])[0]
        effort = np.where(limited(limit), limit, 1.0)
        tips = robot.dynamics.tip_names
        for node, label, link in zip(self.nodes[:len(tips)], self.nodes[len(tips):], tips,
                                     strict=True):
            J = robot.joint_columns(robot.dynamics.jacobian(robot.state.q, link)[3:])
            T, semi_axes = force_ellipsoid(J, effort, robot.link_pose(link)[:3, 3], np.inf)
            finite = semi_axes[np.isfinite(semi_axes)]
            least = finite.min(initial=np.inf)
            size = 0.1 * robot.size
            node.scale = thick(np.minimum(size * semi_axes / least, 3 * size)
                               if np.isfinite(least) else np.zeros(3), robot.size)
            node.wxyz, node.position = quaternion(T[:3, :3]), T[:3, 3]
            label.position = T[:3, 3]
            label.text = f'at least {short(least)} N' if np.isfinite(least) else 'any force'


class ConstraintForces(Layer):
    """The forces through the cut joints of closed loops."""

    title = 'constraint forces'
    hint = ('force [N] of each cut joint on its second link; the longest arrow is an eighth to '
            'three tenths of the mechanism long')

    @staticmethod
    def suits(robot: ShownRobot) -> bool:
        """Tell whether there are loops."""
        return robot.body.closed

    def make(self) -> list[Any]:
        """Add an arrow and its label for each cut joint."""
        scene, mechanism = self.robot.server.scene, self.robot.dynamics
        assert is_closed(mechanism)  # as it suits
        cuts = range(len(mechanism.cuts))
        return [*(scene.add_arrows(self.path('arrow', k), np.zeros((1, 2, 3)), FORCE,
                                   shaft_radius=0.006 * self.robot.size,
                                   head_radius=0.016 * self.robot.size) for k in cuts),
                *(scene.add_label(self.path('label', k), '', anchor=SIDES[k % len(SIDES)])
                  for k in cuts)]

    def update(self) -> None:
        """Draw the forces now."""
        robot, mechanism, state = self.robot, self.robot.dynamics, self.robot.state
        assert is_closed(mechanism)  # as it suits
        forces = mechanism.constraint_wrenches(
            state.q, state.qd, state.qdd, near=robot.body.tree)[:, 3:]
        sizes = np.linalg.norm(forces, axis=1)
        scale = LONGEST * robot.size / round_above(float(sizes.max(initial=0.0)))
        cuts = mechanism.cuts
        for k, (arrow, label) in enumerate(zip(self.nodes[:len(cuts)], self.nodes[len(cuts):],
                                               strict=True)):
            start = cut_place(robot, cuts[k])
            end = start + scale * forces[k]
            arrow.points = np.array([[start, end]], np.float32)
            arrow.head_length = float(min(HEAD * robot.size, 0.5 * scale * sizes[k]))
            label.position, label.text = end, f'{short(float(sizes[k]), 3)} N'


def cut_place(robot: ShownRobot, cut: Any) -> Any:
    """Return where a cut joint is on its second link, (3,) in the root frame."""
    body, T = cut.bodies[1], np.array(cut.frames[1])
    return (robot.bodies[body] @ T if body >= 0 else T)[:3, 3]


def round_above(value: float) -> float:
    """Return the next 1, 2 or 5 times a power of ten; 1 for nothing.

    >>> round_above(3.1), round_above(0.02), round_above(0.0)
    (5.0, 0.02, 1.0)
    """
    if value <= 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(value))
    return float(next(step for step in power * np.array([1, 2, 5, 10])
                      if step >= value * (1 - 1e-9)))


def color_of(share: float) -> Any:
    """Return the colour of a share of the limit: green at rest, orange at half, red at all."""
    if share < 0.5:
        return CALM + (BUSY - CALM) * (share / 0.5)
    return BUSY + (FULL - BUSY) * min((share - 0.5) / 0.5, 1.0)
