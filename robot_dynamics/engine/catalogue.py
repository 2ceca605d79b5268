"""The kernels there are. A new one is a function and one entry here; see `Definition`."""

from robot_dynamics.algorithms import FORWARD, GIM, HELD, INVERSE
from robot_dynamics.engine import definitions, derivatives, quantities
from robot_dynamics.engine.definition import Definition

OF_LINK = ('link', 'frame')

DEFINITIONS = {
    'inverse_dynamics': Definition(
        definitions.inverse_dynamics, ('q', 'qd', 'qdd', 'external'), lambda n, L: ((n,),),
        INVERSE, largest=200, general='inverse'),
    'forward_dynamics': Definition(
        definitions.forward_dynamics, ('q', 'qd', 'tau', 'external'), lambda n, L: ((n,),),
        FORWARD, general='forward'),
    'held_dynamics': Definition(
        definitions.held_dynamics, ('q', 'qd', 'tau', 'free'), lambda n, L: ((n,),), HELD),
    'inertia_matrix': Definition(
        definitions.inertia_matrix, ('q',), lambda n, L: ((n, n),), GIM, largest=48,
        general='inverse'),
    'bias': Definition(
        definitions.bias, ('q', 'qd'), lambda n, L: ((n,),), INVERSE, largest=200,
        general='inverse'),
    'gravity_torque': Definition(
        definitions.gravity_torque, ('q',), lambda n, L: ((n,),), INVERSE, largest=200,
        general='inverse'),
    'external_torque': Definition(
        definitions.external_torque, ('q', 'external'), lambda n, L: ((n,),),
        options=('frames',), largest=10_000),
    'udu': Definition(definitions.udu, ('q',), lambda n, L: ((n, n), (n,)), largest=48),
    'inertia_matrix_inverse': Definition(
        quantities.inertia_matrix_inverse, ('q',), lambda n, L: ((n, n),), largest=48),
    'convective_matrix': Definition(
        quantities.convective_matrix, ('q', 'qd'), lambda n, L: ((n, n),),
        full=True, largest=48),
    'friction_torque': Definition(
        quantities.friction_torque, ('qd',), lambda n, L: ((n,),), largest=1000),
    'reaction_wrenches': Definition(
        quantities.reaction_wrenches, ('q', 'qd', 'qdd'), lambda n, L: ((n, 6),),
        options=('joints',), full=True),
    'kinetic_energy': Definition(
        quantities.kinetic_energy, ('q', 'qd'), lambda n, L: ((),)),
    'potential_energy': Definition(
        quantities.potential_energy, ('q',), lambda n, L: ((),), full=True),
    'energies': Definition(
        definitions.energies, ('q', 'qd'), lambda n, L: ((), ()), full=True),
    'center_of_mass': Definition(
        quantities.center_of_mass, ('q',), lambda n, L: ((3,),), full=True),
    'centroidal_momentum': Definition(
        quantities.centroidal_momentum, ('q', 'qd'), lambda n, L: ((6,),), full=True),
    'pose': Definition(definitions.pose, ('q',), lambda n, L: ((4, 4),), options=OF_LINK),
    'jacobian': Definition(definitions.jacobian, ('q',), lambda n, L: ((6, n),), options=OF_LINK),
    'jacobian_rate': Definition(
        quantities.jacobian_rate, ('q', 'qd'), lambda n, L: ((6, n),), options=OF_LINK),
    'manipulability': Definition(
        quantities.manipulability, ('q',), lambda n, L: ((),), options=(*OF_LINK, 'rows')),
    'inverse_dynamics_derivatives': Definition(
        derivatives.inverse_dynamics_derivatives, ('q', 'qd', 'qdd', 'external'),
        lambda n, L: ((n, n),) * 3, largest=40),
    'forward_dynamics_derivatives': Definition(
        derivatives.forward_dynamics_derivatives, ('q', 'qd', 'tau', 'external'),
        lambda n, L: ((n, n),) * 3, largest=40),
    'regressor': Definition(
        derivatives.regressor, ('q', 'qd', 'qdd'),
        lambda n, L: ((n, derivatives.PARAMETERS * L),), full=True, largest=40),
}
