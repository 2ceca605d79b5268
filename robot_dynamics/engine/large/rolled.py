"""Runs an algorithm over symbols once for all robots: its loops over the links stay loops.

An algorithm is copied with other globals (`np`, `len`, `range`): arrays with a row per link are
`LinkRows`, and a loop over the links is run once for every kind of link (`KINDS`), over the
symbols of a link `i`, its parent `p` and the root. What the rows of a link are computed from is
left as the `Pass` of that loop and kind, which emission.py writes as machine code.

It holds for algorithms like ours: every loop goes over all links, outward or inward, or from a
link `i` to the root (`inward`, over links `k`), and what one link leaves to another stands in
arrays.
Arrays with a row and a column per link (`Matrix`) are written alone, never read.
"""

import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np

from robot_dynamics.engine.tracing.program import reachable
from robot_dynamics.engine.tracing.symbols import Graph, Value
from robot_dynamics.model.denoc import OF_LINKS, Array, Geometry, Inertials

TO_ROOT = 2
KINDS = ((False, False), (True, False), (False, True), (True, True))  # (prismatic, at the root)
# What a row has that is more than a number
TAILS = {'d': (3,), 'offset': (3,), 'moment': (3,), 'inertia': (3, 3)}
# array; row ('i', 'k', 'p' or 'root'), or row and column of a matrix; component
Place = tuple[str, Any, int]


@dataclass(frozen=True)
class LinkRow:
    """Which row of an array: that of the link, of its parent, or of the root."""

    name: str
    kind: tuple[bool, bool] = (False, False)

    def __ge__(self, other: int) -> bool:
        """Tell whether the parent is a link: `parent[i] >= 0`."""
        return not self.kind[1]


class LinkCount:
    """The number of links, of which there may be any number."""

    def __init__(self, more: int = 0) -> None:
        self.more = more

    def __add__(self, other: int) -> 'LinkCount':
        return LinkCount(self.more + other)

    def __sub__(self, other: int) -> 'LinkCount':
        return LinkCount(self.more - other)


@dataclass
class Pass:
    """What one pass computes: the values of places, from what other places held before."""

    graph: Graph = field(default_factory=Graph)
    values: dict[Place, Value] = field(default_factory=dict)


Steps = list[Union[Pass, 'LinkLoop']]  # what one pass does: bodies, and a loop to the root


@dataclass
class LinkLoop:
    """A loop over the links, what to do for every kind of link; order 0: no loop, done once."""

    order: int  # +1 outward, -1 inward; TO_ROOT: from a link of the loop around it to the root
    passes: list[Steps]


@dataclass
class Rolled:
    """What is left of an algorithm: loops in order, its arrays with their tails, its results."""

    loops: list[LinkLoop] = field(default_factory=list)
    work: dict[str, tuple[int, ...]] = field(default_factory=dict)
    matrices: dict[str, tuple[int, ...]] = field(default_factory=dict)
    results: tuple[str, ...] = ()
    inside: bool = False  # a loop is being traced
    current: Pass = field(default_factory=Pass)

    @property
    def body(self) -> Pass:
        """What is being traced."""
        if not self.loops or self.loops[-1].order and not self.inside:
            self.current = Pass()
            self.loops.append(LinkLoop(0, [[self.current]]))
        return self.current

    def load(self, place: Place) -> Value:
        """Return what a place holds now."""
        body = self.body
        if place not in body.values:
            return body.graph.node('state', place[:2], place[2])
        return body.values[place]

    def rows(self, name: str, tail: tuple[int, ...]) -> 'LinkRows':
        """Return an array with a row per link."""
        return LinkRows(self, name, tail)

    def zeros(self, shape: Any, dtype: Any = None) -> Any:
        """Stand for np.zeros."""
        tail = tuple(shape[1:]) if isinstance(shape, tuple) else ()
        if tail and isinstance(tail[0], LinkCount):
            name = f'matrix{len(self.matrices)}'
            self.matrices[name] = tail[1:]
            return Matrix(self, name, tail[1:])
        name = f'work{len(self.work)}'
        self.work[name] = tail
        return self.rows(name, tail)

    def over_links(self, *bounds: Any) -> Iterator[Any]:
        """Stand for range: a loop over the links, what is in it run for every kind of link."""
        if all(isinstance(x, int) for x in bounds):
            yield from range(*bounds)
            return
        offsets = tuple(x.more if isinstance(x, LinkCount) else x for x in bounds)
        if offsets not in ((0,), (-1, -1, -1)) or not isinstance(bounds[0], LinkCount):
            raise TypeError('only loops over all links, outward or inward, can be traced')
        loop = LinkLoop(1 if len(bounds) == 1 else -1, [])
        self.loops.append(loop)
        self.inside = True
        for kind in KINDS:
            self.current = Pass()
            loop.passes.append([self.current])
            yield LinkRow('i', kind)
        self.inside = False

    def inward(self, geometry: Any, j: LinkRow) -> Iterator[LinkRow]:
        """Stand for joints.inward: a loop from link j of the loop around it to the root."""
        around, loop = self.loops[-1].passes[-1], LinkLoop(TO_ROOT, [])
        around.append(loop)
        for kind in KINDS:
            self.current = Pass()
            loop.passes.append([self.current])
            yield LinkRow('k', kind)
        self.current = Pass()
        around.append(self.current)


class LinkRows:
    """An array with a row per link, and one for the root."""

    dtype = object

    def __init__(self, loops: Rolled, name: str, tail: tuple[int, ...]) -> None:
        self.loops, self.name, self.tail = loops, name, tail
        self.components = np.arange(int(np.prod(tail, dtype=int))).reshape(tail)

    def split(self, key: Any) -> tuple[str, Array]:
        """Return the row and the components that a key means."""
        row, *rest = key if isinstance(key, tuple) else (key,)
        name = 'root' if isinstance(row, LinkCount) else row.name
        return name, np.asarray(self.components[tuple(rest)])

    def __getitem__(self, key: Any) -> Any:
        row, components = self.split(key)
        values = np.empty(components.shape, object)
        for at, k in np.ndenumerate(components):
            values[at] = self.loops.load((self.name, row, int(k)))
        return values if values.ndim else values[()]

    def __setitem__(self, key: Any, value: Any) -> None:
        row, components = self.split(key)
        given: Any = np.broadcast_to(np.asarray(value, object), components.shape)
        for at, k in np.ndenumerate(components):
            self.loops.body.values[self.name, row, int(k)] = given[at]


class Matrix:
    """An array with a row and a column per link: results, which are written alone."""

    def __init__(self, loops: Rolled, name: str, tail: tuple[int, ...]) -> None:
        self.loops, self.name, self.tail = loops, name, tail

    def __setitem__(self, key: tuple[Any, ...], value: Any) -> None:
        row, column, *rest = key
        k = int(np.ravel_multi_index(rest, self.tail)) if rest else 0
        self.loops.body.values[self.name, (row.name, column.name), k] = value


class Parents:
    """geometry.parent: the parent's row."""

    def __getitem__(self, row: LinkRow) -> LinkRow:
        return LinkRow('p', row.kind)


class Prismatic:
    """geometry.prismatic: known for each kind of link."""

    def __getitem__(self, row: LinkRow) -> bool:
        return row.kind[0]


class RootVectors:
    """inertials.base: plain vectors, read in the loop that asks."""

    def __init__(self, loops: Rolled) -> None:
        self.loops = loops

    def __getattr__(self, name: str) -> Any:
        return LinkRows(self.loops, name, (3,))[LinkCount()]


def trace_loops(function: Callable[..., Any], inputs: tuple[str, ...]) -> Rolled:
    """Return the loops of function(geometry, inertials, *inputs); inputs: rows of one number."""
    loops = Rolled()
    numpy = types.SimpleNamespace(zeros=loops.zeros, array=np.array, cos=np.cos, sin=np.sin)
    names = {'np': numpy, 'len': lambda rows: LinkCount(), 'range': loops.over_links,
             'inward': loops.inward}
    fields: dict[str, Any] = {name: loops.rows(name, TAILS.get(name, ()))
                              for name in Geometry._fields}
    fields.update(parent=Parents(), prismatic=Prismatic())
    links: dict[str, Any] = {name: loops.rows(name, TAILS.get(name, ())) for name in OF_LINKS}
    base: Any = RootVectors(loops)
    copied = copy_with(function, names, {})
    found = copied(Geometry(**fields), Inertials(**links, base=base),
                   *[loops.rows(x, ()) for x in inputs])
    loops.results = tuple(x.name for x in (found if isinstance(found, tuple) else (found,)))
    return loops


def copy_with(function: Any, names: dict[str, Any], made: dict[Any, Any]) -> Any:
    """Return a copy of a function, and of its helpers of this package, with other globals."""
    if function not in made:
        changed = {**function.__globals__, **names}
        for name in function.__code__.co_names:
            helper = changed.get(name)
            if (isinstance(helper, types.FunctionType)
                    and helper.__module__.startswith('robot_dynamics.')):
                changed[name] = copy_with(helper, names, made)
        made[function] = types.FunctionType(
            function.__code__, changed, function.__name__, function.__defaults__,
            function.__closure__)
    return made[function]


def bodies_of(loop: LinkLoop) -> Iterator[Pass]:
    """Yield all that is computed in a loop and in the loops to the root in it."""
    for steps in loop.passes:
        for step in steps:
            if isinstance(step, LinkLoop):
                yield from bodies_of(step)
            else:
                yield step


def read_first(loops: Rolled) -> set[str]:
    """Return the arrays with rows of links that are read before they are written: zeros, then."""
    written: set[tuple[str, int]] = set()
    found: set[str] = set()
    for loop in loops.loops:
        here = set.intersection(*(
            {(array, k) for step in steps if isinstance(step, Pass)
             for array, row, k in step.values if row == 'i'} for steps in loop.passes))
        outward = here if loop.order > 0 else set()  # the parent's row is written before
        for body in bodies_of(loop):
            for node in reachable(list(body.values.values())):
                if node.op == 'state' and node.a[0] in loops.work:
                    place = node.a[0], node.b
                    known = written if node.a[1] == 'i' else written | outward
                    if node.a[1] != 'root' and place not in known:
                        found.add(node.a[0])
        written |= here
    return found | {array for array in loops.results
                    if array in loops.work and (array, 0) not in written}
