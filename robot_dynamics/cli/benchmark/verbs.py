"""The verbs that the benchmark calls: every kernel that a robot has as a function."""

from collections.abc import Callable
from typing import Any

import numpy as np

from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.robot import Robot

EXTERNAL = ' (external)'  # the same with a wrench on the last link
VERBS = tuple(
    name + more for name, definition in DEFINITIONS.items() if hasattr(Robot, name)
    for more in (('', EXTERNAL) if 'external' in definition.inputs else ('',)))

# Pinocchio's C++ with code generation, microseconds of a single computation, as published by
# Plancher, Neuman, Ghosal, Kuindersma, Janapa Reddi: GRiD: GPU-accelerated rigid body dynamics
# with analytical gradients, ICRA 2022 (Intel i7-10700K at 3.8 GHz, clang 12); our robot, theirs
FUNCTIONS = ('inverse_dynamics', 'forward_dynamics', 'forward_dynamics_derivatives')
PUBLISHED = {
    'Panda (arm)': ('iiwa, 7 joints', (0.3, 0.9, 2.9)),
    'HyQ (12 joints)': ('HyQ, 12 joints', (0.3, 1.2, 4.3)),
    'G1 (29 joints)': ('Atlas, 30 joints', (1.1, 5.3, 20.9)),
}


class Verb:
    """One verb of one robot, with arguments for one state and for many."""

    def __init__(self, robot: Robot, name: str, several: int) -> None:
        self.kernel = name.removesuffix(EXTERNAL)
        definition = DEFINITIONS[self.kernel]
        self.function, self.plain = getattr(robot, self.kernel), not definition.options
        rng = np.random.default_rng(0)
        states = rng.uniform(-1, 1, (3, several + 1, robot.n))
        inputs = [x for x in definition.inputs if x != 'external']
        slots = [{'q': 0, 'qd': 1}.get(x, 2) for x in inputs]
        self.inputs = tuple(states[k, 0] for k in slots)
        self.batches = tuple(np.ascontiguousarray(states[k, 1:]) for k in slots)
        self.state = states[:, 0]
        link = robot.link_names[-1] if 'link' in definition.options else None
        self.link = robot.link_names[-1]
        self.last = () if link is None else (link,)
        wrenches = rng.normal(size=(several + 1, 6))
        self.wrench = wrenches[0] if name.endswith(EXTERNAL) else None
        self.many = {} if self.wrench is None else {'external': {self.link: wrenches[1:]}}

    def single(self, out: Any = None) -> Callable[[], Any]:
        """Return a call with one state, written out as users write it."""
        given = {f'x{k}': x for k, x in enumerate((*self.inputs, *self.last))}
        options = {} if self.wrench is None else {'external': '{link: wrench}'}
        options |= {} if out is None else {'out': 'out'}
        words = ', '.join([*given, *(f'{name}={value}' for name, value in options.items())])
        names = {'function': self.function, 'link': self.link, 'wrench': self.wrench, 'out': out,
                 **given}
        call: Callable[[], Any] = eval(  # unpacking costs as much as a small kernel
            f'lambda {", ".join(names)}: lambda: function({words})')(**names)
        return call

    def batch(self, out: Any = None) -> Callable[[], Any]:
        """Return a call with many states."""
        options = self.many if out is None else {**self.many, 'out': out}
        return lambda: self.function(*self.batches, *self.last, **options)
