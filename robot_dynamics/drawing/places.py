"""Where the links and joints of a robot are, in root axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from robot_dynamics.algorithms.kinematics import poses
from robot_dynamics.dynamics import Dynamics, is_closed
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.model import Model


def all_values(robot: Dynamics, q: ArrayLike) -> Array:
    """Return the joint values that `body_poses` takes: of a mechanism those of all its joints."""
    near = getattr(robot, 'near', None)  # where a mechanism stands
    if near is None and is_closed(robot):
        near = robot.assemble(q)
    return np.asarray(q if near is None else near, float)


def body_poses(model: Model, values: ArrayLike) -> Array:
    """Return the pose of every body's link frame G_i, (L, 4, 4) [m].

    values: joint values, (nq,); of a mechanism those of all its joints, (L,)
    """
    values = np.asarray(values, float)
    at = model.coordinates.at(values)
    R, p = poses(at.geometry(model.geometry, values), at.positions(values))
    T = np.zeros((len(p), 4, 4))
    T[:, :3, :3], T[:, :3, 3], T[:, 3, 3] = R, p, 1.0
    return T


def link_pose(model: Model, bodies: Array, link: str) -> Array:
    """Return the pose of a link, (4, 4), from those of the bodies."""
    frame = model.frames[link]
    pose: Array = frame.T if frame.body < 0 else bodies[frame.body] @ frame.T
    return pose


def joint_place(model: Model, bodies: Array, i: int) -> Array:
    """Return the frame of body i moved along its joint's axis, to where the joint is, (4, 4).

    A URDF's joint is at its child link's origin; the frame of the DH table is at a common normal.
    A joint that slides has no place of its own on the link: it is drawn at that origin.
    """
    link = model.body_names[i]
    moved: Array = bodies[i].copy()
    if link in model.frames:
        away = link_pose(model, bodies, link)[:3, 3] - moved[:3, 3]
        axis = moved[:3, 2]
        moved[:3, 3] += away if model.geometry.prismatic[i] else axis * (axis @ away)
    return moved


def placed(axes: Array, origin: Array) -> Array:
    """Return the pose of right-handed axes, (4, 4), the last one turned about if need be."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = axes, origin
    T[:3, 2] *= np.sign(np.linalg.det(axes))
    return T
