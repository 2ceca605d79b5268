"""The generalized-momentum observer: external torque without measuring accelerations.

The momentum p = I qd obeys dp/dt = tau - friction - gravity torque + C^T qd + external torque,
with C^T qd = dI/dt qd - C qd. Its residual follows the external torque like a low-pass filter of
first order whose rate is the gain.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import vector
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.control import gains


class MomentumObserver:
    """Estimates external torques from measured q, qd and the motors' torques.

    gain: how fast it follows, one for all joints or (n,) [1/s]; `InputError`: not positive

    >>> observer = rd.MomentumObserver(arm, gain=100.0)
    """

    def __init__(self, robot: Dynamics, gain: Any):
        self.robot = robot
        self.gain = gains('gain', gain, robot.n)
        if np.any(self.gain <= 0):
            raise InputError('gain: expected positive numbers [1/s]')
        self.reset()

    def reset(self) -> None:
        """Forget everything.

        >>> rd.MomentumObserver(arm, gain=100.0).reset()
        """
        self.residual = np.zeros(self.robot.n)
        self._last: tuple[float, Array, Array] | None = None  # t, momentum, its known rate

    def update(self, t: float, q: Any, qd: Any, tau: Any) -> Array:
        """Take a measurement; return the external torques, (n,) [N m or N].

        t: its time [s]; q, qd, tau: joint values, rates and the motors' torques, (n,)
        `InputError`: shapes, nan, time that does not go forward.

        >>> observer, held = rd.MomentumObserver(arm, gain=100.0), arm.gravity_torque([0, 0])
        >>> for t in (0.0, 0.05, 0.1):
        ...     pushed = observer.update(t, [0, 0], [0, 0], held - [1, 0])
        >>> pushed.round(2)
        array([1., 0.])
        """
        n = self.robot.n
        q = vector('q', q, (self.robot.nq,))
        qd, tau = vector('qd', qd, (n,)), vector('tau', tau, (n,))
        p, beta = momentum(self.robot, q, qd)
        known = tau - self.robot.friction_torque(qd, q=q) + beta
        if self._last is None:
            self._last = (t, p, known)
            return self.residual.copy()
        t_last, p_last, known_last = self._last
        h = t - t_last
        if not h > 0:
            raise InputError(f't={t:g}: time must go forward, the last was {t_last:g}')
        # what the momentum gained beyond what is known, filtered exactly over the interval
        external = (p - p_last) / h - (known + known_last) / 2
        self.residual = external + (self.residual - external) * np.exp(-self.gain * h)
        self._last = (t, p, known)
        return self.residual.copy()


def momentum(robot: Dynamics, q: Array, qd: Array) -> tuple[Array, Array]:
    """Return p = I qd and C^T qd - gravity torque."""
    C = robot.convective_matrix(q, qd, form='skew')  # with which dI/dt = C + C^T
    return robot.inertia_matrix(q) @ qd, (C + C.T) @ qd - robot.bias(q, qd)
