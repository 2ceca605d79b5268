"""Definition: what a kernel is. Catalogue lists them; nothing else needs to know a kernel."""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from robot_dynamics.engine.tracing.program import Outputs
from robot_dynamics.engine.tracing.symbols import SMALL
from robot_dynamics.model.coordinates import Coordinates
from robot_dynamics.model.linear import Linear

if TYPE_CHECKING:
    from robot_dynamics.engine.numbers import Numbers
    from robot_dynamics.engine.tracing.trace import Spec

STEPS = (3,)  # of Newton's method from `near`: e becomes e^4
TINY = 1e-290  # lost in rounding beside 1
ALONE = 1.5  # times as many links are traced where no general recursion stands behind

Options = tuple[tuple[str, Any], ...]  # names and values, hashable; part of a kernel's identity


class Each(NamedTuple):
    """Stands in an option for a number that every robot of a stack has its own of: number k."""

    k: int


def with_each(options: Mapping[str, Any], value: Callable[[int], Any]) -> dict[str, Any]:
    """Return options with value(k) for every Each(k)."""
    def walk(x: Any) -> Any:
        if type(x) is Each:
            return value(x.k)
        return tuple(map(walk, x)) if type(x) is tuple else x
    return {name: walk(x) for name, x in options.items()}


def count_each(options: Options) -> int:
    """Return how many numbers of the options every robot has its own of."""
    found: list[int] = []
    with_each(dict(options), found.append)
    return len(found)


@dataclass(frozen=True)
class Definition:
    """A kernel: what it takes, what it gives, how it is computed.

    The contract for whoever adds one:

    1. `outputs(m, *inputs, **options)` computes it, over a robot `m` in numbers of any kind
       (numbers.py) and the user's arguments, one state each. It returns Outputs: the results row
       by row, one after the other, and guards, pairs (a, b) with a > b for them to hold (a pivot
       and what it must exceed, joint by joint). It must not branch on a number that is known at
       run time only; loops over links and constants are as usual.
    2. `inputs` are the names of its arguments. A name decides the size: q has nq numbers, of
       mechanisms `values` those that users give and `applied` one for each joint, all others nv.
       `external` stands last and for as many arguments of six numbers as the option `frames` has
       frames, none without.
    3. `shapes(n, L)` are the shapes of its results: one, or several. Kernels of
       mechanisms, or of manifolds, alone are `looped`: theirs are made of the coordinates.
    4. `algorithms` is the table of methods by name that compete for it, if there are some:
       `outputs` then takes the option `algorithm`. The leanest after tracing is compiled, or the
       one that the user names. `alike(coordinates)`, which stand at some q, are those whose
       operations are another's once zeros are folded: they are not traced to compete.
    5. `options` are the names of what must be compiled in besides: `link` and `frame` for kernels
       of one link. What may be is optional in the signature of `outputs`: `frames` for links on
       which wrenches act, ... `assembly` is an option of all kernels of mechanisms that begin
       with q: 'placed' or 'near', with which q are the independent joints alone, and the kernel
       assembles the others first; `near` then stands before q.
    6. `full` tells that every inertial parameter counts, not only what moves the joints
       (regroup.py).
    7. `largest` is the number of links up to which it is traced. Beyond, `general` names the
       recursion of general.py that answers, by the options that it knows. It knows no floating
       joints and no loops: with them half as many links more are traced, and beyond, or without
       a recursion, the algorithms over floats answer.
    8. One line in catalogue.py makes it known: calls, batches, `out=`, counting, export and errors
       follow.
    """

    outputs: Callable[..., Outputs]
    inputs: tuple[str, ...]
    shapes: Callable[..., tuple[tuple[int, ...], ...]]
    algorithms: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    alike: Callable[[Coordinates], Collection[str]] = lambda coordinates: ()
    options: tuple[str, ...] = ()
    full: bool = False
    largest: int = 128
    general: Mapping[Options, str] = field(default_factory=dict)
    looped: bool = False

    def traces(self, spec: 'Spec') -> bool:
        """Tell whether it is traced for a robot of this size."""
        more = 1.0 if isinstance(spec.coordinates, Linear) else ALONE
        return spec.L <= more * self.largest

    def sizes(self, spec: 'Spec', options: Options) -> dict[str, int]:
        """Return how many numbers each argument of one state has."""
        own = {'q': spec.coordinates.nq, 'values': given(spec),
               'applied': spec.coordinates.joints}
        sizes = {name: own.get(name, spec.n) for name in self.inputs if name != 'external'}
        assembly = dict(options).get('assembly')
        if assembly is not None:  # q are the independent joints of a mechanism
            after = {'near': sizes['q']} if assembly == 'near' else {}
            sizes = {**after, **sizes, 'q': given(spec)}
        pulled = dict(options).get('frames', ()) if 'external' in self.inputs else ()
        return {**sizes, **{f'external_{k}': 6 for k in range(len(pulled))}}

    def result_shapes(self, spec: 'Spec') -> tuple[tuple[int, ...], ...]:
        """Return the shapes of its results for one robot."""
        return (self.shapes(spec.coordinates) if self.looped
                else self.shapes(spec.n, spec.L))

    def compute(self, m: 'Numbers', arguments: list[Any], options: Mapping[str, Any]) -> Outputs:
        """Return the outputs for one state; their last guards are the coordinates'."""
        guards: list[Any] = []
        if 'assembly' in options:
            arguments, guards = assembled(m, arguments, options['assembly'])
            options = {key: value for key, value in options.items() if key != 'assembly'}
        if 'q' not in self.inputs:
            return self.outputs(m, *arguments, **options)
        q = arguments[self.inputs.index('q')]
        m = m.at(q)
        outputs = self.outputs(m, *arguments, **options)
        values = outputs.values
        if guards and q.dtype == object:
            values = marked(values, guards)
        return Outputs(values, [*outputs.guards, *m.coordinates.guards(q), *guards])

    def shape(self, spec: 'Spec') -> tuple[int, ...]:
        """Return the shape of the result; several stand flat one after the other."""
        shapes = self.result_shapes(spec)
        if len(shapes) == 1:
            return shapes[0]
        return (sum(math.prod(shape) for shape in shapes),)


def marked(values: list[Any], guards: list[Any]) -> list[Any]:
    """Return results the first of which is nan where a guard fails: a batch shows which."""
    one = sum(np.sqrt(a - b) for a, b in guards) * TINY + 1.0
    first = next((k for k, x in enumerate(values) if not isinstance(x, (int, float))), None)
    return [x * one if k == first else x for k, x in enumerate(values)]


def given(spec: 'Spec') -> int:
    """Return how many values users give of a mechanism's independent joints."""
    loops = getattr(spec.coordinates, 'loops', None)
    return spec.n if loops is None else len(loops.values)


def assembled(m: 'Numbers', arguments: list[Any], how: str) -> tuple[list[Any], list[Any]]:
    """Return the arguments with q of a whole mechanism, and what must hold for it."""
    loops: Any = m.coordinates
    if how == 'placed':
        q, guards = loops.loops.placed(arguments[0])
        return [q, *arguments[1:]], guards
    near, values, *rest = arguments
    turned: list[Any] | None = [] if near.dtype == object and loops.tree.flat else None
    q, left = loops.loops.closed(values, near, STEPS, turned)
    return [q, *rest], [(loops.loops.enough, left),
                        *([(SMALL ** 2, sum(turned))] if turned else [])]
