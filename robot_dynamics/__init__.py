"""Robot dynamics from a URDF: DH tables, DeNOC models, inverse and forward dynamics."""

from robot_dynamics.engine import wait_for_kernels
from robot_dynamics.errors import (
    DescriptionError,
    InputError,
    ModelError,
    RobotDynamicsError,
    RobotDynamicsWarning,
    SingularityError,
)
from robot_dynamics.loading import load
from robot_dynamics.model.dh import Branch, DHRow, DHTable
from robot_dynamics.robot import Robot

__version__ = '0.1.0'

__all__ = [
    'Branch', 'DHRow', 'DHTable', 'DescriptionError', 'InputError', 'ModelError', 'Robot',
    'RobotDynamicsError', 'RobotDynamicsWarning', 'SingularityError', 'load', 'wait_for_kernels',
]
