"""Joint limits as stops, events, dense output."""

import numpy as np
import pytest
from simulation.sim_robots import PANDA_START, panda, pendulum

import robot_dynamics as rd
from robot_dynamics import DHRow
from robot_dynamics.simulation import METHODS

HEIGHT, G = 0.5, 9.81


def lift():
    """A mass on a vertical slide that may fall to 0."""
    return rd.Robot.from_dh([DHRow(0, 0, 0, 0, 'prismatic', mass=2.0, lower=0.0, upper=1.0)])


@pytest.mark.parametrize('method', METHODS)
@pytest.mark.parametrize('e', [0.0, 0.5])
def test_a_falling_mass_bounces_as_it_should(method, e):
    robot = lift()
    fall = np.sqrt(2 * HEIGHT / G)
    apex = e * e * HEIGHT
    top = fall + (e or 0.5) * fall  # when it is highest after the first bounce
    times = np.array([0.0, fall, top, 5.0])
    found = rd.simulate(robot, [HEIGHT], [0.0], None, times, method=method, restitution=e,
                        rtol=1e-9, atol=1e-11, step=1e-3 if METHODS[method] == 'fixed step'
                        else None)
    coarse = 6e-3 if method == 'semi_implicit_euler' else 1e-5
    if e:
        assert found.q[2, 0] == pytest.approx(apex, abs=coarse)
    assert found.q[-1, 0] == pytest.approx(0.0, abs=1e-6)
    assert found.qd[-1, 0] == 0.0
    assert found.qdd[-1, 0] == 0.0  # the stop holds it
    assert found.q.min() >= 0.0


@pytest.mark.parametrize('method', [name for name, kind in METHODS.items() if 'fixed' in kind])
@pytest.mark.parametrize('late', [0.05, 0.2, 0.5, 0.9])
def test_two_impacts_within_one_step(method, late):
    """Two masses on slides of their own, the second strikes a part of a step after the first."""
    step, rows = 0.01, [DHRow(0, 0, np.pi / 2, 0, 'prismatic', mass=1.0, lower=-1.0, upper=1.0,
                              inertia=np.eye(3), name='a'),
                        DHRow(0, 0, 0, 0, 'prismatic', mass=1.0, lower=-1.0, upper=1.0,
                              inertia=np.eye(3), name='b')]
    robot = rd.Robot.from_dh(rows, gravity=(0, 0, 0))
    start = np.array([0.9, 0.9 - late * step])
    found = rd.simulate(robot, start, [1.0, 1.0], None, [0.0, 0.2], method=method, step=step,
                        restitution=1.0)
    np.testing.assert_allclose(found.q[-1], 2.0 - (start + 0.2), atol=1e-12)
    np.testing.assert_allclose(found.qd[-1], -1.0, atol=1e-12)


def test_no_limits_no_stop():
    assert rd.simulate(lift(), [HEIGHT], [0.0], None, 1.0, limits=False).q[-1, 0] < 0


@pytest.mark.parametrize('method', ['DOP853', 'ABM', 'rk4', 'gauss4'])
def test_panda_falls_into_its_stops(method):
    robot = panda()
    found = rd.simulate(robot, PANDA_START, np.zeros(7), None, np.linspace(0, 1, 51),
                        method=method, rtol=1e-9, atol=1e-11, restitution=0.4)
    assert (found.q >= robot.limits.lower - 1e-9).all()
    assert (found.q <= robot.limits.upper + 1e-9).all()
    assert (np.diff(found.energy) < 1e-4).all()  # impacts only take
    assert found.energy[-1] < found.energy[0] - 1.0


def test_a_joint_leaves_its_stop_when_pulled():
    robot = lift()
    found = rd.simulate(robot, [0.0], [0.0], lambda t, q, qd: [40.0 * t], np.linspace(0, 1, 101))
    release = 2.0 * G / 40.0
    assert found.q[found.t < release - 0.01].max() == 0.0
    t = 1.0 - release
    assert found.q[-1, 0] == pytest.approx(40 / 2 * t ** 3 / 6, rel=1e-3)


@pytest.mark.parametrize('method', ['RK45', 'LSODA', 'rk4', 'gauss4'])
def test_events(method):
    robot = lift()

    def half(t, q, qd):
        return q[0] - HEIGHT / 2

    def deep(t, q, qd):
        return q[0] + 1.0
    deep.terminal = True
    found = rd.simulate(robot, [HEIGHT], [0.0], None, np.linspace(0, 2, 21), method=method,
                        limits=False, events=[half, deep], rtol=1e-9, atol=1e-11)
    assert [event.function for event in found.events] == [0, 1]
    assert found.events[0].t == pytest.approx(np.sqrt(HEIGHT / G), abs=1e-9)
    end = np.sqrt(2 * (HEIGHT + 1) / G)
    assert found.t[-1] == pytest.approx(end, abs=1e-9)
    assert found.q[-1, 0] == pytest.approx(-1.0, abs=1e-8)
    assert len(found.t) == 7


def test_direction_of_events():
    def swing(t, q, qd):
        return qd[0]
    swing.direction = -1.0
    robot = rd.Robot.from_dh([DHRow(0.5, 0, np.pi / 2, 0, base=None, mass=1.0, com=(0, 0, 0))],
                             gravity=(0, -9.81, 0))
    both = rd.simulate(robot, [0.0], [0.0], None, 5.0, events=lambda t, q, qd: qd[0])
    down = rd.simulate(robot, [0.0], [0.0], None, 5.0, events=swing)
    assert len(both.events) > len(down.events) > 0


@pytest.mark.parametrize('dense', [True, False])
def test_between_samples(dense):
    robot = pendulum()
    start = [0.3, -0.2], [0.0, 0.0], None
    found = rd.simulate(robot, *start, np.linspace(0, 0.5, 301), method='DOP853', rtol=1e-11,
                        atol=1e-12, limits=False, dense=dense)
    t = np.linspace(0.003, 0.497, 37)
    exact = rd.simulate(robot, *start, np.r_[0, t], method='DOP853', rtol=1e-11, atol=1e-12,
                        limits=False)
    q, qd = found.at(t)
    np.testing.assert_allclose(q, exact.q[1:], atol=2e-7)
    np.testing.assert_allclose(qd, exact.qd[1:], atol=1e-4)
    assert found.at(0.25)[0].shape == (2,)
    with pytest.raises(rd.InputError, match='within'):
        found.at(0.6)
    for wrong in (np.nan, 'a', [[0.1, 0.2]], [0.1, np.inf], np.ma.masked_array([0.1], True)):
        with pytest.raises(rd.InputError, match='t: '):
            found.at(wrong)
    assert [part.shape for part in found.at([])] == [(0, 2)] * 2
