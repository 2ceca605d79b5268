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
SILENCE = 5.0  # [s] after which a robot that reports its efforts was paused, or another one
MEMORY = 3.0  # [s] time constant in which a delay is forgotten
TOO_LATE = 0.06  # [s] a loop that is later follows nothing any more
REACH = 0.3  # [rad or m] nor does one in whose delay the robot goes as far
ANSWERS = 256  # that are remembered, to know them again when they act


class LoopDelay:
    """The delay of a loop by the states that come.

    A state tells its age and, half the time since the last one, how long answers act. One that
    tells the effort that acts also tells how old that is, if it is one of ours. A large delay
    counts at once and is forgotten slowly: what happened once on a busy machine happens again.
    """

    def __init__(self) -> None:
        self.delay = 0.0  # [s]
        self.ahead = 0.0  # from the last state to the middle of the time that its answer acts [s]
        self._stamp = self._now = -math.inf
        self._sent: dict[bytes, float] = {}  # efforts: stamp of the state that they answer

    def take(self, stamp: float, age: float, now: float, acting: bytes = b'') -> None:
        """Take a state that gets an answer.

        stamp: when it was measured [s]; age: how long before now, by the same clock [s]; now: on
        a clock that is steady [s]; acting: the efforts that it reports
        """
        interval = min(stamp - self._stamp, now - self._now)
        known = 0 < interval <= (SILENCE if acting else LONGEST)
        held = min(interval, LONGEST) / 2 if known else 0.0
        forgotten = math.exp((self._now - now) / MEMORY)
        self._stamp, self._now = stamp, now
        self.ahead = max(age, 0.0) + held if age <= LONGEST else 0.0
        trip = stamp - self._sent.get(acting, stamp) - held
        self.delay = max(self.ahead, trip if trip <= 2 * LONGEST else 0.0, self.delay * forgotten)

    def sent(self, efforts: bytes, stamp: float) -> None:
        """Note what was answered to the state of a stamp [s]."""
        self._sent.pop(efforts, None)
        self._sent[efforts] = stamp
        if len(self._sent) > ANSWERS:
            del self._sent[next(iter(self._sent))]

    def lost(self, rate: float) -> bool:
        """Tell whether the loop is too late for a robot whose fastest joint has a rate [rad/s]."""
        return self.delay > TOO_LATE or rate * self.delay > REACH

    def gain(self, wanted: float, most: float) -> float:
        """Return the gain [1/s], lowered where it times the delay is above `most`; 0: never."""
        return wanted if not most or wanted * self.delay <= most else most / self.delay
