"""Says once what looks wrong about a simulation that can go on."""

import numpy as np

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import warn
from robot_dynamics.inputs import outside_limits
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.control import Fixed
from robot_dynamics.simulation.layout import Layout
from robot_dynamics.simulation.motions import Motion
from robot_dynamics.simulation.torque_laws import Checked, Law, Table

LOOKED_AT = 65  # instants of a reference


def warn_of_limits(robot: Dynamics, q: Array) -> None:
    """Warn where a first state, (n,) or (N, n), lies outside the joint limits."""
    limits = getattr(robot, 'limits', None)
    if limits is None:
        return
    if said := outside_limits('q0', q, limits.lower, limits.upper, robot.joint_names):
        warn(said)


def warn_of_reference(robot: Dynamics, torque: object, times: Array) -> None:
    """Warn where the reference of a control law leaves the joint limits while it is followed."""
    reference, limits = getattr(torque, 'reference', None), getattr(robot, 'limits', None)
    if limits is None or not isinstance(reference, Fixed | Motion):
        return
    if not np.ndim(limits.lower) == np.ndim(limits.upper) == 1:  # of a stack: one for each robot
        return
    q = reference(np.linspace(times[0], times[-1], LOOKED_AT))[0]
    if q.shape[-1] != robot.nq:
        return
    values = Layout(robot.value_names).beside(q)
    if said := outside_limits('reference', [values.max(axis=0), values.min(axis=0)],
                              limits.lower, limits.upper, robot.joint_names):
        warn(said)


def warn_of_table(law: Law, step: float) -> None:
    """Warn where a table of torques changes within a fixed step."""
    kinks = np.diff(law.kinks) if isinstance(law, Table) else np.zeros(0)
    if len(kinks) and kinks.min() < 0.999 * step:
        warn(f'torque: the table has rows {kinks.min():.3g} s apart, closer than the step of '
             f'{step:g} s, which passes over some: take a shorter step')


def warn_of_saturation(law: Law) -> None:
    """Warn where a control law wanted more than the motors give."""
    if not isinstance(law, Checked) or not law.saturated:
        return
    name, t = next(iter(law.saturated.items()))
    more = f' and {len(law.saturated) - 1} more' if len(law.saturated) > 1 else ''
    assert law.limit is not None
    limit = law.limit[law.joint_names.index(name)]
    warn(f'torque: cut at the effort limits of joint {name!r}{more}, first at t = {t:g} s '
         f'({limit:g}); saturate=False (--no-saturation) lets it act in full')


def degrees_hint(q: float, lower: float, upper: float) -> str:
    """Return the words to add where a value would be within limits were it in degrees."""
    inside = lower - 1e-9 <= np.radians(q) <= upper + 1e-9
    return ' (degrees given for radians?)' if inside and abs(q) > np.pi else ''
