"""Gaps: joint values that close loops as well as they can be closed, and what is said of the rest.

Newton's method follows a branch, and ends anywhere where the loops cannot close. The least gap is
looked for from several poses, by steps that only ever make it smaller; a loop of revolute joints
with parallel axes that cannot close has one such minimum, others may have several.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from robot_dynamics.algorithms import closure
from robot_dynamics.algorithms.dyads import find_dyad
from robot_dynamics.mechanism.loops import CLOSED, Loops
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.floating import neutral
from robot_dynamics.model.model import Limits

OPEN = 1e-5  # one that no joint can close better is said to be open; between, a note says it
STEP = 0.3  # [rad, or part of the length] the longest step towards closure
DEGREES = 4 * np.pi  # [rad] an angle beyond it may have been meant in degrees
NEARLY = 0.01  # part of the length below which Newton's method closes what can be closed
NUDGE, SPREAD = 0.2, np.pi  # [rad, or parts of the length] how far other poses to begin with are
NUDGED, SPREAD_OUT = 3, 6  # how many there are of each
PATIENT, QUICK = 600, 120  # steps towards closure that a search may take, in all
SETTLED = 1e-6  # part of a gap: a step that takes off less was the last but for a few


def close(loops: Loops, q: Array, joints: Sequence[int], most: int = 60) -> tuple[Array, float]:
    """Return joint values that close the loops, by Newton's method on some joints, and the rest.

    The rest is the norm of `Loops.residual`: no least one where the loops cannot close.
    """
    picked, best, least = list(joints), q, float(np.linalg.norm(loops.residual(q)))
    for _ in range(most):
        J = loops.jacobian(q)[:, picked]
        step = np.linalg.lstsq(J, -loops.gaps(q), rcond=1e-10)[0]
        step *= min(1.0, STEP / max(np.abs(step).max(initial=0.0), 1e-300))
        q = moved(loops, q, picked, step)
        left = float(np.linalg.norm(loops.residual(q)))
        if left < least:
            best, least = q, left
        elif left < CLOSED or np.abs(step).max(initial=0.0) < 1e-14:
            break
    return best, least


def moved(loops: Loops, q: Array, joints: Sequence[int], step: Array) -> Array:
    """Return values of the tree after some of its joints moved."""
    move = np.zeros(loops.tree.nv)
    move[list(joints)] = step
    return loops.tree.integrate(q, move)


def search(loops: Loops, poses: Sequence[Array], joints: Sequence[int], steps: int = PATIENT
           ) -> tuple[Array, float, int]:
    """Return the closed pose nearest to the first one, or that of the least gap.

    poses: joint values of the tree to begin with, others are taken near the first; joints: the
    ones that may move; steps: how many there may be, from all poses together. Also returned: the
    norm of `Loops.residual`, and how many ways to close the loops there are among those found.
    The same arguments give the same answer.
    """
    closed, least = list[tuple[bool, float, Array, float]](), (poses[0], np.inf)
    for pose in (*poses, *around(loops, poses[0], joints)):
        q, left, taken = descend(loops, pose, joints, steps)
        steps -= taken
        if left < NEARLY:
            q, left = close(loops, q, joints)
        if left > OPEN:
            least = min(least, (q, left), key=lambda found: found[1])
        else:
            q, away = without_turns(loops, poses[0], q)
            if not any(np.abs(loops.tree.difference(q, other)).max() < 1e-6
                       for _, _, other, _ in closed):
                closed.append((bool(loops.turned_over(q)), round(away, 6), q, left))
        if steps <= 0:
            break
    if not closed:
        return *least, 0
    _, _, q, left = min(closed, key=lambda found: found[:2])
    return q, left, len(closed)


def without_turns(loops: Loops, near: Array, q: Array) -> tuple[Array, float]:
    """Return values less than half a turn from others, and how far they are at most."""
    away = loops.tree.difference(near, q)
    away -= np.where(loops.turning, 2 * np.pi * np.round(away / (2 * np.pi)), 0.0)
    return loops.tree.integrate(near, away), float(np.abs(away).max(initial=0.0))


def plain_turns(loops: Loops, q: Array, limits: Limits | None = None) -> Array:
    """Return the same pose with angles within half a turn from zero, or within their limits."""
    plain, _ = without_turns(loops, neutral(loops.tree), q)
    if np.linalg.norm(loops.residual(plain)) > np.linalg.norm(loops.residual(q)) + OPEN:
        return q  # with gears a full turn of one is none of the other
    return plain if limits is None else within_limits(loops, plain, limits)


def within_limits(loops: Loops, q: Array, limits: Limits) -> Array:
    """Return the same pose with angles that are within their limits where full turns do that."""
    values, turns = loops.tree.joint_values(q), np.zeros(loops.tree.nv)
    for k in np.flatnonzero(loops.turning):
        beyond = max(limits.lower[k] - values[k], values[k] - limits.upper[k])
        side = np.sign(limits.lower[k] - values[k])
        turn = 2 * np.pi * np.ceil(beyond / (2 * np.pi)) * side
        if beyond > 0 and limits.lower[k] <= values[k] + turn <= limits.upper[k]:
            turns[k] = turn
    return loops.tree.integrate(q, turns)


def around(loops: Loops, q: Array, joints: Sequence[int]) -> Iterator[Array]:
    """Yield poses near q, then ones all over, the same at every call."""
    generator, picked = np.random.default_rng(0), list(joints)
    scale = np.where(np.array(loops.turning)[picked], 1.0, loops.length / np.pi)
    for size, count in ((NUDGE, NUDGED), (SPREAD, SPREAD_OUT)):
        for _ in range(count):
            yield moved(loops, q, picked, generator.uniform(-size, size, len(picked)) * scale)


def descend(loops: Loops, q: Array, joints: Sequence[int], most: int
            ) -> tuple[Array, float, int]:
    """Return values at a minimum of the misfit, by the method of Levenberg and Marquardt.

    Also returned: its norm, in parts of the length, and the steps taken, `most` at most
    """
    picked, damping, taken, few = list(joints), 1e-2, 0, 0
    gaps, J = misfit(loops, q, picked)
    while taken < most and few < 3:
        slope, size = J.T @ gaps, float((J * J).sum(axis=0).max(initial=0.0))
        if np.abs(slope).max(initial=0.0) <= 1e-9 * np.sqrt(size) * np.linalg.norm(gaps):
            break
        step = -np.linalg.solve(J.T @ J + damping * size * np.eye(len(picked)), slope)
        ahead = moved(loops, q, picked, step)
        (others, slopes), taken = misfit(loops, ahead, picked), taken + 1
        gain = float(gaps @ gaps - others @ others)
        few = few + 1 if abs(gain) < SETTLED * (gaps @ gaps) else 0
        if gain > 0.0:
            hoped = float(step @ (damping * size * step - slope))
            damping *= max(1 / 3, 1 - (2 * gain / hoped - 1) ** 3)  # Nielsen
            q, gaps, J = ahead, others, slopes
        else:
            damping *= 4.0
    return q, float(np.linalg.norm(gaps)) / loops.length, taken


def misfit(loops: Loops, q: Array, joints: Sequence[int]) -> tuple[Array, Array]:
    """Return how loops and gears fail to fit, (rows,) [m], and the derivative by some joints.

    Loops that are closed with axes opposite to each other, a half turn off, do not fit.
    """
    at, geometry = loops.standing(q)
    parts = [closure.misfit(geometry, at, cut, loops.length) for cut in loops.cuts]
    gears = loops.gaps(q)[loops.rows - len(loops.gears):]
    return (np.concatenate([*(values for values, _ in parts), gears]),
            loops.over_rates(q, [slopes for _, slopes in parts])[:, joints])


def open_loops(loops: Loops, q: Array) -> str:
    """Return which loops stay open, and by how much; q: where `search` found the least gap."""
    parts, start = [], 0
    rows, about = loops.residual(q), '' if one_minimum(loops) else 'about '
    for cut in loops.cuts:
        own = rows[start:start + cut.rows]
        start += cut.rows
        gap = np.linalg.norm(own[:len(cut.slides)]) * loops.length
        turn = np.linalg.norm(own[len(cut.slides):])
        if gap > OPEN * loops.length or turn > OPEN:
            parts.append(f'loop {cut.name!r} stays open by {about}{gap:.3g} m'
                         + (f' and {turn:.3g} rad' if turn > OPEN else ''))
    parts += [f'{gear.name!r} is off by {about}{x:.3g}' for gear, x in zip(
        loops.gears, rows[start:], strict=True) if abs(x) > OPEN]
    return ', '.join(parts) or 'the loops stay open'


def degrees(loops: Loops, q: Array) -> str:
    """Return what to ask where angles of a pose may have been given in degrees, else nothing."""
    values = loops.tree.joint_values(q)
    large = [name for name, x, turns in zip(loops.names, values, loops.turning, strict=True)
             if turns and abs(x) > DEGREES]
    return f'; radians are expected: are values of {", ".join(large)} degrees?' if large else ''


def one_minimum(loops: Loops) -> bool:
    """Tell whether the gap has one minimum, where the loops cannot close.

    So it is of one loop of links that turn in a plane, each by a joint of its own: there all links
    are stretched out along the longest one, which is longer than all others together; where they
    are along it the other way, turning one of them makes the gap smaller.
    """
    if len(loops.cuts) != 1 or loops.gears or not loops.tree.flat:
        return False
    G = np.array([loops.tree.torques(np.zeros(loops.tree.nq), row)
                  for row in np.eye(loops.tree.L)])
    _, first, second = closure.paths(loops.tree_geometry.parent, loops.cuts[0])
    links = [*first, *second]
    if len(links) < 2 or (np.count_nonzero(G[:, G[links].any(axis=0)], axis=0) != 1).any():
        return False
    at = loops.tree.positions(np.zeros(loops.tree.nq))
    return find_dyad(loops.tree_geometry, at, loops.cuts[0], (links[0], links[1])) is not None
