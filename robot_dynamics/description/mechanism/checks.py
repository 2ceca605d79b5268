"""Checks a mechanism's record against its tree: links, joints, names that come twice."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from robot_dynamics.description.checks import MAX_ANGLE, MAX_LENGTH, MAX_NUMBER
from robot_dynamics.description.mechanism.records import CUT_JOINTS, WORLD, Loop, MechanismRecord
from robot_dynamics.description.records import (
    CHAIN,
    FLOATING_BASE,
    RATES,
    VALUES,
    Description,
    Mimic,
)
from robot_dynamics.errors import DescriptionError
from robot_dynamics.inputs import duplicates
from robot_dynamics.words import counted

PLANAR = ('x', 'y', 'yaw')
NEAR = 1e-6  # by which a start may miss a mimic joint's own rule


def check_description(record: MechanismRecord, tree: Description) -> None:
    """Check the record against a tree that is a Description."""
    locked = record.options.get('locked') or {}
    moving = [joint for joint in tree.joints if joint.type != 'fixed' and joint.name not in locked]
    rates, values = parts_of(record)
    afloat = record.options.get('base') == 'floating'
    joints, starts = ([name for joint, kind in (
        *([(FLOATING_BASE, 'floating')] if afloat else []),
        *((joint.name, joint.type) for joint in moving)) for name in (
            [f'{joint}/{part}' for part in parts[kind]] if kind in parts else [joint])]
        for parts in (rates, values))
    mimics = {joint.name: joint.mimic for joint in moving if joint.mimic is not None}
    if WORLD in tree.links and (tree.root != WORLD or afloat) and any(
            frame.link == WORLD for loop in record.loops for frame in loop.frames):
        raise DescriptionError(
            f'{record.where}: a loop is closed to {WORLD!r}, the inertial frame, but {tree.where} '
            f'has a link of that name which ' + (
                'floats' if afloat and tree.root == WORLD else f'is not its root {tree.root!r}')
            + ': rename the link')
    check_record(record, list(tree.links), joints, mimics, starts)
    body = {tree.root: tree.root, WORLD: WORLD if afloat else tree.root}
    for joint in tree.joints:
        welded = joint.type == 'fixed' or joint.name in locked
        body[joint.child] = body[joint.parent] if welded else joint.child
    for loop in record.loops:
        first, second = (frame.link for frame in loop.frames)
        if body[first] == body[second]:
            raise DescriptionError(f'{record.where}: loop {loop.name!r}: {first!r} and {second!r} '
                                   'move as one body; expected links with a joint between')


def parts_of(record: MechanismRecord) -> tuple[dict[str, Sequence[str]], dict[str, Sequence[str]]]:
    """Return what joints of several degrees are made of: their rates, their values in q."""
    if record.options.get('floating') == 'chain':
        chains: dict[str, Sequence[str]] = {'planar': PLANAR, 'floating': CHAIN}
        return chains, chains
    return {'planar': PLANAR, 'floating': RATES}, {'planar': PLANAR, 'floating': VALUES}


def in_full(record: MechanismRecord, tree: Description) -> MechanismRecord:
    """Return the record with the six rates of floating joints in the place of their names."""
    afloat = {joint.name for joint in tree.joints if joint.type == 'floating'}
    if record.options.get('base') == 'floating':
        afloat.add(FLOATING_BASE)
    rates, _ = parts_of(record)

    def full(named: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return named and tuple(part for name in named for part in (
            [f'{name}/{x}' for x in rates['floating']] if name in afloat else [name]))
    return replace(record, actuated=full(record.actuated), independent=full(record.independent))


def check_record(
    record: MechanismRecord, links: Sequence[str], joints: Sequence[str],
    mimics: Mapping[str, Mimic], starts: Sequence[str] | None = None,
) -> None:
    """Check the record against the names of a tree.

    joints: those that move, mimic joints too; mimics: what the mimic joints follow; starts: names
    of the values in q, where floating joints have others than their rates
    """
    where = record.where
    for what, names in (('loops', [loop.name for loop in record.loops]),
                        ('couplings', [coupling.name for coupling in record.couplings])):
        if twice := duplicates(names):
            raise DescriptionError(f'{where}: {what}: these names come twice: {twice}')
    for loop in record.loops:
        _check_loop(loop, f'{where}: loop {loop.name!r}', links)
    for coupling in record.couplings:
        at = f'{where}: coupling {coupling.name!r}'
        if len(coupling.coefficients) < 2:
            raise DescriptionError(f'{at}: joins {counted(len(coupling.coefficients), "joint")}; '
                                   'expected two or more')
        idle = [joint for joint, factor in coupling.coefficients.items() if factor == 0.0]
        if idle:
            raise DescriptionError(f'{at}: joint {idle[0]!r} has the factor 0: it is not coupled')
        for joint in coupling.coefficients:
            _known(joint, joints, at, 'joint')
    for what in ('actuated', 'independent'):
        named = getattr(record, what)
        if named is not None:
            _check_names(named, joints, mimics, f'{where}: {what}')
    for joint in record.start:
        _known(joint, starts or joints, f'{where}: start', 'joint')
    for joint, mimic in mimics.items():
        led = mimic.multiplier * record.start.get(mimic.leader, 0.0) + mimic.offset
        if joint in record.start and abs(record.start[joint] - led) > NEAR:
            raise DescriptionError(
                f'{where}: start: joint {joint!r} is {record.start[joint]:g}, but it mimics '
                f'{mimic.leader!r}, which puts it at {led:g}; leave it out')


def _check_loop(loop: Loop, at: str, links: Sequence[str]) -> None:
    if loop.joint not in CUT_JOINTS:
        raise DescriptionError(f'{at}: joint={str(loop.joint)[:80]!r}: expected one of '
                               + ', '.join(CUT_JOINTS))
    first, second = loop.frames
    for frame in loop.frames:
        if frame.link != WORLD:
            _known(frame.link, links, at, 'link')
        if frame.T.shape != (4, 4) or not np.isfinite(frame.T).all():
            raise DescriptionError(f'{at}: the frame in {frame.link!r} has a nan or inf; expected '
                                   'a finite pose')
    if first.link == second.link:
        raise DescriptionError(f'{at}: is between {first.link!r} and itself; expected two links')


def _check_names(named: Sequence[str], joints: Sequence[str], mimics: Mapping[str, Mimic],
                 at: str) -> None:
    if twice := duplicates(named):
        raise DescriptionError(f'{at}: named twice: {twice}')
    for joint in named:
        _known(joint, joints, at, 'joint')
        if joint in mimics:
            raise DescriptionError(f'{at}: joint {joint!r} mimics {mimics[joint].leader!r}: name '
                                   'that one instead')


def _known(name: str, names: Sequence[str], at: str, what: str) -> None:
    if name in names:
        return
    chain = [other for other in names if other.startswith(f'{name}/')]
    if chain:
        raise DescriptionError(f'{at}: joint {name!r} is a chain here; expected '
                               + ', '.join(chain))
    shown = ', '.join(names[:20]) + (f' and {len(names) - 20} more' if len(names) > 20 else '')
    moves = ' that moves' if what == 'joint' else ''
    raise DescriptionError(f'{at}: there is no {what} {str(name)[:80]!r}{moves}; the tree has '
                           f'{shown}')


def number(value: Any, at: str, largest: float = MAX_NUMBER) -> float:
    """Return a finite number of a YAML file; 1e-3 is a string there."""
    try:
        if isinstance(value, bool) or (isinstance(value, str) and '_' in value):
            raise TypeError
        result = float(value)
    except (TypeError, ValueError):
        result = math.nan
    if not math.isfinite(result):
        raise DescriptionError(f'{at}={str(value)[:80]}: expected a finite number')
    if abs(result) > largest:
        raise DescriptionError(f'{at}={result:g}: absurdly large; expected SI units, at most '
                               f'{largest:g}')
    return result


def triple(value: Any, at: str, *, angles: bool = False) -> list[float]:
    """Return three finite numbers: a position [m], or angles [rad]."""
    if not isinstance(value, (list, tuple)) or len(value) != 3:
        raise DescriptionError(f'{at}={str(value)[:80]}: expected three numbers')
    return [number(part, at, MAX_ANGLE if angles else MAX_LENGTH) for part in value]
