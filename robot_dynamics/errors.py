"""The exceptions of the package: one family, so that one except clause catches them all.

And how the package warns: `warn`.
"""

import sys
import warnings

THROUGH = ('robot_dynamics', 'functools', 'contextlib', 'scipy')  # not the user's own code


class RobotDynamicsError(Exception):
    """Base of everything this package raises on purpose."""


class DescriptionError(RobotDynamicsError):
    """A robot description (URDF, xacro, DH file) cannot be read or makes no sense."""


class ModelError(RobotDynamicsError):
    """A description is readable, but no dynamic model can be made of it."""


class InputError(RobotDynamicsError):
    """An argument of a call is wrong: its name, what was found, what was expected."""


class SingularityError(RobotDynamicsError):
    """The generalized inertia matrix (or a chain of rotations) is singular at this state."""


class RobotDynamicsWarning(UserWarning):
    """Something in a description was accepted, but deserves a look."""


def warn(message: str) -> None:
    """Warn, and name the line of the user's code that called the package, not one of ours."""
    frame = sys._getframe(1)
    while (frame.f_back is not None
           and frame.f_globals.get('__name__', '').partition('.')[0] in THROUGH):
        frame = frame.f_back
    warnings.warn_explicit(
        message, RobotDynamicsWarning, frame.f_code.co_filename, frame.f_lineno,
        frame.f_globals.get('__name__', '<string>'),
        frame.f_globals.setdefault('__warningregistry__', {}))
