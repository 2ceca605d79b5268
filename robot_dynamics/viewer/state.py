"""What is shown of a robot: its state, what it carries, and what is computed from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from robot_dynamics.drawing.torque_parts import TorqueParts, torque_parts
from robot_dynamics.dynamics import Dynamics, is_closed
from robot_dynamics.errors import RobotDynamicsError
from robot_dynamics.inputs import vector
from robot_dynamics.model.denoc import Array


@dataclass(frozen=True)
class State:
    """Joint values (nq,), rates, accelerations and efforts (nv,).

    tau: efforts that were measured or commanded; None where those of the model are shown
    external: {link: wrench [n, f] on it, at its origin, in root axes}
    near: of a mechanism, values of all joints near which it stands, None where nobody knows
    time: of the run that it is from [s]
    """

    q: Array
    qd: Array
    qdd: Array
    tau: Array | None = None
    external: dict[str, Array] | None = None
    stale: bool = False
    near: Array | None = None
    time: float | None = None


@dataclass(frozen=True)
class Carried:
    """A payload: a point mass [kg] on a link, at com (3,) in its frame [m]."""

    link: str
    mass: float
    com: Array


class Readings:
    """What the model says of a state; each is computed when it is first asked for."""

    def __init__(self, robot: Dynamics, state: State):
        self.robot, self.state = robot, state

    @cached_property
    def parts(self) -> TorqueParts:
        """The parts of the torques, (nv,) each."""
        state = self.state
        return torque_parts(self.robot, state.q, state.qd, state.qdd, state.external)

    @cached_property
    def torque(self) -> Array:
        """The efforts that were given, or those of the model, (nv,)."""
        return self.parts.total if self.state.tau is None else self.state.tau

    @cached_property
    def inertia(self) -> Array:
        """The GIM, (nv, nv)."""
        return self.robot.inertia_matrix(self.state.q)

    @cached_property
    def pivots(self) -> Array:
        """D of the GIM's factors U D U^T, (nv,); nan where it is singular."""
        try:
            return self.robot.udu(self.state.q)[1]
        except RobotDynamicsError:
            return np.full(self.robot.nv, np.nan)

    @cached_property
    def condition(self) -> float:
        """The GIM's condition number."""
        return float(np.linalg.cond(self.inertia)) if self.robot.nv else 1.0

    @cached_property
    def energies(self) -> tuple[float, float]:
        """Kinetic and potential energy [J]."""
        q, qd = self.state.q, self.state.qd
        return float(self.robot.kinetic_energy(q, qd)), float(self.robot.potential_energy(q))


def beginning(dynamics: Dynamics) -> Array:
    """Return joint values to begin with, (nq,): 0 where the limits allow it, else their middle.

    A mechanism begins where its file says that it is assembled.
    """
    if is_closed(dynamics):
        return np.array(dynamics.neutral)
    coordinates, limits = dynamics.model.coordinates, dynamics.limits
    q: Array = dynamics.neutral
    values = coordinates.joint_values(q)
    outside = (values < limits.lower) | (values > limits.upper)
    with np.errstate(invalid='ignore'):
        middle = np.where(np.isfinite(limits.lower) & np.isfinite(limits.upper),
                          (limits.lower + limits.upper) / 2,
                          np.clip(values, limits.lower, limits.upper))
    return vector('q', coordinates.with_joint_values(q, np.where(outside, middle, values)),
                  (dynamics.nq,))


def effort_units(dynamics: Dynamics) -> list[str]:
    """Return the unit of each torque, 'N m' or 'N', (nv,)."""
    model = dynamics.model
    slides = [bool(model.geometry.prismatic[model.tree_joint_names.index(name)])
              for name in dynamics.joint_names]
    return ['N' if slide else 'N m' for slide in slides]


def free_rates(dynamics: Dynamics) -> frozenset[int]:
    """Return the numbers of the rates that belong to floating joints: no motor moves them."""
    floating = {str(row.name) for row in dynamics.dh.rows if row.floating}
    return frozenset(k for k, name in enumerate(dynamics.joint_names) if name in floating)
