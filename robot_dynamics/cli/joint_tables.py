"""What tables of joints have in common: units in the heads, poses, joints that are too fast."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from robot_dynamics.cli.table import cells
from robot_dynamics.description.records import VALUES
from robot_dynamics.simulation.joint_facts import JointFacts, unit
from robot_dynamics.simulation.layout import Layout

NONE = '-'  # in place of a number that there is not


def units(quantity: str, joints: Iterable[str], facts: JointFacts | None) -> str:
    """Return the units of a quantity of joints, as [rad, m]: those that turn come first."""
    found = dict.fromkeys(unit(quantity, name, facts) for name in joints)
    turning_first = sorted(found, key=lambda word: 'rad' not in word and ' m' not in word)
    return f'[{", ".join(turning_first)}]' if found else ''


def value_cells(layout: Layout, q: Any) -> list[str]:
    """Return the value beside each rate, for people; the rates of a floating joint have none."""
    column = cells(layout.beside(np.asarray(q, float)))
    for _, j in layout.poses:
        column[j:j + 6] = [NONE] * 6
    return column


def pose_lines(layout: Layout, q: Any) -> list[str]:
    """Return where floating joints are, for people: a line each."""
    return [f'{joint}: ' + ', '.join(f'{name} {x:.6g}' for name, x in zip(
        VALUES, q[k:k + 7], strict=True))
        for (k, _), joint in zip(layout.poses, layout.floating, strict=True)]


def fast_lines(joints: Iterable[str], rates: Iterable[float],
               limits: Sequence[float | None]) -> list[str]:
    """Return a line on joints whose largest rates are beyond their limits; None: no limit."""
    fast = ', '.join(f'{name} ({rate:.4g} of {limit:g})'
                     for name, rate, limit in zip(joints, rates, limits, strict=True)
                     if limit is not None and rate > limit * (1 + 1e-9))
    return [f'faster than their limits [rad/s, m/s]: {fast}'] if fast else []


def struck_lines(struck: Mapping[str, float]) -> list[str]:
    """Return a line on joints that struck their stops, with the first time [s]."""
    said = ', '.join(f'{name} ({t:.4g} s)' for name, t in struck.items())
    return [f'struck their stops, first at: {said}'] if said else []


def finite_or_none(limits: Iterable[float]) -> list[float | None]:
    """Return limits for JSON, None where there is none."""
    return [float(x) if np.isfinite(x) else None for x in limits]
