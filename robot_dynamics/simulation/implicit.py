"""One step of implicit Euler in the rates: damping, servos, friction and stops all at its end.

    (I + h (damping + d) + h^2 k) (v - qd) = h (tau - bias - damping qd - servo) + p

v are the rates at the end, p the impulses of friction, within +-h F, and of the stops, which let
no joint pass (Moreau's sweeping process). Of first order, but stable whatever the gains, and
impulses only take energy.
"""

from typing import NamedTuple

import numpy as np

from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.blow_up import BlowUpError
from robot_dynamics.simulation.box import box_reactions
from robot_dynamics.simulation.holds import Holds

STILL = 1e-9  # slower joints, beside others that are held, are at rest [rad/s or m/s]


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
    W = holds.rows(q, np.arange(len(holds.lower)))
    damping = system.joint_damping
    phi = tau - system.robot.bias(q, qd) - W.T @ (damping * (W @ qd))
    added = h * W.T @ (damping[:, None] * W)
    if servo is not None:
        x = system.space.joint_values(q)
        phi = phi + servo.kp * (servo.position - x - h * qd) + servo.kd * (servo.velocity - qd)
        added = added + np.diag(h * servo.kd + h * h * servo.kp)
    try:
        A = np.linalg.inv(holds.matrix(q) + added)
    except np.linalg.LinAlgError:
        system.held(q, qd, tau, 1.0 - holds.locked)  # names the joint that has no inertia here
        raise BlowUpError('the generalized inertia matrix is singular') from None
    A = (A + A.T) / 2
    v = qd + h * (A @ phi)
    holds.scale = float(np.abs(phi).max() + np.abs(tau).max() + holds.friction.max())
    impulse = constrained(holds, holds.values(q), W @ v, holds.felt(W @ A @ W.T), h)
    zero, at = impulse.zero, impulse.at
    v = holds.impelled(q, v + A @ (W.T @ impulse.p), impulse.rates, zero)
    q1 = system.space.integrate(q, h * v)
    x = np.clip(holds.values(q1), holds.lower, holds.upper)
    x = np.where(at > 0, holds.upper, np.where(at < 0, holds.lower, x))
    q1 = holds.put(q1, x, at != 0)
    speeds = holds.speeds(q1, v)
    holds.held, holds.side = zero, np.where(zero, at, 0)
    holds.direction = np.where((holds.friction > 0) & ~zero, np.sign(speeds), 0.0)
    resting = np.flatnonzero(np.abs(speeds) <= STILL)
    holds.share(resting, impulse.bound[resting])
    holds.update()
    return q1, v


class Impulses(NamedTuple):
    """What friction and stops do in a step, each (n,)."""

    p: Array  # impulses
    rates: Array  # of the joints, after them
    zero: Array  # which joints are held
    at: Array  # and on which stop: -1, 1
    bound: Array  # at which bound the impulse is: -1, 1; 0: at none


def constrained(holds: Holds, q: Array, v: Array, A: Array, h: float) -> Impulses:
    """Return the impulses of friction and stops.

    q, v: joint values and rates without impulses, (n,); A: rates per impulse, (n, n)

    First friction, and stops that are touched; joints that would still pass a stop within the step
    go as far as that one, until none passes.
    """
    n, F = len(q), h * holds.friction
    reach = holds.reach * (1.0 + np.abs(q))
    on = np.where(q >= holds.upper - reach, 1, np.where(q <= holds.lower + reach, -1, 0))
    goal = np.zeros(n)
    least = np.where((on > 0) | holds.locked, -np.inf, -F)
    most = np.where((on < 0) | holds.locked, np.inf, F)
    acts = (F > 0) | (on != 0) | holds.locked
    at = np.where(on != 0, on, 0)
    slack = holds.inside * h * holds.scale
    C, p, where, rates = np.zeros(0, int), np.zeros(0), np.zeros(0, int), v
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
    stuck, impulses, bound = np.zeros(n, bool), np.zeros(n), np.zeros(n, int)
    stuck[C[where == 0]], impulses[C], bound[C] = True, p, where
    at[~stuck] = 0
    return Impulses(impulses, rates, stuck & (goal == 0.0), at, bound)
