"""Arcs about joints: how much of what it can give a joint gives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robot_dynamics.model.denoc import Array
from robot_dynamics.model.dh.table import DHTable

ARC = 1.5 * np.pi  # [rad] of an arc at the effort limit
STEPS = 24
UNLIMITED = 1e6  # [N m or N] a limit beyond is one that someone had to write


def effort_shares(tau: Array, limit: Array) -> Array:
    """Return efforts over their limits, or over the largest effort without limits, -1 to 1."""
    largest = max(float(np.abs(tau).max(initial=0.0)), np.finfo(float).tiny)
    shares: Array = np.clip(tau / np.where(limited(limit), limit, largest), -1, 1)
    return shares


def limited(limit: Array) -> Array:
    """Tell which efforts have limits that are meant."""
    return (0 < limit) & (limit < UNLIMITED)


def turning_signs(table: DHTable, joints: Sequence[str]) -> Array:
    """Return whether each joint turns its link about +z of its frame, 1 or -1."""
    signs = {row.name: row.sign for row in table.rows}
    return np.array([float(signs[name]) for name in joints])


def effort_arc(share: float, radius: float, *, slides: bool) -> Array:
    """Return points, (STEPS, 3), of an arc about z, or of a line along z where the joint slides.

    share: of the effort limit, -1 to 1
    """
    s = np.linspace(0, 1, STEPS)[:, None]
    if slides:
        line: Array = s * np.array([0.0, 0.0, 2 * radius * share])
        return line
    angle = ARC * share * s
    return np.hstack([radius * np.cos(angle), radius * np.sin(angle), 0 * s])
