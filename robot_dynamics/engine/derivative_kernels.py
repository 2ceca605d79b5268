"""Partial derivatives of the dynamics, and the regressor: over symbols, or over floats."""

from typing import Any

import numpy as np

from robot_dynamics.algorithms.composite_body import branch_factors, branch_solution
from robot_dynamics.algorithms.derivatives import (
    inverse_dynamics_derivatives as tree_derivatives,
)
from robot_dynamics.algorithms.external import external_torque as tree_external_torque
from robot_dynamics.algorithms.external import external_torque_derivative
from robot_dynamics.algorithms.regressor import regressor as tree_regressor
from robot_dynamics.engine.motion_kernels import acting, forward_dynamics, inverse_dynamics, matrix
from robot_dynamics.engine.numbers import Numbers, array_like
from robot_dynamics.engine.tracing.differentiate import jacobian
from robot_dynamics.engine.tracing.program import Outputs
from robot_dynamics.model.coordinates import identity
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.floating import Floating
from robot_dynamics.model.floating_derivatives import tangent_derivatives

STEP = 1e-40


def inverse_dynamics_derivatives(m: Numbers, q: Array, qd: Array, qdd: Array, *external: Array,
                                 frames: tuple[Any, ...] = ()) -> Outputs:
    """Give d tau/dq, d tau/dqd and d tau/dqdd, which is the GIM, each row by row.

    External wrenches keep their moment, force and axes, and act where the link is.
    """
    m = m.at(q)
    blocks = torque_derivatives(m, q, qd, qdd, [], external, frames)
    return Outputs([x for block in blocks for x in block.ravel()])


def forward_dynamics_derivatives(m: Numbers, q: Array, qd: Array, tau: Array, *external: Array,
                                 frames: tuple[Any, ...] = ()) -> Outputs:
    """Give d qdd/dq, d qdd/dqd and d qdd/dtau, each row by row.

    With qdd held, tau does not change: I dqdd + (d tau/dq) dq + (d tau/dqd) dqd = dtau.
    """
    m = m.at(q)
    forward = forward_dynamics(
        m, q, qd, tau, *external, algorithm='composite_body', frames=frames)
    qdd = array_like(q, forward.values)
    by_q, by_qd, gim = torque_derivatives(
        m, q, qd, qdd, forward.values, external, frames)
    parents = m.branches()
    factors, pivots = branch_factors(parents, gim)
    blocks = [np.array([branch_solution(parents, factors, pivots, column)
                        for column in block.T], q.dtype).T
              for block in (-by_q, -by_qd, identity(m.n, q.dtype))]
    for i in range(m.n):
        blocks[2][:i, i] = blocks[2][i, :i]  # to the bit
    return Outputs([x for block in blocks for x in block.ravel()], forward.guards)


def torque_derivatives(m: Numbers, q: Array, qd: Array, qdd: Array, held: list[Any],
                       external: tuple[Any, ...], frames: tuple[Any, ...]
                       ) -> tuple[Array, Array, Array]:
    """Return d tau/dq, d tau/dqd and d tau/dqdd (n, n), by the tangent of q and with qdd held.

    held: values of qdd that depend on the state, and count as constants
    """
    at = m.coordinates
    if not isinstance(at, Floating) and (not at.flat or at.drifting):
        return *traced_derivatives(m, q, qd, qdd, held, external, frames), matrix(
            m, q, 'composite_body')
    by_q, by_qd, gim, tau = tree_derivatives(m.geometry, m.inertials, *m.state(q, qd, qdd))
    if frames:
        pull = m.geometry, at.positions(q), *acting(q, external, frames)
        by_q, tau = by_q - external_torque_derivative(*pull), tau - tree_external_torque(*pull)
    by_q, by_qd, gim = at.matrix(q, by_q), at.matrix(q, by_qd), at.matrix(q, gim)
    if isinstance(at, Floating):
        by_q, by_qd = tangent_derivatives(
            at.free, by_q, by_qd, gim, at.torques(q, tau), qd, qdd)
    if m.damping is not None or m.friction is not None:
        slope = m.friction_slope(at.joint_rates(q, qd))
        by_qd = by_qd + np.array([at.joint_torques(q, slope * at.joint_rates(q, unit))
                                  for unit in identity(m.n, q.dtype)], q.dtype).T
    return by_q, by_qd, gim


def traced_derivatives(m: Numbers, q: Array, qd: Array, qdd: Array, held: list[Any],
                       external: tuple[Any, ...], frames: tuple[Any, ...]) -> tuple[Array, Array]:
    """Return d tau/dq and d tau/dqd (n, n) where the coordinates' map itself changes with q.

    Over symbols the traced torques are differentiated. Over floats these are complex steps, exact
    to rounding: Im f(x + i h) / h with h so small that its square is nothing.
    """
    n, nq = m.n, m.coordinates.nq
    along = np.zeros((nq + n, 2 * n), q.dtype)  # the state, per motion and change of the rates
    along[:nq, :n] = m.coordinates.tangent(q)
    along[nq:, n:] = identity(n, q.dtype)
    if q.dtype == object:
        values = inverse_dynamics(m, q, qd, qdd, *external, frames=frames).values
        rows = np.array(jacobian(values, [*q, *qd], held, along), object).reshape(n, 2 * n)
        return rows[:, :n], rows[:, n:]
    columns = []
    state = np.concatenate([q, qd])
    for direction in along.T:
        moved = state + 1j * STEP * direction
        tau = inverse_dynamics(m, moved[:nq], moved[nq:], qdd.astype(complex), *external,
                               frames=frames).values
        columns.append(np.imag(np.array(tau)) / STEP)
    rows = np.array(columns).reshape(2 * n, n).T
    return rows[:, :n], rows[:, n:]


def regressor(m: Numbers, q: Array, qd: Array, qdd: Array) -> Outputs:
    """Give Y (n, 10 L), row by row, with tau = Y pi, rotors and friction apart.

    Links that never have mass have no parameters: their columns are zero.
    """
    m = m.at(q)
    Y = tree_regressor(m.geometry, m.inertials, *m.state(q, qd, qdd))
    for i in m.massless:
        Y[:, i] = 0.0
    rows = m.coordinates.torques(q, Y.reshape(len(Y), -1).T).T
    return Outputs(list(rows.ravel()))
