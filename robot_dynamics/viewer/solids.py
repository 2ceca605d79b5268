"""Meshes of simple solids, and those of mesh files: vertices and faces in a link's frame."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics.description.records import Shape
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.transforms import pose

SMOOTH = np.radians(35)  # edges sharper than this stay edges
MANY = 200_000  # faces of a mesh beyond which its edges are left as they are
Color = tuple[float, ...]  # red, green, blue, opacity, 0 to 1


class Solid(NamedTuple):
    """A mesh to be drawn: vertices (V, 3) [m], faces (F, 3), colour, opacity included."""

    vertices: Array
    faces: Any
    color: Color | None = None

    def moved(self, T: Array) -> Solid:
        """Return it moved by a pose, (4, 4)."""
        return self._replace(vertices=self.vertices @ T[:3, :3].T + T[:3, 3])


def shape_solid(shape: Shape) -> Solid:
    """Return a box, sphere, cylinder or capsule of a URDF in its link's frame."""
    from trimesh import creation
    x, _, z = shape.size
    mesh = {
        'box': lambda: creation.box(shape.size),
        'sphere': lambda: creation.icosphere(subdivisions=3, radius=x / 2),
        'cylinder': lambda: creation.cylinder(radius=x / 2, height=z, sections=40),
        'capsule': lambda: capsule(z - x, x / 2),
    }[shape.kind]()
    return Solid(*edged(mesh), shape.color).moved(pose(shape.R, shape.p))


def capsule(length: float, radius: float) -> Any:
    """Return a capsule about the origin along z; length: between the centres of its balls."""
    from trimesh import creation
    mesh = creation.capsule(height=length, radius=radius, count=[24, 24])
    low, high = mesh.bounds
    return mesh.apply_translation((0, 0, -(low[2] + high[2]) / 2))  # versions place it elsewhere


def rod(start: Array, end: Array, radius: float, color: Color | None = None) -> Solid:
    """Return a round rod with round ends from one point to another."""
    along = np.asarray(end, float) - start
    mesh = capsule(float(np.linalg.norm(along)), radius)
    return Solid(np.asarray(mesh.vertices), mesh.faces, color).moved(
        pose(axis_along(along), (np.asarray(start) + end) / 2))


def barrel(place: Array, radius: float, length: float, color: Color | None = None) -> Solid:
    """Return a cylinder about z of a pose, (4, 4)."""
    from trimesh import creation
    mesh = creation.cylinder(radius=radius, height=length, sections=40)
    return Solid(*edged(mesh), color).moved(place)


def block(place: Array, size: Array, color: Color | None = None) -> Solid:
    """Return a box about the origin of a pose, (4, 4)."""
    from trimesh import creation
    return Solid(*edged(creation.box(size)), color).moved(place)


def axis_along(direction: Array) -> Array:
    """Return axes, (3, 3), whose z is a direction; any where it has no length."""
    length = np.linalg.norm(direction)
    if length < 1e-12:
        return np.eye(3)
    z = np.asarray(direction) / length
    x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def edged(mesh: Any) -> tuple[Array, Any]:
    """Return vertices and faces whose sharp edges look sharp under smooth shading."""
    from trimesh.graph import smooth_shade
    if len(mesh.faces) <= MANY:
        mesh = smooth_shade(mesh, angle=SMOOTH)
    return np.asarray(mesh.vertices, float), np.asarray(mesh.faces)


@lru_cache(maxsize=256)
def mesh_solids(path: Path) -> tuple[Solid, ...]:
    """Return what a mesh file holds, one solid for each colour; none where it cannot be read."""
    import trimesh
    try:
        scene = trimesh.load(path, force='scene')
        parts: dict[Color | None, list[Any]] = {}
        for mesh in scene.dump():
            if isinstance(mesh, trimesh.Trimesh) and len(mesh.faces):
                parts.setdefault(mesh_color(mesh), []).append(mesh)
        return tuple(Solid(*edged(trimesh.util.concatenate(
            [trimesh.Trimesh(mesh.vertices, mesh.faces) for mesh in meshes])), color)
            for color, meshes in parts.items())
    except Exception:  # whatever a mesh or its reader trips over, it is no shape then
        return ()


def mesh_color(mesh: Any) -> Color | None:
    """Return the main colour of a mesh; None where its file has none."""
    if not mesh.visual.defined:
        return None
    main = getattr(getattr(mesh.visual, 'material', mesh.visual), 'main_color', None)
    if main is None:
        return None
    r, g, b, a = (float(part) / 255 for part in main)
    return r, g, b, a
