"""`out=`: every array is written whole or refused, and kept where there is an error."""

import sys
import threading

import numpy as np
import pytest

import robot_dynamics as rd
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.kernels import Kernels
from robot_dynamics.engine.stacks.kernels import StackKernels

N = 1000


@pytest.fixture(scope='module')
def arm():
    robot = rd.load('panda_like')
    q = np.zeros(robot.n)
    for _ in range(2):
        robot.inertia_matrix(q), robot.udu(q), robot.inverse_dynamics_derivatives(q, q, q)
        rd.wait_for_kernels()
    return robot


@pytest.mark.parametrize('wrap', [lambda x: (x,), lambda x: [x]], ids=['tuple', 'list'])
def test_one_result_wants_an_array(arm, wrap):
    n = arm.n
    with pytest.raises(rd.InputError, match='out: expected'):
        arm.inertia_matrix(np.zeros((N, n)), out=wrap(np.empty((N, n, n))))
    with pytest.raises(rd.InputError, match='out: expected'):
        arm.kinetic_energy(np.zeros(n), np.zeros(n), out=wrap(np.empty(())))


def test_several_results_want_an_array_each(arm):
    n = arm.n
    q, same = np.zeros(n), np.empty((n, n))
    for out in (np.empty((3, n, n)), 5, 'abc', (same, same, same), (same,), (),
                (same, same.copy(), np.empty((n, n), np.float32))):
        with pytest.raises(rd.InputError, match='out: expected several arrays'):
            arm.inverse_dynamics_derivatives(q, q, q, out=out)
    with pytest.raises(rd.InputError, match='q: '):
        arm.udu([[1, 2], [3]], out=(same, np.empty(n)))


@pytest.mark.parametrize('name', ['inverse_dynamics_derivatives', 'udu'])
def test_stacks_write_each_robot_its_own(arm, name):
    """Results of a thousand robots go in blocks."""
    stack = arm.with_payload('flange', np.linspace(0, 5, N))
    rng, several = np.random.default_rng(1), 3 if name != 'udu' else 1
    states = rng.uniform(-1, 1, (several, N, arm.n))
    for _ in range(2):
        expected = getattr(stack, name)(*states)
        rd.wait_for_kernels()
    out = tuple(np.full(x.shape, np.nan) for x in expected)
    found = getattr(stack, name)(*states, out=out)
    for x, y, z in zip(found, out, expected, strict=True):
        assert x is y
        np.testing.assert_array_equal(y, z)
    for x, y in zip(getattr(stack, name)(*states[:, 0], out=out),
                    getattr(stack, name)(*states[:, 0]), strict=True):  # one state for all
        np.testing.assert_array_equal(x, y)


def test_an_array_of_one_state_is_kept_where_there_is_an_error(arm):
    rows = [rd.DHRow(a=1, b=0, alpha=0, theta=0, mass=m, com=[0, 0, 0], inertia=m * np.eye(3))
            for m in (1, 0)]
    loose, q = rd.Robot.from_dh(rows, missing_inertia='zero'), np.zeros(2)
    out, huge = np.full(2, 7.0), np.full(arm.n, 1e300)
    kept = np.full(arm.n, 7.0)
    for _ in range(2):
        for options in ({}, {'algorithm': 'cholesky'}, {'external': {'link_1': np.ones(6)}}):
            with pytest.raises(rd.SingularityError, match='singular'):
                loose.forward_dynamics(q, q, q, out=out, **options)
        with pytest.raises(rd.InputError, match='too large|finite|1e'):
            arm.inverse_dynamics(0 * huge, huge, huge, out=kept)
        rd.wait_for_kernels()
    assert (out == 7).all() and (kept == 7).all()


def test_torques_of_large_robots_under_wrenches_are_looked_at():
    rows = [rd.DHRow(a=0.1, b=0, alpha=0.3, theta=0, mass=1, com=[0, 0, 0],
                     inertia=0.01 * np.eye(3)) for _ in range(135)]
    robot = rd.Robot.from_dh(rows)
    q, pull = np.full(robot.n, 0.1), {robot.link_names[-1]: np.ones(6)}
    for tau in (2.0, [2.0], np.ones((robot.n, 1)), np.full(robot.n, 1j), 'abc', np.ones(3)):
        with pytest.raises(rd.InputError, match='tau: '):
            robot.forward_dynamics(q, q, tau, external=pull)
    tau = np.ones(robot.n)
    qdd = robot.forward_dynamics(q, q, tau, external=pull)
    np.testing.assert_allclose(robot.inverse_dynamics(q, q, qdd, external=pull), tau, atol=1e-7)
    both = robot.forward_dynamics(np.array([q, q]), [q, q], [tau, tau], external=pull)
    np.testing.assert_allclose(both, [qdd, qdd], rtol=1e-12)


def test_threads_that_ask_for_the_table_at_once_weld_a_payload_once(arm):
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(100):
            loaded = arm.with_payload('flange', 1.0)
            threads = [threading.Thread(target=lambda robot=loaded: robot.total_mass)
                       for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert loaded.total_mass == pytest.approx(arm.total_mass + 1.0)
    finally:
        sys.setswitchinterval(interval)


def test_looking_at_kernels_compiles_none(arm):
    fresh = rd.load('panda_like')
    assert not set(DEFINITIONS) & set(dir(fresh._kernels))
    assert 'udu' in dir(arm._kernels)


@pytest.mark.parametrize('kind', [Kernels, StackKernels])
def test_no_kernel_has_the_name_of_something_else(kind):
    for name in DEFINITIONS:
        assert type(getattr(kind, name)).__name__ == 'Unbound', name
