"""Joint limits as stops: impacts with restitution, and rest against a stop.

At a stop the joint may push inward only. Impulses and forces of all stops touched solve one
complementarity problem, found as a non-negative least-squares problem since the inverse of the
GIM is positive definite.
"""

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.system import System

OUTSIDE = 1e-9  # how far beyond a limit a state may be by rounding [rad or m]
REST = 1e-3  # a slower rebound is none [rad/s or m/s]
LEFT = 1e-8  # a joint that moves inward faster has left its stop [rad/s or m/s]


class Stops:
    """The stops of one robot, and the joints that rest against them now."""

    def __init__(self, system: System, lower: Array, upper: Array, restitution: float):
        self.system = system
        self.lower = lower
        self.upper = upper
        self.restitution = restitution
        self.side = np.zeros(system.n, int)  # -1 at the lower stop, +1 at the upper, 0 free

    @property
    def resting(self) -> bool:
        """Whether a joint rests against a stop."""
        return bool(self.side.any())

    def check(self, q: Array) -> None:
        """Raise `InputError` when a state is beyond the stops."""
        beyond = (q < self.lower - OUTSIDE) | (q > self.upper + OUTSIDE)
        if beyond.any():
            k = int(np.argmax(beyond))
            raise InputError(
                f'q0: joint {self.system.joint_names[k]!r} is at {q[k]:g}, outside its limits '
                f'{self.lower[k]:g} to {self.upper[k]:g}, and these are on')

    def acceleration(self, t: float, q: Array, qd: Array) -> Array:
        """Return qdd with the forces of the stops that joints rest against."""
        qdd = self.system.acceleration(t, q, qd)
        return self.held(q, qdd, self.side) if self.resting else qdd

    def held(self, q: Array, qdd: Array, side: Array) -> Array:
        """Return accelerations that do not lead beyond the stops on these sides, (n,)."""
        at = np.flatnonzero(side)
        N, A = self.pushes(q, at, -side[at])
        force = complementary(A, -side[at] * qdd[at])
        result = qdd + N @ force
        result[at[force > 0]] = 0.0
        return result

    def pushes(self, q: Array, at: Array, inward: Array) -> tuple[Array, Array]:
        """Return what unit forces inward at some joints do to all joints, and to themselves."""
        E = np.zeros((self.system.n, len(at)))
        E[at, np.arange(len(at))] = inward
        N = np.linalg.solve(self.system.robot.inertia_matrix(q), E)
        return N, E.T @ N

    def touch(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """Let joints at a stop that move outward strike it; return the state after."""
        q = np.clip(q, self.lower, self.upper)
        reach = 1e-9 * (1.0 + np.abs(q))
        side = np.where(q >= self.upper - reach, 1, np.where(q <= self.lower + reach, -1, 0))
        side[(side * qd) < -REST] = 0  # on its way inward
        at = np.flatnonzero(side)
        self.side = side
        if not len(at):
            return q, qd
        q[at] = np.where(side[at] > 0, self.upper[at], self.lower[at])
        inward = -side[at]
        N, A = self.pushes(q, at, inward)
        speed = inward * qd[at]
        # Newton's restitution: each joint that strikes comes back at e times its speed or more
        goal = np.where(speed < 0, (1.0 + self.restitution) * speed, 0.0)
        qd = qd + N @ complementary(A, goal)
        speed = inward * qd[at]
        slow = np.abs(speed) < REST
        qd[at[slow]] = 0.0
        self.side = np.zeros_like(side)
        self.side[at[slow]] = side[at[slow]]
        return q, qd

    def release(self, qd: Array) -> None:
        """Let go of joints that have left their stop."""
        self.side[self.side * qd < -LEFT] = 0

    def beyond(self, q: Array) -> bool:
        """Return whether a free joint is beyond a stop."""
        free = self.side == 0
        return bool(np.any(free & ((q < self.lower) | (q > self.upper))))


def complementary(A: Array, b: Array) -> Array:
    """Return x >= 0 with A x + b >= 0 and x (A x + b) = 0, for A symmetric positive definite."""
    from scipy.optimize import nnls  # it takes its time
    if len(b) == 1:
        return np.maximum(0.0, -b / A[0])
    L = np.linalg.cholesky((A + A.T) / 2)
    x, _ = nnls(L.T, -np.linalg.solve(L, b))
    return x
