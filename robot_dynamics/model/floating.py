"""Floating joints: six degrees of freedom by a pose, as a kind of coordinates.

In q such a joint has x y z and the quaternion qx qy qz qw of its child link, seen from the joint's
frame on the parent; in the rates [omega; v], v of the child link's origin, both in its own axes.
The tree has six single joints instead, revolute about x, y, z and prismatic along x, y, z of the
child (MohanSaha2007 and ReDySim make them one, with a 6 x 6 block p_i; at zero the stacked p_i are
the identity). They stay at zero: the pose itself hangs the first of them on its parent. So there
is no gimbal lock, and what is traced has only zeros and ones where the six are.

The six move away from zero by the turns Rx(a) Ry(b) Rz(c), then x along the turned axes. To first
order omega = (1 + [0 c 0; -c 0 0; b 0 0]) [ad bd cd] and xd = v - omega x x: N and dN/dt at zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics.description.records import RATES, VALUES
from robot_dynamics.errors import DescriptionError, InputError
from robot_dynamics.model.coordinates import Coordinates, OwnRates, joined
from robot_dynamics.model.denoc import Array, Geometry, posed
from robot_dynamics.model.dh.table import DHRow
from robot_dynamics.model.linear import Linear
from robot_dynamics.model.quaternions import (
    exponential,
    logarithm,
    norm_squared,
    pose_rate,
    rotation,
    tangent_block,
    unit,
)
from robot_dynamics.model.transforms import turn_by

__all__ = ['RATES', 'VALUES', 'Floating', 'FreeJoint', 'free_joints', 'neutral', 'places']
EXACT = 1e-9  # how far the axes of six rows may be from those of a floating joint [rad, m]
SMALLEST = 1e-16  # the squared length of a quaternion that is not zero


class FreeJoint(NamedTuple):
    """One floating joint: where it stands, and how its first link hangs there at zero."""

    name: str
    link: int  # the first of its six links in the tree
    q: int  # the first of its seven values
    v: int  # the first of its six rates
    axes: tuple[tuple[float, ...], ...]  # (3, 3) the joint's frame, in the parent's link frame
    first: tuple[tuple[float, ...], ...]  # (3, 3) the first link's joint frame, in the joint's
    d: tuple[float, ...]  # (3,) the joint's origin, in the parent's link frame [m]


class Floating(OwnRates):
    """Floating joints beside others: q_tree = G x + q0, x zero for the six of each."""

    flat = False

    def __init__(self, linear: Linear, joints: tuple[FreeJoint, ...], q: Array | None = None):
        self.linear, self.free = linear, joints
        self.L, self.nv, self.nq = linear.L, linear.nv, linear.nv + len(joints)
        self.drifting = tuple(joint.link + k for joint in joints for k in range(6))
        # the single joints: where their values stand in q, and their rates
        poses = {joint.q + k for joint in joints for k in range(7)}
        twists = {joint.v + k for joint in joints for k in range(6)}
        self.values_of = [k for k in range(self.nq) if k not in poses]
        self.rates_of = [k for k in range(self.nv) if k not in twists]
        self.rotations = [] if q is None else [rotation(q[j.q + 3:j.q + 7]) for j in joints]

    def __reduce__(self) -> tuple[Any, ...]:
        return Floating, (self.linear, self.free)

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """What tells two maps apart."""
        return 'floating', self.linear.key, self.free

    @property
    def factors(self) -> tuple[float, ...] | None:
        """Return g with qd_tree = g qd joint by joint, None where joints mimic."""
        return self.linear.factors

    def at(self, q: Array) -> Floating:
        """Return these coordinates with the rotations at q."""
        return Floating(self.linear, self.free, q)

    def geometry(self, geometry: Geometry, q: Array) -> Geometry:
        """Return the tree's geometry with the first links hung by their poses."""
        d, offset = geometry.d.astype(q.dtype), geometry.offset.astype(q.dtype)
        turned = {}
        for joint, R in zip(self.free, self.rotations, strict=True):
            i, p = joint.link, q[joint.q:joint.q + 3]
            turned[i] = times(times(joint.axes, R), joint.first)
            d[i] = [joint.d[k] + row for k, row in enumerate(times(joint.axes, p[:, None])[:, 0])]
            offset[i] = times(turned[i].T, d[i][:, None])[:, 0]
        return posed(geometry, d, offset, turned)

    def parents(self, tree: Array) -> Array:
        """Return the parents of the user's rates."""
        return self.linear.parents(tree)

    def positions(self, q: Array) -> Array:
        """Return the tree's joint values, zero for floating joints, (..., L)."""
        return self.linear.positions(self.joint_values(q))

    def joint_values(self, q: Array) -> Array:
        """Return the value beside each rate, zero for floating joints, (..., nv)."""
        values = np.empty((*q.shape[:-1], self.nv), q.dtype)
        values[...] = 0.0
        values[..., self.rates_of] = q[..., self.values_of]
        return values

    def with_joint_values(self, q: Array, values: Array) -> Array:
        """Return q with other values of the single joints, (..., nq)."""
        changed = q.copy()
        changed[..., self.values_of] = values[..., self.rates_of]
        return changed

    def value_names(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of q's numbers."""
        found = [''] * self.nq
        for place, k in zip(self.values_of, self.rates_of, strict=True):
            found[place] = names[k]
        for joint in self.free:
            found[joint.q:joint.q + 7] = [f'{joint.name}/{x}' for x in VALUES]
        return tuple(found)

    def rates(self, q: Array, qd: Array) -> Array:
        """Return the tree's joint rates, (..., L)."""
        return self.linear.rates(q, qd)

    def accelerations(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the tree's joint accelerations, (..., L)."""
        entries = [qdd[..., k] for k in range(self.nv)]
        for joint in self.free:
            wx, wy, wz, vx, vy, vz = (qd[..., joint.v + k] for k in range(6))
            drift = (-(wy * wz), wx * wz, -(wx * wy),
                     vy * wz - vz * wy, vz * wx - vx * wz, vx * wy - vy * wx)  # v x omega
            for k, x in enumerate(drift):
                entries[joint.v + k] = entries[joint.v + k] + x
        return self.linear.accelerations(q, qd, joined(qdd, entries))

    def rate(self, q: Array, qd: Array) -> Array:
        """Return dN/dt, (L, nv)."""
        rows = np.zeros((self.nv, self.nv), qd.dtype)
        for joint in self.free:
            at = joint.v
            _, wy, wz, vx, vy, vz = (qd[at + k] for k in range(6))
            rows[at, at + 1], rows[at + 1, at], rows[at + 2, at] = -wz, wz, -wy
            rows[at + 3, at + 1], rows[at + 3, at + 2] = -vz, vy
            rows[at + 4, at], rows[at + 4, at + 2] = vz, -vx
            rows[at + 5, at], rows[at + 5, at + 1] = -vy, vx
        return self.linear.rates(q, rows.T).T

    def torques(self, q: Array, tau: Array) -> Array:
        """Return the user's torques of the tree's, (..., nv)."""
        return self.linear.torques(q, tau)

    def matrix(self, q: Array, I: Array) -> Array:
        """Return the user's matrix of the tree's, (nv, nv)."""
        return self.linear.matrix(q, I)

    def diagonal(self, values: Array) -> Array:
        """Return the diagonal of N^T diag(values) N, (nv,)."""
        return self.linear.diagonal(values)

    def tangent(self, q: Array) -> Array:
        """Return dq per motion of the tangent space, (nq, nv)."""
        T = np.zeros((self.nq, self.nv), q.dtype)
        T[self.values_of, self.rates_of] = 1.0
        for joint in self.free:
            T[joint.q:joint.q + 7, joint.v:joint.v + 6] = tangent_block(
                q[joint.q + 3:joint.q + 7])
        return T

    def velocity(self, q: Array, qd: Array) -> Array:
        """Return dq/dt, (..., nq)."""
        rate = np.empty(q.shape, q.dtype)
        rate[..., self.values_of] = qd[..., self.rates_of]
        for joint in self.free:
            parts = pose_rate([q[..., joint.q + 3 + k] for k in range(4)],
                              [qd[..., joint.v + k] for k in range(6)])
            for k, x in enumerate(parts):
                rate[..., joint.q + k] = x
        return rate

    def integrate(self, q: Array, v: Array) -> Array:
        """Return q moved by v: of a floating joint, by the exponential of its twist."""
        moved = np.empty(q.shape, q.dtype)
        moved[..., self.values_of] = q[..., self.values_of] + v[..., self.rates_of]
        for joint in self.free:
            parts = exponential([q[..., joint.q + k] for k in range(7)],
                                [v[..., joint.v + k] for k in range(6)])
            for k, x in enumerate(parts):
                moved[..., joint.q + k] = x
        return moved

    def difference(self, start: Array, end: Array) -> Array:
        """Return v with integrate(start, v) = end, the shorter way about."""
        v = np.empty((*start.shape[:-1], self.nv), start.dtype)
        v[..., self.rates_of] = end[..., self.values_of] - start[..., self.values_of]
        for joint in self.free:
            parts = logarithm(*([q[..., joint.q + k] for k in range(7)] for q in (start, end)))
            for k, x in enumerate(parts):
                v[..., joint.v + k] = x
        return v

    def guards(self, q: Array) -> Sequence[tuple[Any, Any]]:
        """Return the squared lengths of the quaternions, and what each must exceed."""
        return [(norm_squared(q[joint.q + 3:joint.q + 7]), SMALLEST) for joint in self.free]

    def check(self, q: Array, at: str) -> None:
        """Raise `InputError` where a quaternion of q, (nq,), is zero."""
        for joint in self.free:
            if not norm_squared(q[joint.q + 3:joint.q + 7]) > SMALLEST:
                raise InputError(f'q{at}: the quaternion qx qy qz qw of joint {joint.name!r} '
                                 f'(q[{joint.q + 3}] to q[{joint.q + 6}]) is zero')

    def normalised(self, q: Array) -> Array:
        """Return values with quaternions of length one, (..., nq)."""
        result = np.array(q)
        for joint in self.free:
            result[..., joint.q + 3:joint.q + 7] = unit(result[..., joint.q + 3:joint.q + 7])
        return result


def neutral(coordinates: Coordinates) -> Array:
    """Return zeros, and quaternions of no turn, (nq,)."""
    q = np.zeros(coordinates.nq)
    for joint in coordinates.free if isinstance(coordinates, Floating) else ():
        q[joint.q + 6] = 1.0
    return q


def places(coordinates: Coordinates, rates: Sequence[int]) -> tuple[int, ...] | None:
    """Return where the values of some rates stand in q; None where a pose is named in part.

    A floating joint has all its values where its six rates stand together, in their order.
    """
    if not isinstance(coordinates, Floating):
        return tuple(rates)
    found: list[int] = []
    poses = {joint.v + k: joint for joint in coordinates.free for k in range(6)}
    for at, k in enumerate(rates):
        joint = poses.get(k)
        if joint is None:
            found.append(coordinates.values_of[coordinates.rates_of.index(k)])
        elif k == joint.v and tuple(rates[at:at + 6]) == tuple(range(k, k + 6)):
            found += range(joint.q, joint.q + 7)
        elif tuple(rates[max(0, at - k + joint.v):][:6]) != tuple(range(joint.v, joint.v + 6)):
            return None
    return tuple(found)


def free_joints(rows: Sequence[DHRow], geometry: Geometry,
                names: Sequence[str]) -> tuple[FreeJoint, ...]:
    """Return the floating joints of a table; names: of the user's rates."""
    found: list[FreeJoint] = []
    for i, row in enumerate(rows):
        if row.floating is None or (found and i < found[-1].link + 6):
            continue
        frames, origins = at_zero(geometry, i)
        axes = np.column_stack([rows[i + k].sign * frames[k][:, 2] for k in range(6)])
        if (np.abs(axes[:, :3] - axes[:, 3:]).max() > EXACT or np.abs(origins[1:3]).max() > EXACT
                or np.abs(axes[:, :3] - np.cross(axes[:, (1, 2, 0)].T, axes[:, (2, 0, 1)].T).T
                          ).max() > EXACT):
            raise DescriptionError(
                f'the rows of floating joint {row.floating!r}: expected turns about three axes '
                'that are normal to each other and meet, then moves along them')
        v = names.index(str(row.name))
        A = axes[:, :3]
        found.append(FreeJoint(row.floating, i, v + len(found), v, rows_of(A),
                               rows_of(A.T @ frames[0]), tuple(geometry.d[i].tolist())))
    return tuple(found)


def at_zero(geometry: Geometry, i: int) -> tuple[list[Array], Array]:
    """Return the joint frames (3, 3) of six links from i on, and the steps between, (6, 3)."""
    R, frames, steps = np.eye(3), [], []
    for k in range(i, i + 6):
        steps.append(R @ geometry.d[k])
        gamma, alpha = (geometry.cg[k], geometry.sg[k]), (geometry.ca[k], geometry.sa[k])
        frames.append(R @ turn_by(2, *gamma) @ turn_by(0, *alpha))
        R = frames[-1] @ turn_by(2, geometry.c0[k], geometry.s0[k])
    return frames, np.array(steps)


def rows_of(A: Array) -> tuple[tuple[float, ...], ...]:
    """Return a matrix as tuples, so that it can be part of a key."""
    return tuple(tuple(float(x) + 0.0 for x in row) for row in A)


def times(A: Any, B: Any) -> Array:
    """Return A B of small matrices, in the kind of numbers of whichever is not constant."""
    B = np.asarray(B)
    return np.array([[row[0] * column[0] + row[1] * column[1] + row[2] * column[2]
                      for column in B.T] for row in A])
