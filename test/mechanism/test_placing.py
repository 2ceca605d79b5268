"""Poses from the independent joints alone: the branch is the one that small steps keep."""

from pathlib import Path

import numpy as np
import pytest
from mechanism.random_mechanisms import KINDS, random_mechanism
from mechanism.test_mechanism import quietly

import robot_dynamics as rd
from robot_dynamics.loading import load
from robot_dynamics.mechanism.gaps import close
from robot_dynamics.mechanism.loading import mechanism_of

URDF = Path(__file__).parents[2] / 'urdf'
SMALL_STEPS, GAP = 100, 1e-9
QUICK = ('RSSR', 'universal cut', 'spherical cut to world', 'two loops', 'coupling')


def continued(loops, start, values):
    """Return the pose that small steps along the straight line end at, None: they do not."""
    q, begin = start, start[list(loops.values)]
    for part in np.linspace(0.0, 1.0, SMALL_STEPS)[1:]:
        ahead, left = close(loops, loops.put(q, begin + part * (values - begin)), loops.dependent)
        if left > GAP or np.abs(ahead - q).max() > 0.2:
            return None
        q = ahead
    return q


def check(mechanism, values):
    """Return how many values are placed at once; those must be where small steps end."""
    loops, hits = mechanism._loops, 0
    for x in values:
        with np.errstate(all='ignore'):
            found, guards = loops.placed(x)
        if not all(a > b for a, b in guards):
            continue
        hits += 1
        truth = continued(loops, mechanism.start, x)
        assert truth is not None
        assert np.abs(found - truth).max() < 1e-8
        assert np.abs(mechanism.closure_error(found)).max() < 1e-10
    return hits


@pytest.mark.parametrize('kind', [
    pytest.param(kind, marks=() if kind in QUICK else pytest.mark.slow)
    for kind in KINDS if 'bar' not in kind])
def test_random_loops_keep_their_branch(kind, rng):
    record, _ = random_mechanism(rng, kind)
    mechanism = quietly(lambda: mechanism_of(record, load(record.tree)))
    spread = np.repeat([0.03, 0.3, 1.5], [3, 4, 3])
    values = mechanism.neutral + spread[:, None] * rng.uniform(-1, 1, (10, mechanism.nq))
    assert check(mechanism, values) >= 3  # short ways at least


@pytest.mark.parametrize('name', ['delta', 'stewart'])
def test_one_call_places_and_answers(name, rng):
    """Compiled, over floats, alone and in a batch; long ways go in parts."""
    mechanism = rd.load(URDF / f'{name}.yaml')
    assert not mechanism.closes_directly
    q = mechanism.neutral + rng.uniform(-0.1, 0.1, (40, mechanism.n))
    q[7] += 0.2 * rng.normal(size=mechanism.n)  # farther
    qd, tau = rng.normal(size=(2, 40, mechanism.n))
    assert check(mechanism, q[:4]) >= 3
    slowly = np.array([mechanism.assemble(x) for x in q[:8]])
    for _ in range(2):
        mechanism.forward_dynamics(q[0], qd[0], tau[0])
        rd.wait_for_kernels()
    trees, many = mechanism.assemble(q), mechanism.forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(trees[:8], slowly, rtol=0, atol=1e-9)
    near = mechanism.forward_dynamics(q, qd, tau, near=trees)
    np.testing.assert_allclose(many, near, rtol=0, atol=1e-9 * np.abs(near).max())
    for k in (0, 7, 39):
        np.testing.assert_array_equal(mechanism.assemble(q[k]), trees[k])
        np.testing.assert_array_equal(mechanism.forward_dynamics(q[k], qd[k], tau[k]), many[k])


def test_loops_that_cannot_close_are_said_as_before(rng):
    stewart = rd.load(URDF / 'stewart.yaml')
    far = stewart.neutral + np.array([0.4, -0.4, 0.4, -0.4, 0.4, -0.4])
    for _ in range(2):
        with pytest.raises(rd.RobotDynamicsError, match='open|singular'):
            stewart.forward_dynamics(far, np.zeros(6), np.zeros(6))
        rd.wait_for_kernels()
    with pytest.raises(rd.RobotDynamicsError, match='state 1'):
        stewart.assemble([stewart.neutral, far])
    with pytest.raises(rd.InputError, match='nan'):
        stewart.assemble([np.nan] * 6)
