"""Keeps simulated time beside real time, in whole cycles, and counts what was lost: no ROS."""

from __future__ import annotations

WINDOW = 1.0  # [s] of real time over which the real-time factor is measured


class Pace:
    """Says at every tick how many cycles are due.

    A cycle is the simulated time between two states that are published. A late tick makes up for
    the cycles it missed as long as that is less than `catch_up`; what is more is lost, and the
    real-time factor falls.
    """

    def __init__(self) -> None:
        self.time = 0.0  # simulated [s]
        self.cycles = self.skipped = 0
        self.lost = 0.0  # [s]
        self.real_time_factor = float('nan')  # measured
        self._real = self._simulated = 0.0  # where the factor began to hold
        self._window = (0.0, 0.0)

    def restart(self, now: float) -> None:
        """Begin again at the real time now [s]: after a pause, or with another factor."""
        self._real, self._simulated = now, self.time
        self._window = (now, self.time)
        self.real_time_factor = float('nan')

    def due(self, now: float, cycle: float, factor: float, catch_up: float) -> int:
        """Return how many cycles to run at the real time now, none when the clock went back.

        cycle: [s] simulated; factor: simulated over real time; catch_up: [s] simulated
        """
        if now < self._real:
            self.restart(now)
            return 0
        behind = self._simulated + factor * (now - self._real) - self.time
        if behind > 1.5 * cycle + catch_up:
            self.lost += behind - cycle
            self._real, self._simulated = now, self.time + cycle
            behind = cycle
        count = int(behind / cycle + 0.5)
        self.cycles += count
        self.skipped += max(0, count - 1)
        return count

    def advanced(self, now: float, simulated: float) -> None:
        """Tell that simulated time [s] has passed."""
        self.time += simulated
        start, origin = self._window
        if now - start >= WINDOW:
            self.real_time_factor = (self.time - origin) / (now - start)
            self._window = (now, self.time)

    def real_at(self, factor: float) -> float:
        """Return the real time [s] that belongs to the simulated time."""
        return self._real + (self.time - self._simulated) / factor
