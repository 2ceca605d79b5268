"""Stacks of mechanisms: N of one structure that differ in masses and gravity, in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.inputs import mapping, states, wrenches
from robot_dynamics.mechanism.mechanism import Mechanism
from robot_dynamics.mechanism.verbs import VERBS
from robot_dynamics.model.denoc import Array
from robot_dynamics.robot.stacking import stack

STACKED = ('inverse_dynamics', 'forward_dynamics', 'reaction_wrenches', *VERBS)
OVER_TREE = {'passive_rates': 'joint_rates', 'passive_accelerations': 'joint_accelerations'}
ASKED = ('assemble', 'constraint_wrenches', 'friction_torque', *STACKED, *OVER_TREE)


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
        tree = self._members[0].assemble(values if batch else values[0], near)
        if tree.ndim == 2 and len(tree) != len(self):
            raise InputError(f'near: {len(tree)} states for {len(self)} mechanisms')
        return np.ascontiguousarray(np.broadcast_to(tree, (len(self), tree.shape[-1])))

    def constraint_wrenches(self, q: Any, qd: Any, qdd: Any, *, near: Any = None,
                            external: Any = None) -> Array:
        """Return the wrench [n, f] of each cut joint on its second link, (N, loops, 6)."""
        tree, pulls = self.assemble(q, near), mapping('external', external)
        kernels = self._wholes._variant('auto', pulls)
        none = np.zeros(len(self._members[0].tree_joint_names))  # dependent joints have no motor
        found: Array = kernels.evaluate('constraint_wrenches', (
            tree, qd, qdd, none, *wrenches('external', pulls)))
        return found

    def friction_torque(self, qd: Any, *, q: Any, near: Any = None) -> Array:
        """Return what overcomes the friction of all joints, at the independent ones, (N, n)."""
        tau: Array = self._wholes.kernels.evaluate('loop_friction', (self.assemble(q, near), qd))
        return tau

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return a verb over the stack."""
        if name in OVER_TREE:
            return partial(self._over_tree, OVER_TREE[name])
        if name not in STACKED:
            raise AttributeError(
                f'{name!r}: stacks of mechanisms have {", ".join(ASKED)}; ask stack[i].{name}'
                if hasattr(Mechanism, name) else f'{name!r}: expected one of {", ".join(ASKED)}')
        return partial(self._asked, name)

    def _asked(self, name: str, q: Any, *arguments: Any, near: Any = None, **options: Any) -> Any:
        return getattr(self._wholes, name)(self.assemble(q, near), *arguments, **options)

    def _over_tree(self, name: str, q: Any, *arguments: Any, near: Any = None) -> Any:
        return self._wholes.kernels.evaluate(name, (self.assemble(q, near), *arguments))
