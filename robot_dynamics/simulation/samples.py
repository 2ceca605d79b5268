"""What the drivers of a simulation gather, and how a Trajectory is made of it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.stops import Stops
from robot_dynamics.simulation.system import System
from robot_dynamics.simulation.trajectory import Event, Stopped, Trajectory

EVERY = 0.1  # between two reports of progress [s]


@dataclass
class Samples:
    """A motion in the making."""

    t: list[float] = field(default_factory=list)
    q: list[Array] = field(default_factory=list)
    qd: list[Array] = field(default_factory=list)
    sides: dict[int, Array] = field(default_factory=dict)  # where joints rest
    events: list[Event] = field(default_factory=list)
    stopped: Stopped | None = None
    evaluations: int = 0
    pieces: list[tuple[float, float, Callable]] = field(default_factory=list)

    def add(self, t: float, q: Array, qd: Array, stops: Stops | None) -> None:
        """Keep one sample."""
        if stops is not None and stops.resting:
            self.sides[len(self.t)] = stops.side.copy()
        self.t.append(float(t))
        self.q.append(q)
        self.qd.append(qd)

    def trajectory(self, system: System, stops: Stops | None) -> Trajectory:
        """Return the trajectory, torques, accelerations and energies computed at its samples."""
        n = system.n
        t = np.array(self.t)
        q = np.array(self.q).reshape(-1, n)
        qd = np.array(self.qd).reshape(-1, n)
        tau = system.torques(t, q, qd)
        qdd = np.array(system.accelerations(t, q, qd, tau))
        if stops is not None:
            for k, side in self.sides.items():
                qdd[k] = stops.held(q[k], qdd[k], side)
        kinetic, potential = system.energies(q, qd)
        return Trajectory(
            system.joint_names, t, q, qd, qdd, tau, np.asarray(kinetic), np.asarray(potential),
            tuple(self.events), () if self.stopped is None else (self.stopped,),
            self.evaluations, self.dense())

    def dense(self) -> Callable[[float], Array] | None:
        """Return the state at any instant from the solver's polynomials, None without them."""
        if not self.pieces:
            return None
        ends = np.array([end for _, end, _ in self.pieces])
        pieces = list(self.pieces)

        def state(t: float) -> Array:
            k = min(int(np.searchsorted(ends, t)), len(pieces) - 1)
            return pieces[k][2](t)
        return state


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


def blown_up(t: float, q: Array, qd: Array, joint_names: tuple[str, ...],
             reason: str) -> Stopped:
    """Return why and where a simulation ended: the joint that is fastest, or not finite."""
    size = np.where(np.isfinite(q) & np.isfinite(qd), np.abs(qd), np.inf)
    return Stopped(float(t), reason, joint_names[int(np.argmax(size))] if len(size) else '')
