"""Makes stacks of robots that are there, and of one robot many times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from robot_dynamics.engine.stacks.columns import Columns
from robot_dynamics.engine.stacks.kernels import StackKernels, geometry_columns, stack_spec
from robot_dynamics.errors import InputError
from robot_dynamics.model.denoc import Array, frozen
from robot_dynamics.model.model import Limits
from robot_dynamics.robot.members import Members, each_frames
from robot_dynamics.robot.robot import Robot
from robot_dynamics.robot.stacks import Stack


def stack(robots: Sequence[Robot]) -> Any:
    """Stack robots of one structure: the same tree, joints, links and mimics.

    Masses, gravity, friction, limits and the frames of links may differ; lengths and angles too.
    `InputError`: robots of another structure, with what differs.

    >>> rd.stack([arm, arm.with_payload('link_2', 2.0)]).gravity_torque([0, 0])
    array([[19.62 , 4.905],
           [58.86 , 24.525]])
    """
    try:
        members = [x for robot in robots for x in (robot if isinstance(robot, Stack) else [robot])]
    except TypeError:
        raise InputError(f'robots: expected robots, found {type(robots).__name__}') from None
    if not members or not all(isinstance(robot, Robot) for robot in members):
        raise InputError('robots: expected one robot or more')
    first = members[0]
    if hasattr(first, 'assemble'):
        from robot_dynamics.mechanism.stacks import MechanismStack  # stands above this file
        mechanisms: Any = members
        return MechanismStack(mechanisms)
    plain_robot(first)
    for i, robot in enumerate(members):
        check_structure(first, robot, i)
    spec, varied = stack_spec(
        first.kernels.spec, geometry_columns(robot._model.geometry for robot in members))
    parameters = np.array([robot.kernels.parameters for robot in members])
    kernels = StackKernels(spec, Columns.of(len(members), [*parameters.T, *varied]),
                           first.joint_names)
    source, index = Members(members), np.arange(len(members))
    model = replace(
        first._model, limits=shared_limits([robot.limits for robot in members]),
        joint_turn=frozen(np.array([robot._model.joint_turn for robot in members])),
        joint_offset=frozen(np.array([robot._model.joint_offset for robot in members])),
        frames=each_frames(first, source, index))
    return Stack(kernels, model, source, index,
                 root_mass=np.array([robot.total_mass - robot.moving_mass for robot in members]))


def repeated(robot: Robot, N: int) -> Stack:
    """Return a stack of N times the same robot, without N robots."""
    plain_robot(robot)
    kernels, model = robot.kernels, robot._model
    spec = replace(kernels.spec, stacked=True)
    return Stack(StackKernels(spec, Columns.of(N, kernels.parameters), robot.joint_names),
                 model, Members([robot]), np.zeros(N, int),
                 root_mass=robot.total_mass - robot.moving_mass)


def plain_robot(robot: Robot) -> None:
    """Raise `InputError` for what is not a plain Robot: its verbs are others."""
    if type(robot) is not Robot and not hasattr(robot, 'space'):  # a mechanism on the whole
        raise InputError(f'{robot.name}: is a {type(robot).__name__}: stacks are of robots')


def check_structure(first: Robot, robot: Robot, i: int) -> None:
    """Raise `InputError` where a robot is not of the first one's structure."""
    one, other = first._model, robot._model
    spec, spec_i = first.kernels.spec, robot.kernels.spec
    found = {
        'joints': one.joint_names == other.joint_names,
        'tree': one.tree_joint_names == other.tree_joint_names
        and np.array_equal(one.geometry.parent, other.geometry.parent),
        'kinds of joints': np.array_equal(one.geometry.prismatic, other.geometry.prismatic),
        'mimic joints or signs': one.coordinates.key == other.coordinates.key,
        'links': spec.massless == spec_i.massless and {
            name: frame.body for name, frame in one.frames.items()} == {
            name: frame.body for name, frame in other.frames.items()}}
    for what, same in found.items():
        if not same:
            raise InputError(f'robots: robot {i} ({robot.name!r}) has other {what} than robot 0 '
                             f'({first.name!r}): a stack is of one structure')


def shared_limits(limits: list[Limits]) -> Limits:
    """Return the robots' limits: (n,) each where all have the same, else (N, n)."""
    def of(name: str) -> Array:
        values = np.array([getattr(limit, name) for limit in limits])
        return frozen(values[0].copy() if (values == values[0]).all() else values)
    return Limits(of('lower'), of('upper'), of('velocity'), of('effort'))
