"""Variables of a space: which arguments and DH columns they are, as a whole or by elements."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError
from robot_dynamics.mechanism.mechanism import Mechanism
from robot_dynamics.model.denoc import Array
from robot_dynamics.sweeps.space import Space

STATE = ('q', 'qd', 'qdd', 'tau')


class Variable(NamedTuple):
    """An argument of a function, or a column of the DH table."""

    elements: dict[str, int] | None  # variables of the space and their places; None: it is one
    base: Array | None = None  # what the other elements are


def variables_of(space: Space, robot: Dynamics | None, rows: Mapping[str, Array],
                 constants: Mapping[str, Any]) -> dict[str, Variable]:
    """Return the arguments and DH columns of a space.

    rows: columns of the robot's DH table; constants: where elements that are not in the space are
    `InputError`: elements that the robot does not have, shapes that do not fit
    """
    found: dict[str, dict[str, int] | None] = {}
    for variable, shape in space.shapes.items():
        name, dot, key = variable.partition('.')
        if robot is None or name not in STATE and name not in rows:
            found[variable] = None
            continue
        names = names_of(robot, name, rows)
        expected = rows[name].shape if name in rows else (len(names[0]),)
        if shape != expected[1 if dot else 0:]:
            raise InputError(f'space: {variable}: shape {shape} of a point: expected '
                             f'{expected[1 if dot else 0:]}')
        elements = found.setdefault(name, {} if dot else None)
        if (elements is None) == bool(dot):
            raise InputError(f'space: {name} is there as a whole and by its elements: expected '
                             'one of them')
        if elements is not None:
            place = place_of(variable, key, names)
            if place in elements.values():
                raise InputError(f'space: {variable}: is there twice')
            elements[variable] = place
    return {name: Variable(elements, None if elements is None or robot is None else base_of(
        name, elements, robot, rows, constants)) for name, elements in found.items()}


def names_of(robot: Dynamics, name: str, rows: Mapping[str, Array]) -> list[list[str]]:
    """Return the names by which elements are known, their numbers too."""
    if name in rows:
        table = robot.dh.rows
        known = [[str(row.link) for row in table], [str(row.name) for row in table]]
    else:
        floats = name == 'q' and not isinstance(robot, Mechanism)  # its q are those of motors
        known = [list(robot.value_names if floats else robot.joint_names)]
    return [*known, [str(k) for k in range(len(known[0]))]]


def place_of(variable: str, key: str, names: list[list[str]]) -> int:
    """Return the place of an element."""
    for some in names:
        if some.count(key) == 1:
            return some.index(key)
    raise InputError(f'space: {variable}: expected one of {", ".join(names[0])}, or 0 to '
                     f'{len(names[0]) - 1}')


def base_of(name: str, elements: Mapping[str, int], robot: Dynamics, rows: Mapping[str, Array],
            constants: Mapping[str, Any]) -> Array:
    """Return what elements of an argument replace: the rest keeps its value."""
    if name in rows:
        return rows[name]
    size = len(names_of(robot, name, rows)[0])
    if name not in constants:
        if len(elements) < size:
            raise InputError(f'{name}: {len(elements)} of {size} numbers are in the space: give '
                             f'{name}= for the others')
        return np.zeros(size)
    base = np.asarray(constants[name], float)
    if base.shape != (size,):
        raise InputError(f'{name}: shape {base.shape}: expected ({size},)')
    return base


def assemble(variable: Variable, name: str, points: Mapping[str, Array]) -> Array:
    """Return an argument or column of some points, (N, *shape)."""
    if variable.elements is None or variable.base is None:
        return points[name]
    N = len(next(iter(points.values())))
    array = np.empty((N, *variable.base.shape))
    if len(variable.elements) < len(variable.base):
        array[...] = variable.base
    for element, place in variable.elements.items():
        array[:, place] = points[element]
    return array
