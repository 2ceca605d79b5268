"""Drives scipy's solvers, and ours in their form: outputs, stops, events, blow-ups."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from robot_dynamics.inputs import positive
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.events import EventFunction, crossings
from robot_dynamics.simulation.samples import Progress, Samples, blown_up
from robot_dynamics.simulation.stops import Stops
from robot_dynamics.simulation.system import BlowUpError, System
from robot_dynamics.simulation.tableaus import RUNAWAY

# RK45 is the papers' ode45; ABM is what SahaSchiehlen2001 integrated with.
SOLVERS = ('RK45', 'DOP853', 'Radau', 'LSODA', 'ABM')


def solver_class(name: str) -> Callable:
    """Return a solver; scipy is imported when it is first needed: it takes its time."""
    from scipy import integrate

    from robot_dynamics.simulation.adams import ABM
    return ABM if name == 'ABM' else getattr(integrate, name)

PARTS = (0.25, 0.5, 0.75, 1.0)  # where within a step joints are looked at for stops
HALVINGS = 40  # of a step, to find when a joint that was at its stop has left it
PILE = 200  # impacts without time passing


class Adaptive:
    """One run with steps of the solver's choice."""

    def __init__(self, system: System, stops: Stops | None, events: Sequence[EventFunction],
                 solver: str, options: dict[str, Any], *, dense: bool, progress: Progress):
        self.system, self.stops, self.events = system, stops, events
        self.make, self.options = solver_class(solver), options
        self.keep_dense, self.progress = dense, progress
        self.samples = Samples()
        self.reason = ''  # what the equations last complained about

    def rates(self, t: float, y: Array) -> Array:
        """Return dy/dt, nan where the equations have no answer: the solver then steps back."""
        n = self.system.n
        q, qd = np.array(y[:n]), np.array(y[n:])
        self.samples.evaluations += 1
        source = self.system if self.stops is None else self.stops
        try:
            return np.concatenate([qd, source.acceleration(t, q, qd)])
        except BlowUpError as error:
            self.reason = str(error)
            return np.full(2 * n, np.nan)

    def run(self, q: Array, qd: Array, start: float, end: float,
            times: Array | None) -> Samples:
        """Integrate; times: where samples are wanted, None for every step."""
        wanted = None if times is None else list(times[::-1])
        if wanted and wanted[-1] == start:
            wanted.pop()
        self.samples.add(start, q, qd, self.stops)
        t, impacts = start, 0
        while t < end:
            solver = self.make(self.rates, t, np.concatenate([q, qd]), end, **self.options)
            before = t
            t, q, qd, struck = self.segment(solver, start, end, wanted)
            if not struck:
                break
            impacts = impacts + 1 if t - before < 1e-12 else 0
            if impacts > PILE:
                self.samples.stopped = blown_up(t, q, qd, self.system.joint_names,
                                                'impacts at a stop without end')
                break
        return self.samples

    def segment(self, solver: Any, start: float, end: float, wanted: list | None):
        """Step until the end, an impact or a failure; return t, q, qd and whether it struck."""
        n, names = self.system.n, self.system.joint_names
        while True:
            t_old, y_old = solver.t, solver.y
            message = self.advance(solver)
            y = solver.y
            fast = not np.isfinite(y).all() or np.abs(y[n:]).max(initial=0.0) > RUNAWAY
            if solver.status == 'failed' or fast:
                reason = self.reason or message or 'the joint rates run away'
                q, qd = y_old[:n].copy(), y_old[n:].copy()
                if not self.samples.t or self.samples.t[-1] < t_old:
                    self.samples.add(t_old, q, qd, self.stops)
                self.samples.stopped = blown_up(t_old, *((y[:n], y[n:]) if fast else (q, qd)),
                                                names, reason)
                return t_old, q, qd, False
            dense = solver.dense_output()
            stop_at, hit = self.find_stop(dense, t_old, solver.t)
            over = self.record(dense, t_old, stop_at, wanted, hit)
            state = dense(stop_at) if hit else y
            q, qd = state[:n].copy(), state[n:].copy()
            if hit and self.stops is not None:
                q, qd = self.stops.touch(q, qd)
                if wanted is None:
                    self.samples.add(stop_at, q, qd, self.stops)
                return stop_at, q, qd, not over and stop_at < end
            if self.stops is not None:
                self.stops.release(qd)
            self.progress((stop_at - start) / (end - start))
            if over or solver.status == 'finished':
                return stop_at, q, qd, False

    def advance(self, solver: Any) -> str | None:
        """Take one step; a solver that chokes on what is not finite has failed."""
        try:
            return solver.step()
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
            solver.status = 'failed'
            return str(error)

    def keep(self, t: float, dense: Callable) -> None:
        """Keep the sample at t."""
        q, qd = np.split(np.array(dense(t)), 2)
        if self.stops is not None:
            q = np.clip(q, self.stops.lower, self.stops.upper)
        self.samples.add(t, q, qd, self.stops)

    def find_stop(self, dense: Callable, t0: float, t1: float) -> tuple[float, bool]:
        """Return when the first joint meets a stop, or the step's end, and whether one does."""
        stops, n = self.stops, self.system.n
        if stops is None:
            return t1, False
        free = (stops.side == 0) & (np.isfinite(stops.lower) | np.isfinite(stops.upper))
        if not free.any():
            return t1, False

        from scipy.optimize import brentq  # it takes its time
        def margin(t: float) -> float:
            q = dense(t)[:n]
            return float(np.minimum(q - stops.lower, stops.upper - q)[free].min())

        before = t0
        for part in PARTS:
            t = t0 + part * (t1 - t0)
            if margin(t) < 0:
                for k in range(1, HALVINGS):  # it may leave and come back within this part
                    if margin(before) > 0:
                        break
                    before = t0 + part * (t1 - t0) * 0.5 ** k
                else:
                    return t, True
                return float(brentq(margin, before, t, xtol=1e-14, rtol=1e-14)), True
            before = t
        return t1, False

    def record(self, dense: Callable, t0: float, t1: float, wanted: list | None,
               hit: bool) -> bool:
        """Keep events and samples of a step; return whether an event ends the simulation."""
        n = self.system.n
        found, over = crossings(self.events, lambda t: dense(t)[:n], lambda t: dense(t)[n:],
                                t0, t1)
        self.samples.events += found
        last = found[-1].t if over else t1
        if self.keep_dense:
            self.samples.pieces.append((t0, last, dense))
        if wanted is None:
            if over or not hit:
                self.keep(last, dense)
            return over
        while wanted and wanted[-1] <= last:
            self.keep(wanted.pop(), dense)
        if over and self.samples.t[-1] < last:
            self.keep(last, dense)
        return over


def solver_options(rtol: float, atol: float, step: float | None, solver: str) -> dict[str, Any]:
    """Return the options of a solver; step is its longest one."""
    options: dict[str, Any] = {'rtol': positive('rtol', rtol), 'atol': positive('atol', atol)}
    if step is not None:
        options['max_step'] = positive('step', step)
    return options
