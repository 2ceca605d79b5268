"""Digits: what the way from a URDF to DH and DeNOC costs, judged in long double.

Pinocchio keeps the URDF's own frames; its errors beside the same judge are the measure of ours.
"""

import numpy as np
import pinocchio as pin
import pytest
from exact_dynamics import DIGITS, ExactTree, solve
from oracle import ROBOTS, Oracle, random_state
from random_chains import random_chain
from urdf_text import chain, joint, link, robot

import robot_dynamics as rd
from robot_dynamics.model.transforms import Z, rotation_to

pytestmark = [pytest.mark.skipif(not DIGITS, reason='long double is double here'),
              pytest.mark.filterwarnings('ignore::robot_dynamics.RobotDynamicsWarning')]
EPS = np.finfo(float).eps
LOST_DIGITS = [  # they lost three and more when right angles were taken to 1e-12
    'kinova_description/robots/kinova.urdf', 'centauro_description/urdf/centauro.urdf',
    'tiago_pro_description/robots/tiago_pro.urdf',
    'anymal_c_simple_description/urdf/anymal.urdf']
OTHERS = ['panda_description/urdf/panda.urdf', 'ur_description/urdf/ur10_robot.urdf',
          'talos_data/robots/talos_reduced.urdf', 'icub_description/robots/icub.urdf']
LARGE = (*LOST_DIGITS[1:3], *OTHERS[2:])


def errors(text: str, states: int = 1, seed: int = 3) -> dict[str, tuple[float, float]]:
    """Return the largest relative errors, ours and Pinocchio's; and eps times cond(GIM), twice."""
    ours = rd.load(text, friction=False)
    judge = ExactTree(text, ours.model.tree_joint_names)
    oracle = Oracle(None, ours, pin.buildModelFromXML(text))
    G, q0 = (array.astype(np.longdouble) for array in (
        ours.model.coordinates.G, ours.model.coordinates.q0))
    worst: dict[str, tuple[float, float]] = {}
    for q, qd, qdd in zip(*random_state(ours, np.random.default_rng(seed), states)[:3],
                          strict=True):
        tree = np.asarray(G @ q + q0, float), np.asarray(G @ qd, float), np.asarray(G @ qdd, float)
        tau = G.T @ judge.inverse_dynamics(*tree)
        gim = G.T @ judge.inertia_matrix(tree[0]) @ G
        torque = np.asarray(tau, float)  # the one rounding that everybody shares
        bias = G.T @ judge.inverse_dynamics(*tree[:2], 0 * tree[2])
        acceleration = solve(gim, torque.astype(np.longdouble) - bias)
        condition = EPS * np.linalg.cond(gim.astype(float))
        found = {
            'inverse': [_error(each.inverse_dynamics(q, qd, qdd), tau) for each in (ours, oracle)],
            'gim': [_error(each.inertia_matrix(q), gim) for each in (ours, oracle)],
            'forward': [_error(each.forward_dynamics(q, qd, torque), acceleration)
                        for each in (ours, oracle)],
            'condition': (condition, condition)}
        worst = {what: tuple(np.maximum(worst.get(what, (0.0, 0.0)), pair))
                 for what, pair in found.items()}
    return worst


def _error(result, truth) -> float:
    return float(np.abs(result - truth).max() / np.abs(truth).max())


@pytest.mark.parametrize('name', [
    pytest.param(name, marks=pytest.mark.slow if name in LARGE else ())
    for name in (*LOST_DIGITS, *OTHERS)])
def test_real_robots_keep_their_digits(name):
    """Errors are at most ten times Pinocchio's, or what rounding of the input alone may do."""
    worst = errors((ROBOTS / name).read_text(), 2)
    for what in ('inverse', 'gim'):
        ours, theirs = worst[what]
        assert ours < 10 * max(theirs, 1e-15), what
    ours, theirs = worst['forward']
    assert ours < 10 * max(theirs, EPS, min(1e-13, worst['condition'][0]))


@pytest.mark.parametrize('count', [20, pytest.param(60, marks=pytest.mark.slow)])
def test_almost_special_chains_keep_their_digits(count):
    """Tilts and lengths from 1e-15 to 0.1: as good as Pinocchio on the whole, never far off."""
    generator = np.random.default_rng(12)
    ratios = []
    for _ in range(count):
        text = random_chain(generator, 10 ** generator.uniform(-15, -1), prismatic=0.2)
        worst = errors(text)
        for what, floor in (('inverse', 1e-15), ('gim', 1e-15), ('forward', 1e-14)):
            ours, theirs = worst[what]
            assert ours < 100 * max(theirs, floor, worst['condition'][0] * (what == 'forward')), (
                what, text)
            ratios.append(max(ours, EPS) / max(theirs, EPS))
    assert np.exp(np.mean(np.log(ratios))) < 2


@pytest.mark.parametrize('count', [8, pytest.param(25, marks=pytest.mark.slow)])
def test_massless_links_between_nearly_parallel_axes_are_not_singular(count):
    """Common normals kilometres away must not drown the pivots of links that carry others."""
    generator = np.random.default_rng(15)
    for _ in range(count):
        text = random_chain(generator, 10 ** generator.uniform(-4.5, -2.5), massless=0.6)
        worst = errors(text)
        ours, theirs = worst['forward']
        if worst['condition'][0] < 1e-5:
            assert ours < 100 * max(theirs, worst['condition'][0], 1e-14), text


def test_far_normals_of_massless_links_slide_too():
    """Beyond Hayati's reach: rows with a long way along Z and no mass, as a user may write."""
    rows = [rd.DHRow(0.1, 0.0, 0.4, 0.2, mass=1, inertia=np.eye(3) * 0.01),
            rd.DHRow(0.0, 5000.0, 1e-3, 0.0),
            rd.DHRow(0.3, -5000.0, 0.0, 0.0, mass=1, com=(-0.1, 0, 0), inertia=np.eye(3) * 0.01)]
    far = rd.Robot.from_dh(rows)
    assert np.abs(far.model.geometry.d).max() < 10


def test_an_angle_is_right_only_to_rounding():
    """1e-13 rad off a right angle is in the file and must be in the numbers."""
    tilted = rd.load(chain({'rpy': f'{np.pi / 2 + 1e-13!r} 0 0'}, {}))
    axis = tilted.pose([0.0, 0.0], 'l1')[:3, 2]
    assert axis[2] == pytest.approx(-1e-13, rel=1e-2)
    right = rd.load(chain({'rpy': f'{np.pi / 2!r} 0 0'}, {}))
    assert right.pose([0.0, 0.0], 'l1')[2, 2] == 0


@pytest.mark.parametrize('tilt', [1e-14, 1e-12, 1e-9, 1e-6, 1e-4, 9e-3])
def test_a_small_tilt_is_kept(tilt):
    """The second of two almost parallel axes points where the file says."""
    second = {'axis': f'{tilt!r} {2 * tilt!r} 1', 'xyz': '0.4 0.2 0.1'}
    ours = rd.load(chain({'xyz': '0.2 0.1 0.3'}, second))
    jacobian = ours.jacobian([0.0, 0.0], 'l2')
    expected = np.array([tilt, 2 * tilt, 1]) / np.linalg.norm([tilt, 2 * tilt, 1])
    assert np.abs(jacobian[:3, 1] - expected).max() < 3 * EPS
    assert np.abs(ours.model.geometry.d).max() < 1


@pytest.mark.parametrize('tilt', [0.0, 1e-15, 1e-9, 1e-7, 1e-6, 1e-3, 1.0, 3.0])
def test_planar_axes_that_point_down(tilt):
    axis = -np.array([np.sin(tilt) * 0.6, np.sin(tilt) * 0.8, np.cos(tilt)])
    R = rotation_to(axis)
    assert np.abs(R @ Z - axis).max() < 4 * EPS
    assert np.abs(R @ R.T - np.eye(3)).max() < 1e-14


def test_round_trips_keep_hayatis_turn():
    """YAML to the bit; a URDF of the model to rounding."""
    generator = np.random.default_rng(21)
    turned = 0
    for _ in range(15):
        ours = rd.load(random_chain(generator, 10 ** generator.uniform(-10, -3)))
        turned += any(row.beta for row in ours.dh.rows)
        text = ours.dh.to_yaml()
        table = rd.DHTable.from_yaml(text)
        assert table == ours.dh
        assert table.to_yaml() == text
        again = rd.load(ours.to_urdf())
        state = generator.uniform(-1, 1, (3, ours.n))
        tau = ours.inverse_dynamics(*state)
        assert np.abs(again.inverse_dynamics(*state) - tau).max() < 1e-12 * np.abs(tau).max()
        for name in ours.link_names:
            assert np.abs(again.pose(state[0], name) - ours.pose(state[0], name)).max() < 1e-14
    assert turned > 5


def test_beta_is_printed_where_it_is_used():
    parallel = rd.load(chain({}, {'xyz': '0.3 0 0'}))
    nearly = rd.load(chain({}, {'xyz': '0.3 0 0', 'axis': '0.001 0 1'}))
    for form in (str, lambda table: table.to_markdown(), lambda table: table.to_yaml()):
        assert 'beta' not in form(parallel.dh)
        assert 'beta' in form(nearly.dh)
    hardly = rd.load(chain({}, {'xyz': '0.3 0 0', 'axis': '1e-13 0 1'})).dh
    assert hardly.rows[0].beta != 0  # in the numbers and in the YAML
    assert 'beta' in hardly.to_yaml()
    assert 'beta' not in str(hardly)  # a column of zeros


def test_a_normal_near_by_is_kept():
    """Axes that cross at half a degree, at the joint: four parameters do."""
    text = robot(link('base', None), link('a'), link('b'), joint('j', 'base', 'a'),
                 joint('k', 'a', 'b', axis='0.008 0 1', xyz='0 0 0.4'))
    first = rd.load(text).dh.rows[0]
    assert (first.beta, first.a) == (0, 0)
    assert first.b == pytest.approx(0.7)  # O_1 is beside the root's origin
    assert first.alpha == pytest.approx(0.008, rel=1e-4)
