"""Frames closing_<name>_1 and closing_<name>_2 in a URDF, as onshape-to-robot writes them.

Such a URDF does not say which joint closes the loop. A mate of Onshape has its axis along z of
its two frames and is mostly revolute; it is taken as that, with a warning.
"""

import re

import numpy as np

from robot_dynamics.description.mechanism.elements import transmitted
from robot_dynamics.description.mechanism.records import CutFrame, Loop, MechanismRecord
from robot_dynamics.description.safe_xml import Element
from robot_dynamics.description.urdf import read_elements
from robot_dynamics.errors import DescriptionError

_FRAME = re.compile(r'(closing_.+)_([12])')


def has_closing_frames(root: Element) -> bool:
    """Return whether a URDF has loops of this kind."""
    return root.tag == 'robot' and bool(_pairs(root))


def read_closing_frames(root: Element, where: str, warnings: list[str]) -> MechanismRecord:
    """Read a URDF with frames that close loops."""
    tree = read_elements(root, where, warnings)
    loops = []
    for name, ends in _pairs(root).items():
        if len(ends) != 2:
            other = '2' if '1' in ends else '1'
            raise DescriptionError(f'{where}: loop {name!r}: there is {name}_{min(ends)}, but no '
                                   f'link {name}_{other}')
        first, second = (CutFrame(f'{name}_{end}', np.eye(4)) for end in ('1', '2'))
        loops.append(Loop(name, 'revolute', (first, second)))
    notes = tuple(f'{where}: loop {loop.name!r}: the URDF does not say which joint closes it; it '
                  'is taken as revolute about z of its frames (a mechanism file can say others)'
                  for loop in loops)
    return MechanismRecord(tree.name, where, tree, tuple(loops), actuated=transmitted(root),
                           warnings=notes)


def _pairs(root: Element) -> dict[str, list[str]]:
    """Return the ends '1', '2' that are there of each loop."""
    found: dict[str, list[str]] = {}
    for link in root.findall('link'):
        match = _FRAME.fullmatch(link.get('name') or '')
        if match:
            found.setdefault(match.group(1), []).append(match.group(2))
    return found
