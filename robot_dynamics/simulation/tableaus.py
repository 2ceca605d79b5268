"""The coefficients of the fixed-step methods.

Gauss: collocation at Gauss's points, implicit, symmetric in time; it keeps the energy of a
frictionless robot without drift. One stage is the implicit midpoint rule, order 2; two stages have
order 4.
"""

from math import sqrt

GAUSS_A = {
    'implicit_midpoint': ((0.5,),),
    'gauss4': ((0.25, 0.25 - sqrt(3) / 6), (0.25 + sqrt(3) / 6, 0.25)),
}
GAUSS_B = {'implicit_midpoint': (1.0,), 'gauss4': (0.5, 0.5)}

# Where in a step each method wants the torque, as parts of the step.
NODES = {
    'semi_implicit_euler': (0.0,),
    'rk4': (0.0, 0.5, 1.0),
    'implicit_midpoint': (0.5,),
    'gauss4': (0.5 - sqrt(3) / 6, 0.5 + sqrt(3) / 6),
}

ITERATIONS = 200  # of an implicit step's fixed point; a step that needs more is too long
# The longest step times the fastest decay by damping of explicit methods: rk4 is stable below it;
# beyond 1 Euler's rates would turn round, which damping never does
STABLE = {'semi_implicit_euler': 1.0, 'rk4': 2.7}
CLOSE = 1e-13  # change of h qdd beside 1 + |qd| that ends them
RUNAWAY = 1e6  # a joint rate beyond this is a simulation that blew up [rad/s or m/s]
