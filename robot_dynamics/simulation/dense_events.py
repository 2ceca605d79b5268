"""Finds when, within a step of a solver, the first joint strikes, stops or starts.

Margins (holds.Margin) are looked at on a grid within the step, and where one has a minimum between
the points that may be negative, there as well: what is passed and left again is not missed.
"""


import numpy as np

from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.holds import Holds, Margin
from robot_dynamics.simulation.trajectory import Dense

POINTS = 8  # within a step
HALVINGS = 50  # to find when a margin that begins at zero is positive


class DenseStep:
    """The margins of a step as functions of time, by the solver's polynomials."""

    def __init__(self, holds: Holds, dense: Dense, t0: float, t1: float):
        self.holds, self.dense, self.t0, self.n = holds, dense, t0, holds.system.nq
        self.t = t0 + (t1 - t0) * np.linspace(0.0, 1.0, POINTS + 1)
        self.states = np.array(dense(self.t)).T  # (POINTS + 1, nq + n)
        reacting = any(of.kind > 2 for of in holds.margins)
        self.answers: list[Array | None] = [
            holds.answer(t, y[:self.n], y[self.n:]) if reacting and k % 2 == 0 else None
            for k, (t, y) in enumerate(zip(self.t, self.states, strict=True))]

    def value(self, of: Margin, t: float) -> float:
        """Return a margin at an instant."""
        y = np.array(self.dense(t))
        q, qd = y[:self.n], y[self.n:]
        return self.holds.margin(of, q, qd,
                                 self.holds.answer(t, q, qd) if of.kind > 2 else None)

    def first(self) -> tuple[float, int | None] | None:
        """Return when the modes end, and the joint that stops then; None: they last."""
        best: tuple[float, int | None] | None = None
        for of in self.suspects():
            bracket = self.bracket(of)
            if bracket is not None and (best is None or bracket[0] < best[0]):
                t = self.root(of, *bracket)
                if best is None or t < best[0]:
                    best = t, of.joint if of.kind == 2 else None
        return best

    def suspects(self) -> list[Margin]:
        """Return the margins that may become negative: those that do, or have a low minimum."""
        holds, states, rates = self.holds, self.states[:, :self.n], self.states[:, self.n:]
        q, qd = holds.values(states), holds.speeds(states, rates)
        found: list[Margin] = []
        for kind, g in enumerate((q - holds.lower, holds.upper - q, holds.direction * qd)):
            with np.errstate(invalid='ignore'):  # where there is no stop it is inf away
                falls = g.min(axis=0) < np.ptp(g, axis=0)
            found += [of for of in holds.margins if of.kind == kind and falls[of.joint]]
        return found + [of for of in holds.margins if of.kind > 2]

    def bracket(self, of: Margin) -> tuple[float, float] | None:
        """Return two instants between which a margin becomes negative, None where it does not."""
        every = 2 if of.kind > 2 else 1
        t = self.t[::every]
        g = [self.holds.margin(of, y[:self.n], y[self.n:], answer)
             for y, answer in zip(self.states[::every], self.answers[::every], strict=True)]
        if of.kind > 2 and g[0] < 0:
            return float(t[0]), float(t[0])
        for k in range(1, len(g)):
            if g[k] < 0:
                return float(t[k - 1]), float(t[k])
            if k < len(g) - 1 and g[k] <= min(g[k - 1], g[k + 1]) and (
                    g[k] < max(g[k - 1], g[k + 1]) - g[k]):
                lowest = self.lowest(of, float(t[k - 1]), float(t[k + 1]))
                if self.value(of, lowest) < 0:
                    return float(t[k - 1]), lowest
        return None

    def lowest(self, of: Margin, a: float, b: float) -> float:
        """Return where a margin is least between two instants."""
        from scipy.optimize import minimize_scalar  # it takes its time
        found = minimize_scalar(lambda t: self.value(of, t), bounds=(a, b), method='bounded',
                                options={'xatol': 1e-6 * (b - a)})
        return float(found.x)

    def root(self, of: Margin, a: float, b: float) -> float:
        """Return when a margin becomes negative between two instants."""
        from scipy.optimize import brentq
        if a == b:
            return a
        if self.value(of, a) <= 0:  # it begins at zero
            for k in range(1, HALVINGS):
                middle = a + (b - a) * 0.5 ** k
                if self.value(of, middle) > 0:
                    a, b = middle, a + (b - a) * 0.5 ** (k - 1)
                    break
            else:
                return a
        return float(brentq(lambda t: self.value(of, t), a, b, xtol=1e-15, rtol=1e-15))
