"""What each kernel computes, over numbers of any kind: floats (reference) or symbols (traced).

Every function takes a `Numbers` and the user's arguments, each of shape (n,), and returns Outputs:
its results row by row. The algorithms know the tree's L joints only; here its joint values are
made of the user's (q_tree = expand q + offset), its torques projected back, friction joined.
"""

from dataclasses import dataclass

import numpy as np

from robot_dynamics.algorithms import FORWARD, GIM, HELD, INVERSE
from robot_dynamics.algorithms.composite_body import (
    branch_factors,
    branch_solution,
    held_solution,
)
from robot_dynamics.algorithms.denoc_forward import udu as tree_udu
from robot_dynamics.algorithms.energy import kinetic_energy, potential_energy
from robot_dynamics.algorithms.friction import friction_torque
from robot_dynamics.algorithms.kinematics import jacobian_from_poses, poses
from robot_dynamics.engine.program import Outputs
from robot_dynamics.model.denoc import Array, Geometry, Inertials


@dataclass(frozen=True)
class Numbers:
    """A robot in numbers of one kind."""

    geometry: Geometry
    inertials: Inertials
    expand: list[list[tuple[int, float]]]  # rows of a sparse (L, n) matrix: places and numbers
    offset: list[float]  # (L,)
    n: int  # number of the user's joint values
    damping: Array | None  # (n,)
    friction: Array | None  # (n,)
    floor: Array  # (L,) what a pivot must exceed
    massless: tuple[int, ...] = ()  # links that never have mass

    def tree(self, values: Array, *, position: bool = False) -> Array:
        """Return joint values, rates or accelerations of the tree's joints."""
        rows = []
        for row, constant in zip(self.expand, self.offset, strict=True):
            total = constant if position else 0.0
            for k, g in row:
                total = total + g * values[k]
            rows.append(total)
        return array_like(values, rows)

    def project(self, forces: Array) -> Array:
        """Return the user's n torques of the tree's L torques: expand^T forces."""
        columns = [0.0] * self.n
        for row, x in zip(self.expand, forces, strict=True):
            for k, g in row:
                columns[k] = columns[k] + g * x
        return array_like(forces, columns)

    def reduce(self, gim: Array) -> Array:
        """Return expand^T gim expand."""
        half = [self.project(row) for row in gim]
        columns = [self.project(array_like(gim, [row[k] for row in half])) for k in range(self.n)]
        return array_like(gim, columns)

    def factors(self) -> list[float] | None:
        """Return g with q_tree = g q + offset, or None when joints mimic or change places."""
        if len(self.expand) != self.n or any(
                len(row) != 1 or row[0][0] != i for i, row in enumerate(self.expand)):
            return None
        return [row[0][1] for row in self.expand]

    def branches(self) -> Array:
        """Return the parents of the user's joints; mimics may couple any two of them."""
        return np.arange(-1, self.n - 1) if self.factors() is None else self.geometry.parent

    def reduced_floor(self) -> list:
        """Return what the pivots of the GIM over the user's joints must exceed."""
        floor: list = [0.0] * self.n
        for row, x in zip(self.expand, self.floor, strict=True):
            for k, g in row:
                floor[k] = floor[k] + g * g * x
        return floor

    def friction_torque(self, qd: Array) -> Array:
        """Return what overcomes friction, zero when there is none."""
        none = np.zeros_like(qd)
        if self.damping is None and self.friction is None:
            return none
        return friction_torque(none if self.damping is None else self.damping,
                               none if self.friction is None else self.friction, qd)


def sparse(matrix: Array) -> list[list[tuple[int, float]]]:
    """Return the rows of a matrix as places and numbers."""
    return [[(int(k), float(row[k])) for k in np.flatnonzero(row)] for row in matrix]


def array_like(example: Array, values) -> Array:
    """Return an array of the example's type."""
    return np.array(list(values), example.dtype)


def inverse_dynamics(m: Numbers, q, qd, qdd, algorithm: str = 'gibbs_appell') -> Outputs:
    """Give tau, friction included."""
    tau = INVERSE[algorithm](
        m.geometry, m.inertials, m.tree(q, position=True), m.tree(qd), m.tree(qdd))
    return Outputs(list(m.project(tau) + m.friction_torque(qd)))


def bias(m: Numbers, q, qd, algorithm: str = 'gibbs_appell') -> Outputs:
    """Give C qd + gravity torque."""
    rest = np.zeros_like(q)
    return Outputs(list(m.project(INVERSE[algorithm](
        m.geometry, m.inertials, m.tree(q, position=True), m.tree(qd), m.tree(rest)))))


def gravity_torque(m: Numbers, q, algorithm: str = 'gibbs_appell') -> Outputs:
    """Give what holds the robot at rest."""
    return bias(m, q, np.zeros_like(q), algorithm)


def forward_dynamics(m: Numbers, q, qd, tau, algorithm: str = 'articulated_body') -> Outputs:
    """Give qdd, friction included; the guards are the pivots."""
    g = m.factors()
    phi = tau - m.friction_torque(qd)
    if g is None:
        return matrix_forward(m, q, qd, phi)
    scale = array_like(phi, g)
    qdd, pivots = FORWARD[algorithm](
        m.geometry, m.inertials, m.tree(q, position=True), m.tree(qd), phi / scale)
    return Outputs(list(qdd / scale), list(zip(pivots, m.floor, strict=True)))


def matrix_forward(m: Numbers, q, qd, phi) -> Outputs:
    """Give qdd through the GIM over the user's joints, where some drive several of the tree's."""
    I = matrix(m, q, 'composite_body')
    rest = phi - array_like(phi, bias(m, q, qd, 'gibbs_appell').values)
    factors, pivots = branch_factors(m.branches(), I)
    return Outputs(list(branch_solution(m.branches(), factors, pivots, rest)),
                   list(zip(pivots, m.reduced_floor(), strict=True)))


def held_dynamics(m: Numbers, q, qd, tau, free, algorithm: str = 'articulated_body') -> Outputs:
    """Give qdd of the joints that move (free = 1), the reaction of those held (free = 0).

    Without dry friction: it is part of tau where a joint slides, of the reaction where it rests.
    """
    g = m.factors()
    phi = tau if m.damping is None else tau - m.damping * qd
    if g is None:
        I = matrix(m, q, 'composite_body')
        rest = phi - array_like(phi, bias(m, q, qd, 'gibbs_appell').values)
        qdd, reaction, pivots = held_solution(m.branches(), I, rest, free)
        return Outputs(list(qdd + reaction), list(zip(pivots, m.reduced_floor(), strict=True)))
    scale = array_like(phi, g)
    qdd, reaction, pivots = HELD[algorithm](
        m.geometry, m.inertials, m.tree(q, position=True), m.tree(qd), phi / scale, free)
    return Outputs(list(qdd / scale + reaction * scale),
                   list(zip(pivots, m.floor, strict=True)))


def matrix(m: Numbers, q, algorithm: str) -> Array:
    """Give the GIM over the user's joints, (n, n)."""
    gim = GIM[algorithm](m.geometry, m.inertials, m.tree(q, position=True))
    return m.reduce(gim)


def inertia_matrix(m: Numbers, q, algorithm: str = 'composite_body') -> Outputs:
    """Give the GIM, row by row."""
    return Outputs(list(matrix(m, q, algorithm).ravel()))


def udu(m: Numbers, q) -> Outputs:
    """Give U row by row, then D."""
    g = m.factors()
    if g is None:
        factors, D = branch_factors(m.branches(), matrix(m, q, 'composite_body'))
        for k in range(m.n):
            factors[k, k], factors[k, k + 1:] = 1, 0
        U = factors.T
    else:
        U, D = tree_udu(m.geometry, m.inertials, m.tree(q, position=True))
        U = np.array([[g[i] / g[j] * U[i, j] for j in range(m.n)] for i in range(m.n)], q.dtype)
        D = D * array_like(q, [x * x for x in g])
    return Outputs([*U.ravel(), *D], list(zip(D, m.reduced_floor(), strict=True)))


def energies(m: Numbers, q, qd) -> Outputs:
    """Give kinetic energy, potential energy."""
    at = m.tree(q, position=True)
    return Outputs([kinetic_energy(m.geometry, m.inertials, at, m.tree(qd)),
                    potential_energy(m.geometry, m.inertials, at)])


def pose(m: Numbers, q, link: int, frame: list[list[float]]) -> Outputs:
    """Give the (4, 4) pose of a frame fixed on a link, or on the root (link -1)."""
    if link < 0:
        return Outputs([x for row in frame for x in row])
    R, p = poses(m.geometry, m.tree(q, position=True))
    rows = []
    for k in range(3):
        rows += [sum(R[link, k, j] * frame[j][column] for j in range(3)) for column in range(3)]
        rows.append(p[link, k] + sum(R[link, k, j] * frame[j][3] for j in range(3)))
    return Outputs([*rows, 0.0, 0.0, 0.0, 1.0])


def jacobian(m: Numbers, q, link: int, frame: list[list[float]]) -> Outputs:
    """Give the (6, n) Jacobian of a frame fixed on a link, or on the root (link -1)."""
    if link < 0:
        return Outputs([0.0] * (6 * m.n))
    R, p = poses(m.geometry, m.tree(q, position=True))
    point = array_like(q, [frame[k][3] for k in range(3)])
    J = jacobian_from_poses(m.geometry, R, p, link, point)
    return Outputs([x for row in J for x in m.project(row)])
