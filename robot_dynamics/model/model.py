"""Model: everything a Robot needs, frozen. Made from a DH table, never edited."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robot_dynamics.errors import ModelError
from robot_dynamics.model.coordinates import Coordinates
from robot_dynamics.model.denoc import (
    Array,
    Geometry,
    Inertials,
    frozen,
    make_geometry,
    make_inertials,
)
from robot_dynamics.model.dh.table import DHTable, Frame
from robot_dynamics.model.floating import Floating, free_joints
from robot_dynamics.model.linear import Linear
from robot_dynamics.model.placement import Placement, place, rows_of


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


def build_model(table: DHTable, gravity: ArrayLike = (0.0, 0.0, -9.81),
                friction: bool = True) -> Model:
    """Make the DeNOC model of a DH table."""
    rows, parents = table.rows, table.parents()
    numbers = rows_of(table)
    placement = place(table, numbers)
    joint_names, linear = _user_coordinates(table)
    G = linear.G
    leaders = {row.name: row for row in rows}
    six = np.stack(placement.inertia, axis=-1)
    geometry = make_geometry(
        parents, [row.prismatic for row in rows], placement.gamma, placement.alpha,
        placement.theta0, np.stack(placement.d, axis=-1))
    free = free_joints(rows, geometry, joint_names)
    return Model(
        table.name, joint_names, tuple(str(row.name) for row in rows),
        tuple(str(row.link) for row in rows), geometry,
        make_inertials(numbers.mass, np.stack(placement.moment, axis=-1), symmetric_matrices(six),
                       numbers.armature, gravity),
        Floating(linear, free) if free else linear,
        Limits(*(frozen(np.array([getattr(leaders[name], key) for name in joint_names], float))
                 for key in ('lower', 'upper', 'velocity', 'effort'))),
        frozen(friction * (G * G).T @ numbers.damping),
        frozen(friction * np.abs(G).T @ numbers.friction),
        {name: LinkFrame(frame.row, frozen(place_frame(placement, frame)), frame.tip)
         for name, frame in table.frames.items()},
        frozen(placement.turn), frozen(placement.offset))


def place_frame(placement: Placement, frame: Frame) -> Array:
    """Return a named frame's pose in its body's link frame (row -1: the root's), (..., 4, 4)."""
    if frame.row < 0:
        return frame.T.copy()
    tail = [np.broadcast_arrays(*(x[..., frame.row] for x in part)) for part in placement.tails]
    lead = np.broadcast_shapes(*(part[0].shape for part in tail))
    T = np.zeros((*lead, 4, 4))
    for r, part in enumerate(tail):
        T[..., r, :] = np.stack(part, axis=-1)
    T[..., 3, 3] = 1.0
    return T @ frame.T


def symmetric_matrices(six: Array) -> Array:
    """Return matrices (..., 3, 3) of Ixx Ixy Ixz Iyy Iyz Izz, (..., 6)."""
    return six[..., [[0, 1, 2], [1, 3, 4], [2, 4, 5]]]


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
