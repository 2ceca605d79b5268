"""Drives the fixed-step methods: machine code where it can, Python where it must."""

from typing import Any, NamedTuple

import numpy as np

from robot_dynamics.inputs import positive
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.fixed import STEPS, NotConvergedError
from robot_dynamics.simulation.samples import Progress, Samples, blown_up
from robot_dynamics.simulation.stops import Stops
from robot_dynamics.simulation.system import BlowUpError, System
from robot_dynamics.simulation.tableaus import NODES, RUNAWAY

CHUNK = 16384  # steps in machine code between two looks at the clock
PARTS = (0.25, 0.5, 0.75, 1.0)
IMPACTS = 20  # within one step; more are one impact at its end


class Group(NamedTuple):
    """Sample intervals of equal length, each cut into the same number of steps."""

    start: float
    intervals: int
    steps: int  # per interval
    h: float


def groups_of(times: Array, step: float) -> list[Group]:
    """Cut the time between samples into steps no longer than `step`."""
    groups: list[Group] = []
    for start, length in zip(times[:-1], np.diff(times), strict=True):
        steps = max(1, int(np.ceil(length / step * (1 - 1e-12))))
        h = length / steps
        last = groups[-1] if groups else None
        if last and last.steps == steps and abs(last.h - h) <= 1e-9 * h:
            groups[-1] = last._replace(intervals=last.intervals + 1)
        else:
            groups.append(Group(float(start), 1, steps, float(h)))
    ends = [*(group.start for group in groups[1:]), float(times[-1])]
    return [group._replace(h=(end - group.start) / (group.intervals * group.steps))
            for group, end in zip(groups, ends, strict=True)]


class Stepping:
    """One run with fixed steps."""

    def __init__(self, system: System, stops: Stops | None, method: str, progress: Progress):
        self.system, self.stops, self.progress = system, stops, progress
        self.method, self.step = method, STEPS[method]
        self.samples = Samples()
        self.runner = self.make_runner()

    def make_runner(self) -> Any:
        """Return the compiled loop, None where the torques or wrenches need Python."""
        found = self.system.compiled
        if found is None:
            return None
        from robot_dynamics.simulation.compiled import Runner
        return Runner(found[0], found[1], self.method, self.system.n)

    def run(self, q: Array, qd: Array, times: Array, step: float) -> Samples:
        """Integrate over the sample times."""
        self.samples.add(times[0], q, qd, self.stops)
        state = np.concatenate([q, qd])
        for group in groups_of(times, step):
            if not self.run_group(state, group, times):
                break
        self.samples.t = [float(t) for t in times[:len(self.samples.t)]]
        return self.samples

    def run_group(self, state: Array, group: Group, times: Array) -> bool:
        """Advance the state over a group; return False when it blew up."""
        total, done = group.intervals * group.steps, 0
        while done < total:
            free = self.stops is None or not self.stops.resting
            advanced = self.fast(state, group, done, total) if self.runner and free else 0
            done += advanced
            t = group.start + done * group.h
            if done < total and (not advanced or advanced < self.asked):
                if not self.slow(state, t, group.h):
                    return False
                done += 1
                if done % group.steps == 0:
                    self.keep(t + group.h, state)
            self.progress((t - times[0]) / (times[-1] - times[0]))
        return True

    asked = 0  # steps of the last compiled run

    def fast(self, state: Array, group: Group, done: int, total: int) -> int:
        """Take steps in machine code up to a stop or a failure; return how many."""
        part = -done % group.steps  # to the next sample, after a step in Python
        whole = max(1, CHUNK // group.steps) * group.steps
        self.asked = min(total - done, part or whole)
        every = part or group.steps
        n = self.system.n
        out = np.empty((self.asked // every, 2 * n))
        torque = self.torque_table(group, done)
        outcome = self.runner.run(state, torque, group.h, self.asked, every, *self.bounds(), out)
        self.samples.evaluations += outcome.steps  # of steps: implicit ones take several each
        for k, row in enumerate(out[:outcome.steps // every]):
            t = group.start + (done + (k + 1) * every) * group.h
            self.keep(t, row)
        return outcome.steps

    def torque_table(self, group: Group, done: int) -> Array:
        """Return the torque, or the torques at the nodes of the steps asked for."""
        # laws of time alone come here, which mypy cannot know
        if self.system.constant_torque:
            return np.ascontiguousarray(self.system.law.tau)  # type: ignore[union-attr]
        steps = group.start + (done + np.arange(self.asked)) * group.h
        nodes = steps[:, None] + group.h * np.array(NODES[self.method])
        return np.ascontiguousarray(self.system.law.at(nodes))  # type: ignore[union-attr]

    def bounds(self) -> tuple[Array, Array]:
        """Return where the stops are."""
        if self.stops is None:
            return np.full(self.system.n, -np.inf), np.full(self.system.n, np.inf)
        return self.stops.lower, self.stops.upper

    def keep(self, t: float, state: Array) -> None:
        """Keep a sample."""
        n = self.system.n
        self.samples.add(t, state[:n].copy(), state[n:].copy(), self.stops)

    def slow(self, state: Array, t: float, h: float) -> bool:
        """Take one step in Python, impacts included; return False when it blew up."""
        n = self.system.n
        q, qd = state[:n].copy(), state[n:].copy()
        self.samples.evaluations += 1
        reason = 'the joint rates run away'
        try:
            with np.errstate(all='ignore'):
                q1, qd1 = self.with_stops(t, q, qd, h)
        except (BlowUpError, NotConvergedError) as error:
            reason, q1, qd1 = str(error), q, np.full(n, np.nan)
        if not np.isfinite(q1).all() or not np.abs(qd1).max(initial=0.0) <= RUNAWAY:
            worst = qd1 if np.isfinite(q1).all() and not np.isnan(qd1).all() else qd
            self.samples.stopped = blown_up(t, q, worst, self.system.joint_names, reason)
            return False
        state[:n], state[n:] = q1, qd1
        return True

    def with_stops(self, t: float, q: Array, qd: Array, h: float) -> tuple[Array, Array]:
        """Return the state after a step in which joints may strike their stops."""
        stops = self.stops
        if stops is None:
            return self.step(self.system.acceleration, t, q, qd, h)
        for _ in range(IMPACTS):
            q1, qd1 = self.step(stops.acceleration, t, q, qd, h)
            if not stops.beyond(q1):
                stops.release(qd1)
                return q1, qd1
            part = self.first_touch(stops, t, q, qd, h)
            if part is None:
                break
            q, qd = stops.touch(*(self.step(stops.acceleration, t, q, qd, part) if part
                                  else (q, qd)))
            t, h = t + part, h - part
            if h <= 1e-15:
                return q, qd
        q1, qd1 = stops.touch(q1, qd1)  # it bounces faster than the step can tell
        return q1, qd1

    def first_touch(self, stops: Stops, t: float, q: Array, qd: Array,
                    h: float) -> float | None:
        """Return the part of the step after which the first joint is at its stop.

        None where a joint that starts on its stop comes back to it within a quarter of the step.
        """
        from scipy.optimize import brentq  # it takes its time
        start, free = np.minimum(q - stops.lower, stops.upper - q), stops.side == 0
        if np.any(free & (start <= 0) & (np.where(q >= stops.upper, qd, -qd) > 0)):
            return 0.0  # the last step ended on the stop

        def margins(part: float) -> Array:
            if not part:
                return start
            at = self.step(stops.acceleration, t, q, qd, part)[0]
            return np.minimum(at - stops.lower, stops.upper - at)

        before, inside = 0.0, start > 0
        for part in PARTS:
            after = margins(part * h)
            beyond = free & (after < 0)
            if beyond.any():
                touches = [float(brentq(lambda x, j=j: margins(x)[j], before, part * h,
                                        xtol=1e-15)) for j in np.flatnonzero(beyond & inside)]
                return min(touches, default=None)
            before, inside = part * h, after >= 0
        return None


def check_step(step: float | None) -> float:
    """Return the step of a fixed-step method."""
    if step is None:
        return 1e-3
    return positive('step', step)
