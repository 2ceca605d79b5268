"""The integrators against each other and against what a motion must keep."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from simulation.sim_robots import PANDA_START, panda, pendulum

import robot_dynamics as rd
from robot_dynamics.simulation import METHODS
from robot_dynamics.simulation.adams import ABM
from robot_dynamics.simulation.fixed import STEPS
from robot_dynamics.simulation.stepping import groups_of

REST = np.zeros(7)


@pytest.mark.parametrize('method', METHODS)
def test_every_method_finds_the_same_motion(method):
    robot, times = pendulum(), np.linspace(0.0, 0.5, 6)
    start = [0.5, 0.2], [0.0, 0.0], [0.1, -0.1], times
    truth = rd.simulate(robot, *start, method='DOP853', rtol=1e-12, atol=1e-13, limits=False)
    step = {'semi_implicit_euler': 2e-6, 'implicit_midpoint': 2e-5}.get(method, 1e-4)
    found = rd.simulate(robot, *start, method=method, rtol=1e-9, atol=1e-11,
                        step=step if method in STEPS else None, limits=False)
    coarse = method == 'semi_implicit_euler'
    np.testing.assert_allclose(found.q, truth.q, rtol=0, atol=1e-3 if coarse else 2e-5)
    np.testing.assert_allclose(found.t, times)


@pytest.mark.parametrize(('method', 'order'), [
    ('semi_implicit_euler', 1), ('implicit_midpoint', 2), ('rk4', 4), ('gauss4', 4)])
def test_order_of_fixed_steps(method, order):
    robot, end = pendulum(), [0.0, 0.4]
    start = [0.5, 0.2], [0.0, 0.0], None, end
    truth = rd.simulate(robot, *start, method='DOP853', rtol=1e-13, atol=1e-14, limits=False)
    errors = [np.abs(rd.simulate(robot, *start, method=method, step=h, limits=False).q[-1]
                     - truth.q[-1]).max() for h in (2e-3, 1e-3)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)


@pytest.mark.parametrize('method', STEPS)
def test_machine_code_and_python_take_the_same_steps(method):
    robot, times = panda(), np.linspace(0.0, 0.2, 5)
    tau = np.linspace(-1.0, 1.0, 7)
    table = (np.array([0.0, 0.1, 0.2]), np.array([tau, 2 * tau, -tau]))
    for torque in (tau, table):
        fast = rd.simulate(robot, PANDA_START, REST, torque, times, method=method, limits=False)
        law = (lambda t, q, qd: tau) if torque is tau else (
            lambda t, q, qd: np.array([np.interp(t, table[0], x) for x in table[1].T]))
        slow = rd.simulate(robot, PANDA_START, REST, law, times, method=method, limits=False)
        np.testing.assert_allclose(fast.q, slow.q, rtol=0, atol=1e-10)
        np.testing.assert_allclose(fast.qdd, slow.qdd, rtol=0, atol=1e-7)


def test_energy_of_the_falling_panda_over_a_short_while():
    """The 60 s are in test/bench: here 5 s, where the peaks of speed are met already."""
    robot = panda()
    found = rd.simulate(robot, PANDA_START, REST, None, np.linspace(0, 5, 501), method='DOP853',
                        rtol=1e-10, atol=1e-12, limits=False)
    assert np.ptp(found.energy) < 1e-8 * np.abs(found.energy[0])
    for method, limit in (('implicit_midpoint', 1e-3), ('gauss4', 1e-6)):
        found = rd.simulate(robot, PANDA_START, REST, None, 5.0, method=method, limits=False)
        assert np.abs(found.energy - found.energy[0]).max() < limit * found.kinetic.max()
        assert len(found.t) == 5001


def test_gauss_is_symmetric_in_time():
    robot = panda()
    there = rd.simulate(robot, PANDA_START, REST, None, [0.0, 0.5], method='gauss4', limits=False)
    back = rd.simulate(robot, there.q[-1], -there.qd[-1], None, [0.0, 0.5], method='gauss4',
                       limits=False)
    np.testing.assert_allclose(back.q[-1], PANDA_START, atol=1e-9)


def test_batch_is_what_its_robots_are_alone():
    robot, generator = panda(), np.random.default_rng(1)
    q0 = PANDA_START + generator.uniform(-0.1, 0.1, (7, 7))
    times = np.linspace(0.0, 0.1, 6)
    tau = generator.uniform(-1, 1, (7, 7))
    for limits in (False, True):
        many = rd.simulate(robot, q0, REST, tau, times, method='rk4', limits=limits)
        assert many.q.shape == (6, 7, 7)
        for k in (0, 4, 6):
            one = rd.simulate(robot, q0[k], REST, tau[k], times, method='rk4', limits=limits)
            for name in ('q', 'qd', 'qdd', 'tau', 'energy', 'power'):
                np.testing.assert_allclose(getattr(many.robot(k), name), getattr(one, name),
                                           atol=1e-8)


def test_batch_with_a_function_for_the_torque():
    robot = pendulum()
    many = rd.simulate(robot, [[0.1, 0.2], [0.3, 0.4]], [0, 0], lambda t, q, qd: -q,
                       np.linspace(0, 0.05, 3), method='rk4', limits=False)
    one = rd.simulate(robot, [0.3, 0.4], [0, 0], lambda t, q, qd: -q, np.linspace(0, 0.05, 3),
                      method='rk4', limits=False)
    np.testing.assert_allclose(many.q[:, 1], one.q)
    np.testing.assert_allclose(many.tau[:, 1], one.tau)


def test_adams_keeps_its_tolerance_and_saves_evaluations():
    def circle(t, y):
        return np.array([y[1], -y[0]])
    for tolerance in (1e-5, 1e-8, 1e-11):
        found = solve_ivp(circle, (0, 20), [1.0, 0.0], method=ABM, rtol=tolerance, atol=tolerance,
                          dense_output=True)
        t = np.linspace(0, 20, 301)
        assert np.abs(found.sol(t)[0] - np.cos(t)).max() < 100 * tolerance
        other = solve_ivp(circle, (0, 20), [1.0, 0.0], method='RK45', rtol=tolerance,
                          atol=tolerance)
        assert found.nfev < other.nfev


def test_adams_backwards_and_from_a_steep_start():
    found = solve_ivp(lambda t, y: -50 * (y - np.cos(t)), (0, 1), [0.0], method=ABM, rtol=1e-8,
                      atol=1e-10)
    truth = solve_ivp(lambda t, y: -50 * (y - np.cos(t)), (0, 1), [0.0], method='Radau',
                      rtol=1e-11, atol=1e-13)
    assert found.success
    assert found.y[0, -1] == pytest.approx(truth.y[0, -1], abs=1e-7)
    back = solve_ivp(lambda t, y: y, (1, 0), [np.e], method=ABM, rtol=1e-9, atol=1e-11)
    assert back.y[0, -1] == pytest.approx(1.0, abs=1e-7)


def test_steps_fit_the_samples():
    groups = groups_of(np.array([0.0, 0.1, 0.2, 0.3, 1.0]), 0.03)
    assert [(g.intervals, g.steps) for g in groups] == [(3, 4), (1, 24)]
    assert groups[1].h == pytest.approx(0.7 / 24)


def test_algorithms_agree():
    robot, times = panda(), np.linspace(0.0, 0.2, 3)
    found = [rd.simulate(robot, PANDA_START, REST, None, times, limits=False, algorithm=name,
                         rtol=1e-9).q for name in ('auto', 'denoc', 'cholesky')]
    np.testing.assert_allclose(found[1], found[0], atol=1e-9)
    np.testing.assert_allclose(found[2], found[0], atol=1e-9)


def test_progress_is_told(monkeypatch):
    from robot_dynamics.simulation import samples
    monkeypatch.setattr(samples, 'EVERY', 0.0)
    for method in ('RK45', 'rk4'):
        told = []
        rd.simulate(pendulum(), [0.1, 0.1], [0, 0], None, 0.5, method=method, limits=False,
                    progress=told.append)
        assert told
        assert all(0 <= part <= 1 for part in told)


def test_payload_friction_and_wrenches_act():
    robot = panda()
    tip = robot.tip_names[0]
    loaded = robot.with_payload(tip, 2.0, (0.0, 0.0, 0.1))
    push = np.array([0.0, 0.0, 0.1, 1.0, -2.0, 3.0])
    for arm in (robot, loaded):
        for method in ('RK45', 'rk4'):
            found = rd.simulate(arm, PANDA_START, REST, None, [0.0, 0.01], method=method,
                                external={tip: push})
            for k in (0, 1):
                np.testing.assert_allclose(found.qdd[k], arm.forward_dynamics(
                    found.q[k], found.qd[k], REST, external={tip: push}), atol=1e-8)
    rough = rd.Robot.from_dh([rd.DHRow(0.5, 0, 0, 0, mass=1.0, damping=0.3, friction=0.1)],
                             gravity=(0, -9.81, 0))
    for method in ('DOP853', 'rk4'):
        found = rd.simulate(rough, [0.0], [0.0], None, np.linspace(0, 2, 21), method=method)
        energy = found.energy
        assert (np.diff(energy) < 1e-9).all()
        assert energy[-1] < energy[0] - 1.0


def test_a_wrench_that_changes_with_time():
    robot = rd.Robot.from_dh([rd.DHRow(0, 0, 0, 0, 'prismatic', mass=2.0)], gravity=(0, 0, 0))
    found = rd.simulate(robot, [0.0], [0.0], None, [0.0, 1.0], rtol=1e-9,
                        external={robot.tip_names[0]: lambda t: [0, 0, 0, 0, 0, 6 * t]})
    assert found.q[-1, 0] == pytest.approx(0.5, abs=1e-7)  # 6 t / 2 integrated twice
