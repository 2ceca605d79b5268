"""Simulation on the page: from the pose on screen, a little at a time, so that one can pull."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from robot_dynamics.dynamics import Dynamics, is_closed
from robot_dynamics.engine import wait_for_kernels
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.control import ComputedTorque, PDGravity
from robot_dynamics.simulation.motions import quintic
from robot_dynamics.simulation.online.bodies import ClosedBody
from robot_dynamics.simulation.simulate import simulate
from robot_dynamics.viewer.runs import Run
from robot_dynamics.viewer.shown_robot import ShownRobot
from robot_dynamics.viewer.state import State

SLICE = 1 / 60  # [s] between samples, and that a spring holds still
PATIENCE = 10.0  # [s] for kernels, those of other robots on the page too
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
        body = robot.body
        self.dynamics: Dynamics = body.mechanism if isinstance(body, ClosedBody) else (
            robot.dynamics)
        state = robot.state
        self._q, self._qd = state.q.copy(), np.zeros(self.dynamics.nv)
        self._near = robot.body.tree
        # a mechanism is assembled near where it is shown, not from its start
        self._torque = self._of_motors(make_law(robot.dynamics, law, self._q, goal, duration))
        self.time, self.stopped = 0.0, ''
        self.samples: list[State] = []

    def _of_motors(self, law: Any) -> Any:
        """Return a law that gives what the motors give, where these are not at the freedoms."""
        body = self.robot.body
        if law is None or body.motor_names == self.dynamics.joint_names:
            return law
        return lambda t, q, qd: body.motor_torques(q, law(t, q, qd))

    @property
    def done(self) -> bool:
        """Whether it is over."""
        return bool(self.stopped) or self.time >= self.duration - 1e-9

    def advance(self, span: float = SLICE) -> None:
        """Simulate a little longer, and show it: springs are as long as what is shown."""
        end = min(self.time + span, self.duration)
        while self.time < end - 1e-9 and not self.stopped:
            external = self._pulls()
            self._slice(external, end if external is None else min(end, self.time + SLICE))
            self.robot.show(self.samples[-1])

    def prepare(self) -> None:
        """Have the kernels compiled that a slice takes, so that the motion does not stutter."""
        simulate(self.dynamics, self._q, self._qd, self._torque, 1e-4, external=self._pulls(),
                 **self._options())
        wait_for_kernels(PATIENCE)

    def _options(self) -> dict[str, Any]:
        return {'near': self._near} if self.robot.body.closed else {}

    def _slice(self, external: dict[str, Array] | None, end: float) -> None:
        times = np.linspace(self.time, end, 2 + int((end - self.time) / SLICE))
        path = simulate(self.dynamics, self._q, self._qd, self._torque, times,
                        external=external, **self._options())
        if path.stopped:
            self.stopped = str(path.stopped[0])
        if not self.samples:
            self.samples.append(self._sample(path, 0, external))
        self.samples += [self._sample(path, k, external) for k in range(1, len(path.t))]
        self._q, self._qd, self.time = path.q[-1], path.qd[-1], float(path.t[-1])
        self._near = None if path.q_tree is None else path.q_tree[-1]

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


def make_law(dynamics: Dynamics, law: str, q: Array, goal: Array | None, duration: float) -> Any:
    """Return the torques of a law, None for none.

    Stiffness and damping of 'PD hold' are those of critically damped errors of each joint alone,
    by the GIM's diagonal at q. Joints that float have no motors: nothing holds them. A robot that
    stands on its feet is held by what carries its weight.
    """
    if law == LAWS[0]:
        return None
    if is_closed(dynamics) and dynamics.nq != dynamics.nv:
        return lambda t, q, qd: dynamics.gravity_torque(q)  # motors that carry the weight
    if dynamics.nq != dynamics.nv:
        return held_joints(dynamics, q, goal if law == LAWS[2] else None, duration)
    if law == LAWS[1]:
        inertia = np.diag(dynamics.inertia_matrix(q))
        return PDGravity(dynamics, q, DECAY ** 2 * inertia, 2 * DECAY * inertia)
    return ComputedTorque(dynamics, quintic(q, q if goal is None else goal, duration), DECAY)


def held_joints(dynamics: Dynamics, q: Array, goal: Array | None, duration: float
                ) -> Callable[[float, Array, Array], Array]:
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
