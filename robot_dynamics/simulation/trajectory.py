"""Trajectory: what a simulation gives, sampled in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import choice, rank, vector
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.joint_facts import JointFacts
from robot_dynamics.simulation.layout import Layout
from robot_dynamics.words import counted

Dense = Callable[[Any], Array]  # a solver's polynomials: [q, qd] of an instant, or of many


@dataclass(frozen=True)
class Stopped:
    """Why a simulation ended before its time."""

    time: float  # of the last good state, which is the trajectory's last sample [s]
    reason: str
    joint: str = ''  # that ran away; those, with commas, that singular loops no longer hold
    robot: int = 0  # its number in a batch

    def __str__(self) -> str:
        many = 's' if ', ' in self.joint else ''
        where = f', joint{many} {self.joint!r}' if self.joint else ''
        return f'stopped at t = {self.time:.6g} s{where}: {self.reason}'


@dataclass(frozen=True)
class Event:
    """One zero crossing of an event function."""

    function: int  # its number among those given
    t: float
    q: Array
    qd: Array


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A motion: t (K,); q, qd, qdd, tau (K, n), or (K, N, n) of a batch; energies (K,) or (K, N).

    q has nq columns, named by value_names: a floating joint's are its position and quaternion.
    tau is what the motors give: friction, stops and external wrenches are not part of it.
    """

    joint_names: tuple[str, ...]
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    kinetic: Array
    potential: Array
    events: tuple[Event, ...] = ()
    stopped: tuple[Stopped, ...] = ()
    evaluations: int = 0  # of the accelerations
    dense: Callable[[float], Array] | None = field(default=None, repr=False)  # [q, qd] of t
    value_names: tuple[str, ...] = ()  # of the columns of q; the joints' where not given
    q_tree: Array | None = None  # (K, L), (K, N, L) of mechanisms: all joints, passive ones too
    tree_joint_names: tuple[str, ...] = ()
    joints: JointFacts | None = field(default=None, repr=False)  # for plots, where known
    reference: Array | None = None  # (K, nq): what a control law was to follow
    corners: Trajectory | None = field(default=None, repr=False)  # states in pairs, before and
    # after joints strike, stop or start, where known
    struck: Mapping[str, float] = field(default_factory=dict)  # joints that struck their stops,
    # and when first [s]; not of batches

    def __post_init__(self) -> None:
        """Fill in the names of q's columns."""
        if not self.value_names:
            object.__setattr__(self, 'value_names', self.joint_names)

    @property
    def layout(self) -> Layout:
        """Which columns of q are poses, and which rates are theirs."""
        return Layout(self.value_names)

    def __repr__(self) -> str:
        """Return what it holds, in a line."""
        many = f'{self.q.shape[1]} robots with ' if self.batch else ''
        over = f'{self.t[0]:g} to {self.t[-1]:g} s, ' if len(self.t) else ''
        ends = ''.join(f'; {end}' for end in self.stopped[:1])
        return (f'Trajectory({over}{counted(len(self.t), "sample")} of {many}'
                f'{counted(len(self.joint_names), "joint")}{ends})')

    @property
    def energy(self) -> Array:
        """Total energy [J]."""
        return self.kinetic + self.potential

    @property
    def power(self) -> Array:
        """Power of the motors [W]."""
        power: Array = (self.tau * self.qd).sum(axis=-1)
        return power

    @property
    def success(self) -> bool:
        """Whether the simulation reached its end."""
        return not self.stopped

    @property
    def batch(self) -> bool:
        """Whether it holds many robots."""
        return self.q.ndim == 3

    def robot(self, k: int) -> Trajectory:
        """Return the motion of robot k of a batch; `InputError` where there is none.

        >>> many = rd.simulate(arm, np.zeros((3, 2)), np.zeros((3, 2)), None, 0.1, method='rk4')
        >>> many.robot(2).q.shape[1]
        2
        """
        if not self.batch or not 0 <= k < self.q.shape[1]:
            raise InputError(f'robot {k}: the trajectory holds '
                             f'{self.q.shape[1] if self.batch else "one, not a batch"}')
        stopped = tuple(end for end in self.stopped if end.robot == k)
        keep = slice(None) if not stopped else self.t <= stopped[0].time
        q, qd, qdd, tau, kinetic, potential = (part[keep, k] for part in (
            self.q, self.qd, self.qdd, self.tau, self.kinetic, self.potential))
        return Trajectory(self.joint_names, self.t[keep], q, qd, qdd, tau, kinetic, potential,
                          stopped=stopped, value_names=self.value_names, joints=self.joints,
                          q_tree=None if self.q_tree is None else self.q_tree[keep, k],
                          tree_joint_names=self.tree_joint_names)

    def at(self, t: Any) -> tuple[Array, Array]:
        """Return q, qd at any instants within the motion, (n,) each or (T, n).

        The solver's own polynomials where it kept them (dense=True); otherwise polynomials of
        order five through q, qd and qdd of the two samples around, which know of no impact.
        `InputError`: instants outside.

        >>> q, qd = rd.simulate(arm, [-np.pi / 2, 0], [0, 0], None, 1.0).at(0.5)
        >>> q.round(3)  # it hangs
        array([-1.571,  0.   ])
        """
        shape = (len(t),) if rank('t', t) else ()
        times = np.atleast_1d(vector('t', t, shape))
        if not len(self.t) or (times < self.t[0]).any() or (times > self.t[-1]).any():
            raise InputError(f't: {np.asarray(t)}: expected times within the motion')
        if not len(times):
            return np.zeros((0, self.q.shape[-1])), np.zeros((0, len(self.joint_names)))
        if self.dense is not None:
            states = np.array([self.dense(float(x)) for x in times])
            q, qd = states[:, :self.q.shape[-1]], states[:, self.q.shape[-1]:]
            q = self.layout.normalised(q)
        else:
            q, qd = self.between(times)
        return (q, qd) if np.ndim(t) else (q[0], qd[0])

    def between(self, times: Array, part: slice = slice(None)) -> tuple[Array, Array]:
        """Return q, qd of the polynomials through a part of the samples.

        times: (K,) within that part [s]; `at` checks them, and raises the `InputError`

        >>> fall = rd.simulate(arm, [0, 0], [0, 0], None, 0.1)
        >>> fall.between(np.array([0.05]))[0].shape
        (1, 2)
        """
        t, (q, qd, qdd), layout = self.t[part], self.known(), self.layout
        q, qd, qdd = q[part], qd[part], qdd[part]
        if layout.n != qd.shape[-1]:  # of closed loops: not every value has a rate
            from robot_dynamics.simulation.series import spline
            return spline(t, q)(times), spline(t, qd)(times)
        if not layout.poses:
            return hermite(times, t, q, qd, qdd)[:2]
        q = layout.continuous(q)
        q, rate, _ = hermite(times, t, q, layout.velocity(q, qd),
                             layout.acceleration(q, qd, qdd))
        size = layout.normalised(q)
        for k, _ in layout.poses:  # of the point on the sphere
            length = np.linalg.norm(q[..., k + 3:k + 7], axis=-1, keepdims=True)
            rate[..., k + 3:k + 7] /= length
        return size, layout.rates(size, rate)

    def known(self) -> tuple[Array, Array, Array]:
        """Return q, qd, qdd, (K, n) each; what a file did not have is differentiated.

        >>> q, qd, qdd = rd.simulate(arm, [0, 0], [0, 0], None, 0.1).known()
        """
        given = [self.q, self.qd, self.qdd]
        if self.batch or all(np.isfinite(x).all() for x in given):
            return self.q, self.qd, self.qdd
        if self.layout.poses:
            raise InputError('a motion with a floating joint: expected q, qd and qdd at all '
                             'samples')
        from robot_dynamics.simulation.series import complete
        return complete(self.t, given)

    def plot(self, file: Any = None, what: Sequence[str] = ('q', 'qd', 'tau', 'energy'), *,
             theme: str = 'light', robot: Dynamics | None = None, other: Trajectory | None = None,
             labels: Sequence[str] = ('motion', 'other')) -> Any:
        """Draw the motion, a panel per joint and quantity; return the figure, saved if asked to.

        Limits are drawn, and under a control law its reference and the error. Between samples
        curves are smooth, and steps where joints strike their stops.
        what: of q, qd, qdd, tau, energy, power; theme: 'light' or 'dark'
        robot: whose motion it is, for units, limits and its name, where a simulation did not say
        other: a motion of the same joints to draw beside; labels: what this one and it are called
        `InputError`: others.
        It takes matplotlib: pip install 'robot-dynamics[plot]'.

        >>> figure = rd.simulate(arm, [0, 0], [0, 0], None, 0.1).plot(folder / 'fall.png')
        """
        from robot_dynamics.simulation.plots import plot
        return plot(self, file, what, theme, robot, other, labels)

    def save(self, file: Any) -> None:
        """Write it: .csv, .npz or .mcap; a name without ending is the folder of a rosbag2.

        `InputError`: another ending, a file that cannot be written.

        >>> rd.simulate(arm, [0, 0], [0, 0], None, 0.1).save(folder / 'fall.npz')
        """
        from robot_dynamics.simulation.files import save
        save(self, file)

    @staticmethod
    def load(file: Any) -> Trajectory:
        """Read what `save` wrote, or a log: times and joint values at least, nan for the rest.

        `InputError`: a file that cannot be read.

        >>> rd.simulate(arm, [0, 0], [0, 0], None, 0.1).save(folder / 'fall.npz')
        >>> rd.Trajectory.load(folder / 'fall.npz').joint_names
        ('joint_1', 'joint_2')
        """
        from robot_dynamics.simulation.files import load
        return load(file)


QUANTITIES = ('q', 'qd', 'qdd', 'tau', 'energy', 'power')


def check_quantities(names: Sequence[str]) -> list[str]:
    """Return the names when all are quantities of a trajectory."""
    return [choice('what', name, QUANTITIES) for name in names]


def hermite(times: Array, t: Array, q: Array, qd: Array,
            qdd: Array) -> tuple[Array, Array, Array]:
    """Return q, qd, qdd at times of the quintics that meet q, qd, qdd at the samples around."""
    if len(t) == 1:
        q, qd, qdd = (x[:1].repeat(len(times), 0) for x in (q, qd, qdd))
        return q, qd, qdd
    k = np.clip(np.searchsorted(t, times, side='right') - 1, 0, len(t) - 2)
    shape = (-1,) + (1,) * (q.ndim - 1)
    h = (t[k + 1] - t[k]).reshape(shape)
    s = ((times - t[k]) / (t[k + 1] - t[k])).reshape(shape)
    p0, p1, v0, v1 = q[k], q[k + 1], qd[k] * h, qd[k + 1] * h
    a0, a1 = qdd[k] * h * h, qdd[k + 1] * h * h
    d, dv = p1 - p0 - v0 - a0 / 2, v1 - v0 - a0
    da = a1 - a0
    c3, c4, c5 = 10 * d - 4 * dv + da / 2, -15 * d + 7 * dv - da, 6 * d - 3 * dv + da / 2
    position = p0 + s * (v0 + s * (a0 / 2 + s * (c3 + s * (c4 + s * c5))))
    rate = (v0 + s * (a0 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / h
    return position, rate, (a0 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))) / h ** 2
