"""Measures over postures that are spread evenly over the joints' ranges, and their extremes."""

from collections.abc import Callable

import numpy as np

from robot_dynamics.model.denoc import Array
from robot_dynamics.selection.family import Family

Measure = Callable[[Family, Array, Array], Array]  # family, owner (M,), q (M, n): (M,)
ROUNDS = 30  # of steps towards an extreme


def over_postures(family: Family, measure: Measure, samples: int) -> Array:
    """Return a measure of every arm in evenly spread postures, (N, samples)."""
    q, found = family.postures(samples), []
    for part in family.parts(samples):
        owner = np.repeat(np.arange(part.N), samples)
        found.append(measure(part, owner, np.tile(q, (part.N, 1))).reshape(part.N, samples))
    return np.concatenate(found)


def extreme(family: Family, measure: Measure, values: Array, sign: int) -> Array:
    """Return the largest (sign 1) or least (-1) value of every arm, (N,).

    From the best of the postures of `over_postures`, along the joints, in steps that become
    smaller.
    """
    q, ranges = family.postures(values.shape[1]), family.ranges
    score = np.where(np.isnan(values), -np.inf, sign * values)
    take = min(4, values.shape[1])
    best = np.argsort(-score, axis=1, kind='stable')[:, :take]
    found = []
    for part, picked, ahead in zip(
            family.parts(8 * family.n), *(chunks(x, family, 8 * family.n) for x in (
                best, np.take_along_axis(score, best, axis=1))), strict=True):
        owner = np.repeat(np.arange(part.N), take)
        height = climb(part, measure, owner, q[picked].reshape(-1, family.n), ahead.ravel(), sign,
                       0.1 * (ranges.upper - ranges.lower))
        found.append(height.reshape(part.N, take).max(axis=1))
    return sign * np.concatenate(found)


def chunks(array: Array, family: Family, states: int) -> list[Array]:
    """Return an array (N, ...) in the parts of a family."""
    sizes = np.cumsum([part.N for part in family.parts(states)])[:-1]
    return np.split(array, sizes)


def climb(family: Family, measure: Measure, owner: Array, q: Array, height: Array, sign: int,
          step: Array) -> Array:
    """Return heights (M,) after steps along each joint that go up."""
    ranges, q, height = family.ranges, q.copy(), height.copy()
    moves = np.concatenate([np.eye(family.n), -np.eye(family.n)])
    size = np.ones(len(q))
    for _ in range(ROUNDS):
        tried = q[:, None] + moves * step * size[:, None, None]
        tried = np.where(ranges.free, tried, np.clip(tried, ranges.lower, ranges.upper))
        found = sign * measure(family, np.repeat(owner, len(moves)), tried.reshape(-1, family.n))
        found = np.where(np.isnan(found), -np.inf, found).reshape(len(q), -1)
        k = found.argmax(axis=1)
        top = found[np.arange(len(q)), k]
        up = top > height
        q[up], height[up] = tried[np.flatnonzero(up), k[up]], top[up]
        size[~up] *= 0.4
    return height
