"""What the XML formats of mechanisms have in common: links, origins, axes, transmissions."""

import numpy as np

from robot_dynamics.description.checks import (
    MAX_ANGLE,
    MAX_LENGTH,
    check_origin,
    numbers,
    place,
)
from robot_dynamics.description.frames import Array, placed, turned, z_along
from robot_dynamics.description.safe_xml import Element
from robot_dynamics.errors import DescriptionError

# What others call the cut joints.
SYNONYMS = {'ball': 'spherical', 'continuous': 'revolute', 'hinge': 'revolute', 'weld': 'fixed',
            'rigid': 'fixed', 'slide': 'prismatic'}
WITHOUT_AXIS = ('fixed', 'spherical')


def cut_joint(element: Element) -> str:
    """Return the cut joint that the attribute `type` names; unknown ones as they are."""
    kind = (element.get('type') or '').strip().removesuffix('_joint')
    return SYNONYMS.get(kind, kind)


def name_of(element: Element, where: str) -> str:
    """Return the element's name, or raise."""
    if not (name := (element.get('name') or '').strip()):
        raise DescriptionError(f'{place(where, element, f"<{element.tag}>")}: has no name')
    return name


def link_of(element: Element, tag: str, at: str) -> str:
    """Return what <tag link="..."> names."""
    end = element.find(tag)
    if end is None or not end.get('link'):
        raise DescriptionError(f'{at}: has no <{tag} link="...">')
    link: str = end.get('link')
    return link


def origin_pose(origin: Element | None, at: str) -> Array:
    """Return the pose of an element with xyz and rpy, which may be None."""
    if origin is None:
        return np.eye(4)
    return placed(turned(numbers(origin.get('rpy', '0 0 0'), 3, MAX_ANGLE, at, 'rpy')),
                  numbers(origin.get('xyz', '0 0 0'), 3, MAX_LENGTH, at, 'xyz'))


def pose_within(element: Element, at: str) -> Array:
    """Return the pose of the <origin> inside an element."""
    check_origin(element, at)
    return origin_pose(element.find('origin'), at)


def axis_turn(element: Element, joint: str, at: str) -> Array:
    """Return the (4, 4) turn that takes z to the <axis> of a cut joint."""
    axis = element.find('axis')
    if joint in WITHOUT_AXIS:
        return np.eye(4)
    if joint == 'universal':
        if axis is not None:
            raise DescriptionError(
                f'{at}: one <axis> does not say both axes of a universal joint; expected none: '
                'they are x of the first origin and y of the second')
        return np.eye(4)
    if axis is None:
        raise DescriptionError(f'{at}: type={element.get("type")!r} needs <axis xyz="...">')
    xyz = numbers(axis.get('xyz'), 3, MAX_LENGTH, at, 'axis xyz')
    if np.linalg.norm(xyz) < 1e-9:
        raise DescriptionError(f'{at}: axis xyz={axis.get("xyz")!r}: expected a direction')
    return placed(z_along(xyz), np.zeros(3))


def transmitted(root: Element) -> tuple[str, ...] | None:
    """Return the joints with a <transmission>, or with ros2_control's command interfaces."""
    found = [joint.get('name') for transmission in root.findall('transmission')
             for joint in transmission.findall('joint')]
    found += [joint.get('name') for joint in root.iterfind('ros2_control/joint')
              if joint.find('command_interface') is not None]
    return tuple(dict.fromkeys(name for name in found if name)) or None
