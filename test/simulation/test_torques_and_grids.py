"""What solvers are told: tables with kinks, motors with limits, grids, states that look wrong."""

import warnings

import numpy as np
import pytest
from simulation.sim_robots import PANDA_START, panda, pendulum

import robot_dynamics as rd
from robot_dynamics import DHRow, RobotDynamicsWarning
from robot_dynamics.simulation import METHODS, PDGravity
from robot_dynamics.simulation.simulate import fine_grid
from robot_dynamics.simulation.stepping import groups_of


def slide(**row):
    return rd.Robot.from_dh([DHRow(0, 0, 0, 0, 'prismatic', mass=2.0, **row)], gravity=(0, 0, 0))


@pytest.mark.parametrize('method', METHODS)
def test_a_short_pulse_in_a_table_is_felt(method):
    """30 N for 30 ms, with ramps of 1 ms, give 2 kg a speed of 0.465 m/s."""
    pulse = ([0, 1.0, 1.001, 1.03, 1.031, 3.0], np.array([0, 0, 30.0, 30.0, 0, 0])[:, None])
    found = rd.simulate(slide(), [0.0], [0.0], pulse, 3.0, method=method)
    assert found.qd[-1, 0] == pytest.approx(30 * 0.030 / 2, rel=1e-4)


def test_a_table_finer_than_the_step_is_said():
    table = (np.linspace(0, 1, 1001), np.sin(np.arange(1001.0))[:, None])
    with pytest.warns(RobotDynamicsWarning, match=r'rows 0\.001 s apart'):
        rd.simulate(slide(), [0.0], [0.0], table, 1.0, method='rk4', step=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        rd.simulate(slide(), [0.0], [0.0], table, 1.0, method='rk4')


@pytest.mark.parametrize(('duration', 'step'), [(8.5, 1e-3), (60.0, 1e-3), (2.0, 1e-4),
                                                (1.0, 0.3), (1e4, 1e-1)])
def test_uniform_grids_stay_uniform(duration, step):
    for grid in (fine_grid(np.array([0.0, duration]), step),
                 np.arange(0.0, duration + step / 2, step)):
        groups = groups_of(grid, step)
        assert len(groups) == 1
        assert groups[0].steps == 1
        assert groups[0].h == pytest.approx(step, rel=1e-6) or duration == 1.0


@pytest.mark.parametrize('method', ['LSODA', 'RK45', 'Radau', 'rk4'])
@pytest.mark.parametrize('tau', [1e12, 1e100, 1e300])
def test_a_huge_torque_ends_the_motion(method, tau):
    with pytest.warns(RobotDynamicsWarning, match='stopped'):
        found = rd.simulate(slide(), [0.0], [0.0], [tau], 0.5, method=method)
    assert not found.success
    assert np.isfinite(found.q).all()


def test_control_laws_keep_the_effort_limits():
    robot = slide(effort=3.0)
    law = PDGravity(robot, [1.0], 100.0, 10.0)
    with pytest.warns(RobotDynamicsWarning, match=r'effort limits of joint .*saturate=False'):
        found = rd.simulate(robot, [0.0], [0.0], law, 1.0)
    assert np.abs(found.tau).max() == 3.0
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        free = rd.simulate(robot, [0.0], [0.0], law, 1.0, saturate=False)
        constant = rd.simulate(robot, [0.0], [0.0], [50.0], 0.1)
    assert free.tau[0, 0] == 100.0
    assert (constant.tau == 50.0).all()
    many = rd.simulate(robot, [[0.0], [0.5]], [[0.0], [0.0]], law, [0.0, 0.5], method='rk4')
    assert np.abs(many.tau).max() == 3.0


def test_an_effort_limit_of_zero_is_none():
    robot = slide(effort=0.0)
    assert rd.simulate(robot, [0.0], [0.0], lambda t, q, qd: [5.0], 0.1).tau.max() == 5.0


def test_states_outside_the_limits_are_said():
    degrees = np.degrees(PANDA_START)
    with pytest.raises(rd.InputError, match='degrees given for radians'):
        rd.simulate(panda(), degrees, np.zeros(7), None, 0.01)
    with pytest.warns(RobotDynamicsWarning, match=r'outside its limits .*degrees') as said:
        rd.simulate(panda(), degrees, np.zeros(7), None, 0.01, limits=False)
    assert len(said) == 1
    with pytest.warns(RobotDynamicsWarning, match='outside its limits'):
        rd.simulate(panda(), [degrees] * 2, np.zeros(7), None, 0.01, limits=False, method='rk4')
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        rd.simulate(panda(), PANDA_START, np.zeros(7), None, 0.01, limits=False)
        rd.simulate(pendulum(), [0.3, 0.2], np.zeros(2), None, 0.01, limits=False)


FLOATING = """<robot name="f"><link name="w"/><link name="b"><inertial><mass value="2"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial></link>
<joint name="root" type="floating"><parent link="w"/><child link="b"/></joint></robot>"""


@pytest.mark.parametrize('method', ['RK45', 'rk4', 'gauss4', 'semi_implicit_euler'])
def test_a_sample_without_acceleration_ends_its_own_motion(method):
    """A floating body turns through its gimbal lock, in 0.5 s exactly."""
    robot = rd.load(FLOATING, floating='chain')
    q, v = np.array([0, 0, 0, 0, np.pi / 2 - 0.5, 0]), np.array([0, 0, 0, 0, 1.0, 0])
    times = np.linspace(0.0, 1.0, 1001)
    with pytest.warns(RobotDynamicsWarning, match='stopped at t = 0'):
        found = rd.simulate(robot, q, v, None, times, method=method)
    assert 0.4 < found.t[-1] < 0.5
    for name in ('q', 'qd', 'qdd', 'tau', 'energy'):
        assert np.isfinite(getattr(found, name)).all()
        assert len(getattr(found, name)) == len(found.t)
    if METHODS[method] == 'fixed step':
        with pytest.warns(RobotDynamicsWarning, match='1 of 2 robots'):
            many = rd.simulate(robot, [q * 0, q], [v, v], None, times, method=method)
        assert many.robot(0).t[-1] == 1.0
        assert 0.4 < many.robot(1).t[-1] < 0.5


@pytest.mark.parametrize('method', ['RK45', 'DOP853'])
def test_steps_that_a_solver_only_tries_cut_nothing(method):
    """The law was asked at the end of a trial step: no torque of the motion is near its limit."""
    rows = [rd.DHRow(0.4, 0, 0, 0, mass=2.0, com=(-0.2, 0, 0), inertia=0.03 * np.eye(3),
                     effort=80.0, friction=0.5, damping=0.5),
            rd.DHRow(0.3, 0, 0, 0, mass=1.0, com=(-0.15, 0, 0), inertia=0.01 * np.eye(3),
                     effort=35.0, friction=0.5, damping=0.5)]
    arm = rd.Robot.from_dh(rows, gravity=(0, -9.81, 0))
    motion = rd.cycloidal(np.array([0.2, 0.5]), np.array([1.3, 0.6]), 1.2)
    law = rd.ComputedTorque(arm, motion, 40.0)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        found = rd.simulate(arm, [0.2, 0.5], np.zeros(2), law, 1.2, method=method)
    assert (np.abs(found.tau).max(axis=0) < 0.2 * arm.limits.effort).all()
    with pytest.warns(rd.RobotDynamicsWarning, match='cut at the effort limits'):
        rd.simulate(arm, [0.2, 0.5], np.zeros(2), lambda t, q, qd: [100.0, 0.0], 0.1,
                    method=method)
