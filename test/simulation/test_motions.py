"""Reference motions, lines in space, control laws, the momentum observer."""

import numpy as np
import pytest
from simulation.sim_robots import PANDA_START, panda

import robot_dynamics as rd
from robot_dynamics import InputError
from robot_dynamics.simulation.control import gains
from robot_dynamics.simulation.motions import PROFILES, from_file
from robot_dynamics.studies.arms import puma560

ENDS = np.array([0.1, -0.2]), np.array([1.0, 0.7])


def derivative(motion, k, t, h=1e-5):
    return (motion(t + h)[k] - motion(t - h)[k]) / (2 * h)


@pytest.mark.parametrize('profile', PROFILES)
def test_profiles_begin_and_end_at_rest_and_are_their_own_derivatives(profile):
    motion = PROFILES[profile](*ENDS, 2.0)
    for t, end in ((0.0, ENDS[0]), (2.0, ENDS[1]), (-1.0, ENDS[0]), (5.0, ENDS[1])):
        q, qd, _ = motion(t)
        np.testing.assert_allclose(q, end, atol=1e-12)
        np.testing.assert_allclose(qd, 0.0, atol=1e-12)
    times = np.array([0.13, 0.7, 1.1, 1.83])
    q, qd, qdd = motion(times)
    np.testing.assert_allclose(qd, derivative(motion, 0, times), atol=1e-7)
    np.testing.assert_allclose(qdd, derivative(motion, 1, times), atol=1e-7)
    assert q.shape == (4, 2)


def test_the_papers_motion():
    t = np.linspace(0, 10, 7)
    q = rd.cycloidal(0.0, np.pi, 10.0)(t)[0][:, 0]
    np.testing.assert_allclose(q, np.pi * t / 10 - 0.5 * np.sin(2 * np.pi * t / 10), atol=1e-14)


def test_sampled_motions(tmp_path):
    motion = rd.quintic(*ENDS, 1.0)
    t = np.linspace(0, 1, 51)
    copy = rd.sampled(t, motion(t)[0])
    np.testing.assert_allclose(copy(0.333)[0], motion(0.333)[0], atol=1e-6)
    (tmp_path / 'm.csv').write_text(
        't,q.b,q.a\n' + '\n'.join(f'{x},{b},{a}' for x, (a, b) in zip(t, motion(t)[0],
                                                                       strict=True)))
    read = from_file(tmp_path / 'm.csv', ('a', 'b'))
    np.testing.assert_allclose(read(0.5)[0], motion(0.5)[0], atol=1e-6)
    with pytest.raises(InputError, match="no joint 'c'"):
        from_file(tmp_path / 'm.csv', ('a', 'c'))


def test_a_motion_tells_what_it_is():
    assert repr(rd.quintic([0, 0], [1, 1], 2)) == '<Motion: 2 joints, 2 s>'
    t = np.linspace(0, 1, 11)
    assert repr(rd.sampled(t, t[:, None])).startswith('<Motion: 1 joint, 1 s; t, q: 11 samples')


def test_wrong_motions():
    for call, match in (
            (lambda: rd.cycloidal([0, 0], [1], 1.0), 'start has 2'),
            (lambda: rd.quintic([0], [np.nan], 1.0), 'finite'),
            (lambda: rd.quintic([0], ['x'], 1.0), 'numbers'),
            (lambda: rd.quintic([0], [1], -1.0), 'positive'),
            (lambda: rd.trapezoidal([0], [1], 1.0, blend=0.6), 'blend'),
            (lambda: rd.sampled([0, 1], [[0], [1], [2]]), 'shapes'),
            (lambda: rd.sampled([1, 0], [[0], [1]]), 'increasing'),
            (lambda: gains('gain', [-1.0], 1), 'negative')):
        with pytest.raises(InputError, match=match):
            call()


def test_inverse_kinematics_finds_the_pose():
    robot = panda()
    generator = np.random.default_rng(3)
    for _ in range(5):
        q = PANDA_START + generator.uniform(-0.3, 0.3, 7)
        T = robot.pose(q)
        found = rd.inverse_kinematics(robot, T, PANDA_START)
        np.testing.assert_allclose(robot.pose(found), T, atol=1e-10)
    T[:3, 3] = 5.0
    with pytest.raises(InputError, match='no joint values'):
        rd.inverse_kinematics(robot, T, PANDA_START)


@pytest.mark.parametrize('profile', ['constant', 'cycloidal'])
def test_a_straight_line(profile):
    robot = panda()
    T = robot.pose(PANDA_START)
    end = T[:3, 3] + [0.05, -0.1, 0.05]
    motion = rd.straight_line(robot, T[:3, 3], end, 2.0, guess=PANDA_START, profile=profile,
                              knots=20)
    for t in (0.3, 1.0, 1.7):
        q, qd, qdd = motion(t)
        s = t / 2 if profile == 'constant' else t / 2 - np.sin(np.pi * t) / (2 * np.pi)
        np.testing.assert_allclose(robot.pose(q)[:3, 3], T[:3, 3] + s * (end - T[:3, 3]),
                                   atol=1e-10)
        np.testing.assert_allclose(robot.pose(q)[:3, :3], T[:3, :3], atol=1e-10)
        J, Jd = robot.jacobian(q), robot.jacobian_rate(q, qd)
        ds = 0.5 if profile == 'constant' else (1 - np.cos(np.pi * t)) / 2
        np.testing.assert_allclose(J @ qd, np.r_[0, 0, 0, ds * (end - T[:3, 3])], atol=1e-9)
        dds = 0.0 if profile == 'constant' else np.pi * np.sin(np.pi * t) / 2
        np.testing.assert_allclose(J @ qdd + Jd @ qd, np.r_[0, 0, 0, dds * (end - T[:3, 3])],
                                   atol=1e-8)


def test_computed_torque_errors_decay_as_designed():
    robot, gain = puma560(), 5.0
    motion = rd.cycloidal(np.zeros(6), np.ones(6), 4.0)
    t = np.linspace(0, 4, 41)
    law = rd.ComputedTorque(robot, motion, gain)
    found = rd.simulate(robot, np.full(6, 0.1), np.zeros(6), law, t, rtol=1e-9, atol=1e-11)
    error = found.q - motion(t)[0]
    critically_damped = 0.1 * (1 + gain * t) * np.exp(-gain * t)
    np.testing.assert_allclose(error, critically_damped[:, None] * np.ones(6), atol=1e-6)


def test_pd_with_gravity_settles_and_feed_forward_follows():
    robot, goal = panda(), PANDA_START + 0.1
    found = rd.simulate(robot, PANDA_START, np.zeros(7), rd.PDGravity(robot, goal, 100.0, 20.0),
                        [0.0, 6.0], method='LSODA')
    np.testing.assert_allclose(found.q[-1], goal, atol=1e-3)
    motion = rd.quintic(PANDA_START, goal, 0.5)
    found = rd.simulate(robot, PANDA_START, np.zeros(7), rd.FeedForward(robot, motion),
                        np.linspace(0, 0.5, 6), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found.q, motion(found.t)[0], atol=1e-6)


def test_observer_sees_an_external_wrench():
    robot = puma560()
    tip, wrench = robot.tip_names[0], np.array([0.0, 0.0, 0.0, 5.0, 0.0, -20.0])
    motion = rd.cycloidal(np.full(6, 0.2), np.ones(6), 2.0)
    found = rd.simulate(robot, np.full(6, 0.2), np.zeros(6), rd.ComputedTorque(robot, motion, 8.0),
                        np.linspace(0, 1, 1001), external={tip: wrench}, method='DOP853',
                        rtol=1e-9)
    observer = rd.MomentumObserver(robot, 100.0)
    for k in range(len(found.t)):
        seen = observer.update(found.t[k], found.q[k], found.qd[k], found.tau[k])
    np.testing.assert_allclose(seen, robot.jacobian(found.q[-1]).T @ wrench, atol=0.1)
    with pytest.raises(InputError, match='time must go forward'):
        observer.update(0.5, found.q[0], found.qd[0], found.tau[0])
    with pytest.raises(InputError, match='gain'):
        rd.MomentumObserver(robot, 0.0)


def test_observer_sees_nothing_when_nothing_pulls():
    robot = panda()
    found = rd.simulate(robot, PANDA_START, np.zeros(7), None, np.linspace(0, 0.3, 601),
                        method='DOP853', rtol=1e-10, limits=False)
    observer = rd.MomentumObserver(robot, 50.0)
    seen = [observer.update(found.t[k], found.q[k], found.qd[k], found.tau[k])
            for k in range(len(found.t))]
    assert np.abs(seen).max() < 1e-3
