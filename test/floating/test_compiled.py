"""Compiled kernels of floating robots are the algorithms over floats, alone and in batches."""

import numpy as np
import pytest
from floating_oracle import random_states
from oracle import ROBOTS

import robot_dynamics as rd
from robot_dynamics.engine.catalogue import DEFINITIONS

SOLO = ROBOTS / 'solo_description/robots/solo12.urdf'


@pytest.fixture(scope='module')
def robot():
    return rd.load(SOLO, base='floating')


@pytest.mark.parametrize('name', [
    pytest.param(name, marks=pytest.mark.slow if name == 'forward_dynamics_derivatives' else ())
    for name, definition in DEFINITIONS.items()
    if not definition.options and not definition.looped
    and 'sliding' not in definition.inputs])  # servos: in test_servo_steps.py
def test_kernels_are_the_algorithms(robot, name):
    q, qd, qdd, tau = random_states(robot, np.random.default_rng(1), 5)
    given = {'q': q, 'qd': qd, 'qdd': qdd, 'tau': tau, 'free': np.ones_like(qd)}
    arguments = [given[x] for x in DEFINITIONS[name].inputs if x != 'external']
    kernels = robot.kernels
    assert kernels.compiled(name) is not None
    many = kernels.evaluate(name, tuple(arguments))
    for k in range(len(q)):
        one = [x[k] for x in arguments]
        found = kernels.evaluate(name, tuple(one))
        parts = found if isinstance(found, tuple) else (found,)
        rows = many if isinstance(many, tuple) else (many,)
        for part, row in zip(parts, rows, strict=True):
            assert np.array_equal(part, row[k])  # the same bits alone and in a batch
        if k > 1:  # over floats it takes its time
            continue
        flat = np.concatenate([np.ravel(part) for part in parts])
        expected = kernels._fallback.reference(name, (), one)[0]
        np.testing.assert_allclose(flat, expected, atol=1e-9 * np.abs(expected).max())


def test_held_joints(robot):
    q, qd, _, tau = (x[0] for x in random_states(robot, np.random.default_rng(2), 1))
    free = np.ones(robot.n)
    free[[8, 14]] = 0.0
    found = robot.kernels.evaluate('held_dynamics', (q, qd, tau, free))
    moves = free > 0
    I, rest = robot.inertia_matrix(q), tau - robot.bias(q, qd)
    qdd = np.zeros(robot.n)
    qdd[moves] = np.linalg.solve(I[np.ix_(moves, moves)], rest[moves])
    np.testing.assert_allclose(found, np.where(moves, qdd, I @ qdd - rest), atol=1e-8)


def test_length_of_the_quaternion_does_not_matter(robot):
    q, qd, qdd, tau = (x[0] for x in random_states(robot, np.random.default_rng(4), 1))
    longer = q.copy()
    longer[3:7] *= 3.7
    for verb, arguments in (('inverse_dynamics', (qd, qdd)), ('forward_dynamics', (qd, tau)),
                            ('potential_energy', ()), ('center_of_mass', ())):
        np.testing.assert_allclose(getattr(robot, verb)(longer, *arguments),
                                   getattr(robot, verb)(q, *arguments), rtol=1e-12)
    found = robot.inverse_dynamics_derivatives(longer, qd, qdd)
    for block, expected in zip(found, robot.inverse_dynamics_derivatives(q, qd, qdd), strict=True):
        np.testing.assert_allclose(block, expected, atol=1e-9)


def test_wrong_states(robot):
    q, qd, qdd, _ = (x[0] for x in random_states(robot, np.random.default_rng(5), 1))
    zero = q.copy()
    zero[3:7] = 0.0
    for verb, arguments in (('inverse_dynamics', (qd, qdd)), ('inertia_matrix', ()),
                            ('forward_dynamics', (qd, qdd)), ('kinetic_energy', (qd,))):
        for _ in range(2):  # before and after the kernel is there
            with pytest.raises(rd.InputError, match="quaternion .* of joint 'base'.*zero"):
                getattr(robot, verb)(zero, *arguments)
            rd.wait_for_kernels()
    with pytest.raises(rd.InputError, match='state 1 of the batch.*quaternion'):
        robot.inertia_matrix(np.stack([q, zero]))
    with pytest.raises(rd.InputError, match='nan'):
        robot.inertia_matrix(np.where(np.arange(len(q)) == 4, np.nan, q))
    with pytest.raises(rd.InputError, match=r'q: shape \(18,\): expected \(19,\)'):
        robot.inertia_matrix(q[1:])
    with pytest.raises(rd.InputError, match=r'qd: shape \(19,\): expected \(18,\)'):
        robot.bias(q, q)


@pytest.mark.filterwarnings('ignore::robot_dynamics.RobotDynamicsWarning')
def test_large_humanoids_are_traced_farther_than_large_arms():
    """No recursion for large robots knows floating joints: machine code must."""
    file = ROBOTS / 'talos_data/robots/talos_full_v2.urdf'
    gim, free = DEFINITIONS['inertia_matrix'], rd.load(file, base='floating').kernels.spec
    assert free.L > gim.largest and gim.traces(free)
    rows = [rd.DHRow(0.1, 0.0, 0.5, 0.1, mass=1.0, inertia=np.eye(3))] * free.L
    assert not gim.traces(rd.Robot.from_dh(rows).kernels.spec)
