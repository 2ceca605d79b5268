"""Sizing: what motors and bearings must bear through tasks, and what an arm can carry.

Torques, speeds and wrenches are those of inverse dynamics at a task's instants. A torque is affine
in the mass of a payload, tau = tau_0 + m k, so that the largest payload follows from two of them,
exactly: at every instant and joint |tau_0 + m k| <= limit bounds m.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.mechanism.mechanism import Mechanism
from robot_dynamics.model.denoc import Array
from robot_dynamics.selection.family import UNBOUNDED, Family
from robot_dynamics.selection.tasks import Payload, Task

FIELDS = {  # of a Load, each (N, n): unit and words
    'peak_torque': ('N m, N', 'largest torque or force of the motor'),
    'rms_torque': ('N m, N', 'root mean square of it'),
    'peak_speed': ('rad/s, m/s', 'largest rate'),
    'peak_power': ('W', 'largest power, mechanical'),
    'energy': ('J', 'work that the motor does: what it takes back is not subtracted'),
    'bearing_force': ('N', 'largest force in the bearing'),
    'bearing_moment': ('N m', 'largest moment in the bearing'),
    'margin': ('', 'least margin to the effort limit, part of it; nan: no limit'),
    'speed_margin': ('', 'least margin to the speed limit, part of it; nan: no limit'),
}


class Load(NamedTuple):
    """What one task with one payload asks of N arms of n joints; see FIELDS."""

    task: str
    payload: Payload
    peak_torque: Array
    rms_torque: Array
    peak_speed: Array
    peak_power: Array
    energy: Array
    bearing_force: Array
    bearing_moment: Array
    margin: Array
    speed_margin: Array
    largest_payload: Array  # (N,) [kg], inf: no limits, nan: not even the arm itself


@dataclass(frozen=True)
class Sizing:
    """The loads of all tasks and payloads, and the worst of them."""

    joint_names: tuple[str, ...]
    loads: tuple[Load, ...]

    def worst(self, field: str) -> Array:
        """Return the worst over all loads, (N, n)."""
        values = np.stack([getattr(load, field) for load in self.loads])
        worst: Array = (np.min if 'margin' in field else np.max)(values, axis=0)
        return worst

    @property
    def least_margin(self) -> Array:
        """The least margin of torque or speed over joints and loads, (N,); nan: no limits."""
        both = np.concatenate([self.worst('margin'), self.worst('speed_margin')], axis=1)
        return np.where(np.isnan(both).all(axis=1), np.nan,
                        np.where(np.isnan(both), np.inf, both).min(axis=1))

    @property
    def largest_payload(self) -> Array:
        """The most that an arm carries through every motion, (N,) [kg]."""
        most: Array = np.min(np.stack([load.largest_payload for load in self.loads]), axis=0)
        return most

    @property
    def largest_power(self) -> Array:
        """The largest power of a motor, (N,) [W]."""
        most: Array = self.worst('peak_power').max(axis=1)
        return most

    @property
    def total_energy(self) -> Array:
        """The work of all motors over all loads, (N,) [J]."""
        return sum((load.energy.sum(axis=1) for load in self.loads),
                   np.zeros(len(self.loads[0].energy)))


def size(family: Family, tasks: Sequence[Task]) -> Sizing:
    """Return what tasks ask of a family's arms; `InputError`: tasks that are not for them."""
    arms = family.arms
    if isinstance(arms, Mechanism) and arms.actuated_names != arms.joint_names:
        raise InputError(f'{family.source}: its actuated joints are not its independent ones: it '
                         'cannot be sized')
    loads = []
    for task in tasks:
        states = task.motion(family.arms.joint_names)
        for payload in task.payloads:
            parts = [load_of(part, task.name, states, payload)
                     for part in family.parts(4 * len(states[0]))]
            loads.append(Load(task.name, payload, *(
                np.concatenate(values) for values in zip(*(part[2:] for part in parts),
                                                         strict=True))))
    return Sizing(tuple(family.arms.joint_names), tuple(loads))


def load_of(family: Family, task: str, states: tuple[Array, ...], payload: Payload) -> Load:
    """Return what one motion with one payload asks."""
    t, q, qd, qdd = states
    carrying = loaded(family, payload)
    tau = carrying.ask('inverse_dynamics', q, qd, qdd)
    wrench = carrying.ask('reaction_wrenches', q, qd, qdd)
    if not np.isfinite(tau).all():
        k = int(np.argmin(np.isfinite(tau).all(axis=(0, 2))))
        raise InputError(f'{family.source}: {task}: the loops cannot close at {t[k]:g} s')
    power = tau * qd
    speed, peak = np.abs(qd).max(axis=0), np.abs(tau).max(axis=1)
    effort, fastest = (limit(x, family.n) for x in (
        family.arms.limits.effort, family.arms.limits.velocity))
    force, moment = bearing(wrench, family.ranges.prismatic)
    return Load(task, payload, peak, np.sqrt(mean(t, tau ** 2)), np.tile(speed, (family.N, 1)),
                np.abs(power).max(axis=1), mean(t, np.maximum(power, 0.0)) * (t[-1] - t[0]),
                force.max(axis=1), moment.max(axis=1), 1 - peak / effort,
                np.tile(1 - speed / fastest, (family.N, 1)),
                most_payload(family, states, payload, effort))


def loaded(family: Family, payload: Payload) -> Family:
    """Return the family with a payload on every arm."""
    if not payload.mass:
        return family
    arms = family.arms.with_payload(payload.link or family.tip, payload.mass, payload.com,
                                    payload.inertia)
    return Family(arms, family.names, family.source, family.link)


def limit(values: Any, n: int) -> Array:
    """Return limits (n,), nan where there are none."""
    found = np.array(values, float)
    found = found if found.shape == (n,) else np.full(n, np.nan)
    return np.where((found > 0) & (found < UNBOUNDED), found, np.nan)


def bearing(wrench: Array, prismatic: Array) -> tuple[Array, Array]:
    """Return force and moment in the bearings, (N, K, n), of wrenches (N, K, n, 6) about Z_i.

    The motor bears what is along its axis: the moment of a revolute joint, the force of a slide.
    """
    n, f = wrench[..., :3].copy(), wrench[..., 3:].copy()
    n[:, :, ~prismatic, 2] = 0.0
    f[:, :, prismatic, 2] = 0.0
    return np.linalg.norm(f, axis=-1), np.linalg.norm(n, axis=-1)


def mean(t: Array, values: Array) -> Array:
    """Return means over time, (N, n), by the trapezoidal rule."""
    weights = np.zeros(len(t))
    weights[:-1] += np.diff(t) / 2
    weights[1:] += np.diff(t) / 2
    mean: Array = np.einsum('k,ikn->in', weights / weights.sum(), values)
    return mean


def most_payload(family: Family, states: tuple[Array, ...], payload: Payload,
                 effort: Array) -> Array:
    """Return the largest mass within effort limits at every instant, (N,) [kg].

    It hangs where the payload does; an inertia grows with the mass.
    """
    if np.isnan(effort).all():
        return np.full(family.N, np.inf)
    motion = states[1:]
    inertia = None if payload.inertia is None or not payload.mass else (
        np.array(payload.inertia) / payload.mass)
    one = payload._replace(mass=1.0, inertia=inertia)
    tau = family.ask('inverse_dynamics', *motion)
    k = loaded(family, one).ask('inverse_dynamics', *motion) - tau
    room = np.where(np.isnan(effort), np.inf, effort)
    with np.errstate(all='ignore'):
        ends = np.stack([(room - tau) / k, (-room - tau) / k])
    still = np.abs(k) <= 1e-12 * np.abs(k).max(initial=1e-300)  # the payload does not load it
    high = np.where(still, np.inf, np.nanmax(ends, axis=0)).min(axis=(1, 2))
    low = np.where(still, -np.inf, np.nanmin(ends, axis=0)).max(axis=(1, 2))
    over = (still & (np.abs(tau) > room)).any(axis=(1, 2))
    return np.where(over | (high < np.maximum(low, 0.0)), np.nan, high)
