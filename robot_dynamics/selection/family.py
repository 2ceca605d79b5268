"""Family: arms of one structure that are asked together; a single arm is a family of one."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.mechanism.mechanism import Mechanism
from robot_dynamics.model.denoc import Array
from robot_dynamics.robot import Robot
from robot_dynamics.robot.stacks import Stack
from robot_dynamics.selection.assembled import Assembled
from robot_dynamics.sweeps.sampling import Sobol

UNBOUNDED = 1e6  # a range as wide as this is what people write who know no limits [rad or m]
STROKE = 1.0  # over which a slide without limits is looked at [m]
TURN = 2 * np.pi
ROWS = 200_000  # states that are asked at once
LOOPED = 512  # poses of a mechanism that are assembled beforehand


@dataclass(frozen=True)
class Ranges:
    """Where the joints of an arm may be; n joints.

    lower, upper: (n,) [rad or m], finite; free: (n,) revolute joints that turn all the way
    prismatic: (n,); endless: slides without limits, over which `upper - lower` is a mere choice
    """

    lower: Array
    upper: Array
    free: Array
    prismatic: Array
    endless: Array


@dataclass(frozen=True)
class Family:
    """N arms that share structure, joints and limits: what criteria are asked of.

    arms: a Robot or Mechanism (N = 1), or a Stack
    names: of the arms, (N,); source: where they come from; link: whose motion counts, None where
    there are several tips and nobody says which; notes: what a reader should know
    """

    arms: Robot
    names: tuple[str, ...]
    source: str = ''
    link: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def N(self) -> int:
        """Number of arms."""
        return len(self.names)

    @property
    def n(self) -> int:
        """Number of joints of each."""
        return int(self.arms.n)

    @property
    def looped(self) -> bool:
        """Whether the arm is a mechanism, whose loops must close."""
        return isinstance(self.arms, Mechanism)

    @cached_property
    def assembled(self) -> Assembled:
        """The mechanism with poses in which its loops are closed."""
        assert isinstance(self.arms, Mechanism)
        return Assembled(self.arms, self.postures(LOOPED))

    @cached_property
    def first(self) -> Robot:
        """The first arm alone: all have its structure."""
        return self.arms[0] if isinstance(self.arms, Stack) else self.arms

    def one(self, i: int) -> Robot:
        """Return arm i alone, with code that all share."""
        return self.arms.alone(i) if isinstance(self.arms, Stack) else self.arms

    def some(self, index: Any) -> 'Family':
        """Return some of the arms."""
        if not isinstance(self.arms, Stack):
            return self
        chosen = np.arange(self.N)[index]
        return replace(self, arms=self.arms[chosen], names=tuple(self.names[k] for k in chosen))

    def parts(self, states: int) -> list['Family']:
        """Return the family in parts, of which `states` states each are asked at once."""
        size = max(1, ROWS // max(1, states))
        return [self] if size >= self.N else [
            self.some(slice(k, k + size)) for k in range(0, self.N, size)]

    @cached_property
    def ranges(self) -> Ranges:
        """The joints' ranges; slides without limits get STROKE."""
        limits, prismatic = self.arms.limits, sliding(self.first)
        lower, upper = (np.array(x, float) for x in (limits.lower, limits.upper))
        none = ~(upper > lower) | ~np.isfinite(upper - lower) | (upper - lower > UNBOUNDED)
        free = ~prismatic & (none | (upper - lower >= TURN * (1 - 1e-9)))
        endless = prismatic & none
        lower[free], upper[free] = -np.pi, np.pi
        lower[endless], upper[endless] = 0.0, STROKE
        return Ranges(lower, upper, free, prismatic, endless)

    def postures(self, samples: int, seed: int = 0) -> Array:
        """Return joint values that fill the ranges evenly, (samples, n)."""
        ranges = self.ranges
        space = Sobol({'q': (ranges.lower, ranges.upper)}, samples, seed)
        return space.block(0, samples)['q']

    def rows(self, verb: str, owner: Array, *states: Array, **options: Any) -> Array:
        """Ask arm owner[k] in state k: (M,), (M, n) ...; nan where an arm cannot be there."""
        arms = self.arms
        if isinstance(arms, Stack):
            return np.asarray(getattr(arms[owner], verb)(*states, **options))
        if self.looped:
            return self.assembled.ask(verb, states, options)
        return np.asarray(getattr(arms, verb)(*states, **options))

    def ask(self, verb: str, *states: Array, **options: Any) -> Array:
        """Ask every arm in every state, (S, n) each; (N, S, ...)."""
        S = len(states[0])
        owner = np.repeat(np.arange(self.N), S)
        found = self.rows(verb, owner, *(np.tile(x, (self.N, 1)) for x in states), **options)
        return found.reshape(self.N, S, *found.shape[1:])

    def tips(self, owner: Array, q: Array) -> Array:
        """Return where the link is, (M, 3) [m]."""
        return self.rows('pose', owner, q, link=self.tip)[:, :3, 3]

    def motion(self, owner: Array, q: Array) -> Array:
        """Return the Jacobian of the link's origin, linear rows, (M, 3, n)."""
        return self.rows('jacobian', owner, q, link=self.tip)[:, 3:]

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader should know of the ranges."""
        ranges = self.ranges
        names = [name for name, x in zip(self.arms.joint_names, ranges.endless, strict=True) if x]
        if not names:
            return ()
        return (f'no limits for the slides {", ".join(names)}: postures are taken over 0 to '
                f'{STROKE:g} m',)

    @property
    def tip(self) -> str:
        """The link whose motion counts; `InputError` where none is known."""
        if self.link is None:
            raise InputError(f'{self.source}: has {len(self.first.tip_names)} tips: name one by '
                             'link: ' + ', '.join(self.first.tip_names[:8]))
        return self.link


def sliding(arm: Robot) -> Array:
    """Tell which of an arm's joints slide, (n,)."""
    model = arm.model
    kinds = dict(zip(model.tree_joint_names, model.geometry.prismatic, strict=True))
    return np.array([bool(kinds.get(name, False)) for name in arm.joint_names], bool)
