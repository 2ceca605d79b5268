"""From steady time, which paces the simulator, to the clock that its states are stamped by."""

from __future__ import annotations

from typing import Any

SLEW = 0.01  # of the time that passes: so much may stamps be drawn together or apart
JUMP = 1_000_000  # [ns] a clock that is off by more was set: it is believed at once
SURE = 100_000  # [ns] between two looks at steady time, for what was read between them to count


class Offset:
    """What to add to steady time to have the other clock's, which others may set and slew.

    value: [ns]. It is followed slowly, since a look at a clock may be late and controllers
    differentiate by stamps; a clock that was set is followed at once.
    """

    def __init__(self, steady: Any, clock: Any):
        self._steady, self._clock = steady, clock
        self._last = steady.now().nanoseconds
        self.value: int = clock.now().nanoseconds - self._last

    def follow(self) -> int:
        """Look at both clocks and return the value that holds now."""
        before = self._steady.now().nanoseconds
        time = self._clock.now().nanoseconds
        after = self._steady.now().nanoseconds
        if after - before <= SURE:
            error = time - (before + after) // 2 - self.value
            most = round(SLEW * (after - self._last))
            self.value += error if abs(error) > JUMP else max(-most, min(most, error))
        self._last = after
        return self.value
