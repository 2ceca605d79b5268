"""Dynamics: what a robot and a mechanism have in common, whatever their coordinates.

Simulation, nodes, identification and the command line ask for this protocol, never for a class;
where loops matter, for `ClosedDynamics`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeGuard, TypeVar, runtime_checkable

from numpy.typing import ArrayLike

from robot_dynamics.description.notes import Notes
from robot_dynamics.model.cuts import Cut
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.dh.table import DHTable
from robot_dynamics.model.looped_coordinates import LoopedCoordinates
from robot_dynamics.model.model import Limits, Model

Self = TypeVar('Self', bound='Dynamics')
External = Mapping[str, ArrayLike]  # {link: wrench [n, f] on it, at its origin, in root axes}


@runtime_checkable
class Dynamics(Protocol):
    """The equations of motion I qdd + bias + friction = tau + J^T external, over some joints.

    A contract for whoever writes another kind:
    1. It is immutable: `with_payload` and `with_gravity` give new ones.
    2. q has nq values, named by `value_names`, rates, accelerations and torques have nv, in the
       order of `joint_names`, which has nv entries; n is nv. Where each value has its own rate,
       nq = nv. `neutral` are values to begin with.
    3. Every verb takes one state, (nq,) and (nv,), or a batch, (N, nq) and (N, nv), and answers
       in kind, float64; `out` is filled where it is given. A verb may take further keywords.
    4. `model` and `dh` are those of the tree of links, which may have more joints.
    5. Wrong input is an `InputError`; where the GIM is singular, a `SingularityError` says so.
    """

    @property
    def name(self) -> str: ...
    @property
    def n(self) -> int: ...
    @property
    def nq(self) -> int: ...
    @property
    def nv(self) -> int: ...
    @property
    def joint_names(self) -> tuple[str, ...]: ...
    @property
    def value_names(self) -> tuple[str, ...]: ...
    @property
    def neutral(self) -> Array: ...
    @property
    def link_names(self) -> tuple[str, ...]: ...
    @property
    def tip_names(self) -> tuple[str, ...]: ...
    @property
    def limits(self) -> Limits: ...
    @property
    def warnings(self) -> Notes: ...
    @property
    def total_mass(self) -> float: ...
    @property
    def moving_mass(self) -> float: ...
    @property
    def model(self) -> Model: ...
    @property
    def dh(self) -> DHTable: ...

    # Equations of motion

    def inverse_dynamics(
            self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, algorithm: str = 'auto',
            external: External | None = None, out: Array | None = None) -> Array: ...

    def forward_dynamics(
            self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, algorithm: str = 'auto',
            external: External | None = None, out: Array | None = None) -> Array: ...

    def inertia_matrix(self, q: ArrayLike, *, out: Array | None = None) -> Array: ...

    def bias(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array: ...

    def gravity_torque(self, q: ArrayLike, *, out: Array | None = None) -> Array: ...

    def friction_torque(
            self, qd: ArrayLike, *, q: ArrayLike | None = None,
            out: Array | None = None) -> Array: ...

    def convective_matrix(
            self, q: ArrayLike, qd: ArrayLike, *, form: str = 'paper',
            out: Array | None = None) -> Array: ...

    def udu(self, q: ArrayLike) -> tuple[Array, Array]: ...

    # Derivatives

    def inverse_dynamics_derivatives(
            self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *,
            external: External | None = None) -> tuple[Array, Array, Array]: ...

    def forward_dynamics_derivatives(
            self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *,
            external: External | None = None) -> tuple[Array, Array, Array]: ...

    # Energy, momentum and kinematics; energies and manipulability are floats, or (N,)

    def kinetic_energy(
            self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Any: ...

    def potential_energy(self, q: ArrayLike, *, out: Array | None = None) -> Any: ...

    def center_of_mass(self, q: ArrayLike, *, out: Array | None = None) -> Array: ...

    def centroidal_momentum(
            self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array: ...

    def pose(
            self, q: ArrayLike, link: str | None = None, *, out: Array | None = None) -> Array: ...

    def jacobian(
            self, q: ArrayLike, link: str | None = None, *, out: Array | None = None) -> Array: ...

    def jacobian_rate(
            self, q: ArrayLike, qd: ArrayLike, link: str | None = None, *,
            out: Array | None = None) -> Array: ...

    def manipulability(
            self, q: ArrayLike, link: str | None = None, *, rows: str | Sequence[int] = 'linear',
            out: Array | None = None) -> Any: ...

    # Others of its kind

    def with_payload(
            self: Self, link: str, mass: float, com: ArrayLike = (0.0, 0.0, 0.0),
            inertia: ArrayLike | None = None) -> Self: ...

    def with_gravity(self: Self, gravity: ArrayLike) -> Self: ...

    def to_urdf(self) -> str: ...


class WholeDynamics(Dynamics, Protocol):
    """A mechanism over assembled values of all joints of its tree: what solvers take."""

    @property
    def space(self) -> LoopedCoordinates: ...
    @property
    def tree_limits(self) -> Limits: ...


class ClosedDynamics(Dynamics, Protocol):
    """A mechanism: dynamics over the independent joints of a tree whose loops are closed.

    A contract for whoever writes another kind, beside that of `Dynamics`:
    1. q are the values of the independent joints; torques are those of `actuated_names`.
    2. The tree has L joints, `tree_joint_names`, with values `tree_value_names`; `start` has
       values that close the loops.
    3. Nothing is remembered between calls: `near`, values of the whole tree, (L,) or (N, L), is
       where assembly begins; without it, at the start. Every verb takes it.
    """

    @property
    def tree_joint_names(self) -> tuple[str, ...]: ...
    @property
    def tree_value_names(self) -> tuple[str, ...]: ...
    @property
    def tree_limits(self) -> Limits: ...
    @property
    def actuated_names(self) -> tuple[str, ...]: ...
    @property
    def motor_limits(self) -> Array: ...
    @property
    def start(self) -> Array: ...
    @property
    def loop_names(self) -> tuple[str, ...]: ...
    @property
    def cuts(self) -> tuple[Cut, ...]: ...
    @property
    def closes_directly(self) -> bool: ...
    @property
    def whole(self) -> WholeDynamics: ...

    def assemble(self, q: ArrayLike, near: ArrayLike | None = None, *,
                 branches: bool = False) -> Array: ...

    def can_assemble(self, q: ArrayLike) -> Any: ...

    def closure_error(self, q_tree: ArrayLike) -> Array: ...

    def inverse_dynamics(
            self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, near: ArrayLike | None = None,
            algorithm: str = 'auto', external: External | None = None,
            weights: ArrayLike | None = None, out: Array | None = None) -> Array: ...

    def passive_rates(
            self, q: ArrayLike, qd: ArrayLike, *, near: ArrayLike | None = None,
            out: Array | None = None) -> Array: ...

    def passive_accelerations(
            self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, near: ArrayLike | None = None,
            out: Array | None = None) -> Array: ...

    def motor_torques(
            self, q: ArrayLike, force: ArrayLike, *, near: ArrayLike | None = None,
            weights: ArrayLike | None = None, out: Array | None = None) -> Array: ...

    def actuation_matrix(self, q: ArrayLike, *, near: ArrayLike | None = None) -> Array: ...

    def generalized_force(self, q_tree: ArrayLike, tau: ArrayLike) -> Array: ...

    def constraint_wrenches(
            self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, near: ArrayLike | None = None,
            weights: ArrayLike | None = None, external: External | None = None) -> Array: ...


def is_closed(robot: Dynamics) -> TypeGuard[ClosedDynamics]:
    """Tell whether a robot has loops."""
    return hasattr(robot, 'tree_joint_names')
