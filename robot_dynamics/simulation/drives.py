"""What drives a robot in compiled loops: torques of time or a control law of ours, and wrenches.

A row is what a stage of a step needs beside the state: the torques, or the reference's q, qd (and
qdd), then the wrenches, six numbers each. Laws that only Python knows have no drive.
"""

from typing import Any

import numpy as np

from robot_dynamics.engine.running.calls import address
from robot_dynamics.errors import RobotDynamicsError
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.control import ComputedTorque, FeedForward, Fixed, PDGravity
from robot_dynamics.simulation.torque_laws import Checked, Constant

# What a law asks of its own robot, which may be another one than moves
VERBS = {PDGravity: 'gravity_torque', ComputedTorque: 'inverse_dynamics', FeedForward: 'nothing'}


class Drive:
    """The torques of one system as its compiled loops take them.

    law: what a control law asks (VERBS), '' for torques that act as given; pulls: how many
    wrenches; limit: of the motors, where the law keeps one
    """

    def __init__(self, system: Any):
        self.system = system
        n, law = system.n, system.law
        function: Any = law.function if isinstance(law, Checked) else None
        self.law = VERBS.get(type(function), '')
        self.pulls = len(system.external)
        self.steady = (all(hasattr(wrench, 'value') for wrench in system.external.values())
                       and (isinstance(function.reference, Fixed) if self.law
                            else isinstance(law, Constant)))
        self.unbounded, self.still = np.full(n, np.inf), np.zeros(n)
        self.limit = self.unbounded
        self.kernels: list[Any] = []  # of the law, of the wrenches: (kernel, prepared parameters)
        self.gains: tuple[Array, ...] = ()
        self.alive: list[Array] = []  # whose addresses were given away
        if self.law:
            self.limit = self.unbounded if law.limit is None else law.limit
            self.gains = function.gains
            if self.law != 'nothing':
                self.kernels.append(system.kernels_of(function.robot).compiled(self.law))
        if self.pulls:
            self.kernels.append(system.pull.compiled('external_torque'))

    @property
    def plain(self) -> bool:
        """Whether a row is the torques themselves."""
        return not self.law and not self.pulls

    @property
    def watching(self) -> bool:
        """Whether a joint's torque beyond its limit would be the first, which is told."""
        return bool(np.isfinite(self.watch()).any())

    def watch(self) -> Array:
        """Return the limits that were not met yet, infinite for the other joints, (n,)."""
        law = self.system.law
        if not self.law or not law.saturated:
            return self.limit
        return np.where([name in law.saturated for name in law.joint_names], np.inf, self.limit)

    def rows(self, t: Array) -> Array | None:
        """Return the rows at instants (...,); None: Python is to say what is wrong."""
        law = self.system.law
        try:
            parts = [law.function.inputs(t) if self.law else law.at(t)]
            for wrench in self.system.external.values():
                values = wrench.value if hasattr(wrench, 'value') else np.array(
                    [wrench(x) for x in np.ravel(t).tolist()]).reshape(*np.shape(t), 6)
                parts.append(np.broadcast_to(values, (*np.shape(t), 6)))
            rows = np.concatenate(parts, axis=-1)
        except (RobotDynamicsError, ArithmeticError, AttributeError, LookupError, TypeError,
                ValueError):
            return None
        return rows if np.isfinite(rows).all() else None

    def pointers(self, sliding: Array, watched: bool) -> Array:
        """Return the addresses that a loop reads (DRIVE): good until asked again."""
        law, pull = (self.kernels[0] if self.law not in ('', 'nothing') else None,
                     self.kernels[-1] if self.pulls else None)
        self.alive = [*(self.gains or (self.still, self.still)), self.limit,
                      self.watch() if watched else self.unbounded, sliding]
        code = [(kernel[0].single, address(kernel[1])) if kernel else (0, 0)
                for kernel in (law, pull)]
        return np.array([*code[0], *code[1], *map(address, self.alive)], np.uint64)


def make_drive(system: Any) -> Drive | None:
    """Return what drives the compiled loops of a system, None where only Python knows."""
    law = system.law
    ours = isinstance(law, Checked) and type(law.function) in VERBS
    if system.kernels is None or not system.space.flat or not (ours or hasattr(law, 'at')):
        return None
    if ours and system.kernels_of(law.function.robot) is None:
        return None
    drive = Drive(system)
    return None if None in drive.kernels else drive
