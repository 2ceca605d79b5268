"""Markers for rviz: inertia ellipsoids, torque arcs, manipulability, mass centre."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
from geometry_msgs.msg import Point
from rclpy.duration import Duration
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from robot_dynamics.drawing.arcs import effort_arc, effort_shares, turning_signs
from robot_dynamics.drawing.ellipsoids import inertia_ellipsoids, mass_centre, velocity_ellipsoid
from robot_dynamics.drawing.places import all_values, body_poses, joint_place, placed
from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError
from robot_dynamics.nodes.shared.conversion import pose_message

THINNEST = 1e-3  # [m] rviz draws nothing of an ellipsoid without thickness
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
    bodies = body_poses(robot.model, all_values(robot, q))
    markers = [*inertia_markers(robot, bodies), mass_marker(robot, bodies)]
    if tau is not None:
        markers += effort_markers(robot, bodies, tau, radius)
    with contextlib.suppress(InputError):  # several tips and none chosen: the diagnostics say so
        markers.append(manipulability_marker(robot, q, link, scale))
    until = Duration(seconds=lifetime).to_msg()
    for marker in markers:
        marker.header.frame_id, marker.header.stamp = robot.dh.root, stamp
        marker.lifetime = until
    return MarkerArray(markers=markers)


def clear_markers() -> MarkerArray:
    """Return what removes all markers."""
    return MarkerArray(markers=[Marker(action=Marker.DELETEALL)])


def inertia_markers(robot: Dynamics, bodies: np.ndarray) -> list[Marker]:
    """Return the solid ellipsoids that have the mass and inertia of the links."""
    markers = []
    for i, (T, semi_axes) in inertia_ellipsoids(robot.model.inertials):
        marker = ellipsoid('inertia', i, bodies[i] @ T, semi_axes, BLUE)
        marker.text = robot.model.body_names[i]
        markers.append(marker)
    return markers


def mass_marker(robot: Dynamics, bodies: np.ndarray) -> Marker:
    """Return a ball at the centre of all moving mass."""
    centre = mass_centre(robot.model.inertials, bodies)
    return ellipsoid('mass_centre', 0, placed(np.eye(3), centre), np.full(3, 0.02), RED)


def effort_markers(robot: Dynamics, bodies: np.ndarray, tau: np.ndarray,
                   radius: float) -> list[Marker]:
    """Return an arc about each revolute axis, a line along each prismatic one, at the joint.

    Its length is the effort over the effort limit, or over the largest effort without limits.
    """
    model, markers = robot.model, []
    shares = effort_shares(tau, robot.limits.effort) * turning_signs(robot.dh, robot.joint_names)
    named = {frame.body for frame in model.frames.values()}
    for k, name in enumerate(robot.joint_names):
        i = model.tree_joint_names.index(name)
        if i not in named:
            continue
        points = effort_arc(shares[k], radius, slides=bool(model.geometry.prismatic[i]))
        marker = Marker(ns='effort', id=k, type=Marker.LINE_STRIP, color=ORANGE, text=name)
        marker.scale.x = 0.1 * radius
        marker.points = [Point(x=x, y=y, z=z) for x, y, z in points.tolist()]
        marker.pose = pose_message(joint_place(model, bodies, i))
        markers.append(marker)
    return markers


def manipulability_marker(robot: Dynamics, q: np.ndarray, link: str | None,
                          scale: float) -> Marker:
    """Return the ellipsoid of the link's velocities under joint rates of unit length."""
    T, semi_axes = velocity_ellipsoid(robot.jacobian(q, link)[3:], robot.pose(q, link)[:3, 3])
    return ellipsoid('manipulability', 0, T, scale * semi_axes, GREEN)


def ellipsoid(space: str, number: int, T: np.ndarray, semi_axes: np.ndarray,
              color: ColorRGBA) -> Marker:
    """Return an ellipsoid along the axes of a pose."""
    marker = Marker(ns=space, id=int(number), type=Marker.SPHERE, color=color)
    marker.pose = pose_message(T)
    marker.scale.x, marker.scale.y, marker.scale.z = np.maximum(2 * semi_axes, THINNEST).tolist()
    return marker
