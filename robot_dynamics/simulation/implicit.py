"""One step of implicit Euler in the rates: damping, servos, friction and stops all at its end.

    (I + h (damping + d) + h^2 k) (v - qd) = h (tau - bias - damping qd - servo) + p

v are the rates at the end, p the impulses of friction, within +-h F, and of the stops, which let
no joint pass (Moreau's sweeping process). Of first order, but stable whatever the gains, and
impulses only take energy.
"""

from typing import NamedTuple

import numpy as np

from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.box import box_reactions
from robot_dynamics.simulation.holds import INSIDE, REACH, Holds
from robot_dynamics.simulation.system import BlowUpError


class Servo(NamedTuple):
    """Torques kp (position - q) + kd (velocity - qd) at the end of the step, each (n,)."""

    kp: Array
    kd: Array
    position: Array
    velocity: Array


def implicit_step(holds: Holds, t: float, q: Array, qd: Array, h: float,
                  servo: Servo | None = None) -> tuple[Array, Array]:
    """Return the state after a step of h [s]; keeps the modes that follow from it."""
    system = holds.system
    tau = system.total_torque(t, q, qd)
    if system.space.following:  # passive joints rub too
        phi = system.matrix(q) @ system.held(q, qd, tau, np.ones(system.n))
    else:
        phi = tau - system.robot.bias(q, qd) - system.damping * qd
    added = h * system.damping
    if servo is not None:
        x = system.space.joint_values(q)
        phi = phi + servo.kp * (servo.position - x - h * qd) + servo.kd * (servo.velocity - qd)
        added = added + h * servo.kd + h * h * servo.kp
    try:
        A = np.linalg.inv(holds.matrix(q) + np.diag(added))
    except np.linalg.LinAlgError:
        system.held(q, qd, tau, 1.0 - holds.locked)  # names the joint that has no inertia here
        raise BlowUpError('the generalized inertia matrix is singular') from None
    A = (A + A.T) / 2
    v = qd + h * (A @ phi)
    holds.scale = float(np.abs(phi).max() + np.abs(tau).max() + holds.friction.max())
    v, zero, at = constrained(holds, system.space.joint_values(q), v, A, h)
    q1 = system.space.integrate(q, h * v)
    x = np.clip(system.space.joint_values(q1), holds.lower, holds.upper)
    x = np.where(at > 0, holds.upper, np.where(at < 0, holds.lower, x))
    q1 = system.space.with_joint_values(q1, x)
    holds.held, holds.side = zero, np.where(zero, at, 0)
    holds.direction = np.where((holds.friction > 0) & ~zero, np.sign(v), 0.0)
    holds.update()
    return q1, v


def constrained(holds: Holds, q: Array, v: Array, A: Array, h: float
                ) -> tuple[Array, Array, Array]:
    """Return the rates under the impulses of friction and stops, which are zero, and who is where.

    q: joint values beside the rates, (n,)

    First friction, and stops that are touched; joints that would still pass a stop within the step
    go as far as that one, until none passes.
    """
    n, F = len(q), h * holds.friction
    reach = REACH * (1.0 + np.abs(q))
    on = np.where(q >= holds.upper - reach, 1, np.where(q <= holds.lower + reach, -1, 0))
    goal = np.zeros(n)
    least = np.where((on > 0) | holds.locked, -np.inf, -F)
    most = np.where((on < 0) | holds.locked, np.inf, F)
    acts = (F > 0) | (on != 0) | holds.locked
    at = np.where(on != 0, on, 0)
    slack = INSIDE * h * holds.scale
    C, where, rates = np.zeros(0, int), np.zeros(0, int), v
    for _ in range(n + 1):
        if acts.any():
            C = np.flatnonzero(acts)
            p, where = box_reactions(A[C][:, C], v[C] - goal[C], least[C], most[C], slack)
            rates = v + A[:, C] @ p
            rates[C[where == 0]] = goal[C[where == 0]]
        q1 = q + h * rates
        low = (q1 < holds.lower - reach) & (goal == 0.0)
        high = (q1 > holds.upper + reach) & (goal == 0.0)
        if not (low | high).any():
            break
        acts |= low | high
        goal[low], goal[high] = ((holds.lower - q) / h)[low], ((holds.upper - q) / h)[high]
        least[low], most[low], at[low] = F[low], np.inf, -1
        least[high], most[high], at[high] = -np.inf, -F[high], 1
    stuck = np.zeros(n, bool)
    stuck[C[where == 0]] = True
    at[~stuck] = 0
    return rates, stuck & (goal == 0.0), at
