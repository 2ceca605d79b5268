"""What each kernel computes, over numbers of any kind: floats (reference) or symbols (traced).

Every function takes a `Numbers` and the user's arguments, q (nq,) and rates (nv,), and returns
Outputs: its results row by row. The algorithms know the tree's L joints only; here its joint
values are made of the user's, its torques taken back to them (model/coordinates.py), friction
joined. What takes q begins with `m.at(q)`, the robot standing there.
"""

from dataclasses import replace
from typing import Any, cast

import numpy as np

from robot_dynamics.algorithms import FORWARD, GIM, HELD, INVERSE
from robot_dynamics.algorithms.composite_body import (
    branch_factors,
    branch_solution,
    held_solution,
)
from robot_dynamics.algorithms.denoc_forward import udu as tree_udu
from robot_dynamics.algorithms.energy import kinetic_energy, potential_energy
from robot_dynamics.algorithms.external import external_torque as tree_external_torque
from robot_dynamics.algorithms.kinematics import jacobian_from_poses, poses
from robot_dynamics.engine.numbers import Numbers, array_like
from robot_dynamics.engine.tracing.program import Outputs
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.looped_coordinates import LoopedCoordinatesAt, puts_back


def inverse_dynamics(m: Numbers, q: Array, qd: Array, qdd: Array, *external: Array,
                     algorithm: str = 'gibbs_appell', frames: tuple[Any, ...] = ()) -> Outputs:
    """Give tau, friction and external wrenches included."""
    m = m.at(q)
    tau = INVERSE[algorithm](m.geometry, m.inertials, *m.state(q, qd, qdd))
    tau = m.coordinates.torques(q, tau) + m.friction_torque(q, qd)
    return Outputs(list(tau - wrench_torque(m, q, external, frames) if frames else tau))


def wrench_torque(m: Numbers, q: Array, external: tuple[Any, ...], frames: tuple[Any, ...]
                  ) -> Array:
    """Return J^T w of wrenches [n, f] in root axes, (6,) each, on frames (link, point)."""
    m = m.at(q)
    tau = tree_external_torque(
        m.geometry, m.coordinates.positions(q), *acting(q, external, frames))
    return m.coordinates.torques(q, tau)


def acting(q: Array, external: tuple[Any, ...], frames: tuple[Any, ...]
           ) -> tuple[list[int], Array, Array]:
    """Return links, points (K, 3) and wrenches (K, 6) of those that act: the root takes any."""
    on = [k for k, (link, _) in enumerate(frames) if link >= 0]
    points = np.array([frames[k][1] for k in on], q.dtype).reshape(len(on), 3)
    return ([frames[k][0] for k in on], points,
            array_like(q, [external[k] for k in on]).reshape(len(on), 6))


def external_torque(m: Numbers, q: Array, *external: Array, frames: tuple[Any, ...]) -> Outputs:
    """Give what external wrenches do to the joints."""
    return Outputs(list(wrench_torque(m, q, external, frames)))


def bias(m: Numbers, q: Array, qd: Array, *, algorithm: str = 'gibbs_appell') -> Outputs:
    """Give C qd + gravity torque."""
    m = m.at(q)
    tau = INVERSE[algorithm](m.geometry, m.inertials, *m.state(q, qd, m.rest(q)))
    return Outputs(list(m.coordinates.torques(q, tau)))


def gravity_torque(m: Numbers, q: Array, *, algorithm: str = 'gibbs_appell') -> Outputs:
    """Give what holds the robot at rest."""
    return bias(m, q, m.rest(q), algorithm=algorithm)


def forward_dynamics(m: Numbers, q: Array, qd: Array, tau: Array, *external: Array,
                     algorithm: str = 'articulated_body', frames: tuple[Any, ...] = ()) -> Outputs:
    """Give qdd, friction and external wrenches included; the guards are the pivots."""
    m = m.at(q)
    if m.coordinates.inner is not None and q.dtype == object:
        return inner_forward(m, q, qd, tau, *external, algorithm=algorithm, frames=frames)
    g = m.coordinates.factors
    phi = tau - m.friction_torque(q, qd)
    if frames:
        phi = phi + wrench_torque(m, q, external, frames)
    if g is None:
        return matrix_forward(m, q, qd, phi, algorithm)
    scale = array_like(phi, g)
    at, rates = m.state(q, qd)
    qdd, pivots = FORWARD[algorithm](m.geometry, m.inertials, at, rates, phi / scale)
    return Outputs(list(less_drift(m, q, qd, qdd) / scale),
                   list(zip(pivots, m.floor, strict=True)))


def inner_forward(m: Numbers, q: Array, qd: Array, tau: Array, *external: Array,
                  **options: Any) -> Outputs:
    """Give qdd through coordinates with fewer operations; for programs: floats are the reference.

    Where the inner ones are singular a guard says so, and the reference answers.
    """
    own: Any = m.coordinates
    inner, rates = own.inner, own.joint_rates(q, qd)
    y = inner.known(rates)
    found = forward_dynamics(
        replace(m, coordinates=inner), q, y,
        inner.joint_torques(q, own.at_joints(tau)), *external, **options)
    qdd = inner.joint_accelerations(q, y, array_like(qd, found.values))
    return Outputs(list(own.own(qdd)), [*found.guards, *inner.guards(q)])


def less_drift(m: Numbers, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the tree's accelerations less those it has where the user's are zero."""
    if not m.coordinates.drifting:
        return qdd
    return qdd - m.coordinates.accelerations(q, qd, m.rest(q))


def matrix_forward(m: Numbers, q: Array, qd: Array, phi: Array, algorithm: str) -> Outputs:
    """Give qdd through the GIM over the user's joints, where some drive several of the tree's.

    The tree's own factors do not solve for leaders of mimics: a method serves with its GIM and its
    inverse dynamics, where it has them.
    """
    I = matrix(m, q, algorithm if algorithm in GIM else 'composite_body')
    inverse = algorithm if algorithm in INVERSE else 'gibbs_appell'
    rest = phi - array_like(phi, bias(m, q, qd, algorithm=inverse).values)
    factors, pivots = branch_factors(m.branches(), I)
    return Outputs(list(branch_solution(m.branches(), factors, pivots, rest)),
                   list(zip(pivots, m.reduced_floor(), strict=True)))


def held_dynamics(m: Numbers, q: Array, qd: Array, tau: Array, free: Array, *,
                  algorithm: str = 'articulated_body') -> Outputs:
    """Give qdd of the joints that move (free = 1), the reaction of those held (free = 0).

    Without dry friction: it is part of tau where a joint slides, of the reaction where it rests.
    A joint that drifts (model/coordinates.py) is never held where coordinates have factors.
    """
    m = m.at(q)
    g = m.coordinates.factors
    phi = tau - m.smooth_friction(q, qd)
    if g is None:
        I = matrix(m, q, 'composite_body')
        rest = phi - array_like(phi, bias(m, q, qd).values)
        qdd, reaction, pivots = held_solution(m.branches(), I, rest, free)
        return Outputs(list(qdd + reaction), list(zip(pivots, m.reduced_floor(), strict=True)))
    scale = array_like(phi, g)
    at, rates = m.state(q, qd)
    free = array_like(phi, [1.0 if k in m.coordinates.drifting else x
                            for k, x in enumerate(free)])
    qdd, reaction, pivots = HELD[algorithm](
        m.geometry, m.inertials, at, rates, phi / scale, free)
    return Outputs(list(less_drift(m, q, qd, qdd) / scale + reaction * scale),
                   list(zip(pivots, m.floor, strict=True)))


def servo_step(m: Numbers, q: Array, qd: Array, free: Array, sliding: Array, effort: Array,
               follows: Array, stiffness: Array, stiffness_felt: Array, damping: Array,
               damping_felt: Array, position: Array, velocity: Array, cut: Array, most: Array,
               drag: Array, length: Array) -> Outputs:
    """Give the change of the rates in an implicit step (free = 1), the impulse where held (0).

    Then the torques that the servos ask for at its end. See simulation/servo_steps.py; cut: 1 for
    joints that have the torque `most` and no servo; drag: the joints' damping; length: of the step
    [s], the same for all joints.
    """
    m = m.at(q)
    I, steady = matrix(m, q, 'composite_body'), array_like(qd, bias(m, q, qd).values)
    x = m.coordinates.joint_values(q)
    felt = array_like(qd, [I[k, k] for k in range(m.n)])
    kp, kd = stiffness + stiffness_felt * felt, damping + damping_felt * felt
    tau = effort + follows * (steady + m.friction_torque(q, qd))
    acts = 1 - cut
    phi = (cut * most + acts * (tau + kp * (position - x - length * qd) + kd * (velocity - qd))
           + sliding - steady - drag * qd)
    for k in range(m.n):
        I[k, k] = I[k, k] + length[k] * (drag[k] + acts[k] * (kd[k] + length[k] * kp[k]))
    change, impulse, pivots = held_solution(m.branches(), I, length * phi, free)
    v = qd + change
    asked = tau + kp * (position - x - length * v) + kd * (velocity - v)
    return Outputs([*(change + impulse), *asked],
                   list(zip(pivots, m.reduced_floor(), strict=True)))


def state_rate(m: Numbers, q: Array, qd: Array, tau: Array) -> Outputs:
    """Give dq/dt, then qdd: of values that move on a manifold, near enough to it.

    Within a step they leave it a little. What is given there is as smooth, so that a method keeps
    its order, and the end of the step is taken back.
    qd: rates of the inner coordinates, where there are some; tau: of the user's all the same
    """
    m = m.at(q)
    inner = m.coordinates.inner
    if inner is not None:
        own: Any = m.coordinates
        m, tau = replace(m, coordinates=inner), inner.joint_torques(q, own.at_joints(tau))
    forward = forward_dynamics(m, q, qd, tau, algorithm='articulated_body')
    return Outputs([*m.coordinates.velocity(q, qd), *forward.values],
                   [*forward.guards, *m.coordinates.guards(q)])


def sliding_rate(m: Numbers, q: Array, qd: Array, tau: Array, applied: Array) -> Outputs:
    """Give what `state_rate` does where joints slide, over the user's rates.

    applied: torques at all joints, dry friction of those that slide
    """
    m = replace(m.at(q), friction=None)
    forward = forward_dynamics(m, q, qd, tau + m.coordinates.joint_torques(q, applied))
    return Outputs([*m.coordinates.velocity(q, qd), *forward.values], forward.guards)


def euler_rate(m: Numbers, q: Array, qd: Array, tau: Array, length: Array) -> Outputs:
    """Give dq/dt with the rates at the end of a step, then qdd: of semi-implicit Euler.

    Where loops are closed, dependent joints follow the independent ones to second order, and what
    is left open at the beginning is closed on the way: loops gape by O(h^3).
    length: of the step [s], the same for all joints
    """
    m = m.at(q)
    forward = forward_dynamics(m, q, qd, tau, algorithm='articulated_body')
    rates = qd + length * array_like(qd, forward.values)
    velocity, guards = m.coordinates.velocity(q, rates), forward.guards
    if puts_back(m.coordinates):
        own, h = cast(LoopedCoordinatesAt, m.coordinates), length[0]
        move, closed = own.putting_back()
        bend = own.joint_accelerations(q, qd, m.rest(q))
        velocity, guards = velocity + bend * (0.5 * h) + move * (1.0 / h), [*guards, *closed]
    return Outputs([*velocity, *forward.values], [*guards, *m.coordinates.guards(q)])


def normalised(m: Numbers, q: Array) -> Outputs:
    """Give the same state in the values that solvers keep, unless a guard asks for more."""
    values, guards = m.coordinates.restored(q)
    return Outputs(list(values), list(guards))


def matrix(m: Numbers, q: Array, algorithm: str) -> Array:
    """Give the GIM over the user's joints, (n, n)."""
    m = m.at(q)
    gim = GIM[algorithm](m.geometry, m.inertials, *m.state(q))
    return m.coordinates.matrix(q, gim)


def inertia_matrix(m: Numbers, q: Array, *, algorithm: str = 'composite_body') -> Outputs:
    """Give the GIM, row by row."""
    return Outputs(list(matrix(m, q, algorithm).ravel()))


def udu(m: Numbers, q: Array) -> Outputs:
    """Give U row by row, then D."""
    m = m.at(q)
    g = m.coordinates.factors
    if g is None:
        factors, D = branch_factors(m.branches(), matrix(m, q, 'composite_body'))
        for k in range(m.n):
            factors[k, k], factors[k, k + 1:] = 1, 0
        U = factors.T
    else:
        U, D = tree_udu(m.geometry, m.inertials, *m.state(q))
        U = np.array([[g[i] / g[j] * U[i, j] for j in range(m.n)] for i in range(m.n)], q.dtype)
        D = D * array_like(q, [x * x for x in g])
    return Outputs([*U.ravel(), *D], list(zip(D, m.reduced_floor(), strict=True)))


def energies(m: Numbers, q: Array, qd: Array) -> Outputs:
    """Give kinetic energy, potential energy."""
    m = m.at(q)
    return Outputs([kinetic_energy(m.geometry, m.inertials, *m.state(q, qd)),
                    potential_energy(m.geometry, m.inertials, *m.state(q))])


def pose(m: Numbers, q: Array, *, link: int, frame: list[list[float]]) -> Outputs:
    """Give the (4, 4) pose of a frame fixed on a link, or on the root (link -1)."""
    if link < 0:
        return Outputs([x for row in frame for x in row])
    m = m.at(q)
    R, p = poses(m.geometry, *m.state(q))
    rows = []
    for k in range(3):
        rows += [sum(R[link, k, j] * frame[j][column] for j in range(3)) for column in range(3)]
        rows.append(p[link, k] + sum(R[link, k, j] * frame[j][3] for j in range(3)))
    return Outputs([*rows, 0.0, 0.0, 0.0, 1.0])


def jacobian(m: Numbers, q: Array, *, link: int, frame: list[list[float]]) -> Outputs:
    """Give the (6, n) Jacobian of a frame fixed on a link, or on the root (link -1)."""
    if link < 0:
        return Outputs([0.0] * (6 * m.n))
    m = m.at(q)
    R, p = poses(m.geometry, *m.state(q))
    point = array_like(q, [frame[k][3] for k in range(3)])
    J = jacobian_from_poses(m.geometry, R, p, link, point)
    return Outputs(list(m.coordinates.torques(q, J).ravel()))
