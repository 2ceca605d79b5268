"""Case: what criteria ask of one family, each computed once."""

from functools import cached_property
from typing import Any

import numpy as np

from robot_dynamics.errors import RobotDynamicsError
from robot_dynamics.model.denoc import Array
from robot_dynamics.selection.complexity import Complexity, complexity
from robot_dynamics.selection.family import Family
from robot_dynamics.selection.postures import Measure, extreme, over_postures
from robot_dynamics.selection.sizing import Sizing
from robot_dynamics.selection.timing import Timing
from robot_dynamics.selection.workspace import Workspace, workspace

FEWER = 4  # of the samples that a single arm gets, one of so many for each of many variants


class Case:
    """A family and what is known of it.

    samples: postures of a single arm; timing, sizing: set by who measures all families together
    notes: why a criterion has no value
    """

    def __init__(self, family: Family, samples: int, seed: int = 0) -> None:
        self.family, self.seed = family, seed
        self.samples = max(16, samples if family.N == 1 else samples // FEWER)
        self.timing: Timing | None = None
        self.sizing: Sizing | None = None
        self.notes: list[str] = [*family.notes, *family.remarks]
        self._values: dict[Measure, Array] = {}

    @cached_property
    def gim(self) -> Complexity:
        """Operations of the GIM."""
        return complexity(self.family, 'gim')

    @cached_property
    def mci(self) -> Complexity:
        """Operations of the MCI."""
        return complexity(self.family, 'mci')

    @cached_property
    def workspace(self) -> Workspace:
        """What the link's origin can reach."""
        return workspace(self.family, self.seed)

    def values(self, measure: Measure) -> Array:
        """Return a measure in all postures, (N, S)."""
        if measure not in self._values:
            self._values[measure] = over_postures(self.family, measure, self.samples)
        return self._values[measure]

    def mean(self, measure: Measure) -> Array:
        """Return the mean over all postures, (N,)."""
        return finite_mean(self.values(measure))

    def most(self, measure: Measure) -> Array:
        """Return the largest value over the ranges, (N,)."""
        return extreme(self.family, measure, self.values(measure), 1)

    def least(self, measure: Measure) -> Array:
        """Return the least value over the ranges, (N,)."""
        return extreme(self.family, measure, self.values(measure), -1)

    def column(self, name: str, function: Any) -> Array:
        """Return a criterion of all arms, (N,); nan, and a note, where it cannot be had."""
        try:
            return np.broadcast_to(np.asarray(function(self), float), (self.family.N,))
        except RobotDynamicsError as error:
            note = str(error)
            if note not in self.notes:
                self.notes.append(note)
            return np.full(self.family.N, np.nan)


def finite_mean(values: Array) -> Array:
    """Return means of what is no nan, (N,); nan where there is nothing."""
    there = ~np.isnan(values)
    total = np.where(there, values, 0.0).sum(axis=1)
    means: Array = np.divide(total, there.sum(axis=1), out=np.full(len(values), np.nan),
                             where=there.any(axis=1))
    return means
