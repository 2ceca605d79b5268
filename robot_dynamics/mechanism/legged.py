"""Legged: the coordinates of a parallel structure, by the projections of SahaSchiehlen2001.

They are those of `Looped`, which assembles and closes them; rates, accelerations and torques of
passive joints come from the legs, one after the other, instead of from the rows of closure.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from robot_dynamics.algorithms.parallel_legs import Legs
from robot_dynamics.errors import SingularityError
from robot_dynamics.mechanism.looped import Looped, LoopedAt
from robot_dynamics.mechanism.loops import Loops
from robot_dynamics.mechanism.structure import Structure, make_legs
from robot_dynamics.model.coordinates import joined
from robot_dynamics.model.cuts import Cut
from robot_dynamics.model.denoc import Array, Geometry


class Legged(Looped):
    """Coordinates of a parallel structure; the contract is that of `Coordinates`."""

    formulation = 'recursive projections'

    def __init__(self, loops: Loops, structure: Structure):
        super().__init__(loops)
        self.structure = structure
        self.key = ('legged', *self.key[1:], structure)

    def over_constants(self, geometry: Geometry, cuts: tuple[Cut, ...]) -> Legged:
        """Return these coordinates: the legs have numbers of their own."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return make_legged, (self.loops.parts(), self.structure)

    def at(self, q: Array) -> LeggedAt:
        """Return these coordinates, standing at q."""
        return LeggedAt(self, q)

    def check(self, q: Array, at: str) -> None:
        """Raise `SingularityError` where independent joints do not determine the others."""
        super().check(q, at)
        if not all(a > b for a, b in make_legs(self.structure, self.loops, q).guards):
            known = ', '.join(self.loops.names[k] for k in self.loops.independent)
            do = 'does' if len(self.loops.independent) == 1 else 'do'
            raise SingularityError(f'the legs are singular{at}: {known} {do} not determine how '
                                   'the end effector moves there')


class LeggedAt(LoopedAt):
    """Legged coordinates that stand at q: the legs are projected once."""

    structure: Structure

    @cached_property
    def legs(self) -> Legs:
        """Return the legs at q."""
        return make_legs(self.structure, self.loops, self.q)

    def guards(self, q: Array) -> Sequence[tuple[Any, Any]]:
        """Return what must hold for the passive joints to follow, where that was asked."""
        own = self.legs.guards if 'legs' in self.__dict__ else []
        return [*own, *super().guards(q)]

    def joint_rates(self, q: Array | None, qd: Array) -> Array:
        """Return the tree's own rates, (joints,)."""
        if 'N' in self.__dict__:
            return super().joint_rates(q, qd)
        return self.spread(qd, self.legs.follow(qd))

    def joint_accelerations(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the accelerations of the tree's own coordinates, (joints,)."""
        return self.spread(qdd, self.legs.follow(qdd, self.legs.drifts(qd)))

    def joint_torques(self, q: Array | None, tau: Array) -> Array:
        """Return N^T tau of torques over the tree's own rates, (nv,)."""
        if 'N' in self.__dict__:
            return super().joint_torques(q, tau)
        own = [[tau[self.structure.joints[i]] for i in leg.links] for leg in self.structure.legs]
        return joined(tau, self.legs.gather([
            [*taus, *[0.0] * (len(leg.e) - len(taus))]  # cut joints have no torque
            for taus, leg in zip(own, self.legs.legs, strict=True)]))

    def spread(self, example: Array, rates: Sequence[Sequence[Any]]) -> Array:
        """Return values of the legs' joints in the order of the tree's own, (joints,)."""
        entries: list[Any] = [0.0] * self.joints
        for leg, own in zip(self.structure.legs, rates, strict=True):
            for i, rate in zip(leg.links, own[:len(leg.links)], strict=True):
                entries[self.structure.joints[i]] = rate
        return joined(example, entries)


def make_legged(parts: tuple[Any, ...], structure: Structure) -> Legged:
    """Make legged coordinates again of what `Legged` kept."""
    return Legged(Loops(*parts), structure)
