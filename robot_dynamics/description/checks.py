"""Checks the elements of a URDF one by one, before anything is computed from them.

Each error names the file, the line, the link or joint, what was found and what was expected.
What others read over is read over here too, with a warning: the first of two elements counts.
"""

import math

from lxml import etree

from robot_dynamics.description.safe_xml import Element
from robot_dynamics.description.spelling import misspelt
from robot_dynamics.errors import DescriptionError

JOINT_TYPES = ('revolute', 'continuous', 'prismatic', 'fixed', 'floating', 'planar')

# Beyond these a file was written in other units, or is damaged.
MAX_LENGTH = 1e5  # [m]
MAX_MASS = 1e8  # [kg]
MAX_INERTIA = 1e14  # [kg m^2]
MAX_ANGLE = 1e4  # [rad]
MAX_NUMBER = 1e12  # damping, friction, mimic multiplier and offset
MAX_NAME = 300  # characters
MAX_LIMIT = math.inf  # limits are often written as 'very large'

LINK_PARTS = ('inertial',)  # of these elements dynamics reads one each
INERTIAL_PARTS = ('origin', 'mass', 'inertia')
JOINT_PARTS = ('origin', 'parent', 'child', 'axis', 'limit', 'dynamics', 'mimic')

INERTIA_KEYS = ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
PRODUCTS = ('ixy', 'ixz', 'iyz')


def place(where: str, element: Element, kind: str) -> str:
    """Return 'file:line: joint "name"' for messages."""
    name = element.get('name')
    return f'{where}:{element.sourceline}: {kind}' + (f' {name[:MAX_NAME]!r}' if name else '')


def numbers(text: str | None, count: int, largest: float, at: str, what: str) -> list[float]:
    """Parse `count` finite numbers no larger than `largest`."""
    words = (text or '').split()
    if len(words) != count:
        expected = 'one number' if count == 1 else f'{count} numbers'
        raise DescriptionError(f'{at}: {what}={_short(text)}: expected {expected}')
    values = []
    for word in words:
        try:
            value = float(word) if '_' not in word else math.nan
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise DescriptionError(f'{at}: {what}={_short(text)}: expected finite numbers')
        if abs(value) > largest:
            raise DescriptionError(
                f'{at}: {what}={_short(text)}: absurdly large; expected SI units, at most '
                f'{largest:g}')
        values.append(value)
    return values


def check_origin(element: Element, at: str) -> None:
    """Check <origin xyz rpy>; both may be left out."""
    origin = element.find('origin')
    if origin is None:
        return
    numbers(origin.get('xyz', '0 0 0'), 3, MAX_LENGTH, at, 'origin xyz')
    numbers(origin.get('rpy', '0 0 0'), 3, MAX_ANGLE, at, 'origin rpy')


def check_link(link: Element, where: str, warnings: list[str]) -> None:
    """Check a <link>: its name and, where present, its <inertial>."""
    at = place(where, link, 'link')
    require_name(link, at)
    warnings += misspelt(link, where)
    keep_first(link, LINK_PARTS, at, warnings)
    inertial = link.find('inertial')
    if inertial is None:
        return
    keep_first(inertial, INERTIAL_PARTS, at, warnings)
    check_origin(inertial, at)
    mass, inertia = inertial.find('mass'), inertial.find('inertia')
    if mass is None:
        warnings.append(f'{at}: <inertial> has no <mass>; the link counts as massless')
        link.remove(inertial)
        return
    numbers(mass.get('value'), 1, MAX_MASS, at, 'mass value')
    if inertia is None:
        warnings.append(f'{at}: <inertial> has no <inertia>; its mass is taken as a point')
        inertia = etree.SubElement(inertial, 'inertia', dict.fromkeys(INERTIA_KEYS, '0'))
    missing = [key for key in PRODUCTS if inertia.get(key) is None]
    for key in missing:
        inertia.set(key, '0')
    if missing:
        warnings.append(f'{at}: <inertia> has no {", ".join(missing)}: taken as 0')
    for key in INERTIA_KEYS:
        numbers(inertia.get(key), 1, MAX_INERTIA, at, f'inertia {key}')


def check_joint(joint: Element, where: str, warnings: list[str]) -> None:
    """Check a <joint>: type, parent and child, and every number in it."""
    at = place(where, joint, 'joint')
    require_name(joint, at)
    warnings += misspelt(joint, where)
    keep_first(joint, JOINT_PARTS, at, warnings)
    kind = joint.get('type')
    if kind not in JOINT_TYPES:
        raise DescriptionError(f'{at}: type={kind!r}: expected one of {", ".join(JOINT_TYPES)}')
    for end in ('parent', 'child'):
        element = joint.find(end)
        if element is None or not element.get('link'):
            raise DescriptionError(f'{at}: has no <{end} link="...">')
    check_origin(joint, at)
    axis = joint.find('axis')
    if axis is not None and kind not in ('fixed', 'floating'):
        xyz = numbers(axis.get('xyz', '1 0 0'), 3, MAX_LENGTH, at, 'axis xyz')
        if math.hypot(*xyz) < 1e-9:
            raise DescriptionError(f'{at}: axis xyz={axis.get("xyz")!r}: expected a direction')
    _check_numbers_of(joint, 'limit', ('lower', 'upper', 'velocity', 'effort'), MAX_LIMIT, at)
    _check_numbers_of(joint, 'dynamics', ('damping', 'friction'), MAX_NUMBER, at)
    _check_numbers_of(joint, 'mimic', ('multiplier', 'offset'), MAX_NUMBER, at)
    mimic = joint.find('mimic')
    if mimic is not None and not mimic.get('joint'):
        raise DescriptionError(f'{at}: <mimic> names no joint')


def require_name(element: Element, at: str) -> None:
    """Refuse links and joints without a name, or with an endless one."""
    name = (element.get('name') or '').strip()
    if not name:
        raise DescriptionError(f'{at}: has no name')
    if len(name) > MAX_NAME:
        raise DescriptionError(f'{at}: its name is longer than {MAX_NAME} characters')


def keep_first(element: Element, tags: tuple[str, ...], at: str, warnings: list[str]) -> None:
    """Remove all but the first child of each tag."""
    for tag in tags:
        found = element.findall(tag)
        if len(found) > 1:
            warnings.append(f'{at}: has {len(found)} <{tag}> elements; the first counts')
        for other in found[1:]:
            element.remove(other)


def _check_numbers_of(joint: Element, tag: str, keys: tuple[str, ...], largest: float, at: str
                      ) -> None:
    element = joint.find(tag)
    if element is None:
        return
    for key in keys:
        if element.get(key) is not None:
            numbers(element.get(key), 1, largest, at, f'{tag} {key}')


def _short(text: str | None) -> str:
    return repr(text) if text is None or len(text) <= 60 else repr(text[:57] + '...')
