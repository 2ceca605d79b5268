"""load_mechanism: from a mechanism file, in any format, to a Mechanism."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from robot_dynamics.description.mechanism.reading import read_mechanism
from robot_dynamics.description.mechanism.records import MechanismRecord
from robot_dynamics.description.notes import Notes
from robot_dynamics.errors import InputError, ModelError, SingularityError, warn
from robot_dynamics.mechanism.building import build_loops
from robot_dynamics.mechanism.closed import Closed
from robot_dynamics.mechanism.formulation import choose
from robot_dynamics.mechanism.loops import Loops
from robot_dynamics.mechanism.mechanism import Mechanism
from robot_dynamics.model.denoc import Array, frozen
from robot_dynamics.model.model import Limits, Model
from robot_dynamics.robot import Robot

OUTSIDE = 1e-6  # [rad or m] a start may be beyond a limit by that: files have rounded numbers


def make_mechanism(load_tree: Callable[..., Robot], source: Any, *, actuated: Sequence[str] | None,
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
    limits, doubts = passive_limits(robot.limits, loops, start)
    notes = [*record.warnings, *notes, *(f'{record.where}: {doubt}' for doubt in doubts)]
    for note in notes:
        warn(note)
    coordinates, why = choose(loops, start, formulation)
    model = replace(
        picked(robot.model, loops.independent), coordinates=coordinates,
        name=record.name or robot.name)
    actuated = record.actuated or record.independent or ()
    closed = Closed(loops, frozen(start), mobility, actuated, limits, why, record, robot.model)
    mechanism = Mechanism(model, robot.dh, Notes([*robot.warnings.full, *notes]), closed)
    check_inertia(record, mechanism)
    return mechanism


def passive_limits(limits: Limits, loops: Loops, start: Array) -> tuple[Limits, list[str]]:
    """Return the limits of all joints but those of passive joints that cannot be meant, and why.

    Nobody moves a passive joint to its limits by hand: files often have some that the start is
    outside of, or that leave no room.
    """
    lower, upper, notes = limits.lower.copy(), limits.upper.copy(), []
    values = loops.tree.joint_values(start)
    for k in loops.dependent:
        room = lower[k] < upper[k]
        turns = np.arange(-2, 3) if upper[k] - lower[k] < 2 * np.pi else np.zeros(1)
        turned = values[k] + 2 * np.pi * turns  # an angle is the same after full turns
        if not room or np.abs(np.clip(turned, lower[k], upper[k]) - turned).min() > OUTSIDE:
            notes.append(f'passive joint {loops.names[k]!r} is at {values[k]:g} at the start, '
                         f'outside its limits {lower[k]:g} to {upper[k]:g}: it has none now'
                         if room else f'passive joint {loops.names[k]!r} has the limits '
                         f'{lower[k]:g} to {upper[k]:g}, which leave no room: it has none now')
            lower[k], upper[k] = -np.inf, np.inf
    return replace(limits, lower=frozen(lower), upper=frozen(upper)), notes


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
