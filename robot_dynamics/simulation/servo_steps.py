"""Implicit steps under servos by one kernel, as long as nothing changes (implicit.py).

Joints that are held, and the directions of those that slide, are taken from the step before. The
kernel `servo_step` solves for the others, joints at their effort limit still at it; where a
reaction leaves its bounds, a joint turns round, nears a stop, meets its limit or comes back from
it, the step is not taken and `implicit_step` finds out.
"""

from typing import NamedTuple

import numpy as np

from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.holds import REACH, Holds
from robot_dynamics.simulation.tableaus import RUNAWAY


class Servos(NamedTuple):
    """Torques beside servos kp (position - q) + kd (velocity - qd), each (n,).

    kp = stiffness + stiffness_felt I_ii, kd likewise, I_ii of the GIM now; follows: 1 for joints
    whose servo has the torque that keeps the velocity, else 0
    """

    effort: Array
    follows: Array
    stiffness: Array
    stiffness_felt: Array
    damping: Array
    damping_felt: Array
    position: Array
    velocity: Array


class Stepped(NamedTuple):
    """The state after a step, (nq,) and (n,), and the torques applied in it, (n,)."""

    q: Array
    qd: Array
    applied: Array


def servo_step(holds: Holds, q: Array, qd: Array, servos: Servos, most: Array,
               limit: Array | float, h: float) -> Stepped | None:
    """Return a step of h [s] in the modes as they are; None where they end, or without a kernel.

    limit: of the torques, (n,) [N m or N]; most: the torques of joints that are at it, else 0
    """
    system, space, n = holds.system, holds.system.space, len(qd)
    if system.kernels is None or space.following:
        return None
    answer = system.kernels.ready('servo_step')
    if answer is None:
        return None
    free, sliding = holds.modes
    cut = most != 0.0
    found = answer(q, qd, free, sliding, *servos, 1.0 * cut, most, system.damping, np.full(n, h),
                   None)
    if found is None:  # singular, or not finite
        return None
    change, asked = found
    v = np.where(holds.held, 0.0, qd + change)
    q1 = q + h * v if space.flat else space.integrate(q, h * v)
    x, x1 = space.joint_values(q), space.joint_values(q1)
    reaction, reach = change / h, REACH * (1.0 + np.abs(x))
    low, high = holds.lower + reach, holds.upper - reach
    same = np.where(
        holds.held, (reaction >= holds.least) & (reaction <= holds.most),
        (low < x) & (x < high) & (low < x1) & (x1 < high)
        & ((holds.friction == 0.0) | (holds.direction * v > 0.0)))
    same &= np.where(cut, (np.abs(asked) >= limit) & (asked * most > 0.0)
                     & (np.abs(most) == limit), np.abs(asked) <= limit)
    if not same.all() or np.abs(v).max() > RUNAWAY:
        return None
    return Stepped(q1, v, np.where(cut, most, asked))
