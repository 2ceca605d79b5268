"""<constraint> elements in a URDF, and <transmission> for what is driven.

A <constraint name type="spherical_joint"> has <parent link>, <parent_origin xyz rpy>,
<child link>, <child_origin xyz rpy>, and for cut joints with an axis <axis xyz> in both origins'
axes.
"""

from robot_dynamics.description.checks import place
from robot_dynamics.description.mechanism.elements import (
    axis_turn,
    cut_joint,
    link_of,
    name_of,
    origin_pose,
    transmitted,
)
from robot_dynamics.description.mechanism.records import CutFrame, Loop, MechanismRecord
from robot_dynamics.description.safe_xml import Element
from robot_dynamics.description.urdf import read_elements


def has_constraints(root: Element) -> bool:
    """Return whether a URDF has loops of this kind."""
    return root.tag == 'robot' and root.find('constraint') is not None


def read_constraints(root: Element, where: str, warnings: list[str]) -> MechanismRecord:
    """Read a URDF with <constraint> elements."""
    elements = root.findall('constraint')
    for element in elements:
        root.remove(element)
    tree = read_elements(root, where, warnings)
    return MechanismRecord(tree.name, where, tree, tuple(_loop(e, where) for e in elements),
                           actuated=transmitted(root))


def _loop(element: Element, where: str) -> Loop:
    at = place(where, element, 'constraint')
    joint = cut_joint(element)
    turn = axis_turn(element, joint, at)
    first, second = (CutFrame(
        link_of(element, end, at),
        origin_pose(element.find(f'{end}_origin'), f'{at}: {end}_origin') @ turn)
        for end in ('parent', 'child'))
    return Loop(name_of(element, where), joint, (first, second))
