"""What holds a mechanism together and up: wrenches of cut joints, of joints, of the ground."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from robot_dynamics.dynamics import External
from robot_dynamics.inputs import choice, mapping, states, store, wrenches
from robot_dynamics.mechanism.contacts import Contacts, Friction, coefficients
from robot_dynamics.mechanism.motors import Motors
from robot_dynamics.model.denoc import Array
from robot_dynamics.robot import Robot

ROOT = -1  # the body that stands still


class Forces(Motors):
    """A mechanism and the forces that it feels, while its motors give what a motion needs."""

    def constraint_wrenches(
            self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, near: ArrayLike | None = None,
            weights: ArrayLike | None = None, external: External | None = None) -> Array:
        """Return the wrench [n, f] of each cut joint on its second link, (loops, 6).

        At the origin of the cut's second frame, in root axes, while the motors give what
        `inverse_dynamics` says. Where a loop has more equations than it needs, those of least
        size are taken: no rigid body can tell. weights, external: as there.
        `InputError`: shapes, nan

        >>> four_bar.constraint_wrenches([0.6], [0.0], [0.0]).shape
        (1, 6)
        """
        tree = self.assemble(q, near)
        applied = self._applied(tree, qd, qdd, weights, external)
        pulls = mapping('external', external)
        kernels = self._variant('auto', pulls)
        found: Array = kernels.evaluate('constraint_wrenches', (
            tree, qd, qdd, applied, *wrenches('external', pulls)))
        return found

    def _applied(self, tree: Array, qd: ArrayLike, qdd: ArrayLike,
                 weights: ArrayLike | None = None, external: External | None = None) -> Array:
        """Return the torques of the motors in a motion at all joints of the tree, (L,)."""
        sizes = {'q': tree.shape[-1], 'qd': self.n, 'qdd': self.n}
        checked, batch = states(sizes, tree, qd, qdd, joint_names=self.joint_names)
        self._scale(weights)
        lead = (len(checked[0]),) if batch else ()
        applied = np.zeros((*lead, len(self._loops.names)))
        if not self._own:  # else dependent joints have no motor, and the others need not be known
            force = Robot.inverse_dynamics(self, tree, qd, qdd, external=external)
            applied[..., self._motors] = self._shared(force, tree, weights)
        return applied

    @property
    def contact_names(self) -> tuple[str, ...]:
        """The loops to the world: what the robot stands on, or is held by."""
        return tuple(cut.name for cut in self._loops.cuts if ROOT in cut.bodies)

    def contacts(
            self, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None, *,
            near: ArrayLike | None = None, weights: ArrayLike | None = None,
            friction: Friction | None = None, external: External | None = None) -> Contacts:
        """Return the contact forces of a motion, and whether the ground can give them.

        Of loops to the world, while the motors give what `inverse_dynamics` says; at rest without
        qd and qdd. friction: a number, {loop: number}, or None: what the file says
        weights, external: as in `inverse_dynamics`. `InputError`: shapes, nan, names, no friction

        >>> four_bar.contacts([0.6], friction=0.5).names
        ('joint_4',)
        """
        rest = np.zeros(self.n)
        qd, qdd = rest if qd is None else qd, rest if qdd is None else qdd
        cuts = [k for k, cut in enumerate(self._loops.cuts) if ROOT in cut.bodies]
        mu = coefficients(friction, self.contact_names, {
            loop.name: loop.friction for loop in self._closed.record.loops
            if loop.friction is not None and loop.name in self.contact_names})
        ground = [self._loops.cuts[k].bodies.index(ROOT) for k in cuts]
        normals = np.array([np.array(self._loops.cuts[k].frames[side])[:3, 2] for k, side in zip(
            cuts, ground, strict=True)]).reshape(-1, 3)
        tree = self.assemble(q, near)
        found = self.constraint_wrenches(
            q, qd, qdd, near=tree, weights=weights, external=external)[
                ..., np.array(cuts, int), :]
        signs = np.array([1.0 if side == 0 else -1.0 for side in ground])  # on the robot
        force = Robot.inverse_dynamics(self, tree, qd, qdd, external=external)
        tau = force if self._own else self._shared(force, tree, weights)
        missing = force - (force if self._own else self.generalized_force(tree, tau))
        return Contacts(self.contact_names, found * signs[:, None], normals, mu, tau, missing)

    def reaction_wrenches(
            self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, near: ArrayLike | None = None,
            joints: str = 'independent', out: Array | None = None) -> Array:
        """Return the wrench [n, f] through joints, with what the cuts carry; see Robot.

        joints: 'independent', (n, 6), or 'all' of the tree, (L, 6)
        `InputError`: shapes, nan, other joints

        >>> four_bar.reaction_wrenches([0.6], [0.0], [0.0], joints='all').shape
        (3, 6)
        """
        tree = self.assemble(q, near)
        own = choice('joints', joints, ('independent', 'all')) == 'independent'
        if own and self._own:
            return super().reaction_wrenches(tree, qd, qdd, out=out)
        found: Array = self._joint_frames(self._loops.names).evaluate(
            'joint_reactions', (tree, qd, qdd, self._applied(tree, qd, qdd)))
        return store(found[..., list(self._loops.independent), :] if own else found, out)
