"""What holds the joints of a mechanism: friction and stops of passive joints too.

The equations of holds.py are over the independent rates qd; a joint j of the tree moves at W_j qd,
so its reaction acts as W_j^T r_j, and where it is held W_j qdd + dW_j/dt qd = 0. Joints outnumber
the freedoms: those that are held say the same, more or less, and share what they carry by least
squares in the metric of what each feels alone. The motion is the same however they share it.
"""

from typing import Any, cast

import numpy as np

from robot_dynamics.dynamics import WholeDynamics
from robot_dynamics.errors import RobotDynamicsError
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.looped_coordinates import LoopedCoordinates
from robot_dynamics.simulation.blow_up import BlowUpError
from robot_dynamics.simulation.holds import Holds
from robot_dynamics.simulation.system import System

SHARE = 1e-8  # part of what a joint feels alone, that keeps shared reactions determined
RANK = 1e-9  # singular values below this part of the largest are zero
RETURN = 10.0  # [1/s] how fast joints held on their stops return to them from rounding
PLACING = 6  # steps of Newton's method towards stops
DEAD = 1e-6  # part of the rates that stopping a joint may change, unless a stop strikes it
SLOW = 1e-11  # [rad/s or m/s] changes of rates that are rounding
TURN = 2 * np.pi


class ClosedHolds(Holds):
    """The friction and the stops of all joints of a mechanism's tree, (m,) each."""

    reach, inside, beyond = 1e-9, 1e-7, 1e-6

    def __init__(self, system: System, lower: Array, upper: Array, restitution: float):
        assert system.kernels is not None  # a mechanism has them
        self.space, self.kernels = cast(LoopedCoordinates, system.space), system.kernels
        self.own = list(self.space.loops.independent)
        self._seen: tuple[Any, Array] = (None, np.zeros(0))
        self.turns = turning_joints(self.space)
        super().__init__(system, lower.copy(), upper.copy(), restitution)

    @property
    def names(self) -> tuple[str, ...]:
        """All joints of the tree."""
        return self.space.loops.names

    @property
    def bounded(self) -> bool:
        """Whether any joint has a stop."""
        return bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    @property
    def own_bounds(self) -> tuple[Array, Array]:
        """The bounds of the independent joints, (n,) each."""
        return self.lower[self.own], self.upper[self.own]

    def within(self, q: Array) -> Array:
        """Tell which states, (K, nq), have all joints between their stops, (K,)."""
        x = self.space.tree.joint_values(q)
        reach = self.reach * (1.0 + np.abs(x))
        inside: Array = np.logical_and.reduce(
            (x > self.lower - reach) & (x < self.upper + reach), axis=-1)
        return inside

    def check(self, q: Array) -> None:
        """Raise `InputError` when a state is beyond the stops; angles may be full turns off."""
        x = self.values(q)
        for j in np.flatnonzero(self.turns & (self.upper - self.lower < TURN)):
            turn = TURN * np.ceil((self.lower[j] - x[j] - self.reach) / TURN)
            if x[j] + turn <= self.upper[j] + self.reach:
                self.lower[j], self.upper[j] = self.lower[j] - turn, self.upper[j] - turn
        self.update()
        super().check(q)

    # The joints that may be held

    def values(self, q: Array) -> Array:
        """Return the values of all joints where the loops close, (..., m)."""
        if self._seen[0] is not q:
            x = self.space.normalised(q)
            if q.ndim == 2 and not np.isfinite(x).all():  # one of them spoils all
                x = np.array([self.space.normalised(row) for row in q])
            self._seen = q, self.space.tree.joint_values(x)
        return self._seen[1]

    def speeds(self, q: Array, qd: Array) -> Array:
        """Return the rates of all joints, (..., m); nan where the loops are singular."""
        try:
            rates: Array = self.kernels.evaluate(
                'joint_rates', (np.ascontiguousarray(q), np.ascontiguousarray(qd)))
            return rates
        except RobotDynamicsError:
            if q.ndim == 2:
                return np.array([self.speeds(*state) for state in zip(q, qd, strict=True)])
            return np.full(len(self.lower), np.nan)

    def rows(self, q: Array, at: Array) -> Array:
        """Return some joints' rates per independent rate, (len(at), n)."""
        try:
            rows: Array = self.kernels.evaluate('complement', (np.ascontiguousarray(q),))[at]
            return rows
        except RobotDynamicsError as error:
            raise BlowUpError(str(error)) from error

    def put(self, q: Array, x: Array, at: Array) -> Array:
        """Return q closed, with some joints at values x: the independent ones give way."""
        q, on = self.space.normalised(q), np.flatnonzero(at)
        for _ in range(PLACING if len(on) else 0):
            gap = x[on] - self.space.tree.joint_values(q)[on]
            if not np.abs(gap).max() > 1e-14 * (1.0 + np.abs(x[on]).max()):
                break
            q = self.space.integrate(q, np.linalg.lstsq(self.rows(q, on), gap, rcond=RANK)[0])
        return q

    # Motion between events

    def update(self) -> None:
        """Make what follows from the modes."""
        super().update()
        self._rank: int | None = None  # of the joints held

    def answer(self, t: float, q: Array, qd: Array) -> Array:
        """Return accelerations of the joints that move, reactions of those held, (m,)."""
        return self.moved(t, q, qd)[1]

    def acceleration(self, t: float, q: Array, qd: Array) -> Array:
        """Return qdd of the independent joints, (n,)."""
        if not self.act:
            return self.system.acceleration(t, q, qd)
        if self._rank == self.system.n and not (qd.any() or self.side.any()):
            return np.zeros(self.system.n)  # all is at rest
        return self.moved(t, q, qd)[0]

    def moved(self, t: float, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return what `held_motion` does in the modes of now."""
        tau = self.system.total_torque(t, q, qd)
        back = np.zeros(len(self.side))
        if self.side.any():
            bound = np.where(self.side > 0, self.upper, np.where(self.side < 0, self.lower, 0.0))
            x, u = self.space.tree.joint_values(q), self.speeds(q, qd)
            back = np.where(self.side != 0, -2 * RETURN * u - RETURN ** 2 * (x - bound), 0.0)
        if self._rank is None:
            self._rank = self.system.n - free_motions(
                self.rows(q, np.flatnonzero(self.held))).shape[1]
        return held_motion(self.system, q, qd, tau, self.modes.free, self.modes.sliding, back,
                           alone=self._rank == int(self.held.sum()))

    # Events

    def loose(self, q: Array, qd: Array, tau: Array) -> Array:
        """Return the accelerations of all joints under torques and sliding friction, (m,)."""
        self.kernels.compiled('held_terms')  # a run must not change its rounding
        qdd, answer = held_motion(self.system, q, qd, tau, np.ones(len(self.side)),
                                  -self.friction * self.direction, alone=True)
        self._force = float(np.abs(self.matrix(q) @ qdd).max())
        return answer

    def size(self, q: Array, A: Array, qdd: Array) -> float:
        """Return the largest force on the independent joints: others may feel next to none."""
        return self._force

    def share(self, at: Array, bound: Array) -> None:
        """Let joints whose reactions are at a bound, and which others hold, rub with all of it."""
        self.idle[:] = False
        self.idle[at] = bound != 0
        self.direction[at] = np.where((bound != 0) & (self.friction[at] > 0), -1.0 * bound,
                                      self.direction[at])
        self.held &= ~self.idle
        self.side[self.idle] = 0

    def stopped(self, q: Array, qd: Array, rest: Array) -> Array:
        """Return the rates after impulses at some joints that stop them.

        A joint that turns round at a dead point of the linkage is not stopped by impulses.
        """
        at = np.flatnonzero(rest)
        rows = self.rows(q, at)
        speed = float(np.linalg.norm(qd))
        stops = np.abs(rows @ qd) <= DEAD * np.linalg.norm(rows, axis=1) * max(speed, SLOW / DEAD)
        M, Z = self.matrix(q), free_motions(rows[stops])
        return Z @ np.linalg.solve(Z.T @ M @ Z, Z.T @ (M @ qd))

    def matrix(self, q: Array) -> Array:
        """Return the GIM: loading has seen to it that all moves inertia."""
        return self.system.matrix(q)

    def felt(self, A: Array) -> Array:
        """Return what impulses at all joints do to their rates, shares determined, (m, m)."""
        return A + SHARE * np.diag(np.diagonal(A))

    def impelled(self, q: Array, qd: Array, speeds: Array, zero: Array) -> Array:
        """Return the rates after impulses, zero where joints are held, (n,)."""
        return self.stopped(q, qd, zero) if zero.any() else qd

    def pushes(self, q: Array, at: Array, sign: Array) -> tuple[Array, Array]:
        """Return what unit forces at some joints do to the rates, and to themselves."""
        N, A = super().pushes(q, at, sign)
        return N, self.felt(A)


def closed_holds(system: System, limits: bool, restitution: float) -> ClosedHolds:
    """Return what holds the joints of a mechanism."""
    found = cast(WholeDynamics, system.robot)  # of a mechanism
    none = np.full(len(system.friction), np.inf)
    lower, upper = (found.tree_limits.lower, found.tree_limits.upper) if limits else (-none, none)
    return ClosedHolds(system, lower, upper, restitution)


def held_motion(system: System, q: Array, qd: Array, tau: Array, free: Array, sliding: Array,
                back: Array | None = None, *, alone: bool = False) -> tuple[Array, Array]:
    """Return qdd (n,), and of all joints accelerations where free, reactions where held, (m,).

    tau: (n,); free, sliding: as in holds.Modes, (m,); back: accelerations wanted of joints held;
    alone: no joint held follows from others that are
    """
    kernels = system.kernels
    assert kernels is not None  # a mechanism has them
    q, qd = np.ascontiguousarray(q), np.ascontiguousarray(qd)
    try:
        W, drift, bias, M = kernels.evaluate('held_terms', (q, qd))
        rest = tau - bias + W.T @ (sliding - system.joint_damping * (W @ qd))
        held = free == 0.0
        H = W[held]
        wanted = (0.0 if back is None else back[held]) - drift[held]
        qdd, reactions = (one_by_one if alone else shared)(M, H, rest, wanted)
        answer = W @ qdd + drift
        answer[held] = reactions
    except np.linalg.LinAlgError:
        raise BlowUpError('the generalized inertia matrix is singular') from None
    except RobotDynamicsError as error:
        raise BlowUpError(str(error)) from error
    return qdd, answer


def one_by_one(M: Array, H: Array, rest: Array, wanted: Array) -> tuple[Array, Array]:
    """Return qdd and r with M qdd = rest + H^T r, H qdd = wanted; no row of H follows others."""
    n, k = M.shape[0], len(H)
    if not k:
        return np.linalg.solve(M, rest), rest[:0]
    A = np.zeros((n + k, n + k))
    A[:n, :n], A[:n, n:], A[n:, :n] = M, -H.T, H
    both = np.linalg.solve(A, np.concatenate([rest, wanted]))
    return both[:n], both[n:]


def shared(M: Array, H: Array, rest: Array, wanted: Array) -> tuple[Array, Array]:
    """Return what `one_by_one` does where rows of H follow others: they share the reactions."""
    Z = free_motions(H)
    qdd = np.linalg.lstsq(H, wanted, rcond=RANK)[0]
    qdd = qdd + Z @ np.linalg.solve(Z.T @ M @ Z, Z.T @ (rest - M @ qdd))
    felt = 1.0 / np.sqrt(np.einsum('ij,ji->i', H, np.linalg.solve(M, H.T)))
    return qdd, felt * np.linalg.lstsq((felt[:, None] * H).T, M @ qdd - rest, rcond=RANK)[0]


def free_motions(H: Array) -> Array:
    """Return the rates that keep some joints at rest, (n, freedoms left)."""
    if not len(H):
        return np.eye(H.shape[1])
    _, sizes, Vt = np.linalg.svd(H)
    return Vt[int((sizes > RANK * sizes.max(initial=0.0)).sum()):].T


def turning_joints(space: LoopedCoordinates) -> Array:
    """Tell which joints of the tree turn, (m,), so that full turns are the same pose."""
    tree, prismatic = space.tree, np.asarray(space.loops.tree_geometry.prismatic)
    torques = np.array([tree.torques(np.array(space.loops.start), row) for row in np.eye(tree.L)])
    moved = torques != 0.0  # links (L,) that each joint moves
    turning: Array = (moved.sum(axis=0) == 1) & ~(moved & prismatic[:, None]).any(axis=0)
    return turning
