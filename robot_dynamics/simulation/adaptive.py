"""Drives scipy's solvers, and ours in their form: outputs, stops, events, blow-ups."""

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from robot_dynamics.inputs import positive
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.blow_up import BlowUpError
from robot_dynamics.simulation.dense_events import DenseStep
from robot_dynamics.simulation.events import EventFunction, crossings
from robot_dynamics.simulation.holds import OUTSIDE, Holds
from robot_dynamics.simulation.implicit import implicit_step
from robot_dynamics.simulation.samples import Progress, Recording, stopped_at
from robot_dynamics.simulation.system import OPEN, System
from robot_dynamics.simulation.tableaus import RUNAWAY
from robot_dynamics.simulation.torque_laws import cutting
from robot_dynamics.simulation.trajectory import Dense

# RK45 is the papers' ode45; ABM is what SahaSchiehlen2001 integrated with.
SOLVERS = ('RK45', 'DOP853', 'Radau', 'LSODA', 'ABM')
IMPLICIT = ('Radau', 'LSODA')


def solver_class(name: str) -> Callable[..., Any]:
    """Return a solver; scipy is imported when it is first needed: it takes its time."""
    from scipy import integrate

    from robot_dynamics.simulation.adams import ABM
    return ABM if name == 'ABM' else getattr(integrate, name)


PILE = 50  # events without time passing; an implicit step then leads on
LEAP = 1e-6  # its length [s]
LOOKS = 5  # instants of a step at which torques are looked at again
PROBE = 1.5e-8  # change of a value of one, or part of a larger one, for differences
HUGE = 1e100  # accelerations whose squares are not finite soon [rad/s^2 or m/s^2]


class Adaptive:
    """One run with steps of the solver's choice."""

    def __init__(self, system: System, holds: Holds | None, events: Sequence[EventFunction],
                 solver: str, options: dict[str, Any], *, dense: bool, progress: Progress):
        self.system, self.holds, self.events = system, holds, events
        self.make, self.options = solver_class(solver), options
        self.keep_dense, self.progress = dense, progress
        self.samples = Recording()
        self.raises = solver == 'LSODA'  # it does not notice what is not finite
        self.implicit = solver in IMPLICIT
        if solver == 'Radau':
            options['jac'] = self.jacobian
        self.begun = -np.inf  # when the solver last began anew after a failure
        self.reason = ''  # what the equations complained about in this step

    def rates(self, t: float, y: Array) -> Array:
        """Return dy/dt, nan where the equations have no answer: the solver then steps back."""
        space, nq = self.system.space, self.system.nq
        raw, qd = np.array(y[:nq]), np.array(y[nq:])
        self.samples.evaluations += 1
        source = self.system if self.holds is None else self.holds
        try:
            q = space.normalised(raw)
            qdd = source.acceleration(t, q, qd)
            if np.abs(qdd).max() > HUGE:
                raise BlowUpError('the accelerations run away')
            # of the raw values: a quaternion's direction then goes its way whatever its length
            velocity = space.velocity(raw, qd)
            if space.following and not np.isfinite(velocity).all():
                raise BlowUpError(OPEN)
            return np.concatenate([velocity, qdd])
        except BlowUpError as error:
            if np.isfinite(y).all():  # what follows from a nan is not the reason
                self.reason = str(error)
            if self.raises:
                raise
            return np.full(len(y), np.nan)

    def jacobian(self, t: float, y: Array) -> Array:
        """Return the derivatives of the rates, of differences; zero where no probe has an answer.

        scipy's own ones grow where nothing changes, as with dependent joints, which are put back,
        until the loops cannot be closed at all.
        """
        f = self.rates(t, y)
        if not np.isfinite(f).all():
            raise BlowUpError(self.reason)
        J = np.zeros((len(y), len(y)))
        ways = np.where(f >= 0, 1.0, -1.0) * PROBE * np.maximum(1.0, np.abs(y))
        for k, way in enumerate(ways.tolist()):
            for step in (way, -way):
                probe = y.copy()
                probe[k] += step
                column = (self.rates(t, probe) - f) / (probe[k] - y[k])
                if np.isfinite(column).all():
                    J[:, k] = column
                    break
        return J

    def run(self, q: Array, qd: Array, start: float, end: float,
            times: Array | None) -> Recording:
        """Integrate; times: where samples are wanted, None for every step.

        Solvers begin anew where the torques have a kink.
        """
        wanted = None if times is None else list(times[::-1])
        if wanted and wanted[-1] == start:
            wanted.pop()
        self.samples.add(start, q, qd, self.holds)
        kinks = [t for t in getattr(self.system.law, 'kinks', ()) if start < t < end] + [end]
        t, pile, going = start, 0, True
        while going and t < end:
            bound = next(x for x in kinks if x > t)
            before = t
            t, q, qd, going = self.segment(t, q, qd, bound, (start, end), wanted)
            pile = pile + 1 if t - before < 1e-12 else 0
            if pile > PILE and self.holds is not None:
                leap = min(LEAP, end - t)
                q, qd = implicit_step(self.holds, t, q, qd, leap)
                t, pile = t + leap, 0
        return self.samples

    def segment(self, t: float, q: Array, qd: Array, bound: float, span: tuple[float, float],
                wanted: list[float] | None) -> tuple[float, Array, Array, bool]:
        """Step until a bound, an event of the joints or a failure.

        Return t, q, qd and whether the motion goes on.
        """
        n, holds, cut = self.system.nq, self.holds, cutting(self.system.law)
        solver = None
        while True:
            t_old, y_old = t, np.concatenate([q, qd])
            known = {} if cut is None else dict(cut.saturated)
            try:
                if solver is None:
                    if self.raises:
                        self.rates(t, y_old)
                    solver = self.make(self.rates, t, y_old, bound, **self.options)
                message = self.advance(solver)
            except BlowUpError as error:
                return self.fail(t_old, q, qd, None, str(error))
            y, space = solver.y, self.system.space
            gaping = self.gaping(y)
            if (solver.status == 'failed' or gaping) and self.again(t):
                solver = None
                continue
            if solver.status == 'failed' or not np.isfinite(y).all() or (
                    np.abs(y[n:]).max(initial=0.0) > RUNAWAY):
                wild = solver.status != 'failed'
                return self.fail(t_old, q, qd, y if wild else None, message)
            if gaping:
                return self.fail(t_old, q, qd, None, OPEN)
            self.reason = ''
            dense, t = solver.dense_output(), solver.t
            event = None if holds is None else DenseStep(holds, dense, t_old, t).first()
            if event is not None:
                t, y = event[0], np.array(dense(event[0]))
            if cut is not None and len(cut.saturated) > len(known):
                cut.saturated = known
                self.look(dense, t_old, t)
            try:
                over = self.record(dense, t_old, t, wanted, event is not None)
            except BlowUpError as error:
                return self.fail(t_old, q, qd, None, str(error))
            if over is not None:
                return over, q, qd, False
            q, qd = space.normalised(y[:n].copy()), y[n:].copy()
            self.progress((t - span[0]) / (span[1] - span[0]))
            if event is not None and holds is not None:
                try:
                    q, qd = self.samples.settle(holds, t, q, qd, event[1])
                except BlowUpError as error:
                    return self.fail(t, q, qd, None, str(error))
                if wanted is None:
                    self.samples.add(t, q, qd, holds)
            if event is not None or solver.status == 'finished':
                return t, q, qd, True

    def gaping(self, y: Array) -> bool:
        """Tell whether a state is one at which loops no longer close."""
        space, n = self.system.space, self.system.nq
        return bool(space.following) and not np.isfinite(space.normalised(y[:n].copy())).all()

    def again(self, t: float) -> bool:
        """Tell whether to begin anew at t, with a short step, since an implicit solver failed.

        It may have looked where loops do not close, which does not say that they are singular at
        t. Where they are soon, it hardly comes further.
        """
        going = self.implicit and t > self.begun + LEAP
        self.begun = t
        return going

    def fail(self, t: float, q: Array, qd: Array, wild: Array | None,
             message: str | None) -> tuple[float, Array, Array, bool]:
        """End the motion at its last good state."""
        samples, n = self.samples, self.system.nq
        if not samples.t or samples.t[-1] < t:
            samples.add(t, q, qd, self.holds)
        t, q, qd = samples.t[-1], samples.q[-1], samples.qd[-1]  # within a step, perhaps
        samples.events = [event for event in samples.events if event.t <= t]
        samples.stopped = stopped_at(
            self.system, t, q, self.reason or message or 'the joint rates run away',
            (q, qd) if wild is None else (wild[:n], wild[n:]))
        return t, q, qd, False

    def advance(self, solver: Any) -> str | None:
        """Take one step; a solver that chokes on what is not finite has failed."""
        try:
            said: str | None = solver.step()
            return said
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
            solver.status = 'failed'
            return str(error)

    def look(self, dense: Dense, t0: float, t1: float) -> None:
        """Ask the torques along a step: solvers try states that the motion never sees."""
        for t in np.linspace(t0, t1, LOOKS).tolist():
            with contextlib.suppress(BlowUpError):  # it ends the motion where it counts
                self.system.torque(t, *self.state(dense, t))

    def keep(self, t: float, dense: Dense) -> None:
        """Keep the sample at t; beyond a stop by rounding is on it."""
        q, qd = self.state(dense, t)
        if self.holds is not None:
            x = self.holds.values(q)
            inside = np.clip(x, self.holds.lower, self.holds.upper)
            near = np.abs(x - inside) < OUTSIDE
            q = self.holds.put(q, np.where(near, inside, x), near & (x != inside))
        self.samples.add(t, q, qd, self.holds)

    def state(self, dense: Dense, t: float) -> tuple[Array, Array]:
        """Return q and qd of the solver's polynomials; `BlowUpError`: loops do not close."""
        y, n, space = np.array(dense(t)), self.system.nq, self.system.space
        q = space.normalised(y[:n])
        if space.following and not np.isfinite(q).all():
            raise BlowUpError(OPEN)
        return q, y[n:]

    def record(self, dense: Dense, t0: float, t1: float, wanted: list[float] | None,
               struck: bool) -> float | None:
        """Keep events and samples of a step; return when an event ends the simulation, or None.

        struck: the state at t1 changes at once, and is kept after that
        """
        found, over = crossings(self.events, lambda t: self.state(dense, t)[0],
                                lambda t: self.state(dense, t)[1], t0, t1)
        self.samples.events += found
        last = found[-1].t if over else t1
        if self.keep_dense:
            self.samples.pieces.append((t0, last, dense))
        if wanted is None:
            if over or not struck:
                self.keep(last, dense)
        else:
            while wanted and wanted[-1] <= last:
                self.keep(wanted.pop(), dense)
            if over and self.samples.t[-1] < last:
                self.keep(last, dense)
        return last if over else None


def solver_options(rtol: float, atol: float, step: float | None, solver: str) -> dict[str, Any]:
    """Return the options of a solver; step is its longest one."""
    options: dict[str, Any] = {'rtol': positive('rtol', rtol), 'atol': positive('atol', atol)}
    if step is not None:
        options['max_step'] = positive('step', step)
    return options
