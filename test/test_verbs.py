"""Every verb as a kernel: the same while it is compiled and after, alone and in a batch."""

import copy
import pickle
import warnings

import numpy as np
import pinocchio as pin
import pytest
from oracle import ROBOTS, Oracle

import robot_dynamics as rd

LINKS = {'panda': ('panda_hand', 'panda_link3'), 'kinova': ('j2s6s200_link_4',) * 1}
FILES = {'panda': 'panda_description/urdf/panda.urdf',
         'kinova': 'kinova_description/robots/kinova.urdf'}


@pytest.fixture(scope='module', params=FILES)
def arm(request):
    """A robot with damping, friction and (the Panda) a mimic joint, and one without."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        robot = rd.load(ROBOTS / FILES[request.param])
        judge = Oracle(ROBOTS / FILES[request.param], robot)
    return robot, judge, LINKS[request.param]


def verbs(robot, links):
    """Every verb with its states as arguments."""
    link = links[0]
    pull = {name: np.arange(6.0) - k for k, name in enumerate(links)}
    return {
        'inverse dynamics': lambda q, qd, x: robot.inverse_dynamics(q, qd, x),
        'inverse dynamics, pulled': lambda q, qd, x: robot.inverse_dynamics(
            q, qd, x, external=pull),
        'forward dynamics, pulled': lambda q, qd, x: robot.forward_dynamics(
            q, qd, x, external=pull),
        'inverse dynamics by name': lambda q, qd, x: robot.inverse_dynamics(
            q, qd, x, algorithm='denoc', external=pull),
        'derivatives, pulled': lambda q, qd, x: robot.inverse_dynamics_derivatives(
            q, qd, x, external=pull)[0],
        'C': lambda q, qd, x: robot.convective_matrix(q, qd),
        'skew C': lambda q, qd, x: robot.convective_matrix(q, qd, form='skew'),
        'inverse of the GIM': lambda q, qd, x: robot.inertia_matrix_inverse(q),
        'factors': lambda q, qd, x: robot.udu(q)[0],
        'pivots': lambda q, qd, x: robot.udu(q)[1],
        'reactions': lambda q, qd, x: robot.reaction_wrenches(q, qd, x),
        'friction': lambda q, qd, x: robot.friction_torque(qd),
        'kinetic energy': lambda q, qd, x: robot.kinetic_energy(q, qd),
        'potential energy': lambda q, qd, x: robot.potential_energy(q),
        'mass centre': lambda q, qd, x: robot.center_of_mass(q),
        'momentum': lambda q, qd, x: robot.centroidal_momentum(q, qd),
        'Jacobian rate': lambda q, qd, x: robot.jacobian_rate(q, qd, link),
        'manipulability': lambda q, qd, x: robot.manipulability(q, link),
    }


def test_pending_ready_alone_and_in_a_batch(arm, tmp_path, monkeypatch):
    """One state while kernels are compiled, one with them, and many at once: the same numbers."""
    robot, _, links = arm
    monkeypatch.setenv('ROBOT_DYNAMICS_CACHE', str(tmp_path))
    states = np.random.default_rng(0).uniform(-1, 1, (3, 37, robot.n))
    table = verbs(robot, links)
    pending = {name: verb(*states[:, 0]) for name, verb in table.items()}
    assert rd.wait_for_kernels(300)
    for name, verb in table.items():
        ready = verb(*states[:, 0])
        scale = np.abs(pending[name]).max()
        np.testing.assert_allclose(ready, pending[name], rtol=1e-9, atol=1e-11 * scale,
                                   err_msg=name)
        many = verb(*states)
        alone = np.array([verb(*state) for state in states.transpose(1, 0, 2)])
        assert np.array_equal(many, alone), name
        assert isinstance(ready, float) or ready.dtype == np.float64


def test_robots_that_have_answered_can_be_copied(arm):
    robot, _, links = arm
    state = np.random.default_rng(6).uniform(-1, 1, (3, robot.n))
    before = {name: verb(*state) for name, verb in verbs(robot, links).items()}
    other = pickle.loads(pickle.dumps(copy.deepcopy(robot)))
    for name, verb in verbs(other, links).items():
        np.testing.assert_allclose(verb(*state), before[name], rtol=1e-9, atol=1e-9, err_msg=name)


def test_convective_matrices(arm):
    """Both give the convective torque; dI/dt - 2 C of the second is skew-symmetric."""
    robot, _, _ = arm
    q, qd = np.random.default_rng(1).uniform(-1, 1, (2, robot.n))
    torque = robot.bias(q, qd) - robot.gravity_torque(q)
    for form in ('paper', 'skew'):
        C = robot.convective_matrix(q, qd, form=form)
        np.testing.assert_allclose(C @ qd, torque, atol=1e-12 * np.abs(torque).max())
    h = 1e-6
    rate = (robot.inertia_matrix(q + h * qd) - robot.inertia_matrix(q - h * qd)) / (2 * h)
    S = rate - 2 * C
    np.testing.assert_allclose(S, -S.T, atol=1e-8)
    with pytest.raises(rd.InputError, match=r"form='both': expected one of 'paper', 'skew'"):
        robot.convective_matrix(q, qd, form='both')


def test_momentum_is_pinocchios(arm):
    robot, judge, _ = arm
    q, qd = np.random.default_rng(2).uniform(-1, 1, (2, robot.n))
    pin.computeCentroidalMomentum(judge.model, judge.data, judge.position(q), judge.rates(qd))
    expected = np.concatenate([judge.data.hg.angular, judge.data.hg.linear])
    np.testing.assert_allclose(robot.centroidal_momentum(q, qd), expected, atol=1e-12)
    np.testing.assert_allclose(robot.center_of_mass(q), judge.centre_of_mass(q), atol=1e-12)
    np.testing.assert_allclose(robot.inertia_matrix_inverse(q) @ judge.inertia_matrix(q),
                               np.eye(robot.n), atol=1e-9)


def test_energies_are_pinocchios(arm):
    robot, judge, _ = arm
    q, qd = np.random.default_rng(3).uniform(-1, 1, (2, robot.n))
    assert robot.kinetic_energy(q, qd) == pytest.approx(judge.kinetic_energy(q, qd), rel=1e-12)
    V = [pin.computePotentialEnergy(judge.model, judge.data, judge.position(x))
         for x in (q, 0 * q)]
    ours = robot.potential_energy(q) - robot.potential_energy(0 * q)
    assert ours == pytest.approx(V[0] - V[1], rel=1e-12)


def test_derivatives_under_wrenches_are_slopes(arm):
    robot, _, links = arm
    q, qd, tau = np.random.default_rng(4).uniform(-1, 1, (3, robot.n))
    pull = {name: 5 * np.arange(6.0) for name in links}
    h = 1e-6
    for verb, slopes in (
            (robot.inverse_dynamics, robot.inverse_dynamics_derivatives),
            (robot.forward_dynamics, robot.forward_dynamics_derivatives)):
        found = slopes(q, qd, tau, external=pull)
        for k in range(robot.n):
            step = h * np.eye(robot.n)[k]
            difference = (verb(q + step, qd, tau, external=pull)
                          - verb(q - step, qd, tau, external=pull)) / (2 * h)
            np.testing.assert_allclose(found[0][:, k], difference, rtol=1e-4,
                                       atol=1e-6 * np.abs(found[0]).max())


def test_wrenches_on_robots_too_large_to_be_traced():
    """External torque is a kernel of its own there: the sum is the same."""
    n = 210
    rows = [rd.DHRow(0.1, 0.02, np.pi / 2, 0.1, mass=1, inertia=0.01 * np.eye(3))] * n
    robot = rd.Robot.from_dh(rows)
    q, qd, qdd = np.random.default_rng(5).uniform(-1, 1, (3, n)) / 10
    link, w = robot.link_names[-1], np.array([1.0, -2, 3, 4, 5, -6])
    tau = robot.inverse_dynamics(q, qd, qdd, external={link: w})
    expected = robot.inverse_dynamics(q, qd, qdd) - robot.jacobian(q).T @ w
    np.testing.assert_allclose(tau, expected, rtol=1e-10, atol=1e-8)
    found = robot.forward_dynamics(q, qd, tau, external={link: w})
    np.testing.assert_allclose(found, qdd, atol=1e-6)
