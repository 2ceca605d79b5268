"""The fixed-step methods over any function for the accelerations, one step at a time.

The same formulas as emission/steps.py, for torques that only Python can compute, and for the
steps in which a joint meets a stop.
"""

from collections.abc import Callable

import numpy as np

from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.tableaus import CLOSE, GAUSS_A, GAUSS_B, ITERATIONS, NODES

Acceleration = Callable[[float, Array, Array], Array]  # qdd of (t, q, qd)
Velocity = Callable[[Array, Array], Array]  # dq/dt of (q, qd)
Step = Callable[..., tuple[Array, Array]]  # of a method: q, qd after it


class NotConvergedError(ArithmeticError):
    """An implicit step found no fixed point: the step is too long."""


def same(q: Array, qd: Array) -> Array:
    """Return dq/dt of values whose rates are qd."""
    return qd


def semi_implicit_euler(f: Acceleration, t: float, q: Array, qd: Array, h: float,
                        relax: float = 1.0, velocity: Velocity = same) -> tuple[Array, Array]:
    """Return q, qd after a step: rates first, positions with the new rates."""
    qd = qd + h * f(t, q, qd)
    return q + h * velocity(q, qd), qd


def rk4(f: Acceleration, t: float, q: Array, qd: Array, h: float, relax: float = 1.0,
        velocity: Velocity = same) -> tuple[Array, Array]:
    """Return q, qd after the classical Runge-Kutta step."""
    v, a = [velocity(q, qd)], [f(t, q, qd)]
    for part, node in ((0.5, 0.5), (0.5, 0.5), (1.0, 1.0)):
        at = q + part * h * v[-1], qd + part * h * a[-1]
        v.append(velocity(*at))
        a.append(f(t + node * h, *at))
    return (q + h / 6 * (v[0] + 2 * (v[1] + v[2]) + v[3]),
            qd + h / 6 * (a[0] + 2 * (a[1] + a[2]) + a[3]))


def gauss(method: str) -> Step:
    """Return the step of Gauss's collocation with the method's stages.

    relax: what part of each change the sweeps take
    """
    A, b, c = (np.array(x) for x in (GAUSS_A[method], GAUSS_B[method], NODES[method]))

    def step(f: Acceleration, t: float, q: Array, qd: Array, h: float, relax: float = 1.0,
             velocity: Velocity = same) -> tuple[Array, Array]:
        k = np.repeat(f(t, q, qd)[None], len(b), axis=0)
        v = np.repeat(velocity(q, qd)[None], len(b), axis=0)
        for _ in range(ITERATIONS):
            moved = False
            for i in range(len(b)):
                rates = qd + h * A @ k
                if velocity is same:
                    v = rates
                at = q + h * A[i] @ v
                if velocity is not same:
                    new = velocity(at, rates[i])
                    moved |= bool(np.any(h * np.abs(new - v[i]) > CLOSE * (1 + np.abs(v[i]))))
                    v[i] = new
                a = f(t + c[i] * h, at, rates[i])
                moved |= bool(np.any(h * np.abs(a - k[i]) > CLOSE * (1 + np.abs(rates[i]))))
                k[i] += relax * (a - k[i])
            if not moved:
                rates = qd + h * A @ k
                return q + h * b @ (rates if velocity is same else v), qd + h * b @ k
        raise NotConvergedError(f'the implicit step of {h:g} s does not converge')
    return step


STEPS: dict[str, Step] = {
    'semi_implicit_euler': semi_implicit_euler, 'rk4': rk4,
    'implicit_midpoint': gauss('implicit_midpoint'), 'gauss4': gauss('gauss4'),
}
