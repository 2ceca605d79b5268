"""The kernels there are: their arguments, the shapes of their results, how they are computed."""

from collections.abc import Callable
from dataclasses import dataclass

from robot_dynamics.algorithms import FORWARD, GIM, HELD, INVERSE
from robot_dynamics.engine import definitions, derivatives
from robot_dynamics.engine.program import Outputs


@dataclass(frozen=True)
class Definition:
    """A kernel: its arguments, the shapes of its results, how it is computed."""

    inputs: tuple[str, ...]
    shapes: Callable[[int, int], tuple[tuple[int, ...], ...]]  # of (n, L)
    outputs: Callable[..., Outputs]
    algorithms: tuple[str, ...] = ()  # candidates; the leanest after tracing is taken
    full: bool = False  # needs every inertial parameter, not the regrouped ones


DEFINITIONS = {
    'inverse_dynamics': Definition(
        ('q', 'qd', 'qdd'), lambda n, L: ((n,),), definitions.inverse_dynamics, tuple(INVERSE)),
    'forward_dynamics': Definition(
        ('q', 'qd', 'tau'), lambda n, L: ((n,),), definitions.forward_dynamics,
        tuple(FORWARD)),
    'held_dynamics': Definition(
        ('q', 'qd', 'tau', 'free'), lambda n, L: ((n,),), definitions.held_dynamics, tuple(HELD)),
    'inertia_matrix': Definition(('q',), lambda n, L: ((n, n),), definitions.inertia_matrix,
        tuple(GIM)),
    'bias': Definition(('q', 'qd'), lambda n, L: ((n,),), definitions.bias, tuple(INVERSE)),
    'gravity_torque': Definition(('q',), lambda n, L: ((n,),), definitions.gravity_torque,
        tuple(INVERSE)),
    'udu': Definition(('q',), lambda n, L: ((n, n), (n,)), definitions.udu),
    'energies': Definition(('q', 'qd'), lambda n, L: ((), ()), definitions.energies, full=True),
    'pose': Definition(('q',), lambda n, L: ((4, 4),), definitions.pose),
    'jacobian': Definition(('q',), lambda n, L: ((6, n),), definitions.jacobian),
    'inverse_dynamics_derivatives': Definition(
        ('q', 'qd', 'qdd'), lambda n, L: ((n, n),) * 3,
        derivatives.inverse_dynamics_derivatives),
    'forward_dynamics_derivatives': Definition(
        ('q', 'qd', 'tau'), lambda n, L: ((n, n),) * 3,
        derivatives.forward_dynamics_derivatives),
    'regressor': Definition(
        ('q', 'qd', 'qdd'), lambda n, L: ((n, derivatives.PARAMETERS * L),),
        derivatives.regressor, full=True),
}
