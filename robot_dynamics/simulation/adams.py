"""The Adams-Bashforth-Moulton pair with variable step and order, as one of scipy's solvers.

SahaSchiehlen2001 integrated with it: predict by the polynomial through the last k slopes,
evaluate, correct by the one that also meets the new slope, evaluate. Steps may all differ, so
that the polynomials are kept as Newton's divided differences of the slopes. The corrector has
one order more than the predictor, and what it adds beyond the corrector of the predictor's own
estimates the error (Shampine and Gordon).
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.integrate import DenseOutput, OdeSolver

from robot_dynamics.model.denoc import Array

HIGHEST = 12  # order of the predictor
GROW, SHRINK, SAFETY = 2.0, 0.3, 0.8


class ABM(OdeSolver):  # type: ignore[misc]  # scipy has no types
    """Variable-step, variable-order Adams-Bashforth-Moulton, PECE with local extrapolation."""

    t: float
    y: Array

    def __init__(self, fun: Callable[[float, Array], Array], t0: float, y0: Array, t_bound: float,
                 max_step: float = np.inf, rtol: float = 1e-6, atol: float = 1e-9,
                 vectorized: bool = False, first_step: float | None = None,
                 **extraneous: Any) -> None:
        super().__init__(fun, t0, y0, t_bound, vectorized, support_complex=False)
        self.rtol, self.atol, self.max_step = rtol, atol, max_step
        f = self.fun(self.t, self.y)
        self.times, self.slopes = [self.t], [f]  # newest first
        self.order = 1
        self.h = first_step or self.first_step(f)
        self.steps_at_order = 0

    def first_step(self, f: Array) -> float:
        """Return a step that keeps Euler's error small."""
        scale = self.atol + self.rtol * np.abs(self.y)
        size = np.sqrt(np.mean((f / scale) ** 2))
        span = abs(self.t_bound - self.t)
        longest = 0.25 * np.sqrt(1 / size) if size > 0 else span * 1e-3
        return float(min(span, self.max_step, longest))

    def _step_impl(self) -> tuple[bool, str | None]:
        t, y = self.t, self.y
        smallest = 10 * np.abs(np.nextafter(t, self.direction * np.inf) - t)
        while True:
            h = min(self.h, self.max_step, abs(self.t_bound - t))
            if h < smallest:
                return False, self.TOO_SMALL_STEP
            t_new = t + self.direction * h
            if self.direction * (t_new - self.t_bound) > 0:
                t_new = self.t_bound
            k = min(self.order, len(self.times))
            predicted, differences, g = self.predict(t_new, k)
            f = self.fun(t_new, predicted)
            # the new slope's divided difference over the newest k ones times its integral
            last = new_difference(f, t_new, self.times, differences, k)
            y_new = predicted + g[k] * last
            error = (g[k] - (t_new - self.times[k - 1]) * g[k - 1]) * last
            norm = self.norm(error, y, y_new)
            if np.isfinite(norm) and norm <= 1:
                break
            self.h = h * (SHRINK if not np.isfinite(norm)
                          else max(SHRINK, SAFETY * norm ** (-1 / (k + 1))))
            self.order = max(1, k - 1) if norm > 100 or not np.isfinite(norm) else k
            self.steps_at_order = 0
        self.accept(t_new, y_new, f, last, g, k, h, norm)
        return True, None

    def predict(self, t_new: float, k: int) -> tuple[Array, list[Array], list[float]]:
        """Return the predictor, the slopes' divided differences and the integrals of order k."""
        differences = divided_differences(self.times[:k], self.slopes[:k])
        g = newton_integrals(self.t, t_new, self.times[:k])
        y = self.y + sum(g[j] * differences[j] for j in range(k))
        return y, differences, g

    def accept(self, t_new: float, y_new: Array, f: Array, last: Array, g: list[float], k: int,
               h: float, norm: float) -> None:
        """Take the step; choose the next step and order."""
        y_old = self.y
        f_new = self.fun(t_new, y_new)
        self.previous = (self.t, y_old, list(self.times[:k]), list(self.slopes[:k]), f_new)
        self.t, self.y = t_new, y_new
        self.times.insert(0, t_new)
        self.slopes.insert(0, f_new)
        del self.times[HIGHEST + 1:], self.slopes[HIGHEST + 1:]
        self.steps_at_order += 1
        factor = GROW if norm == 0 else min(GROW, max(SHRINK, SAFETY * norm ** (-1 / (k + 1))))
        self.order = k
        if self.steps_at_order > k or len(self.times) <= HIGHEST and k < 4:
            self.choose_order(k, norm, y_old)
        self.h = h * factor if factor < 0.9 or factor > 1.15 else h

    def choose_order(self, k: int, norm: float, y_old: Array) -> None:
        """Raise or lower the order by one where its error estimate is smaller."""
        t_new, t_old = self.times[0], self.times[1]
        estimates = {}
        for order in (k - 1, k + 1):
            if 1 <= order <= HIGHEST and len(self.times) > order:
                differences = divided_differences(self.times[:order + 1],
                                                  self.slopes[:order + 1])
                g = newton_integrals(t_old, t_new, self.times[1:order + 1])
                error = (g[order] - (t_new - self.times[order]) * g[order - 1])
                estimates[order] = self.norm(error * differences[order], y_old, self.y)
        if estimates.get(k + 1, np.inf) < 0.5 * norm or (k == 1 and k + 1 in estimates):
            self.order, self.steps_at_order = k + 1, 0
        elif estimates.get(k - 1, np.inf) <= norm:
            self.order, self.steps_at_order = k - 1, 0

    def norm(self, error: Array, y: Array, y_new: Array) -> float:
        """Return the error beside the tolerance."""
        scale = self.atol + self.rtol * np.maximum(np.abs(y), np.abs(y_new))
        return float(np.sqrt(np.mean((error / scale) ** 2)))

    def _dense_output_impl(self) -> 'AdamsDense':
        t_old, y_old, times, slopes, f_new = self.previous
        return AdamsDense(t_old, self.t, y_old, [self.t, *times], [f_new, *slopes], self.y)


class AdamsDense(DenseOutput):  # type: ignore[misc]  # as well
    """The integral of the polynomial through the slopes, bent to meet the step's end."""

    def __init__(self, t_old: float, t: float, y_old: Array, times: Sequence[float],
                 slopes: Sequence[Array], y_new: Array) -> None:
        super().__init__(t_old, t)
        self.y_old, self.times = y_old, times
        self.differences = divided_differences(times, slopes)
        self.rest = y_new - self.at(t)

    def at(self, t: float) -> Array:
        """Return y of the polynomial alone."""
        g = newton_integrals(self.t_old, t, self.times)
        return self.y_old + sum(g[j] * d for j, d in enumerate(self.differences))

    def _call_impl(self, t: Any) -> Array:
        values = []
        for x in np.atleast_1d(t):
            part = (x - self.t_old) / (self.t - self.t_old)
            values.append(self.at(x) + part * part * (3 - 2 * part) * self.rest)
        return np.array(values).T if np.ndim(t) else values[0]


def divided_differences(times: Sequence[float], values: Sequence[Array]) -> list[Array]:
    """Return Newton's divided differences f[t_0], f[t_0, t_1], ... of k values."""
    table = list(values)
    result = [table[0]]
    for order in range(1, len(times)):
        table = [(table[j] - table[j + 1]) / (times[j] - times[j + order])
                 for j in range(len(table) - 1)]
        result.append(table[0])
    return result


def new_difference(f: Array, t_new: float, times: Sequence[float],
                   differences: Sequence[Array], k: int) -> Array:
    """Return the divided difference over a new slope and the newest k."""
    value = f
    for j in range(k):
        value = (value - differences[j]) / (t_new - times[j])
    return value


def newton_integrals(a: float, b: float, times: Sequence[float]) -> list[float]:
    """Return the integrals from a to b of 1, (t - t_0), (t - t_0)(t - t_1), ...: k + 1 of them.

    Gauss-Legendre's rule with enough points integrates these polynomials exactly.
    """
    nodes, weights = RULES[(len(times) + 2) // 2]
    x = 0.5 * (a + b) + 0.5 * (b - a) * nodes
    w = 0.5 * (b - a) * weights
    product = np.ones_like(x)
    result = [float(w.sum())]
    for t in times:
        product = product * (x - t)
        result.append(float(w @ product))
    return result


RULES = {k: np.polynomial.legendre.leggauss(max(1, k)) for k in range(HIGHEST // 2 + 4)}
