"""Which of two formulations gives the passive rates of a mechanism, and why."""

from typing import NamedTuple

import numpy as np

from robot_dynamics.engine.tracing.symbols import Graph, Symbol
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import choice
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

    `InputError`: recursive projections of what is no parallel structure
    """
    choice('formulation', wanted, ('auto', *FORMULATIONS))
    looped = Looped(loops)
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
        f'{count} operations by {name}' for name, count in counts.items()))


def operations(coordinates: Looped) -> int:
    """Count the operations that passive rates take, common ones once."""
    graph = Graph()
    q, qd = (np.array([graph.state(name, k) for k in range(size)], object)
             for name, size in (('q', coordinates.nq), ('qd', coordinates.nv)))
    rates = coordinates.at(q).joint_rates(q, qd)
    found, waiting = set[int](), [x for x in rates if type(x) is Symbol]
    while waiting:
        node = waiting.pop()
        if node.index not in found and node.op not in ('state', 'const'):
            found.add(node.index)
            waiting += [x for x in (node.a, node.b) if type(x) is Symbol]
    return sum(graph.nodes[k].op != 'neg' for k in found)
