"""Mechanism files of this package: YAML beside a URDF, xacro or DH file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robot_dynamics.description.extensions import closures
from robot_dynamics.description.frames import Array, placed, turned
from robot_dynamics.description.mechanism.checks import number, triple
from robot_dynamics.description.mechanism.records import (
    WORLD,
    Coupling,
    CutFrame,
    Loop,
    MechanismRecord,
)
from robot_dynamics.description.records import Description
from robot_dynamics.description.safe_yaml import parse_yaml
from robot_dynamics.description.source import read_bytes, read_root
from robot_dynamics.description.spelling import meant
from robot_dynamics.description.urdf import read_elements
from robot_dynamics.errors import DescriptionError

OPTIONS = ('gravity', 'missing_inertia', 'rod_density', 'rod_length', 'locked', 'friction',
           'strict', 'xacro_args', 'packages', 'base', 'floating')  # of rd.load
KEYS = ('name', 'robot', *OPTIONS, 'loops', 'couplings', 'actuated', 'independent', 'start')
YAML = ('.yaml', '.yml')
OWN = ('loops', 'couplings')
WITH_LOOPS = ('actuated', 'independent', 'start')  # nothing without them: they are misspelt


def is_native(document: Any) -> bool:
    """Return whether a YAML document is one of these."""
    return isinstance(document, dict) and (bool({*OWN} & set(document)) or (
        'robot' in document and 'rows' not in document and any(
            key in WITH_LOOPS or meant(str(key), OWN) for key in document)))


def read_native(document: dict[str, Any], path: Path, xacro_args: Mapping[str, Any],
                packages: Mapping[str, Any]) -> MechanismRecord:
    """Read a mechanism file, and the robot that it names."""
    where = str(path)
    refuse_unknown(document, KEYS, where)
    options = {key: document[key] for key in OPTIONS if document.get(key) is not None}
    for key, given in (('xacro_args', xacro_args), ('packages', packages)):
        if not isinstance(options.get(key, {}), dict):
            raise DescriptionError(f'{where}: {key}: expected a mapping')
        options[key] = {**options.get(key, {}), **given}
    if 'gravity' in options:
        options['gravity'] = tuple(triple(options['gravity'], f'{where}: gravity'))
    for key in ('friction', 'strict'):
        if not isinstance(options.get(key, True), bool):
            raise DescriptionError(f'{where}: {key}={options[key]!r}: expected true or false')
    tree = _tree(document.get('robot'), path, options)
    options = {key: value for key, value in options.items() if key != 'xacro_args' and value != {}}
    loops = [_loop(loop, k, where) for k, loop in enumerate(entries(document, 'loops', where), 1)]
    couplings = [_coupling(entry, k, where)
                 for k, entry in enumerate(entries(document, 'couplings', where), 1)]
    if not loops and not couplings:
        what = 'is empty' if {*OWN} & set(document) else 'is missing'
        raise DescriptionError(f'{where}: loops: {what}; expected the loops that are closed')
    return MechanismRecord(
        _name(document, path.stem, where), where, tree, tuple(loops), tuple(couplings),
        options, names(document.get('actuated'), f'{where}: actuated'),
        names(document.get('independent'), f'{where}: independent'),
        values(document.get('start'), f'{where}: start'))


def _tree(named: object, path: Path, options: Mapping[str, Any]) -> Description | Path:
    where = str(path)
    if not isinstance(named, str) or not named.strip():
        raise DescriptionError(f'{where}: robot={str(named)[:80]!r}: expected the path of a '
                               '.urdf, .xacro or DH .yaml, relative to this file')
    file = path.parent / Path(named).expanduser()
    if not file.exists():
        near = meant(file.name, [other.name for other in file.parent.glob('*')])
        raise DescriptionError(f'{where}: robot: {named!r} cannot be read: there is no such file '
                               f'in {file.parent.resolve()}{near}')
    if file.suffix.lower() in YAML:
        document = parse_yaml(read_bytes(file), str(file))
        if isinstance(document, dict) and {'loops', 'couplings', 'closed_loop'} & set(document):
            itself = 'this file itself' if file.resolve() == path.resolve() else 'a mechanism too'
            raise DescriptionError(f'{where}: robot: {file} is {itself}; expected the .urdf, '
                                   '.xacro or DH .yaml of an open tree')
        if options['xacro_args']:
            raise DescriptionError(f'{where}: xacro_args were given, but {file} is not xacro')
        return file
    root, name, warnings = read_root(file, xacro_args=options['xacro_args'],
                                     packages=options['packages'])
    own = [kind for element, kind in closures(root) if kind in ('<loop>', '<coupling>',
                                                                '<constraint>')]
    if own or root.tag == 'mujoco':
        what = f'has {own[0]} of its own' if own else 'is MJCF'
        raise DescriptionError(
            f'{where}: robot: {file} {what}, it is a mechanism too: expected the .urdf of an '
            'open tree; or load that file itself, with actuated= and start= as arguments')
    return read_elements(root, name, warnings)


def _loop(entry: Any, k: int, where: str) -> Loop:
    at = f'{where}: loop {k}'
    if not isinstance(entry, dict):
        raise DescriptionError(f'{at}: expected a mapping with joint, between and at')
    name = _name(entry, f'loop_{k}', at)
    at = f'{where}: loop {name!r}'
    refuse_unknown(entry, ('name', 'joint', 'between', 'at', 'friction'), at)
    between = entry.get('between')
    if (not isinstance(between, list) or len(between) != 2
            or not all(isinstance(link, str) for link in between)):
        raise DescriptionError(f'{at}: between={str(between)[:80]}: expected two links')
    places = entry.get('at', [{}, {}])
    if not isinstance(places, list) or len(places) != 2:
        raise DescriptionError(f'{at}: at: expected two frames, one in each link')
    first, second = (CutFrame(link, _pose(place, f'{at}: the frame in {link!r}'))
                     for link, place in zip(between, places, strict=True))
    friction = entry.get('friction')
    if friction is not None:
        friction = number(friction, f'{at}: friction')
        if WORLD not in between:
            raise DescriptionError(f'{at}: friction={friction:g}: is for contacts: expected '
                                   f'{WORLD!r} in `between`')
        if friction < 0:
            raise DescriptionError(f'{at}: friction={friction:g}: expected zero or more')
    return Loop(name, str(entry.get('joint')), (first, second), friction)


def _pose(place: Any, at: str) -> Array:
    if not isinstance(place, dict):
        raise DescriptionError(f'{at}: found {str(place)[:80]}; expected {{xyz: [x, y, z], '
                               'rpy: [roll, pitch, yaw]}')
    refuse_unknown(place, ('xyz', 'rpy'), at)
    zero = [0.0, 0.0, 0.0]
    return placed(turned(triple(place.get('rpy', zero), f'{at}: rpy', angles=True)),
                  triple(place.get('xyz', zero), f'{at}: xyz'))


def _name(document: dict[str, Any], usual: str, at: str) -> str:
    value = document.get('name')
    if value is not None and (isinstance(value, bool) or not isinstance(value, (str, int, float))):
        raise DescriptionError(f'{at}: name={str(value)[:80]}: expected a text')
    return str(usual if value is None or value == '' else value)


def _coupling(entry: Any, k: int, where: str) -> Coupling:
    at = f'{where}: coupling {k}'
    if not isinstance(entry, dict):
        raise DescriptionError(f'{at}: expected a mapping with joints and constant')
    name = _name(entry, f'coupling_{k}', at)
    at = f'{where}: coupling {name!r}'
    refuse_unknown(entry, ('name', 'joints', 'constant'), at)
    return Coupling(name, values(entry.get('joints'), f'{at}: joints'),
                    number(entry.get('constant', 0.0), f'{at}: constant'))


def entries(document: dict[str, Any], key: str, where: str) -> list[Any]:
    """Return the list under a key, empty where there is none."""
    found = document.get(key)
    if found is None:
        return []
    if not isinstance(found, list):
        raise DescriptionError(f'{where}: {key}: expected a list, found {type(found).__name__}')
    return found


def names(found: Any, at: str) -> tuple[str, ...] | None:
    """Return a list of joints, None where there is none."""
    if found is None:
        return None
    if not isinstance(found, (list, tuple)) or not all(isinstance(name, str) for name in found):
        raise DescriptionError(f'{at}={str(found)[:80]}: expected a list of joints')
    return tuple(found)


def values(found: Any, at: str) -> dict[str, float]:
    """Return a mapping from joint to number, empty where there is none."""
    if found is None:
        return {}
    if not isinstance(found, Mapping):
        raise DescriptionError(f'{at}={str(found)[:80]}: expected a mapping from joint to number')
    return {str(name): number(value, f'{at}: {name}') for name, value in found.items()}


def refuse_unknown(found: dict[str, Any], known: tuple[str, ...], at: str) -> None:
    """Refuse keys that nobody reads: they are misspelt, or meant for another program."""
    unknown = [str(key)[:80] for key in found if key not in known]
    if unknown:
        absent = [key for key in known if key not in found]
        raise DescriptionError(
            f'{at}: unknown keys {sorted(unknown)}'
            + ''.join(f' ({key}{near})' for key in unknown if (near := meant(key, absent)))
            + f'; expected {", ".join(known)}')
