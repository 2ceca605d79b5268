"""How the columns of q and of the rates belong together where joints float.

A floating joint has seven columns in q, <joint>/x y z qx qy qz qw, and six in the rates; a joint
of one degree has one in each. The names say which is which, in files too.
"""

from collections.abc import Sequence

import numpy as np

from robot_dynamics.model.denoc import Array
from robot_dynamics.model.floating import RATES, VALUES
from robot_dynamics.model.quaternions import (
    exponential,
    logarithm,
    multiply,
    pose_rate,
    turned,
    unit,
)


class Layout:
    """Columns of poses in q and of twists in the rates, from the names of q's columns."""

    def __init__(self, value_names: Sequence[str]):
        self.poses: list[tuple[int, int]] = []  # first column in q, in the rates
        self.single: list[tuple[int, int]] = []
        q = v = 0
        while q < len(value_names):
            stem = value_names[q].removesuffix('/x')
            if list(value_names[q:q + 7]) == [f'{stem}/{x}' for x in VALUES]:
                self.poses.append((q, v))
                q, v = q + 7, v + 6
            else:
                self.single.append((q, v))
                q, v = q + 1, v + 1
        self.nq, self.n = q, v
        self.value_names = tuple(value_names)

    @property
    def floating(self) -> tuple[str, ...]:
        """The names of the floating joints."""
        return tuple(self.value_names[q].removesuffix('/x') for q, _ in self.poses)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The names of the rates."""
        names = [''] * self.n
        for q, v in self.single:
            names[v] = self.value_names[q]
        for (_, v), joint in zip(self.poses, self.floating, strict=True):
            names[v:v + 6] = [f'{joint}/{x}' for x in RATES]
        return tuple(names)

    @property
    def single_names(self) -> tuple[str, ...]:
        """The names of the joints of one degree."""
        return tuple(self.value_names[q] for q, _ in self.single)

    @property
    def single_rates(self) -> list[int]:
        """Their columns in the rates."""
        return [v for _, v in self.single]

    def values_of(self, single: Array, pose: Array | None) -> Array:
        """Return q, (..., nq), of the values of single joints and the pose of the floating one."""
        if not self.poses:
            return single
        q = np.empty((*single.shape[:-1], self.nq))
        q[..., [k for k, _ in self.single]] = single
        for k, _ in self.poses:
            q[..., k:k + 7] = pose
        return q

    def rates_of(self, single: Array, twist: Array | None) -> Array:
        """Return rates, (..., n), of those of single joints and the twist of the floating one."""
        if not self.poses:
            return single
        qd = np.empty((*single.shape[:-1], self.n))
        qd[..., self.single_rates] = single
        for _, j in self.poses:
            qd[..., j:j + 6] = twist
        return qd

    def beside(self, q: Array) -> Array:
        """Return the value beside each rate, zero for floating joints, (..., n)."""
        if not self.poses:
            return q
        x = np.zeros((*q.shape[:-1], self.n))
        for k, j in self.single:
            x[..., j] = q[..., k]
        return x

    def integrate(self, q: Array, v: Array) -> Array:
        """Return q, (..., nq), moved by v, (..., n)."""
        moved = np.empty(q.shape)
        for k, j in self.single:
            moved[..., k] = q[..., k] + v[..., j]
        for k, j in self.poses:
            moved[..., k:k + 7] = np.stack(exponential(
                [q[..., k + i] for i in range(7)], [v[..., j + i] for i in range(6)]), -1)
        return moved

    def difference(self, start: Array, end: Array) -> Array:
        """Return the motion v, (..., n), that leads from one to the other."""
        v = np.empty((*start.shape[:-1], self.n))
        for k, j in self.single:
            v[..., j] = end[..., k] - start[..., k]
        for k, j in self.poses:
            v[..., j:j + 6] = np.stack(logarithm(
                *([q[..., k + i] for i in range(7)] for q in (start, end))), -1)
        return v

    def normalised(self, q: Array) -> Array:
        """Return q, (..., nq), with quaternions of length one."""
        q = q.copy()
        for k, _ in self.poses:
            q[..., k + 3:k + 7] = unit(q[..., k + 3:k + 7])
        return q

    def continuous(self, q: Array) -> Array:
        """Return samples (K, ..., nq) whose quaternions keep their sign from one to the next."""
        q = q.copy()
        for k, _ in self.poses:
            part = q[..., k + 3:k + 7]
            turns = (part[1:] * part[:-1]).sum(axis=-1) < 0
            sign = np.cumprod(np.where(turns, -1.0, 1.0), axis=0)
            part[1:] *= sign[..., None]
        return q

    def velocity(self, q: Array, qd: Array) -> Array:
        """Return dq/dt, (..., nq), of rates (..., n)."""
        rate = np.empty(q.shape)
        for k, j in self.single:
            rate[..., k] = qd[..., j]
        for k, j in self.poses:
            rate[..., k:k + 7] = np.stack(pose_rate(
                [q[..., k + 3 + i] for i in range(4)], [qd[..., j + i] for i in range(6)]), -1)
        return rate

    def acceleration(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return d2q/dt2, (..., nq): p'' = R (v' + omega x v), and of the quaternion as it is."""
        second = self.velocity(q, qdd)
        for k, j in self.poses:
            w, v = qd[..., j:j + 3], qd[..., j + 3:j + 6]
            quaternion = [q[..., k + 3 + i] for i in range(4)]
            bend = turned(quaternion, list(np.moveaxis(np.cross(w, v), -1, 0)))
            second[..., k:k + 3] += np.stack(bend, axis=-1)
            squared = (w * w).sum(axis=-1, keepdims=True)
            second[..., k + 3:k + 7] -= 0.25 * squared * q[..., k + 3:k + 7]
        return second

    def rates(self, q: Array, rate: Array) -> Array:
        """Return the rates, (..., n), of dq/dt, (..., nq)."""
        qd = np.empty((*q.shape[:-1], self.n))
        for k, j in self.single:
            qd[..., j] = rate[..., k]
        for k, j in self.poses:
            back = [-q[..., k + 3], -q[..., k + 4], -q[..., k + 5], q[..., k + 6]]
            omega = multiply(back, [rate[..., k + 3 + i] for i in range(4)])[:3]
            v = turned(back, [rate[..., k + i] for i in range(3)])
            qd[..., j:j + 6] = np.stack([*(2.0 * part for part in omega), *v], axis=-1)
        return qd
