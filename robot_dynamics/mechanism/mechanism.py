"""Mechanism: a robot whose loops are closed; its verbs are Robot's, over fewer joints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, wraps

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.inputs import states
from robot_dynamics.mechanism.assembly import Assembly
from robot_dynamics.mechanism.building import Mobility
from robot_dynamics.mechanism.loops import Loops
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.dh.table import DHTable
from robot_dynamics.model.model import Model
from robot_dynamics.robot import Robot


def assembled(verb: Callable) -> Callable:
    """Return a verb of Robot that assembles the mechanism first: q are independent joints."""
    @wraps(verb)
    def over_loops(self: Mechanism, q, *arguments, near=None, **options):
        tree = self._assembly.alone(q) if near is None else self._assembly.near(q, near)
        return verb(self, tree, *arguments, **options)
    return over_loops


class Mechanism(Robot):
    """A mechanism's dynamics: closed loops of minimum order. Immutable.

    Every function takes the values of the independent joints, q (n,) or (N, n), in the order of
    `joint_names`; torques are those of the actuated joints, which are the same ones unless the
    file says otherwise. Nothing is remembered between calls: without `near`, the branch is the
    start's; `near`, joint values of the whole tree, (L,) or (N, L), is where assembly begins.
    """

    def __init__(self, model: Model, table: DHTable, warnings: Sequence[str], loops: Loops,
                 start: Array, mobility: Mobility, actuated: Sequence[str]):
        super().__init__(model, table, warnings)
        self._loops, self._start, self._mobility = loops, start, mobility
        self._actuated = tuple(actuated)

    @cached_property
    def _assembly(self) -> Assembly:
        return Assembly(self._loops, self._start, self._kernels)

    @property
    def tree_joint_names(self) -> tuple[str, ...]:
        """All joints of the tree that move, passive ones too; mimics follow their leaders."""
        return self._loops.names

    @property
    def actuated_names(self) -> tuple[str, ...]:
        """The joints whose torques inverse dynamics gives and forward dynamics takes."""
        return self._actuated

    @property
    def loop_names(self) -> tuple[str, ...]:
        """The loops, in the order of `constraint_wrenches`."""
        return tuple(cut.name for cut in self._loops.cuts)

    @property
    def start(self) -> Array:
        """Joint values of the tree that close the loops, (L,): the assembly mode."""
        return self._start.copy()

    @property
    def mobility(self) -> Mobility:
        """Degrees of freedom, by rank and by Gruebler's count."""
        return self._mobility

    def assemble(self, q, near=None, *, branches: bool = False) -> Array:
        """Return the joint values of the whole tree, (L,) or (N, L).

        near: joint values of the tree from which to begin; without it the branch of the start is
            followed along the straight line of the independent values
        branches: all ways to assemble one state that are found, (B, L), the start's branch first
        """
        if branches:
            (values,), _ = states({'q': self.n}, q)
            if len(values) != 1:
                raise InputError('q: branches are found for one state at a time')
            return self._assembly.branches(values[0])
        return self._assembly.alone(q) if near is None else self._assembly.near(q, near)

    def closure_error(self, q_tree) -> Array:
        """Return how far each loop is open, a length [m] and the sine of an angle, (loops, 2)."""
        parts = [self._kernels.variant(loop=k).evaluate('closure_error', (q_tree,))
                 for k in range(len(self._loops.cuts))]
        return np.stack(parts, axis=-2) if parts else np.zeros((0, 2))

    def passive_rates(self, q, qd, *, near=None, out=None) -> Array:
        """Return the rates of all joints of the tree, (L,) or (N, L)."""
        return self._kernels.evaluate('joint_rates', (self.assemble(q, near), qd), out)

    def passive_accelerations(self, q, qd, qdd, *, near=None, out=None) -> Array:
        """Return the accelerations of all joints of the tree, (L,) or (N, L)."""
        return self._kernels.evaluate(
            'joint_accelerations', (self.assemble(q, near), qd, qdd), out)

    def constraint_wrenches(self, q, qd, qdd, *, near=None) -> Array:
        """Return the wrench [n, f] of each cut joint on its second link, (loops, 6).

        At the cut's origin, in root axes. Where a loop has more equations than it needs, those of
        least size are taken: no rigid body can tell.
        """
        tree = self.assemble(q, near)
        parts = [self._kernels.variant(loop=k).evaluate('constraint_wrench', (tree, qd, qdd))
                 for k in range(len(self._loops.cuts))]
        return np.stack(parts, axis=-2)

    def friction_torque(self, q, qd, *, near=None, out=None) -> Array:  # type: ignore[override]
        """Return what overcomes the friction of all joints, seen at the independent ones.

        It depends on q, unlike that of a robot: passive joints turn at rates of their own.
        """
        return self._kernels.evaluate('loop_friction', (self.assemble(q, near), qd), out)

    def __repr__(self) -> str:
        return super().__repr__().replace('<Robot', '<Mechanism')


VERBS = (
    'inverse_dynamics', 'forward_dynamics', 'inertia_matrix', 'inertia_matrix_inverse', 'bias',
    'gravity_torque', 'udu', 'convective_matrix', 'kinetic_energy', 'potential_energy',
    'center_of_mass', 'centroidal_momentum', 'pose', 'jacobian', 'jacobian_rate',
    'manipulability', 'inverse_dynamics_derivatives', 'forward_dynamics_derivatives', 'regressor')
for _name in VERBS:
    setattr(Mechanism, _name, assembled(getattr(Robot, _name)))
