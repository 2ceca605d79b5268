"""Fixed steps in machine code where values move on a manifold: the same as Python's steps."""

from pathlib import Path

import numpy as np
import pytest
from oracle import ROBOTS

import robot_dynamics as rd
from robot_dynamics.simulation import manifold_steps, stepping
from robot_dynamics.simulation.emission.manifold import METHODS

ROOT = Path(__file__).parents[2]


def both_ways(monkeypatch, *arguments, **options):
    """Return a motion by machine code, and by Python."""
    fast = rd.simulate(*arguments, **options)
    monkeypatch.setattr(stepping.Stepping, 'curved', None)
    return fast, rd.simulate(*arguments, **options)


@pytest.mark.parametrize('method', METHODS)
def test_mechanisms(method, monkeypatch):
    five_bar = rd.load(ROOT / 'urdf' / 'five_bar.yaml')
    table = np.array([0.0, 0.2]), np.array([[1.0, -2.0], [3.0, 4.0]])
    for torque in (None, [1.0, 2.0], table):
        fast, slow = both_ways(monkeypatch, five_bar, np.deg2rad([30.0, 30.0]), [0.3, -0.2],
                               torque, np.linspace(0, 0.2, 5), method=method, step=1e-3)
        np.testing.assert_allclose(fast.q_tree, slow.q_tree, atol=1e-10)
        np.testing.assert_allclose(fast.qd, slow.qd, atol=1e-9)
        assert np.abs(five_bar.closure_error(fast.q_tree)).max() < 1e-10
        monkeypatch.undo()


@pytest.mark.parametrize('method', METHODS)
def test_a_floating_base_with_stops(method, monkeypatch):
    solo = rd.load(ROBOTS / 'solo_description/robots/solo12.urdf', base='floating')
    q = solo.neutral.copy()
    qd = np.random.default_rng(1).uniform(-1, 1, solo.n)
    fast, slow = both_ways(monkeypatch, solo, q, qd, None, np.linspace(0, 0.1, 3), method=method,
                           step=1e-3)
    np.testing.assert_allclose(fast.q, slow.q, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(fast.q[:, 3:7], axis=1), 1.0, atol=1e-14)


@pytest.mark.parametrize('step', [1e-3, 2e-3])
def test_a_singularity_is_not_leapt_over(step):
    """The five-bar falls from its start to a singular pose at 2.812 s, between two steps."""
    five_bar = rd.load(ROOT / 'urdf' / 'five_bar.yaml')
    q = np.deg2rad([30.0, 30.0])
    with pytest.warns(rd.RobotDynamicsWarning, match='the loops are singular'):
        fall = rd.simulate(five_bar, q, [0, 0], None, 4.0, method='rk4', step=step, limits=False)
    assert fall.stopped[0].time == pytest.approx(2.812, abs=5e-3)


def test_a_stop_is_left_to_python():
    """A joint that reaches its stop stays there; the loop in machine code gives way."""
    gripper = rd.load(ROOT / 'urdf' / 'gripper.yaml')
    upper = float(gripper.limits.upper[0])
    motion = rd.simulate(gripper, [upper - 0.05], [0.5], [0.5], 0.3, method='rk4', step=1e-3)
    assert motion.q.max() <= upper + 1e-9
    assert motion.q[-1, 0] == pytest.approx(upper, abs=1e-9)


@pytest.mark.parametrize(('name', 'q', 'qd', 't'), [
    ('five_bar', np.deg2rad([30.0, 30.0]), [3.0, -2.0], 0.4),
    ('stewart', [0.2] * 6, [1.0, -0.5, 0.4, 0.3, -0.2, 0.6], 0.2)])
def test_steps_keep_their_order_and_close(name, q, qd, t):
    """Loops are put back after each step alone: half the step, a sixteenth of the error.

    Of the Stewart platform steps are taken in the rates of its trunk.
    """
    mechanism, t = rd.load(ROOT / 'urdf' / f'{name}.yaml'), [0.0, t]
    true = rd.simulate(mechanism, q, qd, None, t, method='DOP853', rtol=1e-12, atol=1e-13)
    errors = []
    for step in (8e-3, 4e-3, 2e-3):
        motion = rd.simulate(mechanism, q, qd, None, t, method='rk4', step=step)
        errors.append([np.abs(motion.q_tree[-1] - true.q_tree[-1]).max(),
                       np.abs(motion.qd[-1] - true.qd[-1]).max()])
        assert np.abs(mechanism.closure_error(motion.q_tree)).max() < 1e-10
    ratios = np.divide(errors[:-1], errors[1:])
    assert (ratios > 11.0).all() and (ratios < 22.0).all()


def spread(mechanism, N, part=0.02):
    """Return states of a mechanism around its start, (N, n) each."""
    generator = np.random.default_rng(2)
    places = [mechanism.tree_joint_names.index(x) for x in mechanism.joint_names]
    return (mechanism.start[places] + part * generator.uniform(-1, 1, (N, mechanism.n)),
            0.1 * generator.normal(size=(N, mechanism.n)))


@pytest.mark.parametrize('method', METHODS)
@pytest.mark.parametrize('name', ['five_bar', 'stewart'])
def test_many_mechanisms_move_as_one_by_one(name, method):
    """Six do not fill two blocks of four; between two samples there are four steps."""
    mechanism = rd.load(ROOT / 'urdf' / f'{name}.yaml')
    q, qd = spread(mechanism, 6)
    torque = mechanism.gravity_torque(q)
    options = {'t': np.linspace(0, 8e-3, 3), 'method': method, 'step': 1e-3, 'limits': False}
    many = rd.simulate(mechanism, q, qd, torque, **options)
    assert many.q_tree.shape == (3, 6, len(mechanism.tree_joint_names))
    for k in range(6):
        one, of_many = rd.simulate(mechanism, q[k], qd[k], torque[k], **options), many.robot(k)
        for part in ('q', 'qd', 'q_tree'):
            np.testing.assert_allclose(getattr(of_many, part), getattr(one, part), rtol=0,
                                       atol=1e-13)
        np.testing.assert_allclose(of_many.qdd, one.qdd, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(of_many.energy, one.energy, rtol=1e-12)


def test_many_floating_robots_move_as_one_by_one():
    solo = rd.load(ROBOTS / 'solo_description/robots/solo12.urdf', base='floating')
    qd = np.random.default_rng(1).uniform(-1, 1, (5, solo.n))
    options = {'t': np.linspace(0, 0.02, 3), 'method': 'rk4', 'step': 1e-3}
    many = rd.simulate(solo, np.tile(solo.neutral, (5, 1)), qd, None, **options)
    for k in range(5):
        one = rd.simulate(solo, solo.neutral, qd[k], None, **options)
        np.testing.assert_allclose(many.q[:, k], one.q, atol=1e-12)


def test_one_of_many_meets_a_singularity():
    """The others go on, and what is said of it is said of the one."""
    five_bar = rd.load(ROOT / 'urdf' / 'five_bar.yaml')
    q = np.deg2rad([[30.0, 30.0], [80.0, 70.0], [31.0, 30.0]])
    with pytest.warns(rd.RobotDynamicsWarning, match='1 of 3 robots .*the loops are singular'):
        fall = rd.simulate(five_bar, q, np.zeros((3, 2)), None, np.linspace(0, 1.5, 16),
                           method='rk4', step=1e-3, limits=False)
    assert [end.robot for end in fall.stopped] == [1]
    assert fall.stopped[0].time == pytest.approx(1.333, abs=2e-3)
    assert 'condition' in fall.stopped[0].reason
    assert fall.stopped[0].joint == 'left_elbow, right_elbow'
    assert np.isfinite(fall.q[:, [0, 2]]).all()
    assert np.isnan(fall.q[14:, 1]).all() and np.isfinite(fall.q[:14, 1]).all()


def test_euler_ends_where_it_cannot_follow_passive_rates():
    """Of first order, it would lose the energy near a singular pose and stay there."""
    five_bar = rd.load(ROOT / 'urdf' / 'five_bar.yaml')
    with pytest.warns(rd.RobotDynamicsWarning, match='the loops are singular'):
        fall = rd.simulate(five_bar, np.deg2rad([80.0, 70.0]), np.zeros(2), None, 2.0,
                           method='semi_implicit_euler', step=1e-3, limits=False)
    assert 1.30 < fall.stopped[0].time < 1.34
    assert np.abs(fall.energy - fall.energy[0]).max() < 0.02 * fall.kinetic.max()


def test_many_mechanisms_stop_and_begin_near():
    """Stops of passive joints hold in a batch; `near` is one pose, or one for each."""
    gripper = rd.load(ROOT / 'urdf' / 'gripper.yaml')
    upper = float(gripper.limits.upper[0])
    q, qd = [[upper - 0.05], [upper - 0.2]], [[0.5], [0.1]]
    options = {'t': np.linspace(0, 0.3, 4), 'method': 'rk4', 'step': 1e-3}
    many = rd.simulate(gripper, q, qd, [0.5], **options, near=gripper.start)
    np.testing.assert_allclose(many.q, rd.simulate(
        gripper, q, qd, [0.5], **options, near=np.tile(gripper.start, (2, 1))).q, atol=1e-13)
    assert many.q.max() <= upper + 1e-9
    for k in range(2):
        one = rd.simulate(gripper, q[k], qd[k], [0.5], **options)
        np.testing.assert_allclose(many.q_tree[:, k], one.q_tree, atol=1e-12)


def test_many_rates_from_one_pose_and_one_that_cannot_begin():
    five_bar = rd.load(ROOT / 'urdf' / 'five_bar.yaml')
    q, qd = np.deg2rad([30.0, 30.0]), np.array([[0.1, 0.2], [0.3, -0.4]])
    options = {'method': 'rk4', 'step': 1e-3}
    many = rd.simulate(five_bar, q, qd, None, 5e-3, **options)
    np.testing.assert_allclose(
        many.q[:, 1], rd.simulate(five_bar, q, qd[1], None, 5e-3, **options).q, atol=1e-13)
    with pytest.raises(rd.RobotDynamicsError, match='loop'):
        rd.simulate(five_bar, [q, [0.0, np.pi]], qd, None, 5e-3, **options)


@pytest.mark.parametrize('name', ['five_bar', 'stewart'])
def test_euler_puts_loops_back_within_its_steps(name, monkeypatch):
    """In machine code throughout; samples are closed, and the method keeps its first order."""
    mechanism = rd.load(ROOT / 'urdf' / f'{name}.yaml')
    q, qd = spread(mechanism, 1)
    q, qd, t = q[0], 10.0 * qd[0], [0.0, 0.1]
    rd.simulate(mechanism, q, qd, None, t, method='semi_implicit_euler', step=1e-3)
    rd.wait_for_kernels()
    taken, run = [], manifold_steps.ManifoldSteps.taken

    def counted(self, *arguments):
        taken.append((run(self, *arguments), arguments[3]))
        return taken[-1][0]

    monkeypatch.setattr(manifold_steps.ManifoldSteps, 'taken', counted)
    true = rd.simulate(mechanism, q, qd, None, t, method='DOP853', rtol=1e-11, atol=1e-12)
    errors = []
    for step in (2e-3, 1e-3, 5e-4):
        motion = rd.simulate(mechanism, q, qd, None, t, method='semi_implicit_euler', step=step)
        errors.append(np.abs(motion.q_tree[-1] - true.q_tree[-1]).max())
        assert np.abs(mechanism.closure_error(motion.q_tree)).max() < 1e-12
    assert taken and all(done == wanted for done, wanted in taken)
    ratios = np.divide(errors[:-1], errors[1:])
    assert (ratios > 1.8).all() and (ratios < 2.2).all()


def test_loops_that_gape_too_far_for_euler_are_closed_by_python():
    """At steps of a twentieth of a radian a step leaves more open than the next may close."""
    five_bar = rd.load(ROOT / 'urdf' / 'five_bar.yaml')
    q, qd = np.deg2rad([30.0, 30.0]), [6.0, -4.0]
    fast = rd.simulate(five_bar, q, qd, None, [0.0, 0.1], method='semi_implicit_euler', step=2e-2)
    assert np.abs(five_bar.closure_error(fast.q_tree)).max() < 1e-10
    assert np.isfinite(fast.q).all() and not fast.stopped
