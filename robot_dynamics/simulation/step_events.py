"""Finds when, within a fixed step, the first joint strikes, stops or starts."""

from collections.abc import Callable

from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.holds import Holds, Margin

HALVINGS = 40  # of a step, to find when a margin that begins at zero is positive
PRECISE = 1e-15  # [s]

At = Callable[[float], tuple[Array, Array]]  # q, qd after a part of the step


class Step:
    """The margins of a step, as functions of the time passed."""

    def __init__(self, holds: Holds, t: float, at: At):
        self.holds, self.t, self.at = holds, t, at
        self.reacting = any(of.kind > 2 for of in holds.margins)

    def value(self, of: Margin, x: float) -> float:
        """Return a margin after x [s]."""
        q, qd = self.at(x)
        return self.holds.margin(of, q, qd, self.holds.answer(self.t + x, q, qd)
                                 if of.kind > 2 else None)

    def missed(self, x: float, among: list[Margin]) -> list[Margin]:
        """Return which margins are not positive any more after x [s]."""
        q, qd = self.at(x)
        answer = self.holds.answer(self.t + x, q, qd) if self.reacting else None
        return [of for of in among if self.holds.margin(of, q, qd, answer) < 0]

    def root(self, of: Margin, x: float) -> float:
        """Return when a margin that is negative at x [s] first became so."""
        from scipy.optimize import brentq  # it takes its time
        if self.value(of, 0.0) > 0:
            return float(brentq(lambda y: self.value(of, y), 0.0, x, xtol=PRECISE))
        if of.kind > 2:
            return 0.0
        for k in range(1, HALVINGS):
            y = x * 0.5 ** k
            if self.value(of, y) > 0:
                return float(brentq(lambda y: self.value(of, y), y, 2 * y, xtol=PRECISE))
        return 0.0


def first_event(holds: Holds, t: float, h: float, at: At) -> tuple[float, int | None] | None:
    """Return when the modes end within a step, and the joint that stops then; None: they last.

    at: the state after a part of the step in these modes
    """
    step, x, found = Step(holds, t, at), h, None
    missed = step.missed(h, holds.margins) or [
        of for of in holds.margins if of.kind < 2 and (
            turn := turning(step, of, h)) is not None and step.value(of, turn) < 0]
    while missed:
        of = missed.pop(0)
        end = x if found is not None or step.value(of, x) < 0 else turning(step, of, h)
        assert end is not None
        x, found = step.root(of, end), of
        if x == 0.0:
            break
        missed = [other for other in step.missed(x, holds.margins)
                  if other != of and step.value(other, x) < -1e-13]
    if found is None:
        return None
    return x, found.joint if found.kind == 2 else None


def turning(step: Step, of: Margin, h: float) -> float | None:
    """Return when a joint turns round on its way to a stop, None where it does not or is far."""
    from scipy.optimize import brentq
    outward = -1.0 if of.kind == 0 else 1.0

    def speed(x: float) -> float:
        return float(step.holds.speeds(*step.at(x))[of.joint])
    before, after = outward * speed(0.0), speed(h)
    if not (before > 0 > outward * after):
        return None
    if step.holds.margin(of, *step.at(h), None) > h * abs(after):
        return None
    return float(brentq(speed, 0.0, h, xtol=PRECISE))
