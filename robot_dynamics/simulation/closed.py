"""Motion of mechanisms: the state is that of all joints, what users see is the independent ones'.

A solver advances the values of the whole tree, whose passive joints are put back where the loops
close after every step and before every look: the loops neither drift nor change their branch.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from robot_dynamics.dynamics import ClosedDynamics
from robot_dynamics.errors import InputError, SingularityError
from robot_dynamics.inputs import rank
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.looped_coordinates import LoopedCoordinates
from robot_dynamics.simulation.blow_up import BlowUpError
from robot_dynamics.simulation.state_warnings import warn_of_saturation
from robot_dynamics.simulation.system import OPEN, System
from robot_dynamics.simulation.torque_laws import Constant, make_law
from robot_dynamics.simulation.trajectory import Trajectory

LARGE = 5.0  # passive rates per independent one, in the mean, that are near a singularity
GROWTH = {1: 0.1, 2: np.inf}  # part by which they may grow there in a step, by the method's order
NEAR = 'the loops are singular nearby, and passive rates grow too fast for the step'
ORDER = defaultdict(lambda: 2, semi_implicit_euler=1)  # 2: or higher


def simulate_closed(mechanism: ClosedDynamics, q0: Any, qd0: Any, torque: Any, t: Any, near: Any,
                    one: Callable[..., Trajectory], **options: Any) -> Trajectory:
    """Return the motion of a mechanism; `one` simulates the robot that it is on the whole."""
    whole, space = mechanism.whole, mechanism.whole.space
    if rank('q0', q0) == 1 and rank('qd0', qd0) == 2:
        q0 = np.tile(q0, (len(qd0), 1))  # each near its own place
    tree = mechanism.assemble(q0, near)
    options['events'] = seen_events(space, options.get('events'))
    law = driven(space, torque)
    if torque is not None and mechanism.actuated_names != mechanism.joint_names:
        law = MotorTorques(mechanism, law, options['saturate'])
        options['saturate'] = False
    trajectory = one(whole, tree, qd0, law, t, **options)
    if isinstance(law, MotorTorques):
        warn_of_saturation(law.law)
    q = space.given(trajectory.q)
    dense, corners = trajectory.dense, trajectory.corners
    events = tuple(replace(event, q=space.given(event.q)) for event in trajectory.events)
    return replace(
        trajectory, q=q, q_tree=trajectory.q, tree_joint_names=trajectory.value_names,
        value_names=mechanism.value_names, events=events,
        corners=None if corners is None else replace(corners, q=space.given(corners.q)),
        dense=None if dense is None else Seen(dense, space, tree.shape[-1]))


def regular(N: Array, order: int) -> Array:
    """Tell of each step between poses whether loops stay regular on it, (K,).

    Towards a singularity the passive rates N grow without end, and come back from the other side
    with the other sign; else they hardly change within a step. Where they are large already and
    grow by more than a part in one step, a method of first order cannot follow them any more: it
    would lose the energy that it has there, and stay.
    N: (K + 1, joints, n)
    """
    rates = N.reshape(len(N), -1)
    square, product = (rates * rates).sum(axis=1), (rates[1:] * rates[:-1]).sum(axis=1)
    large = square[1:] > LARGE ** 2 * N.shape[2]
    grown = square[1:] > (1.0 + GROWTH[order]) ** 2 * square[:-1]
    found: Array = (product > 0.0) & ~(large & grown)
    return found


def check_loops(system: System, q: Array, q1: Array, order: int) -> None:
    """Raise `BlowUpError` where loops have become singular on the way from a state to the next.

    order: of the method, 1 or more (2)
    """
    if not system.space.following:
        return
    assert system.kernels is not None  # a mechanism has them
    try:
        N = np.array([system.kernels.evaluate('complement', (x,)) for x in (q, q1)])
    except (InputError, SingularityError):  # where they do not close, values are nan
        raise BlowUpError(OPEN) from None
    if not regular(N, order).all():
        raise BlowUpError(OPEN if (N[0] * N[1]).sum() <= 0.0 else NEAR)


class Seen:
    """A solver's polynomials, as users see them: the independent joints and their rates."""

    def __init__(self, dense: Callable[[float], Array], space: LoopedCoordinates, nq: int):
        self.dense, self.space, self.nq = dense, space, nq

    def __call__(self, t: float) -> Array:
        """Return [q, qd] at an instant."""
        y = np.asarray(self.dense(t))
        return np.concatenate([self.space.given(y[:self.nq]), y[self.nq:]])


def driven(space: LoopedCoordinates, torque: Any) -> Any:
    """Return what drives the joints: functions see the independent ones alone."""
    if not callable(torque):
        return torque

    def law(t: float, q: Array, qd: Array) -> Any:
        return torque(t, space.given(q), qd)
    law.reference = getattr(torque, 'reference', None)  # type: ignore[attr-defined]
    return law


class MotorTorques:
    """Torques of motors that are not where the freedoms are: what they do depends on the pose.

    law: over the motors; each keeps its own effort limit
    """

    def __init__(self, mechanism: ClosedDynamics, torque: Any, saturate: bool):
        effort = np.where(mechanism.motor_limits == 0.0, np.inf, mechanism.motor_limits)
        self.mechanism, self.reference = mechanism, getattr(torque, 'reference', None)
        self.law = make_law(torque, mechanism.actuated_names, effort if saturate else None)
        if isinstance(self.law, Constant) and self.law.tau.ndim != 1:
            raise InputError(f'torque: shape {self.law.tau.shape}: expected '
                             f'({len(mechanism.actuated_names)},)')

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Return the torques over the independent joints, (n,)."""
        return felt(self.mechanism, q, self.law(t, q, qd))


def felt(mechanism: ClosedDynamics, q: Array, tau: Any) -> Array:
    """Return what torques of the motors do to the independent joints, unless the loops end it."""
    if not np.isfinite(q).all():
        raise BlowUpError(OPEN)
    try:
        return mechanism.generalized_force(q, tau)
    except SingularityError as error:
        raise BlowUpError(str(error)) from error


def seen_events(space: LoopedCoordinates, events: Any) -> Any:
    """Return event functions of the whole state from those of the independent joints."""
    if events is None:
        return None

    def seen(function: Any) -> Any:
        if not callable(function):
            return function

        def of_tree(t: float, q: Array, qd: Array) -> Any:
            return function(t, space.given(q), qd)
        for name in ('terminal', 'direction'):
            if hasattr(function, name):
                setattr(of_tree, name, getattr(function, name))
        return of_tree
    return [seen(f) for f in events] if isinstance(events, Sequence) else seen(events)
