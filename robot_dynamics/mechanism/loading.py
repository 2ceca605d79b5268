"""load_mechanism: from a mechanism file, in any format, to a Mechanism."""

import warnings as python_warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from robot_dynamics.description.mechanism.reading import read_mechanism
from robot_dynamics.description.mechanism.records import MechanismRecord
from robot_dynamics.description.notes import Notes
from robot_dynamics.errors import InputError, ModelError, RobotDynamicsWarning, SingularityError
from robot_dynamics.mechanism.building import build_loops
from robot_dynamics.mechanism.closed import Closed
from robot_dynamics.mechanism.formulation import choose
from robot_dynamics.mechanism.mechanism import Mechanism
from robot_dynamics.model.denoc import frozen
from robot_dynamics.model.model import Limits, Model
from robot_dynamics.robot import Robot


def make_mechanism(load_tree: Callable[..., Robot], source, *, actuated: Sequence[str] | None,
                   independent: Sequence[str] | None, start: Mapping[str, float] | None,
                   options: Mapping[str, Any], formulation: str = 'auto') -> Mechanism:
    """Make the mechanism of a file; load_tree: loads its tree as a robot.

    options: of rd.load, before those of the file; formulation: see `choose`
    """
    record = read_mechanism(
        source, actuated=actuated, independent=independent, start=start,
        xacro_args=options.get('xacro_args'), packages=options.get('packages'),
        options={key: value for key, value in options.items() if key != 'xacro_args'})
    given = dict(record.options)
    given.setdefault('missing_inertia', 'zero')  # loops may carry what no joint of the tree does
    refused = sorted(set(given) & {'root', 'tip'})
    if refused:
        raise InputError(f'{record.where}: {", ".join(refused)}: a mechanism keeps its whole tree')
    return mechanism_of(record, load_tree(record.tree, **given), formulation)


def mechanism_of(record: MechanismRecord, robot: Robot,
                 formulation: str = 'auto') -> Mechanism:
    """Close the loops of a record over its tree."""
    loops, start, mobility, notes = build_loops(record, robot.model)
    notes = [*record.warnings, *notes]
    for note in notes:
        python_warnings.warn(note, RobotDynamicsWarning, stacklevel=4)
    coordinates, why = choose(loops, start, formulation)
    model = replace(
        picked(robot.model, loops.independent), coordinates=coordinates,
        name=record.name or robot.name)
    actuated = record.actuated or record.independent or ()
    effort = robot.limits.effort[[robot.joint_names.index(name) for name in actuated]]
    closed = Closed(loops, frozen(start), mobility, actuated, frozen(effort), why, record,
                    robot.model)
    mechanism = Mechanism(model, robot.dh, Notes([*robot.warnings.full, *notes]), closed)
    check_inertia(record, mechanism)
    return mechanism


def check_inertia(record: MechanismRecord, mechanism: Mechanism) -> None:
    """Say which joints would move without inertia, at the start."""
    try:
        mechanism.whole.udu(mechanism.start)
    except SingularityError as error:
        raise ModelError(f'{record.where}: {error}') from None


def picked(model: Model, joints: Sequence[int]) -> Model:
    """Return the model with some of its joints as the user's."""
    pick = list(joints)
    return replace(
        model, joint_names=tuple(model.joint_names[k] for k in pick),
        limits=Limits(*(frozen(getattr(model.limits, key)[pick])
                        for key in ('lower', 'upper', 'velocity', 'effort'))))
