"""Kernels of mechanisms alone: assembly, passive rates, closure, the wrenches that close loops.

The coordinates of `m` are looped (mechanism/looped.py); all other kernels are those of robots.
"""

from typing import Any, cast

import numpy as np

from robot_dynamics.algorithms import INVERSE, closure
from robot_dynamics.algorithms.external import external_torque as tree_external_torque
from robot_dynamics.algorithms.joints import cosines_sines
from robot_dynamics.algorithms.kinematics import poses
from robot_dynamics.algorithms.turns import cross, tensor_times, turn_z
from robot_dynamics.engine.definition import marked
from robot_dynamics.engine.motion_kernels import acting, bias, matrix
from robot_dynamics.engine.numbers import Numbers
from robot_dynamics.engine.tracing.program import Outputs
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.looped_coordinates import LoopedCoordinatesAt

STEPS = (2, 2)  # of Newton's method, with two sets of derivatives: e becomes e^9


def looped(m: Numbers) -> LoopedCoordinatesAt:
    """Return the coordinates of a mechanism, which a layer above defines."""
    return cast(LoopedCoordinatesAt, m.coordinates)


def assembly(m: Numbers, values: Array, q: Array) -> Outputs:
    """Give all joint values near q with the independent ones given, and the closure's square."""
    closed, left = looped(m).loops.closed(values, q, STEPS)
    return Outputs([*closed, left])


def placing(m: Numbers, values: Array) -> Outputs:
    """Give all joint values on the branch of the start; nan where they cannot be had at once."""
    placed, guards = looped(m).loops.placed(values)
    found = list(placed)
    return Outputs(marked(found, guards) if values.dtype == object else found, guards)


def reaching(m: Numbers, values: Array, q: Array) -> Outputs:
    """Give all joint values a short way from q, an assembled pose."""
    found, guards = looped(m).loops.reached(values, q)
    return Outputs(list(found), list(guards))


def joint_rates(m: Numbers, q: Array, qd: Array) -> Outputs:
    """Give the rates of all joints of the tree."""
    m = m.at(q)
    return Outputs(list(looped(m).joint_rates(q, qd)))


def given_rates(m: Numbers, q: Array, rates: Array) -> Outputs:
    """Give the independent rates of those over the inner coordinates."""
    m = m.at(q)
    own = looped(m)
    return Outputs(list(own.own(own.inner.joint_rates(q, rates))))


def joint_accelerations(m: Numbers, q: Array, qd: Array, qdd: Array) -> Outputs:
    """Give the accelerations of all joints of the tree."""
    m = m.at(q)
    return Outputs(list(looped(m).joint_accelerations(q, qd, qdd)))


def friction(m: Numbers, q: Array, qd: Array) -> Outputs:
    """Give what overcomes friction of all joints, smooth near rest."""
    m = m.at(q)
    return Outputs(list(m.friction_torque(q, qd)))


def complement(m: Numbers, q: Array) -> Outputs:
    """Give N: the rates of all joints of the tree per independent rate, row by row."""
    m = m.at(q)
    return Outputs(list(looped(m).N.ravel()))


def held_terms(m: Numbers, q: Array, qd: Array) -> Outputs:
    """Give N, dN/dt qd, the bias and the GIM: of these follows motion with any joints held."""
    m = m.at(q)
    N, drift = looped(m).N, looped(m).joint_accelerations(q, qd, m.rest(q))
    return Outputs([*N.ravel(), *drift, *bias(m, q, qd).values,
                    *matrix(m, q, 'composite_body').ravel()])


def closure_error(m: Numbers, q: Array) -> Outputs:
    """Give how far each cut is open: a length [m] and the sine of an angle."""
    m = m.at(q)
    values: list[Any] = []
    for cut in looped(m).loops.cuts:
        rows = closure.residual(m.geometry, looped(m).positions(q), cut, 1.0)
        gap, turn = rows[:len(cut.slides)], rows[len(cut.slides):]
        values += [np.sqrt(square(gap)), np.sqrt(square(turn)) if len(turn) else 0.0]
    return Outputs(values)


def constraint_wrenches(m: Numbers, q: Array, qd: Array, qdd: Array, applied: Array,
                        *external: Array, frames: tuple[Any, ...] = ()) -> Outputs:
    """Give the wrench [n, f] of each cut on its second body, at its origin, in root axes."""
    m = m.at(q)
    if frames:
        pull = tree_external_torque(
            m.geometry, looped(m).positions(q), *acting(q, external, frames))
        applied = applied + looped(m).tree.at(q).torques(q, pull)
    force = closing_forces(m, q, qd, qdd, applied)
    return Outputs([x for k in range(len(looped(m).loops.cuts))
                    for x in cut_wrench(m, q, k, force)])


def closing_forces(m: Numbers, q: Array, qd: Array, qdd: Array, applied: Array | None = None
                   ) -> Array:
    """Return the forces of closure, (rows,): what dependent joints need and no motor gives them.

    J_d^T force = tau_d - applied_d; applied: torques of motors at all joints, (joints,)
    """
    tau = INVERSE['gibbs_appell'](m.geometry, m.inertials, *m.state(q, qd, qdd))
    own = looped(m).tree.at(q).torques(q, tau) + m.joint_friction(looped(m).joint_rates(q, qd))
    return looped(m).multipliers(own if applied is None else own - applied)


def carried_by_cuts(m: Numbers, q: Array, qd: Array, qdd: Array, applied: Array | None = None
                    ) -> Array:
    """Return what the cuts take off each joint: [n, f] at O'_i in the joint's frame, (L, 6)."""
    at = looped(m).positions(q)
    R, p = poses(m.geometry, at)
    c, s = cosines_sines(m.geometry, at)
    force = closing_forces(m, q, qd, qdd, applied)
    carried = np.zeros((len(p), 6), q.dtype)
    for k, cut in enumerate(looped(m).loops.cuts):
        wrench = np.array(cut_wrench(m, q, k, force), q.dtype)
        body = cut.bodies[1]
        T = np.array(cut.frames[1])
        x = T[:3, 3] if body < 0 else p[body] + tensor_times(R[body], T[:3, 3])
        _, first, second = closure.paths(m.geometry.parent, cut)
        for links, sign in ((first, -1.0), (second, 1.0)):
            for i in links:
                n = wrench[:3] + cross(x - p[i], wrench[3:])
                for part, v in ((slice(0, 3), n), (slice(3, 6), wrench[3:])):
                    own = turn_z(tensor_times(R[i].T, v), c[i], s[i])  # as Angeles7 (7.36)
                    carried[i, part] = carried[i, part] + sign * own
    return carried


def cut_wrench(m: Numbers, q: Array, loop: int, force: Array) -> list[Any]:
    """Return the wrench of the forces (rows,) of closure at one cut: each row's, summed."""
    coordinates = looped(m)
    cut = coordinates.loops.cuts[loop]
    start = sum(c.rows for c in coordinates.loops.cuts[:loop])
    rows = force[start:start + cut.rows]
    at = coordinates.positions(q)
    first, second = closure.sides(m.geometry, at, cut)
    f, n = np.zeros(3, q.dtype), np.zeros(3, q.dtype)
    whole = len(cut.slides) == 3
    for k, u in enumerate(cut.slides):
        axis = np.eye(3)[k] if whole else first.axes[:, u]
        f = f + axis * rows[k]
    for k, pair in enumerate(cut.normals):
        n = n + closure.normal(first, second, pair) * (
            rows[len(cut.slides) + k] * coordinates.loops.length)
    shared = closure.paths(m.geometry.parent, cut)[0]
    if shared < 0:
        return [*n, *f]
    R = poses(m.geometry, at)[0][shared]
    return [*tensor_times(R, n), *tensor_times(R, f)]


def square(values: Array) -> Any:
    """Return the sum of squares."""
    return sum(x * x for x in values)
