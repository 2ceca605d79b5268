"""Standing robots: feet pinned where they are, lifted and set down again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from robot_dynamics.description.mechanism.records import (
    CUT_JOINTS,
    WORLD,
    CutFrame,
    Loop,
    MechanismRecord,
)
from robot_dynamics.description.records import RATES
from robot_dynamics.errors import DescriptionError, InputError, ModelError
from robot_dynamics.inputs import choice, duplicates, name_list, vector
from robot_dynamics.mechanism.building import RANK, find_mobility, make_loops
from robot_dynamics.mechanism.contacts import coefficients
from robot_dynamics.mechanism.loading import mechanism_of
from robot_dynamics.mechanism.loops import Loops
from robot_dynamics.mechanism.mechanism import Mechanism
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.floating import places
from robot_dynamics.model.model import Model
from robot_dynamics.robot import Robot

CLEAR = 1e-5  # part of a unit rate by which a joint must move by itself to be independent


def standing(robot: Robot, feet: Any, q: Any, *, actuated: Sequence[str] | None = None,
             independent: Sequence[str] | None = None, friction: Any = None,
             normal: Any = (0.0, 0.0, 1.0)) -> Mechanism:
    """Return a robot that stands: its feet are held to the world where they are at q.

    feet: links, each held at its origin as by a ball (a point contact), or {link: cut joint},
        {link: (cut joint, point in the link (3,))}: 'spherical' a point, 'fixed' a whole sole, ...
    q: joint values at which the feet are on the ground, (nq,)
    actuated: joints with motors, else all but those of floating joints; independent: the freedoms,
        else the base's pose and further joints as needed
    friction: of the contacts, a number or {foot: number}; normal: of the ground, (3,), root axes
    There is no contact detection: feet neither come off nor touch down by themselves.
    `InputError`: links, shapes, nan; `ModelError`: feet that cannot be held there

    >>> robot, stands = rd.load(urdf / 'humanoid.urdf', base='floating'), 'left_sole'
    >>> rd.standing(robot, {stands: 'fixed'}, robot.neutral).contact_names
    ('left_sole',)
    """
    chosen = {key: None if given is None else tuple(name_list(key, given))
              for key, given in (('actuated', actuated), ('independent', independent))}
    values = vector('q', q, (robot.nq,))
    robot.model.coordinates.check(values, '')
    loops = tuple(_foot(robot, values, link, how, _ground(normal)) for link, how in _feet(feet))
    names = tuple(loop.name for loop in loops)
    if friction is not None:
        mu = coefficients(friction, names, {})
        loops = tuple(replace(loop, friction=float(x)) for loop, x in zip(loops, mu, strict=True))
    record = MechanismRecord(
        robot.name, robot.name, None, loops,
        actuated=motors(robot.model) if actuated is None else chosen['actuated'],
        independent=chosen['independent'],
        start=_start(robot.model, values))
    if independent is None:
        record = replace(record, independent=freedoms(record, robot.model, robot.joint_names))
    return mechanism_of(record, robot)


def reclosed(mechanism: Mechanism, names: Sequence[str], near: Any,
             independent: Sequence[str] | None) -> Mechanism:
    """Return a mechanism with some of the loops of its file; see `Mechanism.with_loops`."""
    record = mechanism._closed.record
    known = [loop.name for loop in record.loops]
    listed = [choice('names', name, known) for name in name_list('names', names)]
    if not listed and not record.couplings:
        raise InputError('names: no loop is left: `tree` is the robot without any')
    tree, model = mechanism.start, mechanism._closed.tree
    if near is not None:
        tree = vector('near', near, tree.shape)
    record = replace(
        record, loops=tuple(loop for loop in record.loops if loop.name in listed),
        actuated=mechanism.actuated_names, start=_start(model, tree), independent=None)
    chosen = tuple(name_list('independent', independent)) if independent is not None else (
        freedoms(record, model, mechanism.joint_names))
    made = mechanism_of(replace(record, independent=chosen), mechanism.tree)
    whole = replace(made._closed, record=mechanism._closed.record)  # other loops may come back
    return Mechanism(made.model, made.dh, made.warnings, whole, made.kernels)


def freedoms(record: MechanismRecord, model: Model, first: Sequence[str]) -> tuple[str, ...]:
    """Return joints that are independent, those named first where they can be.

    A floating joint is with all its rates or with none.
    """
    loops, start = make_loops(record, model, ())
    free, usual = motions(loops, start), find_mobility(loops, start).freedoms
    if free.shape[1] > usual:
        raise ModelError(f'{record.where}: the pose is singular: {free.shape[1]} motions are free '
                         f'in it, {usual} in poses near it; begin from one of those, as with a '
                         'foot turned or moved a little, or name `independent`')
    names = model.joint_names
    order = [names.index(name) for name in (*first, *(x for x in names if x not in first))]
    found = _picked(free, order)
    if places(model.coordinates, found) is None:
        rates = [names.index(name) for name in names if name not in motors(model)]
        found = _picked(free, [k for k in order if k not in rates])
    if len(found) != free.shape[1]:
        raise DescriptionError(f'{record.where}: what the base can still do is a part of its six '
                               "degrees of freedom: load with floating='chain', which has a "
                               'joint for each')
    return tuple(names[k] for k in found)


def motions(loops: Loops, q: Array) -> Array:
    """Return the motions that loops leave at q, orthonormal columns, (joints, freedoms)."""
    _, sizes, V = np.linalg.svd(loops.jacobian(q))
    return V[int((sizes > RANK * sizes.max(initial=0.0)).sum()):].T


def _picked(free: Array, order: Sequence[int]) -> list[int]:
    """Return the joints, in an order, whose rates do not follow from those before them."""
    found: list[int] = []
    for k in order:
        if np.linalg.matrix_rank(free[[*found, k]], tol=CLEAR) > len(found):
            found.append(k)
    return found


def motors(model: Model) -> tuple[str, ...]:
    """Return the joints but those of floating ones."""
    free = {f'{joint.name}/{x}' for joint in getattr(model.coordinates, 'free', ()) for x in RATES}
    return tuple(name for name in model.joint_names if name not in free)


def _start(model: Model, q: Array) -> dict[str, float]:
    names = model.coordinates.value_names(model.joint_names)
    return dict(zip(names, map(float, q), strict=True))


def _feet(feet: Any) -> list[tuple[str, Any]]:
    """Return (link, (cut joint, point)) of what users give."""
    if isinstance(feet, Mapping):
        given = list(feet.items())
    elif isinstance(feet, Sequence) and not isinstance(feet, str):
        given = [(link, 'spherical') for link in feet]
    else:
        raise InputError(f'feet={str(feet)[:80]}: expected links, or {{link: cut joint}}')
    if not given:
        raise InputError('feet: is empty; expected the links on which the robot stands')
    if twice := duplicates([str(link) for link, _ in given]):
        raise InputError(f'feet: named twice: {twice}')
    return [(link, how if isinstance(how, tuple) else (how, (0.0, 0.0, 0.0)))
            for link, how in given]


def _foot(robot: Robot, q: Array, link: str, how: tuple[Any, ...], ground: Array) -> Loop:
    """Return the loop that holds a link where it is; its frames have the ground's axes."""
    choice('feet', link, [name for name, frame in robot.model.frames.items() if frame.body >= 0])
    if len(how) != 2:
        raise InputError(f'feet[{link!r}]: expected a cut joint, or (cut joint, point)')
    kind = choice(f'feet[{link!r}]', how[0], CUT_JOINTS)
    pose = robot.pose(q, link)
    T, on_link = np.eye(4), np.eye(4)
    on_link[:3, 3] = vector(f'feet[{link!r}]', how[1], (3,))
    T[:3, :3], T[:3, 3] = ground, (pose @ on_link)[:3, 3]
    on_link[:3, :3] = pose[:3, :3].T @ ground
    return Loop(link, kind, (CutFrame(WORLD, T), CutFrame(link, on_link)))


def _ground(normal: Any) -> Array:
    """Return axes (3, 3) with z along the normal; those of the root where that is z."""
    z = vector('normal', normal, (3,))
    size = float(np.linalg.norm(z))
    if not size > 1e-9:
        raise InputError(f'normal={z.tolist()}: expected a direction')
    z = z / size
    x = np.cross([0.0, 1.0, 0.0] if abs(z[1]) < 0.9 else [0.0, 0.0, 1.0], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
