"""The equations of motion of a robot: torques, accelerations, the matrices between them."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from robot_dynamics.dynamics import External
from robot_dynamics.engine.bound import Bound
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.quantity_kernels import FORMS
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import choice, mapping, states, store, wrenches
from robot_dynamics.model.denoc import Array
from robot_dynamics.robot.changes import Changes

BY_PARTS = ('inverse_dynamics', 'forward_dynamics')  # whose wrenches may join outside


class EquationsOfMotion(Changes):
    """tau = I qdd + bias + friction - J^T external.

    Nothing may stand before a kernel's call: a line costs what it gains.
    """

    def inverse_dynamics(
            self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, algorithm: str = 'auto',
            external: External | None = None, out: Array | None = None) -> Array:
        """Return the joint torques tau of a motion, friction and external wrenches included.

        q, qd, qdd: joint values, rates, accelerations, (n,) or (N, n) [rad or m, per s, per s^2]
        algorithm: 'auto' (the leanest for the robot), 'newton_euler', 'denoc' or 'gibbs_appell'
        external: {link: wrench [n, f] on it, at its origin in root axes, (6,) or (N, 6) [N m, N]}
        Returns (n,) or (N, n) [N m or N]. `InputError`: shapes, nan, names.

        >>> arm.inverse_dynamics([0, 0], [0, 0], [1, 0]).round(3)
        array([22.12 ,  5.655])
        """
        try:
            if external is None:
                if algorithm == 'auto':
                    tau: Array = self._kernels.inverse_dynamics(q, qd, qdd, out)
                    if tau is None:
                        tau = self._kernels.evaluate('inverse_dynamics', (q, qd, qdd), out)
                    return tau
            elif algorithm == 'auto':
                link, = external  # a wrench on one link: the usual case
                tau = self._inverse_at[link](q, qd, qdd, external[link], out)
                if tau is not None:
                    return tau
        except (KeyError, TypeError, ValueError, AttributeError):  # first, or not well
            pass
        loaded: Array = self._loaded('inverse_dynamics', algorithm, (q, qd, qdd), external, out)
        return loaded

    def forward_dynamics(
            self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, algorithm: str = 'auto',
            external: External | None = None, out: Array | None = None) -> Array:
        """Return the joint accelerations qdd under torques tau, friction and external wrenches.

        q, qd, tau: joint values, rates, torques, (n,) or (N, n) [rad or m, per s, N m or N]
        algorithm: 'auto', 'denoc', 'cholesky', 'gibbs_appell', 'articulated_body' or
            'composite_body'
        external: as in `inverse_dynamics`
        Returns (n,) or (N, n) [rad/s^2 or m/s^2]. `InputError`: shapes, nan, names;
        `SingularityError` names the joint where the generalized inertia matrix is singular.

        >>> arm.forward_dynamics([0, 0], [0, 0], [22.12, 5.655]).round(3)
        array([1., 0.])
        """
        try:
            if external is None:
                if algorithm == 'auto':
                    qdd: Array = self._kernels.forward_dynamics(q, qd, tau, out)
                    if qdd is None:
                        qdd = self._kernels.evaluate('forward_dynamics', (q, qd, tau), out)
                    return qdd
            elif algorithm == 'auto':
                link, = external  # a wrench on one link: the usual case
                qdd = self._forward_at[link](q, qd, tau, external[link], out)
                if qdd is not None:
                    return qdd
        except (KeyError, TypeError, ValueError, AttributeError):  # first, or not well
            pass
        loaded: Array = self._loaded('forward_dynamics', algorithm, (q, qd, tau), external, out)
        return loaded

    def inertia_matrix(self, q: ArrayLike, *, algorithm: str = 'auto',
                       out: Array | None = None) -> Array:
        """Return the generalized inertia matrix (GIM).

        q: joint values, (n,) or (N, n) [rad or m]
        algorithm: 'auto', 'denoc', 'gibbs_appell' or 'composite_body'
        Returns (n, n) or (N, n, n) [kg m^2, kg m or kg]. `InputError`: shapes, nan, names.

        >>> arm.inertia_matrix([0, 0]).round(3)
        array([[2.5 , 0.75],
               [0.75, 0.25]])
        """
        try:
            if algorithm == 'auto':
                I: Array = self._kernels.inertia_matrix(q, out)
                if I is None:
                    I = self._kernels.evaluate('inertia_matrix', (q,), out)
                return I
        except ValueError:  # of an array for a name, which is said below
            pass
        matrix: Array = self._loaded('inertia_matrix', algorithm, (q,), None, out)
        return matrix

    def inertia_matrix_inverse(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Return the inverse of the GIM, through its factors.

        q: joint values, (n,) or (N, n) [rad or m]
        Returns (n, n) or (N, n, n). `InputError`: shapes, nan; `SingularityError`: the joint.

        >>> arm.inertia_matrix_inverse([0, 0]).round(3)
        array([[  4., -12.],
               [-12.,  40.]])
        """
        inverse: Array = self._kernels.inertia_matrix_inverse(q, out)
        if inverse is None:
            inverse = self._kernels.evaluate('inertia_matrix_inverse', (q,), out)
        return inverse

    def bias(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """Return C qd + gravity torque: what the joints need at qdd = 0, without friction.

        On a turning base it holds the base's part as well, which C does not know.

        q, qd: joint values and rates, (n,) or (N, n) [rad or m, rad/s or m/s]
        Returns (n,) or (N, n) [N m or N]. `InputError`: shapes, nan.

        >>> arm.bias([0, np.pi / 2], [1, 0]).round(3)
        array([14.715,  0.5  ])
        """
        tau: Array = self._kernels.bias(q, qd, out)
        if tau is None:
            tau = self._kernels.evaluate('bias', (q, qd), out)
        return tau

    def gravity_torque(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Return what holds the robot at rest against gravity (and a moving base).

        q: joint values, (n,) or (N, n) [rad or m]
        Returns (n,) or (N, n) [N m or N]. `InputError`: shapes, nan.

        >>> arm.gravity_torque([0, 0])  # 1 kg at 0.5 m and at 1.5 m
        array([19.62 ,  4.905])
        """
        tau: Array = self._kernels.gravity_torque(q, out)
        if tau is None:
            tau = self._kernels.evaluate('gravity_torque', (q,), out)
        return tau

    def udu(self, q: ArrayLike, *,
            out: tuple[Array, Array] | None = None) -> tuple[Array, Array]:
        """Return U (unit upper triangular) and D with I = U diag(D) U^T.

        q: joint values, (n,) or (N, n) [rad or m]
        out: an array for each of them
        Returns (n, n) and (n,), or (N, n, n) and (N, n). `InputError`: shapes, nan;
        `SingularityError` names the joint where the inertia matrix is singular.

        >>> U, D = arm.udu([0, 0])
        >>> (U @ np.diag(D) @ U.T).round(3)
        array([[2.5 , 0.75],
               [0.75, 0.25]])
        """
        factors: tuple[Array, Array] = self._kernels.udu(q, out)
        if factors is None:
            factors = self._kernels.evaluate('udu', (q,), out)
        return factors

    def convective_matrix(self, q: ArrayLike, qd: ArrayLike, *, form: str = 'paper',
                          out: Array | None = None) -> Array:
        """Return the matrix of convective inertia C, with C qd the convective torque.

        Of the robot over a base at rest.

        q, qd: joint values and rates, (n,) or (N, n) [rad or m, rad/s or m/s]
        form: 'paper', or 'skew', with which dI/dt - 2 C is skew-symmetric for every robot
        Returns (n, n) or (N, n, n). `InputError`: shapes, nan, another form.

        >>> arm.convective_matrix([0, np.pi / 2], [1, 1]).round(3)
        array([[-0.5, -1. ],
               [ 0.5,  0. ]])
        """
        try:
            kernels = self._forms[form]
        except (KeyError, TypeError):
            kernels = self._form_kernels(form)
        C: Array = kernels.convective_matrix(q, qd, out)
        if C is None:
            C = kernels.evaluate('convective_matrix', (q, qd), out)
        return C

    def friction_torque(self, qd: ArrayLike, *, q: ArrayLike | None = None,
                        out: Array | None = None) -> Array:
        """Return damping qd + friction tanh(qd / 0.01): what overcomes friction.

        Smooth, as in inverse and forward dynamics; in `simulate` dry friction is set-valued.

        qd: joint rates, (n,) or (N, n) [rad/s or m/s]
        q: joint values; a robot's friction does not depend on them, a mechanism's does
        Returns (n,) or (N, n) [N m or N]. `InputError`: shapes, nan.

        >>> arm.friction_torque([1, 1])  # this arm has none
        array([0., 0.])
        """
        tau: Array = self._kernels.friction_torque(qd, out)
        if tau is None:
            tau = self._kernels.evaluate('friction_torque', (qd,), out)
        return tau

    def reaction_wrenches(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *,
                          out: Array | None = None) -> Array:
        """Return the wrench [n, f] through each joint, about O_i in the DH frame i.

        What the link before and the motor exert on the joint's link; frame i does not turn with
        the joint. Rotors (armature) are not part of it.

        q, qd, qdd: joint values, rates, accelerations, (n,) or (N, n)
        Returns (n, 6) or (N, n, 6) [N m, N]. `InputError`: shapes, nan.

        >>> arm.reaction_wrenches([0, 0], [0, 0], [0, 0])[1].round(3)
        array([0.   , 0.   , 4.905, 0.   , 9.81 , 0.   ])
        """
        kernels = self._reactions
        wrenches: Array = kernels.reaction_wrenches(q, qd, qdd, out)
        if wrenches is None:
            wrenches = kernels.evaluate('reaction_wrenches', (q, qd, qdd), out)
        return wrenches

    # Inside

    def _form_kernels(self, form: str) -> Bound:
        """Return the kernels of C in one form, and keep them."""
        choice('form', form, FORMS)
        kernels = self._kernels if form == 'paper' else self._kernels.variant(form=form)
        self._forms[form] = kernels
        return kernels

    def _loaded(self, name: str, algorithm: str, state: tuple[ArrayLike, ...],
                external: External | None, out: Any) -> Any:
        """Return a verb by a named algorithm, or under external wrenches."""
        external = {} if external is None else external
        try:
            result = self._calls[(name, algorithm, *external)](*state, *external.values(), out)
        except (KeyError, TypeError, ValueError, AttributeError):  # first time, or not well
            result = None
        if result is not None:
            return result
        choice('algorithm', algorithm, ['auto', *DEFINITIONS[name].algorithms])
        return self._first_loaded(name, algorithm, state, mapping('external', external), out)

    def _first_loaded(self, name: str, algorithm: str, state: tuple[ArrayLike, ...],
                      external: External, out: Any) -> Any:
        """Return what `_loaded` does, the slow way: with all checks."""
        kernels = self._variant(algorithm, external)
        pulls = wrenches('external', external)
        if pulls and name in BY_PARTS and not DEFINITIONS[name].traces(self._kernels.spec):
            pull = kernels.evaluate('external_torque', (state[0], *pulls))
            kernels = self._variant(algorithm, {})
            if name == 'inverse_dynamics':
                return store(kernels.evaluate(name, state) - pull, out)
            sizes = DEFINITIONS[name].sizes(self._kernels.spec, ())
            (*others, tau), batch = states(sizes, *state, joint_names=self._kernels.joint_names)
            given = [*others, tau + pull] if batch or pull.ndim == 2 else [
                *(x[0] for x in others), tau[0] + pull]
            return kernels.evaluate(name, tuple(given), out)
        try:
            result = kernels.evaluate(name, (*state, *pulls), out)
        except InputError as error:
            raise InputError(named(str(error), external)) from None
        call = kernels.__dict__.get(name)  # there when it is compiled
        if call is not None:
            self._calls[(name, algorithm, *external)] = call
            if len(external) == 1 and algorithm == 'auto' and name in BY_PARTS:
                at = self._inverse_at if name == 'inverse_dynamics' else self._forward_at
                at[next(iter(external))] = call
        return result


def named(message: str, external: External) -> str:
    """Return a kernel's message with the links that its arguments external_0, ... stand for."""
    for k, link in reversed(list(enumerate(external))):
        message = message.replace(f'external_{k}', f'external[{link!r}]')
    return message
