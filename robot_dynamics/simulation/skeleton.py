"""Draws robots in space: rods from joint to joint, joints where they are, bodies where known."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.algorithms.kinematics import poses
from robot_dynamics.description.mechanism.records import Loop
from robot_dynamics.description.records import Shape
from robot_dynamics.dynamics import Dynamics
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.floating import neutral
from robot_dynamics.simulation.plots import THEMES, empty_figure, save_figure
from robot_dynamics.words import counted

AXIS_COLOURS = ('tab:red', 'tab:green', 'tab:blue')
BODY = (0.62, 0.70, 0.80)
LIGHT = np.array([0.45, -0.55, 0.70])  # where it comes from
SIDES = 24  # of a cylinder
ZOOM, EDGE = 0.92, 0.98  # of the box; how far from the middle words may be, beside the edge
ON_AXIS = 1e-6  # of the robot's size: a link's frame that is nearer lies on the joint's axis
Shapes = Mapping[str, tuple[Shape, ...]]


def draw(robot: Dynamics, path: Path, q: Array | None = None, frames: bool = False,
         theme: str = 'light', loops: Iterable[Loop] = (), assembled: bool = True) -> None:
    """Save a picture of a robot at q (0, or near to it); frames: with those of its DH table.

    loops: of a mechanism, whose tree this is; their ends are drawn
    assembled: whether the loops are closed at q
    """
    save_figure(drawn(robot, rest(robot) if q is None else q, frames, theme, loops, assembled),
                path, dpi=120)


def drawn(robot: Dynamics, q: Array, frames: bool = False, theme: str = 'light',
          loops: Iterable[Loop] = (), assembled: bool = True) -> Any:
    """Return the figure that `draw` saves."""
    figure = empty_figure((7, 7), theme)
    axes = add_space(figure, (0.02, 0.02, 0.96, 0.92), theme)
    points = np.vstack([draw_rods(axes, robot, q, theme),
                        *draw_loops(axes, robot, q, loops, theme)])
    add_legend(axes, theme)
    if frames:
        draw_frames(axes, robot, q, extent(points))
    half = fit(axes, points)
    at = 'assembled near its start' if loops and assembled else (
        'open, at its start' if loops else 'at q = 0' if not np.any(q)
        else 'at the limits nearest to q = 0')
    figure.suptitle(f'{robot.name}: {counted(robot.n, "joint")}, {at}',
                    color=THEMES[theme]['ink'], fontweight='bold')
    keep_inside(figure, axes, half)
    return figure


def rest(robot: Dynamics) -> Array:
    """Return q = 0, or the nearest to it within the limits."""
    limits, space = robot.model.limits, robot.model.coordinates
    q = neutral(space)
    return space.with_joint_values(q, np.clip(space.joint_values(q), limits.lower, limits.upper))


def joint_places(robot: Dynamics, q: Array) -> tuple[Array, Array]:
    """Return where the joints of the tree are and the directions of their axes, (L, 3) each.

    A URDF's joint is at its link's frame. A link of a DH table has its frame at its end: there
    the joint is where the table's common normal meets its axis.
    """
    model = robot.model
    space = model.coordinates.at(q)
    R, p = poses(space.geometry(model.geometry, q), space.positions(q))
    R, p = np.array(R), np.array(p)
    size, places = extent(p), p.copy()
    for i, name in enumerate(model.body_names):
        frame = model.frames.get(name)
        if frame is not None and frame.body == i and np.hypot(*frame.T[:2, 3]) < ON_AXIS * size:
            places[i] = p[i] + R[i] @ frame.T[:3, 3]
    return places, R[:, :, 2]


def draw_rods(axes: Any, robot: Dynamics, q: Array, theme: str = 'light') -> Array:
    """Draw rods between joints, joints as short thick axes; return the points drawn, (K, 3)."""
    colours, model = THEMES[theme], robot.model
    places, directions = joint_places(robot, q)
    tips = {name: robot.pose(q, name)[:3, 3] for name in robot.tip_names}
    points = np.vstack([np.zeros((1, 3)), places, *tips.values()])
    length = 0.045 * extent(points)
    afloat = {i for joint in getattr(model.coordinates, 'free', ())
              for i in range(joint.link, joint.link + 6)}
    for i, parent in enumerate(model.geometry.parent):
        if i in afloat:
            continue
        start = places[parent] if parent >= 0 else np.zeros(3)
        line(axes, start, places[i], color=colours['reference'], linewidth=3,
             solid_capstyle='round')
        slides = model.geometry.prismatic[i]
        line(axes, places[i] - length * directions[i], places[i] + length * directions[i],
             color=colours['potential' if slides else 'motion'], linewidth=6,
             solid_capstyle='butt', label='sliding joint' if slides else 'turning joint')
    for name, end in tips.items():
        body = model.frames[name].body
        if body >= 0:
            line(axes, places[body], end, color=colours['reference'], linewidth=2)
            axes.scatter(*end, color=colours['kinetic'], s=30, label='tip')
    return points


def draw_loops(axes: Any, robot: Dynamics, q: Array, loops: Iterable[Loop],
               theme: str) -> list[Array]:
    """Draw rods to where loops are closed; return the points drawn, (1, 3) each."""
    places, _ = joint_places(robot, q)
    found = []
    for frame in [frame for loop in loops for frame in loop.frames]:
        known = robot.model.frames.get(frame.link)
        if known is None or known.body < 0:
            continue
        end = (robot.pose(q, frame.link) @ frame.T)[:3, 3]
        line(axes, places[known.body], end, color=THEMES[theme]['reference'], linewidth=3)
        axes.scatter(*end, color=THEMES[theme]['error'], s=60, label='loop closes')
        found.append(end[None])
    return found


def add_legend(axes: Any, theme: str) -> None:
    """Say once what each mark is."""
    found = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    axes.legend(found.values(), found.keys(), loc='upper left', frameon=False,
                labelcolor=THEMES[theme]['ink'], fontsize='small')


def draw_frames(axes: Any, robot: Dynamics, q: Array, size: float) -> None:
    """Draw the axes of the table's frames."""
    R, p = poses(robot.model.geometry, robot.model.coordinates.positions(q))
    for turned, place in zip(R, p, strict=True):
        for k, colour in enumerate(AXIS_COLOURS):
            line(axes, place, place + 0.08 * size * np.array(turned)[:, k], color=colour)


def draw_bodies(axes: Any, robot: Dynamics, q: Array, shapes: Shapes, alpha: float = 1.0) -> Array:
    """Draw the solids of all links at q, lit from above; return their corners, (K, 3)."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection
    polygons: list[Array] = []
    for name, solids in shapes.items():
        if name not in robot.link_names:
            continue
        T = robot.pose(q, name)
        for shape in solids:
            polygons += [(T[:3, :3] @ (shape.R @ corners.T + shape.p[:, None])
                          + T[:3, 3:]).T for corners in facets(shape)]
    if not polygons:
        return np.zeros((0, 3))
    # Of the diagonals: at the ends of cylinders and spheres an edge has no length.
    normals = np.array([np.cross(c[2] - c[0], c[3] - c[1]) for c in polygons])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    shade = 0.55 + 0.45 * np.clip(normals @ LIGHT, -0.4, 1.0)
    colours = np.clip(np.outer(shade, BODY), 0, 1)
    axes.add_collection3d(Poly3DCollection(
        polygons, facecolors=np.column_stack([colours, np.full(len(colours), alpha)]),
        edgecolors='none', antialiased=False))
    return np.vstack(polygons)


def facets(shape: Shape) -> list[Array]:
    """Return the faces of a solid, corners (k, 3) in its own axes; none of a mesh."""
    x, y, z = shape.size / 2
    if shape.kind == 'box':
        square = np.array([[-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1.0]])
        turns = [np.roll(square, k, axis=1) * s for k in range(3) for s in (1, -1)]
        return [face[::int(np.sign(np.cross(face[1] - face[0], face[2] - face[0])
                                   @ face.mean(axis=0)))] * [x, y, z] for face in turns]
    if shape.kind == 'mesh':
        return []
    angle = np.linspace(0, 2 * np.pi, SIDES + 1)
    rings = ([(z * np.cos(a), np.sin(a)) for a in np.linspace(np.pi, 0, 9)]
             if shape.kind == 'sphere' else [(-z, 0.0), (-z, 1.0), (z, 1.0), (z, 0.0)])
    circle = np.stack([x * np.cos(angle), y * np.sin(angle)], axis=1)
    found = []
    for (low, narrow), (high, wide) in zip(rings, rings[1:], strict=False):
        for a, b in zip(circle, circle[1:], strict=False):
            found.append(np.array([[*narrow * a, low], [*narrow * b, low], [*wide * b, high],
                                   [*wide * a, high]]))
    return found


def add_space(figure: Any, box: tuple[float, float, float, float], theme: str) -> Any:
    """Return axes in space at a part of the figure, without panes."""
    colours = THEMES[theme]
    axes = figure.add_axes(box, projection='3d', facecolor=colours['paper'])
    axes.tick_params(colors=colours['reference'], labelsize='x-small')
    for axis, word in ((axes.xaxis, 'x [m]'), (axes.yaxis, 'y [m]'), (axes.zaxis, 'z [m]')):
        axis.set_pane_color((0, 0, 0, 0))
        axis.line.set_color(colours['faint'])
        axis._axinfo['grid']['color'] = colours['faint']
        axis.set_label_text(word, color=colours['ink'], fontsize='small')
    return axes


def fit(axes: Any, points: Array) -> Array:
    """Show these points, (K, 3), the three axes to one scale; return half their extents, (3,)."""
    low, high = points.min(axis=0), points.max(axis=0)
    half: Array = 0.54 * np.maximum(high - low, 0.45 * extent(points))
    middle = (low + high) / 2
    limits = [(float(m - h), float(m + h)) for m, h in zip(middle, half, strict=True)]
    axes.set(xlim=limits[0], ylim=limits[1], zlim=limits[2])
    axes.set_box_aspect(half, zoom=ZOOM)
    return half


def keep_inside(figure: Any, axes: Any, half: Array) -> None:
    """Draw the box smaller where the words beside its axes would leave the figure."""
    middle, zoom = (figure.bbox.min + figure.bbox.max) / 2, ZOOM
    for _ in range(3):  # words do not shrink with the box
        figure.canvas.draw()
        corners = np.vstack([axis.label.get_window_extent().get_points() - middle
                             for axis in (axes.xaxis, axes.yaxis, axes.zaxis)])
        over = np.abs(corners / (figure.bbox.size / 2)).max()
        if over <= EDGE:
            return
        zoom *= EDGE / over
        axes.set_box_aspect(half, zoom=zoom)


def extent(points: Array) -> float:
    """Return the largest extent of points, (K, 3), never nothing [m]."""
    return max(float(np.ptp(points, axis=0).max()), 1e-3)


def line(axes: Any, start: Array, end: Array, **options: Any) -> None:
    """Draw a straight line."""
    axes.plot(*np.array([start, end]).T, **options)
