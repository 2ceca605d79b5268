"""What people write into URDFs beside links and joints: closed loops, and xacro not expanded."""

import re

from lxml import etree

# URDF+ says <loop> and <coupling>, others <constraint>, Drake <loop_joint> and
# <drake:ball_constraint>, and Gazebo has joints of its own.
CLOSURES = ('loop', 'coupling', 'constraint', 'loop_joint', 'ball_constraint')
_EXPRESSION = re.compile(r'\$\{|\$\((arg|find|env|optenv|eval|dirname|cwd)\b')


def local_name(element) -> str:
    """Return the element's name without its prefix, also of one that nobody declared."""
    return str(element.tag).rpartition('}')[2].rpartition(':')[2]


def closures(root) -> list:
    """Return what joins links that the tree of joints does not join: elements and their kind."""
    found = [(element, f'<{local_name(element)}>') for element in root.iterchildren(etree.Element)
             if local_name(element) in CLOSURES]
    for gazebo in root.findall('gazebo'):
        found += [(joint, '<gazebo><joint>') for joint in gazebo.iter('joint')
                  if joint.get('type')]
    return found


def is_xacro(root) -> bool:
    """Return whether xacro has not been run on this yet: its elements or expressions are there.

    Expressions count in what dynamics reads: links, joints and what is in them, not in the paths
    of meshes, which some programs leave as they were.
    """
    for element in root.iter(etree.Element):
        namespace, _, name = element.tag.rpartition('}')
        if name.startswith('xacro:') or 'xacro' in namespace:
            return True
    elements = [root, *root.iterchildren('link', 'joint'), *root.iterfind('link/inertial//*'),
                *root.iterfind('joint//*')]
    return any(_EXPRESSION.search(value) for element in elements
               for value in element.attrib.values())
