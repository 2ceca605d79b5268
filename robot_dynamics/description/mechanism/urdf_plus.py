"""URDF+: <loop>, <coupling> and independent="..." beside the links and joints.

A coupling's ratio is the turn of the successor for one turn of the predecessor, both counted from
the link where their branches part. What an older draft wrote as <constraint type="rolling"> is
the same.
"""

from robot_dynamics.description.checks import MAX_NUMBER, numbers, place
from robot_dynamics.description.extensions import CLOSURES
from robot_dynamics.description.mechanism.elements import (
    axis_turn,
    cut_joint,
    link_of,
    name_of,
    pose_within,
    transmitted,
)
from robot_dynamics.description.mechanism.records import Coupling, CutFrame, Loop, MechanismRecord
from robot_dynamics.description.records import Description
from robot_dynamics.description.safe_xml import Element
from robot_dynamics.description.urdf import read_elements
from robot_dynamics.errors import DescriptionError

ENDS = ('predecessor', 'successor')


def is_urdf_plus(root: Element) -> bool:
    """Return whether a URDF has loops of this kind."""
    return root.tag == 'robot' and any(map(_ours, root))


def _ours(element: Element) -> bool:
    return element.tag in ('loop', 'coupling') or (
        element.tag == 'constraint' and element.find('predecessor') is not None)


def read_urdf_plus(root: Element, where: str, warnings: list[str]) -> MechanismRecord:
    """Read a URDF+."""
    elements = [element for element in root if _ours(element)]
    actuated, dependent = transmitted(root), _dependent(root, where)
    for element in elements:
        root.remove(element)
    if others := [element for element in root if element.tag in CLOSURES]:
        raise DescriptionError(f'{place(where, others[0], f"<{others[0].tag}>")}: stands beside '
                               f'<{elements[0].tag}>; expected one way to close loops')
    tree = read_elements(root, where, warnings)
    loops, couplings = [], []
    for element in elements:
        if element.tag == 'loop' or cut_joint(element) not in ('', 'rolling'):
            loops.append(_loop(element, where))
        else:
            couplings.append(_coupling(element, tree, where))
    independent = [joint.name for joint in tree.joints if joint.type != 'fixed'
                   and joint.mimic is None and joint.name not in dependent]
    return MechanismRecord(tree.name, where, tree, tuple(loops), tuple(couplings),
                           actuated=actuated, independent=tuple(independent))


def _dependent(root: Element, where: str) -> set[str]:
    """Return the joints that are marked as following from others."""
    found = set()
    for joint in root.findall('joint'):
        mark = (joint.get('independent') or 'true').strip().lower()  # xacro writes True
        if mark not in ('true', 'false', '1', '0'):
            raise DescriptionError(f'{place(where, joint, "joint")}: independent='
                                   f'{joint.get("independent")!r}: expected true or false')
        if mark in ('false', '0'):
            found.add(joint.get('name'))
    return found


def _loop(element: Element, where: str) -> Loop:
    at = place(where, element, 'loop')
    joint = cut_joint(element)
    turn = axis_turn(element, joint, at)
    first, second = (CutFrame(link_of(element, end, at),
                              pose_within(element.find(end), f'{at}: {end}') @ turn)
                     for end in ENDS)
    return Loop(name_of(element, where), joint, (first, second))


def _coupling(element: Element, tree: Description, where: str) -> Coupling:
    at = place(where, element, 'coupling')
    ratio = element.find('ratio')
    if ratio is None:
        raise DescriptionError(f'{at}: has no <ratio value="...">')
    (value,) = numbers(ratio.get('value'), 1, MAX_NUMBER, at, 'ratio value')
    slow, fast = (_path(tree, link_of(element, end, at), at) for end in ENDS)
    shared = set(slow) & set(fast)
    coefficients = {name: value for name in slow if name not in shared}
    coefficients.update({name: -1.0 for name in fast if name not in shared})
    return Coupling(name_of(element, where), coefficients)


def _path(tree: Description, link: str, at: str) -> list[str]:
    """Return the joints that move between the root and a link."""
    above = {joint.child: joint for joint in tree.joints}
    if link not in tree.links:
        raise DescriptionError(f'{at}: there is no link {link!r}; the tree has '
                               + ', '.join(list(tree.links)[:20]))
    path = []
    while link in above:
        if above[link].type != 'fixed':
            path.append(above[link].name)
        link = above[link].parent
    return path
