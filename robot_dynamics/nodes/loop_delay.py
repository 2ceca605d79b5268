"""How late the answers of a control loop are, and the gain that this allows: no ROS.

Computed torque makes of each joint e'' = -2 lambda e' - lambda^2 e, the errors as they were a
delay d ago. Then s^2 + (2 lambda s + lambda^2) exp(-s d) = 0, whose roots reach the imaginary
axis at |s|^2 = (2 + sqrt 5) lambda^2, where d is MARGIN / lambda. An effort that is held for a
time T is as late as d = T / 2 on average; such a loop alone is stable up to lambda T = 1.
"""

from __future__ import annotations

import math

CROSSING = math.sqrt(2 + math.sqrt(5))  # |s| / lambda at the limit of stability
MARGIN = math.atan(2 * CROSSING) / CROSSING  # gain times delay there: 0.647
LONGEST = 0.1  # [s] a longer silence is no part of a loop: the robot no longer acts on the answer
MEMORY = 2.0  # [s] time constant in which a delay is forgotten


class LoopDelay:
    """The delay of a loop by the states that come: their age, and half the time between them.

    A large one counts at once and is forgotten slowly: what happened once on a busy machine
    happens again.
    """

    def __init__(self) -> None:
        self.delay = 0.0  # [s]
        self._stamp = self._now = -math.inf

    def take(self, stamp: float, age: float, now: float) -> None:
        """Take a state that gets an answer.

        stamp: when it was measured [s]; age: how long before now, by the same clock [s]; now: on
        a clock that is steady [s]
        """
        interval = min(stamp - self._stamp, now - self._now)
        forgotten = math.exp((self._now - now) / MEMORY)
        self._stamp, self._now = stamp, now
        delay = max(age, 0.0) + (interval / 2 if 0 < interval <= LONGEST else 0.0)
        self.delay = max(delay if age <= LONGEST else 0.0, self.delay * forgotten)

    def gain(self, wanted: float, most: float) -> float:
        """Return the gain [1/s], lowered where it times the delay is above `most`; 0: never."""
        return wanted if not most or wanted * self.delay <= most else most / self.delay
