"""URDF to Description: checked, pruned of what dynamics does not need, read by yourdfpy."""

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from lxml import etree

from robot_dynamics.description.checks import (
    JOINT_PARTS,
    LINK_PARTS,
    check_joint,
    check_link,
    place,
)
from robot_dynamics.description.extensions import closures, local_name, undefined_macros
from robot_dynamics.description.reading import read_urdf
from robot_dynamics.description.records import Description, Joint, Link, Mimic, Shape
from robot_dynamics.description.safe_xml import Element
from robot_dynamics.description.shapes import read_colors, read_shapes, read_visuals
from robot_dynamics.description.structure import order_joints
from robot_dynamics.errors import DescriptionError
from robot_dynamics.rigid_body import RigidBody

MANY_TURNS = 6 * math.pi  # [rad] limits of a joint beyond are rather degrees
NO_LIMIT = 1e3  # [rad] and beyond are numbers of those who mean that there is no limit


def read_elements(root: Element, where: str, warnings: list[str]) -> Description:
    """Read the elements of a parsed URDF; warnings: those that arose so far."""
    pruned = _prune(root, where, warnings)
    robot = read_urdf(pruned, where)
    colors = read_colors(root)
    shapes = {link.get('name'): (read_shapes(link), read_visuals(link, colors))
              for link in root.findall('link')}
    links = {link.name: _link(link, *shapes[link.name]) for link in robot.links} or _no_links(
        where, warnings)
    joints = [_joint(joint, where, warnings) for joint in robot.joints]
    root_link, ordered = order_joints(links, joints, where)
    return Description(robot.name, root_link, links, ordered, where, tuple(warnings))


def _prune(root: Element, where: str, warnings: list[str]) -> Element:
    """Check every link and joint and return a tree of nothing but them.

    Visuals, collisions, materials, transmissions and simulator extensions are left behind: they
    say nothing about dynamics, and their paths need not resolve. What closes loops does, and is
    left behind with a warning.
    """
    if root.tag != 'robot':
        raise DescriptionError(f'{where}: the root element is <{root.tag}>; expected <robot>')
    pruned = etree.Element('robot')
    name = root.get('name')
    if not name:
        name = Path(where).stem if where.endswith(('.urdf', '.xacro')) else 'robot'
        warnings.append(f'{where}: the robot has no name; it is called {name!r}')
    pruned.set('name', name)
    for tag, check, parts in (('link', check_link, LINK_PARTS),
                              ('joint', check_joint, JOINT_PARTS)):
        seen: dict[str, Any] = {}
        for element in root.findall(tag):
            check(element, where, warnings)
            first = seen.setdefault(element.get('name'), element)
            if first is not element:
                raise DescriptionError(
                    f'{place(where, element, tag)}: the name is already used in line '
                    f'{first.sourceline}')
            copy = etree.SubElement(pruned, tag, dict(element.attrib))
            copy.extend([part for part in element if part.tag in parts])
    warnings += [f'{place(where, element, kind)}: is left out; the links it joins move as if it '
                 'were not there' for element, kind in closures(root)]
    warnings += [f'{place(where, element, f"<xacro:{local_name(element)}>")}: is left out; no '
                 'macro of this name is defined' for element in undefined_macros(root)]
    return pruned


def _no_links(where: str, warnings: list[str]) -> dict[str, Link]:
    warnings.append(f'{where}: the robot has no links; it is a single link called base')
    return {'base': Link('base')}


def _link(link: SimpleNamespace, shapes: tuple[Shape, ...], visuals: tuple[Shape, ...]) -> Link:
    if link.inertial is None:
        return Link(link.name, None, shapes, visuals)
    origin = np.eye(4) if link.inertial.origin is None else link.inertial.origin
    given = RigidBody(float(link.inertial.mass), np.zeros(3), link.inertial.inertia)
    return Link(link.name, given.in_frame(origin), shapes, visuals)


def _joint(joint: SimpleNamespace, where: str, warnings: list[str]) -> Joint:
    at = f'{where}: joint {joint.name!r}'
    axis = np.asarray(joint.axis, float)
    norm = np.linalg.norm(axis)
    if joint.type not in ('fixed', 'floating'):
        if abs(norm - 1) > 1e-3:
            warnings.append(f'{at}: the axis has length {norm:.6g}; it is taken as a direction')
        axis = axis / norm
    lower, upper, velocity, effort = _limits(joint, at, warnings)
    damping, friction = _dynamics(joint, at, warnings)
    mimic = None
    if joint.mimic is not None:
        if joint.type in ('floating', 'planar'):
            raise DescriptionError(f'{at}: a {joint.type} joint cannot mimic another')
        mimic = Mimic(joint.mimic.joint, float(joint.mimic.multiplier), float(joint.mimic.offset))
    origin = np.eye(4) if joint.origin is None else np.asarray(joint.origin, float)
    return Joint(joint.name, joint.type, joint.parent, joint.child, origin, axis,
                 lower, upper, velocity, effort, damping, friction, mimic)


def _limits(joint: SimpleNamespace, at: str, warnings: list[str]
            ) -> tuple[float, float, float, float]:
    """Return lower, upper, velocity, effort; what is not limited is infinite."""
    limit = joint.limit
    if limit is None:
        if joint.type in ('revolute', 'prismatic'):
            warnings.append(f'{at}: has no <limit>, which URDF asks of {joint.type} joints; it is '
                            'taken as unlimited')
        return -math.inf, math.inf, math.inf, math.inf
    velocity = math.inf if limit.velocity is None else abs(float(limit.velocity))
    effort = math.inf if limit.effort is None else abs(float(limit.effort))
    if joint.type not in ('revolute', 'prismatic'):
        return -math.inf, math.inf, velocity, effort
    if limit.lower is None and limit.upper is None:
        warnings.append(f'{at}: <limit> gives neither lower nor upper; it is taken as unlimited')
        return -math.inf, math.inf, velocity, effort
    lower = 0.0 if limit.lower is None else float(limit.lower)  # URDF's own default
    upper = 0.0 if limit.upper is None else float(limit.upper)
    if lower > upper:
        warnings.append(f'{at}: limit lower={lower:g} is above upper={upper:g}; '
                        'it is taken as unlimited')
        return -math.inf, math.inf, velocity, effort
    if joint.type == 'revolute' and MANY_TURNS < max(abs(lower), abs(upper)) < NO_LIMIT:
        warnings.append(f'{at}: limits {lower:g} to {upper:g} are many turns (radians are '
                        'expected: degrees given for radians?)')
    return lower, upper, velocity, effort


def _dynamics(joint: SimpleNamespace, at: str, warnings: list[str]) -> tuple[float, float]:
    if joint.dynamics is None:
        return 0.0, 0.0
    damping = float(joint.dynamics.damping or 0.0)
    friction = float(joint.dynamics.friction or 0.0)
    if damping < 0 or friction < 0:
        warnings.append(f'{at}: negative damping or friction feeds energy into the joint')
    return damping, friction
