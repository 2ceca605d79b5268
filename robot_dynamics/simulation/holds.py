"""What holds joints: dry friction and stops, one thing to the equations of motion.

    I qdd + bias + damping qd = tau + r

Each r_i acts on its own joint. Of a joint that slides it is -F_i sign(qd_i). A joint at rest is
held, qdd_i = 0, by whatever r_i that takes, within bounds: [-F, F] by friction alone, [-F, inf)
on its lower stop, (-inf, F] on its upper one. Where it would take more, the joint starts to move,
and r_i stays at the bound. Which joints at rest stay and which start is a convex problem (Gauss's
principle of least constraint), solved in box.py. Between events the motion is smooth: the joints
held and the directions of those that slide stay the same.

Impacts follow Newton's law in Moreau's form, one coefficient of restitution for all stops that are
touched: it never adds energy. Friction cannot resist an impulse.
"""

from collections import deque
from typing import NamedTuple

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.blow_up import BlowUpError
from robot_dynamics.simulation.box import box_reactions
from robot_dynamics.simulation.state_warnings import degrees_hint
from robot_dynamics.simulation.system import System

OUTSIDE = 1e-9  # how far beyond a limit a state may be by rounding [rad or m]
REACH = 1e-11  # as near to its stop, beside 1 + |q|, a joint touches it
SLOW = 1e-3  # slower impacts do not rebound [rad/s or m/s]
TINY = 1e-13  # a joint that is slower is at rest [rad/s or m/s]
STRIKES = 8  # impacts at one instant; the last one is without rebound
RATTLE, PERIOD = 16, 2e-2  # as many impacts within this time [s], and none rebounds
INSIDE, BEYOND = 1e-12, 1e-9  # rounding of reactions when joints are chosen, and while they rest


class Modes(NamedTuple):
    """How joints move between two events."""

    free: Array  # (n,) 1 for joints that move, 0 for those that are held
    sliding: Array  # (n,) torque of friction on joints that slide [N m or N]


class Margin(NamedTuple):
    """A number that stays positive as long as the modes last."""

    kind: int  # 0, 1: distance to the lower, upper stop; 2: speed; 3, 4: reaction above, below
    joint: int


class Holds:
    """The friction and the stops of one robot, and which joints they hold now."""

    reach, inside, beyond = REACH, INSIDE, BEYOND

    def __init__(self, system: System, lower: Array, upper: Array, restitution: float,
                 locked: Array | None = None, walls: Array | None = None):
        """Take bounds of the joint values, (n,) each.

        locked: joints that never move, (n,); walls: those whose bounds are no stops, but end the
        motion, for gimbal lock lies behind them
        """
        n = len(lower)
        self.locked = np.zeros(n, bool) if locked is None else locked
        self.walls = np.zeros(n, bool) if walls is None else walls
        self.system, self.lower, self.upper, self.restitution = system, lower, upper, restitution
        self.friction = system.friction
        self.rubs = bool(self.friction.any())
        self.held, self.side = np.zeros(n, bool), np.zeros(n, int)
        self.direction = np.zeros(n)  # of joints that slide under friction, else 0
        self.idle = np.zeros(n, bool)  # at rest because others are held, reaction at its bound
        self.scale = 0.0  # of the torques, to judge rounding by
        self.impacts: deque[float] = deque(maxlen=RATTLE)
        self.update()

    def update(self) -> None:
        """Make what follows from the modes."""
        held, F = self.held, self.friction
        self.modes = Modes(1.0 - held, -F * self.direction)
        slack = self.beyond * self.scale
        bound = held & ~self.locked
        self.least = np.where(bound & (self.side <= 0), -F - slack, -np.inf)
        self.most = np.where(bound & (self.side >= 0), F + slack, np.inf)
        self.act = bool(held.any() or self.direction.any())  # friction or a stop acts now
        self._margins: list[Margin] | None = None

    @property
    def margins(self) -> list[Margin]:
        """What stays positive as long as the modes last; made when it is first asked for."""
        if self._margins is None:
            self._margins = self._list_margins()
        return self._margins

    def _list_margins(self) -> list[Margin]:
        moving = np.flatnonzero(~(self.held | self.idle)).tolist()
        return [
            *(Margin(0, j) for j in moving if np.isfinite(self.lower[j])),
            *(Margin(1, j) for j in moving if np.isfinite(self.upper[j])),
            *(Margin(2, j) for j in np.flatnonzero((self.direction != 0) & ~self.idle).tolist()),
            *(Margin(3, j) for j in np.flatnonzero(np.isfinite(self.least)).tolist()),
            *(Margin(4, j) for j in np.flatnonzero(np.isfinite(self.most)).tolist())]

    def check(self, q: Array) -> None:
        """Raise `InputError` when a state is beyond the stops."""
        q = self.values(q)
        beyond = (q < self.lower - OUTSIDE) | (q > self.upper + OUTSIDE)
        if beyond.any():
            k = int(np.argmax(beyond))
            raise InputError(
                f'q0: joint {self.names[k]!r} is at {q[k]:g}, outside its limits '
                f'{self.lower[k]:g} to {self.upper[k]:g}; limits=False (--no-limits) '
                'simulates without stops'
                + degrees_hint(q[k], self.lower[k], self.upper[k]))

    @property
    def own_bounds(self) -> tuple[Array, Array]:
        """Bounds of the joints whose rates the solver has, (n,) each."""
        return self.lower, self.upper

    def within(self, q: Array) -> Array:
        """Tell which states, (K, nq), have joints between stops that `own_bounds` leaves out."""
        return np.ones(len(q), bool)

    # The joints that may be held: of a robot, those whose rates it has

    @property
    def names(self) -> tuple[str, ...]:
        """The joints."""
        return self.system.joint_names

    def values(self, q: Array) -> Array:
        """Return the joints' values, (..., n)."""
        return self.system.space.joint_values(q)

    def speeds(self, q: Array, qd: Array) -> Array:
        """Return the joints' rates, (..., n)."""
        return qd

    def rows(self, q: Array, at: Array) -> Array:
        """Return some joints' rates per rate of the robot, (len(at), n)."""
        return np.eye(self.system.n)[at]

    def put(self, q: Array, x: Array, at: Array) -> Array:
        """Return q with the joints' values x; at: those that are on their stops."""
        return self.system.space.with_joint_values(q, x)

    # Motion between events

    def answer(self, t: float, q: Array, qd: Array) -> Array:
        """Return qdd of the joints that move, the reaction of those held, (n,)."""
        tau = self.system.total_torque(t, q, qd)
        return self.system.held(q, qd, tau + self.modes.sliding, self.modes.free)

    def acceleration(self, t: float, q: Array, qd: Array) -> Array:
        """Return qdd, zero where held."""
        return self.answer(t, q, qd) * self.modes.free

    def margin(self, of: Margin, q: Array, qd: Array, answer: Array | None) -> float:
        """Return one margin; answer: as `answer` gives it, for those of reactions."""
        kind, j = of
        if kind < 2:
            x = self.values(q)[j]
            return float(x - self.lower[j] if kind == 0 else self.upper[j] - x)
        if kind == 2:
            return float(self.direction[j] * self.speeds(q, qd)[j])
        assert answer is not None
        return float(answer[j] - self.least[j] if kind == 3 else self.most[j] - answer[j])

    # Events

    def settle(self, t: float, q: Array, qd: Array, stopping: int | None = None
               ) -> tuple[Array, Array]:
        """Let joints strike, stop and start; return the state after and keep the modes.

        stopping: a joint whose rate has come to zero but for rounding
        """
        x = np.clip(self.values(q), self.lower, self.upper)
        reach = self.reach * (1.0 + np.abs(x))
        side = np.where(x >= self.upper - reach, 1, np.where(x <= self.lower + reach, -1, 0))
        self.mind_walls(x, side * self.speeds(q, qd))
        x = np.where(side > 0, self.upper, np.where(side < 0, self.lower, x))
        q = self.put(q, x, side != 0)
        qd, rest = self.strike(t, q, qd.copy(), side)
        rest |= np.abs(self.speeds(q, qd)) <= TINY
        if stopping is not None:
            rest[stopping] = True
        rest = rest & ((self.friction > 0) | (side != 0)) | self.locked
        if np.any(self.speeds(q, qd)[rest]):
            qd = self.stopped(q, qd, rest)
        self.choose(t, q, qd, rest, np.where(rest, side, 0))
        return q, qd

    def mind_walls(self, q: Array, outward: Array) -> None:
        """Raise `BlowUpError` where a joint runs into gimbal lock."""
        lost = np.flatnonzero(self.walls & (outward > 0))
        if len(lost):
            raise BlowUpError(
                f'gimbal lock: {self.system.joint_names[lost[0]]!r} is at {q[lost[0]]:.4g}, near '
                'a quarter turn, where yaw, pitch and roll of a floating joint are singular; '
                "load it with floating='quaternion', the default")

    def strike(self, t: float, q: Array, qd: Array, side: Array) -> tuple[Array, Array]:
        """Return the rates after joints at stops have struck them, and which joints stop there."""
        rest = np.zeros(len(side), bool)
        for k in range(STRIKES):
            inward = -side * self.speeds(q, qd)
            if not np.any(inward < -TINY):
                break
            last = k == STRIKES - 1
            at = np.flatnonzero((side != 0) & (last | (inward <= TINY)))
            e = 0.0 if last else self.rebound(t, -inward.min())
            N, A = self.pushes(q, at, -side[at])
            # Moreau: inward rates u of all stops touched, u_after + e u_before >= 0, impulse >= 0
            impulse, where = box_reactions(A, (1.0 + e) * inward[at], np.zeros(len(at)),
                                           np.full(len(at), np.inf))
            qd = qd + N @ impulse
            rest = np.zeros(len(side), bool)
            if e == 0.0:
                rest[at[where == 0]] = True
        return qd, rest

    def rebound(self, t: float, speed: float) -> float:
        """Return the coefficient of restitution of an impact."""
        if speed < SLOW:
            return 0.0
        self.impacts.append(t)
        if len(self.impacts) == RATTLE and 0 <= t - self.impacts[0] < PERIOD:
            return 0.0
        return self.restitution

    def stopped(self, q: Array, qd: Array, rest: Array) -> Array:
        """Return the rates after impulses at some joints that stop them: it only takes energy."""
        at = np.flatnonzero(rest)
        N, A = self.pushes(q, at, np.ones(len(at)))
        qd = qd - N @ np.linalg.solve(A, qd[at])
        qd[at] = 0.0
        return qd

    def choose(self, t: float, q: Array, qd: Array, rest: Array, side: Array) -> None:
        """Choose which joints at rest stay, and where the others go."""
        self.held, self.side = np.zeros(len(rest), bool), np.zeros(len(rest), int)
        self.direction = np.where((self.friction > 0) & ~rest, np.sign(self.speeds(q, qd)), 0.0)
        at = np.flatnonzero(rest)
        if len(at):
            F = self.friction
            tau = self.system.total_torque(t, q, qd)
            qdd = self.loose(q, qd, tau)
            A = self.pushes(q, at, np.ones(len(at)))[1]
            self.scale = float(np.abs(tau).max() + F.max() + self.size(q, A, qdd[at]))
            lower = np.where((side[at] > 0) | self.locked[at], -np.inf, -F[at])
            upper = np.where((side[at] < 0) | self.locked[at], np.inf, F[at])
            r, where = box_reactions(A, qdd[at], lower, upper, self.inside * self.scale)
            start = (A @ r + qdd[at]) * (where != 0)
            start[np.abs(start) <= self.inside * self.scale * np.diagonal(A)] = 0.0
            self.held[at] = start == 0.0
            self.side[at] = np.where(start == 0.0, side[at], 0)
            self.direction[at] = np.where(F[at] > 0, np.sign(start), 0.0)
            self.share(at, np.where(start == 0.0, where, 0))
        self.update()

    def share(self, at: Array, bound: Array) -> None:
        """Take note of joints that are held with their reactions at a bound: -1, 1; else 0."""

    def size(self, q: Array, A: Array, qdd: Array) -> float:
        """Return the largest force that moves some joints, to judge rounding by."""
        return float(np.abs(np.linalg.solve(A, qdd)).max())

    def felt(self, A: Array) -> Array:
        """Return what impulses at all joints do to their rates, (n, n)."""
        return A

    def impelled(self, q: Array, qd: Array, speeds: Array, zero: Array) -> Array:
        """Return the rates after impulses, of which the joints' speeds are known.

        qd: the same but for rounding; zero: the joints that are held
        """
        return speeds

    def loose(self, q: Array, qd: Array, tau: Array) -> Array:
        """Return the joints' accelerations under torques and sliding friction, (n,)."""
        push = tau - self.friction * self.direction
        return self.system.held(q, qd, push, 1.0 - self.locked) * ~self.locked

    def matrix(self, q: Array) -> Array:
        """Return the GIM; what never moves may be without inertia, and is given some."""
        return self.system.matrix(q) + np.diag(1.0 * self.locked)

    def pushes(self, q: Array, at: Array, sign: Array) -> tuple[Array, Array]:
        """Return what unit forces at some joints do to all joints, and to themselves."""
        E = self.rows(q, at).T * sign
        try:
            N = np.linalg.solve(self.matrix(q), E)
        except np.linalg.LinAlgError:
            rest = np.zeros(self.system.n)  # names the joint that has no inertia here
            self.system.held(q, rest, rest, 1.0 - self.locked)
            raise BlowUpError('the generalized inertia matrix is singular') from None
        A = E.T @ N
        return N, (A + A.T) / 2
