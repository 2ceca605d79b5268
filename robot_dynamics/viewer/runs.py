"""Runs: motions in time that are played: files, bags, and what was simulated on the page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from robot_dynamics.dynamics import Dynamics, is_closed
from robot_dynamics.errors import InputError
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.trajectory import Trajectory
from robot_dynamics.viewer.state import State


@dataclass
class Run:
    """Samples of a robot's motion: t (K,), q (K, nq), qd, qdd (K, nv); tau (K, nv) or None.

    near: of a mechanism, values of all joints, (K, L), or None; external: wrenches by sample
    """

    name: str
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array | None = None
    near: Array | None = None
    external: list[dict[str, Array] | None] = field(default_factory=list)

    @property
    def duration(self) -> float:
        """From the first sample to the last [s]."""
        return float(self.t[-1] - self.t[0]) if len(self.t) else 0.0

    def at(self, time: float) -> State:
        """Return the state at a time since the beginning, between samples a straight line."""
        t = self.t - self.t[0]
        k = int(np.clip(np.searchsorted(t, time, side='right') - 1, 0, max(len(t) - 2, 0)))
        j = min(k + 1, len(t) - 1)
        s = float(np.clip((time - t[k]) / (t[j] - t[k]), 0, 1)) if j > k else 0.0

        def between(x: Array) -> Array:
            mixed: Array = x[k] + s * (x[j] - x[k])
            return mixed
        near = None if self.near is None else self.near[j if s > 0.5 else k]
        external = self.external[j if s > 0.5 else k] if self.external else None
        return State(between(self.q), between(self.qd), between(self.qdd),
                     None if self.tau is None else between(self.tau), external, near=near,
                     time=float(np.clip(time, 0, t[-1])))

    def over_time(self, what: str, robot: Dynamics) -> Array:
        """Return a quantity (K, columns) to be plotted: 'positions', 'rates' or 'torques'."""
        if what == 'positions':
            return self.q
        if what == 'rates':
            return self.qd
        if self.tau is not None:
            return self.tau
        known: dict[str, Any] = {} if self.near is None else {'near': self.near}
        torques: Array = robot.inverse_dynamics(self.q, self.qd, self.qdd, **known)
        return torques


def run_of(trajectory: Trajectory, robot: Dynamics, name: str = 'run') -> Run:
    """Return the run of a trajectory: joints are matched by name, whatever their order.

    What a log does not have is differentiated (rates, accelerations) or computed by the model
    (torques). `InputError`: joints that the log lacks, batches
    """
    if trajectory.batch:
        raise InputError(f'{name}: holds {trajectory.q.shape[1]} robots: save one, .robot(k)')
    if len(trajectory.t) < 2:
        raise InputError(f'{name}: has {len(trajectory.t)} samples: expected 2 or more')
    q = _columns(name, trajectory.q, trajectory.value_names, robot.value_names)
    rates = [_columns(name, getattr(trajectory, key), trajectory.joint_names, robot.joint_names)
             for key in ('qd', 'qdd', 'tau')]
    qd, qdd, tau = rates
    if not (np.isfinite(qd).all() and np.isfinite(qdd).all()):
        if robot.nq != robot.nv:
            qd, qdd = np.nan_to_num(qd), np.nan_to_num(qdd)
        else:
            from robot_dynamics.simulation.series import complete
            q, qd, qdd = complete(trajectory.t, [q, qd, qdd])
    near = trajectory.q_tree if is_closed(robot) else None
    return Run(name, trajectory.t, q, qd, qdd, tau if np.isfinite(tau).all() else None, near)


def _columns(name: str, values: Array, have: Any, want: Any) -> Array:
    """Return the columns of a robot's joints; unnamed ones are taken in their order."""
    have = list(have)
    if have == [f'#{k + 1}' for k in range(len(want))]:
        return values
    missing = [joint for joint in want if joint not in have]
    if missing:
        raise InputError(f'{name}: has no joint {missing[0]!r} (it has {", ".join(have[:8])})')
    return values[:, [have.index(joint) for joint in want]]
