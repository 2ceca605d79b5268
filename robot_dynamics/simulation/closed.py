"""Motion of mechanisms: the state is that of all joints, what users see is the independent ones'.

A solver advances the values of the whole tree, whose passive joints are put back where the loops
close after every step and before every look: the loops neither drift nor change their branch.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError, SingularityError
from robot_dynamics.inputs import rank
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.system import OPEN, BlowUpError
from robot_dynamics.simulation.trajectory import Trajectory


def simulate_closed(mechanism: Any, q0: Any, qd0: Any, torque: Any, t: Any, near: Any,
                    one: Callable[..., Trajectory], **options: Any) -> Trajectory:
    """Return the motion of a mechanism; `one` simulates the robot that it is on the whole."""
    if rank('q0', q0) == 2 or rank('qd0', qd0) == 2:
        raise InputError('q0, qd0: mechanisms move one at a time: expected '
                         f'({mechanism.nq},) and ({mechanism.n},)')
    whole: Dynamics = mechanism.whole
    tree = mechanism.assemble(q0, near)
    space: Any = whole.model.coordinates  # looped
    options['events'] = seen_events(space, options.get('events'))
    trajectory = one(whole, tree, qd0, driven(mechanism, space, torque), t, **options)
    if trajectory.stopped:
        worst = space.condition(trajectory.q[-1])
        trajectory = replace(trajectory, stopped=tuple(replace(
            stopped, reason=f'{stopped.reason} (the loops have condition {worst:.3g} at the last '
            'good state)') for stopped in trajectory.stopped))
    q = space.given(trajectory.q)
    dense = trajectory.dense
    events = tuple(replace(event, q=space.given(event.q)) for event in trajectory.events)
    return replace(
        trajectory, q=q, q_tree=trajectory.q, tree_joint_names=trajectory.value_names,
        value_names=mechanism.value_names, events=events,
        dense=None if dense is None else Seen(dense, space, tree.shape[-1]))


def check_loops(system: Any, q: Array, q1: Array) -> None:
    """Raise `BlowUpError` where loops have become singular on the way from a state to the next.

    Towards a singularity the passive rates N grow without end, and come back from the other side
    with the other sign; else they hardly change within a step.
    """
    if not system.space.following:
        return
    try:
        before, after = (system.kernels.evaluate('complement', (x,)) for x in (q, q1))
    except (InputError, SingularityError):  # where they do not close, values are nan
        raise BlowUpError(OPEN) from None
    if (before * after).sum() <= 0.0:
        raise BlowUpError(OPEN)


class Seen:
    """A solver's polynomials, as users see them: the independent joints and their rates."""

    def __init__(self, dense: Callable[[float], Array], space: Any, nq: int):
        self.dense, self.space, self.nq = dense, space, nq

    def __call__(self, t: float) -> Array:
        """Return [q, qd] at an instant."""
        y = np.asarray(self.dense(t))
        return np.concatenate([self.space.given(y[:self.nq]), y[self.nq:]])


def driven(mechanism: Any, space: Any, torque: Any) -> Any:
    """Return what drives the independent joints; functions see these alone."""
    own = mechanism.actuated_names == mechanism.joint_names
    if not callable(torque):
        if own or torque is None:
            return torque
        if rank('torque', torque) != 1:
            raise InputError('torque: where motors are not the freedoms, expected a constant '
                             'or a function of (t, q, qd)')
        constant = np.array(torque, float)

        def given(t: float, q: Array, qd: Array) -> Array:
            return mechanism.generalized_force(q, constant)
        return given

    def law(t: float, q: Array, qd: Array) -> Any:
        tau = torque(t, space.given(q), qd)
        return tau if own else mechanism.generalized_force(q, tau)
    law.reference = getattr(torque, 'reference', None)  # type: ignore[attr-defined]
    return law


def seen_events(space: Any, events: Any) -> Any:
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
