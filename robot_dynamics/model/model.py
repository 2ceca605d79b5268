"""Model: everything a Robot needs, frozen. Made from a DH table, never edited."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from robot_dynamics.errors import ModelError
from robot_dynamics.model.coordinates import Coordinates, Linear
from robot_dynamics.model.denoc import (
    Array,
    Geometry,
    Inertials,
    frozen,
    make_geometry,
    make_inertials,
)
from robot_dynamics.model.dh.table import DHTable, hinge, step
from robot_dynamics.model.floating import Floating, free_joints
from robot_dynamics.model.transforms import pose, zxz_angles

FAR = 10.0  # an origin so many times a link's size from its mass centre costs digits


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the joints, each (n,); infinite where there is none.

    Those that a URDF gives mimic joints are not used: their leader's hold.
    """

    lower: Array
    upper: Array
    velocity: Array
    effort: Array


@dataclass(frozen=True, slots=True)
class LinkFrame:
    """A named frame: the body it is fixed on (-1: root) and its pose in that body's link frame."""

    body: int
    T: Array
    tip: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The DeNOC model with names and limits.

    Tree coordinates are one per body; user coordinates are those that move freely.
    """

    name: str
    joint_names: tuple[str, ...]  # n user joints
    tree_joint_names: tuple[str, ...]  # L joints of the tree, mimics included
    body_names: tuple[str, ...]  # L
    geometry: Geometry
    inertials: Inertials
    coordinates: Coordinates  # from the user's joints to the tree's
    limits: Limits
    damping: Array  # (n,) what followers add to their leader's included
    friction: Array  # (n,) Coulomb
    frames: Mapping[str, LinkFrame]
    joint_turn: Array  # (L,) from the joint's frame of the recursions to frame i, about Z [rad]
    joint_offset: Array  # (L,) from O_i to the link's origin, along Z_i at q = 0 [m]


def refreeze(part: Any) -> None:
    """Freeze the arrays of a model, or of a part of it, that was copied."""
    if isinstance(part, np.ndarray):
        frozen(part)
    elif is_dataclass(part):
        for field in fields(part):
            refreeze(getattr(part, field.name))
    elif isinstance(part, (tuple, Mapping)):
        for value in part.values() if isinstance(part, Mapping) else part:
            refreeze(value)


def build_model(table: DHTable, gravity=(0.0, 0.0, -9.81), friction: bool = True) -> Model:
    """Make the DeNOC model of a DH table."""
    rows, parents = table.rows, table.parents()
    slides = _slides(table, parents)
    links = [_hang(table, i, parents[i], slides) for i in range(len(rows))]
    bodies = [_inertials(row, slide) for row, slide in zip(rows, slides, strict=True)]
    joint_names, linear = _user_coordinates(table)
    G = linear.G
    leaders = {row.name: row for row in rows}
    geometry = make_geometry(parents, [row.prismatic for row in rows],
                             *([link[k] for link in links] for k in range(4)))
    free = free_joints(rows, geometry, joint_names)
    return Model(
        table.name, joint_names, tuple(str(row.name) for row in rows),
        tuple(str(row.link) for row in rows),
        geometry,
        make_inertials([body[0] for body in bodies], [body[1] for body in bodies],
                       [body[2] for body in bodies], [row.armature for row in rows], gravity),
        Floating(linear, free) if free else linear,
        Limits(*(frozen(np.array([getattr(leaders[name], key) for name in joint_names], float))
                 for key in ('lower', 'upper', 'velocity', 'effort'))),
        frozen(friction * (G * G).T @ np.array([row.damping for row in rows], float)),
        frozen(friction * np.abs(G).T @ np.array([row.friction for row in rows], float)),
        {name: LinkFrame(frame.row, frozen(
            frame.T.copy() if frame.row < 0 else _tail(rows[frame.row], slides[frame.row])
            @ frame.T), frame.tip) for name, frame in table.frames.items()},
        frozen(np.array([link[4] for link in links], float)),
        frozen(np.array([(row.b or 0.0) + slide for row, slide in zip(
            rows, slides, strict=True)], float)))


def _slides(table: DHTable, parents: list[int]) -> list[float]:
    """Return how far each link frame's origin is moved along Z_i from O'_i.

    Between axes that are almost parallel the common normal may be far away; an origin there
    would drown the link's inertia in that of its distance. The origin moves beside the mass
    centre then; beside what it carries, where the link has no mass.
    """
    rows = table.rows
    slides = [0.0] * len(rows)
    carried: list[list[tuple[float, float]]] = [[] for _ in rows]
    for i in reversed(range(len(rows))):
        row = rows[i]
        if row.mass:
            x, y, along = (step(row.a, row.alpha, row.beta) @ [*row.com, 1.0])[:3]
            size = max(np.hypot(x, y), _gyration(row))
        else:
            along, size = np.mean(carried[i] or [(0.0, 0.0)], axis=0)
        slides[i] = float(along) if abs(along) > FAR * size else 0.0
        if parents[i] >= 0:
            x, y, z = _hang(table, i, parents[i], slides)[3]
            carried[parents[i]].append((z, max(np.hypot(x, y), size)))
    return slides


def _gyration(row) -> float:
    """Return the link's radius of gyration [m]."""
    return float(np.sqrt(max(np.trace(row.inertia), 0.0) / 2 / row.mass)) if row.mass > 0 else 0.0


def _tail(row, slide: float):
    """Return frame i+1 in link frame i."""
    return pose(p=(0.0, 0.0, -slide)) @ step(row.a, row.alpha, row.beta)


def _hang(table: DHTable, i: int, parent: int, slides: list[float]):
    """Return gamma, alpha, theta0, d of link i on its parent (denoc.py), and its joint_turn."""
    row = table.rows[i]
    if parent < 0:
        T_parent_F = np.eye(4) if row.base is None else row.base
    elif row.branch is None:
        T_parent_F = _tail(table.rows[parent], slides[parent])
    else:
        branch = row.branch
        T_parent_F = (pose(p=(0.0, 0.0, -slides[parent])) @ hinge(branch.gamma, branch.epsilon)
                      @ step(branch.a, branch.alpha, branch.beta))
    gamma, alpha, delta = zxz_angles(T_parent_F[:3, :3])
    d = T_parent_F[:3, 3] + T_parent_F[:3, 2] * ((row.b or 0.0) + slides[i])
    return gamma, alpha, delta + (row.theta or 0.0), d, delta


def _inertials(row, slide: float):
    """Return mass, first moment and inertia about the origin, in link frame i."""
    body = row.body.in_frame(_tail(row, slide))
    inertia = body.origin_inertia + np.diag([0.0, 0.0, row.hub_inertia])
    return body.mass, body.moment, (inertia + inertia.T) / 2


def _user_coordinates(table: DHTable) -> tuple[tuple[str, ...], Linear]:
    """Return the free joints, and the map from their values to the tree's."""
    mimics = {str(row.name): row.mimic for row in table.rows}
    free = [name for name, mimic in mimics.items() if mimic is None]
    column = {name: k for k, name in enumerate(free)}
    G, q0 = np.zeros((len(table.rows), len(free))), np.zeros(len(table.rows))
    for i, row in enumerate(table.rows):
        leader, multiplier, offset = str(row.name), 1.0, 0.0
        for _ in table.rows:  # a chain of mimics is no longer than the table
            mimic = mimics.get(leader)
            if mimic is None:
                break
            offset += multiplier * mimic.offset
            multiplier *= mimic.multiplier
            leader = mimic.leader
        if leader not in column:
            raise ModelError(
                f'joint {row.name!r} mimics {leader!r}, which is no joint, or follows it in turn')
        G[i, column[leader]] = row.sign * multiplier
        q0[i] = row.sign * offset
    return tuple(free), Linear(G, q0)
