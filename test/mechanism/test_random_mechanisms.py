"""Random mechanisms: closed where they start, and the oracle agrees with itself on them."""

import numpy as np
import pytest
from mechanism.oracle import MechanismOracle
from mechanism.random_mechanisms import KINDS, native_text, random_mechanism

from robot_dynamics.description.mechanism import read_mechanism


@pytest.mark.parametrize('kind', KINDS)
def test_random_mechanisms(kind, rng, tmp_path):
    record, text = random_mechanism(rng, kind)
    oracle = MechanismOracle(record)
    assert oracle.closure_error(oracle.start) < 1e-12
    assert oracle.freedoms() == len(record.actuated) > 0
    for q_tree, qd, qdd in oracle.random_states(rng, 2, spread=0.1):
        tau = oracle.inverse_dynamics(q_tree, qd, qdd)
        by_multipliers, _ = oracle.forward_by_multipliers(q_tree, qd, tau)
        expected = oracle.tree_accelerations(q_tree, qd, qdd)
        scale = max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(by_multipliers, expected, rtol=0, atol=1e-8 * scale)
        _check_derivatives(oracle, q_tree, qd, qdd)
    (tmp_path / 'tree.urdf').write_text(text)
    (tmp_path / 'file.yaml').write_text(native_text(record, 'tree.urdf'))
    again = MechanismOracle(read_mechanism(tmp_path / 'file.yaml'))
    assert again.closure_error(again.start) < 1e-12
    np.testing.assert_allclose(again.inertia_matrix(again.start),
                               oracle.inertia_matrix(oracle.start), rtol=1e-9)


def _check_derivatives(oracle, q_tree, qd, qdd, h=1e-4):
    """Rates and accelerations are those of the assembled path."""
    def path(t):
        return oracle.assemble(q_tree[oracle.independent] + qd * t + qdd * t * t / 2, near=q_tree,
                               steps=1)
    before, after = path(-h), path(h)
    rates, accelerations = (oracle.tree_rates(q_tree, qd),
                            oracle.tree_accelerations(q_tree, qd, qdd))
    scale = max(1.0, np.abs(accelerations).max()) ** 2
    np.testing.assert_allclose((after - before) / (2 * h), rates, rtol=0, atol=1e-5 * scale)
    np.testing.assert_allclose((after - 2 * q_tree + before) / h**2, accelerations, rtol=0,
                               atol=1e-3 * scale)
