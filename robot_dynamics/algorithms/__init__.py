"""The dynamics of the papers: pure functions of a DeNOC model and a state, one file per method.

The dictionaries list the methods by name; each function takes (geometry, inertials, q, ...)
over the joints of the tree, as described in its file.
"""

from robot_dynamics.algorithms import (
    articulated_body,
    cholesky,
    composite_body,
    denoc,
    denoc_forward,
    denoc_inertia,
    gibbs_appell,
    gibbs_appell_forward,
    gibbs_appell_inertia,
    newton_euler,
)

INVERSE = {
    'newton_euler': newton_euler.inverse_dynamics,
    'denoc': denoc.inverse_dynamics,
    'gibbs_appell': gibbs_appell.inverse_dynamics,
}

FORWARD = {
    'denoc': denoc_forward.forward_dynamics,
    'cholesky': cholesky.forward_dynamics,
    'gibbs_appell': gibbs_appell_forward.forward_dynamics,
    'articulated_body': articulated_body.forward_dynamics,
    'composite_body': composite_body.forward_dynamics,
}

GIM = {
    'denoc': denoc_inertia.inertia_matrix,
    'gibbs_appell': gibbs_appell_inertia.inertia_matrix,
    'composite_body': composite_body.inertia_matrix,
}

# forward dynamics in which some joints are held
HELD = {
    'articulated_body': articulated_body.held_dynamics,
    'composite_body': composite_body.held_dynamics,
}
