"""Runs fixed steps in machine code where values move on a manifold: floating joints, loops."""

import ctypes
import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.running.calls import address, cores, pool
from robot_dynamics.engine.running.forking import LOADING
from robot_dynamics.engine.running.native import load_code, target_machine
from robot_dynamics.errors import RobotDynamicsError
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.looped_coordinates import puts_back
from robot_dynamics.simulation.closed import ORDER, regular
from robot_dynamics.simulation.emission.manifold import METHODS, module_text
from robot_dynamics.simulation.holds import Holds
from robot_dynamics.simulation.tableaus import NODES
from robot_dynamics.simulation.torque_laws import Constant

WITHIN = ('rk4',)  # methods whose kernel takes rates of inner coordinates, where there are some
MARK, SMOOTH = 16, 0.1  # steps between looks at N, and the part of it that may change meanwhile
NONE = np.zeros(1)
AT_ONCE = 4_000_000  # numbers of states that a batch keeps until they were looked at


class ManifoldCode:
    """A method for values and rates of some numbers, of one robot or a block, compiled."""

    def __init__(self, method: str, nq: int, nv: int, places: tuple[int, ...], lanes: int,
                 joints: int, back: bool):
        import llvmlite.binding as llvm

        machine = target_machine()
        module = llvm.parse_assembly(
            module_text(method, nq, nv, places, lanes, joints, back=back))
        module.triple = llvm.get_process_triple()
        module.data_layout = str(machine.target_data)
        module.verify()
        self.engine = load_code(machine.emit_object(module))
        p, i, d = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
        prototype = ctypes.CFUNCTYPE(i, p, p, p, p, p, p, i, d, i, i, p, p, p, p, p, p, p)
        self.function = prototype(self.engine.get_function_address('steps'))


@functools.lru_cache(maxsize=64)
def code(method: str, nq: int, nv: int, places: tuple[int, ...], lanes: int, joints: int,
         back: bool) -> ManifoldCode:
    """Return the compiled method; it does not depend on the robot."""
    with LOADING:
        return ManifoldCode(method, nq, nv, places, lanes, joints, back)


class ManifoldSteps:
    """Fixed steps of one system in machine code; see emission/manifold.py."""

    def __init__(self, system: Any, method: str):
        self.system, self.method = system, method
        space = system.space
        probe = np.arange(system.nq, dtype=float) + 1.0  # which value stands beside each rate
        self.places = tuple(int(x) - 1 for x in space.joint_values(probe))
        self.rubs = bool(system.friction.any())
        # whether a step leaves loops to be closed by the next one
        self.closing = method == 'semi_implicit_euler' and puts_back(space)
        self.trunk = list(system.kernels.spec.coordinates.trunk) if (
            method in WITHIN and not self.rubs) else []
        self.rate, self.rate_work = system.kernels.compiled(rate_kernel(system, method))
        self.back, self.back_work = system.kernels.compiled('normalised')
        if self.rubs:
            self.speed, self.speed_work = system.kernels.compiled('joint_rates')

    def code(self, lanes: int) -> ManifoldCode:
        """Return the steps of one robot, or of a block of them."""
        return code(self.method, self.system.nq, self.system.n, self.places, lanes,
                    len(self.system.friction) if self.rubs else 0, not self.closing)

    def serves(self, holds: Holds | None) -> bool:
        """Tell whether steps can be taken as joints are now: sliding, but not held."""
        if holds is None or not (holds.act or holds.rubs):
            return True
        return self.rubs and not (holds.held.any() or holds.idle.any())

    def watched(self, holds: Holds | None) -> tuple[int, int, Array, Array]:
        """Return what the loop knows of joints that slide: kernel, its work, torques, ways."""
        if not self.rubs:
            return 0, 0, NONE, NONE
        assert holds is not None  # whoever rubs has them
        ways = np.where(holds.idle, 0.0, holds.direction)
        return (self.speed.single, address(self.speed_work), np.ascontiguousarray(
            holds.modes.sliding), np.concatenate([ways, 1.0 - np.abs(ways)]))

    def run(self, state: Array, t: float, h: float, steps: int, every: int, lower: Array,
            upper: Array, out: Array, holds: Holds | None = None) -> int:
        """Advance `state` [q, qd] in place; return how many steps were taken.

        holds: what knows stops and friction of passive joints
        """
        if not self.system.space.following:
            return self.taken(state, t, h, steps, every, lower, upper, out)
        if holds is None and self.smoothly(state, t, h, steps, every, lower, upper, out):
            return steps
        states, nq = np.empty((steps + 1, len(state))), self.system.nq
        states[0], rows = state, states[1:]
        taken = self.taken(self.inner(state[None])[0], t, h, steps, 1, lower, upper, rows, holds)
        states = states[:taken + 1]
        good = self.unbroken(states)
        if holds is not None:
            inside = holds.within(states[1:good + 1, :nq])
            good = good if inside.all() else int(np.argmin(inside))
        state[:] = self.given(states[good:good + 1])[0] if good else states[0]
        out[:good // every] = self.given(rows[every - 1:good:every])
        return good

    def smoothly(self, state: Array, t: float, h: float, steps: int, every: int, lower: Array,
                 upper: Array, out: Array) -> bool:
        """Do what `run` does, where N hardly changes from mark to mark; else change nothing.

        Then only what is looked at is kept: fresh memory costs as much as quick steps.
        """
        stride = math.gcd(every, MARK)
        if stride == 1:
            return False
        now = self.inner(state[None])[0]
        rows = np.empty((steps // stride + 2, len(state)))
        rows[0] = state
        if self.taken(now, t, h, steps, stride, lower, upper, rows[1:]) < steps:
            return False
        rows[-1] = now
        if len(self.abrupt(self.each('complement', rows[:, :self.system.nq].copy()))):
            return False
        state[:] = self.given(rows[-1:])[0]
        out[:steps // every] = self.given(rows[every // stride:-1:every // stride])
        return True

    def inner(self, states: Array) -> Array:
        """Return states, (K, nq + n), with the rates that steps are taken in: the trunk's."""
        if not self.trunk:
            return states.copy()
        q, qd = (np.ascontiguousarray(x) for x in np.split(states, [self.system.nq], axis=1))
        return np.hstack([q, self.each('joint_rates', q, qd)[:, self.trunk]])

    def given(self, states: Array) -> Array:
        """Return states, (K, nq + n), closed, with the rates of the independent joints."""
        if not (self.trunk or self.closing) or not len(states):
            return states
        q, rates = (np.ascontiguousarray(x) for x in np.split(states, [self.system.nq], axis=1))
        if self.closing:
            return np.hstack([self.closed(q), rates])
        return np.hstack([q, self.each('given_rates', q, rates)])

    def closed(self, q: Array) -> Array:
        """Return values, (K, nq), with their loops closed."""
        try:
            found: Array = self.system.kernels.evaluate('normalised', (q,))
            return found
        except RobotDynamicsError:  # one pass is not enough for all
            closed: Array = self.system.space.normalised(q)
            return closed

    def each(self, name: str, *arguments: Array) -> Array:
        """Return a kernel's results for states, (K, numbers); nan where loops are singular."""
        kernels = self.system.kernels
        try:
            found: Array = kernels.evaluate(name, arguments)
            return found.reshape(len(found), -1)
        except RobotDynamicsError:
            if len(arguments[0]) > 1:
                return np.vstack([self.each(name, *(x[k:k + 1] for x in arguments))
                                  for k in range(len(arguments[0]))])
            size = int(np.prod(DEFINITIONS[name].result_shapes(kernels.spec)[0]))
            return np.full((1, size), np.nan)

    def unbroken(self, states: Array) -> int:
        """Return how many steps between states (K + 1, m) do not pass a singularity of the loops.

        Where the passive rates N hardly change over several steps none was passed; else each of
        these is looked at (closed.py).
        """
        marks = np.append(np.arange(0, len(states) - 1, MARK), len(states) - 1)
        q = states[:, :self.system.nq]
        for k in self.abrupt(self.each('complement', q[marks])):
            N = self.each('complement', q[marks[k]:marks[k + 1] + 1].copy())
            well = regular(N.reshape(len(N), -1, self.system.n), ORDER[self.method])
            if not well.all():
                return int(marks[k] + np.argmin(well))
        return len(states) - 1

    def abrupt(self, N: Array) -> Array:
        """Return the intervals in which N, (K + 1, numbers), changes by more than a part of it."""
        square, product = np.einsum('kj,kj->k', N, N), np.einsum('kj,kj->k', N[1:], N[:-1])
        change = square[1:] + square[:-1] - 2 * product
        return np.flatnonzero(~(change < SMOOTH ** 2 * square[:-1]))

    def taken(self, state: Array, t: float, h: float, steps: int, every: int, lower: Array,
              upper: Array, out: Array, holds: Holds | None = None) -> int:
        """Do what `run` does, without a look at what lies between the steps."""
        law = self.system.law
        torque = np.ascontiguousarray(self.torques(law, t, h, steps))
        speed, speed_work, friction, ways = self.watched(holds)
        taken: int = self.code(1).function(
            self.rate.single, address(self.rate_work), self.back.single, address(self.back_work),
            address(state), address(torque), 0 if torque.ndim == 1 else torque.shape[-1], h,
            steps, every, address(lower), address(upper), address(out), speed, speed_work,
            address(friction), address(ways))
        return taken

    def batch(self, q: Array, qd: Array, torques: Array, h: float, steps: int, every: int,
              bounds: tuple[Array, Array], within: Callable[[Array], Array] | None,
              report: Callable[[int], None]) -> tuple[Array, Array, Array]:
        """Advance N robots, a block at a time; return what compiled.run_batch does.

        bounds: (n,) each; within: as in `run`; report: is told how many robots are done
        """
        N, nq, m = len(q), self.system.nq, self.system.nq + self.system.n
        out, whole = np.full((N, steps // every, m), np.nan), np.zeros(N, bool)
        lanes = self.rate.lanes
        some = max(1, AT_ONCE // (steps * m * lanes)) * lanes
        for start in range(0, N, some):
            part = np.arange(start, min(N, start + some))
            motions, good = self.blocks(q[part], qd[part], torques[part], h, steps, bounds)
            good[good] = self.possible(motions[good], within)
            rows = motions[good, every::every]
            out[part[good]] = self.given(rows.reshape(-1, m)).reshape(rows.shape)
            whole[part] = good
            report(int(part[-1]) + 1)
        return out[..., :nq], out[..., nq:], whole

    def blocks(self, q: Array, qd: Array, torques: Array, h: float, steps: int,
               bounds: tuple[Array, Array]) -> tuple[Array, Array]:
        """Return the states after all steps, (N, steps + 1, nq + n), and whose are good, (N,)."""
        N, n, nq = len(q), self.system.n, self.system.nq
        lanes = self.rate.lanes
        count, code = -(-N // lanes), self.code(lanes)
        index = np.minimum(np.arange(count * lanes), N - 1)
        inner = self.inner(np.hstack([q, qd]))[index]
        states = np.hstack([inner[:, :nq].reshape(count, -1), inner[:, nq:].reshape(count, -1)])
        tau = np.ascontiguousarray(torques[index].reshape(count, -1))
        lower, upper = (np.tile(bound, lanes) for bound in bounds)
        rows = np.empty((count, steps + 1, states.shape[1]))
        rows[:, 0] = states

        def run(b: int) -> bool:
            taken: int = code.function(
                self.rate.block, address(self.rate_work), self.back.block,
                address(self.back_work), address(states[b]), address(tau[b]), 0, h, steps, 1,
                address(lower), address(upper), address(rows[b, 1:]), 0, 0, 0, 0)
            return taken == steps

        good = list((pool().map if count > 1 and cores() > 1 else map)(run, range(count)))
        values, rates = np.split(rows, [lanes * nq], axis=2)
        motions = np.concatenate([values.reshape(count, steps + 1, lanes, nq),
                                  rates.reshape(count, steps + 1, lanes, n)], axis=3)
        return (motions.swapaxes(1, 2).reshape(count * lanes, steps + 1, nq + n)[:N],
                np.repeat(good, lanes)[:N])

    def possible(self, motions: Array, within: Callable[[Array], Array] | None) -> Array:
        """Tell which motions, (N, K + 1, nq + n), pass no singularity and no stop, (N,)."""
        N, nq = len(motions), self.system.nq
        if not self.system.space.following:
            return np.ones(N, bool)
        good = np.array([self.unbroken(states) == len(states) - 1 for states in motions], bool)
        if within is not None:
            inside = within(motions[:, 1:, :nq].reshape(-1, nq))
            good &= inside.reshape(motions[:, 1:].shape[:2]).all(axis=1)
        return good

    def torques(self, law: Any, t: float, h: float, steps: int) -> Array:
        """Return the torque, or the torques at the nodes of steps."""
        if isinstance(law, Constant):
            return law.tau
        nodes = (t + np.arange(steps) * h)[:, None] + h * np.array(NODES[self.method])
        tau: Array = law.at(nodes)
        return tau


def manifold_steps(system: Any, method: str) -> ManifoldSteps | None:
    """Return the loop in machine code for a system, None where it cannot be had."""
    if (method not in METHODS or system.kernels is None or system.external
            or system.algorithm != 'auto' or not hasattr(system.law, 'at')):
        return None
    kernels = [rate_kernel(system, method), 'normalised']
    if system.friction.any():
        if method != 'rk4' or not system.space.following:
            return None
        kernels.append('joint_rates')
    if any(system.kernels.compiled(name) is None for name in kernels):
        return None
    return ManifoldSteps(system, method)


def rate_kernel(system: Any, method: str) -> str:
    """Return the kernel of a method's steps."""
    if method == 'semi_implicit_euler':
        return 'euler_rate'
    return 'sliding_rate' if system.friction.any() else 'state_rate'
