"""What other libraries call the verbs of a robot: asking for one says which it is here."""

from collections.abc import Iterable
from inspect import getattr_static
from typing import Any, NoReturn

FOREIGN_NAMES = {  # of Pinocchio, RBDL, Drake, pybullet, the robotics toolbox
    'inverse_dynamics': ('rnea', 'rne', 'id', 'inverse_dynamic'),
    'forward_dynamics': ('aba', 'accel', 'fd', 'direct_dynamics'),
    'inertia_matrix': ('crba', 'mass_matrix', 'inertia', 'M'),
    'convective_matrix': ('coriolis', 'coriolis_matrix', 'C'),
    'bias': ('nle', 'nonlinear_effects', 'bias_forces'),
    'gravity_torque': ('gravload', 'gravity_vector', 'generalized_gravity'),
    'pose': ('fkine', 'fk', 'forward_kinematics', 'link_pose'),
    'jacobian': ('jacob0', 'jac', 'geometric_jacobian'),
    'limits': ('qlim', 'joint_limits'),
    'n': ('dof', 'ndof', 'num_joints', 'n_joints'),
    'rd.inverse_kinematics(robot, pose, guess)': (
        'ikine', 'ikine_LM', 'ik', 'inverse_kinematics'),
    'rd.simulate(robot, q0, qd0, torque, t)': ('simulate', 'fdyn'),
    'rd.view(robot)': ('view', 'show'),
}


class ForeignName:
    """An attribute that is none. Unlike `__getattr__` it costs those that are there nothing."""

    def __init__(self, name: str, ours: str):
        self.name, self.ours = name, ours

    def __repr__(self) -> str:
        return f'<not here: {self.ours}>'

    def __get__(self, thing: object, kind: type[Any]) -> NoReturn:
        """Raise the error of an attribute that is not there, with what is there instead."""
        raise AttributeError(
            f'{kind.__name__!r} object has no attribute {self.name!r}: it is {self.ours} here',
            name=self.name, obj=kind if thing is None else thing)


def own_names(kind: type[Any], names: Iterable[str]) -> list[str]:
    """Return the names without those of others, for `dir` and `help`."""
    return [name for name in names
            if not isinstance(getattr_static(kind, name, None), ForeignName)]


class AnsweringType(type):
    """The type of classes that answer the names of others, and do not list them."""

    def __init__(cls, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        for ours, names in FOREIGN_NAMES.items():
            for name in names:
                if getattr_static(cls, name, None) is None:  # who derives may have it
                    setattr(cls, name, ForeignName(name, ours))

    def __dir__(cls) -> list[str]:
        """List what the class has."""
        return own_names(cls, super().__dir__())
