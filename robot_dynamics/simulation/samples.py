"""What the drivers of a simulation gather, and how a Trajectory is made of it."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.looped_coordinates import LoopedCoordinates
from robot_dynamics.simulation.blow_up import BlowUpError
from robot_dynamics.simulation.holds import OUTSIDE, Holds, Modes
from robot_dynamics.simulation.joint_facts import joint_facts, reference_values
from robot_dynamics.simulation.system import System
from robot_dynamics.simulation.trajectory import Dense, Event, Stopped, Trajectory

EVERY = 0.1  # between two reports of progress [s]
STRIKE = 1e-9  # a joint that reaches its stop slower does not strike it [rad/s or m/s]


class Corner(NamedTuple):
    """A state just before or just after joints strike, stop or start; they come in pairs."""

    t: float
    q: Array
    qd: Array
    modes: Modes


@dataclass
class Recording:
    """A motion in the making."""

    t: list[float] = field(default_factory=list)
    q: list[Array] = field(default_factory=list)
    qd: list[Array] = field(default_factory=list)
    modes: list[Modes | None] = field(default_factory=list)  # None: nothing holds joints
    events: list[Event] = field(default_factory=list)
    stopped: Stopped | None = None
    evaluations: int = 0
    pieces: list[tuple[float, float, Dense]] = field(default_factory=list)
    corners: list[Corner] = field(default_factory=list)
    struck: dict[str, float] = field(default_factory=dict)  # joints, and when first [s]

    def add(self, t: float, q: Array, qd: Array, holds: Holds | None) -> None:
        """Keep one sample; of several at one instant (impacts that follow at once) the last."""
        if self.t and self.t[-1] == t:
            for series in (self.modes, self.t, self.q, self.qd):
                del series[-1]
        self.modes.append(None if holds is None else holds.modes)
        self.t.append(float(t))
        self.q.append(q)
        self.qd.append(qd)

    def settle(self, holds: Holds, t: float, q: Array, qd: Array,
               stopping: int | None = None) -> tuple[Array, Array]:
        """Let joints strike, stop and start, as `Holds.settle` does, and keep what happened."""
        before = Corner(float(t), q, qd, holds.modes)
        x, speeds = holds.values(q), holds.speeds(q, qd)
        q, qd = holds.settle(t, q, qd, stopping)
        near = OUTSIDE * (1.0 + np.abs(x))
        against = ((x >= holds.upper - near) & (speeds > STRIKE)) | (
            (x <= holds.lower + near) & (speeds < -STRIKE))
        for k in np.flatnonzero(against).tolist():
            self.struck.setdefault(holds.names[k], float(t))
        after = Corner(float(t), q, qd, holds.modes)
        if self.corners and self.corners[-1].t == t:  # one that follows at once
            self.corners[-1] = after
        else:
            self.corners += [before, after]
        return q, qd

    def trajectory(self, system: System) -> Trajectory:
        """Return the trajectory, torques, accelerations and energies computed at its samples.

        It ends before the first sample at which the equations of motion have no answer.
        """
        n = system.n
        t = np.array(self.t)
        q = np.array(self.q).reshape(-1, system.nq)
        qd = np.array(self.qd).reshape(-1, n)
        modes = self.acting_modes()
        tau, qdd, reason = until_singular(system, t, q, qd, modes)
        if reason:
            good = len(qdd)
            self.stopped = stopped_at(system, t[good - 1], q[good - 1], reason)
            t, q, qd = t[:good], q[:good], qd[:good]
            for series in (self.t, self.q, self.qd, self.modes):
                del series[good:]
            self.events = [event for event in self.events if event.t <= t[-1]]
        kinetic, potential = system.energies(q, qd)
        return Trajectory(
            system.joint_names, t, q, qd, qdd, tau, np.asarray(kinetic), np.asarray(potential),
            tuple(self.events), () if self.stopped is None else (self.stopped,),
            self.evaluations, self.dense(), system.space.value_names(system.joint_names),
            joints=joint_facts(system.robot), reference=self.reference(system, t, q),
            corners=self.corner_states(system, t[-1]),
            struck={name: when for name, when in self.struck.items() if when <= t[-1]})

    def reference(self, system: System, t: Array, q: Array) -> Array | None:
        """Return what a control law follows at the samples, in the values that users give."""
        names = np.array(system.space.value_names(system.joint_names))
        if system.space.following:
            space = cast(LoopedCoordinates, system.space)
            q, names = space.given(q), space.given(names)
        return reference_values(system.law, t, q, tuple(names.tolist()))

    def corner_states(self, system: System, end: float) -> Trajectory | None:
        """Return the states at corners until the end, None: there are none, or singular ones."""
        corners = [corner for corner in self.corners if corner.t <= end]
        if not corners:
            return None
        t, q, qd = (np.array([getattr(corner, key) for corner in corners])
                    for key in ('t', 'q', 'qd'))
        modes = [np.array([corner.modes[k] for corner in corners]) for k in (0, 1)]
        tau, qdd, reason = until_singular(system, t, q, qd, modes)
        if reason:
            return None
        kinetic, potential = system.energies(q, qd)
        return Trajectory(system.joint_names, t, q, qd, qdd, tau, np.asarray(kinetic),
                          np.asarray(potential))

    def acting_modes(self) -> list[Array]:
        """Return free and sliding of all samples, (K, n) each; none where nothing ever acts."""
        different = {id(modes): modes for modes in self.modes if modes is not None}.values()
        if not any(modes.sliding.any() or not modes.free.all() for modes in different):
            return []
        return [np.array([modes[k] for modes in self.modes if modes is not None]) for k in (0, 1)]

    def dense(self) -> Callable[[float], Array] | None:
        """Return the state at any instant from the solver's polynomials, None without them."""
        if not self.pieces:
            return None
        ends = np.array([end for _, end, _ in self.pieces])
        return partial(piecewise, ends, [piece for _, _, piece in self.pieces])


def piecewise(ends: Array, pieces: list[Callable[[float], Array]], t: float) -> Array:
    """Return the state at an instant from polynomials that end at `ends`."""
    return pieces[min(int(np.searchsorted(ends, t)), len(pieces) - 1)](t)


def until_singular(system: System, t: Array, q: Array, qd: Array, modes: Sequence[Array]
                   ) -> tuple[Array, Array, str]:
    """Return torques and accelerations at the samples before the first that has none.

    Also why it has none, '' where all have some. The first sample has: it was looked at before the
    simulation began.
    """
    def found(part: slice) -> tuple[Array, Array]:
        state = t[part], q[part], qd[part]
        tau = system.torques(*state)
        try:
            return tau, system.accelerations(*state, tau, *(m[part] for m in modes))
        except RobotDynamicsError as error:
            raise BlowUpError(str(error)) from error

    try:
        return *found(slice(None)), ''
    except BlowUpError as error:
        reason = str(error)
    good, bad = 1, len(t)  # found by halving: samples before `good` have accelerations
    while bad - good > 0:
        middle = (good + bad + 1) // 2
        try:
            found(slice(good - 1, middle))
            good = middle
        except BlowUpError as error:
            bad, reason = middle - 1, str(error)
    return *found(slice(0, good)), reason


class Progress:
    """Tells the caller how far a long run is: a function of the part done, 0 to 1."""

    def __init__(self, report: Any):
        if report is not None and not callable(report):
            raise InputError(f'progress={str(report)[:80]}: expected a function of the part done')
        self.report = report
        self.last = time.monotonic()

    def __call__(self, part: float) -> None:
        """Report now and then."""
        if self.report is not None and time.monotonic() - self.last > EVERY:
            self.last = time.monotonic()
            self.report(min(1.0, max(0.0, part)))


def stopped_at(system: System, t: float, q: Array, reason: str,
               after: tuple[Array, Array] | None = None) -> Stopped:
    """Return why and where a simulation ended; q: the last good state, after: q and qd then."""
    joint = '' if after is None else fastest(*after, system.joint_names)
    if system.space.following:
        space = cast(LoopedCoordinates, system.space)
        if 'the loops' in reason:  # are singular: no joint is too fast
            joint = ', '.join(space.loops.weakest(q))
        reason += f' (the loops have condition {space.condition(q):.3g} at the last good state)'
    return Stopped(float(t), reason, joint)


def fastest(q: Array, qd: Array, joint_names: tuple[str, ...]) -> str:
    """Return the joint that is fastest, or not finite."""
    size = np.where(np.isfinite(qd), np.abs(qd), np.inf)
    if len(q) == len(qd):
        size = np.where(np.isfinite(q), size, np.inf)
    return joint_names[int(np.argmax(size))] if len(size) else ''
