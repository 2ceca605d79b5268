"""Markers for rviz: inertia ellipsoids, torque arcs, manipulability, mass centre."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
from geometry_msgs.msg import Point
from rclpy.duration import Duration
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError
from robot_dynamics.nodes.shared.conversion import pose_message

THINNEST = 1e-3  # [m] rviz draws nothing of an ellipsoid without thickness
ARC = 1.5 * np.pi  # [rad] of an arc at the effort limit
STEPS = 24
UNLIMITED = 1e6  # [N m or N] a limit beyond is one that someone had to write
BLUE, ORANGE = ColorRGBA(r=0.2, g=0.5, b=0.9, a=0.6), ColorRGBA(r=0.95, g=0.5, b=0.1, a=0.9)
GREEN, RED = ColorRGBA(r=0.2, g=0.8, b=0.3, a=0.3), ColorRGBA(r=0.9, g=0.1, b=0.1, a=0.9)


def make_markers(robot: Dynamics, q: np.ndarray, tau: np.ndarray | None, stamp: Any, *,
                 link: str | None, radius: float, scale: float,
                 lifetime: float = 1.0) -> MarkerArray:
    """Return all markers in the root frame.

    tau: efforts (n,) for the arcs, None draws none; link: of the manipulability ellipsoid;
    radius: of the arcs [m]; scale: of the manipulability ellipsoid; lifetime: after which rviz
    drops what is not drawn again [s]
    """
    poses = body_poses(robot, q)
    markers = [*inertia_ellipsoids(robot, poses), mass_centre(robot, poses)]
    if tau is not None:
        markers += torque_arcs(robot, q, poses, tau, radius)
    with contextlib.suppress(InputError):  # several tips and none chosen: the diagnostics say so
        markers.append(manipulability_ellipsoid(robot, q, link, scale))
    until = Duration(seconds=lifetime).to_msg()
    for marker in markers:
        marker.header.frame_id, marker.header.stamp = robot.dh.root, stamp
        marker.lifetime = until
    return MarkerArray(markers=markers)


def clear_markers() -> MarkerArray:
    """Return what removes all markers."""
    return MarkerArray(markers=[Marker(action=Marker.DELETEALL)])


def body_poses(robot: Dynamics, q: np.ndarray) -> dict[int, np.ndarray]:
    """Return the pose (4, 4) of the link frame G_i of each body that carries a named link."""
    poses: dict[int, np.ndarray] = {}
    for name, frame in robot.model.frames.items():
        if frame.body >= 0 and frame.body not in poses:
            poses[frame.body] = robot.pose(q, name) @ np.linalg.inv(frame.T)
    return poses


def inertia_ellipsoids(robot: Dynamics, poses: dict[int, np.ndarray]) -> list[Marker]:
    """Return the solid ellipsoids that have the mass and inertia of the links."""
    markers, inertials = [], robot.model.inertials
    for i, T in poses.items():
        link = inertials.link(i)
        m, c = link.mass, link.com
        if m <= 0:
            continue
        moments, axes = np.linalg.eigh(link.inertia)
        # I_1 = m (b^2 + c^2) / 5 and so on: a^2 = 5 (I_2 + I_3 - I_1) / (2 m)
        squares = 5 * (moments.sum() - 2 * moments) / (2 * m)
        marker = ellipsoid('inertia', i, T @ placed(axes, c), np.sqrt(np.maximum(squares, 0)),
                           BLUE)
        marker.text = robot.model.body_names[i]
        markers.append(marker)
    return markers


def mass_centre(robot: Dynamics, poses: dict[int, np.ndarray]) -> Marker:
    """Return a ball at the centre of all moving mass."""
    centre, inertials = np.zeros(3), robot.model.inertials
    for i, T in poses.items():
        centre += inertials.mass[i] * T[:3, 3] + T[:3, :3] @ inertials.moment[i]
    centre /= max(robot.moving_mass, np.finfo(float).tiny)
    return ellipsoid('mass_centre', 0, placed(np.eye(3), centre), np.full(3, 0.02), RED)


def torque_arcs(robot: Dynamics, q: np.ndarray, poses: dict[int, np.ndarray], tau: np.ndarray,
                radius: float) -> list[Marker]:
    """Return an arc about each revolute axis, a line along each prismatic one, at the joint.

    Its length is the effort over the effort limit, or over the largest effort without limits.
    """
    model, limit = robot.model, robot.limits.effort
    largest = max(float(np.abs(tau).max(initial=0.0)), np.finfo(float).tiny)
    share = np.clip(tau / np.where((0 < limit) & (limit < UNLIMITED), limit, largest), -1, 1)
    pose = getattr(robot, 'near', None)  # of all joints of a mechanism
    place = q if pose is None else pose
    at = model.coordinates.at(place)
    markers, turns = [], [at.rates(place, unit) for unit in np.eye(robot.n)]
    for k, name in enumerate(robot.joint_names):
        i = model.tree_joint_names.index(name)
        if i not in poses:
            continue
        part = share[k] * (1.0 if turns[k][i] >= 0 else -1.0)
        s = np.linspace(0, 1, STEPS)[:, None]
        if model.geometry.prismatic[i]:
            points = s * np.array([0.0, 0.0, 2 * radius * part])
        else:
            angle = ARC * part * s
            points = np.hstack([radius * np.cos(angle), radius * np.sin(angle), 0 * s])
        marker = Marker(ns='effort', id=k, type=Marker.LINE_STRIP, color=ORANGE, text=name)
        marker.scale.x = 0.1 * radius
        marker.points = [Point(x=x, y=y, z=z) for x, y, z in points.tolist()]
        marker.pose = pose_message(at_joint(robot, q, i, poses[i]))
        markers.append(marker)
    return markers


def at_joint(robot: Dynamics, q: np.ndarray, i: int, T: np.ndarray) -> np.ndarray:
    """Return the frame T (4, 4) of body i moved along its joint's axis, to where the joint is.

    A URDF's joint is at its child link's origin; the frame of the DH table is at a common normal.
    A joint that slides has no place of its own on the link: it is drawn at that origin.
    """
    link, moved = robot.model.body_names[i], T.copy()
    if link in robot.model.frames:
        away = robot.pose(q, link)[:3, 3] - T[:3, 3]
        axis = T[:3, 2]
        moved[:3, 3] += away if robot.model.geometry.prismatic[i] else axis * (axis @ away)
    return moved


def manipulability_ellipsoid(robot: Dynamics, q: np.ndarray, link: str | None,
                             scale: float) -> Marker:
    """Return the ellipsoid of the link's velocities under joint rates of unit length."""
    J = robot.jacobian(q, link)[3:]
    squares, axes = np.linalg.eigh(J @ J.T)
    tip = robot.pose(q, link)[:3, 3]
    return ellipsoid('manipulability', 0, placed(axes, tip),
                     scale * np.sqrt(np.maximum(squares, 0)), GREEN)


def placed(axes: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """Return the pose of right-handed axes, the last one turned about if need be."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = axes, origin
    T[:3, 2] *= np.sign(np.linalg.det(axes))
    return T


def ellipsoid(space: str, number: int, T: np.ndarray, semi_axes: np.ndarray,
              color: ColorRGBA) -> Marker:
    """Return an ellipsoid along the axes of a pose."""
    marker = Marker(ns=space, id=int(number), type=Marker.SPHERE, color=color)
    marker.pose = pose_message(T)
    marker.scale.x, marker.scale.y, marker.scale.z = np.maximum(2 * semi_axes, THINNEST).tolist()
    return marker
