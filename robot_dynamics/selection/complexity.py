"""Complexity of GIM and MCI: operations of the code that runs, and by the papers' formulas.

The papers leave sines and cosines out of their counts; the machine does not. One of them counts as
the operations that our own machine code makes of it, half of a pair.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from robot_dynamics.algorithms.counting import Count
from robot_dynamics.algorithms.paper_counts import COUNTS, evaluate
from robot_dynamics.engine.emission.elementary import Writer
from robot_dynamics.mechanism.mechanism import Mechanism
from robot_dynamics.robot import Robot
from robot_dynamics.selection.family import Family, sliding

VERBS = {'gim': 'inertia_matrix', 'mci': 'convective_matrix'}
FORMULAS = {('gim', False): 'Bhangale2004 (14)', ('mci', False): 'Bhangale2004 (16)',
            ('gim', True): 'Bhangale2004 (17)', ('mci', True): 'Bhangale2004 (18)'}


class Complexity(NamedTuple):
    """Operations of one matrix: counted, their sum, and the paper's where its formula holds."""

    counted: Count
    operations: float
    paper: tuple[float, float] | None  # M, A
    formula: str


def complexity(family: Family, what: str) -> Complexity:
    """Return the operations of 'gim' or 'mci' for the structure of a family."""
    arm = family.first
    count = arm.operation_count(VERBS[what])
    formula = paper_formula(arm, what)
    return Complexity(count, operations(count), paper_count(formula, arm.n), formula)


def operations(count: Count) -> float:
    """Return multiplications, additions, and what sines and cosines are made of, as one number."""
    return count.multiplications + count.additions + elementary_cost() * count.trigonometric


@cache
def elementary_cost() -> float:
    """Return multiplications and additions of a sine or a cosine in our machine code."""
    writer = Writer(1)
    writer.sine_cosine('%x')
    arithmetic = ('fadd', 'fsub', 'fmul', 'fdiv')
    return sum(line.split('=')[1].split()[0] in arithmetic for line in writer.lines) / 2


def paper_formula(arm: Robot, what: str) -> str:
    """Return which formula of Bhangale2004 holds: for serial arms of revolute joints alone."""
    geometry = arm.model.geometry
    n = len(geometry.parent)
    serial = bool((geometry.parent == np.arange(n) - 1).all()) and n == arm.n
    if not serial or isinstance(arm, Mechanism) or sliding(arm).any() or arm.nq != arm.n:
        return ''
    return FORMULAS[what, parallel_axes(arm)]


def parallel_axes(arm: Robot) -> bool:
    """Tell whether all axes of a serial arm are parallel: it moves in a plane."""
    w = arm.jacobian(arm.neutral, arm.tip_names[0])[:3].T
    return bool((np.abs(np.cross(w, w[:1])) < 1e-9).all())


def paper_count(formula: str, n: int) -> tuple[float, float] | None:
    """Return M and A of a formula at n."""
    for entry in COUNTS:
        if entry.source == formula:
            return (float(evaluate(entry.multiplications, n)),
                    float(evaluate(entry.additions, n)))
    return None
