"""Mechanism: a robot whose loops are closed; its verbs are Robot's, over fewer joints."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from robot_dynamics.dynamics import External
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import store
from robot_dynamics.mechanism.motor_slopes import (
    Slopes,
    actuation_slopes,
    forward_slopes,
    inverse_slopes,
)
from robot_dynamics.mechanism.verbs import AssembledVerbs
from robot_dynamics.model.denoc import Array
from robot_dynamics.robot import Robot


class Mechanism(AssembledVerbs):
    """A mechanism's dynamics: closed loops of minimum order. Immutable.

    Every function takes the values of the independent joints, q (n,) or (N, n), in the order of
    `joint_names`; torques are those of the actuated joints, which are the same ones unless the
    file says otherwise. Nothing is remembered between calls: without `near`, the branch is the
    start's; `near`, joint values of the whole tree, (L,) or (N, L), is where assembly begins.
    """

    def with_loops(self, names: Sequence[str], *, near: ArrayLike | None = None,
                   independent: Sequence[str] | None = None) -> Mechanism:
        """Return the mechanism with some of the loops of its file: feet lifted, or set down.

        names: loops that are closed; near: joint values of the tree from which to begin, (L,),
        else the start; independent: the joints that are, else those that were as far as they
        can be and, where freedoms are new, further ones. Without a loop it is `tree`.
        `InputError`: names that no loop has, none; `ModelError`, `DescriptionError`: loops that
        cannot be closed from there

        >>> four_bar.with_loops(four_bar.loop_names).n
        1
        """
        from robot_dynamics.mechanism.standing import reclosed  # stands above this file
        return reclosed(self, names, near, independent)

    # Nothing may stand before a kernel's call: a line costs what it gains.

    def inverse_dynamics(
            self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, near: ArrayLike | None = None,
            algorithm: str = 'auto', external: External | None = None,
            weights: ArrayLike | None = None, out: Array | None = None) -> Array:
        """Return the torques of a motion, friction of passive joints included; see Robot.

        Where there are more motors than freedoms, the sum of weights tau^2 is least (weights:
        (motors,), ones by default). Freedoms without a motor need forces that nobody gives: only
        the motors' part of them is returned.
        `InputError`: shapes, nan, names; `SingularityError`: where the loops cannot be closed

        >>> four_bar.inverse_dynamics([0.6], [0.0], [0.0]).shape
        (1,)
        """
        try:
            if algorithm == 'auto' and external is None and weights is None:
                tau: Array | None = (
                    self._ready_placed['inverse_dynamics'](q, qd, qdd, out) if near is None
                    else self._ready_near['inverse_dynamics'](near, q, qd, qdd, out))
                if tau is None:
                    tau = self._in_one('inverse_dynamics', near, (q, qd, qdd), out)
                if tau is not None:
                    return tau
        except KeyError:
            if self._own:  # else the motors' torques follow from the freedoms'
                self._bind('inverse_dynamics', near)
        except ValueError:  # of an array for a name, which is said below
            pass
        self._scale(weights)
        tree = self.assemble(q, near)
        force = super().inverse_dynamics(
            tree, qd, qdd, algorithm=algorithm, external=external,
            out=out if self._own else None)
        return force if self._own else store(self._shared(force, tree, weights), out)

    def forward_dynamics(
            self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, near: ArrayLike | None = None,
            algorithm: str = 'auto', external: External | None = None,
            out: Array | None = None) -> Array:
        """Return the accelerations of the independent joints under torques; see Robot.

        `InputError`: shapes, nan, names; `SingularityError`: the joint, or the loops

        >>> held = four_bar.inverse_dynamics([0.6], [0.0], [0.0])
        >>> bool(np.abs(four_bar.forward_dynamics([0.6], [0.0], held)).max() < 1e-9)
        True
        """
        try:
            if algorithm == 'auto' and external is None:
                qdd: Array | None = (
                    self._ready_placed['forward_dynamics'](q, qd, tau, out) if near is None
                    else self._ready_near['forward_dynamics'](near, q, qd, tau, out))
                if qdd is None:
                    qdd = self._in_one('forward_dynamics', near, (q, qd, tau), out)
                if qdd is not None:
                    return qdd
        except KeyError:
            if self._own:
                self._bind('forward_dynamics', near)
        except ValueError:  # of an array for a name, which is said below
            pass
        tree = self.assemble(q, near)
        return super().forward_dynamics(
            tree, qd, tau if self._own else self._gathered(tau, tree), algorithm=algorithm,
            external=external, out=out)

    def inverse_dynamics_derivatives(
            self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, near: ArrayLike | None = None,
            external: External | None = None, out: tuple[Array, Array, Array] | None = None
            ) -> tuple[Array, Array, Array]:
        """Return the derivatives of the motors' torques by q, qd and qdd; see Robot.

        (motors, n) each, or (N, motors, n); `InputError`: shapes, nan, names

        >>> [slope.shape for slope in four_bar.inverse_dynamics_derivatives([0.6], [0], [0])]
        [(1, 1), (1, 1), (1, 1)]
        """
        if self._own:
            return super().inverse_dynamics_derivatives(
                q, qd, qdd, near=near, external=external, out=out)
        tree = self.assemble(q, near)
        force = Robot.inverse_dynamics(self, tree, qd, qdd, external=external)
        slopes = Robot.inverse_dynamics_derivatives(self, tree, qd, qdd, external=external)
        return self._by_motors(inverse_slopes, slopes, force, tree, out)

    def forward_dynamics_derivatives(
            self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, near: ArrayLike | None = None,
            external: External | None = None, out: tuple[Array, Array, Array] | None = None
            ) -> tuple[Array, Array, Array]:
        """Return the derivatives of qdd by q, qd and the motors' torques; see Robot.

        (n, n), (n, n), (n, motors), or with N before; `InputError`: shapes, nan, names

        >>> [slope.shape for slope in four_bar.forward_dynamics_derivatives([0.6], [0], [0])]
        [(1, 1), (1, 1), (1, 1)]
        """
        if self._own:
            return super().forward_dynamics_derivatives(
                q, qd, tau, near=near, external=external, out=out)
        tree = self.assemble(q, near)
        slopes = Robot.forward_dynamics_derivatives(
            self, tree, qd, self._gathered(tau, tree), external=external)
        return self._by_motors(forward_slopes, slopes, np.asarray(tau, float), tree, out)

    def _by_motors(self, chain: Callable[..., Slopes], slopes: Slopes, given: Array, tree: Array,
                   out: Slopes | None) -> Slopes:
        """Return derivatives over the motors of those over the freedoms, state by state."""
        lead = slopes[0].shape[:-2]
        N = int(np.prod(lead, dtype=int))
        trees = np.broadcast_to(tree, (*lead, tree.shape[-1])).reshape(N, tree.shape[-1])
        givens = np.broadcast_to(given, (*lead, given.shape[-1])).reshape(N, given.shape[-1])
        parts = [x.reshape(N, *x.shape[-2:]) for x in slopes]
        rows = [chain(tuple(x[k] for x in parts), givens[k], *actuation_slopes(
            self._model.coordinates, trees[k], self._motors)) for k in range(N)]
        m, n = len(self._motors), self.n
        shapes = [(n, n), (n, n), (n, m)] if chain is forward_slopes else [(m, n)] * 3
        found = [np.array([row[k] for row in rows]).reshape(*lead, *shape)
                 for k, shape in enumerate(shapes)]
        if out is None:
            return found[0], found[1], found[2]
        for target, result in zip(out, found, strict=True):
            store(result, target)
        return out

    def passive_rates(self, q: ArrayLike, qd: ArrayLike, *, near: ArrayLike | None = None,
                      out: Array | None = None) -> Array:
        """Return the rates of all joints of the tree, (L,) or (N, L) [rad/s or m/s].

        `InputError`: shapes, nan; `SingularityError`: where the loops do not determine them

        >>> float(four_bar.passive_rates([0.6], [1.0])[0])
        1.0
        """
        rates: Array = self._kernels.evaluate('joint_rates', (self.assemble(q, near), qd), out)
        return rates

    def passive_accelerations(
            self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, near: ArrayLike | None = None,
            out: Array | None = None) -> Array:
        """Return the accelerations of all joints of the tree, (L,) or (N, L).

        `InputError`: shapes, nan; `SingularityError`: where the loops do not determine them

        >>> float(four_bar.passive_accelerations([0.6], [0.0], [1.0])[0])
        1.0
        """
        found: Array = self._kernels.evaluate(
            'joint_accelerations', (self.assemble(q, near), qd, qdd), out)
        return found

    def friction_torque(
            self, qd: ArrayLike, *, q: ArrayLike | None = None, near: ArrayLike | None = None,
            out: Array | None = None) -> Array:
        """Return what overcomes the friction of all joints, seen at the independent ones.

        It depends on q, unlike that of a robot: passive joints turn at rates of their own.
        `InputError`: shapes, nan, no q

        >>> four_bar.friction_torque([1.0], q=[0.6])
        array([0.])
        """
        if q is None:
            raise InputError('q: expected joint values: the rates of passive joints depend on '
                             'them')
        tau: Array = self._kernels.evaluate('loop_friction', (self.assemble(q, near), qd), out)
        return tau
