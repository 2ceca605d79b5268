"""Gepetto's robot.yaml beside robot.urdf: closed_loop, type, name_mot, joint_name, joint_type."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.description.mechanism.native import names, refuse_unknown
from robot_dynamics.description.mechanism.records import CutFrame, Loop, MechanismRecord
from robot_dynamics.description.records import Description, Joint, Link
from robot_dynamics.description.source import read_description
from robot_dynamics.errors import DescriptionError

KEYS = ('closed_loop', 'type', 'name_mot', 'joint_name', 'joint_type')
CUTS = {'3d': 'spherical', '6d': 'fixed'}
AXES = {'x': (1.0, 0.0, 0.0), 'y': (0.0, 1.0, 0.0), 'z': (0.0, 0.0, 1.0)}
CHAINS = {'SPHERICAL': 'xyz', **{f'UJOINT_{a}{b}'.upper(): a + b
                                 for a in 'xyz' for b in 'xyz' if a != b}, 'FIXED': ''}


def is_gepetto(document: Any) -> bool:
    """Return whether a YAML document is one of these."""
    return isinstance(document, dict) and 'closed_loop' in document


def read_gepetto(document: dict[str, Any], path: Path, xacro_args: Mapping[str, Any],
                 packages: Mapping[str, Any]) -> MechanismRecord:
    """Read a robot.yaml and the .urdf of the same name beside it, or the only one there."""
    where = str(path)
    refuse_unknown(document, KEYS, where)
    tree = read_description(_urdf(path), xacro_args=xacro_args, packages=packages)
    ends, kinds = _list(document, 'closed_loop', where), _list(document, 'type', where)
    if len(ends) != len(kinds):
        raise DescriptionError(f'{where}: closed_loop has {len(ends)} entries and type '
                               f'{len(kinds)}; expected as many')
    if not ends:
        raise DescriptionError(f'{where}: closed_loop: is empty; expected the loops')
    loops = [_loop(pair, kind, tree, where) for pair, kind in zip(ends, kinds, strict=True)]
    joints, types = _list(document, 'joint_name', where), _list(document, 'joint_type', where)
    if len(joints) != len(types):
        raise DescriptionError(f'{where}: joint_name has {len(joints)} entries and joint_type '
                               f'{len(types)}; expected as many')
    for joint, kind in zip(joints, types, strict=True):
        tree = _replaced(tree, joint, kind, where)
    options = {'packages': packages} if packages else {}
    actuated, notes = _motors(names(document.get('name_mot'), f'{where}: name_mot'), tree, where)
    return MechanismRecord(tree.name, where, tree, tuple(loops), options=options,
                           actuated=actuated, warnings=notes)


def _motors(named: tuple[str, ...] | None, tree: Description, where: str
            ) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Return the motors without joints that mimic one of them, and notes of these."""
    leaders = {joint.name: joint.mimic.leader for joint in tree.joints if joint.mimic is not None}
    following = [name for name in named or () if leaders.get(name) in (named or ())]
    if named is None or not following:
        return named, ()
    return tuple(name for name in named if name not in following), tuple(
        f'{where}: name_mot: joint {name!r} mimics {leaders[name]!r}, which is named too: it '
        'counts as no motor of its own' for name in following)


def _urdf(path: Path) -> Path:
    """Return the tree's file: that of the same name, else the only one in the folder."""
    named = path.with_suffix('.urdf')
    others = [] if named.exists() else sorted(path.parent.glob('*.urdf'))
    return others[0] if len(others) == 1 else named


def _list(document: dict[str, Any], key: str, where: str) -> list[Any]:
    found = document.get(key) or []
    if not isinstance(found, list):
        raise DescriptionError(f'{where}: {key}={str(found)[:80]}: expected a list')
    return found


def _loop(pair: Any, kind: Any, tree: Description, where: str) -> Loop:
    if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(e, str) for e in pair):
        raise DescriptionError(f'{where}: closed_loop: found {str(pair)[:80]}; expected two names')
    name = f'{pair[0]}-{pair[1]}'
    joint = CUTS.get(str(kind).lower())
    if joint is None:
        raise DescriptionError(f'{where}: loop {name!r}: type={str(kind)[:80]!r}: expected one of '
                               + ', '.join(CUTS))
    below: dict[str, str] = {one.name: one.child for one in tree.joints}
    ends = [str(end) for end in pair]
    first, second = (CutFrame(below.get(end, end), np.eye(4)) for end in ends)
    return Loop(name, joint, (first, second))


def _replaced(tree: Description, name: Any, kind: Any, where: str) -> Description:
    """Return the tree with a ball or a universal joint, a chain, in the place of a joint.

    FIXED freezes it where its value is zero.
    """
    axes = CHAINS.get(str(kind).upper())
    if axes is None:
        raise DescriptionError(f'{where}: joint_type={str(kind)[:80]!r}: expected one of '
                               + ', '.join(CHAINS))
    old = next((joint for joint in tree.joints if joint.name == name), None)
    if old is None:
        raise DescriptionError(f'{where}: joint_name: there is no joint {str(name)[:80]!r}')
    chain: list[Joint] = [] if axes else [replace(old, type='fixed', mimic=None)]
    links = dict(tree.links)
    for k, axis in enumerate(axes):
        parent = chain[-1].child if chain else old.parent
        child = old.child if k == len(axes) - 1 else f'{old.child}/{axis}'
        links.setdefault(child, Link(child))
        chain.append(Joint(
            f'{old.name}/{axis}', 'continuous', parent, child, np.eye(4) if chain else old.origin,
            np.array(AXES[axis]), damping=old.damping, friction=old.friction))
    at = tree.joints.index(old)
    return replace(tree, links=links, joints=(*tree.joints[:at], *chain, *tree.joints[at + 1:]))
