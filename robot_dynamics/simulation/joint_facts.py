"""What a plot wants to know of the joints of a trajectory: which slide, and their limits."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from robot_dynamics.dynamics import Dynamics, is_closed
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.model import Limits
from robot_dynamics.simulation.layout import Layout

UNITS = {  # of joints that turn, that slide, and of those of which neither is known
    'q': ('rad', 'm', 'rad or m'), 'error': ('rad', 'm', 'rad or m'),
    'qd': ('rad/s', 'm/s', 'rad/s or m/s'), 'qdd': ('rad/s²', 'm/s²', 'rad/s² or m/s²'),
    'tau': ('N m', 'N', 'N m or N'), 'damping': ('N m s/rad', 'N s/m', 'N m s/rad or N s/m')}
PARTS = {'x': True, 'y': True, 'z': True, 'vx': True, 'vy': True, 'vz': True,
         'wx': False, 'wy': False, 'wz': False, 'yaw': False, 'pitch': False, 'roll': False}
ENDLESS = 1e6  # limits beyond this are a way to say that there are none
QUATERNION = ('qx', 'qy', 'qz', 'qw')


@dataclass(frozen=True)
class JointFacts:
    """A robot's name, which of its joints slide, by name, and their limits."""

    robot: str
    slides: dict[str, bool]
    limits: Limits | None

    def bounds(self, quantity: str, joint: int) -> tuple[float, float] | None:
        """Return the limits of a joint's q, qd or tau; None where there are none."""
        if self.limits is None:
            return None
        if quantity == 'q':
            found = self.limits.lower, self.limits.upper
        elif quantity in ('qd', 'tau'):
            most = self.limits.velocity if quantity == 'qd' else self.limits.effort
            found = -np.asarray(most), np.asarray(most)
        else:
            return None
        if np.ndim(found[0]) != 1:  # of a stack, one for each robot
            return None
        low, high = float(found[0][joint]), float(found[1][joint])
        known = max(abs(low), abs(high)) < ENDLESS and low < high
        return (low, high) if known else None


def joint_facts(robot: Dynamics | None) -> JointFacts | None:
    """Return what a robot tells of its joints, None where it is of another kind."""
    table = getattr(robot, 'dh', None)
    if robot is None or table is None:
        return None
    limits = getattr(robot, 'limits', None)
    if limits is not None and is_closed(robot):  # only joints with motors have torques to limit
        driven = [name in robot.actuated_names for name in robot.joint_names]
        limits = replace(limits, effort=np.where(driven, limits.effort, np.inf))
    return JointFacts(str(getattr(robot, 'name', '')),
                      {str(row.name): row.joint == 'prismatic' for row in table.rows}, limits)


def unit(quantity: str, name: str, facts: JointFacts | None) -> str:
    """Return the unit of a joint's quantity; a quaternion has none."""
    part = name.rpartition('/')[2]
    if '/' in name and part in QUATERNION:
        return '1'
    slides = None if facts is None else facts.slides.get(name)
    if slides is None and '/' in name:
        slides = PARTS.get(part)
    turning, sliding, unknown = UNITS[quantity]
    return unknown if slides is None else sliding if slides else turning


def reference_values(law: Any, t: Array, q: Array, names: tuple[str, ...]) -> Array | None:
    """Return the joint values that a control law follows at instants (K,), (K, nq), or None.

    q: the motion's own, (K, nq), named: quaternions have the sign that is nearer to these
    """
    reference = getattr(getattr(law, 'function', None), 'reference', None)
    if not callable(reference):
        return None
    from robot_dynamics.simulation.motions import Motion  # it stands above
    try:
        rows = reference(t)[0] if isinstance(reference, Motion) else [
            reference(x)[0] for x in t.tolist()]
        values = np.array(rows, float).reshape(q.shape)
    except (TypeError, ValueError, LookupError):  # of a controller of the caller's own
        return None
    for k, _ in Layout(names).poses:
        part = values[..., k + 3:k + 7]
        part[(part * q[..., k + 3:k + 7]).sum(axis=-1) < 0] *= -1.0
    return values
