"""Every real robot beside Pinocchio, in one table: `python test/model/robot_table.py`."""

import sys
import time
import warnings
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2])]

import numpy as np  # noqa: E402  (the paths above come first)
from oracle import REAL_URDFS, ROBOTS, Oracle, random_state  # noqa: E402

import robot_dynamics as rd  # noqa: E402
from robot_dynamics.algorithms.kinematics import poses  # noqa: E402

STATES = 20


def load(name: str) -> rd.Robot:
    """Load a real robot for comparison: no friction, missing inertials as they are."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', rd.RobotDynamicsWarning)
        return rd.load(ROBOTS / name, friction=False, missing_inertia='zero')


def compare(name: str, states: int = STATES) -> dict[str, float]:
    """Return the largest differences from Pinocchio at random states inside the limits.

    pose [m and rad], and, relative: total mass, mass centre, kinetic energy
    """
    robot = load(name)
    worst = {'joints': robot.n, 'links': len(robot.link_names), 'pose': 0.0, 'mass': 0.0,
             'centre': 0.0, 'energy': 0.0}
    if not robot.n:
        return worst
    oracle = Oracle(ROBOTS / name, robot)
    m = robot.inertials.mass
    moving = sum(inertia.mass for inertia in list(oracle.model.inertias)[1:])
    worst['mass'] = abs(m.sum() - moving) / moving
    q, qd, _, _ = random_state(robot, np.random.default_rng(7), states)
    for k in range(states):
        R, p = poses(robot.model.geometry, robot.model.coordinates.positions(q[k]))
        for link, T in oracle.poses(q[k]).items():
            worst['pose'] = max(worst['pose'], _pose_error(robot, link, R, p, T))
        centre = (np.einsum('lij,lj->i', R, robot.inertials.moment) + m @ p) / m.sum()
        reach = max(np.abs(p).max(), 1e-3)
        worst['centre'] = max(worst['centre'],
                              np.abs(centre - oracle.centre_of_mass(q[k])).max() / reach)
        energy = oracle.kinetic_energy(q[k], qd[k])
        worst['energy'] = max(worst['energy'],
                              abs(robot.kinetic_energy(q[k], qd[k]) - energy) / energy)
    return worst


def _pose_error(robot, link, R, p, T) -> float:
    frame = robot.model.frames[link]
    ours = np.eye(4)
    if frame.body >= 0:
        ours[:3, :3], ours[:3, 3] = R[frame.body], p[frame.body]
    return float(np.abs(ours @ frame.T - T).max())


def main() -> None:
    """Print the table."""
    print(f'{"robot":68} joints links     pose     mass   centre   energy     load')
    for name in REAL_URDFS:
        start = time.perf_counter()
        try:
            load(name)
        except rd.RobotDynamicsError as error:
            print(f'{name:68} refused: {str(error).replace(str(ROBOTS), "")[:160]}')
            continue
        seconds = time.perf_counter() - start
        row = compare(name)
        print(f'{name:68} {row["joints"]:6} {row["links"]:5} {row["pose"]:8.1e} '
              f'{row["mass"]:8.1e} {row["centre"]:8.1e} {row["energy"]:8.1e} '
              f'{1e3 * seconds:5.0f} ms')


if __name__ == '__main__':
    main()
