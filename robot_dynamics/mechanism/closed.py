"""Closed: a robot whose loops are closed: its freedoms and motors, and how it is assembled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from robot_dynamics.description.mechanism.records import MechanismRecord
from robot_dynamics.dynamics import External
from robot_dynamics.engine import Kernels
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.inputs import states
from robot_dynamics.mechanism.assembly import Assembly
from robot_dynamics.mechanism.building import Mobility
from robot_dynamics.mechanism.formulation import projected
from robot_dynamics.mechanism.looped import Looped
from robot_dynamics.mechanism.loops import Loops
from robot_dynamics.mechanism.whole import Whole
from robot_dynamics.model.cuts import Cut
from robot_dynamics.model.denoc import Array, Inertials
from robot_dynamics.model.dh.table import DHTable
from robot_dynamics.model.model import Limits, Model
from robot_dynamics.robot import Robot

Self = TypeVar('Self', bound='ClosedRobot')


@dataclass(frozen=True)
class Closed:
    """How a mechanism is closed: its loops, an assembled pose, its freedoms and motors."""

    loops: Loops
    start: Array  # (L,) joint values of the tree
    mobility: Mobility
    actuated: tuple[str, ...]
    limits: Limits  # of all joints of the tree, (L,) each
    why: str  # it has the formulation that it has
    record: MechanismRecord  # what the file says
    tree: Model  # of the open tree

    @cached_property
    def own(self) -> bool:
        """Whether the motors are where the freedoms are."""
        return self.actuated == tuple(self.loops.names[k] for k in self.loops.independent)


class ClosedRobot(Robot):
    """A tree with its loops closed: names, freedoms, motors, assembly."""

    def __init__(self, model: Model, table: DHTable, warnings: Sequence[str], closed: Closed,
                 kernels: Kernels | None = None):
        super().__init__(model, table, warnings, kernels)
        self._closed = closed

    def _forget(self) -> None:
        """Begin without kernels; those of `_placed` and `_near` stand here, quicker to find."""
        super()._forget()
        self._ready_placed: dict[str, Any] = {}
        self._ready_near: dict[str, Any] = {}

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

    @cached_property
    def _by_projections(self) -> Robot:
        """The same with passive rates by SahaSchiehlen2001, itself where there are no legs."""
        coordinates = projected(self._loops, self._closed.start)
        if coordinates is None or self.formulation == coordinates.formulation:
            return self
        return type(self)(replace(self.model, coordinates=coordinates), self.dh, self.warnings,
                          self._closed)

    def _first_loaded(self, name: str, algorithm: str, state: tuple[ArrayLike, ...],
                      external: External, out: Any) -> Any:
        """Return a verb by a named algorithm: 'denoc' is the paper's where its structure is."""
        if algorithm == 'denoc' and self._by_projections is not self:
            return self._by_projections._loaded(name, algorithm, state, external, out)
        return super()._first_loaded(name, algorithm, state, external, out)

    def __getstate__(self) -> dict[str, Any]:
        """Leave machine code in its process: copies and pickles find it again."""
        state = {**super().__getstate__(), '_ready_placed': {}, '_ready_near': {}}
        return {key: value for key, value in state.items()
                if key not in ('_assembly', '_placed', '_near', 'whole', '_by_projections')}

    @property
    def _loops(self) -> Loops:
        return self._closed.loops

    @cached_property
    def _own(self) -> bool:
        """Whether the motors are where the freedoms are."""
        return self._closed.own

    @property
    def nq(self) -> int:
        """Number of joint values a user gives: `n`, and one more where the base is among them."""
        return len(self._loops.values)

    @property
    def value_names(self) -> tuple[str, ...]:
        """The names of the numbers in q, of the independent joints."""
        names = self.tree_value_names
        return tuple(names[k] for k in self._loops.values)

    @property
    def tree_value_names(self) -> tuple[str, ...]:
        """The names of the numbers in the whole tree's q: those of `near` and `assemble`."""
        return self._loops.tree.value_names(self._loops.names)

    @property
    def neutral(self) -> Array:
        """Joint values to begin with, (nq,): those of the start."""
        return self._closed.start[list(self._loops.values)]

    @cached_property
    def _assembly(self) -> Assembly:
        return Assembly(self._loops, self._closed.start, self._kernels)

    @cached_property
    def whole(self) -> Whole:
        """The same over assembled values of all joints: what solvers take."""
        return Whole(self, self._loops, self.tree_limits)

    @cached_property
    def _placed(self) -> dict[str, Any]:
        """The kernels that assemble on the start's branch, as they become ready."""
        return self._kernels.variant(assembly='placed').__dict__

    @cached_property
    def _near(self) -> dict[str, Any]:
        """The kernels that assemble near a pose, as they become ready."""
        return self._kernels.variant(assembly='near').__dict__

    def _bind(self, name: str, near: Any) -> None:
        """Ask for the kernel that assembles and answers."""
        if name in DEFINITIONS and not DEFINITIONS[name].options and (
                near is not None or self._loops.places):
            self._kernels.variant(
                assembly='placed' if near is None else 'near').compiles(name)
        if self._own:
            self._ready_placed, self._ready_near = self._placed, self._near

    def _in_one(self, name: str, near: Any, arguments: tuple[Any, ...],
                out: Array | None = None) -> Any:
        """Return a verb over a large batch by the kernel that assembles too, None: not so.

        States that it cannot assemble, nan in its results, go the way of such single calls.
        """
        kernels = self._kernels.variant(assembly='placed' if near is None else 'near')
        if getattr(arguments[0], 'ndim', 0) != 2 or isinstance(out, (tuple, list)):
            return None
        try:
            found = kernels.attempt(name, arguments if near is None else (near, *arguments))
            if found is None:
                return None
            states, rows, well = found
            lost = np.isnan(rows).any(axis=1) if not well else np.zeros(len(rows), bool)
            if not well:
                again = kernels.attempt(name, tuple(x[~lost] for x in states))
                if not lost.any() or again is None or not again[2]:
                    return None
                part = [x[lost] for x in states]
                close_to, (q, *rest) = (None, part) if near is None else (part[0], part[1:])
                mended = self._kernels.evaluate(name, (self.assemble(q, close_to), *rest))
                rows[lost] = np.hstack([x.reshape(len(q), -1) for x in (
                    mended if isinstance(mended, tuple) else (mended,))])
            return kernels.answer(name, rows, out)
        except RobotDynamicsError:  # said for the whole batch, which knows the state's number
            return None

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
        names = self.tree_joint_names
        return self._closed.limits.effort[[names.index(x) for x in self._closed.actuated]]

    @property
    def tree_limits(self) -> Limits:
        """Limits of all joints of the tree, (L,) each; infinite where there is none."""
        return self._closed.limits

    @property
    def loop_names(self) -> tuple[str, ...]:
        """The loops, in the order of `constraint_wrenches`."""
        return tuple(cut.name for cut in self._loops.cuts)

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """The cut joints of the loops, with their frames on the bodies that they join."""
        return self._loops.cuts

    @property
    def start(self) -> Array:
        """Joint values of the tree that close the loops, (L,): the assembly mode."""
        return self._closed.start.copy()

    @property
    def mobility(self) -> Mobility:
        """Degrees of freedom, by rank and by Gruebler's count."""
        return self._closed.mobility

    @property
    def tree(self) -> Robot:
        """The open tree: the same links without the loops, over all joints."""
        return Robot(replace(self._closed.tree, inertials=self.inertials), self.dh, self.warnings)

    @property
    def formulation(self) -> str:
        """How passive rates follow: 'recursive projections' or 'orthogonal complement'."""
        coordinates = self._model.coordinates
        assert isinstance(coordinates, Looped)
        return coordinates.formulation

    @property
    def formulation_reason(self) -> str:
        """Why they follow so."""
        return self._closed.why

    def assemble(self, q: ArrayLike, near: ArrayLike | None = None, *,
                 branches: bool = False) -> Array:
        """Return the joint values of the whole tree, (L,) or (N, L).

        near: joint values of the tree from which to begin; without it the branch of the start is
            followed along the straight line of the independent values
        branches: all ways to assemble one state that are found, (B, L), the start's branch first
        `InputError`: shapes, nan; `SingularityError`: where the loops cannot be closed

        >>> four_bar.assemble([0.6]).shape
        (3,)
        """
        if branches:
            (values,), _ = states({'q': self.nq}, q)
            if len(values) != 1:
                raise InputError('q: branches are found for one state at a time')
            return self._assembly.branches(values[0])
        return self._assembly.alone(q) if near is None else self._assembly.near(q, near)

    @property
    def closes_directly(self) -> bool:
        """Whether its loops close in closed form, by pairs of joints."""
        return bool(self._loops.pairs)

    def can_assemble(self, q: ArrayLike) -> Any:
        """Tell whether the loops close at joint values, on the branch of the start.

        q: (nq,) or (N, nq); returns a bool or (N,). `InputError`: shapes, nan

        >>> four_bar.can_assemble([[0.6], [1.2]])
        array([ True,  True])
        """
        (values,), batch = states({'q': self.nq}, q)
        found = self._assembly.possible(values)
        return found if batch else bool(found[0])

    def closure_error(self, q_tree: ArrayLike) -> Array:
        """Return how far each loop is open, a length [m] and the sine of an angle, (loops, 2).

        q_tree: joint values of the tree, (L,) or (N, L); `InputError`: shapes, nan

        >>> bool(np.abs(four_bar.closure_error(four_bar.start)).max() < 1e-9)
        True
        """
        gaps: Array = self._kernels.evaluate('closure_error', (q_tree,))
        return gaps

    def __repr__(self) -> str:
        return super().__repr__().replace('<Robot', '<Mechanism')
