"""The general recursion: algorithms in machine code with their loops, for any robot.

For robots too large to be traced. It is compiled once per machine; the robot is an argument.
"""

import ctypes
import threading
from typing import Any

import numpy as np

from robot_dynamics.algorithms.articulated_body import forward_dynamics
from robot_dynamics.algorithms.gibbs_appell import inverse_dynamics
from robot_dynamics.engine.emission.elementary import LIMIT
from robot_dynamics.engine.large.emission import TABLES, loops_module, scratch_size
from robot_dynamics.engine.large.rolled import trace_loops
from robot_dynamics.engine.running import calls
from robot_dynamics.engine.tracing.trace import Spec
from robot_dynamics.model.coordinates import Linear
from robot_dynamics.model.denoc import Array, Base, Inertials

ALGORITHMS: dict[str, tuple[Any, tuple[str, ...]]] = {
    'inverse': (inverse_dynamics, ('q', 'qd', 'qdd')),
    'forward': (forward_dynamics, ('q', 'qd', 'tau')),
}
OPERATIONS = 600  # of a link, about
AT_REST = Base(*[np.zeros(3) for _ in Base._fields])  # without gravity


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
        """Compute results (N, L) from inputs (N, L), contiguous, in the order of the algorithm."""
        N, L = arrays[0].shape
        addresses = [calls.address(array) for array in arrays]

        def part(start: int, stop: int) -> None:
            room = self.room((L + 1) * self.scratch * 4)
            self.states(tables.address, *[address + start * L * 8 for address in addresses],
                        calls.address(room), L, stop - start)

        threads = min(calls.cores(), N * L * OPERATIONS // calls.WORTH_A_THREAD)
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
        self.spec, self.floor = spec, floor
        self.tables = Tables(spec, inertials)
        self.resting = Tables(spec, inertials._replace(base=AT_REST))
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

    def answers(self, name: str) -> bool:
        """Tell whether this recursion can compute a kernel."""
        return name != 'forward_dynamics' or self.scale is not None

    def run(self, recursion: Recursion, name: str, arrays: list[Array], friction: Array | None,
            result: Array) -> list[int]:
        """Write the results (N, outputs); return which states are bad.

        friction: the torque of friction at these rates, (N, n), None for none
        """
        q = self.positions(arrays[0])
        if name == 'inertia_matrix':
            for k in range(len(q)):
                self.matrix(recursion, q[k], result[k])
            return bad_rows(result)
        qd, last = (np.ascontiguousarray(self.coordinates.rates(arrays[0], arrays[k]))
                    if len(arrays) > k else np.zeros_like(q) for k in (1, 2))
        pivots = np.full((1, 1), np.inf)
        if name == 'forward_dynamics':
            tau = arrays[2] if friction is None else arrays[2] - friction
            pivots = np.empty_like(q)
            if self.coordinates.identity:
                recursion(self.tables, q, qd, tau, result, pivots)
            else:
                qdd = np.empty_like(q)
                recursion(self.tables, q, qd, np.ascontiguousarray(tau / self.scale), qdd, pivots)
                result[...] = qdd / self.scale
        else:
            tau = result if self.coordinates.identity else np.empty_like(q)
            recursion(self.tables, q, qd, last, tau)
            if not self.coordinates.identity:
                result[...] = self.coordinates.torques(arrays[0], tau)
            if name == 'inverse_dynamics' and friction is not None:
                result += friction
        return bad_rows(result, pivots > self.floor)

    def matrix(self, recursion: Recursion, q: Array, result: Array) -> None:
        """Write the GIM I: tau = I qdd at rest and without gravity, for every unit qdd."""
        n, L = self.spec.n, self.spec.L
        unit = np.ascontiguousarray(self.coordinates.G.T)  # of every joint of the user
        columns = np.empty((n, L))
        recursion(self.resting, np.tile(q, (n, 1)), np.zeros((n, L)), unit, columns)
        gim = self.coordinates.torques(q, columns)
        result[...] = ((gim + gim.T) / 2).reshape(-1)
