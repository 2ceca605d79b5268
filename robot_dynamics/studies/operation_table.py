"""Our operation counts beside the papers': for one robot, and for the general n-revolute arm."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics.algorithms import FORWARD, GIM, INVERSE
from robot_dynamics.algorithms.bias import bias
from robot_dynamics.algorithms.convective import convective_matrix, skew_convective_matrix
from robot_dynamics.algorithms.counting import Count, count, general_arm
from robot_dynamics.algorithms.paper_counts import COUNTS, PaperCount, Polynomial, evaluate
from robot_dynamics.studies.planar import PlanarArm
from robot_dynamics.studies.planar import convective_matrix as planar_convective
from robot_dynamics.studies.planar import inertia_matrix as planar_gim

FIT = (4, 5, 6, 7)  # arms a cubic is drawn through; shorter ones have no middle joint


class Method(NamedTuple):
    """A function to count, with how many joint vectors it takes."""

    what: str
    name: str
    function: Callable[..., Any]
    inputs: int


METHODS: tuple[Method, ...] = (
    *(Method('inverse', name, f, 3) for name, f in INVERSE.items()),
    Method('bias', 'gibbs_appell', bias, 2),
    *(Method('gim', name, f, 1) for name, f in GIM.items()),
    *(Method('forward', name, f, 3) for name, f in FORWARD.items()),
    Method('convective', 'denoc', convective_matrix, 2),
    Method('convective', 'denoc, skew', skew_convective_matrix, 2),
)

PLANAR: tuple[Method, ...] = (
    Method('planar gim', 'denoc', planar_gim, 1),
    Method('planar convective', 'denoc', planar_convective, 2),
)


class Formula(NamedTuple):
    """Counts of the general arm as polynomials in n, ascending coefficients."""

    multiplications: Polynomial
    additions: Polynomial
    trigonometric: Polynomial


def count_tree(method: Method, *parts: Any) -> Count:
    """Return what a method needs for one robot: its geometry and inertials, or its planar arm."""
    return count(method.function, *parts, inputs=method.inputs)['needed']


def count_general(method: Method, n: int) -> Count:
    """Return what a method needs for the general arm of n revolute joints."""
    if method in PLANAR:
        return count_tree(method, planar_general_arm(n))
    return count_tree(method, *general_arm(n))


def count_formula(method: Method) -> Formula:
    """Return the counts of the general arm for every n >= 4, exact since they are cubic in n."""
    counts = [count_general(method, n) for n in FIT]
    return Formula(*(through(FIT, [c[k] for c in counts]) for k in range(3)))


def through(points: Sequence[int], values: Sequence[int]) -> Polynomial:
    """Return the polynomial through some points (Lagrange), ascending coefficients."""
    total = [Fraction(0)] * len(points)
    for x, y in zip(points, values, strict=True):
        basis = [Fraction(y)]
        for other in points:
            if other != x:  # multiply by (n - other) / (x - other)
                shifted = [Fraction(0), *basis]
                basis = [(a - other * b) / (x - other)
                         for a, b in zip(shifted, [*basis, Fraction(0)], strict=True)]
        total = [a + b for a, b in zip(total, basis, strict=True)]
    return tuple(total)


def planar_general_arm(n: int) -> PlanarArm:
    """Return the papers' planar arm: n parallel revolute joints, a_i along x, the rest general."""
    generator = np.random.default_rng(n)
    offset = np.zeros((n, 2))
    offset[1:, 0] = generator.uniform(0.2, 0.9, n - 1)
    mass = generator.uniform(1.0, 2.0, n)
    return PlanarArm(
        np.arange(n) - 1, np.zeros(n, bool), np.ones(n), np.zeros((n, 2)), offset, mass,
        generator.uniform(0.1, 0.5, (n, 2)), generator.uniform(0.5, 1.0, n), np.zeros(n))


def value(formula: Polynomial, n: int) -> int:
    """Return a polynomial's value at n, which is whole for counts."""
    return int(evaluate(formula, n))


REASONS: dict[str, str] = {
    'a': "Components nobody needs are not counted, and the base frame is the first joint's: the "
         'constant terms are lower, and the first joint needs no sine and cosine.',
    'b': 'Positions and velocities of the mass centres (28 n M, 26 n A of Angeles7 Table 7.1) are '
         "not computed: torques do not need them. Moments are about the link's origins.",
    'c': "Offsets enter in the joint's frame, where they are [a, 0, b]: a cross product with one "
         'takes 4 M 1 A instead of 6 M 3 A, a sum 2 A instead of 3 A.',
    'd': "The mass matrix is constant in the link's frame, so steps 1 to 5a of Bhangale2004 are "
         "off-line; on the other hand step 5b counts no turn of the composite body's matrix to "
         'the next frame (16 M 16 A).',
    'e': 'Bhangale2004 (16) is a half for every n, so no exact count; it can only be what comes '
         'on top of the GIM. Ours stands alone, composite bodies and their turns included.',
    'f': 'The paper takes the bias vector as given; ours includes it.',
    'g': "The paper's links are slender rods; ours are general.",
    'h': "The square roots of Cholesky's decomposition are left out (L D L^T).",
    'i': 'Rows of a projected mass matrix that are known to vanish are not computed.',
    'j': "First moments are constant in the link's plane frame, so steps 1 to 4 are off-line, and "
         "an offset along x leaves 1 M of a cross product's 2.",
}

# (what, our name) -> (author, source) of the count to put beside it, and the reasons of REASONS
BESIDE: dict[tuple[str, str], tuple[str, str, str]] = {
    ('inverse', 'newton_euler'): ('Angeles', 'Angeles7 (7.43)', 'abc'),
    ('inverse', 'denoc'): ('Angeles', 'Angeles7 (7.43)', 'abc'),
    ('inverse', 'gibbs_appell'): ('Mata et al.', 'Mata2002 Table 1', 'ac'),
    ('bias', 'gibbs_appell'): ('Mata et al.', 'Mata2002 Table 3', 'ac'),
    ('gim', 'denoc'): ('Bhangale et al.', 'Bhangale2004 (14)', 'acd'),
    ('gim', 'gibbs_appell'): ('Mata et al.', 'Mata2002 Table 2', 'ac'),
    ('gim', 'composite_body'): ('Walker & Orin', 'Bhangale2004 (15)', 'acd'),
    ('forward', 'denoc'): ('Mohan & Saha', 'MohanSaha2007 Table 1', 'acfg'),
    ('forward', 'cholesky'): ('Walker & Orin', 'MohanSaha2007 Table 1', 'acfh'),
    ('forward', 'gibbs_appell'): ('Mata et al.', 'Mata2002 Table 3', 'ach'),
    ('forward', 'articulated_body'): ('Featherstone', 'MohanSaha2007 Table 1', 'acfi'),
    ('forward', 'composite_body'): ('Walker & Orin', 'MohanSaha2007 Table 1', 'acfh'),
    ('convective', 'denoc'): ('Bhangale et al.', 'Bhangale2004 (16)', 'e'),
    ('convective', 'denoc, skew'): ('Bhangale et al.', 'Bhangale2004 (16)', 'e'),
    ('planar gim', 'denoc'): ('Bhangale et al.', 'Bhangale2004 (17)', 'aj'),
    ('planar convective', 'denoc'): ('Bhangale et al.', 'Bhangale2004 (18)', 'aej'),
}


def beside(method: Method) -> tuple[PaperCount, str] | None:
    """Return the paper's count beside a method and the letters of the reasons, None: no paper."""
    if (method.what, method.name) not in BESIDE:
        return None
    author, source, reasons = BESIDE[method.what, method.name]
    for entry in COUNTS:
        if (entry.author, entry.source) == (author, source) and entry.what.startswith(method.what):
            return entry, reasons
    raise KeyError((author, source))
