"""Joint states of a robot, or of a mechanism with or without its passive joints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from sensor_msgs.msg import JointState

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.nodes.shared.conversion import (
    StateReader,
    read_trajectory,
    write_trajectory,
)
from robot_dynamics.nodes.shared.settings import Setting
from robot_dynamics.simulation.online.base_state import BaseState
from robot_dynamics.simulation.online.bodies import Body, ClosedBody, check_closed, make_body

CLOSURE_SETTING = Setting(
    'closure_tolerance', 0.01, 'how far joint states with passive joints may leave a loop of a '
    'mechanism open, and still be believed; else passive joints are computed [m, or sine of an '
    'angle]', low=0.0, high=10.0)


class BodyReader:
    """Reads the joint states of a body; a mechanism's pose follows them.

    said: what there is to say about the last position, mostly nothing
    """

    def __init__(self, body: Body, base: BaseState | None = None):
        """Take a body; base: where it is told where a floating one is."""
        self.body, self.said, self.base = body, '', base or BaseState()
        self._own = StateReader(body.read_names)
        self._all = StateReader(body.all_names) if body.closed else self._own
        self._motors = self._own if body.motor_names == body.read_names else StateReader(
            body.motor_names)
        self._names: list[str] = []
        self._complete = False  # messages of these names have all joints

    def position(self, state: JointState) -> np.ndarray:
        """Return the joint values, shape (nq,), and let the body stand there."""
        q = self._own.read(state, 'position')
        if self.body.layout.poses:
            q = self.body.layout.values_of(q, self.base.require())
        if self.body.closed:
            self.said = self.body.stand(q, self._tree(state))
        return q

    def velocity(self, state: JointState) -> np.ndarray:
        """Return the joint rates, shape (n,)."""
        qd = self._own.read(state, 'velocity')
        return self.body.layout.rates_of(qd, self.base.twist) if self.body.layout.poses else qd

    def effort(self, state: JointState) -> np.ndarray:
        """Return the efforts of the motors."""
        return self._motors.read(state, 'effort')

    def unchecked_effort(self, state: JointState) -> np.ndarray:
        """Return the efforts of the motors, which may have nan."""
        return self._motors.unchecked(state, 'effort')

    def _tree(self, state: JointState) -> np.ndarray | None:
        """Return the values of all joints, None where some are not known."""
        if state.name != self._names:
            self._names = list(state.name)
            self._complete = set(self.body.all_names) <= set(self._names)
        if not self._complete:
            return None
        tree = self._all.unchecked(state, 'position')
        if self.body.floats:
            tree = tree_values(self.body, tree, self.base)
        return tree if math.isfinite(sum(tree.tolist())) else None


def tree_values(body: Body, single: np.ndarray, base: BaseState) -> np.ndarray:
    """Return the values of a whole mechanism, (..., L), of its single joints' and its base's."""
    return body.tree_layout.values_of(single, base.require())


def standing(robot: Dynamics, state: JointState, tolerance: float, base: BaseState | None = None
             ) -> tuple[BodyReader, np.ndarray]:
    """Return a reader whose body stands where a request says, and the joint values, shape (nq,).

    Without passive joints a mechanism stands on the branch of its file's start; `InputError`:
    with some that leave a loop open
    """
    body = make_body(robot, tolerance)
    reader = BodyReader(body, base)
    if isinstance(body, ClosedBody) and (tree := reader._tree(state)) is not None:
        check_closed(body.mechanism, tree, tolerance)
    return reader, reader.position(state)


def read_motion(body: Body, base: BaseState, trajectory: Any, fields: Sequence[str], *, most: int
                ) -> list[np.ndarray]:
    """Return fields of a trajectory's points over all values, (N, nq), or rates, (N, n).

    A floating base is where it was told last, at rest, unless the trajectory names its six rates:
    their positions are then a motion from there.
    """
    rows = read_trajectory(trajectory, body.read_names, fields, most=most)
    if not body.layout.poses:
        return rows
    six, pose, found = base_rates(body), base.require(), []
    named = complete(trajectory.joint_names, six)
    own = read_trajectory(trajectory, six, fields, most=most) if named else [np.zeros(6)] * len(
        fields)
    for field, row, part in zip(fields, rows, own, strict=True):
        if field == 'positions':
            q = body.layout.values_of(row, pose)
            found.append(body.layout.integrate(q, body.layout.rates_of(0.0 * row, part)))
        else:
            found.append(body.layout.rates_of(row, part))
    return found


def base_rates(body: Body) -> tuple[str, ...]:
    """Return the names of the rates of a floating base, none where it does not float."""
    return tuple(name for k, name in enumerate(body.layout.joint_names)
                 if k not in body.layout.single_rates)


def write_motion(body: Body, trajectory: Any, field: str, values: np.ndarray) -> Any:
    """Fill a field of a trajectory's points by values over all rates, (N, n).

    A floating base's are left out unless the trajectory names them.
    """
    names, columns = body.layout.joint_names, list(range(body.layout.n))
    if body.layout.poses and not complete(trajectory.joint_names, base_rates(body)):
        columns = body.layout.single_rates
    return write_trajectory(trajectory, [names[k] for k in columns], field, values[:, columns])


def pose_options(body: Body, base: BaseState, trajectory: Any, tolerance: float, *, most: int
                 ) -> dict[str, np.ndarray]:
    """Return near= of a trajectory's points where they have all joints of a mechanism, else {}."""
    if not isinstance(body, ClosedBody) or not complete(trajectory.joint_names, body.all_names):
        return {}
    tree, = read_trajectory(trajectory, body.all_names, ('positions',), most=most)
    if body.floats:
        tree = tree_values(body, tree, base)
    check_closed(body.mechanism, tree, tolerance)
    return {'near': tree}


def complete(names: Sequence[str], wanted: Sequence[str]) -> bool:
    """Tell whether all names wanted are there."""
    return set(wanted) <= set(names)
