"""Variants: many robots from one, by columns of numbers for its DH rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from robot_dynamics.engine.stacks.columns import Columns, Gathered
from robot_dynamics.engine.stacks.kernels import StackKernels, stack_spec
from robot_dynamics.engine.tracing.trace import parameter_slots
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import batched, choice, leading
from robot_dynamics.model.denoc import Array, frozen, geometry_numbers
from robot_dynamics.model.dh.table import DHTable
from robot_dynamics.model.model import build_model, place_frame
from robot_dynamics.model.placement import SHAPES, Placement, Rows, place, rows_of
from robot_dynamics.robot.members import each_frames
from robot_dynamics.robot.robot import Robot
from robot_dynamics.robot.stacking import plain_robot
from robot_dynamics.robot.stacks import Stack

PART = 8192  # robots that are placed at once: their numbers stay in the processor's cache
LENGTHS = ('a', 'b', 'alpha', 'theta', 'beta')
NOT_NEGATIVE = ('mass', 'hub_inertia', 'armature', 'damping', 'friction')


class Variants:
    """The robots of a table whose rows have other numbers: made when they are asked for.

    numbers: of the rows, (N, L, ...) or (L, ...) each, by the names of Rows
    """

    def __init__(self, robot: Robot, N: int, numbers: dict[str, Array]) -> None:
        self.robot, self.N, self.numbers = robot, N, numbers
        self.table, self.warnings = robot.dh, robot.warnings
        self.rows = rows_of(self.table)

    def some(self, index: Any) -> Rows:
        """Return the rows of some robots."""
        return self.rows._replace(**{
            name: values[index] if values.ndim > getattr(self.rows, name).ndim else values
            for name, values in self.numbers.items()})

    def placed(self) -> Iterator[tuple[Rows, Placement, int]]:
        """Give rows and placements of all robots, part by part, and how many they are."""
        for start in range(0, self.N, PART):
            stop = min(self.N, start + PART)
            rows = self.some(slice(start, stop))
            yield rows, place(self.table, rows), stop - start

    def poses(self, link: str, index: Array) -> Array:
        """Return a link's frame in its body's link frame, of some robots, (n, 4, 4)."""
        T = place_frame(place(self.table, self.some(index)), self.table.frames[link])
        return np.broadcast_to(T, (len(index), 4, 4))

    def __getitem__(self, i: int) -> Robot:
        """Return robot i."""
        table = self.table_of(i)
        built, model = build_model(table), self.robot.model
        friction = {name: getattr(built, name) for name in ('damping', 'friction')
                    if name in self.numbers}
        inertials = built.inertials._replace(base=self.robot.inertials.base)
        return Robot(replace(model, geometry=built.geometry, inertials=inertials,
                             frames=built.frames, joint_turn=built.joint_turn,
                             joint_offset=built.joint_offset, **friction), table, self.warnings)

    def table_of(self, i: int) -> DHTable:
        """Return the DH table of robot i."""
        rows = self.some(i)

        def changed(k: int) -> dict[str, Any]:
            return {name: frozen(getattr(rows, name)[k].copy()) if name in SHAPES
                    else float(getattr(rows, name)[k]) for name in self.numbers}
        same = not set(self.numbers) & set(LENGTHS)  # else links look other than in the file
        return replace(self.table, drawing=self.table.drawing if same else None, rows=tuple(
            replace(row, **changed(k)) for k, row in enumerate(self.table.rows)))


def variants(robot: Robot, columns: dict[str, Any]) -> Stack:
    """Return the stack of a robot's variants; see Robot.variants."""
    plain_robot(robot)
    N, numbers = checked(robot, columns)
    source = Variants(robot, N, numbers)
    spec, slots = robot.kernels.spec, parameter_slots(
        robot.kernels.spec.L, robot.kernels.spec.joints)
    gathered = Gathered()
    for rows, placement, count in source.placed():
        gathered.add(part_numbers(robot, rows, placement, numbers), count)
    found = gathered.columns()
    parameters = list(robot.kernels.parameters)
    for pair, slot in slots.items():
        if pair in found:
            parameters[slot] = found.pop(pair)
    turns: dict[str, Any] = {name: together(
        [found.pop((name, i)) for i in range(spec.L)], N)
        for name in ('joint_turn', 'joint_offset')}
    spec, varied = stack_spec(spec, found)
    kernels = StackKernels(spec, Columns.of(N, [*parameters, *varied]), robot.joint_names)
    index = np.arange(N)
    frames = each_frames(robot, source, index) if spec.varied else robot._model.frames
    return Stack(kernels, replace(robot._model, frames=frames, **turns), source, index,
                 root_mass=robot.dh.root_mass)


def part_numbers(robot: Robot, rows: Rows, placement: Placement,
                 given: dict[str, Array]) -> dict[tuple[str, int], Array]:
    """Return every number of some robots that may differ, () or (n,) each, by name and place."""
    coordinates: Any = robot.model.coordinates
    G = coordinates.G if {'damping', 'friction'} & set(given) else None
    L = rows.a.shape[-1]
    fields: dict[str, list[Array]] = {
        'mass': [rows.mass], 'moment': placement.moment, 'inertia': placement.inertia,
        'armature': [rows.armature], 'joint_turn': [placement.turn],
        'joint_offset': [placement.offset],
        **geometry_numbers(placement.gamma, placement.alpha, placement.theta0, placement.d)}
    found = {(name, len(parts) * i + k): part[..., i] for name, parts in fields.items()
             for k, part in enumerate(parts) for i in range(L)}
    for name, weight in (('damping', G * G), ('friction', np.abs(G))) if G is not None else ():
        if name in given:
            values = getattr(rows, name) @ weight
            found.update({(name, k): values[..., k] for k in range(weight.shape[1])})
    return found


def together(columns: list[Array], N: int) -> Array:
    """Return columns side by side: (L,) where all robots share them, else (N, L)."""
    if all(np.ndim(x) == 0 for x in columns):
        return frozen(np.array(columns, float))
    return frozen(np.stack([np.broadcast_to(x, N) for x in columns], axis=1))


def checked(robot: Robot, columns: dict[str, Any]) -> tuple[int, dict[str, Array]]:
    """Return the number of robots, and the columns as arrays; `InputError` says what is wrong."""
    L = len(robot.dh)
    for name in columns:
        choice('variants', name, Rows._fields)
    coordinates: Any = robot.model.coordinates
    if not coordinates.flat and set(columns) & set(LENGTHS):
        raise InputError(f'variants: {", ".join(LENGTHS)} are for robots without floating joints')
    N = leading(*((name, value, 1 + len(SHAPES.get(name, ())))
                  for name, value in columns.items()))
    if not N:
        raise InputError(f'variants: expected arrays (N, {L}) of {", ".join(Rows._fields)}')
    numbers = {name: batched(name, value, N, (L, *SHAPES.get(name, ())))
               for name, value in columns.items()}
    for name in NOT_NEGATIVE:
        if name in numbers and (numbers[name] < 0).any():
            raise InputError(f'{name}: {numbers[name].min():g} at index '
                             f'{np.argwhere(numbers[name] < 0)[0].tolist()}: expected 0 or more')
    if 'inertia' in numbers:
        I = numbers['inertia']
        skew = np.abs(I - np.swapaxes(I, -1, -2)).max(axis=(-2, -1))
        wrong = skew > 1e-9 * np.abs(I).max(axis=(-2, -1))
        if wrong.any():
            raise InputError(f'inertia: at index {np.argwhere(wrong)[0].tolist()}: expected a '
                             'symmetric matrix')
    return N, numbers
