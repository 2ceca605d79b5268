"""The papers' own examples, with values computed by independent engines (test/data)."""

import numpy as np
import pytest
from algorithms.robots import PAPERS, from_dh, paper_robot, relative_error, two_bodies

from robot_dynamics.algorithms import FORWARD, GIM, INVERSE
from robot_dynamics.algorithms.denoc_forward import udu

inverse = pytest.mark.parametrize('inverse', INVERSE.values(), ids=list(INVERSE))
forward = pytest.mark.parametrize('forward', FORWARD.values(), ids=list(FORWARD))
gim = pytest.mark.parametrize('gim', GIM.values(), ids=list(GIM))
chains = pytest.mark.parametrize(
    'chain', PAPERS['random_chains']['chains'], ids=lambda chain: chain['name'])


def every_joint(row, keys, n):
    return (np.full(n, row[key]) for key in keys)


@gim
def test_puma_inertia_matrix(gim):
    geometry, inertials = paper_robot('puma_rods')
    for row in PAPERS['puma_rods']['gim']:
        q = np.array(row['q'])
        assert relative_error(gim(geometry, inertials, q), row['GIM']) < 1e-9
        assert relative_error(udu(geometry, inertials, q)[1], row['UDUT_D']) < 1e-9


@inverse
def test_puma_torques(inverse):
    geometry, inertials = paper_robot('puma_rods')
    for row in PAPERS['puma_rods']['inverse_dynamics']:
        q, qd, qdd = every_joint(row, ('theta', 'thetad', 'thetadd'), 6)
        assert relative_error(inverse(geometry, inertials, q, qd, qdd), row['tau']) < 1e-9
        floating = inertials.over(gravity=np.zeros(3))
        found = inverse(geometry, floating, q, qd, qdd)
        assert relative_error(found, row['tau_no_gravity']) < 1e-9


@forward
def test_puma_accelerations(forward):
    geometry, inertials = paper_robot('puma_rods')
    for row in PAPERS['puma_rods']['forward_dynamics']:
        q, qd, tau = (np.array(row[key]) for key in ('q', 'qd', 'tau'))
        assert relative_error(forward(geometry, inertials, q, qd, tau)[0], row['qdd']) < 1e-9


@inverse
def test_stanford_torques(inverse):
    geometry, inertials = paper_robot('stanford')
    for row in PAPERS['stanford']['trajectory_rows']:
        q, qd, qdd = every_joint(row, ('q', 'qd', 'qdd'), 3)
        assert relative_error(inverse(geometry, inertials, q, qd, qdd), row['tau_gravity']) < 1e-9
    for row in PAPERS['stanford']['random_states']:
        q, qd, qdd = (np.array(row[key]) for key in ('q', 'qd', 'qdd_in'))
        found = inverse(geometry, inertials, q, qd, qdd)
        assert relative_error(found, row['tau_id_gravity']) < 1e-9


@gim
def test_stanford_inertia_matrix(gim):
    geometry, inertials = paper_robot('stanford')
    for row in PAPERS['stanford']['random_states']:
        assert relative_error(gim(geometry, inertials, np.array(row['q'])), row['GIM']) < 1e-9


@forward
def test_stanford_accelerations(forward):
    geometry, inertials = paper_robot('stanford')
    for row in PAPERS['stanford']['random_states']:
        q, qd, tau = (np.array(row[key]) for key in ('q', 'qd', 'tau_in'))
        found, _ = forward(geometry, inertials, q, qd, tau)
        assert relative_error(found, row['qdd_fd_gravity']) < 1e-9


@chains
@inverse
def test_chain_torques(inverse, chain):
    geometry, inertials = from_dh(chain['links'], chain['gravity'])
    q, qd, qdd = (np.array(chain[key]) for key in ('q', 'qd', 'qdd_in'))
    assert relative_error(inverse(geometry, inertials, q, qd, qdd), chain['tau_id']) < 1e-9
    bias = inverse(geometry, inertials, q, qd, np.zeros_like(q))
    assert relative_error(bias, chain['nonlinear']) < 1e-9


@chains
@gim
def test_chain_inertia_matrix(gim, chain):
    geometry, inertials = from_dh(chain['links'], chain['gravity'])
    assert relative_error(gim(geometry, inertials, np.array(chain['q'])), chain['GIM']) < 1e-9


@chains
@forward
def test_chain_accelerations(forward, chain):
    geometry, inertials = from_dh(chain['links'], chain['gravity'])
    q, qd, tau = (np.array(chain[key]) for key in ('q', 'qd', 'tau_in'))
    found, _ = forward(geometry, inertials, q, qd, tau)
    assert relative_error(found, chain['qdd_fd']) < 1e-9


@forward
def test_two_bodies_in_double_precision(forward):
    """Mata2002, section 5.1: condition 1e8 and more, so that rounding shows."""
    geometry, inertials = two_bodies()
    truth = PAPERS['ascher_two_body']['double_precision']['bar_m2_10']
    zero = np.zeros(2)
    for angle, qdd, cond in zip(truth['q2_deg'], truth['qdd'], truth['cond2'], strict=True):
        q = np.array([0.0, np.deg2rad(angle)])
        found, _ = forward(geometry, inertials, q, zero, zero)
        limit = max(1e-9, 50 * np.finfo(float).eps * cond)
        assert relative_error(found, qdd) < limit
