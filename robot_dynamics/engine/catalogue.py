"""The kernels there are. A new one is a function and one entry here; see `Definition`."""

from robot_dynamics.algorithms import FORWARD, GIM, HELD, INVERSE
from robot_dynamics.engine import (
    derivative_kernels,
    loop_kernels,
    motion_kernels,
    quantity_kernels,
)
from robot_dynamics.engine.definition import Definition
from robot_dynamics.model.coordinates import Coordinates

OF_LINK = ('link', 'frame')


def by_matrix(coordinates: Coordinates) -> tuple[str, ...]:
    """Return the methods that solve by the same GIM where the tree's factors do not serve."""
    return () if coordinates.factors is not None else ('cholesky', 'composite_body')


DEFINITIONS = {
    'inverse_dynamics': Definition(
        motion_kernels.inverse_dynamics, ('q', 'qd', 'qdd', 'external'), lambda n, L: ((n,),),
        INVERSE, alike=lambda at: ('denoc',), largest=200, general={(): 'inverse'}),
    'forward_dynamics': Definition(
        motion_kernels.forward_dynamics, ('q', 'qd', 'tau', 'external'), lambda n, L: ((n,),),
        FORWARD, alike=by_matrix, general={(): 'forward'}),
    'held_dynamics': Definition(
        motion_kernels.held_dynamics, ('q', 'qd', 'tau', 'free'), lambda n, L: ((n,),), HELD,
        alike=by_matrix),
    'servo_step': Definition(
        motion_kernels.servo_step,
        ('q', 'qd', 'free', 'sliding', 'effort', 'follows', 'stiffness', 'stiffness_felt',
         'damping', 'damping_felt', 'position', 'velocity', 'cut', 'most', 'drag', 'length'),
        lambda n, L: ((n,), (n,)), largest=48),
    'inertia_matrix': Definition(
        motion_kernels.inertia_matrix, ('q',), lambda n, L: ((n, n),), GIM, largest=48,
        general={(): 'matrix'}),
    'bias': Definition(
        motion_kernels.bias, ('q', 'qd'), lambda n, L: ((n,),), INVERSE,
        alike=lambda at: ('denoc',), largest=200, general={(): 'inverse'}),
    'gravity_torque': Definition(
        motion_kernels.gravity_torque, ('q',), lambda n, L: ((n,),), INVERSE,
        alike=lambda at: ('denoc', 'gibbs_appell'), largest=200, general={(): 'inverse'}),
    'external_torque': Definition(
        motion_kernels.external_torque, ('q', 'external'), lambda n, L: ((n,),),
        options=('frames',), largest=10_000),
    'udu': Definition(
        motion_kernels.udu, ('q',), lambda n, L: ((n, n), (n,)), largest=48,
        general={(): 'factors'}),
    'inertia_matrix_inverse': Definition(
        quantity_kernels.inertia_matrix_inverse, ('q',), lambda n, L: ((n, n),), largest=48,
        general={(): 'factors'}),
    'convective_matrix': Definition(
        quantity_kernels.convective_matrix, ('q', 'qd'), lambda n, L: ((n, n),),
        full=True, largest=48,
        general={(): 'convective', (('form', 'skew'),): 'skew convective'}),
    'friction_torque': Definition(
        quantity_kernels.friction_torque, ('qd',), lambda n, L: ((n,),), largest=1000),
    'reaction_wrenches': Definition(
        quantity_kernels.reaction_wrenches, ('q', 'qd', 'qdd'), lambda n, L: ((n, 6),),
        options=('joints',), full=True),
    'kinetic_energy': Definition(
        quantity_kernels.kinetic_energy, ('q', 'qd'), lambda n, L: ((),)),
    'potential_energy': Definition(
        quantity_kernels.potential_energy, ('q',), lambda n, L: ((),), full=True),
    'energies': Definition(
        motion_kernels.energies, ('q', 'qd'), lambda n, L: ((), ()), full=True),
    'center_of_mass': Definition(
        quantity_kernels.center_of_mass, ('q',), lambda n, L: ((3,),), full=True),
    'centroidal_momentum': Definition(
        quantity_kernels.centroidal_momentum, ('q', 'qd'), lambda n, L: ((6,),), full=True),
    'centroidal_momentum_matrix': Definition(
        quantity_kernels.centroidal_momentum_matrix, ('q',), lambda n, L: ((6, n),), full=True),
    'pose': Definition(motion_kernels.pose, ('q',), lambda n, L: ((4, 4),), options=OF_LINK),
    'jacobian': Definition(
        motion_kernels.jacobian, ('q',), lambda n, L: ((6, n),), options=OF_LINK),
    'jacobian_rate': Definition(
        quantity_kernels.jacobian_rate, ('q', 'qd'), lambda n, L: ((6, n),), options=OF_LINK),
    'manipulability': Definition(
        quantity_kernels.manipulability, ('q',), lambda n, L: ((),), options=(*OF_LINK, 'rows')),
    'inverse_dynamics_derivatives': Definition(
        derivative_kernels.inverse_dynamics_derivatives, ('q', 'qd', 'qdd', 'external'),
        lambda n, L: ((n, n),) * 3, largest=40, general={(): 'derivatives'}),
    'forward_dynamics_derivatives': Definition(
        derivative_kernels.forward_dynamics_derivatives, ('q', 'qd', 'tau', 'external'),
        lambda n, L: ((n, n),) * 3, largest=40, general={(): 'derivatives'}),
    'regressor': Definition(
        derivative_kernels.regressor, ('q', 'qd', 'qdd'),
        lambda n, L: ((n, 10 * L),), full=True, largest=40,
        general={(): 'regressor'}),
}

DEFINITIONS |= {  # of coordinates that move on a manifold
    'state_rate': Definition(
        motion_kernels.state_rate, ('q', 'qd', 'tau'), lambda at: ((at.nq + at.nv,),),
        looped=True),
    'sliding_rate': Definition(
        motion_kernels.sliding_rate, ('q', 'qd', 'tau', 'applied'),
        lambda at: ((at.nq + at.nv,),), looped=True),
    'euler_rate': Definition(
        motion_kernels.euler_rate, ('q', 'qd', 'tau', 'length'),
        lambda at: ((at.nq + at.nv,),), looped=True),
    'normalised': Definition(
        motion_kernels.normalised, ('q',), lambda at: ((at.nq,),), looped=True),
}
DEFINITIONS |= {  # of mechanisms alone, whose coordinates are looped (mechanism/looped.py)
    'assembly': Definition(
        loop_kernels.assembly, ('values', 'q'), lambda at: ((at.nq,), ()), looped=True),
    'placing': Definition(
        loop_kernels.placing, ('values',), lambda at: ((at.nq,),), looped=True),
    'reaching': Definition(
        loop_kernels.reaching, ('values', 'q'), lambda at: ((at.nq,),), looped=True),
    'joint_rates': Definition(
        loop_kernels.joint_rates, ('q', 'qd'), lambda at: ((at.joints,),), looped=True),
    'given_rates': Definition(
        loop_kernels.given_rates, ('q', 'qd'), lambda at: ((at.nv,),), looped=True),
    'joint_accelerations': Definition(
        loop_kernels.joint_accelerations, ('q', 'qd', 'qdd'), lambda at: ((at.joints,),),
        looped=True),
    'complement': Definition(
        loop_kernels.complement, ('q',), lambda at: ((at.joints, at.nv),), looped=True),
    'held_terms': Definition(
        loop_kernels.held_terms, ('q', 'qd'),
        lambda at: ((at.joints, at.nv), (at.joints,), (at.nv,), (at.nv, at.nv)), looped=True),
    'loop_friction': Definition(
        loop_kernels.friction, ('q', 'qd'), lambda at: ((at.nv,),), looped=True),
    'joint_reactions': Definition(
        quantity_kernels.reaction_wrenches, ('q', 'qd', 'qdd', 'applied'),
        lambda at: ((at.joints, 6),), options=('joints',), full=True, looped=True),
    'closure_error': Definition(
        loop_kernels.closure_error, ('q',), lambda at: ((len(at.loops.cuts), 2),), looped=True),
    'constraint_wrenches': Definition(
        loop_kernels.constraint_wrenches, ('q', 'qd', 'qdd', 'applied', 'external'),
        lambda at: ((len(at.loops.cuts), 6),), full=True, looped=True),
}
