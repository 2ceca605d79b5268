"""Structure: whether a mechanism is the parallel structure of SahaSchiehlen2001, and its legs.

Its assumptions (Sec. IV): legs are serial chains between a base and one end effector, as many as
there are freedoms, with one independent joint each. Joints of more degrees are chains of joints of
one (Sec. III): so a cut joint becomes the last joints of its leg.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics.algorithms.closure import way_up
from robot_dynamics.algorithms.kinematics import poses
from robot_dynamics.algorithms.parallel_legs import Leg, Legs
from robot_dynamics.algorithms.turns import tensor_times
from robot_dynamics.mechanism.loops import Loops
from robot_dynamics.model.cuts import X, Y, Z
from robot_dynamics.model.denoc import Array, Inertials

TURN, SLIDE = False, True
# The joints of a cut, from the leg to the end effector: whether they slide, along which axis.
# A ball has the root's axes: any three will do at one pose.
JOINTS: dict[str, tuple[tuple[bool, int], ...]] = {
    'fixed': (),
    'revolute': ((TURN, Z),),
    'prismatic': ((SLIDE, Z),),
    'cylindrical': ((SLIDE, Z), (TURN, Z)),
    'universal': ((TURN, X), (TURN, Y)),
    'spherical': ((TURN, X), (TURN, Y), (TURN, Z)),
    'planar': ((SLIDE, X), (SLIDE, Y), (TURN, Z)),
}


@dataclass(frozen=True)
class LegParts:
    """A leg: links of the tree from the base on, and the cut that ends it (None: none)."""

    links: tuple[int, ...]
    k: int  # which of its joints is independent
    cut: int | None
    ball: bool  # its last three joints turn about one point, all passive


@dataclass(frozen=True)
class Structure:
    """The legs in the order of the independent joints; end: the body they share, -1: the base."""

    legs: tuple[LegParts, ...]
    end: int
    joints: tuple[int, ...]  # of each link, its number among the tree's own coordinates
    signs: tuple[float, ...]  # link's rate per own rate


def find_structure(loops: Loops, start: Array) -> Structure | str:
    """Return the legs of a mechanism, or why it is no such structure."""
    if loops.gears:
        return 'gears couple its joints'
    L = loops.tree.L
    G = np.array([loops.tree.torques(np.zeros(loops.tree.nq), row) for row in np.eye(L)])
    if not loops.tree.flat or loops.tree.nv != L or (np.abs(G).sum(axis=0) != 1.0).any():
        return 'joints follow others, or float'
    joints = tuple(int(np.flatnonzero(row)[0]) for row in G)
    signs = tuple(float(G[i, j]) for i, j in enumerate(joints))
    shared = set(loops.cuts[0].bodies).intersection(*(cut.bodies for cut in loops.cuts))
    reason = 'its loops do not all end on one body'
    for end in sorted(shared):
        found = _legs(loops, end, joints)
        if isinstance(found, str):
            reason = found
            continue
        structure = Structure(found, end, joints, signs)
        if all(a > b for a, b in make_legs(structure, loops, start).guards):
            return structure
        reason = 'passive joints of a leg depend on each other at the start'
    return reason


def _legs(loops: Loops, end: int, joints: tuple[int, ...]) -> tuple[LegParts, ...] | str:
    """Return the legs to an end effector, or why they are none."""
    parent = loops.tree_geometry.parent
    ways: list[tuple[tuple[int, ...], int | None]] = []
    if end >= 0:
        ways.append((_way(parent, end), None))
    for c, cut in enumerate(loops.cuts):
        other = cut.bodies[0] if cut.bodies[1] == end else cut.bodies[1]
        ways.append((_way(parent, other), c))
    on_legs = sorted(i for way, _ in ways for i in way)
    if len(on_legs) != len(set(on_legs)):
        return 'legs share links'
    if on_legs != list(range(loops.tree.L)):
        return 'there are links beside the legs'
    if len(ways) != len(loops.independent):
        legs, freedoms = len(ways), len(loops.independent)
        return (f'{legs} leg{"s" * (legs != 1)} for '
                f'{freedoms} freedom{"s" * (freedoms != 1)}')
    found = []
    for joint in loops.independent:
        i = joints.index(joint)
        way, end_cut = next(pair for pair in ways if i in pair[0])
        k = way.index(i)
        found.append(LegParts(way, k, end_cut, _ball(loops, way, k, end_cut)))
    if len({leg.links for leg in found}) < len(found):
        return 'a leg has several independent joints'
    return tuple(found)


def _way(parent: Array, body: int) -> tuple[int, ...]:
    return tuple(reversed(way_up(parent, body)[:-1]))


def _ball(loops: Loops, links: tuple[int, ...], k: int, cut: int | None) -> bool:
    """Tell whether the last three joints of a leg are passive and turn about one point."""
    if cut is not None:
        return loops.cuts[cut].kind == 'spherical'
    last, geometry = list(links[-3:]), loops.tree_geometry
    return (len(links) >= 3 and k < len(links) - 3 and not geometry.prismatic[last].any()
            and not np.any(geometry.d[last[1:]]))


def make_legs(structure: Structure, loops: Loops, q: Array) -> Legs:
    """Return the legs at joint values q of the tree, assembled."""
    R, p = poses(loops.tree_geometry, loops.tree.positions(q))
    return Legs([_leg(structure, loops, leg, R, p) for leg in structure.legs],
                fixed=structure.end < 0)


def _leg(structure: Structure, loops: Loops, parts: LegParts, R: Array, p: Array) -> Leg:
    """Return one leg at the poses of the links."""
    axes = [R[i][:, 2] * structure.signs[i] for i in parts.links]
    origins = [p[i] for i in parts.links]
    slides = [bool(loops.tree_geometry.prismatic[i]) for i in parts.links]
    if parts.cut is None:
        E = p[structure.end]
    else:
        cut = loops.cuts[parts.cut]
        side = cut.bodies.index(structure.end)
        own, E = _frame(cut.frames[1 - side], cut.bodies[1 - side], R, p)
        far, E = _frame(cut.frames[side], structure.end, R, p)
        kinds = JOINTS[cut.kind]
        for slide, axis in kinds if side == 1 else _reversed(cut.kind):
            if cut.kind == 'spherical':
                e = np.array(np.eye(3)[axis], p.dtype)
            elif cut.kind == 'universal':
                # x of the first frame, y of the second
                e = (own if (axis == X) == (side == 1) else far)[:, axis]
            else:
                e = (far if structure.end < 0 and not slide else own)[:, axis]
            axes.append(e)
            origins.append(E)
            slides.append(slide)
    return Leg(axes, origins, tuple(slides), parts.k, E, loops.length, parts.ball)


def _reversed(kind: str) -> tuple[tuple[bool, int], ...]:
    """Return the joints of a cut whose first frame is the end effector's."""
    return JOINTS[kind][::-1] if kind == 'universal' else JOINTS[kind]


def _frame(T: tuple[tuple[float, ...], ...], body: int, R: Array, p: Array) -> tuple[Array, Array]:
    """Return axes (3, 3) and origin of a cut's frame, in root axes."""
    frame = np.array(T)
    if body < 0:
        return np.array(frame[:3, :3], p.dtype), np.array(frame[:3, 3], p.dtype)
    axes = np.array([tensor_times(R[body], frame[:3, k]) for k in range(3)], p.dtype).T
    return axes, p[body] + tensor_times(R[body], frame[:3, 3])


def leg_masses(structure: Structure, loops: Loops, inertials: Inertials, q: Array,
               ) -> list[list[Array]]:
    """Return the mass matrices (6, 6) of the legs' bodies, SahaSchiehlen2001 (2), at q.

    At the bodies' origins, in root axes, of twists as the legs have them; the bodies between the
    joints of a cut have no mass, and the end effector's is that of the leg which ends on it.
    """
    R, _ = poses(loops.tree_geometry, loops.tree.positions(q))
    masses = []
    for leg in structure.legs:
        own = []
        for i in leg.links:
            I, d = R[i] @ inertials.inertia[i] @ R[i].T, R[i] @ inertials.moment[i]
            D = np.array([[0.0, -d[2], d[1]], [d[2], 0.0, -d[0]], [-d[1], d[0], 0.0]])
            M = np.zeros((6, 6), q.dtype)
            M[:3, :3], M[:3, 3:] = I / loops.length ** 2, D / loops.length
            M[3:, :3], M[3:, 3:] = -D / loops.length, inertials.mass[i] * np.eye(3)
            own.append(M)
        cuts = 0 if leg.cut is None else len(JOINTS[loops.cuts[leg.cut].kind])
        masses.append(own + [np.zeros((6, 6), q.dtype)] * cuts)
    return masses
