"""Mechanisms beside Pinocchio's open tree with its constraints solved densely."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from exact_dynamics import DIGITS
from mechanism.exact_mechanism import ExactMechanism
from mechanism.oracle import MechanismOracle
from mechanism.random_mechanisms import KINDS, random_mechanism
from mechanism.shared_loops import FILES, LOOPS, shared_mechanism

import robot_dynamics as rd
from robot_dynamics.description.mechanism import read_mechanism
from robot_dynamics.loading import load
from robot_dynamics.mechanism.loading import mechanism_of

ROOT = Path(__file__).parents[2]
SHIPPED = ('four_bar', 'five_bar', 'delta', 'stewart', 'palletizer', 'gripper')


def shipped(name):
    path = ROOT / 'urdf' / f'{name}.yaml'
    return rd.load(path), read_mechanism(path)


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return function(*arguments, **options)


def close(found, expected, rtol=1e-9):
    expected = np.asarray(expected, float)
    scale = max(1e-6, np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=0, atol=rtol * scale)


def compare(mechanism, oracle, rng, count, spread=0.3, exact=None):
    """Compare at random states: assembly, rates, and the equations of motion both ways.

    exact: judges accelerations in the oracle's place, where rounding of lengths alone moves them
    """
    free = [oracle.names.index(name) for name in mechanism.tree_joint_names]
    chosen = [oracle.independent.index(oracle.names.index(name))
              for name in mechanism.joint_names]
    states = []
    for q_tree, qd, qdd in oracle.random_states(rng, count, spread):
        q, near = q_tree[oracle.independent][chosen], q_tree[free]
        qd, qdd = qd[chosen], qdd[chosen]
        back = np.argsort(chosen)
        tree = mechanism.assemble(q, near=near)
        close(tree, near, 1e-7)  # near change points the oracle's own closure leaves 1e-8
        if len(free) == len(q_tree):
            q_tree = q_tree.copy()
            q_tree[free] = tree
        assert np.abs(mechanism.closure_error(tree)).max(initial=0.0) < 1e-10
        close(mechanism.passive_rates(q, qd, near=near),
              oracle.tree_rates(q_tree, qd[back])[free])
        close(mechanism.passive_accelerations(q, qd, qdd, near=near),
              oracle.tree_accelerations(q_tree, qd[back], qdd[back])[free])
        tau = oracle.inverse_dynamics(q_tree, qd[back], qdd[back])
        close(mechanism.inverse_dynamics(q, qd, qdd, near=near), tau)
        close(mechanism.inertia_matrix(q, near=near),
              oracle.inertia_matrix(q_tree)[np.ix_(chosen, chosen)])
        found = mechanism.forward_dynamics(q, qd, tau, near=near)
        if exact is None:
            close(found, oracle.forward_dynamics(q_tree, qd[back], tau)[chosen])
        else:
            true, *others = (each.accelerations(q_tree, qd[back], tau)[chosen]
                             for each in (exact, *(exact.shaken(rng) for _ in range(10))))
            by_rounding = max(np.abs(other - true).max() for other in others)
            assert np.abs(found - true).max() < 1e-9 * np.abs(true).max() + 10 * by_rounding
        kinetic, _ = oracle.energies(q_tree, qd[back])
        close(mechanism.kinetic_energy(q, qd, near=near), kinetic)
        states.append((q, qd, qdd, near))
    return states


@pytest.mark.parametrize('name', [pytest.param(name, marks=pytest.mark.slow if name in (
    'delta', 'stewart', 'palletizer', 'gripper') else ()) for name in SHIPPED])
def test_shipped_mechanisms(name, rng):
    mechanism, record = shipped(name)
    states = compare(mechanism, MechanismOracle(record), rng, 6)
    rd.wait_for_kernels()
    states += compare(mechanism, MechanismOracle(record), rng, 20)  # compiled now
    q, qd, qdd, near = (np.array(x) for x in zip(*states, strict=True))
    many = mechanism.inverse_dynamics(q, qd, qdd, near=near)
    for k in range(len(q)):
        close(mechanism.inverse_dynamics(q[k], qd[k], qdd[k], near=near[k]), many[k], 1e-12)


@pytest.mark.parametrize('kind', KINDS)
def test_random_mechanisms(kind, rng):
    record, _ = random_mechanism(rng, kind)
    mechanism = quietly(lambda: mechanism_of(record, load(record.tree)))
    compare(mechanism, MechanismOracle(record), rng, 4, spread=0.1)


@pytest.mark.parametrize('file', [pytest.param(file, marks=pytest.mark.slow)
                                  if 'gepetto_delta' in file else file for file in FILES])
def test_mechanisms_that_people_have(file, rng, tmp_path):
    if not (LOOPS / file).exists():
        pytest.skip('the examples of other formats are not beside the repository')
    record = quietly(shared_mechanism, file, tmp_path)
    options = {'missing_inertia': 'zero', **record.options}
    mechanism = quietly(lambda: mechanism_of(record, load(record.tree, **options)))
    exact = None
    if 'gepetto' in file:  # free balls of milligrams: an ulp of a length is 1e-7 of accelerations
        if not DIGITS:
            pytest.skip('long double is double here')
        exact = ExactMechanism(record)
    compare(mechanism, MechanismOracle(record), rng, 20, spread=0.2, exact=exact)


def test_large_batches_have_the_bits_of_single_calls():
    """Those shared among threads too, and states too far from `near` for the kernel."""
    stewart = rd.load(ROOT / 'urdf' / 'stewart.yaml')
    generator = np.random.default_rng(3)
    own = [stewart.tree_joint_names.index(x) for x in stewart.joint_names]
    q = stewart.start[own] + generator.uniform(-1e-4, 1e-4, (1300, 6))
    q[[5, 900]] += 0.05 * generator.normal(size=6)
    qd, tau = generator.normal(size=(2, 1300, 6))
    near = np.tile(stewart.start, (1300, 1))
    for _ in range(2):
        stewart.forward_dynamics(q[0], qd[0], tau[0], near=near[0])
        rd.wait_for_kernels()
    found = stewart.forward_dynamics(q, qd, tau, near=near)
    for k in (0, 5, 77, 900, 1299):
        np.testing.assert_array_equal(
            found[k], stewart.forward_dynamics(q[k], qd[k], tau[k], near=near[k]))
    q[9, 0] = np.nan
    with pytest.raises(rd.RobotDynamicsError, match='nan'):
        stewart.forward_dynamics(q, qd, tau, near=near)
