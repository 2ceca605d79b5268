"""Has yourdfpy read a URDF, and remembers what it read.

Importing yourdfpy takes about a second, most of it for meshes that dynamics does not need. A
process that has not imported it looks first whether this very URDF has been read before on this
machine; a node that starts again is then there a second sooner.
"""

import hashlib
import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from lxml import etree

from robot_dynamics.cache_folder import folder, prune, write_whole
from robot_dynamics.description.safe_xml import Element
from robot_dynamics.errors import DescriptionError

FORMAT = 1  # of what is remembered
ENTRIES = 200
_ARRAYS = ('origin', 'inertia', 'axis')


def read_urdf(pruned: Element, where: str) -> SimpleNamespace:
    """Return the robot's name, links and joints, with yourdfpy's names for their parts.

    pruned: root element of a checked URDF of nothing but links and joints
    """
    text = etree.tostring(pruned)
    if 'yourdfpy' in sys.modules:
        plain: dict[str, Any] | None = _read(text, where)
    else:
        path = _entry(text)
        plain = _recall(path)
        if plain is None:
            plain = _read(text, where)
            _remember(path, plain)
    robot: SimpleNamespace = _namespace(plain)
    return robot


def _read(text: bytes, where: str) -> dict[str, Any]:
    import yourdfpy  # see above

    try:
        robot = yourdfpy.URDF.load(
            io.BytesIO(text), build_scene_graph=False, load_meshes=False).robot
        return {'name': robot.name,
                'links': [{'name': link.name, 'inertial': _parts(
                    link.inertial, 'mass', 'origin', 'inertia')} for link in robot.links],
                'joints': [{
                    **(_parts(joint, 'name', 'type', 'parent', 'child', 'origin', 'axis') or {}),
                    'limit': _parts(joint.limit, 'lower', 'upper', 'velocity', 'effort'),
                    'dynamics': _parts(joint.dynamics, 'damping', 'friction'),
                    'mimic': _parts(joint.mimic, 'joint', 'multiplier', 'offset')}
                    for joint in robot.joints]}
    except Exception as error:  # whatever it trips over, the user gets one clear line
        raise DescriptionError(f'{where}: yourdfpy cannot read it: {error!r}') from error


def _parts(record: Any, *names: str) -> dict[str, Any] | None:
    if record is None:
        return None
    values = {name: getattr(record, name) for name in names}
    return {name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in values.items()}


def _namespace(plain: Any) -> Any:
    if isinstance(plain, list):
        return [_namespace(part) for part in plain]
    if not isinstance(plain, dict):
        return plain
    return SimpleNamespace(**{
        name: np.array(part, float) if name in _ARRAYS and part is not None else _namespace(part)
        for name, part in plain.items()})


def _entry(text: bytes) -> Path:
    from importlib import metadata  # a slow import
    version = metadata.version('yourdfpy')
    digest = hashlib.sha256(f'{FORMAT} {version} '.encode() + text).hexdigest()[:40]
    return folder() / f'urdf-{digest}.json'


def _recall(path: Path) -> dict[str, Any] | None:
    """Return what was remembered, None if nothing was or the file is damaged."""
    try:
        plain = json.loads(path.read_bytes())
        _namespace(plain)
        return plain if {'name', 'links', 'joints'} <= set(plain) else None
    except (OSError, ValueError, TypeError):
        return None


def _remember(path: Path, plain: dict[str, Any]) -> None:
    try:
        write_whole(path, json.dumps(plain).encode())
        prune(path.parent, 'urdf-*.json', ENTRIES)
    except OSError:
        return  # a full disk costs a second next time, nothing else
