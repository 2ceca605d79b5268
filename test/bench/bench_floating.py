"""A humanoid on a free base beside Pinocchio's free flyer: one call, and a state of a batch.

`python test/bench/bench_floating.py [NAME]`: a robot of example-robot-data. The best of several
rounds counts, ours and Pinocchio's one after the other.
"""

import sys
import time
import warnings
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[k]) for k in (1, 2)]

import numpy as np  # noqa: E402  (the paths above come first)
import pinocchio as pin  # noqa: E402
from floating_oracle import FreeOracle, random_states  # noqa: E402
from oracle import ROBOTS  # noqa: E402

import robot_dynamics as rd  # noqa: E402

G1 = 'g1_description/urdf/g1_29dof_rev_1_0.urdf'
STATES, CALLS, ROUNDS = 1000, 200, 15
WANTED = {'inverse_dynamics': (3, 12), 'forward_dynamics': (3, 12), 'inertia_matrix': (3, 12),
          'inverse_dynamics_derivatives': (1.5, None)}  # one call, a state of a batch


def best(function, calls, rounds=ROUNDS):
    """Return the time of one call in the best round [s]."""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        for _ in range(calls):
            function()
        times.append((time.perf_counter() - began) / calls)
    return min(times)


def main():
    """Print a line per verb."""
    path = ROBOTS / (sys.argv[1] if len(sys.argv) > 1 else G1)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        robot = rd.load(path, base='floating', friction=False)
    oracle = FreeOracle(path, robot)
    model, data = oracle.model, oracle.data
    q, qd, qdd, tau = random_states(robot, np.random.default_rng(0), STATES)
    arguments = {'inverse_dynamics': (q, qd, qdd), 'forward_dynamics': (q, qd, tau),
                 'inertia_matrix': (q,), 'inverse_dynamics_derivatives': (q, qd, qdd)}
    x, v, a, t = (oracle.position(q[0]), oracle.rates(qd[0]), oracle.rates(qdd[0]),
                  oracle.to_pin @ tau[0])
    theirs = {'inverse_dynamics': lambda: pin.rnea(model, data, x, v, a),
              'forward_dynamics': lambda: pin.aba(model, data, x, v, t),
              'inertia_matrix': lambda: pin.crba(model, data, x),
              'inverse_dynamics_derivatives': lambda: pin.computeRNEADerivatives(
                  model, data, x, v, a)}
    for name, columns in arguments.items():
        getattr(robot, name)(*(column[0] for column in columns))
    rd.wait_for_kernels()
    print(f'{robot.name}: {robot.n} rates, one call and a state of {STATES}, beside one call of '
          f'Pinocchio {pin.__version__}')
    for name, columns in arguments.items():
        verb, state = getattr(robot, name), [column[0].copy() for column in columns]
        one = best(lambda verb=verb, state=state: verb(*state), CALLS)
        peer = best(theirs[name], CALLS)
        many = best(lambda verb=verb, columns=columns: verb(*columns), 1, 9) / STATES
        single, batch = WANTED[name]
        print(f'{name:30s} {one * 1e6:7.2f} us  Pinocchio {peer * 1e6:7.2f} us  '
              f'{peer / one:5.2f}x (wanted {single:g})  batch {many * 1e6:6.2f} us '
              f'{peer / many:5.1f}x' + (f' (wanted {batch:g})' if batch else ''), flush=True)


if __name__ == '__main__':
    main()
