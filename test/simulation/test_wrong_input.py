"""What is wrong is said, and what blows up keeps its last good state."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from simulation.sim_robots import PANDA_START, panda, pendulum
from urdf_text import TWO_JOINTS

import robot_dynamics as rd
from robot_dynamics import DHRow, InputError, RobotDynamicsWarning
from robot_dynamics.simulation import METHODS


def fails(match, *arguments, **options):
    base = [[0.1, 0.2], [0.0, 0.0], None, 0.1]
    for k, value in enumerate(arguments):
        if value is not ...:
            base[k] = value
    with pytest.raises(InputError, match=match):
        rd.simulate(pendulum(), *base, **{'limits': False, **options})


def raising(t, q, qd):
    raise RuntimeError('out of order')


def test_arguments():
    fails('q0: shape', [0.1])
    fails(r"qd0: has a nan or inf at index 0 \(joint '\w+'\)", ..., [np.nan, 0.0])
    fails('torque: shape', ..., ..., [1.0, 2.0, 3.0])
    fails('torque: has a nan', ..., ..., [1.0, np.nan])
    fails('torque: expected .*numbers', ..., ..., 'much')
    fails('torque: shape', ..., ..., [[1.0, 2.0], [3.0, 4.0]])
    fails('expected a positive duration', ..., ..., ..., -1.0)
    fails('increasing', ..., ..., ..., [0.0, 0.2, 0.1])
    fails('increasing', ..., ..., ..., [0.0])
    fails('has a nan', ..., ..., ..., [0.0, np.nan])
    fails('method=.*RK45.*rk4', method='euler')
    fails('step', method='rk4', step=-1.0)
    fails('rtol', rtol=0.0)
    fails('restitution', restitution=1.5)
    fails('algorithm', algorithm='magic')
    fails('no link', external={'nowhere': np.zeros(6)})
    fails('external', external={pendulum().link_names[-1]: [1.0]})
    fails('events', events=[3])
    fails('events', events=3)
    fails('external', external=3)
    fails('rtol', rtol='a')
    fails('atol', atol=[1, 2])
    fails('step', step='a')
    fails('step=1e-300: too small', step=1e-300)
    fails('limits', limits='no')
    fails('progress', progress=3)
    fails('method', [[0.1, 0.2]], method='RK45')


@pytest.mark.parametrize('method', ['RK45', 'Radau', 'LSODA', 'ABM', 'rk4', 'gauss4'])
def test_functions(method):
    fails('out of order', ..., ..., raising, method=method)
    fails(r'shape \(3,\)', ..., ..., lambda t, q, qd: [1, 2, 3], method=method)
    fails("nan for joint 'joint2'|nan for joint", ..., ..., lambda t, q, qd: [0.0, np.nan],
          method=method)
    fails('nan for joint', ..., ..., lambda t, q, qd: [0.0, np.nan if t > 0.05 else 0.0],
          method=method)
    fails('returned nan', ..., ..., ..., ..., method=method, events=lambda t, q, qd: np.nan)
    fails('events.*out of order', method=method, events=raising)
    fails('external.*out of order', method=method,
          external={pendulum().link_names[-1]: lambda t: raising(t, 0, 0)})


def test_outside_the_limits():
    q = PANDA_START.copy()
    q[3] = 1.0
    with pytest.raises(InputError, match=r"'panda_joint4' is at 1, outside"):
        rd.simulate(panda(), q, np.zeros(7), None, 0.1)
    with pytest.raises(InputError, match=r"'panda_joint4' of robot 1"):
        rd.simulate(panda(), [PANDA_START, q], np.zeros(7), None, 0.1, method='rk4')
    assert rd.simulate(panda(), q, np.zeros(7), None, 0.01, limits=False).success


def test_a_reference_in_degrees():
    robot = panda()
    for law in (lambda to: rd.ComputedTorque(robot, to, 1.0),
                lambda to: rd.PDGravity(robot, to, 1.0, 1.0),
                lambda to: rd.FeedForward(robot, to)):
        with pytest.warns(RobotDynamicsWarning,
                          match="reference: joint '.*' is at 30, outside .*degrees given"):
            rd.simulate(robot, PANDA_START, np.zeros(robot.n),
                        law(rd.cycloidal(PANDA_START, np.full(robot.n, 30.0), 0.002)), 0.002,
                        method='rk4', saturate=False)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        rd.simulate(robot, PANDA_START, np.zeros(robot.n),
                    rd.PDGravity(robot, PANDA_START, 1.0, 1.0), 0.002, method='rk4')


def test_references_of_stacks_whose_limits_differ():
    one = rd.load(TWO_JOINTS)
    stack = rd.stack([one, rd.load(TWO_JOINTS.replace('upper="2"', 'upper="1"')), one])
    law = rd.PDGravity(one, rd.cycloidal([0, 0], [0.1, 0.1], 0.01), 1.0, 1.0)
    assert rd.simulate(stack, np.zeros((3, 2)), np.zeros((3, 2)), law, 0.002, method='rk4').success


def test_a_table_of_torques():
    class Point:
        def __init__(self, t, effort):
            self.time_from_start, self.effort = t, effort

    class Message:
        joint_names = pendulum().joint_names[::-1]
        points = (Point(0.0, [1.0, 2.0]), Point(1.0, [3.0, 4.0]))
    found = rd.simulate(pendulum(), [0, 0], [0, 0], Message, [0.0, 0.5], limits=False)
    np.testing.assert_allclose(found.tau, [[2.0, 1.0], [3.0, 2.0]])
    Message.points[0].effort = [1.0]
    fails('point 0 has 1 efforts', ..., ..., Message)
    Message.joint_names = ['a', 'b']
    fails('no joint', ..., ..., Message)


@pytest.mark.parametrize('method', METHODS)
def test_blow_up_keeps_the_last_good_state(method):
    """Negative damping: rates grow without bound in finite time."""
    robot = rd.Robot.from_dh([DHRow(0, 0, 0, 0, 'prismatic', mass=1.0, name='slide'),
                              DHRow(0.1, 0, 0, 0, mass=0.1, com=(0, 0.1, 0), name='turn')])

    def push(t, q, qd):
        return [qd[0] ** 2 + 10.0, 0.0]
    with pytest.warns(RobotDynamicsWarning, match='stopped at'):
        found = rd.simulate(robot, [0, 0], [1.0, 0.0], push, 20.0, method=method, step=1e-3 if
                            METHODS[method] == 'fixed step' else None)
    assert not found.success
    end = found.stopped[0]
    assert end.joint == 'slide'
    assert 0 < end.time < 20
    assert found.t[-1] == pytest.approx(end.time)
    for name in ('q', 'qd', 'qdd', 'tau', 'energy'):
        assert np.isfinite(getattr(found, name)).all()
    assert np.abs(found.qd[-1]).max() > 1e2  # it was about to


def test_blow_up_in_machine_code_and_in_a_batch():
    robot = panda()
    with pytest.warns(RobotDynamicsWarning, match='stopped'):
        found = rd.simulate(robot, PANDA_START, np.zeros(7), np.full(7, 1e5), 10.0,
                            method='semi_implicit_euler', limits=False)
    assert found.stopped[0].joint.startswith('panda_joint')
    assert np.isfinite(found.qd).all()
    with pytest.warns(RobotDynamicsWarning, match='1 of 2 robots'):
        many = rd.simulate(robot, [PANDA_START] * 2, np.zeros(7), [np.zeros(7), np.full(7, 1e5)],
                           np.linspace(0, 0.5, 6), method='semi_implicit_euler', limits=False)
    assert many.stopped[0].robot == 1
    assert many.robot(0).success
    assert np.isfinite(many.robot(0).q).all()
    assert np.isfinite(many.robot(1).q).all()


def test_singular_from_the_start():
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        robot = rd.Robot.from_dh([DHRow(0, 0, 0, 0)], missing_inertia='zero')
    with pytest.raises(rd.SingularityError, match="singular at joint 'joint_1'"):
        rd.simulate(robot, [0.0], [0.0], None, 1.0)


@pytest.mark.parametrize(('changes', 'said'), [
    ({'points': 3}, 'JointTrajectory'), ({'points': [3]}, 'JointTrajectory'),
    ({'joint_names': 3}, 'JointTrajectory'), ({'joint_names': ['a']}, 'no joint'),
    ({'effort': ['a', 'b']}, 'JointTrajectory'), ({'effort': [1.0]}, '1 efforts'),
    ({'time_from_start': None}, 'JointTrajectory'), ({'points': []}, 'no points'),
    ({'joint_names': [*pendulum().joint_names, pendulum().joint_names[0]],
      'effort': [1.0, 2.0, 3.0]}, 'named twice')])
def test_trajectories_of_efforts(changes, said):
    point = {key: changes.get(key, value) for key, value in (
        ('effort', [1.0, 2.0]), ('time_from_start', 0.0))}
    message = {'joint_names': list(pendulum().joint_names), 'points': [SimpleNamespace(**point)]}
    message.update({key: value for key, value in changes.items() if key in message})
    fails(said, ..., ..., SimpleNamespace(**message))


def test_robots_that_cannot_move():
    nothing = rd.load('<robot name="stone"><link name="a"/></robot>')
    for robot, said in ((nothing, 'stone has no joints'), (None, 'expected a Robot')):
        with pytest.raises(InputError, match=said):
            rd.simulate(robot, [], [], None, 1.0)


@pytest.mark.parametrize('method', ['RK45', 'LSODA', 'ABM', 'rk4', 'gauss4'])
def test_functions_may_keep_their_array_but_not_change_ours(method):
    robot, buffer = pendulum(), np.zeros(2)
    kept = rd.simulate(robot, [0.1, 0.2], [1.0, 0.0],
                       lambda t, q, qd: robot.gravity_torque(q, out=buffer), 0.2, method=method,
                       limits=False)
    np.testing.assert_allclose(kept.tau, robot.gravity_torque(kept.q), atol=1e-12)

    def changing(t, q, qd):
        q *= 2
        return q
    fails('read-only', ..., ..., changing, method=method)
    fails('read-only', method=method, events=lambda t, q, qd: changing(t, q, qd)[0])
    fails('complex', ..., ..., lambda t, q, qd: [1j, 0], method=method)


def test_ragged_lists():
    fails('q0', [[1.0], [1.0, 2.0]])
    fails('t', ..., ..., ..., [[0.0], [0.0, 1.0]])
    with pytest.raises(InputError, match='external'):
        pendulum().inverse_dynamics([0, 0], [0, 0], [0, 0], external={
            pendulum().link_names[-1]: [[1.0], [1.0, 2.0]]})
