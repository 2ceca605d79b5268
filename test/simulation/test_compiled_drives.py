"""Control laws and wrenches in machine code: the motion that Python's steps give."""

import warnings

import numpy as np
import pytest
from simulation.sim_robots import PANDA_START, panda

import robot_dynamics as rd
from robot_dynamics.simulation import cycloidal
from robot_dynamics.simulation.system import System

FIXED = ('rk4', 'gauss4', 'implicit_midpoint', 'semi_implicit_euler')
TIMES = np.linspace(0.0, 0.02, 5)


def pd(robot, reference):
    """A law whose gains fit the inertia that each joint feels."""
    felt = np.diag(robot.inertia_matrix(PANDA_START))
    return rd.PDGravity(robot, reference, 400 * felt, 40 * felt)


LAWS = {
    'pd': lambda robot, motion: pd(robot, PANDA_START + 0.2),
    'pd along a motion': pd,
    'computed torque': lambda robot, motion: rd.ComputedTorque(robot, motion, 20.0),
    'of a function': lambda robot, motion: rd.ComputedTorque(robot, lambda t: motion(t), 20.0),
    'feed forward': rd.FeedForward,
    'none': lambda robot, motion: None,
}
PULLS = {
    'free': lambda tip: None,
    'pulled': lambda tip: {tip: [0.0, 0.1, 0.0, 4.0, 0.0, 6.0]},
    'shaken': lambda tip: {tip: lambda t: [0, 0, 0, 0, 0, 5 * np.sin(90 * t)],
                           'panda_link3': [0, 1, 0, 0, 0, 0]},
}


@pytest.fixture(scope='module')
def robot():
    return panda()


def motions(monkeypatch, *arguments, **options):
    """Return the motion in machine code, that of Python's steps, and the warnings of each."""
    found, said = [], []
    for compiled in (True, False):
        with monkeypatch.context() as patch, warnings.catch_warnings(record=True) as told:
            warnings.simplefilter('always', rd.RobotDynamicsWarning)
            if not compiled:
                patch.setattr(System, 'drive', None)
            found.append(rd.simulate(*arguments, **options))
        said.append([str(warning.message) for warning in told])
    return *found, *said


def alike(monkeypatch, *arguments, **options):
    """Check that both are the same but for rounding; return one."""
    fast, slow, said, told = motions(monkeypatch, *arguments, **options)
    np.testing.assert_allclose(fast.q, slow.q, atol=1e-11)
    np.testing.assert_allclose(fast.qd, slow.qd, atol=1e-9)
    np.testing.assert_allclose(fast.tau, slow.tau, atol=1e-8)
    assert said == told
    return fast


@pytest.mark.parametrize('method', FIXED)
@pytest.mark.parametrize(('law', 'pull'), [
    *((law, 'free') for law in LAWS), ('none', 'pulled'), ('none', 'shaken'),
    ('computed torque', 'shaken')])
def test_machine_code_goes_where_python_goes(robot, monkeypatch, method, law, pull):
    motion = cycloidal(PANDA_START, PANDA_START + 0.02, 0.016)
    nominal = robot.with_payload(robot.tip_names[0], 0.5, (0, 0, 0.1), np.zeros((3, 3)))
    alike(monkeypatch, robot, PANDA_START, np.zeros(7), LAWS[law](nominal, motion), TIMES,
          method=method, external=PULLS[pull](robot.tip_names[0]))


def test_laws_and_wrenches_do_not_come_back_to_python(robot, monkeypatch):
    motion = cycloidal(PANDA_START, PANDA_START + 0.02, 0.016)
    monkeypatch.setattr('robot_dynamics.simulation.stepping.Stepping.slow', None)
    for law in ('pd', 'computed torque', 'feed forward'):
        found = rd.simulate(robot, PANDA_START, np.zeros(7), LAWS[law](robot, motion), TIMES,
                            method='rk4', external=PULLS['shaken'](robot.tip_names[0]),
                            saturate=False)
        assert len(found.t) == len(TIMES)


@pytest.mark.parametrize('law', ['pd along a motion', 'computed torque', 'feed forward'])
def test_torques_are_cut_and_it_is_said(robot, monkeypatch, law):
    motion = cycloidal(PANDA_START, PANDA_START + 0.05, 0.016)
    found = alike(monkeypatch, robot, PANDA_START, np.zeros(7), LAWS[law](robot, motion), TIMES,
                  method='rk4')
    assert (np.abs(found.tau) <= robot.limits.effort).all()
    if law != 'pd along a motion':
        assert (np.abs(found.tau).max(axis=0) == robot.limits.effort).any()


def test_joints_lie_on_their_stops_under_a_law(robot, monkeypatch):
    pushed = [3, 5]
    beyond, start = PANDA_START.copy(), PANDA_START.copy()
    beyond[pushed] = robot.limits.upper[pushed] + 0.5
    start[pushed] = robot.limits.upper[pushed] - 0.01
    found = alike(monkeypatch, robot, start, np.zeros(7), pd(robot, beyond),
                  np.linspace(0.0, 0.2, 5), method='rk4')
    np.testing.assert_array_equal(found.q[-1][pushed], robot.limits.upper[pushed])
    np.testing.assert_array_equal(found.qd[-1][pushed], 0)
    np.testing.assert_array_equal(found.qdd[-1][pushed], 0)


def test_a_reference_that_fails_is_told_as_before(robot, monkeypatch):
    def late(t):
        return (PANDA_START, np.zeros(7), np.zeros(7)) if t < 0.01 else None
    with pytest.raises(rd.InputError, match=r'reference: gives NoneType at t = 0.01 s'):
        rd.simulate(robot, PANDA_START, np.zeros(7), rd.ComputedTorque(robot, late, 10.0), TIMES,
                    method='rk4')
    with pytest.raises(rd.InputError, match=r'external\[.*\]: the function failed at t = '):
        rd.simulate(robot, PANDA_START, np.zeros(7), None, TIMES, method='rk4',
                    external={robot.tip_names[0]: lambda t: [1 / (t < 0.01)] * 6})
