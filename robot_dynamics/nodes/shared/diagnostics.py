"""Diagnostics: how an input is doing, levels from thresholds, statuses as messages."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

OK, WARN, ERROR, STALE = (DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR,
                          DiagnosticStatus.STALE)


def level_above(value: float, warn: float, error: float) -> bytes:
    """Return the level of a value that should be small; nan is OK: there was nothing to judge."""
    level: bytes = ERROR if value > error else WARN if value > warn else OK
    return level


def level_below(value: float, warn: float, error: float) -> bytes:
    """Return the level of a value that should be large."""
    level: bytes = ERROR if value < error else WARN if value < warn else OK
    return level


def worst(levels: Iterable[bytes]) -> bytes:
    """Return the worst of some levels."""
    return max(levels, default=OK, key=lambda level: level[0])


def status(name: str, level: bytes, message: str, values: Mapping[str, Any]) -> DiagnosticStatus:
    """Return a status; numbers are written with six digits."""
    return DiagnosticStatus(
        name=name, level=level, message=message,
        values=[KeyValue(key=key, value=f'{value:.6g}' if isinstance(value, float) else str(value))
                for key, value in values.items()])


def array_of(statuses: list[DiagnosticStatus], stamp: Any) -> DiagnosticArray:
    """Return statuses as the message of /diagnostics."""
    message = DiagnosticArray(status=statuses)
    message.header.stamp = stamp
    return message


class Input:
    """Counts the messages of a stream: rate, age and latency between two reports.

    It runs on the steady clock: a simulation that stands still is an input that stopped.
    """

    def __init__(self) -> None:
        self.refused = 0  # messages that could not be used
        self._count = 0
        self._last: float | None = None  # of the last message
        self._reported = time.monotonic()
        self._latencies: list[float] = []

    def take(self) -> None:
        """Note that a message has come."""
        self._count += 1
        self._last = time.monotonic()

    def late(self, latency: float) -> None:
        """Note how old a message was on arrival [s]."""
        self._latencies.append(latency)

    @property
    def age(self) -> float:
        """Time since the last message [s], infinite before the first."""
        return math.inf if self._last is None else time.monotonic() - self._last

    def report(self) -> dict[str, float]:
        """Return rate [Hz], age [s] and latency [s] (nan if unknown) since the last report."""
        now = time.monotonic()
        rate = self._count / max(now - self._reported, 1e-9)
        latencies = sorted(self._latencies)
        self._count, self._reported, self._latencies = 0, now, []
        return {'rate': rate, 'age': self.age,
                'latency': latencies[len(latencies) // 2] if latencies else math.nan}
