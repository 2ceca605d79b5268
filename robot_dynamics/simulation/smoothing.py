"""A zero-phase low-pass filter for measured series, as a smoothing spline.

It minimises the integral of (y - s)^2 + s''''^2 / w^8 over time (Reinsch 1967), whose s has the
amplitude 1 / (1 + (f / f0)^8) at the frequency f and no phase: that of Butterworth's filter of
order four, run forward and backward; f0 = w / 2 pi halves it. Unlike that filter it needs nothing
before the first and after the last sample (polynomials of order three pass unchanged up to both
ends), and the samples need not be equally far apart.
"""

from typing import Any

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.model.denoc import Array

ORDER = 4
DEGREE = 5
PER_PERIOD = 8  # knots within 1 / f0: the spline itself must not be the filter


def low_pass(t: Array, y: Array, frequency: float) -> Any:
    """Return the spline through (t, y) without what is faster than the frequency [Hz].

    t: (K,) increasing [s]; y: (K, n); the result is a scipy BSpline, whose derivatives are at hand
    """
    from scipy.interpolate import BSpline
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import splu

    knots = make_knots(t, check_frequency(t, frequency))
    B = BSpline.design_matrix(t, knots, DEGREE)
    weight = np.gradient(t)
    weight[[0, -1]] /= 2
    A = B.T @ diags_array(weight) @ B + penalty(knots) / (2 * np.pi * frequency) ** (2 * ORDER)
    return BSpline(knots, splu(A.tocsc()).solve(B.T @ (weight[:, None] * y)), DEGREE)


def check_frequency(t: Array, frequency: float) -> float:
    """Return the frequency when samples at these times can have it."""
    rate = (len(t) - 1) / (t[-1] - t[0])
    if not 0 < frequency < rate / 2:
        raise InputError(f'filter={frequency:g}: expected more than 0 and less than '
                         f'{rate / 2:g} Hz, half the rate of the samples')
    if len(t) <= DEGREE or frequency * (t[-1] - t[0]) < 1:
        raise InputError(f'filter={frequency:g}: {len(t)} samples in {t[-1] - t[0]:g} s are too '
                         f'few: expected more than {max(DEGREE, rate / frequency):.0f}')
    return frequency


def make_knots(t: Array, frequency: float) -> Array:
    """Return equidistant knots, the ends repeated."""
    duration = t[-1] - t[0]
    parts = int(np.ceil(min(duration * frequency * PER_PERIOD, len(t) - 1)))
    inner = np.linspace(t[0], t[-1], parts + 1)
    return np.concatenate([inner[:1].repeat(DEGREE), inner, inner[-1:].repeat(DEGREE)])


def penalty(knots: Array) -> Any:
    """Return the integrals of products of the B-splines' fourth derivatives, exactly."""
    from scipy.interpolate import BSpline
    from scipy.sparse import diags_array, eye_array
    size, D = len(knots) - DEGREE - 1, eye_array(len(knots) - DEGREE - 1)
    for k in range(ORDER):  # coefficients of the derivative: de Boor (1978), X (16)
        degree, inner = DEGREE - k, knots[k:len(knots) - k]
        factor = degree / (inner[degree + 1:-1] - inner[1:-degree - 1])
        D = diags_array([-factor, factor], offsets=[0, 1], shape=(size - k - 1, size - k)) @ D
    spans = np.unique(knots)
    x, w = np.polynomial.legendre.leggauss(DEGREE - ORDER + 1)
    half = np.diff(spans)[:, None] / 2
    points, weights = (spans[:-1, None] + half + half * x).ravel(), (half * w).ravel()
    B = BSpline.design_matrix(points, knots[ORDER:-ORDER], DEGREE - ORDER) @ D
    return B.T @ diags_array(weights) @ B
