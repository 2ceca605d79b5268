"""Robot dynamics from a URDF: DH tables, DeNOC models, inverse and forward dynamics."""

import importlib
from typing import TYPE_CHECKING, Any

from robot_dynamics.errors import (
    DescriptionError,
    InputError,
    ModelError,
    RobotDynamicsError,
    RobotDynamicsWarning,
    SingularityError,
)

if TYPE_CHECKING:
    from robot_dynamics.description.named_robots import robots
    from robot_dynamics.description.records import Mimic
    from robot_dynamics.engine import wait_for_kernels
    from robot_dynamics.loading import load, load_mechanism
    from robot_dynamics.mechanism.contacts import Contacts
    from robot_dynamics.mechanism.mechanism import Mechanism
    from robot_dynamics.mechanism.standing import standing
    from robot_dynamics.model.dh.table import Branch, DHRow, DHTable
    from robot_dynamics.robot import Robot
    from robot_dynamics.robot.stacking import stack
    from robot_dynamics.robot.stacks import Stack
    from robot_dynamics.selection.selection import Selection, select
    from robot_dynamics.simulation import (
        ComputedTorque,
        FeedForward,
        MomentumObserver,
        Motion,
        PDGravity,
        Trajectory,
        cycloidal,
        from_file,
        inverse_kinematics,
        quintic,
        sampled,
        simulate,
        straight_line,
        trapezoidal,
    )
    from robot_dynamics.sweeps.running import sweep
    from robot_dynamics.sweeps.sampling import LatinHypercube, Sobol
    from robot_dynamics.sweeps.space import Grid
    from robot_dynamics.sweeps.states import states
    from robot_dynamics.viewer.opening import view

__version__ = '0.2.0'

__all__ = [
    'Branch', 'ComputedTorque', 'Contacts', 'DHRow', 'DHTable', 'DescriptionError', 'FeedForward',
    'Grid', 'InputError', 'LatinHypercube', 'Mechanism', 'Mimic', 'ModelError',
    'MomentumObserver', 'Motion', 'PDGravity', 'Robot', 'RobotDynamicsError',
    'RobotDynamicsWarning', 'Selection', 'SingularityError', 'Sobol', 'Stack', 'Trajectory',
    'cycloidal', 'from_file', 'inverse_kinematics', 'load', 'load_mechanism', 'quintic', 'robots',
    'sampled', 'select', 'simulate', 'stack', 'standing', 'states', 'straight_line',
    'sweep', 'trapezoidal', 'view', 'wait_for_kernels',
]

PLACES = {
    'description.named_robots': ('robots',),
    'description.records': ('Mimic',),
    'engine': ('wait_for_kernels',),
    'loading': ('load', 'load_mechanism'),
    'mechanism.contacts': ('Contacts',),
    'mechanism.mechanism': ('Mechanism',),
    'mechanism.standing': ('standing',),
    'model.dh.table': ('Branch', 'DHRow', 'DHTable'),
    'robot': ('Robot',),
    'robot.stacking': ('stack',),
    'robot.stacks': ('Stack',),
    'selection.selection': ('Selection', 'select'),
    'simulation': (
        'ComputedTorque', 'FeedForward', 'MomentumObserver', 'Motion', 'PDGravity', 'Trajectory',
        'cycloidal', 'from_file', 'inverse_kinematics', 'quintic', 'sampled', 'simulate',
        'straight_line', 'trapezoidal'),
    'sweeps.running': ('sweep',),
    'sweeps.sampling': ('LatinHypercube', 'Sobol'),
    'sweeps.space': ('Grid',),
    'sweeps.states': ('states',),
    'viewer.opening': ('view',),
}


def __getattr__(name: str) -> Any:
    """Import what users name when they first ask for it: not all pay for all."""
    for module, names in PLACES.items():
        if name in names:
            found = getattr(importlib.import_module(f'robot_dynamics.{module}'), name)
            globals()[name] = found
            return found
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')


def __dir__() -> list[str]:
    """List what is for users, also what is imported later."""
    return sorted([*__all__, '__version__'])
