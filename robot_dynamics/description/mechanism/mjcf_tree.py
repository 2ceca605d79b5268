"""The tree of an MJCF file: bodies and joints, inertials, classes of defaults.

A ball is a chain of three hinges `<joint>/x`, `/y`, `/z`, a free joint a floating one.

What has no exact counterpart is an error or, where it does not move, a warning: this is a reader
of plain trees, not a compiler of MJCF.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from robot_dynamics.description.checks import (
    MAX_ANGLE,
    MAX_INERTIA,
    MAX_LENGTH,
    MAX_MASS,
    MAX_NUMBER,
    numbers,
)
from robot_dynamics.description.frames import (
    Array,
    placed,
    quaternion_rotation,
    turned,
    z_along,
)
from robot_dynamics.description.mechanism.mjcf_geoms import geom_body
from robot_dynamics.description.records import Joint, Link
from robot_dynamics.description.safe_xml import Element
from robot_dynamics.errors import DescriptionError
from robot_dynamics.rigid_body import RigidBody

WORLD = 'world'
READ = ('inertial', 'joint', 'freejoint', 'geom', 'body', 'site', 'camera', 'light')
TYPES = {'hinge': 'revolute', 'slide': 'prismatic'}


@dataclass
class Tree:
    """What was read so far."""

    where: str
    radians: float  # in one unit of angle of the file
    autolimits: bool
    eulerseq: str  # axes of Euler angles, small letters: of the frame that has turned
    defaults: dict[str, dict[str, dict[str, str]]]
    links: dict[str, Link] = field(default_factory=lambda: {WORLD: Link(WORLD)})
    joints: list[Joint] = field(default_factory=list)
    pose: dict[str, Array] = field(default_factory=lambda: {WORLD: np.eye(4)})  # at q = 0
    refs: dict[str, float] = field(default_factory=dict)  # joint values at which bodies are drawn
    sites: dict[str, tuple[str, Array]] = field(default_factory=dict)
    still: set[str] = field(default_factory=lambda: {WORLD})  # what never moves
    warnings: list[str] = field(default_factory=list)

    def attributes(self, element: Element, childclass: str) -> dict[str, str]:
        """Return an element's attributes, its class's where it has none of its own."""
        name = element.get('class', childclass)
        if name not in self.defaults:
            raise DescriptionError(f'{self.at(element)}: class={name!r} is not among the defaults')
        return {**self.defaults[name].get(element.tag, {}), **element.attrib}

    def at(self, element: Element) -> str:
        """Return 'file:line: body "name"' for messages."""
        name = element.get('name')
        return f'{self.where}:{element.sourceline}: {element.tag}' + (f' {name!r}' if name else '')


def read_defaults(root: Element, where: str) -> dict[str, dict[str, dict[str, str]]]:
    """Return the attributes of each class by element, those of outer classes included."""
    found: dict[str, dict[str, dict[str, str]]] = {'main': {}}

    def visit(element: Element, outer: dict[str, dict[str, str]], top: bool) -> None:
        name = element.get('class') or ('main' if top else '')
        if not name:
            raise DescriptionError(f'{where}:{element.sourceline}: default: has no class')
        own = {**outer}
        for part in element:
            if part.tag != 'default':
                own[part.tag] = {**own.get(part.tag, {}), **part.attrib}
        found[name] = own
        if top:
            found['main'] = own
        for part in element.findall('default'):
            visit(part, own, False)

    for element in root.findall('default'):
        visit(element, found['main'], True)
    return found


def read_bodies(root: Element, tree: Tree) -> None:
    """Read all bodies below <worldbody>, parents first."""
    stack = [(body, WORLD, 'main') for world in reversed(root.findall('worldbody'))
             for body in reversed(world.findall('body'))]
    for world in root.findall('worldbody'):
        _refuse_others(world, tree)
        _read_sites(world, WORLD, 'main', tree)
    while stack:
        element, parent, childclass = stack.pop()
        childclass = element.get('childclass', childclass)
        name = element.get('name') or f'body_{len(tree.links)}'
        if name in tree.links:
            raise DescriptionError(f'{tree.at(element)}: the name is already used')
        if element.get('mocap', 'false') != 'false':
            raise DescriptionError(f'{tree.at(element)}: mocap is not read; expected none')
        if element.get('gravcomp', '0') != '0':
            tree.warnings.append(f'{tree.at(element)}: gravcomp={element.get("gravcomp")!r} is '
                                 'left out: gravity pulls at the whole body')
        _refuse_others(element, tree)
        T = _placement(dict(element.attrib), tree, tree.at(element))
        tree.pose[name] = tree.pose[parent] @ T
        _join(element, parent, name, T, childclass, tree)
        if parent in tree.still and not _joints(element):
            tree.still.add(name)
        inertial = element.find('inertial')
        tree.links[name] = Link(name, _inertial(inertial, tree) if inertial is not None
                                else _from_geoms(element, childclass, name, tree))
        _read_sites(element, name, childclass, tree)
        stack += [(body, name, childclass) for body in reversed(element.findall('body'))]


def _refuse_others(element: Element, tree: Tree) -> None:
    for part in element:
        if part.tag not in READ:
            raise DescriptionError(f'{tree.at(part)}: <{part.tag}> is not read; expected a tree '
                                   'of bodies with joints')


def _joints(body: Element) -> list[Element]:
    return [part for part in body if part.tag in ('joint', 'freejoint')]


def _join(element: Element, parent: str, name: str, T: Array, childclass: str, tree: Tree) -> None:
    """Hang a body on its parent: one joint, several with massless links between, or none."""
    joints = _joints(element)
    if not joints:
        tree.joints.append(Joint(f'{name}_fixed', 'fixed', parent, name, T, np.eye(3)[0]))
        return
    at_body = np.zeros(3)  # where the link before stands in the body's frame
    for k, part in enumerate(joints):
        values = tree.attributes(part, childclass)
        at = tree.at(part)
        position = np.array(numbers(values.get('pos', '0 0 0'), 3, MAX_LENGTH, at, 'pos'))
        last = k == len(joints) - 1 and not position.any()
        label = part.get('name') or f'{name}_joint' + (f'_{k + 1}' if k else '')
        child = name if last else f'{name}/{label}'
        tree.links.setdefault(child, Link(child))
        origin = T @ placed(np.eye(3), position - at_body)
        kind = 'free' if part.tag == 'freejoint' else values.get('type', 'hinge')
        if kind == 'free' and (parent != WORLD or len(joints) > 1):
            raise DescriptionError(f'{at}: is free; expected that of a body in <worldbody>, alone')
        if kind in ('free', 'ball'):
            tree.joints += _turning_freely(kind, values, label, parent, child, origin, tree, at)
        else:
            tree.joints.append(_joint(values, label, parent, child, origin, tree, at))
        parent, T, at_body = child, np.eye(4), position
    if parent != name:
        back = placed(np.eye(3), -at_body)
        tree.joints.append(Joint(f'{name}_fixed', 'fixed', parent, name, back, np.eye(3)[0]))


def _turning_freely(kind: str, values: dict[str, str], name: str, parent: str, child: str,
                    origin: Array, tree: Tree, at: str) -> list[Joint]:
    """Return a floating joint, or the chain of a ball; what slows them down is left out."""
    lost = [key for key in ('damping', 'frictionloss', 'armature', 'stiffness', 'range')
            if any(float(x) for x in values.get(key, '0').split())]
    if lost:
        tree.warnings.append(f'{at}: {", ".join(lost)} of a {kind} joint: left out')
    if kind == 'free':
        return [Joint(name, 'floating', parent, child, origin, np.eye(3)[0])]
    between = [f'{child}/{name}/x', f'{child}/{name}/y']
    tree.links.update({link: Link(link) for link in between})
    ends = [parent, *between, child]
    return [Joint(f'{name}/{"xyz"[k]}', 'continuous', ends[k], ends[k + 1],
                  np.eye(4) if k else origin, np.eye(3)[k]) for k in range(3)]


def _joint(values: dict[str, str], name: str, parent: str, child: str, origin: Array, tree: Tree,
           at: str) -> Joint:
    kind = values.get('type', 'hinge')
    if kind not in TYPES:
        raise DescriptionError(f'{at}: type={kind!r}: expected hinge, slide, ball or free')
    unit = tree.radians if kind == 'hinge' else 1.0
    one = {key: numbers(values.get(key, '0'), 1, MAX_NUMBER, at, key)[0] for key in (
        'ref', 'damping', 'frictionloss', 'armature', 'stiffness')}
    if one['stiffness']:
        tree.warnings.append(f'{at}: its spring (stiffness={one["stiffness"]:g}) is left out')
    axis = np.array(numbers(values.get('axis', '0 0 1'), 3, MAX_LENGTH, at, 'axis'))
    if np.linalg.norm(axis) < 1e-9:
        raise DescriptionError(f'{at}: axis={values["axis"]!r}: expected a direction')
    axis = axis / np.linalg.norm(axis)
    if one['ref']:
        tree.refs[name] = unit * one['ref']
        origin = origin @ _moved(axis, -tree.refs[name], kind)
    lower, upper = -math.inf, math.inf
    limited = values.get('limited', 'auto')
    if limited == 'true' or (limited == 'auto' and tree.autolimits and 'range' in values):
        lower, upper = (unit * value for value in numbers(
            values.get('range', '0 0'), 2, MAX_NUMBER, at, 'range'))
    effort = math.inf
    if 'actuatorfrcrange' in values:
        effort = max(map(abs, numbers(values['actuatorfrcrange'], 2, MAX_NUMBER, at,
                                      'actuatorfrcrange')))
    return Joint(name, TYPES[kind], parent, child, origin, axis, lower, upper, effort=effort,
                 damping=one['damping'], friction=one['frictionloss'], armature=one['armature'])


def _moved(axis: Array, value: float, kind: str) -> Array:
    """Return what a joint does."""
    if kind == 'slide':
        return placed(np.eye(3), value * axis)
    return placed(_rotation('axisangle', np.array([*axis, value]), 1.0), np.zeros(3))


def _inertial(element: Element, tree: Tree) -> RigidBody:
    at = f'{tree.at(element.getparent())}: inertial'
    T = _placement(dict(element.attrib), tree, at)
    (mass,) = numbers(element.get('mass'), 1, MAX_MASS, at, 'mass')
    if element.get('fullinertia') is not None:
        xx, yy, zz, xy, xz, yz = numbers(element.get('fullinertia'), 6, MAX_INERTIA, at,
                                         'fullinertia')
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        inertia = np.diag(numbers(element.get('diaginertia', '0 0 0'), 3, MAX_INERTIA, at,
                                  'diaginertia'))
    return RigidBody(mass, np.zeros(3), inertia).in_frame(T)


def _from_geoms(body: Element, childclass: str, name: str, tree: Tree) -> RigidBody | None:
    """Return the inertial that MuJoCo would make of a body's geoms; what is still needs none."""
    total: RigidBody | None = None
    if name in tree.still:
        return None
    for geom in body.findall('geom'):
        values, at = tree.attributes(geom, childclass), tree.at(geom)
        kind = 'mesh' if 'mesh' in values else values.get('type', 'sphere')
        part = geom_body(kind, values, at, _placement(values, tree, at))
        if part is None and _joints(body):
            raise DescriptionError(f'{at}: the mass of a {kind} is not known here; give '
                                   f'{tree.at(body)} an <inertial>')
        if part is None:
            tree.warnings.append(f'{tree.at(body)}: has no <inertial>, and the mass of its {kind} '
                                 'is not known here; it is left out')
        else:
            total = part if total is None else total + part
    return total


def _read_sites(element: Element, link: str, childclass: str, tree: Tree) -> None:
    for site in element.findall('site'):
        if site.get('name'):
            values = tree.attributes(site, childclass)
            tree.sites[site.get('name')] = (link, _placement(values, tree, tree.at(site)))


def _placement(values: dict[str, Any], tree: Tree, at: str) -> Array:
    """Return the pose that pos and quat, euler, axisangle, xyaxes or zaxis say."""
    position = numbers(values.get('pos', '0 0 0'), 3, MAX_LENGTH, at, 'pos')
    given = [key for key in ('quat', 'axisangle', 'xyaxes', 'zaxis', 'euler') if key in values]
    if not given:
        return placed(np.eye(3), position)
    if len(given) > 1:
        raise DescriptionError(f'{at}: has {" and ".join(given)}; expected one of them')
    key = given[0]
    count = {'quat': 4, 'axisangle': 4, 'xyaxes': 6, 'zaxis': 3, 'euler': 3}[key]
    found = np.array(numbers(values[key], count, MAX_ANGLE, at, key))
    if key == 'euler':
        R = np.eye(3)
        for axis, angle in zip(tree.eulerseq, tree.radians * found, strict=True):
            turn = turned(angle * np.eye(3)['xyz'.index(axis.lower())])
            R = R @ turn if axis.islower() else turn @ R  # of the frame that has turned, or not
        return placed(R, position)
    if np.linalg.norm(found if key == 'quat' else found[:3]) < 1e-9:
        raise DescriptionError(f'{at}: {key}={values[key]!r}: expected a direction')
    return placed(_rotation(key, found, tree.radians), position)


def _rotation(key: str, found: Array, radians: float) -> Array:
    if key == 'quat':
        return quaternion_rotation(found)
    if key == 'axisangle':
        axis, half = found[:3] / np.linalg.norm(found[:3]), found[3] * radians / 2
        return quaternion_rotation([np.cos(half), *(np.sin(half) * axis)])
    if key == 'zaxis':  # by the shortest turn
        z = found / np.linalg.norm(found)
        cross = np.cross([0, 0, 1.0], z)
        return z_along(z) if not cross.any() else quaternion_rotation([1 + z[2], *cross])
    x = found[:3] / np.linalg.norm(found[:3])
    y = found[3:] - (found[3:] @ x) * x
    y = y / np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])
