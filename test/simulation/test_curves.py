"""Curves between samples: near the truth where motions are smooth, steps where joints strike."""

from dataclasses import replace

import numpy as np
import pytest

import robot_dynamics as rd
from robot_dynamics.simulation.curves import smooth

KEYS = ('q', 'qd', 'tau', 'kinetic', 'potential', 'energy', 'power')


def at(curve, key, times):
    return np.stack([np.interp(times, curve.t, column) for column in
                     np.asarray(getattr(curve, key)).reshape(len(curve.t), -1).T], -1)


@pytest.mark.parametrize('base', ['fixed', 'floating'])
def test_the_samples_of_a_solver_give_the_curve_of_many(base):
    robot = rd.load('humanoid', base=base)
    q, qd = robot.neutral.copy(), np.full(robot.n, 0.3)
    times = np.linspace(0, 0.3, 601)
    truth, few = (rd.simulate(robot, q, qd, None, t, limits=False) for t in (times, 0.3))
    assert len(few.t) < 60
    curve = smooth(few)
    for key in KEYS:
        wanted = getattr(truth, key).reshape(len(times), -1)
        size = np.ptp(wanted, axis=0).max() + 1e-3
        assert np.abs(at(curve, key, times) - wanted).max() < 0.01 * size, key
    for key in ('t', 'q', 'qd', 'tau'):  # through the samples
        assert np.allclose(getattr(curve, key)[np.isin(curve.t, few.t)], getattr(few, key))


@pytest.mark.parametrize('options', [
    {}, {'method': 'rk4'}, {'t': np.linspace(0, 1, 11)},
    {'t': np.linspace(0, 1, 11), 'method': 'rk4'}])
def test_impacts_are_steps(options):
    """A ball, as it were: g = 9.81 m/s^2, a floor 1 m below, half the speed after each bounce."""
    slide = rd.DHRow(0, None, 0, 0, 'prismatic', mass=1, lower=-1.0, upper=5.0)
    robot = rd.Robot.from_dh([slide])
    options = {'t': 1.0, **options}
    run = rd.simulate(robot, [0], [0], None, options.pop('t'), restitution=0.5, **options)
    fall = np.sqrt(2 / 9.81)
    assert run.struck == {robot.joint_names[0]: pytest.approx(fall, abs=1e-6)}
    curve = smooth(run)
    assert curve.q.min() >= -1 - 1e-9
    jump = int(np.argmin(np.diff(curve.qd[:, 0]) * -1))
    assert curve.t[jump] == curve.t[jump + 1] == pytest.approx(fall, abs=1e-6)
    assert curve.qd[jump:jump + 2, 0] == pytest.approx(
        [-9.81 * fall, 9.81 * fall / 2], abs=1e-3)
    air = curve.t < curve.t[jump]
    assert curve.q[air, 0] == pytest.approx(-9.81 / 2 * curve.t[air] ** 2, abs=1e-6)
    assert curve.energy[air] == pytest.approx(run.energy[0], abs=1e-6)


def test_nothing_swings_behind_an_impact_that_nobody_recorded():
    slide = rd.DHRow(0, None, 0, 0, 'prismatic', mass=1, lower=-1.0, upper=5.0)
    run = rd.simulate(rd.Robot.from_dh([slide]), [0], [0], None, np.linspace(0, 1, 21),
                      restitution=0.5)
    curve = smooth(replace(run, corners=None))
    for drawn, samples in ((curve.q, run.q), (curve.qd, run.qd)):  # to rounding
        assert drawn.min() >= samples.min() - 1e-12 and drawn.max() <= samples.max() + 1e-12


def test_logs_without_rates_are_drawn():
    t = np.linspace(0, 1, 5)
    nothing = np.full((5, 1), np.nan)
    log = rd.Trajectory(('a',), t, np.sin(t)[:, None], nothing, nothing, nothing,
                        nothing[:, 0], nothing[:, 0])
    curve = smooth(log)
    assert np.abs(curve.q[:, 0] - np.sin(curve.t)).max() < 0.01
    assert np.isnan(curve.qd).all()
    log.plot()


def test_torques_at_their_limit_stay_there():
    run = rd.simulate(rd.load('rp'), [0.1, 0.2], [0, 0], None, np.linspace(0, 1, 12))
    cut = np.clip(np.linspace(-3, 3, 12), -1, 1)
    curve = smooth(replace(run, tau=np.stack([cut, cut], 1)))
    assert np.abs(curve.tau).max() <= 1.0
