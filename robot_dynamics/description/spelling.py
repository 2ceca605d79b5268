"""Finds attributes and elements that URDF does not have: mostly they are mistyped.

Readers pass over what they do not know, so a mistyped friction is no friction, and nobody says
so. What stands under a prefix is an extension, and is none of our business. What others add
without one is read over where it resembles nothing that the element lacks.
"""

from collections.abc import Iterable

from robot_dynamics.description.safe_xml import Element

ATTRIBUTES = {
    'link': ('name',),
    'joint': ('name', 'type', 'independent'),  # the last is URDF+'s
    'origin': ('xyz', 'rpy'),
    'mass': ('value',),
    'inertia': ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'),
    'parent': ('link',),
    'child': ('link',),
    'axis': ('xyz',),
    'limit': ('lower', 'upper', 'effort', 'velocity'),
    'dynamics': ('damping', 'friction'),
    'mimic': ('joint', 'multiplier', 'offset'),
    'safety_controller': ('soft_lower_limit', 'soft_upper_limit', 'k_position', 'k_velocity'),
    'calibration': ('rising', 'falling', 'reference_position'),
}
PARTS = {
    'link': ('inertial', 'visual', 'collision'),
    'inertial': ('origin', 'mass', 'inertia'),
    'joint': ('origin', 'parent', 'child', 'axis', 'limit', 'dynamics', 'mimic',
              'safety_controller', 'calibration'),
}
# Of these, whatever is not read is said: a number that is lost there is one of dynamics.
SAID = ('origin', 'mass', 'inertia', 'limit', 'dynamics', 'mimic')
# What is known to stand there for others: URDF 1.2, ANYmal's and Franka's drives.
OTHERS = {
    'limit': ('acceleration', 'deceleration', 'jerk', 'command_effort', 'current',
              'gear_velocity'),
    'dynamics': ('D', 'K', 'mu_coulomb', 'mu_viscous'),
}
SHOWN = 4  # unknown names of one element
LONGEST = 60  # characters of one


def misspelt(element: Element, where: str) -> list[str]:
    """Return a sentence for each name that URDF does not have in a <link> or <joint>.

    where: the file, for messages
    """
    found = []
    for part in [element, *element, *(inner for inertial in element.iterchildren('inertial')
                                      for inner in inertial)]:
        if part.tag not in ATTRIBUTES and part.tag not in PARTS:
            continue
        at = f'{where}:{part.sourceline}: {element.tag} {element.get("name")!r}'
        inside = '' if part is element else f'<{part.tag}> '
        found += [f'{at}: {inside}has the attribute {name}, which URDF does not have; it is not '
                  f'read{hint}' for name, hint in _unknown_attributes(part)]
        found += [f'{at}: {inside}has the element <{name}>, which URDF does not have; it is not '
                  f'read{hint}' for name, hint in _unknown_parts(part)]
    return found


def _unknown_attributes(part: Element) -> Iterable[tuple[str, str]]:
    """Yield the attributes to speak of, and what may have been meant."""
    known = (*ATTRIBUTES.get(part.tag, ()), *OTHERS.get(part.tag, ()))
    unknown = [name for name in part.attrib if name not in known and ':' not in name]
    if not unknown or part.tag not in ATTRIBUTES:
        return
    absent = [name for name in ATTRIBUTES[part.tag] if name not in part.attrib]
    for name in unknown[:SHOWN]:
        hint = meant(name, absent)
        if hint or part.tag in SAID:
            yield name[:LONGEST], hint


def _unknown_parts(part: Element) -> Iterable[tuple[str, str]]:
    """Yield the elements within that are mistyped, and what may have been meant."""
    known = PARTS.get(part.tag, ())
    present = dict.fromkeys(str(inner.tag) for inner in part) if known else {}
    unknown = [name for name in present if name not in known and ':' not in name]
    absent = [name for name in known if name not in present]
    for name in unknown[:SHOWN]:
        if hint := meant(name, absent):
            yield name[:LONGEST], hint


def meant(name: str, names: Iterable[str]) -> str:
    """Return the nearest of the names as a question, empty where none is near."""
    import difflib  # for those who mistype
    near = difflib.get_close_matches(name[:LONGEST].lower(), list(names), n=1, cutoff=0.65)
    return f': {near[0]}?' if near else ''
