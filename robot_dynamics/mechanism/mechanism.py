"""Mechanism: a robot whose loops are closed; its verbs are Robot's, over fewer joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from robot_dynamics.engine import Kernels
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import choice, states, store, vector
from robot_dynamics.mechanism.assembly import Assembly
from robot_dynamics.mechanism.building import Mobility
from robot_dynamics.mechanism.loops import Loops
from robot_dynamics.mechanism.whole import Whole
from robot_dynamics.model.denoc import Array, Inertials
from robot_dynamics.model.dh.table import DHTable
from robot_dynamics.model.model import Model
from robot_dynamics.robot import Robot

Self = TypeVar('Self', bound='Mechanism')


def assembled(verb: Callable) -> Callable:
    """Return a verb of Robot that assembles the mechanism first: q are independent joints.

    Where a kernel does both, it answers; the rest is for what is out of the ordinary.
    """
    name = verb.__name__

    @wraps(verb)
    def over_loops(self: Mechanism, q, *arguments, near=None, **options):
        if not options:
            if near is None:
                call = self._placed.get(name)
                result = None if call is None else call(q, *arguments, None)
            else:
                call = self._near.get(name)
                result = None if call is None else call(near, q, *arguments, None)
            if result is not None:
                return result
            if call is None:
                self._bind(name, near)
        tree = self._assembly.alone(q) if near is None else self._assembly.near(q, near)
        return verb(self, tree, *arguments, **options)
    return over_loops


@dataclass(frozen=True)
class Closed:
    """How a mechanism is closed: its loops, an assembled pose, its freedoms and motors."""

    loops: Loops
    start: Array  # (L,) joint values of the tree
    mobility: Mobility
    actuated: tuple[str, ...]
    effort: Array  # (motors,) limits of the actuated joints [N m or N]
    why: str = ''  # it has the formulation that it has

    @cached_property
    def own(self) -> bool:
        """Whether the motors are where the freedoms are."""
        return self.actuated == tuple(self.loops.names[k] for k in self.loops.independent)


class Mechanism(Robot):
    """A mechanism's dynamics: closed loops of minimum order. Immutable.

    Every function takes the values of the independent joints, q (n,) or (N, n), in the order of
    `joint_names`; torques are those of the actuated joints, which are the same ones unless the
    file says otherwise. Nothing is remembered between calls: without `near`, the branch is the
    start's; `near`, joint values of the whole tree, (L,) or (N, L), is where assembly begins.
    """

    def __init__(self, model: Model, table: DHTable, warnings: Sequence[str], closed: Closed,
                 kernels: Kernels | None = None):
        super().__init__(model, table, warnings, kernels)
        self._closed = closed

    def _with(self: Self, inertials: Inertials) -> Self:
        return type(self)(replace(self._model, inertials=inertials), self.dh, self.warnings,
                          self._closed, self._kernels.with_inertials(inertials))

    def with_payload(self: Self, link: str, mass: float, com: ArrayLike = (0.0, 0.0, 0.0),
                     inertia: ArrayLike | None = None) -> Self:
        """Return the mechanism with a mass welded to a link; see Robot.

        `InputError`: a link it does not have, values that no body can have.

        >>> round(four_bar.with_payload('rocker', 2.0).total_mass - four_bar.total_mass, 9)
        2.0
        """
        changed = super().with_payload(link, mass, com, inertia)
        changed._closed = self._closed
        return changed

    def __getstate__(self) -> dict[str, Any]:
        """Leave machine code in its process: copies and pickles find it again."""
        state = super().__getstate__()
        return {key: value for key, value in state.items()
                if key not in ('_assembly', '_placed', '_near', 'whole')}

    @property
    def _loops(self) -> Loops:
        return self._closed.loops

    @cached_property
    def _own(self) -> bool:
        """Whether the motors are where the freedoms are."""
        return self._closed.own

    @property
    def nq(self) -> int:
        """Number of joint values a user gives, which is `n`."""
        return self.n

    @cached_property
    def _assembly(self) -> Assembly:
        return Assembly(self._loops, self._closed.start, self._kernels)

    @cached_property
    def whole(self) -> Whole:
        """The same over assembled values of all joints: what solvers take."""
        return Whole(self)

    @cached_property
    def _placed(self) -> dict[str, Any]:
        """The kernels that assemble in closed form, as they become ready."""
        return self._kernels.variant(assembly='placed').__dict__

    @cached_property
    def _near(self) -> dict[str, Any]:
        """The kernels that assemble near a pose, as they become ready."""
        return self._kernels.variant(assembly='near').__dict__

    def _bind(self, name: str, near: Any) -> None:
        """Ask for the kernel that assembles and answers."""
        if name in DEFINITIONS and not DEFINITIONS[name].options and (
                near is not None or self._loops.pairs):
            self._kernels.variant(
                assembly='placed' if near is None else 'near').compiles(name)

    @property
    def tree_joint_names(self) -> tuple[str, ...]:
        """All joints of the tree that move, passive ones too; mimics follow their leaders."""
        return self._loops.names

    @property
    def actuated_names(self) -> tuple[str, ...]:
        """The joints whose torques inverse dynamics gives and forward dynamics takes."""
        return self._closed.actuated

    @property
    def motor_limits(self) -> Array:
        """The most that each actuated joint gives, (motors,) [N m or N]."""
        return self._closed.effort

    @property
    def loop_names(self) -> tuple[str, ...]:
        """The loops, in the order of `constraint_wrenches`."""
        return tuple(cut.name for cut in self._loops.cuts)

    @property
    def start(self) -> Array:
        """Joint values of the tree that close the loops, (L,): the assembly mode."""
        return self._closed.start.copy()

    @property
    def mobility(self) -> Mobility:
        """Degrees of freedom, by rank and by Gruebler's count."""
        return self._closed.mobility

    @property
    def formulation(self) -> str:
        """How passive rates follow: 'recursive projections' or 'orthogonal complement'."""
        coordinates: Any = self._model.coordinates
        return coordinates.formulation

    @property
    def formulation_reason(self) -> str:
        """Why they follow so."""
        return self._closed.why

    def assemble(self, q, near=None, *, branches: bool = False) -> Array:
        """Return the joint values of the whole tree, (L,) or (N, L).

        near: joint values of the tree from which to begin; without it the branch of the start is
            followed along the straight line of the independent values
        branches: all ways to assemble one state that are found, (B, L), the start's branch first
        `InputError`: shapes, nan; `SingularityError`: where the loops cannot be closed

        >>> four_bar.assemble([0.6]).shape
        (3,)
        """
        if branches:
            (values,), _ = states({'q': self.n}, q)
            if len(values) != 1:
                raise InputError('q: branches are found for one state at a time')
            return self._assembly.branches(values[0])
        return self._assembly.alone(q) if near is None else self._assembly.near(q, near)

    # Nothing may stand before a kernel's call: a line costs what it gains.

    def inverse_dynamics(self, q, qd, qdd, *, near=None, algorithm: str = 'auto',
                         external: Mapping[str, Any] | None = None, weights=None,
                         out=None) -> Array:
        """Return the torques of a motion, friction of passive joints included; see Robot.

        Where there are more motors than freedoms, the sum of weights tau^2 is least (weights:
        (motors,), ones by default). Freedoms without a motor need forces that nobody gives: only
        the motors' part of them is returned.
        `InputError`: shapes, nan, names; `SingularityError`: where the loops cannot be closed

        >>> four_bar.inverse_dynamics([0.6], [0.0], [0.0]).shape
        (1,)
        """
        if algorithm == 'auto' and external is None and self._own:
            try:
                tau = (self._placed['inverse_dynamics'](q, qd, qdd, out) if near is None
                       else self._near['inverse_dynamics'](near, q, qd, qdd, out))
            except KeyError:
                tau = None
                self._bind('inverse_dynamics', near)
            if tau is not None:
                return tau
        tau = super().inverse_dynamics(
            self.assemble(q, near), qd, qdd, algorithm=algorithm, external=external,
            out=out if self._own else None)
        return tau if self._own else self._distributed(tau, q, near, weights, out)

    def forward_dynamics(self, q, qd, tau, *, near=None, algorithm: str = 'auto',
                         external: Mapping[str, Any] | None = None, out=None) -> Array:
        """Return the accelerations of the independent joints under torques; see Robot.

        `InputError`: shapes, nan, names; `SingularityError`: the joint, or the loops

        >>> held = four_bar.inverse_dynamics([0.6], [0.0], [0.0])
        >>> bool(np.abs(four_bar.forward_dynamics([0.6], [0.0], held)).max() < 1e-9)
        True
        """
        if algorithm == 'auto' and external is None and self._own:
            try:
                qdd = (self._placed['forward_dynamics'](q, qd, tau, out) if near is None
                       else self._near['forward_dynamics'](near, q, qd, tau, out))
            except KeyError:
                qdd = None
                self._bind('forward_dynamics', near)
            if qdd is not None:
                return qdd
        tree = self.assemble(q, near)
        return super().forward_dynamics(
            tree, qd, tau if self._own else self._gathered(tau, tree), algorithm=algorithm,
            external=external, out=out)

    def closure_error(self, q_tree) -> Array:
        """Return how far each loop is open, a length [m] and the sine of an angle, (loops, 2).

        q_tree: joint values of the tree, (L,) or (N, L); `InputError`: shapes, nan

        >>> bool(np.abs(four_bar.closure_error(four_bar.start)).max() < 1e-9)
        True
        """
        parts = [self._kernels.variant(loop=k).evaluate('closure_error', (q_tree,))
                 for k in range(len(self._loops.cuts))]
        return np.stack(parts, axis=-2) if parts else np.zeros((0, 2))

    def passive_rates(self, q, qd, *, near=None, out=None) -> Array:
        """Return the rates of all joints of the tree, (L,) or (N, L) [rad/s or m/s].

        `InputError`: shapes, nan; `SingularityError`: where the loops do not determine them

        >>> float(four_bar.passive_rates([0.6], [1.0])[0])
        1.0
        """
        return self._kernels.evaluate('joint_rates', (self.assemble(q, near), qd), out)

    def passive_accelerations(self, q, qd, qdd, *, near=None, out=None) -> Array:
        """Return the accelerations of all joints of the tree, (L,) or (N, L).

        `InputError`: shapes, nan; `SingularityError`: where the loops do not determine them

        >>> float(four_bar.passive_accelerations([0.6], [0.0], [1.0])[0])
        1.0
        """
        return self._kernels.evaluate(
            'joint_accelerations', (self.assemble(q, near), qd, qdd), out)

    def constraint_wrenches(self, q, qd, qdd, *, near=None) -> Array:
        """Return the wrench [n, f] of each cut joint on its second link, (loops, 6).

        At the cut's origin, in root axes. Where a loop has more equations than it needs, those of
        least size are taken: no rigid body can tell. `InputError`: shapes, nan

        >>> four_bar.constraint_wrenches([0.6], [0.0], [0.0]).shape
        (1, 6)
        """
        tree = self.assemble(q, near)
        parts = [self._kernels.variant(loop=k).evaluate('constraint_wrench', (tree, qd, qdd))
                 for k in range(len(self._loops.cuts))]
        return np.stack(parts, axis=-2)

    def actuation_matrix(self, q, *, near=None) -> Array:
        """Return B (motors, n): the rates of the actuated joints per independent rate.

        `InputError`: shapes, nan

        >>> four_bar.actuation_matrix([0.6])
        array([[1.]])
        """
        N = self._kernels.evaluate('complement', (self.assemble(q, near),))
        return N[..., [self._loops.names.index(name) for name in self._closed.actuated], :]

    def motor_torques(self, q, force, *, near=None, weights=None, out=None) -> Array:
        """Return the torques of the motors that give forces over the independent joints.

        force: (n,) or (N, n), such as `gravity_torque` or `bias`; `InputError`: shapes, nan

        >>> four_bar.motor_torques([0.6], [2.0])
        array([2.])
        """
        (values, forces), batch = states({'q': self.n, 'force': self.n}, q, force)
        if self._own:
            return store(forces if batch else forces[0], out)
        return self._distributed(forces if batch else forces[0], values if batch else values[0],
                                 near, weights, out)

    def _distributed(self, force: Array, q, near, weights, out) -> Array:
        """Return what `motor_torques` does where motors are not where the freedoms are.

        B^T tau = force in the sense of least squares: the shortest where there are more motors
        than freedoms, weighted by `weights`; what freedoms without a motor would need is left.
        """
        scale = np.ones(len(self._closed.actuated)) if weights is None else 1 / np.sqrt(
            vector('weights', weights, (len(self._closed.actuated),)))
        B = self.actuation_matrix(q, near=near) * scale[:, None]
        rows = [np.linalg.lstsq(b.T, f, rcond=None)[0] for b, f in zip(
            B.reshape(-1, *B.shape[-2:]), force.reshape(-1, self.n), strict=True)]
        tau = np.array(rows).reshape(*force.shape[:-1], len(self._closed.actuated)) * scale
        return store(tau, out)

    def generalized_force(self, q_tree: Array, tau) -> Array:
        """Return B^T tau: what torques of the motors do to the independent joints.

        q_tree: assembled values of all joints, (L,) or (N, L)
        `InputError`: shapes, nan

        >>> four_bar.generalized_force(four_bar.start, [2.0])
        array([2.])
        """
        return self._gathered(tau, np.asarray(q_tree, float))

    def _gathered(self, tau, tree: Array) -> Array:
        """Return what `generalized_force` does."""
        N = self._kernels.evaluate('complement', (tree,))
        B = N[..., [self._loops.names.index(name) for name in self._closed.actuated], :]
        (torques,), batch = states({'tau': len(self._closed.actuated)}, tau)
        force = np.einsum('...mn,...m->...n', B, torques)
        return force if batch or tree.ndim == 2 else force[0]

    def reaction_wrenches(self, q, qd, qdd, *, near=None, joints: str = 'independent',
                          out=None) -> Array:
        """Return the wrench [n, f] through joints, with what the cuts carry; see Robot.

        joints: 'independent', (n, 6), or 'all' of the tree, (L, 6)
        `InputError`: shapes, nan, other joints

        >>> four_bar.reaction_wrenches([0.6], [0.0], [0.0], joints='all').shape
        (3, 6)
        """
        tree = self.assemble(q, near)
        if choice('joints', joints, ('independent', 'all')) == 'independent':
            return super().reaction_wrenches(tree, qd, qdd, out=out)
        return self._joint_frames(self.tree_joint_names).evaluate(
            'joint_reactions', (tree, qd, qdd), out)

    def friction_torque(self, qd, *, q=None, near=None, out=None) -> Array:
        """Return what overcomes the friction of all joints, seen at the independent ones.

        It depends on q, unlike that of a robot: passive joints turn at rates of their own.
        `InputError`: shapes, nan, no q

        >>> four_bar.friction_torque([1.0], q=[0.6])
        array([0.])
        """
        if q is None:
            raise InputError('q: expected joint values: passive joints turn at rates that depend '
                             'on them')
        return self._kernels.evaluate('loop_friction', (self.assemble(q, near), qd), out)

    def __repr__(self) -> str:
        return super().__repr__().replace('<Robot', '<Mechanism')


VERBS = (
    'inertia_matrix', 'inertia_matrix_inverse', 'bias', 'gravity_torque', 'udu',
    'convective_matrix', 'kinetic_energy', 'potential_energy', 'center_of_mass',
    'centroidal_momentum', 'pose', 'jacobian', 'jacobian_rate', 'manipulability',
    'inverse_dynamics_derivatives', 'forward_dynamics_derivatives', 'regressor')
for _name in VERBS:
    setattr(Mechanism, _name, assembled(getattr(Robot, _name)))
