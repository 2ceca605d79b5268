"""Simulation on the page: from the pose on screen, a little at a time, so that one can pull."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.control import ComputedTorque, PDGravity
from robot_dynamics.simulation.motions import quintic
from robot_dynamics.simulation.simulate import simulate
from robot_dynamics.viewer.runs import Run
from robot_dynamics.viewer.shown_robot import ShownRobot
from robot_dynamics.viewer.state import State

SLICE = 1 / 30  # [s] that is simulated at once, under a spring that holds still
LAWS = ('let it fall', 'PD hold', 'computed torque')
DECAY = 8.0  # [1/s] of errors under the control laws


class Simulation:
    """A motion that goes on from a state; `advance` appends to `run`.

    law: one of LAWS; 'PD hold' holds the pose it begins at, 'computed torque' goes to `goal`
    pulls: what acts on the links now, {link: wrench}, asked before each slice
    """

    def __init__(self, robot: ShownRobot, law: str, duration: float, goal: Array | None = None,
                 pulls: Callable[[], dict[str, Array] | None] = lambda: None):
        self.robot, self.law, self.duration, self._pulls = robot, law, duration, pulls
        self.dynamics: Any = robot.body.mechanism if robot.body.closed else (  # type: ignore[attr-defined]
            robot.dynamics)
        state = robot.state
        self._q, self._qd = state.q.copy(), np.zeros(self.dynamics.nv)
        self._near = robot.body.tree
        self._torque = make_law(self.dynamics, law, self._q, goal, duration)
        self.time, self.stopped = 0.0, ''
        self.samples: list[State] = []

    @property
    def done(self) -> bool:
        """Whether it is over."""
        return bool(self.stopped) or self.time >= self.duration - 1e-9

    def advance(self, span: float = SLICE) -> State:
        """Simulate a little longer; return the state then."""
        external = self._pulls()
        times = self.time + np.array([0.0, min(span, self.duration - self.time)])
        options: dict[str, Any] = {'near': self._near} if self.robot.body.closed else {}
        path = simulate(self.dynamics, self._q, self._qd, self._torque, times,
                        external=external, **options)
        if path.stopped:
            self.stopped = str(path.stopped[0])
        if not self.samples:
            self.samples.append(self._sample(path, 0, external))
        if len(path.t) > 1:
            self.samples.append(self._sample(path, -1, external))
        self._q, self._qd, self.time = path.q[-1], path.qd[-1], float(path.t[-1])
        self._near = None if path.q_tree is None else path.q_tree[-1]
        return self.samples[-1]

    def _sample(self, path: Any, k: int, external: dict[str, Array] | None) -> State:
        return State(path.q[k], path.qd[k], path.qdd[k], path.tau[k], external,
                     near=None if path.q_tree is None else path.q_tree[k], time=float(path.t[k]))

    @property
    def run(self) -> Run:
        """All that was simulated, as a run."""
        s = self.samples
        q, qd, qdd, tau = (np.array([getattr(state, key) for state in s])
                           for key in ('q', 'qd', 'qdd', 'tau'))
        near = np.array([state.near for state in s]) if s and s[0].near is not None else None
        return Run(self.law, np.array([state.time for state in s], float), q, qd, qdd, tau, near,
                   [state.external for state in s])


def make_law(dynamics: Any, law: str, q: Array, goal: Array | None, duration: float) -> Any:
    """Return the torques of a law, None for none.

    Stiffness and damping of 'PD hold' are those of critically damped errors of each joint alone,
    by the GIM's diagonal at q. Joints that float have no motors: nothing holds them.
    """
    if law == LAWS[0]:
        return None
    if dynamics.nq != dynamics.nv:
        return held_joints(dynamics, q, goal if law == LAWS[2] else None, duration)
    if law == LAWS[1]:
        inertia = np.diag(dynamics.inertia_matrix(q))
        return PDGravity(dynamics, q, DECAY ** 2 * inertia, 2 * DECAY * inertia)
    return ComputedTorque(dynamics, quintic(q, q if goal is None else goal, duration), DECAY)


def held_joints(dynamics: Any, q: Array, goal: Array | None, duration: float) -> Any:
    """Return a law that holds the joints of a robot with a floating base, or moves them."""
    coordinates = dynamics.model.coordinates
    names = coordinates.value_names(dynamics.joint_names)
    start = coordinates.joint_values(q)
    motion = quintic(start, start if goal is None else coordinates.joint_values(goal), duration)
    free = np.array([name not in names for name in dynamics.joint_names])
    inertia = np.where(free, 0.0, np.diag(dynamics.inertia_matrix(q)))

    def law(t: float, q: Array, qd: Array) -> Array:
        wanted, rate, _ = motion(t)
        gravity = np.where(free, 0.0, dynamics.gravity_torque(q))
        error = wanted - coordinates.joint_values(q)
        torque: Array = gravity + inertia * (DECAY ** 2 * error + 2 * DECAY * (rate - qd))
        return np.where(free, 0.0, torque)
    return law
