"""Drives the fixed-step methods: machine code where it can, Python where it must."""

from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics.errors import warn
from robot_dynamics.inputs import positive
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.blow_up import BlowUpError
from robot_dynamics.simulation.closed import ORDER, check_loops
from robot_dynamics.simulation.fixed import STEPS, NotConvergedError, same
from robot_dynamics.simulation.holds import Holds
from robot_dynamics.simulation.implicit import implicit_step
from robot_dynamics.simulation.samples import Progress, Recording, stopped_at
from robot_dynamics.simulation.step_events import first_event
from robot_dynamics.simulation.system import System
from robot_dynamics.simulation.tableaus import NODES, RUNAWAY, STABLE

CHUNK = 16384  # steps in machine code between two looks at the clock
FEW = 64  # steps of a mechanism after one in which something happened
EVENTS = 40  # within one step; what is left of it is then one implicit step
SPARE = 1.5  # by how much damping may decay faster elsewhere than where the motion begins
PARTS = 100  # of a step, into which stiff damping may cut it
WHOLE = 1e-6  # a number of steps is whole to this part of a step


class Group(NamedTuple):
    """Sample intervals of equal length, each cut into the same number of steps."""

    start: float
    intervals: int
    steps: int  # per interval
    h: float


def steps_within(length: float, step: float) -> int:
    """Return how many steps no longer than `step`, but for rounding, make up a length."""
    return max(1, int(np.ceil(length / step - WHOLE)))


def groups_of(times: Array, step: float) -> list[Group]:
    """Cut the time between samples into steps no longer than `step`."""
    groups: list[Group] = []
    rounding = 4 * np.spacing(np.abs(times).max())
    for start, length in zip(times[:-1], np.diff(times), strict=True):
        steps = steps_within(length, step)
        h = length / steps
        last = groups[-1] if groups else None
        if last and last.steps == steps and abs(last.h - h) <= 1e-9 * h + rounding / steps:
            groups[-1] = last._replace(intervals=last.intervals + 1)
        else:
            groups.append(Group(float(start), 1, steps, float(h)))
    ends = [*(group.start for group in groups[1:]), float(times[-1])]
    return [group._replace(h=(end - group.start) / (group.intervals * group.steps))
            for group, end in zip(groups, ends, strict=True)]


class Stepping:
    """One run with fixed steps."""

    def __init__(self, system: System, holds: Holds | None, method: str, progress: Progress):
        self.system, self.holds, self.progress = system, holds, progress
        self.method = method
        self.samples = Recording()
        self.runners: dict[bool, Any] = {}
        self.unbounded = np.full(system.n, -np.inf), np.full(system.n, np.inf)
        self.table = 0.0, 0.0, np.zeros(0)  # beginning, step and rows of torques made last
        self.ahead = CHUNK  # steps that are asked of machine code
        self.decay = 0.0  # by damping, of the joints that move now [1/s]

    def run(self, q: Array, qd: Array, times: Array, step: float) -> Recording:
        """Integrate over the sample times."""
        self.samples.add(times[0], q, qd, self.holds)
        step = stable_step(self.system, self.method, q, step)
        self.look(q)
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
            asked, advanced = self.fast(state, group, done, total)
            done += advanced
            t = group.start + done * group.h
            if advanced < asked:
                if not self.slow(state, t, group.h):
                    return False
                done += 1
                if done % group.steps == 0:
                    self.keep(t + group.h, state)
            self.progress((t - times[0]) / (times[-1] - times[0]))
        return True

    # Machine code

    @cached_property
    def curved(self) -> Any:
        """The compiled loop over values on a manifold, None where there is none, or no need."""
        if self.system.space.flat:
            return None
        from robot_dynamics.simulation.manifold_steps import manifold_steps
        return manifold_steps(self.system, self.method)

    @property
    def holding(self) -> bool:
        """Whether joints may be held or slide, so that the dynamics with held joints is needed."""
        return self.holds is not None and (self.holds.act or self.holds.rubs)

    def runner(self) -> Any:
        """Return the compiled loop, None where the torques or wrenches need Python."""
        held = self.holding
        if held not in self.runners:
            self.runners[held] = None
            found = self.system.held_kernel() if held else self.system.compiled
            drive = self.system.drive
            if drive is not None and found is not None:
                from robot_dynamics.simulation.compiled import Runner
                self.runners[held] = Runner(found[0], found[1], self.method, self.system.n,
                                            held=held, law=drive.law, pulls=drive.pulls)
        return self.runners[held]

    def loop(self, state: Array, t: float, h: float, steps: int, every: int, out: Array, *,
             watched: bool = True) -> int:
        """Take steps in machine code, up to one in which something happens, if it is watched."""
        holds, drive, torque = self.holds, self.system.drive, self.torque_table(t, h, steps)
        if torque is None:
            self.runners = {False: None, True: None}  # Python says what is wrong, and when
            return 0
        lower, upper = self.unbounded
        more: list[Array] = []
        sliding = drive.still
        if holds is not None:
            if watched:
                lower, upper = holds.lower, holds.upper
            if self.holding:
                sliding = holds.modes.sliding
                more = [holds.modes.free, *((holds.least, holds.most, holds.direction)
                                            if watched else (*self.unbounded, drive.still))]
        if drive.plain:
            torque = torque + sliding if self.holding else torque
        else:
            more.append(drive.pointers(sliding, watched))
        runner = self.runner()
        runner.relax = relaxation(self.method, h * self.decay)
        taken: int = runner.run(state, np.ascontiguousarray(torque), h, steps, every, lower,
                                upper, out, *more).steps
        return taken

    def fast(self, state: Array, group: Group, done: int, total: int) -> tuple[int, int]:
        """Take steps in machine code; return how many were asked for, and how many it took."""
        if self.runner() is None if self.curved is None else not self.curved.serves(self.holds):
            return 1, 0
        part = -done % group.steps  # to the next sample, after a step in Python
        whole = max(1, self.ahead // group.steps) * group.steps
        asked = min(total - done, part or whole)
        every = part or group.steps
        out = np.empty((asked // every, self.system.nq + self.system.n))
        t = group.start + done * group.h
        if self.curved is not None:
            bounds = self.unbounded if self.holds is None else self.holds.own_bounds
            taken = self.curved.run(state, t, group.h, asked, every, *bounds, out, self.holds)
            self.ahead = FEW if taken < asked else min(CHUNK, 4 * self.ahead)
        else:
            taken = self.loop(state, t, group.h, asked, every, out)
        self.samples.evaluations += taken  # of steps: implicit ones take several each
        for k, row in enumerate(out[:taken // every]):
            self.keep(group.start + (done + (k + 1) * every) * group.h, row)
        return asked, taken

    def torque_table(self, t: float, h: float, steps: int) -> Array | None:
        """Return a row (drives.py), or the rows at the nodes of steps; None where there is none.

        After an event the rest of the rows made before serves again.
        """
        drive = self.system.drive
        if drive.steady:
            row: Array | None = drive.rows(np.array(t))
            return row
        begin, length, rows = self.table
        first = (t - begin) / h
        if length == h and abs(first - round(first)) < WHOLE and (
                0 <= round(first) <= len(rows) - steps):
            return rows[round(first):round(first) + steps]
        nodes = (t + np.arange(steps) * h)[:, None] + h * np.array(NODES[self.method])
        made: Array | None = drive.rows(nodes)
        if steps > 1 and made is not None:
            self.table = t, h, made
        return made

    def keep(self, t: float, state: Array) -> None:
        """Keep a sample."""
        n = self.system.nq
        self.samples.add(t, state[:n].copy(), state[n:].copy(), self.holds)

    # Steps in which something happens

    def slow(self, state: Array, t: float, h: float) -> bool:
        """Take one step with all that happens in it; return False when it blew up."""
        n = self.system.nq
        q, qd = state[:n].copy(), state[n:].copy()
        self.samples.evaluations += 1
        reason = 'the joint rates run away'
        try:
            with np.errstate(all='ignore'):
                q1, qd1 = self.careful(t, q, qd, h)
                check_loops(self.system, q, q1, ORDER[self.method])
        except (BlowUpError, NotConvergedError) as error:
            reason, q1, qd1 = str(error), q, np.full(self.system.n, np.nan)
        if not np.isfinite(q1).all() or not np.abs(qd1).max(initial=0.0) <= RUNAWAY:
            worst = qd1 if np.isfinite(q1).all() and not np.isnan(qd1).all() else qd
            self.samples.stopped = stopped_at(self.system, t, q, reason, (q, worst))
            return False
        state[:n], state[n:] = q1, qd1
        return True

    def careful(self, t: float, q: Array, qd: Array, h: float) -> tuple[Array, Array]:
        """Return the state after a step in which joints may strike, stop and start."""
        holds = self.holds
        if holds is None or not holds.margins:  # nothing can happen
            return self.plain(t, q, qd, h)
        for _ in range(EVENTS):
            @cache
            def at(x: float, t: float = t, q: Array = q, qd: Array = qd) -> tuple[Array, Array]:
                return self.plain(t, q, qd, x) if x else (q, qd)
            found = first_event(holds, t, h, at)
            if found is None:
                return at(h)
            part, joint = found
            q, qd = self.samples.settle(holds, t + part, *at(part), joint)
            self.look(q)
            t, h = t + part, h - part
            if h <= 1e-15:
                return q, qd
        return implicit_step(holds, t, q, qd, h)

    def look(self, q: Array) -> None:
        """Note how fast damping is now, for the sweeps of implicit methods."""
        if self.method not in STABLE:
            self.decay = SPARE * self.system.decay_rate(
                q, None if self.holds is None else self.holds.modes.free)

    def plain(self, t: float, q: Array, qd: Array, h: float,
              halvings: int = 6) -> tuple[Array, Array]:
        """Return the state after a step in which nothing happens.

        One that does not converge is taken as two.
        """
        try:
            return self.single(t, q, qd, h)
        except (NotConvergedError, BlowUpError):
            if self.method in STABLE or not halvings:
                raise
        middle = self.plain(t, q, qd, h / 2, halvings - 1)
        return self.plain(t + h / 2, *middle, h / 2, halvings - 1)

    def single(self, t: float, q: Array, qd: Array, h: float) -> tuple[Array, Array]:
        """Return the state after one step of the method."""
        # a law that meets a limit for the first time says so itself
        if self.runner() is not None and not self.system.drive.watching:
            state, n = np.concatenate([q, qd]), self.system.n
            if self.loop(state, t, h, 1, 1, np.empty((1, 2 * n)), watched=False):
                return state[:n], state[n:]
        source = self.system if self.holds is None else self.holds
        relax, space = relaxation(self.method, h * self.decay), self.system.space
        q, qd = STEPS[self.method](source.acceleration, t, q, qd, h, relax,
                                   same if space.flat else space.velocity)
        return space.normalised(q), qd


def stable_step(system: System, method: str, q: Array, step: float) -> float:
    """Return the step that damping allows.

    Explicit steps are cut into shorter ones, where a few will do; beyond that a warning says it.
    """
    if method not in STABLE:
        return step
    decay = SPARE * system.decay_rate(q)
    parts = int(np.ceil(min(step * decay / STABLE[method], 1e9)))
    if parts > PARTS:
        warn(f'damping slows joints down at {decay / SPARE:.3g}/s, too fast for {method} with '
             f'steps of {step:g} s: use the method Radau or LSODA, or a shorter step')
        return step
    return step / max(1, parts)


def relaxation(method: str, z: float) -> float:
    """Return the best part of a change to take in the sweeps, for decays from 0 to z in a step."""
    z *= max(NODES[method])
    return 1.0 if z < 0.5 else 2.0 / (2.0 + z)


def check_step(step: float | None) -> float:
    """Return the step of a fixed-step method."""
    return 1e-3 if step is None else positive('step', step)
