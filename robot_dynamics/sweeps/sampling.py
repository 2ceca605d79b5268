"""Sampled design spaces: Latin hypercubes and Sobol's sequence, each point from its index."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robot_dynamics.errors import InputError
from robot_dynamics.inputs import vector
from robot_dynamics.model.denoc import Array
from robot_dynamics.sweeps.space import Space, count, named, whole

Words = NDArray[np.uint64]

BITS = 52  # of a sampled number: those of a float64 behind its leading one
ONE = np.uint64(0x3FF << BITS)  # the bits of 1.0
ROUNDS = 6  # of a permutation: from 6 on neighbours look unrelated, for 50 points and for 65536
TABLE = 4096  # points of Sobol's sequence that are kept, all others differ by one exclusive or


class Samples(Space):
    """Points that fill ranges: what Latin hypercubes and Sobol's sequence have in common.

    ranges: {variable: (low, high)}, numbers or arrays of one shape
    """

    def __init__(self, ranges: Mapping[str, Any], samples: int, seed: int = 0) -> None:
        self.ranges = {name: span(name, pair) for name, pair in named(ranges, 'ranges').items()}
        self.shapes = {name: low.shape for name, (low, _) in self.ranges.items()}
        self.points, self.seed = count('samples', samples), whole('seed', seed)
        sizes = [low.size for low, _ in self.ranges.values()]
        self.ends = np.cumsum(sizes).tolist()
        self.generator = np.random.Generator(np.random.PCG64(self.seed))

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what only the constructor needs."""
        return {key: value for key, value in self.__dict__.items() if key != 'generator'}

    def _content(self) -> Iterator[bytes]:
        """Give the ranges, and what chance decided."""
        for low, high in self.ranges.values():
            yield low.tobytes() + high.tobytes()
        yield from (word.tobytes() for word in self._words())

    def _words(self) -> tuple[Words, ...]:
        """Return what chance decided."""
        raise NotImplementedError

    def _unit(self, start: int, stop: int, columns: slice) -> Array:
        """Return some columns of the points in the unit cube, (columns, stop - start)."""
        raise NotImplementedError

    def _values(self, start: int, stop: int) -> dict[str, Array]:
        """Return some points: those of the unit cube, stretched to the ranges."""
        found, first = {}, 0
        for (name, (low, high)), last in zip(self.ranges.items(), self.ends, strict=True):
            unit = self._unit(start, stop, slice(first, last))
            unit *= (high - low).reshape(-1, 1)
            unit += low.reshape(-1, 1)
            found[name], first = np.ascontiguousarray(unit.T).reshape(-1, *low.shape), last
        return found


class LatinHypercube(Samples):
    """A Latin hypercube: of `samples` equal parts of each range, each has one point.

    ranges: {variable: (low, high)}, numbers or arrays of one shape
    samples: how many points; seed: another one gives other points
    The order in which a variable goes through its parts is a permutation that is computed for the
    index, not stored: odd multiples and shifts of its bits, which can all be undone.
    `InputError`: ranges that are none, more than 2^52 points.

    >>> space = rd.LatinHypercube({'q': ([-1, -2], [1, 2]), 'mass.2': (1, 5)}, samples=4)
    >>> np.sort(np.floor(space.block(0, 4)['mass.2']))
    array([1., 2., 3., 4.])
    """

    def __init__(self, ranges: Mapping[str, Any], samples: int, seed: int = 0) -> None:
        super().__init__(ranges, samples, seed)
        drawn = self.generator.integers(0, 2 ** 64, (2, ROUNDS + 1, self.ends[-1]), np.uint64)
        self.keys, self.factors = drawn[0], drawn[1] | np.uint64(1)

    def _words(self) -> tuple[Words, ...]:
        """Return keys and factors of the permutations."""
        return self.keys, self.factors

    def _unit(self, start: int, stop: int, columns: slice) -> Array:
        """Return the parts in which some points are, and places within them by chance."""
        keys, factors = self.keys[:, columns, None], self.factors[:, columns, None]
        index = np.arange(start, stop, dtype=np.uint64)
        part = np.repeat(index[None], keys.shape[1], axis=0)
        shuffle(part, keys, factors, self.points)
        for k, row in enumerate(part):  # walk on along the cycle until inside
            at = np.flatnonzero(row >= self.points)
            while len(at):
                again = row[at]
                shuffle(again, keys[:, k], factors[:, k], self.points)
                row[at] = again
                at = at[again >= self.points]
        place = mixed((index + keys[ROUNDS]) * factors[ROUNDS])
        place >>= np.uint64(64 - BITS)
        place |= ONE
        unit = place.view(np.float64)
        unit -= 1.0
        unit += part
        unit /= self.points
        return unit


def shuffle(x: Words, keys: Words, factors: Words, points: int) -> None:
    """Permute numbers in place, all below the power of two that is not below `points`."""
    bits = max(2, (points - 1).bit_length())
    mask, half = np.uint64(2 ** bits - 1), np.uint64((bits + 1) // 2)
    shifted = np.empty_like(x)
    for k in range(ROUNDS):
        x += keys[k]
        x *= factors[k]
        x &= mask
        x ^= np.right_shift(x, half, out=shifted)


def mixed(x: Words) -> Words:
    """Make numbers look like chance, in place, one for one (the finalizer of MurmurHash3)."""
    shift = np.uint64(33)
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        x ^= x >> shift
        x *= np.uint64(factor)
    x ^= x >> shift
    return x


class Sobol(Samples):
    """Sobol's sequence, shifted by chance: low discrepancy, best with a power of two of samples.

    ranges: {variable: (low, high)}, numbers or arrays of one shape
    samples: how many points; seed: another one gives other points
    The numbers of Joe and Kuo are scipy's. Points with the same upper bits of the index differ by
    one exclusive or from those of a table.
    `InputError`: ranges that are none, more than 2^52 points or 21,201 numbers.

    >>> space = rd.Sobol({'q': ([-1, -2], [1, 2]), 'mass.2': (1, 3)}, samples=2 ** 20, seed=7)
    >>> space.block(500_000, 500_100)['q'].shape
    (100, 2)
    """

    def __init__(self, ranges: Mapping[str, Any], samples: int, seed: int = 0) -> None:
        super().__init__(ranges, samples, seed)
        D = self.ends[-1]
        self.directions = directions(D)
        self.shift = self.generator.integers(0, 2 ** BITS, D, np.uint64)
        self.table = first_points(self.directions)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the table, which is large and soon made."""
        return {key: value for key, value in super().__getstate__().items() if key != 'table'}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make the table again."""
        self.__dict__.update(state, table=first_points(state['directions']))

    def _words(self) -> tuple[Words, ...]:
        """Return directions and shift."""
        return self.directions, self.shift

    def _unit(self, start: int, stop: int, columns: slice) -> Array:
        """Return points as the bits behind the leading one of numbers from 1 to 2, less 1."""
        unit = np.empty((columns.stop - columns.start, stop - start))
        words, table = unit.view(np.uint64), self.table[columns]
        for first in range(start - start % TABLE, stop, TABLE):
            begin, end = max(start, first), min(stop, first + TABLE)
            np.bitwise_xor(table[:, begin - first:end - first], self._upper(first)[columns, None],
                           out=words[:, begin - start:end - start])
        unit -= 1.0
        return unit

    def _upper(self, first: int) -> Words:
        """Return what an index whose lower bits are zero has in common with those after it."""
        gray = first ^ (first >> 1)
        word: Words = self.shift | ONE
        for k in range(gray.bit_length()):
            if gray >> k & 1:
                word = word ^ self.directions[k]
        return word


def first_points(directions: Words) -> Words:
    """Return the points of the table, (D, 4096), not shifted."""
    table = np.zeros((directions.shape[1], 1), np.uint64)
    for direction in directions[:TABLE.bit_length() - 1, :, None]:
        table = np.concatenate([table, table[:, ::-1] ^ direction], axis=1)  # Gray code: reversed
    return table


def directions(D: int) -> Words:
    """Return the direction numbers of D variables, (52, D), as scipy has them.

    `InputError`: more variables than scipy has numbers for; `RuntimeError`: another scipy than
    this code knows
    """
    from scipy.stats import qmc
    if D > qmc.Sobol.MAXDIM:
        raise InputError(f'ranges: {D} numbers: expected at most {qmc.Sobol.MAXDIM}')
    engine = qmc.Sobol(D, scramble=False, bits=BITS)
    found = np.ascontiguousarray(np.asarray(engine._sv, np.uint64).T)  # leaps of its own hang
    if found.shape != (BITS, D) or not sound(found, engine.random(256)):
        raise RuntimeError('this scipy makes Sobol points in another way')
    return found


def sound(found: Words, points: Array) -> bool:
    """Tell whether direction numbers give scipy's first points, and later ones can be such.

    Direction k has a one at place k behind the point, and nothing behind that.
    """
    n = np.arange(len(points), dtype=np.uint64)
    words, gray = np.zeros(points.shape, np.uint64), n ^ (n >> np.uint64(1))
    for k in range(8):
        words ^= ((gray >> np.uint64(k)) & np.uint64(1))[:, None] * found[k]
    last = np.uint64(1) << np.arange(BITS - 1, -1, -1, dtype=np.uint64)[:, None]
    return np.array_equal(words * 2.0 ** -BITS, points) and bool(
        ((found & (last + last - np.uint64(1))) == last).all())


def span(name: str, pair: Any) -> tuple[Array, Array]:
    """Return the ends of a range, of one shape."""
    if not hasattr(pair, '__len__') or len(pair) != 2:
        raise InputError(f'{name}={str(pair)[:80]}: expected (low, high)')
    low, high = (vector(name, end, np.shape(end)) for end in pair)
    try:
        low, high = (end.copy() for end in np.broadcast_arrays(low, high))
    except ValueError:
        raise InputError(f'{name}: ends of shapes {low.shape} and {high.shape}: expected one '
                         'shape') from None
    if not low.size or (low > high).any():
        raise InputError(f'{name}: expected ranges from low to high, found {str(pair)[:80]}')
    return low, high
