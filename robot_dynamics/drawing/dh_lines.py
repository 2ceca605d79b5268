"""The frames of a DH table on the links, and the common normals between their axes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from robot_dynamics.model.denoc import Array
from robot_dynamics.model.dh.table import DHTable, Frame, hinge, step
from robot_dynamics.model.model import place_frame
from robot_dynamics.model.placement import place, rows_of


class DHFrame(NamedTuple):
    """A frame on a body (-1: the root): its pose in the body's link frame, and its lines there.

    normal: (2, 3), the common normal, of length a, from the axis before to this frame's origin
    offset: (2, 3), along the axis before, of length b; None where the joint slides along it
    """

    body: int
    T: Array
    normal: Array
    offset: Array | None


def dh_frames(table: DHTable) -> Iterator[DHFrame]:
    """Yield frame i + 1 of every row, and the frames of its branches, each on its link."""
    placement = place(table, rows_of(table))
    index = {row.name: i for i, row in enumerate(table.rows)}
    for i, row in enumerate(table.rows):
        if row.floating:
            continue
        T = place_frame(placement, Frame(i, np.eye(4)))
        constant = step(row.a, row.alpha, row.beta)
        yield DHFrame(i, T, *_lines(T, constant, row.a, None if row.prismatic else row.b or 0.0))
        for child in table.rows:
            branch = child.branch
            if branch is None or index.get(child.parent or '') != i:
                continue
            own = step(branch.a, branch.alpha, branch.beta)
            T_k = T @ np.linalg.inv(constant) @ hinge(branch.gamma, branch.epsilon) @ own
            yield DHFrame(i, T_k, *_lines(T_k, own, branch.a, None))


def _lines(T: Array, constant: Array, a: float,
           b: float | None) -> tuple[Array, Array | None]:
    """Return the common normal and the offset before it, in the body's frame."""
    foot = T @ np.linalg.inv(constant)  # on the axis before, turned as it is
    normal = np.array([foot[:3, 3], foot[:3, 3] + a * foot[:3, 0]])
    offset = None if b is None else np.array([foot[:3, 3] - b * foot[:3, 2], foot[:3, 3]])
    return normal, offset
