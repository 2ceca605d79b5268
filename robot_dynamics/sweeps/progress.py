"""A bar on the terminal: how much is done, how fast it goes, how long it will take."""

import sys
import time

WIDTH = 30
EVERY = 0.2  # [s] between two pictures
PATIENCE = 1.0  # [s] before there is a bar


class Bar:
    """The progress of a sweep; points that were there already count as done, not for the rate."""

    def __init__(self, points: int, done: int) -> None:
        self.points, self.before, self.done = points, done, done
        self.began = self.last = time.monotonic()
        self.shown = 0

    def add(self, points: int) -> None:
        """Count some more, and show it now and then."""
        self.done += points
        now = time.monotonic()
        if now - self.began > PATIENCE and now - self.last > EVERY and sys.stderr.isatty():
            self.last = now
            self.show(self.text(now - self.began))

    def text(self, seconds: float) -> str:
        """Return the bar, after some seconds."""
        part = self.done / self.points
        rate = (self.done - self.before) / max(seconds, 1e-9)
        filled = int(WIDTH * part)
        left = clock((self.points - self.done) / rate) if rate else '?'
        return (f'[{"#" * filled}{"." * (WIDTH - filled)}] {100 * part:3.0f} %  '
                f'{self.done:.3g} of {self.points:.3g} points, {rate:.3g}/s, {left} left')

    def show(self, line: str) -> None:
        """Put a line in the place of the last one."""
        print('\r' + line.ljust(self.shown), end='', file=sys.stderr, flush=True)
        self.shown = len(line)

    def close(self) -> None:
        """Remove it."""
        if self.shown:
            self.show('')
            print('\r', end='', file=sys.stderr, flush=True)


def clock(seconds: float) -> str:
    """Return a time as people say it."""
    if seconds < 100:
        return f'{seconds:.0f} s'
    minutes = round(seconds / 60)
    if minutes < 100:
        return f'{minutes} min'
    return f'{minutes // 60} h {minutes % 60} min' if minutes < 2880 else f'{minutes // 1440} days'
