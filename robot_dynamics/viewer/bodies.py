"""What robots look like: visual meshes, else collision shapes, else solids from the DH table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from robot_dynamics.description.packages import Packages
from robot_dynamics.description.records import Drawing, Shape
from robot_dynamics.description.shapes import mesh_path
from robot_dynamics.drawing.places import joint_place, link_pose
from robot_dynamics.dynamics import Dynamics
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.model import Model
from robot_dynamics.viewer.solids import Color, Solid, barrel, block, mesh_solids, rod, shape_solid

LINK: Color = (0.72, 0.75, 0.80, 1.0)
JOINT: Color = (0.25, 0.29, 0.36, 1.0)
TOOL: Color = (0.92, 0.55, 0.18, 1.0)


class Part(NamedTuple):
    """A solid on a body (-1: the root), in that body's link frame; source: what it was made of."""

    body: int
    solid: Solid
    source: str  # 'visual', 'collision' or 'DH table'


def make_parts(robot: Dynamics, bodies: Array) -> list[Part]:
    """Return what to draw of a robot; bodies: poses (L, 4, 4) at which the DH table is drawn."""
    model, drawing = robot.model, robot.dh.drawing
    parts = list(_described(model, drawing)) if drawing is not None else []
    drawn = {part.body for part in parts}
    bare = [i for i in range(len(bodies)) if i not in drawn
            and (robot.model.inertials.mass[i] > 0 or not drawn)]
    return [*parts, *table_parts(model, bodies, set(bare))]


def _described(model: Model, drawing: Drawing) -> Iterator[Part]:
    """Yield the shapes that the robot's file gives: a link's visuals, else its collisions."""
    find = Packages(drawing.packages, drawing.file).holding
    for link, frame in model.frames.items():
        for source, shapes in (('visual', drawing.visuals.get(link, ())),
                               ('collision', drawing.shapes.get(link, ()))):
            solids = [solid for shape in shapes for solid in _solids(shape, drawing, find)]
            yield from (Part(frame.body, solid.moved(frame.T), source) for solid in solids)
            if solids:
                break


def missing_meshes(robot: Dynamics) -> list[str]:
    """Return the mesh files, as the robot's file names them, that are not there, or no meshes."""
    drawing = robot.dh.drawing
    if drawing is None:
        return []
    find, found = Packages(drawing.packages, drawing.file).holding, dict[str, None]()
    for link in robot.model.frames:
        for shape in drawing.visuals.get(link) or drawing.shapes.get(link, ()):
            if shape.kind == 'mesh' and shape.file not in found and not any(
                    True for _ in _solids(shape, drawing, find)):
                found[shape.file] = None
    return list(found)


def _solids(shape: Shape, drawing: Drawing, find: Callable[[str, str], str]) -> Iterator[Solid]:
    if shape.kind != 'mesh':
        yield shape_solid(shape)
        return
    path = mesh_path(shape.file, drawing.file, find)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = shape.R * shape.size, shape.p
    for solid in mesh_solids(path) if path is not None else ():
        yield solid._replace(color=shape.color or solid.color).moved(T)


def table_parts(model: Model, bodies: Array, wanted: set[int]) -> Iterator[Part]:
    """Yield a barrel at each joint and a rod from joint to joint, from the DH table."""
    parent = model.geometry.parent
    joints = np.array([joint_place(model, bodies, i) for i in range(len(bodies))]).reshape(
        -1, 4, 4)
    tips = [link_pose(model, bodies, name) for name, frame in model.frames.items()
            if frame.tip and frame.body >= 0]
    radius = 0.035 * reach(joints, tips)
    for i in sorted(wanted):
        into = np.linalg.inv(bodies[i])
        thick = radius * 0.93 ** depth(parent, i)
        place = into @ joints[i]
        if model.geometry.prismatic[i]:
            yield Part(i, block(place, np.array([2.2, 2.2, 4.0]) * thick, JOINT), 'DH table')
        else:
            yield Part(i, barrel(place, 1.5 * thick, 3.6 * thick, JOINT), 'DH table')
        ends = [joints[j] for j in np.flatnonzero(parent == i)]
        ends += [link_pose(model, bodies, name) for name, frame in model.frames.items()
                 if frame.tip and frame.body == i]
        for end in ends:
            yield from _limb(i, place, into @ end, thick)
    if wanted and len(joints):
        for j in np.flatnonzero(parent < 0):
            yield from _limb(-1, np.eye(4), joints[j], 1.3 * radius)


def _limb(body: int, start: Array, end: Array, thick: float) -> Iterator[Part]:
    if np.linalg.norm(end[:3, 3] - start[:3, 3]) > 0.5 * thick:
        yield Part(body, rod(start[:3, 3], end[:3, 3], thick, LINK), 'DH table')


def reach(joints: Array, tips: list[Array]) -> float:
    """Return how far a robot goes from its root [m], 1 where nothing is away from it."""
    points = [T[:3, 3] for T in [*joints, *tips]]
    far = max((float(np.linalg.norm(point)) for point in points), default=0.0)
    return far if far > 1e-6 else 1.0


def depth(parent: Array, i: int) -> int:
    """Return how many joints stand before joint i."""
    count = 0
    while parent[i] >= 0:
        i, count = int(parent[i]), count + 1
    return count
