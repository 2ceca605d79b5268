"""Kernels beside the equations of motion: C, reactions, momentum, rates, energies.

As in motion_kernels.py: functions of a `Numbers` and the user's arguments that return Outputs.
"""

from typing import Any

import numpy as np

from robot_dynamics.algorithms import GIM
from robot_dynamics.algorithms.composite_body import branch_factors, branch_solution
from robot_dynamics.algorithms.convective import convective_matrix as paper_convective_matrix
from robot_dynamics.algorithms.convective import skew_convective_matrix
from robot_dynamics.algorithms.determinant import determinant
from robot_dynamics.algorithms.energy import kinetic_energy as tree_kinetic_energy
from robot_dynamics.algorithms.energy import potential_energy as tree_potential_energy
from robot_dynamics.algorithms.kinematics import jacobian as tree_jacobian
from robot_dynamics.algorithms.kinematics import jacobian_rate as tree_jacobian_rate
from robot_dynamics.algorithms.momentum import center_of_mass as tree_center_of_mass
from robot_dynamics.algorithms.momentum import centroidal_momentum as tree_centroidal_momentum
from robot_dynamics.algorithms.momentum import momentum_matrix
from robot_dynamics.algorithms.newton_euler import reaction_wrenches as tree_reaction_wrenches
from robot_dynamics.algorithms.turns import turn_z_back
from robot_dynamics.engine.loop_kernels import carried_by_cuts
from robot_dynamics.engine.motion_kernels import jacobian, matrix
from robot_dynamics.engine.numbers import Numbers, array_like, product
from robot_dynamics.engine.tracing.program import Outputs
from robot_dynamics.model.denoc import Array

FORMS = {'paper': paper_convective_matrix, 'skew': skew_convective_matrix}


def convective_matrix(m: Numbers, q: Array, qd: Array, *, form: str = 'paper') -> Outputs:
    """Give C, row by row."""
    m = m.at(q)
    C = m.coordinates.matrix(q, FORMS[form](m.geometry, m.inertials, *m.state(q, qd)))
    if m.coordinates.drifting:  # d/dt (N^T I N qd): N^T (C N + I dN/dt)
        I = GIM['composite_body'](m.geometry, m.inertials, *m.state(q))
        C = C + m.coordinates.torques(q, product(m.coordinates.rate(q, qd).T, I)).T
    return Outputs(list(C.ravel()))


def reaction_wrenches(m: Numbers, q: Array, qd: Array, qdd: Array, applied: Array | None = None, *,
                      joints: tuple[Any, ...]) -> Outputs:
    """Give the wrench [n, f] of each joint about O_i in the papers' frame i, joint by joint.

    joints: (link, cosine and sine of the joint's turn, offset along the axis) of the user's joints
    applied: of mechanisms, torques of motors at all joints; without, motors are where the user's
        joints are
    """
    m = m.at(q)
    at, *rates = m.state(q, qd, qdd)
    wrenches = tree_reaction_wrenches(m.geometry, m.inertials, at, *rates)
    if m.coordinates.following:
        wrenches = wrenches - carried_by_cuts(m, q, qd, qdd, applied)
    values = []
    for i, c, s, offset in joints:
        n, f = wrenches[i, :3], wrenches[i, 3:]
        b = offset + at[i] if m.geometry.prismatic[i] else offset
        n = np.array([n[0] - b * f[1], n[1] + b * f[0], n[2]])  # b z x f: from O'_i to O_i
        values += [*turn_z_back(n, c, s), *turn_z_back(f, c, s)]
    return Outputs(values)


def jacobian_rate(m: Numbers, q: Array, qd: Array, *, link: int, frame: list[list[float]]
                  ) -> Outputs:
    """Give dJ/dt of the Jacobian of a frame fixed on a link, or on the root (link -1)."""
    if link < 0:
        return Outputs([0.0] * (6 * m.n))
    m = m.at(q)
    point = array_like(q, [frame[k][3] for k in range(3)])
    at, rates = m.state(q, qd)
    Jd = m.coordinates.torques(q, tree_jacobian_rate(m.geometry, at, rates, link, point))
    if m.coordinates.drifting:  # d/dt (J N)
        J = tree_jacobian(m.geometry, at, link, point)
        Jd = Jd + product(J, m.coordinates.rate(q, qd))
    return Outputs(list(Jd.ravel()))


def manipulability(m: Numbers, q: Array, *, link: int, frame: list[list[float]],
                   rows: tuple[int, ...]) -> Outputs:
    """Give sqrt(det(J J^T)) over some rows of the Jacobian."""
    values = jacobian(m, q, link=link, frame=frame).values
    J = np.array(values, q.dtype).reshape(6, m.n)[list(rows)]
    square = determinant(np.array([[sum(a * b) for b in J] for a in J], q.dtype))
    # what rounding leaves below zero is zero: (x + |x|) / 2
    return Outputs([np.sqrt((square + np.sqrt(square * square)) / 2)])  # Bhangale2004 (21)


def center_of_mass(m: Numbers, q: Array) -> Outputs:
    """Give the mass centre in root axes."""
    m = m.at(q)
    return Outputs(list(tree_center_of_mass(m.geometry, m.inertials, *m.state(q))))


def centroidal_momentum(m: Numbers, q: Array, qd: Array) -> Outputs:
    """Give [angular; linear] momentum about the mass centre, in root axes."""
    m = m.at(q)
    return Outputs(list(tree_centroidal_momentum(m.geometry, m.inertials, *m.state(q, qd))))


def centroidal_momentum_matrix(m: Numbers, q: Array) -> Outputs:
    """Give A (6, n), row by row, with the momentum about the mass centre = A qd."""
    m = m.at(q)
    A = momentum_matrix(m.geometry, m.inertials, *m.state(q))
    return Outputs(list(m.coordinates.torques(q, A).ravel()))


def inertia_matrix_inverse(m: Numbers, q: Array) -> Outputs:
    """Give the inverse of the GIM, by its factors."""
    m = m.at(q)
    parents = m.branches()
    factors, pivots = branch_factors(parents, matrix(m, q, 'composite_body'))
    inverse = np.zeros((m.n, m.n), q.dtype)
    for k in range(m.n):
        unit = np.zeros(m.n, q.dtype)
        unit[k] = 1.0
        inverse[k] = branch_solution(parents, factors, pivots, unit)
    for i in range(m.n):
        inverse[i, i + 1:] = inverse[i + 1:, i]  # to the bit
    return Outputs(list(inverse.ravel()), list(zip(pivots, m.reduced_floor(), strict=True)))


def friction_torque(m: Numbers, qd: Array) -> Outputs:
    """Give what overcomes friction, smooth near rest."""
    return Outputs(list(m.friction_torque(None, qd)))


def kinetic_energy(m: Numbers, q: Array, qd: Array) -> Outputs:
    """Give the kinetic energy."""
    m = m.at(q)
    return Outputs([tree_kinetic_energy(m.geometry, m.inertials, *m.state(q, qd))])


def potential_energy(m: Numbers, q: Array) -> Outputs:
    """Give the potential energy."""
    m = m.at(q)
    return Outputs([tree_potential_energy(m.geometry, m.inertials, *m.state(q))])
