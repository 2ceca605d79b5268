"""Which of two formulations gives the passive rates of a mechanism, and why."""

from typing import NamedTuple

import numpy as np

from robot_dynamics.engine.tracing.symbols import Graph, Symbol
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import choice
from robot_dynamics.mechanism.building import rank_of
from robot_dynamics.mechanism.legged import Legged
from robot_dynamics.mechanism.looped import Looped
from robot_dynamics.mechanism.loops import Loops
from robot_dynamics.mechanism.structure import find_structure
from robot_dynamics.model.denoc import Array

FORMULATIONS = (Legged.formulation, Looped.formulation)


class Formulation(NamedTuple):
    """The coordinates of a mechanism, and why these."""

    coordinates: Looped
    why: str


def choose(loops: Loops, start: Array, wanted: str = 'auto') -> Formulation:
    """Return the coordinates that are asked for; of two that can, 'auto' takes the leaner.

    Whatever serves, `algorithm='denoc'` goes by recursive projections where they can be had.

    `InputError`: recursive projections of what is no parallel structure
    """
    choice('formulation', wanted, ('auto', *FORMULATIONS))
    looped = Looped(loops, trunk(loops, start))
    if wanted == Looped.formulation:
        return Formulation(looped, 'asked for')
    structure = find_structure(loops, start)
    if isinstance(structure, str):
        if wanted == Legged.formulation:
            raise InputError(f'formulation={wanted!r} is for legs between a base and one end '
                             f'effector: {structure}')
        return Formulation(looped, f'no parallel structure: {structure}')
    legged = Legged(loops, structure)
    if wanted == Legged.formulation:
        return Formulation(legged, 'asked for')
    counts = {each.formulation: operations(each) for each in (legged, looped)}
    leaner = legged if counts[legged.formulation] <= counts[looped.formulation] else looped
    return Formulation(leaner, 'passive rates in ' + ', '.join(
        f'{count} operations by {name}' for name, count in counts.items())
        + "; algorithm='denoc' takes the former")


def projected(loops: Loops, start: Array) -> Legged | None:
    """Return the coordinates by recursive projections, None where legs are not parallel."""
    structure = find_structure(loops, start)
    return None if isinstance(structure, str) else Legged(loops, structure)


def symbols(coordinates: Looped) -> tuple[Array, Array]:
    """Return symbols for a state of all joints and rates of the independent ones."""
    graph = Graph()
    q, qd = (np.array([graph.state(name, k) for k in range(size)], object)
             for name, size in (('q', coordinates.nq), ('qd', coordinates.nv)))
    return q, qd


def operations(coordinates: Looped) -> int:
    """Count the operations that passive rates take, common ones once."""
    q, qd = symbols(coordinates)
    rates = coordinates.at(q).joint_rates(q, qd)
    found, waiting = dict[int, Symbol](), [x for x in rates if type(x) is Symbol]
    while waiting:
        node = waiting.pop()
        if node.index not in found and node.op not in ('state', 'const'):
            found[node.index] = node
            waiting += [x for x in (node.a, node.b) if type(x) is Symbol]
    return sum(node.op != 'neg' for node in found.values())


def trunk(loops: Loops, start: Array) -> tuple[int, ...]:
    """Return joints of which all others follow loop by loop, where the independent do not do it.

    They exist if every loop has joints of its own that close it: its dependent ones, or those with
    an independent one that slides along its own link, as a cylinder's piston does. Then they are
    singular nowhere else. (): there are none
    """
    if loops.gears:
        return ()
    J, touched, row, own = loops.jacobian(start), loops.touched(), 0, set[int]()
    for number, cut in enumerate(loops.cuts):
        rows = J[row:row + cut.rows]
        row += cut.rows
        mine = [j for j, on in enumerate(touched) if on == [number]]
        for joints in ([j for j in mine if j in loops.dependent], mine):
            if joints and rank_of(rows[:, joints]) == len(joints) == rank_of(rows):
                own.update(joints)
                break
        else:
            return ()
    rest = tuple(j for j in range(loops.tree.nv) if j not in own)
    driven = own.intersection(loops.independent)
    if not driven:
        return ()
    within = Looped(loops.over(rest))
    factors = within.at(symbols(within)[0]).closing.factors
    steady = {within.loops.dependent[k] for k, row in factors.single
              if type(factors.columns[k][row]) is not Symbol}
    return rest if driven <= steady else ()
