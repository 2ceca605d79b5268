"""Mimic joints: who leads whom, and which joints a locked leader freezes."""

from robot_dynamics.description.records import Description, Mimic
from robot_dynamics.errors import DescriptionError, InputError


def resolve_mimics(description: Description) -> dict[str, Mimic]:
    """Return for each mimicking joint its final leader, chains of mimics multiplied out.

    A mimic whose leader is fixed follows the value 0.
    """
    joints = {joint.name: joint for joint in description.joints}
    resolved = {}
    for joint in description.joints:
        if joint.mimic is None or joint.type == 'fixed':
            continue
        multiplier, offset, leader, path = 1.0, 0.0, joint, [joint.name]
        while leader.mimic is not None and leader.type != 'fixed':
            mimic = leader.mimic
            if mimic.leader not in joints:
                raise DescriptionError(
                    f'{description.where}: joint {leader.name!r} mimics {mimic.leader!r}, '
                    'which does not exist')
            offset += multiplier * mimic.offset
            multiplier *= mimic.multiplier
            leader = joints[mimic.leader]
            if leader.name in path:
                raise DescriptionError(
                    f'{description.where}: joints mimic each other in a circle: '
                    + ' -> '.join([*path, leader.name]))
            path.append(leader.name)
        if leader.type in ('floating', 'planar'):
            raise DescriptionError(
                f'{description.where}: joint {joint.name!r} mimics {leader.name!r}, '
                f'a {leader.type} joint, which has several values')
        resolved[joint.name] = Mimic(leader.name, multiplier, offset)
    return resolved


def lock_followers(
    description: Description, locked: dict[str, float], mimics: dict[str, Mimic]
) -> dict[str, float]:
    """Return all frozen joints with their values: the locked ones and those that follow them."""
    types = {joint.name: joint.type for joint in description.joints}
    for name in locked:
        if name not in types:
            raise InputError(f'locked: {description.where} has no joint {name!r}; it has '
                             + ', '.join(types))
        if types[name] in ('floating', 'planar'):
            raise InputError(f'locked: joint {name!r} is {types[name]}, with several values')
        if name in mimics:
            raise InputError(f'locked: joint {name!r} mimics {mimics[name].leader!r}: '
                             'lock that one')
    frozen = dict(locked)
    for name, mimic in mimics.items():
        if mimic.leader in locked or types[mimic.leader] == 'fixed':
            frozen[name] = mimic.multiplier * locked.get(mimic.leader, 0.0) + mimic.offset
    return frozen
