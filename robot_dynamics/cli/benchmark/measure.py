"""Timing side by side: short slices of every contestant in turn, again and again.

What disturbs the machine then disturbs all of them alike. The median of the slices is what counts,
and the spread (from the first to the third quarter of them) says how far to trust it.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

SLICE = 3e-4  # [s]: short beside the time other processes are given
ENOUGH = 15.0  # [s]: slow contestants get fewer repetitions, but
FEWEST = 7


@dataclass(frozen=True)
class SliceTiming:
    """Time per evaluation [s]: median of the slices, and their quartiles."""

    median: float
    low: float
    high: float

    def row(self) -> dict[str, float]:
        """Return microseconds, for JSON."""
        return {'median_us': self.median * 1e6, 'low_us': self.low * 1e6,
                'high_us': self.high * 1e6}


def interleaved(
        contestants: dict[str, tuple[Callable[[], object], int]],
        repetitions: int) -> dict[str, SliceTiming]:
    """Return the time per evaluation of each contestant: (function, evaluations per call)."""
    counts = {name: calls_per_slice(function) for name, (function, _) in contestants.items()}
    times: dict[str, list[float]] = {name: [] for name in contestants}
    start = time.perf_counter()
    for k in range(repetitions):
        if k >= FEWEST and time.perf_counter() - start > ENOUGH:
            break
        for name, (function, evaluations) in contestants.items():
            function()  # its data come back into the processor's caches
            times[name].append(slice_time(function, counts[name]) / evaluations)
    return {name: timing(values) for name, values in times.items()}


def calls_per_slice(function: Callable[[], object]) -> int:
    """Return how many calls fill a slice."""
    function()
    count = 1
    while True:
        spent = slice_time(function, count) * count
        if spent > SLICE / 4 or count > 1 << 20:
            return max(1, round(count * SLICE / max(spent, 1e-9)))
        count *= 4


def slice_time(function: Callable[[], object], count: int) -> float:
    """Return the time of one call, over `count` calls."""
    numbers = range(count)
    start = time.perf_counter()
    for _ in numbers:
        function()
    return (time.perf_counter() - start) / count


def timing(values: list[float]) -> SliceTiming:
    """Return median and quartiles."""
    if len(values) < 2:
        return SliceTiming(values[0], values[0], values[0])
    low, _, high = statistics.quantiles(values, n=4, method='inclusive')
    return SliceTiming(statistics.median(values), low, high)
