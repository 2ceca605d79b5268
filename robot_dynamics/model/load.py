"""From a Description to a DH table: cut, lock, merge, assign, check the inertials."""

import dataclasses

import numpy as np

from robot_dynamics.description.records import FLOATING_BASE, VALUES, Description, Joint, Link
from robot_dynamics.errors import DescriptionError, InputError
from robot_dynamics.inputs import duplicates, outside_limits
from robot_dynamics.model.bodies import make_bodies
from robot_dynamics.model.dh.assign import assign
from robot_dynamics.model.dh.table import DHTable
from robot_dynamics.model.mimics import lock_followers, resolve_mimics
from robot_dynamics.words import counted


def dh_table(
    description: Description, *, root: str | None = None, tip: str | None = None,
    locked: dict[str, float] | None = None, base: str = 'fixed', floating: str = 'quaternion',
) -> tuple[DHTable, list[str]]:
    """Return the DH table of a description and the warnings that arose on the way.

    root, tip: the chain to cut out; locked: {joint: value} of joints to freeze
    base: 'fixed', or 'floating', by a joint called base; floating: what becomes of such joints
    """
    mimics = resolve_mimics(description)
    frozen = lock_followers(description, locked or {}, mimics)
    cut, warnings = cut_out(description, root, tip)
    if base == 'floating':
        cut = set_afloat(cut)
    kept = {joint.name for joint in cut.joints}
    for name, mimic in mimics.items():
        if name in kept and name not in frozen and mimic.leader not in kept:
            raise InputError(
                f'root/tip: joint {name!r} mimics {mimic.leader!r}, which is cut off; lock '
                f"{name!r}'s leader (locked={{{mimic.leader!r}: value}}) or keep it")
    table = assign(cut.name, make_bodies(cut, frozen, floating), mimics)
    # a floating joint f has rates f/wx, ... and values f/x, ...
    values = [f'{name}/{x}' for name in {row.floating for row in table.rows if row.floating}
              for x in VALUES]
    if twice := duplicates([*(str(row.name) for row in table.rows), *values]):
        raise DescriptionError(f'{description.where}: two joints become {twice}; rename one')
    afloat = [joint for joint in cut.joints if joint.type == 'floating']
    if floating == 'chain':
        warnings += [
            f'{description.where}: joint {joint.name!r} is floating: it becomes {joint.name}/x, '
            'y, z, yaw, pitch and roll, which lose accuracy as the pitch nears a quarter turn '
            '(gimbal lock)' for joint in afloat]
    else:
        warnings += [f'{description.where}: joint {joint.name!r} is floating: its dry friction is '
                     'left out' for joint in afloat if joint.friction]
    return table, warnings


def locked_outside(description: Description, locked: dict[str, float]) -> list[str]:
    """Return a sentence on joints that are frozen outside their limits."""
    joints = [joint for joint in description.joints if joint.name in locked]
    said = outside_limits(
        f'{description.where}: locked', [locked[joint.name] for joint in joints],
        np.array([joint.lower for joint in joints]), np.array([joint.upper for joint in joints]),
        [joint.name for joint in joints]) if joints else ''
    return [said] if said else []


def set_afloat(description: Description) -> Description:
    """Return the robot with its root on a floating joint called base, on a root called world."""
    above = description.root
    for joint in description.joints:  # what is fixed on the root moves with it
        if joint.type == 'floating' and joint.parent == above:
            raise InputError(f'base: {description.where} floats already, by joint {joint.name!r}')
    world = 'world'
    while world in description.links:
        world += '_'
    joint = Joint(FLOATING_BASE, 'floating', world, above, np.eye(4), np.zeros(3))
    return dataclasses.replace(
        description, root=world, links={world: Link(world), **description.links},
        joints=(joint, *description.joints))


def cut_out(
    description: Description, root: str | None, tip: str | None
) -> tuple[Description, list[str]]:
    """Return the part of the tree below `root`, or the chain from `root` to `tip`."""
    if root is None and tip is None:
        return description, []
    for argument, name in (('root', root), ('tip', tip)):
        if name is not None and name not in description.links:
            raise InputError(f'{argument}: {description.where} has no link {name!r}; it has '
                             + ', '.join(description.links))
    root = root or description.root
    above = {joint.child: joint for joint in description.joints}
    if tip is not None:
        kept = {tip}
        link = tip
        while link != root:
            if link not in above:
                raise InputError(f'tip: link {tip!r} does not hang below root {root!r}')
            link = above[link].parent
            kept.add(link)
    else:
        kept = {root}
        for joint in description.joints:  # parents come before children
            if joint.parent in kept:
                kept.add(joint.child)
    cut = dataclasses.replace(
        description, root=root,
        links={name: link for name, link in description.links.items() if name in kept},
        joints=tuple(joint for joint in description.joints
                     if joint.child in kept and joint.parent in kept))
    return cut, _dropped(description, kept)


def _dropped(description: Description, kept: set[str]) -> list[str]:
    dropped = [link for name, link in description.links.items() if name not in kept]
    if not dropped:
        return []
    mass = sum(link.inertial.mass for link in dropped if link.inertial)
    names = ', '.join(link.name for link in dropped[:8]) + (', ...' if len(dropped) > 8 else '')
    return [f'{description.where}: {counted(len(dropped), "link")} with {mass:.6g} kg '
            f'{"is" if len(dropped) == 1 else "are"} cut off: {names}']
