"""What feet are asked to do: contact forces of a standing robot, beside what ground can give.

A foot is a loop to the world; the normal of the ground is z of the loop's frame there. The ground
pushes and does not pull, and holds sideways up to its friction times that push. Nothing here finds
contacts: which feet stand is what the mechanism says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.inputs import choice, number
from robot_dynamics.model.denoc import Array

Friction = float | Mapping[str, float]  # of all contacts, or by their names

ROUNDING = 1e-9  # part of the largest contact force below which one counts as none


@dataclass(frozen=True)
class Contacts:
    """Contact forces of one state, or of N: every array then has a leading axis.

    A robot stands as asked where `ok`; `reasons` says what is in the way, in sentences.
    """

    names: tuple[str, ...]  # loops to the world
    wrenches: Array  # (K, 6) [n, f] on the robot at each contact, in root axes [N m, N]
    normals: Array  # (K, 3) away from the ground, unit vectors in root axes
    friction: Array  # (K,) coefficients
    torques: Array  # (motors,) that go with them
    missing: Array  # (n,) forces over the freedoms that no motor and no foot gives

    @property
    def normal(self) -> Array:
        """How hard the ground pushes, (K,) [N]; negative where it would have to pull."""
        push: Array = np.einsum('...kj,kj->...k', self.wrenches[..., 3:], self.normals)
        return push

    @property
    def tangential(self) -> Array:
        """How hard it holds sideways, (K,) [N]."""
        along = self.wrenches[..., 3:] - self.normal[..., None] * self.normals
        sideways: Array = np.linalg.norm(along, axis=-1)
        return sideways

    @property
    def _least(self) -> Array:
        """What counts as no force, (1,) or (N, 1) [N]."""
        least: Array = ROUNDING * np.linalg.norm(self.wrenches[..., 3:], axis=-1).max(
            axis=-1, initial=0.0, keepdims=True)
        return least

    @property
    def pulls(self) -> Array:
        """Where the ground would have to pull, (K,) of bool."""
        return self.normal < -self._least

    @property
    def slips(self) -> Array:
        """Where friction does not hold, (K,) of bool; those that pull are left out."""
        return ~self.pulls & (self.tangential > self.friction * self.normal + self._least)

    @property
    def lacks(self) -> Any:
        """Whether motors and feet cannot give the motion, whatever the ground is; bool or (N,)."""
        most = np.abs(self.torques).max(axis=-1, initial=0.0)
        return np.abs(self.missing).max(axis=-1, initial=0.0) > 1e-6 * np.maximum(most, 1.0)

    @property
    def ok(self) -> Any:
        """Whether all feet can push as they are asked to; bool, or (N,) of bool."""
        good = ~((self.pulls | self.slips).any(axis=-1) | self.lacks)
        return bool(good) if good.ndim == 0 else good

    @property
    def reasons(self) -> tuple[str, ...]:
        """What is in the way, a sentence each."""
        if self.wrenches.ndim == 3:
            return tuple(f'state {i}: {sentence}' for i in range(len(self.wrenches))
                         for sentence in self[i].reasons)
        said = []
        for k, name in enumerate(self.names):
            push, side = self.normal[k], self.tangential[k]
            if self.pulls[k]:
                said.append(f'{name} would have to pull: normal force {push:.4g} N')
            elif self.slips[k]:
                said.append(f'{name} slips: {side:.4g} N sideways, {push:.4g} N normal, friction '
                            f'{self.friction[k]:g} holds {self.friction[k] * push:.4g} N')
        if self.lacks:
            said.append('no motor and no foot gives '
                        f'{np.abs(self.missing).max():.4g} N or N m over the freedoms')
        return tuple(said)

    def __getitem__(self, i: int) -> Contacts:
        """Return state i of N."""
        if self.wrenches.ndim != 3:
            raise InputError('these contacts are of one state')
        return Contacts(self.names, self.wrenches[i], self.normals, self.friction,
                        self.torques[i], self.missing[i])

    def __str__(self) -> str:
        if self.wrenches.ndim == 3:
            return f'<Contacts of {len(self.wrenches)} states: {int(np.sum(self.ok))} stand>'
        rows = [f'{name:20s} {push:12.4g} {side:12.4g} {most:10.4g}' for name, push, side, most in
                zip(self.names, self.normal, self.tangential, self.friction * self.normal,
                    strict=True)]
        return '\n'.join([f'{"contact":20s} {"normal [N]":>12s} {"sideways [N]":>12s} '
                          f'{"at most":>10s}', *rows, *self.reasons])


def coefficients(friction: Friction | None, names: Sequence[str], known: Mapping[str, float]
                 ) -> Array:
    """Return the friction of each contact, (K,): an argument's, else the file's.

    friction: a number, {contact: number}, or None
    """
    given: dict[str, Any] = dict(known)
    if isinstance(friction, Mapping):
        for name in friction:
            choice('friction', name, names)
        given.update(friction)
    elif friction is not None:
        given = dict.fromkeys(names, friction)
    missing = [name for name in names if name not in given]
    if missing:
        raise InputError(f'friction: is not given for {", ".join(missing)}: expected a number, '
                         '{contact: number}, or `contact: {friction: ...}` in the file')
    found = np.array([number(f'friction[{name!r}]', given[name]) for name in names])
    if (found < 0).any():
        raise InputError(f'friction={found.min():g}: expected zero or more')
    return found
