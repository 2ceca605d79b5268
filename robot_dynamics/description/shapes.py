"""The solids a URDF draws its links with: sizes for links whose inertia nobody gave.

Nothing here is an error: dynamics does not need shapes, so what cannot be read is no shape.
"""

import math
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from urllib.parse import unquote, urlparse

import numpy as np

from robot_dynamics.description.frames import turned
from robot_dynamics.description.records import Description, Drawing, Shape
from robot_dynamics.description.safe_xml import Element
from robot_dynamics.errors import RobotDynamicsError

MAX_SIZE = 1e3  # [m]
MAX_MESH = 64 * 1024 * 1024  # bytes
MESHES = ('.stl', '.dae', '.obj', '.ply', '.glb', '.gltf', '.off')


def read_shapes(link: Element) -> tuple[Shape, ...]:
    """Return the shapes of a <link>: those of collision, or of visual where there are none."""
    return _shapes(link, 'collision', {}) or _shapes(link, 'visual', {})


def read_visuals(link: Element, colors: Mapping[str, tuple[float, ...]]) -> tuple[Shape, ...]:
    """Return the shapes of a <link>'s visuals; colors: of the robot's named materials."""
    return _shapes(link, 'visual', colors)


def read_colors(robot: Element) -> dict[str, tuple[float, ...]]:
    """Return the colours of the materials that a <robot> names."""
    found = {material.get('name'): _color(material, {}) for material in robot.iter('material')}
    return {name: color for name, color in found.items() if name and color is not None}


def drawing(description: Description, file: Path | None,
            packages: Mapping[str, str | os.PathLike[str]]) -> Drawing:
    """Return what a description's links are drawn with; file: see Drawing."""
    links = description.links.values()
    return Drawing({link.name: link.visuals for link in links if link.visuals},
                   {link.name: link.shapes for link in links if link.shapes}, file,
                   {name: str(path) for name, path in packages.items()})


def _shapes(link: Element, tag: str, colors: Mapping[str, tuple[float, ...]]) -> tuple[Shape, ...]:
    shapes = [_shape(element, colors) for element in link.findall(tag)]
    return tuple(shape for shape in shapes if shape is not None)


def _color(material: Element | None, colors: Mapping[str, tuple[float, ...]]
           ) -> tuple[float, ...] | None:
    """Return the colour that a <material> has itself, or that of its name."""
    if material is None:
        return None
    color = material.find('color')
    try:
        numbers = _numbers(color.get('rgba'), 4)
    except (TypeError, ValueError, AttributeError):
        return colors.get(material.get('name'))
    return tuple(min(max(number, 0.0), 1.0) for number in numbers)


def _shape(element: Element, colors: Mapping[str, tuple[float, ...]]) -> Shape | None:
    geometry, origin = element.find('geometry'), element.find('origin')
    for kind in geometry if geometry is not None else ():
        numbers: Callable[[Element], list[float]] | None = {
            'box': lambda kind: _numbers(kind.get('size'), 3),
            'sphere': lambda kind: [2 * r for r in _numbers(kind.get('radius'), 1)] * 3,
            'cylinder': _cylinder, 'capsule': _cylinder,
            'mesh': lambda kind: _numbers(kind.get('scale', '1 1 1'), 3)}.get(kind.tag)
        if numbers is None:
            continue
        try:
            size = np.abs(np.array(numbers(kind)))
            at = {} if origin is None else origin.attrib
            xyz, rpy = (_numbers(at.get(key, '0 0 0'), 3) for key in ('xyz', 'rpy'))
        except (TypeError, ValueError, AttributeError):
            return None
        if size.shape != (3,) or not np.all((size > 0) & (size < MAX_SIZE)):
            return None
        return Shape(kind.tag, size, turned(rpy), np.array(xyz), kind.get('filename') or '',
                     _color(element.find('material'), colors))
    return None


def _cylinder(kind: Element) -> list[float]:
    (r,), (length,) = _numbers(kind.get('radius'), 1), _numbers(kind.get('length'), 1)
    return [2 * r, 2 * r, length + (2 * r if kind.tag == 'capsule' else 0)]


def _numbers(text: str, count: int) -> list[float]:
    values = [float(word) for word in text.split()]
    if len(values) != count or not all(map(math.isfinite, values)):
        raise ValueError(text)
    return values


def solid_shapes(
    description: Description, names: Iterable[str], file: Path | None,
    find_package: Callable[[str, str], str],
) -> dict[str, list[Shape]]:
    """Return the shapes of the named links, meshes as the boxes around them.

    file: the robot's own. Without one meshes are not read: text may come from a network, and
    nobody there shall choose which files are opened.
    """
    found: dict[str, list[Shape]] = {}
    for name in names:
        for shape in description.links[name].shapes if name in description.links else ():
            if shape.kind == 'mesh':
                box = mesh_box(shape, file, find_package) if file is not None else None
                found.setdefault(name, []).extend([box] if box is not None else [])
            else:
                found.setdefault(name, []).append(shape)
    return found


def mesh_box(
    shape: Shape, file: Path, find_package: Callable[[str, str], str]
) -> Shape | None:
    """Return the box around a mesh, None where it cannot be read.

    file: the robot's own, beside which relative names are looked for
    find_package: from a package's name and a file in it to its folder; raises where there is
    none
    """
    try:
        path = mesh_path(shape.file, file, find_package)
        if path is None:
            return None
        import trimesh  # slow, and seldom needed; yourdfpy brings it

        low, high = np.asarray(trimesh.load(path, force='scene').bounds, float)
    except Exception:  # whatever a mesh or its reader trips over, it is no shape then
        return None
    size = (high - low) * shape.size
    if not np.all(np.isfinite(size)) or not 0 < size.max() < MAX_SIZE:
        return None
    thick = np.maximum(size, 1e-3 * size.max())  # a flat one has a volume too
    return Shape('box', thick, shape.R, shape.p + shape.R @ ((low + high) / 2 * shape.size))


def mesh_path(name: str, file: Path | None,
              find_package: Callable[[str, str], str]) -> Path | None:
    """Return the file of a mesh, None where there is none or it may not be read.

    name: as the URDF has it; file: the robot's own, None where it came as text: then files are
    read from packages alone, and never from outside of the package that is named. Links that are
    in a package lead where who installed it wanted them to
    """
    if os.path.splitext(name)[1].lower() not in MESHES:
        return None
    try:
        path, folder = _path(name, file, find_package)
        if path is None or (folder is not None and not path.is_relative_to(folder)):
            return None
        if not 0 < path.stat().st_size <= MAX_MESH:
            return None
    except (RobotDynamicsError, OSError, ValueError):
        return None
    return path


def _path(name: str, file: Path | None, find_package: Callable[[str, str], str]
          ) -> tuple[Path | None, Path | None]:
    """Return a mesh's path, and the folder that it may not leave."""
    url = urlparse(name)
    if url.scheme in ('package', 'model'):
        rest = unquote(url.path).lstrip('/')
        folder = Path(os.path.normpath(find_package(url.netloc, rest)))
        return Path(os.path.normpath(folder / rest)), folder
    if file is None:
        return None, None
    if url.scheme == 'file':
        return Path(unquote(url.path)), None
    return Path(os.path.join(file.parent, name)) if len(url.scheme) < 2 else None, None
