"""A robot as nodes hold it: which joints messages have, and where a mechanism stands. No ROS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from robot_dynamics.dynamics import ClosedDynamics, Dynamics, is_closed
from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.model.looped_coordinates import LoopedCoordinates
from robot_dynamics.simulation.layout import Layout

VERBS = (
    'inverse_dynamics', 'forward_dynamics', 'inertia_matrix', 'inertia_matrix_inverse', 'bias',
    'gravity_torque', 'friction_torque', 'convective_matrix', 'udu',
    'inverse_dynamics_derivatives', 'forward_dynamics_derivatives', 'kinetic_energy',
    'potential_energy', 'center_of_mass', 'centroidal_momentum', 'pose', 'jacobian',
    'jacobian_rate', 'manipulability')


class Body:
    """A robot whose joints all have values, motors and a place in messages, but a floating base.

    robot: has the verbs, over values as `layout` has them and the rates of `joint_names`;
    read_names: joints whose values messages have; all_names: those they may have; motor_names:
    joints whose efforts they have; motor_limits: of these, [N m or N]; tree_layout: that of
    all values of a mechanism, else `layout`
    """

    closed = False  # has loops

    def __init__(self, robot: Dynamics):
        self.robot, self.joint_names = robot, robot.joint_names
        self.layout = self.tree_layout = layout_of(robot)
        self.read_names = self.all_names = self.motor_names = self.layout.single_names
        self.motor_limits = robot.limits.effort[self.layout.single_rates]

    @property
    def floats(self) -> bool:
        """Whether it has a base whose pose is not in joint states."""
        return bool(self.layout.poses)

    @property
    def tree(self) -> np.ndarray | None:
        """The values of all joints where a mechanism stands, (L,); None where nobody knows."""
        return None

    def stand(self, q: np.ndarray, tree: np.ndarray | None = None) -> str:
        """Take the joint values, (n,), and those of all joints if known; return what to say."""
        return ''

    def motor_torques(self, q: np.ndarray, force: np.ndarray) -> np.ndarray:
        """Return the efforts of the motors that give torques over `joint_names`.

        What a floating base would need is left out: the ground gives it, or nobody.
        """
        return force[..., self.layout.single_rates] if self.floats else force

    def answered(self, tau: np.ndarray) -> np.ndarray:
        """Return the efforts of the motors of what inverse dynamics answered."""
        return tau[..., self.layout.single_rates] if self.floats else tau

    def swap(self, robot: Dynamics) -> None:
        """Take a robot that differs in gravity or masses alone."""
        self.robot = robot

    def forces(self, efforts: np.ndarray) -> np.ndarray:
        """Return what efforts of the motors do to `joint_names`."""
        return self.layout.rates_of(efforts, np.zeros(6))


class Near:
    """A mechanism whose verbs assemble near a pose: the values of all joints, (L,), or None."""

    near: np.ndarray | None

    def __init__(self, mechanism: ClosedDynamics):
        self._mechanism, self.near = mechanism, None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._mechanism, name)


def _near(name: str) -> Callable[..., Any]:
    def verb(self: Near, *arguments: Any, **options: Any) -> Any:
        return getattr(self._mechanism, name)(*arguments, near=self.near, **options)
    return verb


for _name in VERBS:
    setattr(Near, _name, _near(_name))


class ClosedBody(Body):
    """A mechanism and the pose where it stands, from which the next one is assembled.

    tolerance: how far measured values of all joints may leave a loop open, in metres and as the
    sine of an angle, and still tell the pose
    """

    closed = True

    def __init__(self, mechanism: ClosedDynamics, tolerance: float):
        self.mechanism, self.tolerance = mechanism, tolerance
        self.joint_names, self.layout = mechanism.joint_names, layout_of(mechanism)
        self.tree_layout = Layout(mechanism.tree_value_names)
        self.read_names = self.layout.single_names
        self.all_names = self.tree_layout.single_names
        self.motor_names, self.motor_limits = mechanism.actuated_names, mechanism.motor_limits
        self._near = Near(mechanism)
        self.robot: Dynamics = self._near
        self.open = np.nan  # how far the last values left a loop open

    @property
    def floats(self) -> bool:
        """Whether it has a base whose pose is not in joint states."""
        return bool(self.tree_layout.poses)

    @property
    def tree(self) -> np.ndarray | None:
        """The values of all joints where it stands, (L,), None before the first."""
        return self._near.near

    def stand(self, q: np.ndarray, tree: np.ndarray | None = None) -> str:
        """Take the values of the independent joints, and those of all joints if known.

        Values of all joints that leave a loop open tell nothing: passive joints are then, as
        without any, assembled from the last pose. Returns what to say; `SingularityError`,
        `InputError`: the loops cannot be closed, and the pose is as before
        """
        said = ''
        self.open = 0.0
        if tree is not None:
            self.open = loop_gap(self.mechanism, tree)
            if self.open <= self.tolerance:
                self._near.near = self.mechanism.assemble(q, near=tree)
                return ''
            said = (f'the joint values leave a loop open by {self.open:.3g} (closure_tolerance '
                    f'{self.tolerance:g}): passive joints are computed')
        try:
            self._near.near = self.mechanism.assemble(q, near=self.tree)
        except RobotDynamicsError as error:
            if self.tree is None:
                raise
            self._near.near = self.mechanism.assemble(q)
            said = f"begun anew on the branch of the file's start: {error}"
        return said

    def answered(self, tau: np.ndarray) -> np.ndarray:
        """Return the efforts of the motors of what inverse dynamics answered: these."""
        return tau

    def swap(self, robot: Dynamics) -> None:
        """Take a mechanism that differs in gravity or masses alone."""
        assert is_closed(robot)
        self.mechanism = self._near._mechanism = robot

    def motor_torques(self, q: np.ndarray, force: np.ndarray) -> np.ndarray:
        """Return the efforts of the motors that give torques over `joint_names`."""
        return self.mechanism.motor_torques(q, force, near=self.tree)

    def forces(self, efforts: np.ndarray) -> np.ndarray:
        """Return what efforts of the motors do to `joint_names`."""
        if self.motor_names == self.joint_names:
            return efforts
        return self.mechanism.generalized_force(
            self.mechanism.start if self.tree is None else self.tree, efforts)

    @property
    def condition(self) -> float:
        """The loops' condition number where it stands: large near a singularity."""
        space = cast(LoopedCoordinates, self.mechanism.model.coordinates)
        return np.nan if self.tree is None else space.condition(self.tree)


def layout_of(robot: Dynamics) -> Layout:
    """Return how the columns of a robot's q and rates belong together."""
    return Layout(getattr(robot, 'value_names', robot.joint_names))


def make_body(robot: Dynamics, tolerance: float) -> Body:
    """Return the body of a robot or of a mechanism."""
    return ClosedBody(robot, tolerance) if is_closed(robot) else Body(robot)


def loop_gap(mechanism: ClosedDynamics, tree: np.ndarray) -> float:
    """Return how far values of all joints, (L,) or (N, L), leave a loop open, at most."""
    return float(np.abs(mechanism.closure_error(np.ascontiguousarray(tree))).max(initial=0.0))


def check_closed(mechanism: ClosedDynamics, tree: np.ndarray, tolerance: float) -> None:
    """Raise `InputError` where values of all joints leave a loop open by more."""
    gap = loop_gap(mechanism, tree)
    if not gap <= tolerance:
        raise InputError(f'the joint values leave a loop open by {gap:.3g}, expected '
                         f'{tolerance:g} at most (closure_tolerance); passive joints may be left '
                         'out')
