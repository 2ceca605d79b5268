"""Control laws: torques as functions of (t, q, qd), to be handed to `simulate`.

A reference is a Motion, a function of t for q (nq,), qd and qdd (n,), or joint values to be held.
A floating base's qd and qdd are its twist and how that changes, in its own axes; how far it is off
is the motion in those axes that leads to where it should be. Mechanisms get the torques of their
motors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from robot_dynamics.dynamics import Dynamics, is_closed
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import finite, vector
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.quaternions import rotation
from robot_dynamics.simulation.layout import Layout
from robot_dynamics.simulation.motions import Motion

Reference = Callable[[float], tuple[Array, Array, Array]]


class Fixed:
    """A reference that rests: q (nq,), qd, qdd (n,) of one instant or many."""

    def __init__(self, q: Array, n: int):
        self.q, self.rest = q, np.zeros(n)

    def __call__(self, t: Any) -> tuple[Array, Array, Array]:
        """Return q, qd, qdd of one instant, or of instants (...,), each with a row of its own."""
        q, rest = (np.broadcast_to(x, (*np.shape(t), *x.shape)) for x in (self.q, self.rest))
        return q, rest, rest


def as_reference(reference: Any, robot: Dynamics) -> Reference:
    """Return a function of time for q, qd, qdd."""
    if callable(reference):
        given: Reference = reference
        return given
    q = unit_turns(robot, vector('reference', reference, (robot.nq,)))
    return Fixed(finite('reference', q), robot.n)


def unit_turns(robot: Dynamics, q: Array) -> Array:
    """Return q with quaternions of length one."""
    return q if robot.nq == robot.n else Layout(robot.value_names).normalised(q)


def errors(robot: Dynamics, q: Array, q_d: Array) -> Array:
    """Return q - q_d, (n,); of a floating base the motion from where it should be."""
    return q - q_d if robot.nq == robot.n else -Layout(robot.value_names).difference(q, q_d)


def moved(robot: Dynamics, q: Array, v: Array) -> Array:
    """Return q + v, (nq,); of a floating base moved by its twist."""
    return q + v if robot.nq == robot.n else Layout(robot.value_names).integrate(q, v)


def carried(robot: Dynamics, q: Array, qd: Array, desired: Sequence[Array]) -> tuple[Array, Array]:
    """Return a reference's rates and accelerations, (n,) each, as those of a robot at q, qd.

    desired: q, qd, qdd of the reference. A floating base's twist is in axes of its own: seen from
    where the base is, V' = Ad V_d and dV'/dt = Ad dV_d/dt - V x V'.
    """
    q_d, qd_d, qdd_d = desired
    if robot.nq == robot.n:
        return qd_d, qdd_d
    rates, accelerations = qd_d.copy(), qdd_d.copy()
    for k, j in Layout(robot.value_names).poses:
        (R, p), (R_d, p_d) = (
            (rotation(x[k + 3:k + 7]), x[k:k + 3]) for x in (q, q_d))
        turn, gap, part = R.T @ R_d, R.T @ (p_d - p), slice(j, j + 6)
        rates[part] = seen_there(turn, gap, qd_d[part])
        accelerations[part] = seen_there(turn, gap, qdd_d[part]) - crossed(qd[part], rates[part])
    return rates, accelerations


def seen_there(turn: Array, gap: Array, twist: Array) -> Array:
    """Return a twist [omega; v] in axes from which its own ones are turned and a gap away."""
    omega, v = turn @ twist[:3], turn @ twist[3:]
    return np.concatenate([omega, v + np.cross(gap, omega)])


def crossed(a: Array, b: Array) -> Array:
    """Return the cross product of twists, how b changes as seen from what moves by -a."""
    omega, v = a[:3], a[3:]
    return np.concatenate([np.cross(omega, b[:3]), np.cross(omega, b[3:]) + np.cross(v, b[:3])])


def reference_at(reference: Reference, t: Array, robot: Dynamics) -> list[Array]:
    """Return q, qd, qdd of a reference at instants (...,), (..., nq) and (..., n) twice.

    `InputError`: answers of other shapes
    """
    times, many = np.ravel(t), isinstance(reference, Fixed | Motion)
    instants: Any = [times] if many else times.tolist()  # a caller's function takes one
    rows = [of_answer(reference(x), robot, x) for x in instants]
    return [np.concatenate(x).reshape(*np.shape(t), -1) for x in zip(*rows, strict=True)]


def reference_now(reference: Reference, t: float, robot: Dynamics) -> list[Array]:
    """Return q (nq,), qd, qdd (n,) of a reference at one instant; `InputError`: other shapes."""
    return [x[0] for x in of_answer(reference(t), robot, t)]


def of_answer(answer: Any, robot: Dynamics, t: Any) -> list[Array]:
    """Return a reference's answer at t, one or (K,), as arrays (K, nq), (K, n), (K, n)."""
    widths, K = (robot.nq, robot.n, robot.n), np.size(t)
    try:
        q, qd, qdd = (np.asarray(x, float).reshape(K, width) for x, width in zip(
            answer, widths, strict=True))
    except (TypeError, ValueError):
        found = ', '.join(str(np.shape(x)) for x in answer) if isinstance(
            answer, tuple | list) else type(answer).__name__
        raise InputError(
            f'reference: gives {found} at t = {np.ravel(t)[0]:g} s: expected q ({widths[0]},), '
            f'qd ({widths[1]},), qdd ({widths[2]},)') from None
    return [unit_turns(robot, q), qd, qdd]


def of_motors(robot: Dynamics, q: Array, force: Array) -> Array:
    """Return the motors' torques that give forces over the rates, (n,): of mechanisms others."""
    return robot.motor_torques(q, force) if is_closed(robot) else force


def gains(name: str, value: Any, n: int) -> Array:
    """Return gains of the joints, one number for all or (n,), none negative."""
    array = vector(name, np.broadcast_to(value, (n,)) if np.ndim(value) == 0 else value, (n,))
    if np.any(array < 0):
        raise InputError(f'{name}: expected no negative gains')
    return array


class ComputedTorque:
    """Computed torque: the errors decay like those of a critically damped oscillator.

    reference: a Motion, a function of t for q, qd, qdd, or joint values to be held, (nq,) [rad
        or m]
    gain: lambda of the joints, one for all or (n,) [1/s]
    A law gives torques (n,) [N m or N] of t [s], q (nq,) and qd (n,); of a mechanism, those of
    its motors. `InputError`: shapes, gains below zero.

    >>> law = rd.ComputedTorque(arm, [0, 0], gain=10.0)
    >>> law(0.0, np.array([0, 0]), np.zeros(2))
    array([19.62 ,  4.905])
    """

    def __init__(self, robot: Dynamics, reference: Any, gain: Any):
        self.robot = robot
        self.reference = as_reference(reference, robot)
        self.gain = gains('gain', gain, robot.n)

    @property
    def gains(self) -> tuple[Array, Array]:
        """What multiplies the errors of rates and values, (n,) each."""
        return 2 * self.gain, self.gain ** 2

    def inputs(self, t: Array) -> Array:
        """Return what it takes of the reference at instants (...,): q, qd, qdd, (..., nq + 2 n).

        >>> rd.ComputedTorque(arm, [0.1, 0.2], 5.0).inputs(np.array([0.0]))
        array([[0.1, 0.2, 0. , 0. , 0. , 0. ]])
        """
        return np.concatenate(reference_at(self.reference, t, self.robot), axis=-1)

    def __call__(self, t: float, q: Array, qd: Array, *, ahead: float = 0.0) -> Array:
        """Return the torques, friction included.

        ahead: how much later than the state they act [s]; what is not fed back is then that of the
        state to come, along the reference's acceleration
        """
        desired = reference_now(self.reference, t, self.robot)
        lam, off = self.gain, errors(self.robot, q, desired[0])
        qd_d, qdd_d = carried(self.robot, q, qd, desired)
        feedback = -2 * lam * (qd - qd_d) - lam ** 2 * off  # SahaSchiehlen2001 (37)
        if ahead:
            later = reference_now(self.reference, t + ahead, self.robot)
            q = moved(self.robot, q, ahead * qd + ahead ** 2 * qdd_d / 2)
            qd = qd + ahead * qdd_d
            qdd_d = carried(self.robot, q, qd, later)[1]
        a = qdd_d + feedback
        return self.robot.inverse_dynamics(q, qd, a)  # SahaSchiehlen2001 (37), with gravity


class PDGravity:
    """Proportional and derivative feedback, gravity compensated.

    reference: as of `ComputedTorque`
    stiffness, damping: of the joints, one for all or (n,) [N m/rad or N/m, N m s/rad or N s/m]
    `InputError`: shapes, gains below zero.

    >>> law = rd.PDGravity(arm, [0.1, 0], stiffness=100.0, damping=10.0)
    >>> law(0.0, np.zeros(2), np.zeros(2)).round(3)
    array([29.62 ,  4.905])
    """

    def __init__(self, robot: Dynamics, reference: Any, stiffness: Any, damping: Any):
        self.robot = robot
        self.reference = as_reference(reference, robot)
        self.stiffness = gains('stiffness', stiffness, robot.n)
        self.damping = gains('damping', damping, robot.n)

    @property
    def gains(self) -> tuple[Array, Array]:
        """What multiplies the errors of rates and values, (n,) each."""
        return self.damping, self.stiffness

    def inputs(self, t: Array) -> Array:
        """Return what it takes of the reference at instants (...,): q, qd, (..., nq + n).

        >>> rd.PDGravity(arm, [0.1, 0.2], 5.0, 1.0).inputs(np.array([0.0]))
        array([[0.1, 0.2, 0. , 0. ]])
        """
        return np.concatenate(reference_at(self.reference, t, self.robot)[:2], axis=-1)

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Return the torques."""
        desired = reference_now(self.reference, t, self.robot)
        q_d, qd_d = desired[0], carried(self.robot, q, qd, desired)[0]
        force = (self.robot.gravity_torque(q) - self.stiffness * errors(self.robot, q, q_d)
                 + self.damping * (qd_d - qd))
        return of_motors(self.robot, q, force)


class FeedForward:
    """The torques of the reference motion itself, nothing fed back.

    reference: as of `ComputedTorque`; `InputError`: its shape

    >>> law = rd.FeedForward(arm, rd.cycloidal([0, 0], [1, 0], 2.0))
    >>> law(0.0, np.zeros(2), np.zeros(2))
    array([19.62 ,  4.905])
    """

    def __init__(self, robot: Dynamics, reference: Any):
        self.robot = robot
        self.reference = as_reference(reference, robot)
        self.gains: tuple[Array, ...] = ()

    def inputs(self, t: Array) -> Array:
        """Return the torques at instants (...,), a row each.

        >>> rd.FeedForward(arm, [0.0, 0.0]).inputs(np.array([0.0])).round(3)
        array([[19.62 ,  4.905]])
        """
        rows = reference_at(self.reference, np.ravel(t), self.robot)
        return self.robot.inverse_dynamics(*rows).reshape(*np.shape(t), -1)

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Return the torques."""
        return self.robot.inverse_dynamics(*reference_now(self.reference, t, self.robot))
