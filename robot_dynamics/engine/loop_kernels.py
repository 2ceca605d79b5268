"""Kernels of mechanisms alone: assembly, passive rates, closure, the wrenches that close loops.

The coordinates of `m` are looped (mechanism/looped.py); all other kernels are those of robots.
"""

from typing import Any

import numpy as np

from robot_dynamics.algorithms import INVERSE, closure
from robot_dynamics.algorithms.kinematics import poses
from robot_dynamics.algorithms.turns import tensor_times
from robot_dynamics.engine.numbers import Numbers
from robot_dynamics.engine.tracing.program import Outputs

STEPS = (2, 2)  # of Newton's method, with two sets of derivatives: e becomes e^9


def looped(m: Numbers) -> Any:
    """Return the coordinates of a mechanism, which a layer above defines."""
    return m.coordinates


def assembly(m: Numbers, values, q) -> Outputs:
    """Give all joint values near q with the independent ones given, and the closure's square."""
    closed, left = looped(m).loops.closed(values, q, STEPS)
    return Outputs([*closed, left])


def placing(m: Numbers, values) -> Outputs:
    """Give all joint values in closed form, on the branch of the start."""
    placed, guards = looped(m).loops.placed(values)
    return Outputs(list(placed), guards)


def joint_rates(m: Numbers, q, qd) -> Outputs:
    """Give the rates of all joints of the tree."""
    m = m.at(q)
    return Outputs(list(looped(m).joint_rates(q, qd)))


def joint_accelerations(m: Numbers, q, qd, qdd) -> Outputs:
    """Give the accelerations of all joints of the tree."""
    m = m.at(q)
    return Outputs(list(looped(m).joint_accelerations(q, qd, qdd)))


def friction(m: Numbers, q, qd) -> Outputs:
    """Give what overcomes friction of all joints, smooth near rest."""
    m = m.at(q)
    return Outputs(list(m.friction_torque(q, qd)))


def complement(m: Numbers, q) -> Outputs:
    """Give N: the rates of all joints of the tree per independent rate, row by row."""
    m = m.at(q)
    return Outputs(list(looped(m).N.ravel()))


def closure_error(m: Numbers, q, *, loop: int) -> Outputs:
    """Give how far a cut is open: a length [m] and the sine of an angle."""
    coordinates = looped(m)
    cut = coordinates.loops.cuts[loop]
    at, geometry = coordinates.positions(q), coordinates.geometry(m.geometry, q)
    rows = closure.residual(geometry, at, cut, 1.0)
    gap, turn = rows[:len(cut.slides)], rows[len(cut.slides):]
    return Outputs([np.sqrt(square(gap)), np.sqrt(square(turn)) if len(turn) else 0.0])


def constraint_wrench(m: Numbers, q, qd, qdd, *, loop: int) -> Outputs:
    """Give the wrench [n, f] of a cut on its second body, at the cut's origin, in root axes."""
    m = m.at(q)
    tau = INVERSE['gibbs_appell'](m.geometry, m.inertials, *m.state(q, qd, qdd))
    own = looped(m).tree.at(q).torques(q, tau) + m.joint_friction(
        looped(m).joint_rates(q, qd))
    force = looped(m).multipliers(own)
    wrench = cut_wrench(m, q, loop, force)
    return Outputs(list(wrench))


def cut_wrench(m: Numbers, q, loop: int, force) -> list[Any]:
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
        f = f + axis * (rows[k] / coordinates.loops.length)
    for k, pair in enumerate(cut.normals):
        n = n + closure.normal(first, second, pair) * rows[len(cut.slides) + k]
    shared = closure.paths(m.geometry.parent, cut)[0]
    if shared < 0:
        return [*n, *f]
    R = poses(m.geometry, at)[0][shared]
    return [*tensor_times(R, n), *tensor_times(R, f)]


def square(values) -> Any:
    """Return the sum of squares."""
    return sum(x * x for x in values)
