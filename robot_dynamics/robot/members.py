"""The robots behind a stack: those that are there, and the frames of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from robot_dynamics.model.denoc import Array
from robot_dynamics.robot.robot import Robot


@dataclass(frozen=True)
class EachFrame:
    """A named frame of every robot: as LinkFrame, T (N, 4, 4) made when it is asked for."""

    body: int
    tip: bool
    source: Any
    link: str
    index: Array

    @property
    def T(self) -> Array:
        """The frame's pose in its body's link frame."""
        poses: Array = self.source.poses(self.link, self.index)
        return poses

    def taken(self, index: Array) -> EachFrame:
        """Return the frame of some of the robots."""
        return replace(self, index=self.index[index])


def each_frames(robot: Robot, source: Any, index: Array) -> dict[str, Any]:
    """Return the frames of a stack's robots, which have the links of one robot."""
    return {name: EachFrame(frame.body, frame.tip, source, name, index)
            for name, frame in robot._model.frames.items()}


class Members:
    """Robots that are there, as the source of a stack."""

    def __init__(self, robots: Sequence[Robot]) -> None:
        self.robots = tuple(robots)
        self.warnings = self.robots[0].warnings

    def __getitem__(self, i: int) -> Robot:
        """Return robot i."""
        return self.robots[i]

    def poses(self, link: str, index: Array) -> Array:
        """Return a link's frame in its body's link frame, of some robots, (n, 4, 4)."""
        return np.array([self.robots[i]._model.frames[link].T for i in index])


def of_some(numbers: Array, index: Array) -> Array:
    """Return numbers (N, n) of some robots, or those (n,) that all share."""
    return numbers[index] if numbers.ndim == 2 else numbers
