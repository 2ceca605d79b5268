"""The simulator's physics on real robots: held they stand still, let go they fall."""

import warnings

import numpy as np
import pytest
from oracle import ROBOTS

import robot_dynamics as rd
from robot_dynamics.simulation.live.commanded_robot import CommandedRobot
from robot_dynamics.simulation.live.live_robot import LiveRobot
from robot_dynamics.simulation.live.settings import LiveSettings

SECONDS = 1.0
HARD = {  # with damping too stiff for explicit steps, close stops, weak motors, massless links
    'z1': 'z1_description/urdf/z1.urdf', 'xarm7': 'xarm_description/urdf/xarm7.urdf',
    'hextilt': 'hextilt_description/urdf/hextilt_flying_arm_5.urdf',
}
HARDER = {
    'allegro': 'allegro_hand_description/urdf/allegro_left_hand.urdf',
    'baxter': 'baxter_description/urdf/baxter.urdf',
    'tiago': 'tiago_description/robots/tiago_no_hand.urdf',  # stiff joints let go by impacts
    'icub': 'icub_description/robots/icub.urdf', 'romeo': 'romeo_description/urdf/romeo.urdf',
    'b1-z1': 'b1_description/urdf/b1-z1.urdf', 'pr2': 'pr2_description/urdf/pr2.urdf',
}


def load(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return rd.load(ROBOTS / path, missing_inertia='zero', **options)


def run(robot, policy, seconds):
    """Return a simulated robot after a while without commands, where it began, its energies."""
    mock, parameters = CommandedRobot(), LiveSettings(on_timeout=policy)
    mock.replace(LiveRobot(robot), parameters)
    live, began, energy = mock.live, mock.live.q.copy(), []
    for _ in range(round(seconds * 100)):
        mock.run(5, parameters)
        mock.pace.time += 0.01
        energy.append(robot.kinetic_energy(live.q.copy(), live.qd.copy())
                      + robot.potential_energy(live.q.copy()))
    return live, began, np.array(energy)


@pytest.mark.parametrize('path', [*HARD.values(), *(
    pytest.param(path, marks=pytest.mark.slow) for path in HARDER.values())])
def test_held_it_stands_still_and_let_go_it_falls(path):
    robot = load(path)
    live, began, _ = run(robot, 'hold', 60.0)
    assert np.abs(live.q - began).max() < 1e-9
    assert np.abs(live.qd).max() < 1e-12
    live, began, energy = run(robot, 'zero', SECONDS)
    least = robot.potential_energy(began)
    assert energy.max() <= least + 1e-6 * (1 + abs(least))
    assert np.abs(live.qd).max() < 100


def test_an_arm_held_by_friction_stays_where_it_is():
    """Torques that leave half of the friction to friction: 60 s, in steps of 1 ms."""
    robot = load(HARD['z1'])
    live = LiveRobot(robot)
    q = np.clip(np.full(robot.n, 0.3), robot.limits.lower + 0.05, robot.limits.upper - 0.05)
    live.place(q, np.zeros(robot.n))
    tau = robot.gravity_torque(q) + 0.5 * robot.model.friction
    for _ in range(60):
        live.advance(tau, 1e-3, 1000)
    assert (live.q == q).all()


def test_massless_joints_are_named_and_stay():
    rows = [rd.DHRow(0.3, 0, 0, 0, mass=1.0, com=(-0.1, 0, 0), inertia=0.01 * np.eye(3)),
            rd.DHRow(0.1, 0, 0, 0, name='empty')]
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        robot = rd.Robot.from_dh(rows, missing_inertia='zero', gravity=(0, -9.81, 0))
    live = LiveRobot(robot)
    assert live.locked == ('empty',)
    live.advance(np.zeros(2), 1e-3, 100)
    assert live.q[1] == 0
    assert live.q[0] < -0.01
