"""How dependent joints follow: rows in the axes of a leg's end, single columns, the trunk."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import robot_dynamics as rd
from robot_dynamics.algorithms.complement import orthogonal, solve, solve_transposed
from robot_dynamics.engine.tracing.symbols import Graph, Symbol
from robot_dynamics.engine.tracing.trace import symbolic_numbers
from robot_dynamics.mechanism.closing import Closing

ROOT = Path(__file__).parents[2]
NAMES = ('four_bar', 'five_bar', 'delta', 'stewart', 'palletizer', 'gripper', 'quadruped')


def sparse(rng, size, rows):
    """Return a regular matrix with zeros, columns like a universal joint's among them."""
    A = rng.normal(size=(rows, size)) * (rng.uniform(size=(rows, size)) < 0.4)
    A[rng.permutation(rows)[:size], np.arange(size)] = rng.uniform(1, 2, size)
    A[1:, 0] = 0.0
    return A if np.linalg.cond(A) < 1e4 else sparse(rng, size, rows)


@pytest.mark.parametrize('more', [0, 2])
def test_sparse_equations(rng, more):
    for _ in range(50):
        A = sparse(rng, 6, 6 + more)
        factors, x, tau = orthogonal(list(A.T)), rng.normal(size=6), rng.normal(size=6)
        assert factors.single or more
        np.testing.assert_allclose(solve(factors, A @ x), x, atol=1e-9)
        y = solve_transposed(factors, tau, 6 + more, float)
        np.testing.assert_allclose(y, np.linalg.lstsq(A.T, tau, rcond=None)[0], atol=1e-9)
        assert all(a > b for a, b in factors.guards)


def test_a_singular_matrix_is_seen():
    A = np.array([[1.0, 0.0, 0.0], [2.0, 1.0, 2.0], [0.0, 0.5, 1.0]])
    assert not all(a > b for a, b in orthogonal(list(A.T)).guards)
    A[:, 1] = 0.0
    assert not all(a > b for a, b in orthogonal(list(A.T)).guards)


@pytest.mark.parametrize('name', NAMES)
def test_rows_seen_from_an_end(name, rng):
    """The same equations: turned back they are those in the axes of the shared body."""
    mechanism = rd.load(ROOT / 'urdf' / f'{name}.yaml')
    loops = mechanism.model.coordinates.loops
    q = loops.tree.integrate(mechanism.start, rng.uniform(-0.1, 0.1, loops.tree.nv))
    closing, J = Closing(loops, q), loops.jacobian(q)
    rates = rng.normal(size=loops.tree.nv)
    np.testing.assert_allclose(closing.J @ rates, closing.turned(J @ rates), atol=1e-12)
    np.testing.assert_allclose(closing.drift(rates), closing.turned(loops.drift(q, rates)),
                               atol=1e-11)
    step = 1e-6 * rates
    slope = (loops.gaps(loops.tree.integrate(q, step)) - loops.gaps(
        loops.tree.integrate(q, -step))) / 2e-6
    if not any(len(cut.slides) < 3 for cut in loops.cuts):
        np.testing.assert_allclose(J @ rates, slope, atol=1e-7)


def test_the_trunk_gives_the_same_accelerations(rng):
    """Compiled code goes over the trunk of a Stewart platform, the reference does not."""
    stewart = rd.load(ROOT / 'urdf' / 'stewart.yaml')
    coordinates, names = stewart.model.coordinates, stewart.tree_joint_names
    assert [names[k] for k in coordinates.trunk] == [
        'base_1_x', 'base_1_y', 'leg_1', 'platform_x', 'platform_y', 'platform_z']
    own = [names.index(x) for x in stewart.joint_names]
    for _ in range(3):
        q = stewart.start[own] + rng.uniform(-0.05, 0.05, 6)
        tree, qd, tau = stewart.assemble(q), *rng.normal(size=(2, 6))
        kernel, work = stewart.kernels.compiled('forward_dynamics')
        found = kernel.bind(work)(tree, qd, tau, None)
        true, _ = stewart.kernels._fallback.reference('forward_dynamics', (), [tree, qd, tau])
        np.testing.assert_allclose(found, true, rtol=1e-10, atol=1e-10)


def test_a_crank_is_no_trunk():
    """Its pivot vanishes at the dead point, where the motor's joint is as good as anywhere."""
    for name in ('four_bar', 'five_bar', 'delta', 'palletizer'):
        assert rd.load(ROOT / 'urdf' / f'{name}.yaml').model.coordinates.trunk == ()


def test_friction_of_a_joint_that_loops_hold_still():
    """Its rate is a number among symbols: tracing goes on."""
    graph = Graph()
    robot = rd.load(ROOT / 'urdf' / 'four_bar.yaml')
    spec = replace(robot.kernels.spec, damping=True, friction=True)
    m = symbolic_numbers(spec, graph)
    rates = np.array([graph.state('qd', 0), 0.0, graph.state('qd', 1)], object)
    torque, slope = m.joint_friction(rates), m.friction_slope(rates)
    assert torque[1] == 0.0
    assert all(type(x) is Symbol for x in (torque[0], torque[2], *slope))
