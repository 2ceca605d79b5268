"""All robots of example-robot-data on a floating base beside Pinocchio's free flyer: a table.

`python test/floating/robot_table.py [STATES]`. The algorithms answer, over floats: kernels are
compared with them elsewhere.
"""

import sys
import warnings
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2])]

import numpy as np  # noqa: E402  (the paths above come first)
import pinocchio as pin  # noqa: E402
from floating_oracle import FreeOracle, random_states  # noqa: E402
from oracle import REAL_URDFS, ROBOTS  # noqa: E402

import robot_dynamics as rd  # noqa: E402

STATES = 20


def compare(name: str, count: int = STATES) -> dict[str, float]:
    """Return the largest differences, each relative to the largest number of its kind."""
    path = ROBOTS / name
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        robot = rd.load(path, base='floating', friction=False, missing_inertia='zero')
    oracle, worst = FreeOracle(path, robot), {}
    model, data = oracle.model, oracle.data
    tip, n = robot.tip_names[-1], robot.n
    frame = robot.model.frames[tip]
    link = {'link': frame.body, 'frame': frame.T.tolist()}

    def verb(name, *state, **options):
        return robot.kernels._fallback.reference(name, tuple(options.items()), list(state))[0]

    def note(key, found, expected):
        found, expected = np.ravel(found), np.ravel(expected)
        error = np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-9)
        worst[key] = max(worst.get(key, 0.0), float(error))

    states = random_states(robot, np.random.default_rng(11), count)
    for k, (q, qd, qdd, _) in enumerate(zip(*states, strict=True)):
        rest, x, v = np.zeros(n), oracle.position(q), oracle.rates(qd)
        tau, I = oracle.inverse_dynamics(q, qd, qdd), oracle.inertia_matrix(q)
        note('inverse', verb('inverse_dynamics', q, qd, qdd), tau)
        note('gim', verb('inertia_matrix', q), I)
        bias, gravity = verb('bias', q, qd), verb('gravity_torque', q)
        note('bias', bias, oracle.inverse_dynamics(q, qd, rest))
        note('gravity', gravity, oracle.inverse_dynamics(q, rest, rest))
        note('C', verb('convective_matrix', q, qd).reshape(n, n) @ qd, bias - gravity)
        note('pose', verb('pose', q, **link), oracle.pose(q, tip))
        note('J', verb('jacobian', q, **link), oracle.jacobian(q, tip))
        note('dJ/dt', verb('jacobian_rate', q, qd, **link), oracle.jacobian_rate(q, qd, tip))
        note('centre', verb('center_of_mass', q), pin.centerOfMass(model, data, x))
        A = oracle.momentum_matrix(q)
        note('momentum', verb('centroidal_momentum', q, qd), A @ qd)
        note('A', verb('centroidal_momentum_matrix', q), A)
        energies = verb('energies', q, qd)
        note('kinetic', energies[0], pin.computeKineticEnergy(model, data, x, v))
        note('potential', energies[1], pin.computePotentialEnergy(model, data, x))
        if np.linalg.eigvalsh(I)[0] > 1e-12 * I.max():
            note('forward', I @ verb('forward_dynamics', q, qd, tau) + oracle.inverse_dynamics(
                q, qd, rest), tau)
            factors = verb('udu', q)
            U, D = factors[:n * n].reshape(n, n), factors[n * n:]
            note('udu', U @ np.diag(D) @ U.T, I)
        if k == 0:
            note('regressor', verb('regressor', q, qd, qdd).reshape(n, -1) @ robot.parameters, tau)
        if k == 0 and robot.model.coordinates.factors is not None:
            found = verb('inverse_dynamics_derivatives', q, qd, qdd).reshape(3, n, n)
            for key, part, other in zip(('d/dq', 'd/dqd'), found, oracle.inverse_derivatives(
                    q, qd, qdd), strict=False):
                note(key, part, other)
    return worst


def main() -> None:
    """Print a line per robot."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else STATES
    largest = 0.0
    for name in REAL_URDFS:
        try:
            worst = compare(name, count)
        except rd.RobotDynamicsError as error:
            print(f'{name}: {str(error)[:90]}', flush=True)
            continue
        except ValueError:
            print(f'{name}: Pinocchio does not read it', flush=True)
            continue
        key = max(worst, key=worst.get)
        largest = max(largest, worst[key])
        print(f'{name}: {worst[key]:.1e} ({key})', flush=True)
    print(f'largest relative difference {largest:.1e}')


if __name__ == '__main__':
    main()
