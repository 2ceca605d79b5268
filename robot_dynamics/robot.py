"""Robot: the one object users hold. Thin: each verb is a kernel."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.algorithms.counting import Count
from robot_dynamics.algorithms.counting import count as count_operations
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.export_c import export_c
from robot_dynamics.engine.quantity_kernels import FORMS
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import choice, flag, mapping, store, wrenches
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.dh.table import DHRow
from robot_dynamics.robot_base import RobotBase

BY_PARTS = ('inverse_dynamics', 'forward_dynamics')  # whose wrenches may join outside


class Robot(RobotBase):
    """A robot's dynamics. Immutable: what changes it returns a new robot.

    Every function takes one state, shape (n,), or a batch, shape (N, n), and answers in kind.
    tau = I qdd + bias + friction - J^T external. algorithm='auto' is the leanest for the robot.
    """

    @staticmethod
    def from_dh(rows: Sequence[DHRow], **options) -> 'Robot':
        """Make a robot of DH rows; options as in robot_dynamics.loading.from_dh."""
        from robot_dynamics.loading import from_dh  # loading stands above this file
        return from_dh(rows, **options)

    # Dynamics. Nothing may stand before a kernel's call: a line costs what it gains.

    def inverse_dynamics(self, q, qd, qdd, *, algorithm: str = 'auto',
                         external: Mapping[str, Any] | None = None, out=None) -> Array:
        """Return the joint torques tau of a motion, friction and external wrenches included.

        q, qd, qdd: joint values, rates, accelerations, (n,) or (N, n)
        external: {link: wrench [n, f] on it, at its origin in root axes, (6,) or (N, 6)}
        """
        if algorithm == 'auto' and external is None:
            tau = self._kernels.inverse_dynamics(q, qd, qdd, out)
            return self._kernels.evaluate(
                'inverse_dynamics', (q, qd, qdd), out) if tau is None else tau
        return self._loaded('inverse_dynamics', algorithm, (q, qd, qdd), external, out)

    def forward_dynamics(self, q, qd, tau, *, algorithm: str = 'auto',
                         external: Mapping[str, Any] | None = None, out=None) -> Array:
        """Return the joint accelerations qdd under torques tau, friction and external wrenches.

        `SingularityError` names the joint where the generalized inertia matrix is singular.
        """
        if algorithm == 'auto' and external is None:
            qdd = self._kernels.forward_dynamics(q, qd, tau, out)
            return self._kernels.evaluate(
                'forward_dynamics', (q, qd, tau), out) if qdd is None else qdd
        return self._loaded('forward_dynamics', algorithm, (q, qd, tau), external, out)

    def inertia_matrix(self, q, *, algorithm: str = 'auto', out=None) -> Array:
        """Return the generalized inertia matrix (GIM), (n, n) or (N, n, n)."""
        if algorithm == 'auto':
            I = self._kernels.inertia_matrix(q, out)
            return self._kernels.evaluate('inertia_matrix', (q,), out) if I is None else I
        return self._loaded('inertia_matrix', algorithm, (q,), None, out)

    def inertia_matrix_inverse(self, q, *, out=None) -> Array:
        """Return the inverse of the GIM, through its factors, (n, n) or (N, n, n)."""
        inverse = self._kernels.inertia_matrix_inverse(q, out)
        return self._kernels.evaluate(
            'inertia_matrix_inverse', (q,), out) if inverse is None else inverse

    def bias(self, q, qd, *, out=None) -> Array:
        """Return C qd + gravity torque: what the joints need at qdd = 0, without friction.

        On a turning base it holds the base's part as well, which C does not know.
        """
        tau = self._kernels.bias(q, qd, out)
        return self._kernels.evaluate('bias', (q, qd), out) if tau is None else tau

    def gravity_torque(self, q, *, out=None) -> Array:
        """Return what holds the robot at rest against gravity (and a moving base)."""
        tau = self._kernels.gravity_torque(q, out)
        return self._kernels.evaluate('gravity_torque', (q,), out) if tau is None else tau

    def udu(self, q) -> tuple[Array, Array]:
        """Return U (unit upper triangular) and D with I = U diag(D) U^T."""
        factors = self._kernels.udu(q, None)
        return self._kernels.evaluate('udu', (q,)) if factors is None else factors

    def convective_matrix(self, q, qd, *, form: str = 'paper', out=None) -> Array:
        """Return the matrix of convective inertia C, with C qd the convective torque.

        Of the robot over a base at rest.

        form: 'paper', or 'skew', with which dI/dt - 2 C is skew-symmetric for every robot
        """
        kernels = self._kernels if form == 'paper' else self._kernels.variant(
            form=choice('form', form, FORMS))
        C = kernels.convective_matrix(q, qd, out)
        return kernels.evaluate('convective_matrix', (q, qd), out) if C is None else C

    def friction_torque(self, qd, *, out=None) -> Array:
        """Return damping qd + friction tanh(qd / 0.01): what overcomes friction.

        Smooth, as in inverse and forward dynamics; in `simulate` dry friction is set-valued.
        """
        tau = self._kernels.friction_torque(qd, out)
        return self._kernels.evaluate('friction_torque', (qd,), out) if tau is None else tau

    def reaction_wrenches(self, q, qd, qdd, *, out=None) -> Array:
        """Return the wrench [n, f] through each joint, about O_i in the DH frame i, (n, 6).

        What the link before and the motor exert on the joint's link; frame i does not turn with
        the joint. Rotors (armature) are not part of it.
        """
        kernels = self._reactions
        wrenches = kernels.reaction_wrenches(q, qd, qdd, out)
        return kernels.evaluate(
            'reaction_wrenches', (q, qd, qdd), out) if wrenches is None else wrenches

    # Derivatives, parameters, code

    def inverse_dynamics_derivatives(
            self, q, qd, qdd, *, external: Mapping[str, Any] | None = None
            ) -> tuple[Array, Array, Array]:
        """Return d tau/dq, d tau/dqd and d tau/dqdd (which is the GIM), each (n, n).

        external: as in `inverse_dynamics`; the wrenches keep their root axes as the links move
        """
        return self._loaded('inverse_dynamics_derivatives', 'auto', (q, qd, qdd), external, None)

    def forward_dynamics_derivatives(
            self, q, qd, tau, *, external: Mapping[str, Any] | None = None
            ) -> tuple[Array, Array, Array]:
        """Return d qdd/dq, d qdd/dqd and d qdd/dtau (the GIM's inverse), each (n, n)."""
        return self._loaded('forward_dynamics_derivatives', 'auto', (q, qd, tau), external, None)

    def regressor(self, q, qd, qdd, *, out=None) -> Array:
        """Return Y (n, 10 L) with tau = Y parameters, without friction and rotors."""
        Y = self._kernels.regressor(q, qd, qdd, out)
        return self._kernels.evaluate('regressor', (q, qd, qdd), out) if Y is None else Y

    def export_c(self, folder, functions: Sequence[str] | None = None, *,
                 overwrite: bool = False) -> list[Path]:
        """Write the kernels as plain C99 into a folder; return the files.

        overwrite: also files of these names that this function did not write
        """
        try:
            return export_c(self._kernels, folder, functions, name=self.name,
                            overwrite=flag('overwrite', overwrite))
        except OSError as error:
            raise InputError(f'folder={str(folder)!r}: {error.strerror or error}') from None

    def operation_count(self, what: str, *, algorithm: str = 'auto') -> Count:
        """Return multiplications (and divisions), additions, trigonometric calls of one call.

        what: a verb that is not one link's. 'auto' counts the code that runs; an algorithm by name
        is counted as it is written, for inverse and forward dynamics and the inertia matrix
        """
        counted = [name for name, definition in DEFINITIONS.items()
                   if not definition.options and not definition.looped]
        definition = DEFINITIONS[choice('what', what, counted)]
        if algorithm == 'auto':
            count = self._kernels.operation_count(what)
            return Count(count['M'] + count['D'], count['A'], count['T'])
        function = definition.algorithms[
            choice('algorithm', algorithm, ['auto', *definition.algorithms])]
        inputs = len(definition.sizes(self._kernels.spec, ()))
        return count_operations(
            function, self._model.geometry, self.inertials, inputs=inputs)['needed']

    # Energy, momentum and kinematics

    def kinetic_energy(self, q, qd, *, out=None):
        """Return the kinetic energy of all links and rotors, over a base at rest [J]."""
        T = self._kernels.kinetic_energy(q, qd, out)
        return self._kernels.evaluate('kinetic_energy', (q, qd), out) if T is None else T

    def potential_energy(self, q, *, out=None):
        """Return the potential energy, zero with all masses at the root's origin [J]."""
        V = self._kernels.potential_energy(q, out)
        return self._kernels.evaluate('potential_energy', (q,), out) if V is None else V

    def center_of_mass(self, q, *, out=None) -> Array:
        """Return the mass centre of the links that move, in root axes, (3,) [m]."""
        c = self._kernels.center_of_mass(q, out)
        return self._kernels.evaluate('center_of_mass', (q,), out) if c is None else c

    def centroidal_momentum(self, q, qd, *, out=None) -> Array:
        """Return [angular; linear] momentum about the mass centre, in root axes, (6,)."""
        h = self._kernels.centroidal_momentum(q, qd, out)
        return self._kernels.evaluate('centroidal_momentum', (q, qd), out) if h is None else h

    def pose(self, q, link: str | None = None, *, out=None) -> Array:
        """Return the pose (4, 4) of a link (the tip by default) in the root frame."""
        try:
            frame = self._frame_kernels[link]
        except (KeyError, TypeError):
            frame = self._frame_kernel(link)
        T = frame.pose(q, out)
        return frame.evaluate('pose', (q,), out) if T is None else T

    def jacobian(self, q, link: str | None = None, *, out=None) -> Array:
        """Return J (6, n): angular then linear velocity of the link's origin, in root axes."""
        try:
            frame = self._frame_kernels[link]
        except (KeyError, TypeError):
            frame = self._frame_kernel(link)
        J = frame.jacobian(q, out)
        return frame.evaluate('jacobian', (q,), out) if J is None else J

    def jacobian_rate(self, q, qd, link: str | None = None, *, out=None) -> Array:
        """Return dJ/dt (6, n)."""
        try:
            frame = self._frame_kernels[link]
        except (KeyError, TypeError):
            frame = self._frame_kernel(link)
        J = frame.jacobian_rate(q, qd, out)
        return frame.evaluate('jacobian_rate', (q, qd), out) if J is None else J

    def manipulability(self, q, link: str | None = None, *, rows: Any = 'linear', out=None):
        """Return sqrt(det(J J^T)) over the rows 'linear', 'angular', 'all' or a list of them."""
        try:
            frame = self._row_kernels[link, rows]
        except (KeyError, TypeError):
            frame = self._row_kernel(link, rows)
        w = frame.manipulability(q, out)
        return frame.evaluate('manipulability', (q,), out) if w is None else w

    # Inside

    def _loaded(self, name: str, algorithm: str, state: tuple, external, out) -> Any:
        """Return a verb by a named algorithm, or under external wrenches."""
        external = external or {}
        try:
            result = self._calls[(name, algorithm, *external)](*state, *external.values(), out)
        except (KeyError, TypeError, AttributeError):  # for the first time, or not as it should be
            result = None
        return self._first_loaded(
            name, algorithm, state, external, out) if result is None else result

    def _first_loaded(self, name: str, algorithm: str, state: tuple, external, out) -> Any:
        """Return what `_loaded` does, the slow way: with all checks."""
        choice('algorithm', algorithm, ['auto', *DEFINITIONS[name].algorithms])
        kernels = self._variant(algorithm, mapping('external', external))
        pulls = wrenches('external', external)
        if pulls and self._kernels.spec.L > DEFINITIONS[name].largest and name in BY_PARTS:
            pull = kernels.evaluate('external_torque', (state[0], *pulls))
            kernels = self._variant(algorithm, {})
            if name == 'forward_dynamics':
                last = np.asarray(state[-1], float) + pull
                return kernels.evaluate(name, (*state[:-1], last), out)
            return store(kernels.evaluate(name, state) - pull, out)
        try:
            result = kernels.evaluate(name, (*state, *pulls), out)
        except InputError as error:
            raise InputError(named(str(error), external)) from None
        call = kernels.__dict__.get(name)  # there when it is compiled
        if call is not None:
            self._calls[(name, algorithm, *external)] = call
        return result


def named(message: str, external: Mapping[str, Any]) -> str:
    """Return a kernel's message with the links that its arguments external_0, ... stand for."""
    for k, link in reversed(list(enumerate(external))):
        message = message.replace(f'external_{k}', f'external[{link!r}]')
    return message
