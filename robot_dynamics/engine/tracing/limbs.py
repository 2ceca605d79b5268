"""Limbs: parts of a robot that are built alike, as the legs of a platform or a quadruped.

What happens in one limb happens in the others, with other numbers. Code that does it for all of
them at once, a limb in each lane of a vector, needs the same operations in each: numbers in which
limbs differ are kept from folding here, where one of them may be zero or one, or have another
sign. packs.py finds the operations that go together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from robot_dynamics.engine.tracing.symbols import Graph
from robot_dynamics.model.coordinates import Coordinates
from robot_dynamics.model.cuts import Cut
from robot_dynamics.model.denoc import Array, Geometry

if TYPE_CHECKING:
    from robot_dynamics.engine.tracing.trace import Spec

Limb = tuple[int, ...]  # its links; those at one place of the limbs of a group correspond
Group = tuple[Limb, ...]

FEW = 5  # limbs count where one of so many links is the same again: two fingers of an arm cost
# more to compile than they save
FIELDS = ('cg', 'sg', 'ca', 'sa', 'theta0', 'd', 'c0', 's0', 'offset')  # of Geometry


def find_limbs(spec: 'Spec') -> list[Group]:
    """Return groups of limbs that are built alike, the largest groups first.

    There are none where they are a small part of the robot.
    Limbs hang side by side on one body. Where parts of them are alike again, as the two rods of
    each forearm of a Delta, those of all limbs are a group too, each with the way to it.
    """
    children: dict[int, list[int]] = {}
    for i, parent in enumerate(spec.geometry.parent.tolist()):
        children.setdefault(parent, []).append(i)
    closed = [tuple((cut.kind, side) for cut in cuts_of(spec) for side in (0, 1)
                    if cut.bodies[side] == i) for i in range(spec.L)]

    def shape(i: int) -> tuple[Any, ...]:
        return (bool(spec.geometry.prismatic[i]), i in spec.massless, closed[i],
                tuple(shape(k) for k in children.get(i, [])))

    def links(i: int) -> Limb:
        return (i, *(x for k in children.get(i, []) for x in links(k)))

    def groups(body: int) -> Iterator[Group]:
        alike: dict[tuple[Any, ...], list[int]] = {}
        for k in children.get(body, []):
            alike.setdefault(shape(k), []).append(k)
        for roots in alike.values():
            limbs = tuple(map(links, roots))
            if len(limbs) > 1:
                yield limbs
            for inner in groups_within(roots[0]):
                places = [[limbs[0].index(x) for x in part] for part in inner]
                yield tuple(tuple(limb[k] for k in place) for limb in limbs for place in places)

    def groups_within(root: int) -> Iterator[Group]:
        for inner in groups(root):
            yield tuple((root, *part) for part in inner)

    found = sorted(groups(-1), key=len, reverse=True)
    again = {x for group in found for limb in group[1:] for x in limb if x not in group[0]}
    return found if FEW * len(again) >= spec.L else []


def cuts_of(spec: 'Spec') -> tuple[Cut, ...]:
    """Return the cut joints of a mechanism."""
    loops = getattr(spec.coordinates, 'loops', None)
    return () if loops is None else loops.cuts


def cuts_at(cuts: Sequence[Cut], link: int) -> list[int]:
    """Return the numbers of the cuts at a link."""
    return [k for k, cut in enumerate(cuts) if link in cut.bodies]


def kept_apart(spec: 'Spec', graph: Graph, geometry: Geometry) -> tuple[Geometry, Coordinates]:
    """Return geometry and coordinates whose numbers do not fold where limbs differ in them.

    geometry: of numbers of any kind; it is changed
    """
    cuts = list(cuts_of(spec))
    for group in find_limbs(spec):
        for links in zip(*group, strict=True):
            for field in FIELDS:
                keep_apart(graph, getattr(geometry, field), field, links)
            for numbers in zip(*(cuts_at(cuts, link) for link in links), strict=True):
                frames = np.array([cuts[k].frames for k in numbers], object)
                keep_apart(graph, frames, 'cut', range(len(numbers)), numbers)
                for k, pair in zip(numbers, frames, strict=True):
                    cuts[k] = replace(cuts[k], frames=tuple(
                        tuple(map(tuple, T)) for T in pair))
    if not cuts or not hasattr(spec.coordinates, 'over_constants'):
        return geometry, spec.coordinates
    return geometry, spec.coordinates.over_constants(geometry, tuple(cuts))


def keep_apart(graph: Graph, values: Array, field: str, rows: Sequence[int],
               names: Sequence[int] | None = None) -> None:
    """Replace numbers of an array in which some rows differ; names: of the rows."""
    names = rows if names is None else names
    for place in np.ndindex(values.shape[1:]):
        found = [values[(row, *place)] for row in rows]
        if all(isinstance(x, float) for x in found) and len(set(found)) > 1:
            for row, name, x in zip(rows, names, found, strict=True):
                values[(row, *place)] = graph.fixed(x, (field, name, *place))
