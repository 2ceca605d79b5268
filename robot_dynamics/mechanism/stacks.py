"""Stacks of mechanisms: N of one structure that differ in masses and gravity, in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.inputs import states
from robot_dynamics.mechanism.mechanism import Mechanism
from robot_dynamics.mechanism.verbs import VERBS
from robot_dynamics.model.denoc import Array
from robot_dynamics.robot.stacking import stack

STACKED = ('inverse_dynamics', 'forward_dynamics', *VERBS)


class MechanismStack:
    """N mechanisms of one structure: verbs take a state for each, (N, n), or one for all, (n,).

    All are assembled alike, and their dynamics answer in one call of machine code.
    """

    def __init__(self, members: Sequence[Mechanism]):
        first = members[0]
        for i, other in enumerate(members):
            if other.model.coordinates.key != first.model.coordinates.key:
                raise InputError(f'robots[{i}]: {other.name} has other loops than {first.name}: '
                                 'mechanisms of a stack may differ in masses and gravity alone')
            if other.actuated_names != other.joint_names:
                raise InputError(f'robots[{i}]: the actuated joints of {other.name} are not '
                                 'its independent ones: such mechanisms cannot be stacked')
        self._members = tuple(members)
        self._wholes = stack([mechanism.whole for mechanism in members])

    def __len__(self) -> int:
        return len(self._members)

    def __getitem__(self, i: int) -> Mechanism:
        return self._members[i]

    @property
    def n(self) -> int:
        """Number of independent joints of each."""
        return self._members[0].n

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The independent joints of each."""
        return self._members[0].joint_names

    def assemble(self, q: Any, near: Any = None) -> Array:
        """Return the joint values of the whole trees, (N, L)."""
        (values,), batch = states({'q': self._members[0].nq}, q)
        if batch and len(values) != len(self):
            raise InputError(f'q: {len(values)} states for {len(self)} mechanisms')
        tree = self._members[0].assemble(np.ascontiguousarray(values), near)
        return np.ascontiguousarray(np.broadcast_to(tree, (len(self), tree.shape[-1])))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return a verb over the stack."""
        if name not in STACKED:
            raise AttributeError(f'{name!r}: expected one of {", ".join(STACKED)}')
        return partial(self._asked, name)

    def _asked(self, name: str, q: Any, *arguments: Any, near: Any = None, **options: Any) -> Any:
        return getattr(self._wholes, name)(self.assemble(q, near), *arguments, **options)
