"""The oracle against the papers' numbers, Pinocchio's own reader, and itself by other ways."""

import json
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from mechanism.oracle import MechanismOracle

from robot_dynamics.description.mechanism import read_mechanism

URDF = Path(__file__).parents[2] / 'urdf'
PAPERS = json.loads((Path(__file__).parents[1] / 'data' / 'papers.json').read_text())['cases']
SHIPPED = {'four_bar': 1, 'five_bar': 2, 'delta': 3, 'stewart': 6, 'palletizer': 4, 'gripper': 1}


def shipped(name):
    return MechanismOracle(read_mechanism(URDF / f'{name}.yaml'))


def close(found, expected, rtol=1e-9):
    expected = np.atleast_1d(expected)
    bound = rtol * max(1e-3, np.abs(expected).max())
    np.testing.assert_allclose(np.atleast_1d(found), expected, rtol=0, atol=bound)


@pytest.mark.parametrize('name', SHIPPED)
def test_shipped_mechanisms_start_closed_with_the_freedoms_they_name(name):
    oracle = shipped(name)
    assert oracle.closure_error(oracle.start) < 1e-12
    assert oracle.freedoms() == SHIPPED[name] == len(oracle.actuated)
    assert oracle.condition(oracle.start) < 100


@pytest.mark.parametrize('name', SHIPPED)
def test_shipped_urdfs_have_visuals_and_limits(name):
    record = read_mechanism(URDF / f'{name}.yaml')
    assert not record.warnings and not record.tree.warnings
    for link in record.tree.links.values():
        assert link.inertial is None or link.shapes, link.name
    for joint in record.tree.joints:
        assert joint.type == 'fixed' or np.isfinite([joint.effort, joint.velocity]).all()
        assert joint.lower <= record.start.get(joint.name, 0.0) <= joint.upper


@pytest.mark.parametrize('name', SHIPPED)
def test_the_tree_is_pinocchios_own(name, rng):
    oracle = shipped(name)
    model = pin.buildModelFromXML((URDF / f'{name}.urdf').read_text(), mimic=False)
    model.gravity.linear = oracle.model.gravity.linear
    order = [oracle.names.index(n) for n in list(model.names)[1:]]
    q, qd, qdd = rng.uniform(-1, 1, (3, len(order)))
    its_q = np.concatenate([
        [np.cos(q[k]), np.sin(q[k])] if model.joints[i].nq == 2 else [q[k]]
        for i, k in enumerate(order, start=1)])
    expected = pin.rnea(model, model.createData(), its_q, qd[order], qdd[order])
    found = pin.rnea(oracle.model, oracle.data, q, qd, qdd)[order]
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize('name', SHIPPED)
def test_forward_is_the_inverse_of_inverse_by_two_ways(name, rng):
    oracle = shipped(name)
    for q_tree, qd, qdd in oracle.random_states(rng, 5):
        tau = oracle.inverse_dynamics(q_tree, qd, qdd)
        close(oracle.forward_dynamics(q_tree, qd, tau), qdd, 1e-10)
        by_multipliers, _ = oracle.forward_by_multipliers(q_tree, qd, tau)
        close(by_multipliers, oracle.tree_accelerations(q_tree, qd, qdd), 1e-9)
        qd_tree = oracle.tree_rates(q_tree, qd)
        assert np.abs(oracle.constraints(q_tree)[1] @ qd_tree).max() < 1e-12


def test_four_bar_of_the_paper():
    oracle, case = shipped('four_bar'), PAPERS['four_bar']
    for row in case['inverse_dynamics']['open']:
        theta = np.array(row['theta'][:3])
        q = oracle.assemble(theta[:1])
        close(np.exp(1j * q).view(float), np.exp(1j * theta).view(float))  # turns are free
        qd, qdd = np.array(row['thetad'][:1]), np.array(row['thetadd'][:1])
        close(oracle.tree_rates(q, qd), row['thetad'])
        close(oracle.tree_accelerations(q, qd, qdd), row['thetadd'])
        close(oracle.inverse_dynamics(q, qd, qdd), row['tau1'])
        close(oracle.inertia_matrix(q)[0], row['inertia'])
    for row in case['forward_dynamics']['open']:
        q = np.array([row['theta1'], row['theta2'], row['theta3']])
        assert oracle.closure_error(q) < 1e-12
        qd = np.array([row['theta1d']])
        close(oracle.forward_dynamics(q, qd, np.array([row['tau1']])), row['qdd'])
        close(oracle.energies(q, qd), [row['KE'], row['PE']])


def test_five_bar_of_the_paper():
    oracle = shipped('five_bar')
    case = PAPERS['five_bar']['configurations']['side+1_mode-1']
    for row in case['inverse_dynamics']:
        q = np.array([*row['leg1_theta'], *row['leg2_theta'][:2]])
        found = oracle.assemble(q[[0, 2]])
        close(np.exp(1j * found).view(float), np.exp(1j * q).view(float))
        qd, qdd = np.array(row['rates'])[[0, 2]], np.array(row['accels'])[[0, 2]]
        close(oracle.tree_rates(q, qd), row['rates'])
        close(oracle.inverse_dynamics(q, qd, qdd), row['tau'])
        close(oracle.inertia_matrix(q), row['GIM'])
    for row in case['forward_dynamics']:
        q = np.ravel(np.column_stack([row['theta1'], row['theta2']]))
        qd = np.array(row['theta1d'])
        close(oracle.forward_dynamics(q, qd, np.array(row['tau'])), row['qdd'])
        close(oracle.energies(q, qd), [row['KE'], row['PE']])


def test_wrenches_at_the_cuts_balance_the_tree(rng):
    oracle = shipped('five_bar')
    for q_tree, qd, qdd in oracle.random_states(rng, 3):
        wrench = oracle.constraint_wrenches(q_tree, qd, qdd)['tip']
        tau = oracle.inverse_dynamics(q_tree, qd, qdd)
        rates = oracle.tree_rates(q_tree, qd), oracle.tree_accelerations(q_tree, qd, qdd)
        torques = oracle.tree_torques(q_tree, *rates)
        torques[[0, 2]] -= tau
        for link, a, at, sign in (('left_forearm', 1.1, [0, 1], -1.0),
                                  ('right_forearm', 0.8, [2, 3], 1.0)):
            angle, force = q_tree[at].sum(), sign * wrench[3:]
            arm = a * np.array([np.cos(angle), np.sin(angle), 0.0])
            torques -= oracle.jacobian(q_tree, link).T @ np.r_[np.cross(arm, force), force]
        close(torques + 1.0, np.ones(4), 1e-10)
