"""Floating robots in motion: momentum and energy kept, quaternions on the sphere, all solvers."""

import numpy as np
import pytest
from oracle import ROBOTS

import robot_dynamics as rd
from robot_dynamics.simulation.motions import from_file
from robot_dynamics.simulation.simulate import METHODS

BODY = """<robot name="body"><link name="box"><inertial><origin xyz="0.1 0.05 -0.02"/>
  <mass value="2"/><inertia ixx="0.05" iyy="0.08" izz="0.04" ixy="0.01" ixz="0.002" iyz="-0.003"/>
  </inertial></link>
  <link name="arm"><inertial><origin xyz="0 0 0.2"/><mass value="0.7"/>
  <inertia ixx="0.01" iyy="0.01" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="swing" type="revolute"><parent link="box"/><child link="arm"/>
  <origin xyz="0.1 0 0.1" rpy="0.2 0 0"/><axis xyz="0 1 0"/>
  <limit lower="-0.5" upper="0.5" effort="10" velocity="10"/></joint></robot>"""
START = np.array([0.3, -0.2, 1.0, 0.1, -0.4, 0.3, 0.7, 0.2])
SPIN = np.array([2.0, -1.0, 3.0, 0.5, 0.2, -0.4, 0.3])
GRAVITY = np.array([0.0, 0.0, -9.81])


@pytest.fixture(scope='module')
def body():
    return rd.load(BODY, base='floating')


def drifts(robot, path):
    """Return how far momentum, energy and the quaternion's length are from where they belong."""
    h = np.array([robot.centroidal_momentum(q, qd)
                  for q, qd in zip(path.q, path.qd, strict=True)])
    fall = robot.total_mass * path.t[:, None] * GRAVITY
    scale = np.abs(h).max()
    return (np.abs(h[:, :3] - h[0, :3]).max() / scale,
            np.abs(h[:, 3:] - h[0, 3:] - fall).max() / scale,
            np.abs(path.energy - path.energy[0]).max() / np.abs(path.kinetic).max(),
            np.abs(np.linalg.norm(path.q[:, 3:7], axis=1) - 1).max())


@pytest.mark.parametrize('method', METHODS)
def test_free_fall_keeps_what_it_should(body, method):
    step = {'semi_implicit_euler': 1e-4, 'implicit_midpoint': 1e-3}.get(method, 2e-3)
    options = {'step': step} if METHODS[method] == 'fixed step' else {
        'rtol': 1e-9, 'atol': 1e-10}
    path = rd.simulate(body, START, SPIN, None, 0.5, method=method, limits=False, **options)
    spin, fall, energy, length = drifts(body, path)
    loose = {'semi_implicit_euler': 2e-3, 'implicit_midpoint': 1e-5}.get(method, 1e-6)
    assert path.success and path.q.shape[1] == 8 and path.qd.shape[1] == 7
    assert max(spin, fall, energy) < loose
    assert length < 1e-14


@pytest.mark.parametrize(('method', 'order'), [
    ('rk4', 4), ('gauss4', 4), ('implicit_midpoint', 2)])
def test_orders(body, method, order):
    exact = rd.simulate(body, START, SPIN, None, 0.4, method='DOP853', rtol=1e-12, atol=1e-13,
                        limits=False)
    space, errors = body.model.coordinates, []
    for step in (0.02, 0.01):
        path = rd.simulate(body, START, SPIN, None, 0.4, method=method, step=step, limits=False)
        errors.append(np.abs(space.difference(exact.q[-1], path.q[-1])).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)


@pytest.mark.parametrize('method', ['RK45', 'rk4', 'gauss4'])
def test_stops_of_the_other_joints(body, method):
    path = rd.simulate(body, START, SPIN, None, 1.0, method=method, step=1e-3, rtol=1e-8)
    swing = path.q[:, 7]
    assert path.success and swing.max() <= 0.5 and swing.min() >= -0.5
    assert np.isclose(np.abs(swing), 0.5).any()
    spin, fall, _, length = drifts(body, path)
    assert max(spin, fall) < 1e-6 and length < 1e-14  # impacts are inner forces
    assert (np.diff(path.energy) < 1e-6).all()


def test_a_tumbling_humanoid():
    robot = rd.load(ROBOTS / 'talos_data/robots/talos_reduced.urdf', base='floating',
                    friction=False)
    rng = np.random.default_rng(0)
    q = np.r_[0, 0, 1, rng.normal(size=4), np.clip(
        np.zeros(robot.n - 6), robot.limits.lower[6:], robot.limits.upper[6:])]
    qd = 0.5 * rng.normal(size=robot.n)
    path = rd.simulate(robot, q, qd, None, 10.0, method='DOP853', rtol=1e-10, atol=1e-12,
                       limits=False)
    spin, fall, _, length = drifts(robot, path)
    assert max(spin, fall) < 1e-9 and length < 1e-14
    assert np.ptp(path.energy) < 1e-8 * abs(path.energy[0])  # its fall brings 500 times that


def test_states_between_samples(body):
    path = rd.simulate(body, START, SPIN, None, np.linspace(0, 0.3, 61), method='DOP853',
                       rtol=1e-11, atol=1e-12, dense=True, limits=False)
    assert path.value_names == (*(f'base/{x}' for x in ('x', 'y', 'z', 'qx', 'qy', 'qz', 'qw')),
                                'swing')
    times = np.linspace(0.001, 0.299, 37)
    q, qd = path.at(times)
    plain = rd.simulate(body, START, SPIN, None, np.linspace(0, 0.3, 61), method='DOP853',
                        rtol=1e-11, atol=1e-12, limits=False)
    other, rates = plain.at(times)
    np.testing.assert_allclose(other, q, atol=1e-8)
    np.testing.assert_allclose(rates, qd, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(other[:, 3:7], axis=1), 1, atol=1e-14)


def test_batches_are_motions_one_by_one(body):
    q = np.tile(START, (3, 1))
    q[1, 3:7] = 0.0, 0.0, 0.0, 2.0
    path = rd.simulate(body, q, SPIN, None, 0.05, method='rk4', step=1e-3)
    for k in range(3):
        one = rd.simulate(body, q[k], SPIN, None, 0.05, method='rk4', step=1e-3)
        np.testing.assert_allclose(path.robot(k).q, one.q, atol=1e-12)


def test_wrong_first_states(body):
    zero = START.copy()
    zero[3:7] = 0
    with pytest.raises(rd.InputError, match="q0: the quaternion .* of joint 'base'"):
        rd.simulate(body, zero, SPIN, None, 1.0)
    with pytest.raises(rd.InputError, match='q0 of robot 1: the quaternion'):
        rd.simulate(body, np.stack([START, zero]), SPIN, None, 1.0, method='rk4')
    with pytest.raises(rd.InputError, match=r'q0: shape \(7,\): expected \(8,\)'):
        rd.simulate(body, START[1:], SPIN, None, 1.0)
    with pytest.raises(rd.InputError, match=r'qd0: shape \(8,\): expected \(7,\)'):
        rd.simulate(body, START, START, None, 1.0)


def test_events_and_controllers_see_unit_quaternions(body):
    lengths = []

    def law(t, q, qd):
        lengths.append(np.linalg.norm(q[3:7]))
        return np.zeros(7)

    def ground(t, q, qd):
        return q[2] - 0.5
    ground.terminal = True
    for options in ({'method': 'RK45'}, {'method': 'rk4', 'step': 5e-3}):
        path = rd.simulate(body, START, SPIN, law, 1.0, events=ground, **options)
        assert path.q[-1, 2] == pytest.approx(0.5, abs=1e-6)
    np.testing.assert_allclose(lengths, 1, atol=1e-4)


@pytest.mark.parametrize('ending', [
    '.csv', *(pytest.param(ending, marks=pytest.mark.slow) for ending in ('.npz', '.mcap'))])
def test_files_know_the_base(body, ending, tmp_path):
    path = rd.simulate(body, START, SPIN, None, np.linspace(0, 0.1, 6))
    path.save(tmp_path / f'fall{ending}')
    again = rd.Trajectory.load(tmp_path / f'fall{ending}')
    assert again.joint_names == path.joint_names and again.value_names == path.value_names
    for key in ('t', 'q', 'qd', 'qdd', 'tau', 'energy'):
        np.testing.assert_array_equal(getattr(again, key), getattr(path, key))
    np.testing.assert_allclose(again.at(0.05)[0], path.at(0.05)[0])
    path.plot(tmp_path / 'fall.png', what=('q', 'qd', 'tau', 'energy'))
    with pytest.raises(rd.InputError, match="joint 'base' is floating"):
        from_file(tmp_path / f'fall{ending}', body.joint_names)
