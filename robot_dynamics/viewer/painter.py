"""The painter: one thread that sends what changed to the browsers, not faster than they see."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

RATE = 40.0  # poses a second, at the most
PANELS = 0.1  # [s] between two looks at the panels, at least
PATIENCE = 4.0  # times as long as a look takes: panels of large robots do not hold up the poses


class Painter:
    """Calls `paint` when something changed, `panels` less often, `tick` while a clock runs.

    Whatever happens faster is shown once: nothing is queued, and nobody who changes a state waits
    for a browser. All are called under `lock`; what they raise goes to `report`.
    """

    def __init__(self, lock: threading.RLock, paint: Callable[[], None],
                 panels: Callable[[], None], tick: Callable[[float], bool],
                 report: Callable[[Exception], None]):
        self._lock, self._paint, self._panels, self._tick = lock, paint, panels, tick
        self._report = report
        self._changed, self._closed = threading.Event(), False
        self._thread = threading.Thread(target=self._run, name='painter', daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Say that something changed."""
        self._changed.set()

    def close(self) -> None:
        """End the thread."""
        self._closed = True
        self._changed.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=2.0)

    def _run(self) -> None:
        running, late, due = False, False, 0.0
        while True:
            self._changed.wait(0.0 if running else PANELS if late else None)
            if self._closed:
                return
            changed = self._changed.is_set()
            self._changed.clear()
            begun = time.monotonic()
            with self._lock:
                try:
                    running = self._tick(begun)
                    if changed or running:
                        self._paint()
                        late = True
                    if late and begun >= due:
                        self._panels()
                        late, now = False, time.monotonic()
                        due = now + max(PANELS, PATIENCE * (now - begun))
                except Exception as error:
                    self._report(error)
            time.sleep(max(0.0, 1 / RATE - (time.monotonic() - begun)))
