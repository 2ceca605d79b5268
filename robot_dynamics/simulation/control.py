"""Control laws: torques as functions of (t, q, qd), to be handed to `simulate`.

A reference is a Motion, or joint values to be held.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import vector
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.layout import Layout
from robot_dynamics.simulation.motions import Motion

Reference = Callable[[float], tuple[Array, Array, Array]]


class Fixed:
    """A reference that rests: q, qd, qdd of one instant or many."""

    def __init__(self, q: Array, n: int):
        self.q, self.rest = q, np.zeros(n)

    def __call__(self, t: Any) -> tuple[Array, Array, Array]:
        """Return q, qd, qdd: (n,) each for one instant, (..., n) for (...,)."""
        q, rest = (np.broadcast_to(x, (*np.shape(t), len(x))) for x in (self.q, self.rest))
        return q, rest, rest


def as_reference(reference: Any, robot: Dynamics) -> Reference:
    """Return a function of time for q, qd, qdd."""
    if callable(reference):
        given: Reference = reference
        return given
    return Fixed(vector('reference', reference, (robot.nq,)), robot.n)


def errors(robot: Dynamics, q: Array, q_d: Array) -> Array:
    """Return q - q_d, (n,); of a floating base the motion from where it should be."""
    return q - q_d if robot.nq == robot.n else -Layout(robot.value_names).difference(q, q_d)


def moved(robot: Dynamics, q: Array, v: Array) -> Array:
    """Return q + v, (nq,); of a floating base moved by its twist."""
    return q + v if robot.nq == robot.n else Layout(robot.value_names).integrate(q, v)


def reference_at(reference: Reference, t: Array, n: int) -> list[Array]:
    """Return q, qd, qdd at instants (...,), (..., n) each."""
    shape, times = (*np.shape(t), n), np.ravel(t)
    many: Any = reference  # a caller's function takes one instant
    rows = many(times) if isinstance(reference, Fixed | Motion) else zip(
        *(reference(x) for x in times.tolist()), strict=True)
    return [np.array(row, float).reshape(shape) for row in rows]


def gains(name: str, value: Any, n: int) -> Array:
    """Return gains of the joints, one number for all or (n,), none negative."""
    array = vector(name, np.broadcast_to(value, (n,)) if np.ndim(value) == 0 else value, (n,))
    if np.any(array < 0):
        raise InputError(f'{name}: expected no negative gains')
    return array


class ComputedTorque:
    """Computed torque: the errors decay like those of a critically damped oscillator.

    reference: a Motion, or joint values to be held, (n,) [rad or m]
    gain: lambda of the joints, one for all or (n,) [1/s]
    A law gives torques (n,) [N m or N] of t [s], q and qd (n,). `InputError`: shapes, gains below
    zero.

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
        """Return what it takes of the reference at instants (...,): q, qd, qdd, (..., 3 n).

        >>> rd.ComputedTorque(arm, [0.1, 0.2], 5.0).inputs(np.array([0.0]))
        array([[0.1, 0.2, 0. , 0. , 0. , 0. ]])
        """
        return np.concatenate(reference_at(self.reference, t, self.robot.n), axis=-1)

    def __call__(self, t: float, q: Array, qd: Array, *, ahead: float = 0.0) -> Array:
        """Return the torques, friction included.

        ahead: how much later than the state they act [s]; what is not fed back is then that of the
        state to come, along the reference's acceleration
        """
        q_d, qd_d, qdd_d = self.reference(t)
        lam = self.gain
        off = errors(self.robot, q, q_d)
        feedback = -2 * lam * (qd - qd_d) - lam ** 2 * off  # SahaSchiehlen2001 (37)
        if ahead:
            later = self.reference(t + ahead)[2]
            q = moved(self.robot, q, ahead * qd + ahead ** 2 * qdd_d / 2)
            qd = qd + ahead * qdd_d
            qdd_d = later
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
        """Return what it takes of the reference at instants (...,): q, qd, (..., 2 n).

        >>> rd.PDGravity(arm, [0.1, 0.2], 5.0, 1.0).inputs(np.array([0.0]))
        array([[0.1, 0.2, 0. , 0. ]])
        """
        return np.concatenate(reference_at(self.reference, t, self.robot.n)[:2], axis=-1)

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Return the torques."""
        q_d, qd_d, _ = self.reference(t)
        tau: Array = (self.robot.gravity_torque(q) - self.stiffness * errors(self.robot, q, q_d)
                      + self.damping * (qd_d - qd))
        return tau


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
        """Return the torques at instants (...,), (..., n).

        >>> rd.FeedForward(arm, [0.0, 0.0]).inputs(np.array([0.0])).round(3)
        array([[19.62 ,  4.905]])
        """
        n = self.robot.n
        rows = [x.reshape(-1, n) for x in reference_at(self.reference, t, n)]
        return self.robot.inverse_dynamics(*rows).reshape(*np.shape(t), n)

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Return the torques."""
        return self.robot.inverse_dynamics(*self.reference(t))
