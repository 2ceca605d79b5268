"""Motors: torques of actuated joints, and what they do to the independent ones."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from robot_dynamics.errors import InputError, SingularityError
from robot_dynamics.inputs import finite, states, store, vector
from robot_dynamics.mechanism.assembly import check_given
from robot_dynamics.mechanism.closed import ClosedRobot
from robot_dynamics.model.denoc import Array

DEAD, REACH = 1e-9, 1e-4  # motions of motors per freedom: at a dead centre, and ordinary ones


class Motors(ClosedRobot):
    """A mechanism whose motors may be fewer or more than its freedoms, or elsewhere."""

    @cached_property
    def _motors(self) -> list[int]:
        """The numbers of the actuated joints among those of the tree."""
        return [self._loops.names.index(name) for name in self._closed.actuated]

    def actuation_matrix(self, q: ArrayLike, *, near: ArrayLike | None = None) -> Array:
        """Return B (motors, n): the rates of the actuated joints per independent rate.

        `InputError`: shapes, nan

        >>> four_bar.actuation_matrix([0.6])
        array([[1.]])
        """
        return self._actuation(self.assemble(q, near))

    def _actuation(self, tree: Array) -> Array:
        rates: Array = self._kernels.evaluate('complement', (tree,))
        return rates[..., self._motors, :]

    def motor_torques(self, q: ArrayLike, force: ArrayLike, *, near: ArrayLike | None = None,
                      weights: ArrayLike | None = None, out: Array | None = None) -> Array:
        """Return the torques of the motors that give forces over the independent joints.

        force: (n,) or (N, n), such as `gravity_torque` or `bias`; `InputError`: shapes, nan;
        `SingularityError`: at a dead centre of the motors

        >>> four_bar.motor_torques([0.6], [2.0])
        array([2.])
        """
        (values, forces), batch = states({'q': self.nq, 'force': self.n}, q, force)
        force = forces if batch else forces[0]
        if self._own:
            self._scale(weights)
            return store(force, out)
        tree = self.assemble(values if batch else values[0], near)
        return store(self._shared(force, tree, weights), out)

    def _shared(self, force: Array, tree: Array, weights: ArrayLike | None = None) -> Array:
        """Return what `motor_torques` does where motors are not where the freedoms are.

        B^T tau = force in the sense of least squares: the shortest where there are more motors
        than freedoms, weighted by `weights`; what freedoms without a motor would need is left.
        """
        scale = self._scale(weights)
        B = self._actuation(tree)
        self._check_motors(B)
        B = np.broadcast_to(B, (*force.shape[:-1], len(scale), self.n))
        rows = [scale * np.linalg.lstsq(b.T * scale, f, rcond=None)[0] for b, f in zip(
            B.reshape(-1, *B.shape[-2:]), force.reshape(-1, self.n), strict=True)]
        return np.array(rows).reshape(*force.shape[:-1], len(scale))

    def _check_motors(self, B: Array) -> None:
        """Raise `SingularityError` at dead centres, where motors act on less than at the start."""
        if not self._reach:
            return
        at = self._ways(B)[..., self._reach - 1].reshape(-1)
        for k in np.flatnonzero(at < DEAD)[:1]:
            raise SingularityError(
                f'{", ".join(self._closed.actuated)}: at a dead centre'
                + (f' (state {k})' if B.ndim > 2 else '') + ': there motors do not act on '
                f'{", ".join(self._loops.names[j] for j in self._loops.independent)}')

    @cached_property
    def _reach(self) -> int:
        """How many freedoms the motors act on, at the start."""
        return int((self._ways(self._actuation(self._closed.start)) > REACH).sum())

    def _ways(self, B: Array) -> Array:
        """Return the singular values of B, turns counted as ways at the mechanism's length."""
        sizes = np.where(self._loops.turning, self._loops.length, 1.0)
        plain = B * sizes[self._motors, None] / sizes[list(self._loops.independent)]
        found: Array = np.linalg.svd(plain, compute_uv=False)
        return found

    def _scale(self, weights: ArrayLike | None) -> Array:
        """Return what torques count, 1 / sqrt(weights), (motors,); ones without weights."""
        scale = np.ones(len(self._closed.actuated))
        if weights is not None:
            given = vector('weights', weights, scale.shape)
            if not (given > 0).all():
                raise InputError(f'weights={given.min():g}: expected positive numbers')
            scale = 1 / np.sqrt(given)
        return scale

    def generalized_force(self, q_tree: ArrayLike, tau: ArrayLike) -> Array:
        """Return B^T tau: what torques of the motors do to the independent joints.

        q_tree: assembled values of all joints, (L,) or (N, L)
        `InputError`: shapes, nan

        >>> four_bar.generalized_force(four_bar.start, [2.0])
        array([2.])
        """
        (trees,), batch = states({'q_tree': self._loops.tree.nq}, q_tree)
        for k, q in enumerate(() if self._loops.tree.flat else trees):
            check_given(self._loops, 'q_tree', q, f' (state {k})' if batch else '')
        return self._gathered(tau, trees if batch else trees[0], 'q_tree')

    def _gathered(self, tau: ArrayLike, tree: ArrayLike, name: str = 'q') -> Array:
        """Return what `generalized_force` does; name: of the tree's values, for messages."""
        (trees, torques), batch = states(
            {name: self._loops.tree.nq, 'tau': len(self._closed.actuated)}, tree, tau)
        with np.errstate(all='ignore'):
            force = np.einsum('...mn,...m->...n', self._actuation(trees), torques)
        return finite('tau', force if batch else force[0])
