"""Is it a tree? Orders the joints, or says by name why it is none."""

from robot_dynamics.description.records import Joint, Link
from robot_dynamics.errors import DescriptionError


def order_joints(
    links: dict[str, Link], joints: list[Joint], where: str
) -> tuple[str, tuple[Joint, ...]]:
    """Return the root link and the joints depth first in document order."""
    parent_joint: dict[str, Joint] = {}
    children: dict[str, list[Joint]] = {name: [] for name in links}
    for joint in joints:
        for end, name in (('parent', joint.parent), ('child', joint.child)):
            if name not in links:
                raise DescriptionError(
                    f'{where}: joint {joint.name!r}: its {end} link {name!r} does not exist')
        if joint.parent == joint.child:
            raise DescriptionError(
                f'{where}: joint {joint.name!r} joins {joint.child!r} to itself')
        other = parent_joint.setdefault(joint.child, joint)
        if other is not joint:
            raise DescriptionError(
                f'{where}: link {joint.child!r} is the child of joints {other.name!r} and '
                f'{joint.name!r}: a closed loop, which URDF cannot describe: cut it at one '
                'joint, and close it in a mechanism file')
        children[joint.parent].append(joint)
    roots = [name for name in links if name not in parent_joint]
    if not roots:
        raise DescriptionError(f'{where}: no link is a root: the joints form a cycle')
    if len(roots) > 1:
        raise DescriptionError(
            f'{where}: expected one root link, found {len(roots)}: {_names(roots)}')
    ordered = _depth_first(roots[0], children)
    if len(ordered) != len(joints):
        reached = {joint.name for joint in ordered}
        cut_off = [joint.name for joint in joints if joint.name not in reached]
        raise DescriptionError(f'{where}: these joints form a cycle: {_names(cut_off)}')
    return roots[0], ordered


def _depth_first(root: str, children: dict[str, list[Joint]]) -> tuple[Joint, ...]:
    ordered = []
    stack = list(reversed(children[root]))
    while stack:
        joint = stack.pop()
        ordered.append(joint)
        stack.extend(reversed(children[joint.child]))
    return tuple(ordered)


def _names(names: list[str]) -> str:
    shown = ', '.join(repr(name) for name in names[:10])
    return shown + (f' and {len(names) - 10} more' if len(names) > 10 else '')
