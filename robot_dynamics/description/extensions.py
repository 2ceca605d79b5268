"""What people write into URDFs beside links and joints: closed loops, and xacro not expanded."""

import re

from lxml import etree

from robot_dynamics.description.safe_xml import Element

# URDF+ says <loop> and <coupling>, others <constraint>, Drake <loop_joint> and
# <drake:ball_constraint>, and Gazebo has joints of its own.
CLOSURES = ('loop', 'coupling', 'constraint', 'loop_joint', 'ball_constraint')
_ACTING = ('include', 'if', 'unless', 'insert_block', 'call', 'element', 'attribute')
_DEFINING = ('property', 'macro', 'arg')
_EXPRESSION = re.compile(r'\$\{|\$\((arg|find|env|optenv|eval|dirname|cwd)\b')


def local_name(element: Element) -> str:
    """Return the element's name without its prefix, also of one that nobody declared."""
    return str(element.tag).rpartition('}')[2].rpartition(':')[2]


def closures(root: Element) -> list[tuple[Element, str]]:
    """Return what joins links that the tree of joints does not join: elements and their kind."""
    found = [(element, f'<{local_name(element)}>') for element in root.iterchildren(etree.Element)
             if local_name(element) in CLOSURES]
    for gazebo in root.findall('gazebo'):
        found += [(joint, '<gazebo><joint>') for joint in gazebo.iter('joint')
                  if joint.get('type')]
    return found


def is_xacro(root: Element) -> bool:
    """Return whether xacro has yet to be run on this: it would make another robot of it.

    That is so where xacro's elements bring in others, and where expressions stand in what dynamics
    reads. Properties that nobody uses, calls of macros that nobody defines and the paths of
    meshes are what some programs leave of it; the robot is there without them.
    """
    elements = [(name, element) for element in root.iter(etree.Element)
                if (name := _xacro_name(element))]
    defined = {element.get('name') for name, element in elements if name == 'macro'}
    if any(name in _ACTING or name in defined for name, _ in elements):
        return True
    read = [root, *root.iterchildren('link', 'joint'), *root.iterfind('link/inertial//*'),
            *root.iterfind('joint//*')]
    return any(_EXPRESSION.search(value) for element in read for value in element.attrib.values())


def undefined_macros(root: Element) -> list[Element]:
    """Return the calls of macros among the links and joints of what is no xacro any more."""
    return [element for element in root.iterchildren(etree.Element)
            if _xacro_name(element) and _xacro_name(element) not in _DEFINING]


def _xacro_name(element: Element) -> str:
    """Return the name of one of xacro's elements without its prefix, '' for others."""
    namespace, _, name = str(element.tag).rpartition('}')
    prefixed = name.startswith('xacro:') or 'xacro' in namespace
    return name.removeprefix('xacro:') if prefixed else ''
