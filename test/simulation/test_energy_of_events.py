"""No impact, no stick and no slip adds energy; stops are not missed."""

import warnings

import numpy as np
import pytest
from simulation.passive_robots import free, passive

import robot_dynamics as rd
from robot_dynamics import DHRow
from robot_dynamics.simulation import METHODS

G = 9.81
FOUR = ('rk4', 'gauss4', 'RK45', 'DOP853')


def gains(k, method):
    """Return what robot k gains at most, and the solver's own error without stops and friction."""
    arm, q, qd, e = passive(k)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        found = rd.simulate(arm, q, qd, None, 0.5, method=method, restitution=e)
        alone = rd.simulate(free(arm), q, qd, None, 0.5, method=method)
    scale = found.kinetic[0] + np.ptp(found.potential)
    assert (found.q >= arm.limits.lower - 1e-9).all()
    assert (found.q <= arm.limits.upper + 1e-9).all()
    return ((found.energy - found.energy[0]).max(),
            np.abs(alone.energy - alone.energy[0]).max() + 1e-12 * scale)


@pytest.mark.parametrize('k', range(24))
def test_passive_robots_gain_nothing(k):
    gain, allowed = gains(k, FOUR[k % 4])
    assert gain <= allowed


@pytest.mark.slow
@pytest.mark.parametrize('block', range(20))
def test_a_thousand_passive_robots_gain_nothing(block):
    for k in range(50 * block, 50 * block + 50):
        gain, allowed = gains(k, FOUR[(k + k // 4) % 4])
        assert gain <= allowed, k


def two_links(lower, upper, masses=(1.0, 1.0)):
    """An arm in a plane whose second joint has stops."""
    rows = [DHRow(1.0, 0, 0, 0, mass=masses[0], com=(-0.5, 0, 0), inertia=0.02 * np.eye(3)),
            DHRow(1.0, 0, 0, 0, mass=masses[1], com=(-0.5, 0, 0), inertia=0.02 * np.eye(3),
                  lower=lower, upper=upper)]
    return rd.Robot.from_dh(rows, gravity=(0, 0, 0))


@pytest.mark.parametrize('method', ['DOP853', 'rk4', 'gauss4'])
def test_a_joint_that_comes_to_rest_on_its_stop_gives_the_arm_nothing(method):
    arm = two_links(-2.0, 0.0, (0.2, 5.0))
    for rate in np.linspace(1.0e-3, 3.3e-3, 6):  # it rebounds so slowly that it stays
        found = rd.simulate(arm, [0.0, -1e-4], [20.0, rate], None, 0.2, method=method,
                            restitution=0.3, rtol=1e-10, atol=1e-12)
        assert found.energy.max() - found.energy[0] < 1e-9 * found.energy[0]


@pytest.mark.parametrize('method', ['RK45', 'rk4', 'gauss4'])
@pytest.mark.parametrize(('gap', 'e'), [(1e-4, 1.0), (1e-4, 0.9), (1e-5, 1.0)])
def test_a_joint_that_rattles_gains_nothing_and_comes_to_an_end(method, gap, e):
    arm = two_links(0.3, 0.3 + gap)
    found = rd.simulate(arm, [0, 0.3 + gap / 2], [3.0, 2.0], None, 0.5, method=method,
                        restitution=e)
    assert found.success
    assert found.energy.max() < found.energy[0] * (1 + 1e-9)
    assert found.energy[-1] > 0.9 * found.energy[0]  # its first joint moves on


def lift(lower=-100.0, upper=10.0):
    """A mass on a vertical slide."""
    return rd.Robot.from_dh([DHRow(0, 0, 0, 0, 'prismatic', mass=1.0, lower=lower, upper=upper)])


@pytest.mark.parametrize('method', METHODS)
@pytest.mark.parametrize('excess', [0.005, 0.1])
def test_a_stop_that_is_passed_and_left_within_a_step_is_struck(method, excess):
    """A mass thrown at a stop, which it would pass by little; it comes back at half its speed."""
    v0 = np.sqrt(2 * G * (10 + excess))
    t1 = (v0 - np.sqrt(v0 ** 2 - 2 * G * 10)) / G
    exact = 10 - 0.5 * np.sqrt(2 * G * excess) * (2.5 - t1) - G * (2.5 - t1) ** 2 / 2
    for end in (2.51, 3.3, 4.5):
        found = rd.simulate(lift(), [0.0], [v0], None, [0, 2.5, end], method=method,
                            restitution=0.5, step=None if METHODS[method] != 'fixed step'
                            else 1e-4)
        assert found.q[1, 0] == pytest.approx(
            exact, abs=5e-2 if method == 'semi_implicit_euler' else 1e-3)


@pytest.mark.parametrize('method', ['rk4', 'gauss4'])
def test_long_steps_do_not_jump_over_a_stop(method):
    v0 = np.sqrt(2 * G * 10.01)  # it passes the stop for 90 ms
    found = rd.simulate(lift(), [0.0], [v0], None, 3.0, method=method, step=0.1)
    assert found.q.max() <= 10.0
    assert found.energy[-1] < found.energy[0] - 0.09


@pytest.mark.parametrize('method', METHODS)
def test_a_terminal_event_before_a_stop(method):
    def low(t, q, qd):
        return q[0] - 0.25
    low.terminal = True
    found = rd.simulate(lift(0.0), [1.0], [0.0], None, 2.0, method=method, events=low)
    coarse = 1e-3 if method == 'semi_implicit_euler' else 1e-6
    assert found.t[-1] == pytest.approx(np.sqrt(1.5 / G), abs=coarse)
    assert found.q[-1, 0] == pytest.approx(0.25, abs=coarse)
    assert len(found.events) == 1
