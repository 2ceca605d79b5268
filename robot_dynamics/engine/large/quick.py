"""Single calls of the general recursion with little around them.

What `emission/call.py` is for traced kernels: a function of positional arguments, the result's
array (or None) last, that answers the ordinary case and returns None for all others. The careful
path then finds out why.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from robot_dynamics.engine.emission.call import DATA
from robot_dynamics.engine.emission.elementary import LIMIT
from robot_dynamics.engine.large.dense import inverse
from robot_dynamics.engine.large.general import General, Recursion, recursion_of

DOUBLE = np.dtype(np.float64)
READ: Any = ctypes.c_void_p.from_address  # calls.layout_is_known tells whether DATA is right
RESULTS = {  # of the recursion
    'inverse_dynamics': ('row',), 'bias': ('row',), 'gravity_torque': ('row',),
    'forward_dynamics': ('row', 'pivots'), 'inertia_matrix': ('square',),
    'convective_matrix': ('square',), 'udu': ('square', 'pivots'), 'regressor': ('blocks',),
    'inverse_dynamics_derivatives': ('square', 'square', 'square', 'row'),
}
PARTS = {'udu': 2, 'inverse_dynamics_derivatives': 3}  # of the results are the answer
MISSING = {'bias': 1, 'gravity_torque': 2}  # arguments of the recursion that are zero


def quick_call(general: General, recursion: Recursion, name: str) -> Callable[..., Any] | None:
    """Return the function, None where the user's joints are not the tree's."""
    if not general.coordinates.identity:
        return None
    if name == 'inertia_matrix_inverse':
        return matrix_inverse(simple_call(general, recursion, 'udu'))
    if name == 'forward_dynamics_derivatives':
        return forward_derivatives(
            simple_call(general, recursion_of('forward'), 'forward_dynamics'),
            simple_call(general, recursion, 'inverse_dynamics_derivatives'),
            matrix_inverse(simple_call(general, recursion_of('factors'), 'udu')))
    return simple_call(general, recursion, name)


def matrix_inverse(factors: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function for the GIM's inverse, from that for its factors."""
    def call(q: Any, out: Any) -> Any:
        found = None if out is not None else factors(q, None)
        return None if found is None else inverse(found[0][None], found[1][None])[0]

    return call


def forward_derivatives(forward: Callable[..., Any], slopes: Callable[..., Any],
                        inverted: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function for derivatives of forward dynamics; see general.py."""
    def call(q: Any, qd: Any, tau: Any, out: Any) -> Any:
        qdd = None if out is not None else forward(q, qd, tau, None)
        found = None if qdd is None else slopes(q, qd, qdd, None)
        by_tau = None if found is None else inverted(q, None)
        if found is None or by_tau is None:
            return None
        by_q, by_qd = by_tau @ found[0], by_tau @ found[1]
        return np.negative(by_q, out=by_q), np.negative(by_qd, out=by_qd), by_tau

    return call


def simple_call(general: General, recursion: Recursion, name: str) -> Callable[..., Any]:
    """Return the function of what a recursion gives by itself."""
    kinds = RESULTS[name]
    n, address, room = general.spec.L, general.tables.address, recursion.room
    run, scratch, floor = recursion.states, (n + 1) * recursion.scratch * 4, general.floor
    square, most, empty = (n, n), LIMIT * LIMIT / 4, np.empty
    shapes = [{'row': (n,), 'square': square, 'blocks': (n, n, 10), 'pivots': (n,)}[kind]
              for kind in kinds]
    shape = (n, 10 * n) if name == 'regressor' else shapes[0]
    rest = np.zeros(n)
    missing = [READ(id(rest) + DATA).value] * MISSING.get(name, 0)
    guarded, parts = 'pivots' in kinds, PARTS.get(name, 1)
    massless = list(general.spec.massless)

    def call(*arguments: Any) -> Any:
        places = [address]
        for x in arguments[:-1]:
            if (type(x) is not np.ndarray or x.dtype is not DOUBLE or x.shape != (n,)
                    or not x.flags.c_contiguous):
                return None
            places.append(READ(id(x) + DATA).value)
        q, out = arguments[0], arguments[-1]
        if not q.dot(q) < most:  # sine and cosine reach so far
            return None
        if out is not None and (
                parts > 1 or type(out) is not np.ndarray or out.dtype is not DOUBLE
                or out.shape != shape or not out.flags.writeable):
            return None
        results = [empty(shape) for shape in shapes]
        places += missing
        places += [READ(id(x) + DATA).value for x in results]
        places.append(READ(id(room(scratch)) + DATA).value)
        run(*places, n, 1)
        for x in results:
            if not -np.inf < np.add.reduce(x, axis=None) < np.inf:
                return None
        if guarded and not (results[-1] > floor).all():
            return None
        if parts > 1:
            return tuple(results[:parts])
        if name == 'regressor':
            results[0][:, massless] = 0.0
        answer = results[0].reshape(shape)
        if out is None:
            return answer
        out[...] = answer
        return out

    call.rest = rest  # type: ignore[attr-defined]  # lives as long as the function
    return call
