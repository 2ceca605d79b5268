"""What watches a robot while its states arrive: accelerations, power."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import robot_dynamics as rd
from robot_dynamics.simulation.online.accelerations import Accelerations
from robot_dynamics.simulation.online.power_balance import PowerBalance

PUMA = Path(__file__).parents[2] / 'urdf' / 'puma560.urdf'


@pytest.fixture(scope='module')
def puma():
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return rd.load(PUMA)


# Messages to arrays

def test_accelerations_of_even_speeding_up_are_exact():
    filter_ = Accelerations()
    for k in range(20):
        qdd = filter_.update(0.01 * k, np.array([2.0, -3.0]) * 0.01 * k, 30.0)
    np.testing.assert_allclose(qdd, [2.0, -3.0], atol=1e-12)


def test_accelerations_are_filtered_at_the_cut_off():
    cutoff, step = 10.0, 1e-4
    t = np.arange(0, 1, step)
    filter_ = Accelerations()
    w = 2 * np.pi * cutoff
    qdd = np.array([filter_.update(x, np.array([np.sin(w * x) / w]), cutoff)[0] for x in t])
    assert np.ptp(qdd[len(qdd) // 2:]) / 2 == pytest.approx(np.sqrt(0.5), rel=0.01)


def test_accelerations_begin_anew_after_gaps_and_when_time_goes_back():
    filter_ = Accelerations()
    filter_.update(5.0, np.zeros(1), 0.0)
    assert filter_.update(5.1, np.ones(1), 0.0) == pytest.approx(10)
    assert filter_.update(1.0, np.zeros(1), 0.0) == 0
    assert filter_.update(1.1, np.ones(1), 0.0) == pytest.approx(10)
    assert filter_.update(9.0, np.zeros(1), 0.0) == 0


def test_accelerations_recover_from_an_overflow():
    filter_ = Accelerations()
    with np.errstate(over='ignore', invalid='ignore'):
        for k, speed in enumerate((0.0, 1e308, -1e308, 0.0, 0.0)):
            filter_.update(0.01 * k, np.full(2, speed), 30.0)
    for k in range(5, 9):
        qdd = filter_.update(0.01 * k, np.full(2, 0.01 * k), 30.0)
    assert np.isfinite(qdd).all()


def test_power_is_balanced_on_a_true_motion_and_not_with_a_payload_unknown(puma):
    t = np.linspace(0, 1, 501)
    stroke = np.linspace(0.2, 1.0, 6)
    q, qd, qdd = (np.outer(f, stroke) for f in (np.sin(t), np.cos(t), -np.sin(t)))
    for robot, expected in ((puma, 0.0), (puma.with_payload(puma.tip_names[0], 5.0), 1.0)):
        balance = PowerBalance(puma)
        for k in range(len(t)):
            balance.take(t[k], q[k], qd[k], robot.inverse_dynamics(q[k], qd[k], qdd[k]))
        assert (abs(balance.look()) > 0.5) == bool(expected)
