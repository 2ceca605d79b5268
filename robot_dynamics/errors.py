"""The exceptions of the package: one family, so that one except clause catches them all."""


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
