"""Motors: torques of actuated joints, and what they do to the independent ones."""

from __future__ import annotations

import numpy as np

from robot_dynamics.inputs import states, store, vector
from robot_dynamics.mechanism.closed import ClosedRobot
from robot_dynamics.model.denoc import Array


class Motors(ClosedRobot):
    """A mechanism whose motors may be fewer or more than its freedoms, or elsewhere."""

    def actuation_matrix(self, q, *, near=None) -> Array:
        """Return B (motors, n): the rates of the actuated joints per independent rate.

        `InputError`: shapes, nan

        >>> four_bar.actuation_matrix([0.6])
        array([[1.]])
        """
        N = self._kernels.evaluate('complement', (self.assemble(q, near),))
        return N[..., [self._loops.names.index(name) for name in self._closed.actuated], :]

    def motor_torques(self, q, force, *, near=None, weights=None, out=None) -> Array:
        """Return the torques of the motors that give forces over the independent joints.

        force: (n,) or (N, n), such as `gravity_torque` or `bias`; `InputError`: shapes, nan

        >>> four_bar.motor_torques([0.6], [2.0])
        array([2.])
        """
        (values, forces), batch = states({'q': self.n, 'force': self.n}, q, force)
        if self._own:
            return store(forces if batch else forces[0], out)
        return self._distributed(forces if batch else forces[0], values if batch else values[0],
                                 near, weights, out)

    def _distributed(self, force: Array, q, near, weights, out) -> Array:
        """Return what `motor_torques` does where motors are not where the freedoms are.

        B^T tau = force in the sense of least squares: the shortest where there are more motors
        than freedoms, weighted by `weights`; what freedoms without a motor would need is left.
        """
        scale = np.ones(len(self._closed.actuated)) if weights is None else 1 / np.sqrt(
            vector('weights', weights, (len(self._closed.actuated),)))
        B = self.actuation_matrix(q, near=near) * scale[:, None]
        rows = [np.linalg.lstsq(b.T, f, rcond=None)[0] for b, f in zip(
            B.reshape(-1, *B.shape[-2:]), force.reshape(-1, self.n), strict=True)]
        tau = np.array(rows).reshape(*force.shape[:-1], len(self._closed.actuated)) * scale
        return store(tau, out)

    def generalized_force(self, q_tree: Array, tau) -> Array:
        """Return B^T tau: what torques of the motors do to the independent joints.

        q_tree: assembled values of all joints, (L,) or (N, L)
        `InputError`: shapes, nan

        >>> four_bar.generalized_force(four_bar.start, [2.0])
        array([2.])
        """
        return self._gathered(tau, np.asarray(q_tree, float))

    def _gathered(self, tau, tree: Array) -> Array:
        """Return what `generalized_force` does."""
        N = self._kernels.evaluate('complement', (tree,))
        B = N[..., [self._loops.names.index(name) for name in self._closed.actuated], :]
        (torques,), batch = states({'tau': len(self._closed.actuated)}, tau)
        force = np.einsum('...mn,...m->...n', B, torques)
        return force if batch or tree.ndim == 2 else force[0]
