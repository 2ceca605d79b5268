"""Workspace: the area or volume that a link's origin can reach, joint limits respected.

In closed form where there is one (closed_forms.py), else by sampling: the box round the arm is cut
into equal cells, one point of each is tried (reach.py), and the cells whose point is reached are
counted. The error bound is at 99 %: of the count, whose variance comes from the cells where
reached and not reached meet, at most 1/4 each; and of points that the search may have missed, by
trying it on points known to be reachable.
"""

from typing import NamedTuple

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.model.denoc import Array
from robot_dynamics.selection.closed_forms import closed_form
from robot_dynamics.selection.family import Family
from robot_dynamics.selection.reach import Known, nearest, reached

SIGMAS = 2.576  # of 99 %, two-sided
DOUBT = 0.01
MARGIN = 0.04  # of the box round known points
KNOWN = 4096  # postures to start from
POINTS = 16_000  # cells
TRIALS = 2000  # points known to be reachable, to see what the search misses
FEW = {'known': 1024, 'points': 1000, 'trials': 100}  # for each of many variants
MECHANISM = {'known': 512, 'points': 1000, 'trials': 200}  # whose loops take their time
COVER = 200  # points by which it is judged how dense known postures are
SPAN = 1e-7  # part of the largest extent below which there is none
UNITS = {1: 'm', 2: 'm^2', 3: 'm^3'}


class Workspace(NamedTuple):
    """Of N arms: value and error (N,), 0 for closed forms; dimension 1 to 3; how it was found."""

    value: Array
    error: Array
    dimension: int
    how: tuple[str, ...]


def workspace(family: Family, seed: int = 0) -> Workspace:
    """Return the workspaces of a family's arms; `InputError` where they have none to measure."""
    refuse(family)
    closed = [closed_form(family.one(i), family.ranges, family.tip) for i in range(
        family.N if closed_form(family.first, family.ranges, family.tip) else 0)]
    if closed and all(x is not None for x in closed):
        found = [x for x in closed if x is not None]
        return Workspace(np.array([x[0] for x in found]), np.zeros(family.N),
                         found[0][2], tuple(x[1] for x in found))
    return sampled(family, seed)


def refuse(family: Family) -> None:
    """Raise `InputError` for arms without bounds."""
    if family.ranges.endless.any():
        raise InputError('the workspace has no bounds')


def sampled(family: Family, seed: int = 0) -> Workspace:
    """Return workspaces by sampling, whatever closed forms there are."""
    refuse(family)
    sizes = FEW if family.N > 1 else MECHANISM if family.looped else {
        'known': KNOWN, 'points': POINTS, 'trials': TRIALS}
    values, errors, dimension = [], [], 0
    for part in family.parts(sizes['known']):
        value, error, dimension = measure(part, seed, **sizes)
        values.append(value)
        errors.append(error)
    how = f'sampled, {sizes["points"]} cells'
    return Workspace(np.concatenate(values), np.concatenate(errors), dimension,
                     (how,) * family.N)


def measure(family: Family, seed: int, known: int, points: int,
            trials: int) -> tuple[Array, Array, int]:
    """Return areas or volumes (N,), their bounds (N,) and the dimension."""
    generator = np.random.default_rng(seed)
    frame = known_postures(family, known, seed)
    N, d = len(frame.size), frame.basis.shape[1]
    m = max(4, round(points ** (1 / d)))
    low, high = np.nanmin(frame.at, axis=1), np.nanmax(frame.at, axis=1)
    margin = MARGIN * (high - low).max(axis=1, keepdims=True) * np.ones(d)
    for _ in range(6):
        low, high = low - margin, high + margin
        cell = (high - low) / m
        corners = np.stack(np.meshgrid(*[np.arange(m)] * d, indexing='ij'), -1).reshape(-1, d)
        place = corners[None] + generator.uniform(0, 1, (N, m ** d, d))
        tried = (low[:, None] + place * cell[:, None]).reshape(-1, d)
        owner = np.repeat(np.arange(N), m ** d)
        inside = reached(family, frame, owner, tried).reshape(N, *[m] * d)
        if not touches(inside):  # else the box was too small for what is reachable
            break
    size = np.prod(cell, axis=1)
    value = inside.reshape(N, -1).sum(axis=1) * size
    missed = miss_rate(family, frame, generator, trials)
    error = SIGMAS * size * np.sqrt(mixed_cells(inside)) / 2 + value * missed
    return value, error, d


def known_postures(family: Family, known: int, seed: int) -> Known:
    """Return postures that fill the joints' ranges, and where they bring the link."""
    q, N = family.postures(known, seed), family.N
    owner = np.repeat(np.arange(N), known)
    tips = family.tips(owner, np.tile(q, (N, 1))).reshape(N, known, 3)
    origin = np.nanmean(tips, axis=1)
    centred = np.where(np.isfinite(tips), tips - origin[:, None], 0.0)
    _, extent, axes = np.linalg.svd(centred, full_matrices=False)
    size = np.abs(centred).max(axis=(1, 2))
    d = int((extent[0] > SPAN * max(extent[0][0], 1e-300)).sum()) if size[0] > 0 else 0
    J = family.motion(np.zeros(known, int), q) if d else np.zeros((1, 3, 1))
    J = J[np.isfinite(J).all(axis=(1, 2))]
    s = np.linalg.svd(J, compute_uv=False) / max(float(size[0]), 1e-300)
    freedoms = int((s.max(axis=0) > SPAN).sum())
    if not d or freedoms < d:
        raise InputError('no workspace to measure: the tip '
                         + ('stays where it is' if not d else 'moves on a curved surface'
                            if freedoms == 2 else 'moves along a curve'))
    basis = axes[:, :d] if d < 3 else np.broadcast_to(np.eye(3), (N, 3, 3))
    at = np.einsum('idk,isk->isd', basis, tips - origin[:, None])
    frame = Known(q, at, origin, np.ascontiguousarray(basis), size, np.full(N, np.inf))
    owner, points = reachable_points(family, frame, np.random.default_rng(seed + 1), COVER)
    cover, away = np.zeros(N), nearest(frame, owner, points)[1]
    np.maximum.at(cover, owner, 2 * away)
    return frame._replace(cover=cover)


def reachable_points(family: Family, frame: Known, generator: np.random.Generator,
                     trials: int) -> tuple[Array, Array]:
    """Return points that can be reached, by chance: whose they are (M,), where (M, d)."""
    ranges, N = family.ranges, family.N
    q = generator.uniform(ranges.lower, ranges.upper, (N * trials, family.n))
    owner = np.repeat(np.arange(N), trials)
    tips = frame.coordinates(owner, family.tips(owner, q))
    there = np.isfinite(tips).all(axis=1)
    return owner[there], tips[there]


def touches(inside: Array) -> bool:
    """Tell whether reached cells lie in the outermost layer of the box."""
    return any(bool(np.take(inside, [0, -1], axis=k).any()) for k in range(1, inside.ndim))


def mixed_cells(inside: Array) -> Array:
    """Return how many cells have a neighbour, corners included, that is not as they are, (N,)."""
    from scipy.ndimage import maximum_filter, minimum_filter
    size = (1, *[3] * (inside.ndim - 1))
    counted = maximum_filter(inside, size) != minimum_filter(inside, size)
    cells: Array = counted.reshape(len(inside), -1).sum(axis=1)
    return cells


def miss_rate(family: Family, frame: Known, generator: np.random.Generator,
              trials: int) -> float:
    """Return a bound of the part of reachable points that the search does not reach."""
    from scipy.stats import beta
    found = reached(family, frame, *reachable_points(family, frame, generator, trials))
    missed, total = int((~found).sum()), len(found)
    return float(beta.ppf(1 - DOUBT, missed + 1, max(1, total - missed)))  # Clopper and Pearson
