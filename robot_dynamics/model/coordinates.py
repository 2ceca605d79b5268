"""Coordinates: what lies between the user's joint values and those of the tree.

Algorithms know one value per link of the tree. Users hold other coordinates q, with rates in a
tangent space of their own: fewer (mimic joints) or others. With N(q) the tree's rates per rate of
the user, qd_tree = N qd, the user's torques are N^T tau_tree and the user's matrix is
N^T I_tree N: virtual work is the same in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from robot_dynamics.model.denoc import Array, Geometry


class Coordinates(Protocol):
    """The contract of a kind of coordinates.

    1. Sizes are `nq` (values), `nv` (rates, torques) and `L` (joints of the tree).
    2. `at(q)` gives coordinates of the same kind that stand at q: what they need of q is computed
       once. What depends on q is asked of them alone, with the same q. `geometry` is the tree's
       geometry there, where the tree's constants depend on q.
    3. `positions`, `rates` and `accelerations` give the tree's from the user's, (..., L).
    4. `torques` and `matrix` give the user's from the tree's: N^T tau, (..., nv), and N^T I N;
       `diagonal` gives the diagonal of N^T diag(values) N, (nv,), from that of the tree, (L,).
    5. `rate` is dN/dt, (L, nv): accelerations(q, qd, qdd) is N qdd + rate(q, qd) qd. `drifting`
       has the tree's joints in whose rows it is not zero; without any, N is constant.
    6. `factors` are g, one for each joint, where qd_tree = g qd joint by joint (the tree's O(n)
       solutions are then the user's), else None: solutions go through N^T I N. Joints that drift
       cannot be held where there are factors.
    7. `parents` gives the parents of the user's rates, (nv,), from those of the tree's joints:
       entry (i, j) of N^T I N is zero unless one of i, j is the other's ancestor, or itself, and
       parents stand before their children. arange(-1, nv - 1) is always right.
    8. `tangent` is dq per motion of the tangent space, (nq, nv). It is the identity where `flat`
       is true; values then move by addition, and derivatives are taken by the values themselves.
    9. `integrate` moves values by a tangent vector (rates times a time); `difference` is its
       inverse: integrate(a, difference(a, b)) is b.
    10. All but `parents`, `check` and `value_names` work on the last axis, over numbers of any
        kind (floats, complex numbers, symbols), so that they are traced like the algorithms: no
        branch on a value, no assignment into arrays of another kind. Matrices are those of one
        state.
    11. Friction is that of `joints` joints, whose rates `joint_rates` gives; `joint_torques` takes
        their torques back, `own` picks what belongs to the user's rates. `following` has those of
        them that others move: their dry friction is smooth in motion too.
    12. `guards` are pairs (a, b) with a > b for the map to hold at q, of what was asked of it so
        far; `check` says what is wrong where they do not. `normalised` gives the same state in
        the values that solvers keep (unit quaternions, closed loops), `restored` one pass of it
        from near by, with pairs as above that tell whether one was enough.
    13. `velocity` is dq/dt = tangent(q) qd, (..., nq). `joint_values` has the value of every rate
        that is one's of its own, beside its limits, 0 for the others, (..., nv);
        `with_joint_values` puts such values back into q. `value_names` are the names of q's
        numbers from those of the rates.
    14. `key` tells two maps apart in caches: equal keys, equal maps.
    15. `inner`, of those that stand at q, are coordinates of the same values over other rates, in
        which forward dynamics takes fewer operations; None: there are none. `trunk` has the
        numbers of the joints whose rates these are.
    """

    nq: int
    nv: int
    L: int
    flat: bool
    drifting: tuple[int, ...]
    following: tuple[int, ...]

    @property
    def trunk(self) -> tuple[int, ...]:
        """The joints of the inner coordinates; (): there are none."""

    @property
    def inner(self) -> Any:
        """Coordinates in which forward dynamics is solved, None: these."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells two maps apart."""

    @property
    def factors(self) -> Any:
        """Return g with qd_tree = g qd joint by joint, None where there is no such g."""

    def at(self, q: Array) -> Coordinates:
        """Return these coordinates, standing at q."""

    def geometry(self, geometry: Geometry, q: Array) -> Geometry:
        """Return the tree's geometry at q."""

    def parents(self, tree: Array) -> Array:
        """Return the parents of the user's rates, (nv,)."""

    def positions(self, q: Array) -> Array:
        """Return the tree's joint values, (..., L)."""

    def rates(self, q: Array, qd: Array) -> Array:
        """Return the tree's joint rates, (..., L)."""

    def accelerations(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the tree's joint accelerations, (..., L)."""

    def torques(self, q: Array, tau: Array) -> Array:
        """Return the user's torques of the tree's, (..., nv)."""

    def matrix(self, q: Array, I: Array) -> Array:
        """Return the user's matrix of the tree's (L, L), (nv, nv)."""

    def diagonal(self, values: Array) -> Array:
        """Return the diagonal of N^T diag(values) N, (nv,)."""

    def rate(self, q: Array, qd: Array) -> Array:
        """Return dN/dt, (L, nv)."""

    @property
    def joints(self) -> int:
        """Number of joints that may rub."""

    def joint_rates(self, q: Array | None, qd: Array) -> Array:
        """Return the rates of the joints that may rub, (joints,)."""

    def joint_torques(self, q: Array | None, tau: Array) -> Array:
        """Return the user's torques of theirs, (nv,)."""

    def own(self, values: Array) -> Array:
        """Return what belongs to the user's rates, (nv,), of values of joints that may rub."""

    def guards(self, q: Array) -> Sequence[tuple[Any, Any]]:
        """Return what must hold at q, (nq,): pairs (a, b) with a > b."""

    def check(self, q: Array, at: str) -> None:
        """Raise the error that says what does not hold; at: which state it is, for people."""

    def tangent(self, q: Array) -> Array:
        """Return dq per motion of the tangent space, (nq, nv)."""

    def integrate(self, q: Array, v: Array) -> Array:
        """Return the values after a motion v of the tangent space, (..., nq)."""

    def difference(self, start: Array, end: Array) -> Array:
        """Return the motion v that leads from one to the other, (..., nv)."""

    def velocity(self, q: Array, qd: Array) -> Array:
        """Return dq/dt, (..., nq)."""

    def joint_values(self, q: Array) -> Array:
        """Return the value beside each rate, 0 where it has none of its own, (..., nv)."""

    def with_joint_values(self, q: Array, values: Array) -> Array:
        """Return q with other joint values, (..., nq)."""

    def value_names(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of q's numbers, (nq,), from those of the rates, (nv,)."""

    def normalised(self, q: Array) -> Array:
        """Return the same states in the values that solvers keep, (..., nq)."""

    def restored(self, q: Array) -> tuple[Array, Sequence[tuple[Any, Any]]]:
        """Return the values (nq,) after one pass of `normalised`, and when that is enough."""


class OwnRates:
    """Kinds that hold everywhere, whose every rate is that of a joint with its own friction."""

    nv: int
    following: tuple[int, ...] = ()
    inner, trunk = None, ()

    @property
    def joints(self) -> int:
        """Number of joints that may rub."""
        return self.nv

    def joint_rates(self, q: Array | None, qd: Array) -> Array:
        """Return the rates."""
        return qd

    def joint_torques(self, q: Array | None, tau: Array) -> Array:
        """Return the torques."""
        return tau

    def own(self, values: Array) -> Array:
        """Return the values: every joint's rate is the user's."""
        return values

    def guards(self, q: Array) -> Sequence[tuple[Any, Any]]:
        """Return nothing: they hold everywhere."""
        return ()

    def check(self, q: Array, at: str) -> None:
        """Find nothing wrong."""

    def normalised(self, q: Array) -> Array:
        """Return q."""
        return q

    def restored(self, q: Array) -> tuple[Array, Sequence[tuple[Any, Any]]]:
        """Return normalised values: one pass is always enough."""
        return self.normalised(q), ()


def joined(example: Array, entries: list[Any]) -> Array:
    """Return entries as the last axis of an array of the example's kind, (..., len(entries))."""
    lead = example.shape[:-1]
    result = np.empty((*lead, len(entries)), example.dtype)
    for k, entry in enumerate(entries):
        result[..., k] = entry
    return result


def identity(n: int, kind: Any) -> Array:
    """Return the identity, (n, n), in numbers of a kind."""
    one = np.zeros((n, n), kind)
    for k in range(n):
        one[k, k] = 1.0
    return one
