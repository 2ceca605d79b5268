"""Gimbal lock of floating joints, which are chains x y z yaw pitch roll: where motion must end.

At a pitch of a quarter turn yaw and roll are one turn, the GIM is singular, and near it steps of
any method lose energy. A wall a little before it ends the simulation there.
"""


import numpy as np

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.model.denoc import Array

NEAR = 1e-2  # of gimbal lock, where a simulation ends [rad]


def pitch_joints(joint_names: tuple[str, ...]) -> Array:
    """Return which joints are the pitch of a floating joint, (n,)."""
    whole = set(joint_names)
    return np.array([name.endswith('/pitch') and all(
        name.removesuffix('pitch') + other in whole for other in ('yaw', 'roll'))
        for name in joint_names], bool)


def lock_walls(robot: Dynamics, q: Array) -> tuple[Array, Array, Array]:
    """Return the walls before gimbal lock around q, infinite where none are, and who has some.

    q: joint values, (n,); where they are beyond a wall there is none
    """
    pitch = pitch_joints(tuple(robot.joint_names))
    middle = np.round(q / np.pi) * np.pi
    reach = np.pi / 2 - NEAR
    pitch &= np.abs(q - middle) < reach
    return (np.where(pitch, middle - reach, -np.inf), np.where(pitch, middle + reach, np.inf),
            pitch)
