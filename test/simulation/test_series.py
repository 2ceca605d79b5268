"""Motions through samples: what is given is kept, what is missing is differentiated."""

import numpy as np
import pytest
from scipy.signal import butter, sosfiltfilt

import robot_dynamics as rd
from robot_dynamics import InputError
from robot_dynamics.simulation.smoothing import low_pass

T = np.linspace(0, 2, 41)


def wave(t, order=0):
    """A motion of two joints that never rests, and its derivatives."""
    w = np.array([3.0, 5.0])
    return np.sin(np.outer(t, w) + order * np.pi / 2 + 0.3) * w ** order


@pytest.mark.parametrize('known', [0, 1, 2])
def test_samples_are_kept_and_what_lies_between_belongs_together(known):
    motion = rd.sampled(T, *(wave(T, k) for k in range(known + 1)))
    for k, found in enumerate(motion(T)):
        scale = np.abs(wave(T, k)).max()
        np.testing.assert_allclose(found, wave(T, k), atol=scale * (1e-14 if k <= known else 2e-3))
    x = np.linspace(0, 2, 333)
    for k, found in enumerate(motion(x)):
        np.testing.assert_allclose(found, wave(x, k), atol=2e-3 * np.abs(wave(x, k)).max())
    h = 1e-6
    rate = (motion(x[1:-1] + h)[0] - motion(x[1:-1] - h)[0]) / (2 * h)
    np.testing.assert_allclose(motion(x[1:-1])[1], rate, atol=1e-6)


def test_joints_may_know_different_things():
    """As in logs where a gripper has no velocities."""
    from robot_dynamics.simulation.series import make_series
    qd = wave(T, 1)
    qd[:, 1] = np.nan
    series = make_series('log', T, [wave(T), qd, np.full(qd.shape, np.nan)], ('a', 'b'), None)
    np.testing.assert_allclose(series.qd, wave(T, 1), atol=1e-3)
    np.testing.assert_allclose(series.qdd, wave(T, 2), atol=0.1)
    assert series.source == ('log: 41 samples, q and qd of 1 joint given, qd of b and qdd '
                             'differentiated, no filter')


def test_noise_and_impacts_do_not_shake_between_samples():
    """Polynomials through values that do not belong together would: 1e-4 rad in (1 ms)^2."""
    t = np.arange(0, 1, 1e-3)
    noise = np.random.default_rng(0).normal(size=(len(t), 2))
    motion = rd.sampled(t, wave(t) + 1e-4 * noise, wave(t, 1), wave(t, 2))
    assert np.abs(motion(np.linspace(0, 1, 1777))[2]).max() < 1.5 * np.abs(wave(t, 2)).max()
    t = np.array([0, 0.1, 0.2, 0.2 + 1e-9, 0.3, 0.4])  # it strikes a stop at 0.2
    v = np.array([1.0, 1, 1, -1, -1, -1])[:, None]
    q = np.array([0, 0.1, 0.2, 0.2, 0.1, 0])[:, None]
    bounce = rd.sampled(t, q, v, 0 * v)
    x = np.linspace(0, 0.4, 401)
    np.testing.assert_allclose(bounce(x)[0][:, 0], 0.2 - np.abs(x - 0.2), atol=1e-6)
    np.testing.assert_allclose(bounce(x)[2], 0.0, atol=1e-9)


@pytest.mark.parametrize(('rate', 'frequency'), [(1000, 5), (100, 10), (30, 5)])
def test_low_pass_is_butterworths_forward_and_backward(rate, frequency):
    t = np.arange(0, 10, 1 / rate)
    y = wave(t) + 0.1 * np.sin(2 * np.pi * frequency * t)[:, None]
    expected = sosfiltfilt(butter(4, frequency, fs=rate, output='sos'), y, axis=0)
    inner = slice(len(t) // 4, -len(t) // 4)
    np.testing.assert_allclose(low_pass(t, y, frequency)(t)[inner], expected[inner], atol=3e-4)


def test_low_pass_keeps_a_constant_jerk_up_to_the_ends_at_uneven_times():
    t = np.cumsum(np.random.default_rng(0).uniform(0.5e-3, 2e-3, 1500))
    y = (1 + 2 * t - 4.9 * t ** 2 + t ** 3)[:, None]
    curve = low_pass(t, y, 8.0)
    np.testing.assert_allclose(curve(t), y, atol=1e-8)
    np.testing.assert_allclose(curve(t, 2)[:, 0], 6 * t - 9.8, atol=1e-4)


def test_a_filtered_log_is_near_the_truth():
    t = np.arange(0, 4, 2e-3)
    noise = 1e-3 * np.random.default_rng(0).normal(size=(len(t), 2))
    motion = rd.sampled(t, wave(t) + noise, filter=6.0)
    q, qd, qdd = motion(t)
    np.testing.assert_allclose(q, wave(t), atol=2e-3)
    np.testing.assert_allclose(qd[50:-50], wave(t, 1)[50:-50], atol=0.02)
    np.testing.assert_allclose(qdd[50:-50], wave(t, 2)[50:-50], atol=0.7)
    with pytest.raises(InputError, match='less than 250 Hz'):
        rd.sampled(t, wave(t), filter=300)
    with pytest.raises(InputError, match='too few'):
        rd.sampled(t[:10], wave(t[:10]), filter=6.0)


def test_rates_that_are_none_are_said():
    """Drivers that know no velocities fill in zeros; others count in degrees."""
    for wrong in (0 * wave(T), np.rad2deg(wave(T, 1)), -wave(T, 1)):
        with pytest.warns(rd.RobotDynamicsWarning, match="qd of joint 'joint 1' is not the rate"):
            rd.sampled(T, wave(T), wrong)
    with pytest.warns(rd.RobotDynamicsWarning, match='qdd of joint'):
        rd.sampled(T, wave(T), wave(T, 1), 0 * wave(T))
    noise = 1e-3 * np.random.default_rng(0).normal(size=(41, 2))
    with pytest.warns(rd.RobotDynamicsWarning, match='filter'):
        rd.sampled(T / 20, wave(T / 20) + noise)


def test_two_samples_are_a_straight_line():
    q, qd, qdd = rd.sampled([5.0, 6.0], [[0.0], [2.0]])(0.25)
    np.testing.assert_allclose([q[0], qd[0], qdd[0]], [0.5, 2.0, 0.0])
