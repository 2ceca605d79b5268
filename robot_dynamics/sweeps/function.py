"""What a sweep computes: a verb of a robot, or any function, over blocks of points."""

import hashlib
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from robot_dynamics.engine import wait_for_kernels
from robot_dynamics.engine.running.calls import at_most
from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.inputs import choice
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.placement import rows_of
from robot_dynamics.robot.robot import Robot
from robot_dynamics.robot.stacks import Stack
from robot_dynamics.sweeps.digests import feed, source_of
from robot_dynamics.sweeps.space import Space
from robot_dynamics.sweeps.variables import STATE, assemble, variables_of

RESULTS = {
    'inverse_dynamics': ('tau',), 'forward_dynamics': ('qdd',), 'udu': ('U', 'D'),
    'inverse_dynamics_derivatives': ('dtau_dq', 'dtau_dqd', 'dtau_dqdd'),
    'forward_dynamics_derivatives': ('dqdd_dq', 'dqdd_dqd', 'dqdd_dtau')}  # else the verb's name
Arrays = Mapping[str, np.ndarray]
BLOCK = 8192  # points at once: they, and what is computed of them, stay in the processor's cache
OTHERS = 16  # points from elsewhere that go with each block of variants


class Function:
    """A function over the points of a space.

    function: a verb's name or a callable; robot: whose verb it is, or its first argument
    constants: further arguments, the same for all points
    Variables that are columns of the DH table make variants of the robot, one for each point.
    """

    def __init__(self, function: Any, robot: Robot | None, space: Space,
                 constants: Mapping[str, Any], errors: str = 'raise') -> None:
        if isinstance(getattr(function, '__self__', None), Robot):
            if robot is not None:
                raise InputError('robot: the function is a method of a robot already')
            function, robot = function.__name__, function.__self__
        if robot is not None and (not isinstance(robot, Robot) or isinstance(robot, Stack)):
            raise InputError(f'robot={str(robot)[:80]}: expected one robot')
        self.robot = robot
        self.space, self.constants = space, dict(constants)
        self.errors = choice('errors', errors, ('raise', 'nan'))
        self.rows = {} if robot is None else rows_of(robot.dh)._asdict()
        self.parts = variables_of(space, robot, self.rows, self.constants)
        self.verb = self._verb(function)
        self.call: Callable[..., Any] = function
        self.varied = [name for name in self.parts if name in self.rows]
        self.states = [name for name in self.parts if name not in self.rows]
        self.repeated = self._repeated()
        self.others: dict[str, Array] = {}
        if self.varied:
            index = np.random.default_rng(0).integers(0, space.points, OTHERS)
            rows = [self.columns(space.block(int(i), int(i) + 1), self.varied) for i in index]
            self.others = {name: np.concatenate([row[name] for row in rows])
                           for name in self.varied}
        self.fills = False
        self.shapes = self._shapes()
        self.fills = len(self.shapes) == 1 and not self.varied and self.verb is not None and (
            'out' in inspect.signature(getattr(robot, self.verb)).parameters)

    @property
    def name(self) -> str:
        """What people call it."""
        return self.verb or str(getattr(self.call, '__qualname__', type(self.call).__name__))

    def _verb(self, function: Any) -> str | None:
        """Return the verb's name, None for a callable; `InputError`: what it cannot be asked."""
        if not isinstance(function, str):
            if not callable(function):
                raise InputError(f'function={str(function)[:80]}: expected the name of a '
                                 "robot's method, or a function")
            return None
        if self.robot is None:
            raise InputError(f'function={function!r}: is a method of robots: give robot=')
        verbs = verbs_of(type(self.robot))
        known = verbs[choice('function', function, verbs)]
        for name in self.constants:
            choice(f'{function}: argument', name, known)
        for name in self.parts:
            if name not in known and name not in self.rows:
                raise InputError(f'space: {name!r} is no argument of {function}: expected some of '
                                 f'{", ".join(known)}, or columns of the DH table: '
                                 + ', '.join(self.rows))
        missing = [name for name, needed in known.items()
                   if needed and name not in self.parts and name not in self.constants]
        if missing:
            raise InputError(f'{function}: {", ".join(missing)}: neither in the space nor given '
                             'as an argument')
        return function

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is repeated."""
        return {**self.__dict__, 'repeated': {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Repeat it again."""
        self.__dict__.update(state)
        self.repeated = self._repeated()

    def _repeated(self) -> dict[str, Array]:
        """Return the states that all points share, repeated once and not for every block."""
        if self.verb is None or not self.states:
            return {}
        return {name: np.repeat(np.asarray(value, float)[None], BLOCK, axis=0)
                for name, value in self.constants.items()
                if name in STATE and name not in self.parts and np.ndim(value) == 1}

    def columns(self, points: Mapping[str, Array], names: Iterable[str]) -> dict[str, Array]:
        """Return arguments and DH columns of points, put together of their elements."""
        return {name: assemble(self.parts[name], name, points) for name in names}

    def __call__(self, points: Mapping[str, Array], out: Any = None) -> dict[str, Array]:
        """Return the results of some points, (N, ...) each, by name.

        out: where the result of a verb that has one may go: new arrays cost as much as torques
        """
        N = len(next(iter(points.values())))
        arguments = {**self.constants, **self.columns(points, self.states)}
        robot = self.robot
        if self.varied:
            robot, arguments = self._variants(points, arguments, N)
        else:
            arguments.update({name: array[:N] for name, array in self.repeated.items()})
        with at_most(1):
            if self.verb is None:
                found = self.call(*([] if robot is None else [robot]), **arguments)
            else:
                if self.fills and out is not None:
                    arguments['out'] = out
                found = getattr(robot, self.verb)(**arguments)
        return self._named(found, N)

    def _variants(self, points: Mapping[str, Array], arguments: dict[str, Any],
                  N: int) -> tuple[Robot, dict[str, Any]]:
        """Return the robots of some points, and the verb's arguments for them.

        Points from elsewhere go along: what differs anywhere in the space differs in each block,
        so that all blocks have one structure, for which code is compiled once.
        """
        columns = self.columns(points, self.varied)
        many = {name: np.concatenate([array, self.others[name]])
                for name, array in columns.items()}
        assert self.robot is not None  # columns are those of its table
        stack = self.robot.variants(**many)
        if self.verb is None:
            return stack[:N], arguments
        return stack, {name: np.concatenate([value, np.repeat(value[-1:], OTHERS, axis=0)])
                       if name in self.parts else value for name, value in arguments.items()}

    def _named(self, found: Any, N: int) -> dict[str, Array]:
        """Return what a function gave as arrays by name."""
        if isinstance(found, Mapping):
            named = dict(found)
        elif isinstance(found, tuple):
            names = RESULTS.get(self.verb or '') or tuple(
                f'{self.verb or "result"}_{k}' for k in range(len(found)))
            named = dict(zip(names, found, strict=True))
        else:
            named = {RESULTS.get(self.verb or '', (self.verb or 'result',))[0]: found}
        rows = N + OTHERS if self.varied and self.verb else N
        for name, array in named.items():
            array = np.asarray(array)
            if array.dtype.kind not in 'fiub' or array.shape[:1] != (rows,):
                raise InputError(f'{self.name}: result {name!r} of {array.dtype}, shape '
                                 f'{array.shape}: expected numbers, ({N}, ...) for {N} points')
            named[name] = array[:N]
        return named

    def _shapes(self) -> dict[str, tuple[tuple[int, ...], np.dtype]]:
        """Return shape and type of each result at a point: of the first that has any."""
        size = 1 if self.verb else 2  # who forgets that there are many points shows it with two
        for k in range(min(64, self.space.points)):
            try:
                found = self(self.space.block(k, min(k + size, self.space.points)))
            except RobotDynamicsError as error:
                if self.errors == 'raise' or k == min(64, self.space.points) - 1:
                    raise type(error)(f'point {k}: {error}') from None
                continue
            if not found:
                raise InputError(f'{self.name}: gives no results')
            return {name: (array.shape[1:], array.dtype) for name, array in found.items()}
        raise AssertionError  # spaces have a point

    def labels(self) -> dict[str, list[str]]:
        """Return the joints' names for results of a verb that have a number for each."""
        if self.verb is None or self.robot is None:
            return {}
        return {name: list(self.robot.joint_names) for name, (shape, _) in self.shapes.items()
                if shape == (self.robot.nv,) and name not in ('center_of_mass', 'D')}

    def settle(self) -> None:
        """Wait until what is needed is compiled, so that all points are computed alike."""
        self._shapes()
        wait_for_kernels()

    def fill(self, start: int, stop: int, results: Arrays, inputs: Arrays) -> None:
        """Compute the points start to stop into arrays (stop - start, ...).

        inputs: arrays for variables of the space that are wanted too
        `RobotDynamicsError`: a point that cannot be computed, unless errors are nan
        """
        for first in range(start, stop, BLOCK):
            last = min(stop, first + BLOCK)
            points = self.space.block(first, last)
            for name, array in inputs.items():
                array[first - start:last - start] = points[name]
            self._part(first, last, start, results, points)

    def _part(self, first: int, last: int, start: int, results: Arrays,
              points: Mapping[str, Array]) -> None:
        try:
            part = slice(first - start, last - start)
            found = self(points, next(iter(results.values()))[part])
        except RobotDynamicsError as error:
            if last - first > 1:  # by halves, until the point is found
                middle = (last - first) // 2
                for half, begin, end in ((slice(middle), first, first + middle),
                                         (slice(middle, None), first + middle, last)):
                    self._part(begin, end, start, results,
                               {name: array[half] for name, array in points.items()})
                return
            if self.errors == 'raise':
                raise type(error)(f'point {first}: {error}') from None
            for array in results.values():
                array[first - start] = np.nan
            return
        for name, array in results.items():
            if name not in found or found[name].shape[1:] != array.shape[1:]:
                raise InputError(f'{self.name}: points {first} to {last} have other results than '
                                 f'the first one: expected {name} {array.shape[1:]}')
            if not np.may_share_memory(found[name], array):
                array[part] = found[name]

    def digests(self) -> dict[str, str]:
        """Return what tells this function from another, and its robot."""
        function = hashlib.sha256((self.verb or source_of(self.call)).encode())
        feed(function, (self.constants, self.errors))
        robot = hashlib.sha256()
        if self.robot is not None:
            feed(robot, (type(self.robot).__name__, self.robot.model))
        return {'function': function.hexdigest(), 'robot': robot.hexdigest(),
                'space': self.space.digest}


def verbs_of(kind: type[Robot]) -> dict[str, dict[str, bool]]:
    """Return the verbs of robots: their arguments, and whether each is needed."""
    found = {}
    for name, method in inspect.getmembers(kind, inspect.isfunction):
        arguments = dict(list(inspect.signature(method).parameters.items())[1:])
        needed = [key for key, x in arguments.items() if x.default is x.empty]
        if not name.startswith('_') and needed and set(needed) <= set(STATE):
            found[name] = {key: key in needed for key in arguments if key != 'out'}
    return found
