"""Choosing: losses beside the best, weights, and the Pareto front."""

from collections.abc import Mapping, Sequence

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.inputs import choice, mapping, number
from robot_dynamics.model.denoc import Array
from robot_dynamics.selection.criteria import CRITERIA, SIMPLICITY, TIE

EQUAL = 1e-9  # scores that differ by less are ties


def check_weights(weights: object, criteria: Sequence[str]) -> dict[str, float]:
    """Return weights by criterion, not negative; Bhangale2004's where none are given."""
    if weights is None:
        return {name: w for name, w in SIMPLICITY.items() if name in criteria} or {
            name: 1.0 for name in criteria}
    found = {}
    for name, value in mapping('weights', weights).items():
        weight = number(f'weights[{name!r}]', value)
        choice('weights', name, criteria)
        if weight < 0:
            raise InputError(f'weights[{name!r}]={weight:g}: expected 0 or more')
        found[name] = weight
    if not any(found.values()):
        raise InputError('weights: expected one above zero')
    return found


def oriented(name: str, values: Array) -> Array:
    """Return values of a criterion so that more is better; what is missing is the worst."""
    signed = CRITERIA[name].better * values
    return np.where(np.isnan(signed), -np.inf, signed)


def best(name: str, values: Array, spread: Array | None = None) -> Array:
    """Tell which arms have the better value, within spreads, (N,)."""
    score = oriented(name, values)
    if not np.isfinite(score).any():
        return np.zeros(len(values), bool)
    top = int(np.argmax(score))
    room = 0.0 if spread is None else spread + spread[top]
    near: Array = score + np.nan_to_num(room) >= score[top] - 1e-12 * abs(score[top])
    return near


def loss(name: str, values: Array, spread: Array | None = None) -> Array:
    """Return how far values are behind the best, as a part of the larger of the two, 0 to 1."""
    score = oriented(name, values)
    if not np.isfinite(score).any():
        return np.zeros(len(values))
    top = score.max()
    with np.errstate(all='ignore'):
        lost = (top - score) / np.maximum(np.abs(score), abs(top))
    lost = np.where(score == top, 0.0, np.where(np.isfinite(score), lost, 1.0))
    return np.where(best(name, values, spread), 0.0, np.clip(lost, 0.0, 1.0))


def scores(columns: Mapping[str, Array], spreads: Mapping[str, Array],
           weights: Mapping[str, float]) -> Array:
    """Return the weighted mean of the losses, (N,): 0 is the best in all that counts."""
    total = sum(weights.values())
    return sum((w / total * loss(name, columns[name], spreads.get(name))
                for name, w in weights.items()), np.zeros(len(next(iter(columns.values())))))


def choose(columns: Mapping[str, Array], spreads: Mapping[str, Array],
           weights: Mapping[str, float], able: Array) -> int:
    """Return which arm has the least score among those able to do their tasks.

    Ties are broken by the GIM's condition, then by order.
    """
    score = scores(columns, spreads, weights)
    score = np.where(able, score, score + 2.0)  # only where nobody is able
    tied = np.flatnonzero(score <= score.min() + EQUAL)
    if TIE in columns and len(tied) > 1:
        value = oriented(TIE, columns[TIE])[tied]
        return int(tied[int(np.argmax(value))])
    return int(tied[0])


def front(columns: Mapping[str, Array], spreads: Mapping[str, Array],
          names: Sequence[str]) -> Array:
    """Return which arms nobody beats in all criteria, (F,); within spreads values are equal."""
    rows = []
    for name in names:
        score = oriented(name, columns[name])
        if name in spreads:  # round to the spread: values closer than that are one
            score = grouped(score, spreads[name])
        rows.append(score)
    if not rows:
        return np.arange(len(next(iter(columns.values()))))
    points = np.stack(rows, axis=1)
    order = np.lexsort(points.T[::-1])[::-1]
    kept: list[int] = []
    for i in order:  # whoever dominates comes before: it is larger in the first that differs
        front_points = points[kept]
        dominated = ((front_points >= points[i]).all(axis=1)
                     & (front_points > points[i]).any(axis=1)).any() if kept else False
        if not dominated:
            kept.append(int(i))
    return np.sort(np.array(kept, int))


def grouped(values: Array, spread: Array) -> Array:
    """Return values of which those within each other's spreads are the same."""
    order = np.argsort(-values, kind='stable')
    result, top = values.copy(), order[0]
    for i in order:
        if values[i] + np.nan_to_num(spread[i]) < values[top] - np.nan_to_num(spread[top]):
            top = i
        result[i] = values[top]
    return result
