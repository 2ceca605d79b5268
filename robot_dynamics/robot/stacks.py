"""Stack: many robots of one structure, asked in one call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from robot_dynamics.engine.stacks.kernels import StackKernels, entries
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import batched, text
from robot_dynamics.model.denoc import Array, exact_cos_sin
from robot_dynamics.model.model import Limits, Model, refreeze
from robot_dynamics.model.payload import check_payloads, welded_each
from robot_dynamics.robot.members import of_some
from robot_dynamics.robot.robot import Robot
from robot_dynamics.words import counted

OF_ONE = 'is that of one robot: ask stack[i]'


class Stack(Robot):
    """N robots of one structure. Every verb takes a state for each, (N, n), or one for all, (n,).

    Results have a leading axis of N, and the bits of the robots asked one by one, unless these
    differ in lengths or angles: then they agree to rounding. `len`, `stack[i]` (a Robot),
    `stack[a:b]` or `stack[indices]` (a Stack). Immutable, as robots are.
    `InputError`: another number of states; errors name the robot.

    >>> stack = arm.with_payload('link_2', [0.0, 2.0])
    >>> stack.gravity_torque([0, 0])
    array([[19.62 , 4.905],
           [58.86 , 24.525]])
    >>> stack[1].gravity_torque([0, 0])
    array([58.86 , 24.525])
    """

    _kernels: Any

    def __init__(self, kernels: StackKernels, model: Model, source: Any, index: Array,
                 changes: tuple[Any, ...] = (), root_mass: Any = 0.0) -> None:
        """Take kernels, the model of the first robot with the frames of all, and robots.

        source: gives the robots that changes are made to, and their frames; index: who is who
        changes: names of Robot's methods and their arguments, (N, ...) each
        """
        self._model, self._kernels = model, kernels
        self._source, self._index, self._changes = source, index, changes
        self._root_mass = root_mass
        self.warnings = source.warnings
        self._forget()

    def _forget(self) -> None:
        super()._forget()
        self._variant_kernels: dict[tuple[Any, ...], Any] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave machine code in its process."""
        return {**super().__getstate__(), '_variant_kernels': {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Be as it was, and as immutable."""
        self.__dict__.update(state)
        refreeze(self._model)

    def __len__(self) -> int:
        """Return the number of robots."""
        return int(self._kernels.columns.N)

    def __iter__(self) -> Iterator[Robot]:
        """Give the robots one by one."""
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f'<Stack of {len(self)} robots {self.name!r}: {counted(self.n, "joint")}>'

    def __getitem__(self, index: Any) -> Any:
        """Return robot i, or the stack of some robots: a slice, numbers, or (N,) of bool."""
        if isinstance(index, (int, np.integer)) and not isinstance(index, bool):
            if not -len(self) <= index < len(self):
                raise IndexError(f'robot {index} of a stack of {len(self)}')
            return self._robot(int(index) % len(self))
        try:
            taken = np.arange(len(self))[index]
        except (IndexError, TypeError, ValueError) as error:
            raise InputError(f'robots of the stack: {error}') from None
        if taken.ndim != 1 or not len(taken):
            raise InputError('robots of the stack: expected a list of one or more')
        mass, model = self._root_mass, self._model
        model = replace(
            model, joint_turn=of_some(model.joint_turn, taken),
            joint_offset=of_some(model.joint_offset, taken),
            limits=Limits(*(of_some(getattr(model.limits, name), taken)
                            for name in ('lower', 'upper', 'velocity', 'effort'))),
            frames={name: getattr(frame, 'taken', lambda index, frame=frame: frame)(taken)
                    for name, frame in model.frames.items()})
        return Stack(
            self._kernels.taken(taken), model, self._source, self._index[taken],
            tuple((name, [None if x is None else x[taken] for x in arguments])
                  for name, arguments in self._changes),
            mass[taken] if np.ndim(mass) else mass)

    def _robot(self, i: int) -> Robot:
        """Return robot i alone."""
        robot: Robot = self._source[int(self._index[i])]
        for name, arguments in self._changes:
            own: list[Any] = [None if x is None else x[i] for x in arguments]
            if name == 'with_payload':  # it was checked, and warned of, for the stack
                link, mass, com, inertia = own
                robot = robot._welded(str(link), robot._frame(link), float(mass), com.tolist(),
                                      None if inertia is None else inertia.tolist())
            else:
                robot = getattr(robot, name)(*own)
        return robot

    def alone(self, i: int) -> Robot:
        """Return robot i with kernels that all robots of the stack share, for `simulate`.

        As stack[i], but nothing is compiled for it, whatever its lengths. `IndexError`: no such
        robot.

        >>> arm.with_payload('link_2', [0.0, 2.0]).alone(1).gravity_torque([0, 0])
        array([58.86 , 24.525])
        """
        robot = self[i]
        return Robot(robot.model, robot.dh, robot.warnings, self._kernels.alone(i))

    # What a robot is

    @property
    def kernels(self) -> Any:
        """The compiled functions of all robots, `StackKernels`."""
        return self._kernels

    @property
    def total_mass(self) -> Any:
        """Mass of all links of each robot, (N,) [kg]."""
        return self.moving_mass + self._root_mass

    @property
    def moving_mass(self) -> Any:
        """Mass of what moves of each robot, (N,) [kg]."""
        return self._kernels.numbers('mass').sum(axis=1)

    @property
    def parameters(self) -> Array:
        """Inertial parameters pi of each robot, (N, 10 L)."""
        N, L = len(self), self._kernels.spec.L
        parts = [self._kernels.numbers(name).reshape(N, L, -1)
                 for name in ('mass', 'moment', 'inertia')]
        return np.concatenate(parts, axis=2).reshape(N, 10 * L)

    @property
    def damping(self) -> Array:
        """Damping of each robot's joints, (N, n)."""
        damping: Array = self._kernels.numbers('damping')
        return damping

    @property
    def friction(self) -> Array:
        """Dry friction of each robot's joints, (N, n)."""
        friction: Array = self._kernels.numbers('friction')
        return friction

    @property
    def model(self) -> Model:
        """Of one robot."""
        raise InputError(f'model: {OF_ONE}.model')

    @property
    def dh(self) -> Any:
        """Of one robot."""
        raise InputError(f'dh: {OF_ONE}.dh')

    @property
    def inertials(self) -> Any:
        """Of one robot."""
        raise InputError(f'inertials: {OF_ONE}.inertials, or `parameters` of all')

    @property
    def assumed(self) -> Any:
        """Of one robot."""
        raise InputError(f'assumed: {OF_ONE}.assumed')

    def to_urdf(self) -> str:
        """Tell that URDFs are of one robot.

        >>> arm.with_gravity([[0, -9.81, 0]]).to_urdf()
        Traceback (most recent call last):
            ...
        robot_dynamics.errors.InputError: to_urdf: is that of one robot: ask stack[i].to_urdf()
        """
        raise InputError(f'to_urdf: {OF_ONE}.to_urdf()')

    def export_c(self, folder: Any, functions: Any = None, *, overwrite: bool = False) -> Any:
        """Tell that code is written for one robot.

        >>> arm.with_gravity([[0, -9.81, 0]]).export_c(folder)
        Traceback (most recent call last):
            ...
        robot_dynamics.errors.InputError: export_c: is that of one robot: ...
        """
        raise InputError(f'export_c: {OF_ONE}.export_c(...)')

    # Changes

    def with_payload(self, link: str, mass: Any, com: Any = (0.0, 0.0, 0.0),
                     inertia: Any = None) -> Stack:
        """Return the robots with a mass welded to a link of each.

        mass (N,), com (N, 3), inertia (N, 3, 3), or one for all: as in Robot [kg, m, kg m^2]
        `InputError`: a link they do not have, values that no body can have.

        >>> arm.with_payload('link_2', [0.0, 2.0]).with_payload('link_1', 1.0).moving_mass
        array([3., 5.])
        """
        frame = self._frame(text('link', link))
        N = len(self)
        body = check_payloads(N, mass, com, inertia)
        kernels, root_mass = self._kernels, self._root_mass
        if frame.body < 0:
            root_mass = root_mass + body[0]
        else:
            kernels = kernels.with_body(frame.body, welded_each(frame.T, *body))
        weight, center, tensor = body
        each = [np.broadcast_to(link, N), np.broadcast_to(weight, N),
                np.broadcast_to(center, (N, 3)),
                None if tensor is None else np.broadcast_to(tensor, (N, 3, 3))]
        return self._changed(kernels, 'with_payload', each, root_mass)

    def with_gravity(self, gravity: Any) -> Stack:
        """Return the robots under another gravity, (N, 3) or (3,) in root axes [m/s^2].

        `InputError`: other shapes, what is not finite.

        >>> arm.with_gravity([[0, -9.81, 0], [0, -1.62, 0]]).gravity_torque([0, 0])
        array([[19.62 , 4.905],
               [3.24 , 0.81 ]])
        """
        g = batched('gravity', gravity, len(self), (3,))
        return self._changed(self._kernels.with_numbers('gravity', g), 'with_gravity',
                             [np.broadcast_to(g, (len(self), 3))])

    def with_base_motion(self, angular_velocity: Any = (0, 0, 0),
                         angular_acceleration: Any = (0, 0, 0),
                         linear_acceleration: Any = (0, 0, 0)) -> Stack:
        """Return the robots on moving bases, each (N, 3) or (3,) in root axes.

        [rad/s, rad/s^2, m/s^2]; `InputError`: other shapes, what is not finite.

        >>> arms = arm.with_gravity([[0, -9.81, 0], [0, -1.62, 0]])
        >>> arms.with_base_motion(linear_acceleration=(0, 9.81, 0)).gravity_torque([0, 0])
        array([[39.24 , 9.81 ],
               [22.86 , 5.715]])
        """
        kernels, each = self._kernels, []
        for name, value in (('angular_velocity', angular_velocity),
                            ('angular_acceleration', angular_acceleration),
                            ('linear_acceleration', linear_acceleration)):
            motion = batched(name, value, len(self), (3,))
            kernels = kernels.with_numbers(name, motion)
            each.append(np.broadcast_to(motion, (len(self), 3)))
        return self._changed(kernels, 'with_base_motion', each)

    def _changed(self, kernels: StackKernels, method: str, arguments: list[Any],
                 root_mass: Any = None) -> Stack:
        return Stack(kernels, self._model, self._source, self._index,
                     (*self._changes, (method, arguments)),
                     self._root_mass if root_mass is None else root_mass)

    # Inside: numbers of options that each robot has its own of

    @property
    def _reactions(self) -> Any:
        """The kernels with the joints' own frames compiled in."""
        found = self._variant_kernels.get(('reactions',))
        if found is None:
            model = self._model
            turns = *exact_cos_sin(model.joint_turn), model.joint_offset
            places = {name: i for i, name in enumerate(model.tree_joint_names)}
            found = self._kernels.variant(joints=tuple(
                (places[name], *(entries(x[..., places[name]], 0) for x in turns))
                for name in self.joint_names))
            self._variant_kernels['reactions',] = found
        return found

    def _variant(self, algorithm: str, external: Any) -> Any:
        """Return the kernels by one algorithm, with wrenches on some links as arguments."""
        key = (algorithm, *external)
        if key not in self._variant_kernels:
            options: dict[str, Any] = {} if algorithm == 'auto' else {'algorithm': algorithm}
            if external:
                frames = [self._frame(link) for link in external]
                options['frames'] = tuple((frame.body, entries(frame.T[..., :3, 3], 1))
                                          for frame in frames)
            self._variant_kernels[key] = (
                self._kernels.variant(**options) if options else self._kernels)
        return self._variant_kernels[key]
