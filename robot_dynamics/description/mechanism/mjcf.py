"""MJCF with <equality>: connect is a ball, weld a fixed cut, joint of first order a coupling.

MuJoCo's equality constraints are soft; here they hold exactly. Actuators say which joints are
driven, not how: their gains and control ranges are a controller's business.
"""

import math
from typing import Any

import numpy as np

from robot_dynamics.description.checks import MAX_LENGTH, MAX_NUMBER, numbers
from robot_dynamics.description.frames import Array, placed, quaternion_rotation
from robot_dynamics.description.mechanism.mjcf_tree import (
    WORLD,
    Tree,
    read_bodies,
    read_defaults,
)
from robot_dynamics.description.mechanism.records import Coupling, CutFrame, Loop, MechanismRecord
from robot_dynamics.description.records import Description
from robot_dynamics.description.safe_xml import Element
from robot_dynamics.description.structure import order_joints
from robot_dynamics.errors import DescriptionError

# Of the compiler these change nothing here; others would make another robot of the same file.
COMPILER = ('angle', 'autolimits', 'meshdir', 'texturedir', 'assetdir', 'strippath',
            'discardvisual', 'usethread', 'eulerseq', 'inertiafromgeom', 'coordinate',
            'convexhull', 'fitaabb', 'exactmeshinertia', 'fusestatic', 'alignfree', 'saveinertial')
PLAIN = {'coordinate': 'local', 'inertiafromgeom': 'auto'}
REFUSED = ('include', 'deformable', 'extension')


def is_mjcf(root: Element) -> bool:
    """Return whether XML is MJCF."""
    return str(root.tag) == 'mujoco'


def read_mjcf(root: Element, where: str, warnings: list[str]) -> MechanismRecord:
    """Read an MJCF file whose tree is plain."""
    for tag in REFUSED:
        if (found := next(root.iter(tag), None)) is not None:
            raise DescriptionError(f'{where}:{found.sourceline}: <{tag}> is not read; expected '
                                   'one whole file')
    compiler = _compiler(root, where)
    radians = 1.0 if compiler.get('angle', 'degree') == 'radian' else math.pi / 180
    sequence = compiler.get('eulerseq', 'xyz')
    if len(sequence) != 3 or sequence.strip('xyzXYZ'):
        raise DescriptionError(f'{where}: compiler eulerseq={sequence[:80]!r}: expected three of '
                               'x, y, z, X, Y, Z')
    tree = Tree(where, radians, compiler.get('autolimits', 'true') == 'true', sequence,
                read_defaults(root, where), warnings=warnings)
    read_bodies(root, tree)
    read = _Equality(tree)
    for element in (part for equality in root.findall('equality') for part in equality):
        read.add(element)
    if not read.loops and not read.couplings:
        raise DescriptionError(f'{where}: is no mechanism: <equality> closes no loop; expected '
                               'connect, weld or joint')
    root_link, joints = order_joints(tree.links, tree.joints, where)
    name = root.get('model') or 'mujoco'
    description = Description(name, root_link, tree.links, joints, where, tuple(warnings))
    options: dict[str, Any] = {'locked': read.locked} if read.locked else {}
    for option in root.findall('option'):
        if option.get('gravity') is not None:
            options['gravity'] = tuple(numbers(option.get('gravity'), 3, MAX_NUMBER, where,
                                               'gravity'))
    actuated, notes = _actuated(root, where)
    started = {name: value for name, value in tree.refs.items() if name not in read.locked}
    return MechanismRecord(name, where, description, tuple(read.loops), tuple(read.couplings),
                           options, actuated, start=started, warnings=tuple(notes))


def _compiler(root: Element, where: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for element in root.findall('compiler'):
        found.update(element.attrib)
    for key, value in found.items():
        if key not in COMPILER or value != PLAIN.get(key, value):
            raise DescriptionError(f'{where}: compiler {key}={value!r} is not read; it would '
                                   'change the bodies')
    return found


class _Equality:
    """Reads the elements of <equality> one by one."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.loops: list[Loop] = []
        self.couplings: list[Coupling] = []
        self.locked: dict[str, float] = {}

    def add(self, element: Element) -> None:
        values, at = self.tree.attributes(element, 'main'), self.tree.at(element)
        if values.get('active', 'true') != 'true':
            self.tree.warnings.append(f'{at}: is not active; it is left out')
            return
        readers = {'connect': self._connect, 'weld': self._weld, 'joint': self._joint}
        if element.tag not in readers:
            raise DescriptionError(f'{at}: is not read; expected one of ' + ', '.join(readers))
        number = len(self.loops) + len(self.couplings) + 1
        readers[element.tag](values, values.get('name') or f'{element.tag}_{number}', at)

    def _connect(self, values: dict[str, str], name: str, at: str) -> None:
        if 'site1' in values:
            self.loops.append(Loop(name, 'spherical', self._at_sites(values, at)))
            return
        first, second = self._bodies(values, at)
        anchor = placed(np.eye(3), numbers(values.get('anchor'), 3, MAX_LENGTH, at, 'anchor'))
        self.loops.append(Loop(name, 'spherical', (
            CutFrame(first, anchor), CutFrame(second, self._between(second, first) @ anchor))))

    def _weld(self, values: dict[str, str], name: str, at: str) -> None:
        if 'site1' in values:
            self.loops.append(Loop(name, 'fixed', self._at_sites(values, at)))
            return
        first, second = self._bodies(values, at)
        pose = numbers(values.get('relpose', '0 1 0 0 0 0 0'), 7, MAX_NUMBER, at, 'relpose')
        relative = (placed(quaternion_rotation(pose[3:]), pose[:3]) if any(pose[3:])
                    else self._between(first, second))
        self.loops.append(Loop(name, 'fixed', (
            CutFrame(first, relative), CutFrame(second, np.eye(4)))))

    def _joint(self, values: dict[str, str], name: str, at: str) -> None:
        names = [joint.name for joint in self.tree.joints if joint.type != 'fixed']
        for key in ('joint1', 'joint2'):
            if values.get(key) not in (*names, *([None] if key == 'joint2' else [])):
                raise DescriptionError(f'{at}: {key}={values.get(key)!r}: there is no such joint')
        words = values.get('polycoef', '0 1 0 0 0').split()
        terms = [*numbers(' '.join(words), len(words), MAX_NUMBER, at, 'polycoef'), 0, 0, 0, 0, 0]
        first, second = (self.tree.refs.get(values.get(key, ''), 0.0)
                         for key in ('joint1', 'joint2'))
        if values.get('joint2') is None:
            self.locked[values['joint1']] = terms[0] + first
            return
        if any(terms[2:]):
            raise DescriptionError(f'{at}: polycoef={values["polycoef"]!r}: expected a polynomial '
                                   'of first order')
        coefficients = {values['joint1']: 1.0, values['joint2']: -terms[1]}
        self.couplings.append(Coupling(
            name, coefficients, float(terms[0] + first - terms[1] * second)))

    def _bodies(self, values: dict[str, str], at: str) -> tuple[str, str]:
        first, second = values.get('body1', ''), values.get('body2', WORLD)
        for key, body in (('body1', first), ('body2', second)):
            if body not in self.tree.pose:
                raise DescriptionError(f'{at}: {key}={body!r}: there is no such body')
        return first, second

    def _at_sites(self, values: dict[str, str], at: str) -> tuple[CutFrame, CutFrame]:
        for key in ('site1', 'site2'):
            if values.get(key) not in self.tree.sites:
                raise DescriptionError(f'{at}: {key}={values.get(key)!r}: there is no such site')
        first, second = (CutFrame(*self.tree.sites[values[key]]) for key in ('site1', 'site2'))
        return first, second

    def _between(self, first: str, second: str) -> Array:
        """Return the second body's pose in the first, with all joints at 0."""
        return np.linalg.inv(self.tree.pose[first]) @ self.tree.pose[second]


def _actuated(root: Element, where: str) -> tuple[tuple[str, ...] | None, list[str]]:
    """Return the joints with an actuator; None where one pulls something else."""
    joints, notes = [], []
    for actuator in (part for group in root.findall('actuator') for part in group):
        if actuator.get('joint') is not None:
            joints.append(actuator.get('joint'))
        else:
            notes.append(f'{where}:{actuator.sourceline}: actuator {actuator.get("name")!r} acts '
                         'on no single joint; name the actuated joints as an argument')
    return (None if notes or not joints else tuple(dict.fromkeys(joints))), notes
