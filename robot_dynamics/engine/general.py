"""The general recursion: the algorithms themselves compiled by numba, for any robot.

For robots too large to be traced. A function and its helpers are copied, recursively, into
compiled twins: the same code with other globals. They are compiled once per machine, in the
worker, and kept in numba's own cache inside ours.
"""

import functools
import types
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.algorithms.articulated_body import forward_dynamics
from robot_dynamics.algorithms.composite_body import inertia_matrix
from robot_dynamics.algorithms.gibbs_appell import inverse_dynamics
from robot_dynamics.engine.trace import Spec
from robot_dynamics.model.denoc import Array, Geometry, Inertials

OPTIONS = {'nogil': True, 'error_model': 'numpy', 'fastmath': {'contract', 'nsz', 'arcp'}}


def inverse_states(
        geometry: Geometry, inertials: Inertials, q: Array, qd: Array, qdd: Array,
        tau: Array) -> None:
    """Compute inverse dynamics of many states (N, L) of the tree."""
    for k in range(len(q)):
        tau[k] = inverse_dynamics(geometry, inertials, q[k], qd[k], qdd[k])


def forward_states(
        geometry: Geometry, inertials: Inertials, q: Array, qd: Array, tau: Array,
        qdd: Array, pivots: Array) -> None:
    """Compute forward dynamics of many states (N, L) of the tree."""
    for k in range(len(q)):
        qdd[k], pivots[k] = forward_dynamics(geometry, inertials, q[k], qd[k], tau[k])


def matrix_states(geometry: Geometry, inertials: Inertials, q: Array, gim: Array) -> None:
    """Compute the GIMs (N, L, L) of many states of the tree."""
    for k in range(len(q)):
        gim[k] = inertia_matrix(geometry, inertials, q[k])


# The recursion behind each kernel, and the ranks of its arrays
RECURSIONS: dict[str, tuple[Any, tuple[int, ...]]] = {
    'inverse': (inverse_states, (2, 2, 2, 2)),
    'forward': (forward_states, (2, 2, 2, 2, 2)),
    'matrix': (matrix_states, (2, 3)),
}
BEHIND = {'inverse_dynamics': 'inverse', 'bias': 'inverse', 'gravity_torque': 'inverse',
          'forward_dynamics': 'forward', 'inertia_matrix': 'matrix'}


def twin(function: types.FunctionType, made: dict, **options) -> Any:
    """Return the compiled twin of a function; its helpers become twins too."""
    import numba

    if function not in made:
        names = dict(function.__globals__)
        for name in function.__code__.co_names:
            helper = names.get(name)
            if (isinstance(helper, types.FunctionType)
                    and helper.__module__.startswith('robot_dynamics.')):
                names[name] = twin(helper, made)
        copy = types.FunctionType(function.__code__, names, function.__name__,
                                  function.__defaults__, function.__closure__)
        copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
        made[function] = numba.njit(**OPTIONS, **options)(copy)
    return made[function]


@functools.cache
def compiled(kind: str, folder: Path) -> Any:
    """Return a compiled recursion; it is loaded from the folder if it has been compiled before."""
    import numba

    function, ranks = RECURSIONS[kind]
    kept, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)
    try:
        dispatcher = twin(function, {}, cache=True)
        one = thawed(Geometry(*[np.zeros((1, 3)) if name in ('d', 'offset') else np.zeros(
            1, {'parent': np.int64, 'prismatic': bool}.get(name, float))
            for name in Geometry._fields]))
        bodies = thawed(Inertials(np.zeros(1), np.zeros((1, 3)), np.zeros((1, 3, 3)), np.zeros(1),
                                  *[np.zeros(3)] * 4))
        arrays = [numba.types.Array(numba.float64, rank, 'C') for rank in ranks]
        dispatcher.compile((numba.typeof(one), numba.typeof(bodies), *arrays))
    finally:
        numba.config.CACHE_DIR = kept
    return dispatcher


def thawed(record):
    """Return a record with arrays as the compiled code wants them: contiguous and writeable."""
    return type(record)(*[np.array(field, order='C') for field in record])


class General:
    """The general recursion of one robot, in the user's coordinates."""

    def __init__(self, spec: Spec, inertials: Inertials, floor: Array) -> None:
        self.geometry, self.inertials = thawed(spec.geometry), thawed(inertials)
        self.spec, self.floor = spec, floor
        diagonal = np.diagonal(spec.expand)
        self.scale = diagonal.copy() if spec.L == spec.n and np.count_nonzero(
            spec.expand) == np.count_nonzero(diagonal) == spec.n else None

    def tree(self, values: Array) -> Array:
        """Return rates or accelerations of the tree, (N, L)."""
        if self.scale is not None:
            return values * self.scale
        return np.ascontiguousarray(values @ self.spec.expand.T)

    def project(self, forces: Array) -> Array:
        """Return the user's torques (N, n)."""
        return forces * self.scale if self.scale is not None else forces @ self.spec.expand

    def answers(self, name: str) -> bool:
        """Tell whether this recursion can compute a kernel."""
        return name in BEHIND and (name != 'forward_dynamics' or self.scale is not None)

    def run(self, recursion: Any, name: str, arrays: list[Array], friction: Array,
            result: Array) -> bool:
        """Write the results (N, outputs); return whether one is bad.

        friction: the torque of friction at these rates, (N, n)
        """
        q = np.ascontiguousarray(self.tree(arrays[0]) + self.spec.offset)
        qd, last = (self.tree(arrays[k]) if len(arrays) > k else np.zeros_like(q) for k in (1, 2))
        good = True
        if name == 'inertia_matrix':
            gim = np.empty((len(q), self.spec.L, self.spec.L))
            recursion(self.geometry, self.inertials, q, gim)
            half = self.project(gim.reshape(-1, self.spec.L)).reshape(len(q), self.spec.L, -1)
            rows = np.ascontiguousarray(half.transpose(0, 2, 1)).reshape(-1, self.spec.L)
            result[...] = self.project(rows).reshape(result.shape)
        elif name == 'forward_dynamics':
            tau = np.ascontiguousarray((arrays[2] - friction) / self.scale)
            qdd, pivots = np.empty_like(q), np.empty_like(q)
            recursion(self.geometry, self.inertials, q, qd, tau, qdd, pivots)
            result[...] = qdd / self.scale
            good = bool((pivots > self.floor).all())
        else:
            tau = np.empty_like(q)
            recursion(self.geometry, self.inertials, q, qd, last, tau)
            result[...] = self.project(tau)
            if name == 'inverse_dynamics':
                result += friction
        return not (good and bool(np.isfinite(result).all()))
