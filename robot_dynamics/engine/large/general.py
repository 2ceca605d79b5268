"""The general recursion: algorithms in machine code with their loops, for any robot.

For robots too large to be traced. It is compiled once per machine; the robot is an argument.
"""

import ctypes
import functools
import threading
from typing import Any

import numpy as np

from robot_dynamics.algorithms.articulated_body import forward_dynamics
from robot_dynamics.algorithms.composite_body import inertia_matrix
from robot_dynamics.algorithms.convective import convective_matrix, skew_convective_matrix
from robot_dynamics.algorithms.denoc_forward import udu
from robot_dynamics.algorithms.derivatives import inverse_dynamics_derivatives
from robot_dynamics.algorithms.gibbs_appell import inverse_dynamics
from robot_dynamics.algorithms.regressor import regressor
from robot_dynamics.engine.emission.call import WORTH_A_THREAD
from robot_dynamics.engine.emission.elementary import LIMIT
from robot_dynamics.engine.large.dense import inverse, solution, upper_factors
from robot_dynamics.engine.large.emission import TABLES, loops_module, scratch_size
from robot_dynamics.engine.large.rolled import trace_loops
from robot_dynamics.engine.running import cache, calls
from robot_dynamics.engine.tracing.trace import Spec
from robot_dynamics.model.denoc import Array, Inertials
from robot_dynamics.model.linear import Linear

ALGORITHMS: dict[str, tuple[Any, tuple[str, ...]]] = {
    'inverse': (inverse_dynamics, ('q', 'qd', 'qdd')),
    'forward': (forward_dynamics, ('q', 'qd', 'tau')),
    'matrix': (inertia_matrix, ('q',)),
    'factors': (udu, ('q',)),
    'convective': (convective_matrix, ('q', 'qd')),
    'skew convective': (skew_convective_matrix, ('q', 'qd')),
    'derivatives': (inverse_dynamics_derivatives, ('q', 'qd', 'qdd')),
    'regressor': (regressor, ('q', 'qd', 'qdd')),
}
OPERATIONS = 600  # of a link, about


def build_general(kind: str) -> tuple[dict[str, Any], bytes]:
    """Return what the cache keeps of a recursion: a header and its machine code."""
    from robot_dynamics.engine.running.native import compile_module, has_fused

    function, inputs = ALGORITHMS[kind]
    loops = trace_loops(function, inputs)
    header = {'scratch': scratch_size(loops, inputs),
              'arrays': len(inputs) + len(loops.results)}
    return header, compile_module(loops_module(loops, inputs, fused=has_fused()))


class Recursion:
    """The machine code of one recursion, loaded."""

    def __init__(self, header: dict[str, Any], code: bytes) -> None:
        from robot_dynamics.engine.running.native import load_code

        self.engine, pointer = load_code(code), ctypes.c_void_p
        self.scratch: int = header['scratch']
        self.states = ctypes.CFUNCTYPE(
            None, *[pointer] * (header['arrays'] + 2), ctypes.c_int64, ctypes.c_int64)(
                self.engine.get_function_address('states'))
        self.rooms = threading.local()  # scratch, of each thread

    def __call__(self, tables: 'Tables', *arrays: Array) -> None:
        """Compute results (N, L) or (N, L, L, ...) from inputs (N, L), all contiguous.

        arrays: inputs and results in the order of the algorithm
        """
        N, L = arrays[0].shape
        addresses = [(calls.address(array), array.strides[0]) for array in arrays]

        def part(start: int, stop: int) -> None:
            room = self.room((L + 1) * self.scratch * 4)
            self.states(tables.address, *[at + start * step for at, step in addresses],
                        calls.address(room), L, stop - start)

        threads = min(calls.cores(), N * L * OPERATIONS // WORTH_A_THREAD)
        if threads < 2:
            part(0, N)
            return
        step = -(-N // (threads * 4)) * 4
        list(calls.pool().map(lambda start: part(start, min(N, start + step)),
                              range(0, N, step)))

    def room(self, size: int) -> Array:
        """Return scratch of this thread; it grows and stays."""
        room = getattr(self.rooms, 'array', None)
        if room is None or len(room) < size:
            room = self.rooms.array = np.empty(size)
        return room


@functools.cache
def recursion_of(kind: str) -> Recursion:
    """Return a recursion that another one needs beside it."""
    found = cache.load(cache.entry('any robot', 'general', (kind,)))
    return Recursion(*(found or build_general(kind)))


class Tables:
    """The numbers of a robot where the machine code finds them."""

    def __init__(self, spec: Spec, inertials: Inertials) -> None:
        geometry, L = spec.geometry, spec.L
        fields = {**geometry._asdict(), **inertials._asdict(), **inertials.base._asdict()}
        fields['parent'] = np.where(geometry.parent < 0, L, geometry.parent).astype(np.int64)
        # of a link, as in rolled.KINDS
        fields['kind'] = (geometry.prismatic + 2 * (geometry.parent < 0)).astype(np.int64)
        self.arrays = [np.ascontiguousarray(fields[name]) for name in TABLES]
        self.pointers = np.array([calls.address(array) for array in self.arrays], np.int64)
        self.address = calls.address(self.pointers)


def bad_rows(result: Array, good: Array | bool = True) -> list[int]:
    """Return the rows in which something is not finite, or not good (rows, any)."""
    return np.flatnonzero(~(np.isfinite(result).all(axis=1)
                            & np.all(good, axis=-1))).tolist()


class General:
    """The general recursion of one robot, in the user's coordinates."""

    def __init__(self, spec: Spec, inertials: Inertials, floor: Array) -> None:
        self.spec, self.floor, self.inertials = spec, floor, inertials
        self.tables = Tables(spec, inertials)
        if not isinstance(spec.coordinates, Linear):
            raise TypeError('the general recursion is over linear coordinates')
        self.coordinates: Linear = spec.coordinates
        factors = self.coordinates.factors
        self.scale = None if factors is None else np.array(factors)

    def positions(self, values: Array) -> Array:
        """Return the joint values of the tree, (N, L), angles within the reach of the sine."""
        q = np.ascontiguousarray(self.coordinates.positions(values))
        if np.abs(q).max(initial=0.0) > LIMIT / 2:
            with np.errstate(invalid='ignore'):  # infinite angles are found in the result
                q = np.where(self.spec.geometry.prismatic, q, np.arctan2(np.sin(q), np.cos(q)))
        return q

    def run(self, recursion: Recursion, name: str, arrays: list[Array], friction: Array | None,
            result: Array, slope: Array | None = None) -> list[int]:
        """Write the results (N, outputs); return which states are bad.

        friction: the torque of friction at these rates, (N, n), None for none; slope: its slope
        """
        q = self.positions(arrays[0])
        qd, last = (np.ascontiguousarray(self.coordinates.rates(arrays[0], arrays[k]))
                    if len(arrays) > k else np.zeros_like(q) for k in (1, 2))
        good: Array | bool = True
        if name in ('inertia_matrix', 'inertia_matrix_inverse', 'convective_matrix', 'udu',
                    'regressor'):
            good = getattr(self, name)(recursion, q, qd, last, result)
        elif name == 'inverse_dynamics_derivatives':
            self.derivatives(recursion, (q, qd, last), slope, result)
        elif name == 'forward_dynamics_derivatives':
            tau = arrays[2] if friction is None else arrays[2] - friction
            good = self.forward_derivatives(recursion, q, qd, tau, slope, result)
        elif name == 'forward_dynamics':
            tau = arrays[2] if friction is None else arrays[2] - friction
            good = self.forward(recursion, q, qd, tau, result)
        else:
            tau = result if self.coordinates.identity else np.empty_like(q)
            recursion(self.tables, q, qd, last, tau)
            if not self.coordinates.identity:
                result[...] = self.coordinates.torques(arrays[0], tau)
            if name == 'inverse_dynamics' and friction is not None:
                result += friction
        return bad_rows(result, good)

    def forward(self, recursion: Recursion, q: Array, qd: Array, tau: Array,
                result: Array) -> Array:
        """Write qdd; return which pivots are good."""
        if self.scale is None:  # joints that mimic: through the matrix over the user's
            bias = np.empty_like(q)
            recursion_of('inverse')(self.tables, q, qd, np.zeros_like(q), bias)
            U, D, good = self.factors(q)
            result[...] = solution(U, D, (tau - self.coordinates.torques(q, bias))[..., None])[
                ..., 0]
            return good
        pivots = np.empty_like(q)
        if self.coordinates.identity:
            recursion(self.tables, q, qd, np.ascontiguousarray(tau), result, pivots)
        else:
            qdd = np.empty_like(q)
            recursion(self.tables, q, qd, np.ascontiguousarray(tau / self.scale), qdd, pivots)
            result[...] = qdd / self.scale
        return pivots > self.floor

    def factors(self, q: Array) -> tuple[Array, Array, Array]:
        """Return U, D of the GIM over the user's joints, and which pivots are good."""
        L, N, floor = self.spec.L, len(q), self.coordinates.diagonal(self.floor)
        if self.scale is None:
            gim, own = np.empty((N, L, L)), np.empty((N, self.spec.n ** 2))
            recursion_of('matrix')(self.tables, q, gim)
            self.mapped(gim, own)
            U, D = upper_factors(own.reshape(N, self.spec.n, self.spec.n))
            return U, D, D > floor
        U, D = np.empty((N, L, L)), np.empty_like(q)
        recursion_of('factors')(self.tables, q, U, D)
        if not self.coordinates.identity:
            g = self.scale
            U, D = U * (g[:, None] / g), D * g * g
        return U, D, D > floor

    def inertia_matrix(self, recursion: Recursion, q: Array, qd: Array, last: Array,
                       result: Array) -> bool:
        """Write the GIM."""
        gim = self.square(q, result)
        recursion(self.tables, q, gim)
        self.mapped(gim, result)
        return True

    def inertia_matrix_inverse(self, recursion: Recursion, q: Array, qd: Array, last: Array,
                               result: Array) -> Array:
        """Write the GIM's inverse; return which pivots are good."""
        U, D, good = self.factors(q)
        result[...] = inverse(U, D).reshape(result.shape)
        return good

    def convective_matrix(self, recursion: Recursion, q: Array, qd: Array, last: Array,
                          result: Array) -> bool:
        """Write C."""
        C = self.square(q, result)
        recursion(self.tables, q, qd, C)
        self.mapped(C, result)
        return True

    def udu(self, recursion: Recursion, q: Array, qd: Array, last: Array, result: Array) -> Array:
        """Write U and D; return which pivots are good."""
        U, D, good = self.factors(q)
        size = self.spec.n ** 2
        result[:, :size], result[:, size:] = U.reshape(len(q), size), D
        return good

    def regressor(self, recursion: Recursion, q: Array, qd: Array, last: Array,
                  result: Array) -> bool:
        """Write Y, of the user's joints."""
        N, L = len(q), self.spec.L
        whole = self.coordinates.identity and result.flags.c_contiguous
        Y = result.reshape(N, L, L, 10) if whole else np.empty((N, L, L, 10))
        recursion(self.tables, q, qd, last, Y)
        Y[:, :, list(self.spec.massless)] = 0.0
        if not whole:
            rows = np.moveaxis(Y.reshape(N, L, 10 * L), 1, 2)
            result[...] = np.moveaxis(self.coordinates.torques(q, rows), 2, 1).reshape(N, -1)
        return True

    def derivatives(self, recursion: Recursion, state: tuple[Array, Array, Array],
                    slope: Array | None, result: Array) -> Array:
        """Write d tau/dq, d tau/dqd and the GIM; return the tree's torques, (N, L)."""
        N, n = len(state[0]), self.spec.n
        blocks = [np.empty((N, self.spec.L, self.spec.L)) for _ in range(3)]
        tau = np.empty_like(state[0])
        recursion(self.tables, *state, *blocks, tau)
        for k, block in enumerate(blocks):
            self.mapped(block, result[:, k * n * n:(k + 1) * n * n])
        if slope is not None:
            result[:, n * n:2 * n * n:n + 1] += slope
        return tau

    def forward_derivatives(self, recursion: Recursion, q: Array, qd: Array, tau: Array,
                            slope: Array | None, result: Array) -> Array:
        """Write d qdd/dq, d qdd/dqd and the GIM's inverse; return which pivots are good.

        With qdd held, I dqdd + (d tau/dq) dq + (d tau/dqd) dqd = dtau.
        """
        N, n = len(q), self.spec.n
        qdd = np.empty((N, n))
        self.forward(recursion_of('forward'), q, qd, tau, qdd)
        self.derivatives(recursion, (q, qd, np.ascontiguousarray(
            self.coordinates.accelerations(q, qd, qdd))), slope, result)
        U, D, good = self.factors(q)
        blocks = result.reshape(N, 3, n, n)
        blocks[:, 2] = inverse(U, D)
        blocks[:, :2] = -(blocks[:, 2:] @ blocks[:, :2])
        return good

    def square(self, q: Array, result: Array) -> Array:
        """Return room for a matrix of the tree for each state: the result's, if they are alike."""
        L = self.spec.L
        alike = self.coordinates.identity and result.flags.c_contiguous
        return result.reshape(len(q), L, L) if alike else np.empty((len(q), L, L))

    def mapped(self, matrices: Array, result: Array) -> None:
        """Write the user's matrices (N, n n) of the tree's (N, L, L)."""
        at, n = self.coordinates, self.spec.n
        if at.identity:
            if not np.may_share_memory(matrices, result):
                result[...] = matrices.reshape(result.shape)
        elif self.scale is not None:
            result[...] = (matrices * np.outer(self.scale, self.scale)).reshape(result.shape)
        else:
            result[...] = (at.G.T @ matrices @ at.G).reshape(len(matrices), n * n)
