"""The player: one clock for the runs and simulations of all robots on the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from robot_dynamics.errors import RobotDynamicsError
from robot_dynamics.viewer.runs import Run
from robot_dynamics.viewer.shown_robot import ShownRobot
from robot_dynamics.viewer.simulating import Simulation

LONGEST = 0.1  # [s] of a tick: after a pause of the machine the clock does not leap


class Player:
    """Runs by robot, a time and a speed. `tick` moves on; `scrub` goes anywhere.

    say: tells people what ended a simulation
    """

    def __init__(self, robots: dict[str, ShownRobot], say: Callable[[str], None]):
        self._robots, self._say = robots, say
        self.runs: dict[str, Run] = {}
        self.simulations: dict[str, Simulation] = {}
        self.time, self.speed, self.playing, self.loop = 0.0, 1.0, False, False
        self._last: float | None = None
        self.edition = 0  # changes when there are other runs

    @property
    def duration(self) -> float:
        """Of the longest run [s]."""
        return max((run.duration for run in self.runs.values()), default=0.0)

    def take(self, name: str, run: Run) -> None:
        """Have a robot play a run, from its beginning."""
        self.runs[name] = run
        self.edition += 1
        self.scrub(0.0)

    def forget(self, name: str) -> None:
        """Drop what a robot plays."""
        self.runs.pop(name, None)
        self.simulations.pop(name, None)
        self.edition += 1

    def play(self, on: bool = True) -> None:
        """Start or pause; at the end, start from the beginning."""
        if on and self.time >= self.duration - 1e-9:
            self.time = 0.0
        self.playing, self._last = on and bool(self.runs), None

    def simulate(self, simulations: dict[str, Simulation]) -> None:
        """Begin simulations in the place of what was played."""
        self.playing, self._last, self.time = False, None, 0.0
        self.runs.clear()
        self.simulations = simulations
        self.edition += 1

    def stop(self) -> None:
        """End the simulations; what was simulated becomes runs."""
        for name, simulation in self.simulations.items():
            if len(simulation.samples) > 1:
                self.runs[name] = simulation.run
        self.simulations = {}
        self.edition += 1
        self.time = min(self.time, self.duration)

    def scrub(self, time: float) -> None:
        """Go to a time since the beginning [s]."""
        self.time = min(max(time, 0.0), self.duration)
        for name, run in self.runs.items():
            if name in self._robots:
                self._robots[name].show(run.at(min(self.time, run.duration)))

    def tick(self, now: float) -> bool:
        """Move on to now [s]; return whether the clock runs."""
        if not (self.playing or self.simulations):
            self._last = None
            return False
        span = 0.0 if self._last is None else min(now - self._last, LONGEST) * self.speed
        self._last = now
        if self.simulations:
            if span > 0:
                self._advance(span)
        elif self.time + span < self.duration:
            self.scrub(self.time + span)
        else:
            self.scrub(0.0 if self.loop else self.duration)
            self.playing = self.loop
        return self.playing or bool(self.simulations)

    def _advance(self, span: float) -> None:
        for name, simulation in list(self.simulations.items()):
            if simulation.done or name not in self._robots:
                continue
            try:
                simulation.advance(span)
            except RobotDynamicsError as error:
                simulation.stopped = str(error)
            if simulation.stopped:
                self._say(f'{name}: {simulation.stopped}')
        self.time = max((s.time for s in self.simulations.values()), default=0.0)
        if all(simulation.done for simulation in self.simulations.values()):
            self.stop()

    def current(self, name: str) -> Run | None:
        """Return what a robot plays, or what was simulated of it so far."""
        simulation: Any = self.simulations.get(name)
        if simulation is not None:
            return simulation.run if len(simulation.samples) > 1 else None
        return self.runs.get(name)
