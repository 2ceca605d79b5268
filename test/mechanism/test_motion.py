"""Motion of mechanisms: energy, closure, singular poses, all solvers, control."""

import json
from pathlib import Path

import numpy as np
import pytest

import robot_dynamics as rd
from robot_dynamics.simulation.simulate import METHODS

ROOT = Path(__file__).parents[2]
PAPERS = json.loads((ROOT / 'test' / 'data' / 'papers.json').read_text())['cases']
FIXED = ('rk4', 'gauss4', 'implicit_midpoint', 'semi_implicit_euler')


@pytest.fixture(scope='module')
def four_bar():
    return rd.load(ROOT / 'urdf' / 'four_bar.yaml')


@pytest.fixture(scope='module')
def five_bar():
    return rd.load(ROOT / 'urdf' / 'five_bar.yaml')


def test_the_papers_free_fall(four_bar):
    rows = PAPERS['four_bar']['free_fall']['open']['rows']
    t = np.array([row['t'] for row in rows])
    fall = rd.simulate(four_bar, [np.pi / 2], [0.0], None, t, method='DOP853', rtol=1e-11,
                       atol=1e-12, limits=False)
    np.testing.assert_allclose(fall.q[:, 0], [row['theta1'] for row in rows], atol=1e-6)
    assert fall.q.shape == (len(t), 1)
    assert fall.q_tree.shape == (len(t), 3)
    turns = fall.q_tree[:, 1] - [row['theta2'] for row in rows]
    np.testing.assert_allclose(turns, 2 * np.pi * np.round(turns / (2 * np.pi)), atol=1e-6)


def test_energy_and_closure_over_a_minute(four_bar):
    motion = rd.simulate(four_bar, [np.pi / 2], [0.0], None, 60.0, method='DOP853', rtol=1e-10,
                         atol=1e-12, limits=False)
    assert np.ptp(motion.energy) < 1e-7 * np.abs(motion.energy).max()
    assert np.abs(four_bar.closure_error(motion.q_tree)).max() < 1e-10


def test_a_stewart_platform_drifts_without_gravity():
    stewart = rd.load(ROOT / 'urdf' / 'stewart.yaml').with_gravity((0, 0, 0))
    q = stewart.start[[stewart.tree_joint_names.index(x) for x in stewart.joint_names]]
    qd = 1e-2 * np.array([1.0, -0.5, 0.7, -1.2, 0.4, 0.9])
    motion = rd.simulate(stewart, q, qd, None, 5.0, method='DOP853', rtol=1e-10, atol=1e-12,
                         limits=False)
    assert motion.t[-1] == 5.0
    assert np.ptp(motion.energy) < 1e-7 * np.abs(motion.energy).max()
    assert np.abs(stewart.closure_error(motion.q_tree)).max() < 1e-10


def test_the_five_bar_meets_its_singularity(five_bar):
    with pytest.warns(rd.RobotDynamicsWarning, match='the loops are singular'):
        fall = rd.simulate(five_bar, np.deg2rad([80.0, 70.0]), [0, 0], None, 2.0,
                           method='DOP853', rtol=1e-9, limits=False)
    assert fall.stopped[0].time == pytest.approx(1.332964895767693, abs=1e-5)
    assert 'condition' in fall.stopped[0].reason
    assert fall.stopped[0].joint == 'left_elbow, right_elbow'
    assert fall.t[-1] == fall.stopped[0].time
    assert np.isfinite(fall.q).all()
    before = fall.energy[fall.t < 1.33]  # passive joints run away at the end
    assert np.ptp(before) < 1e-6 * np.abs(before).max()


@pytest.mark.parametrize('method', METHODS)
def test_every_solver(four_bar, method):
    t = np.linspace(0, 0.5, 6)
    rows = PAPERS['four_bar']['free_fall']['open']['rows']
    expected = next(row['theta1'] for row in rows if abs(row['t'] - 0.5) < 1e-12)
    options = {'step': 1e-3} if method in FIXED else {'rtol': 1e-8, 'atol': 1e-10}
    fall = rd.simulate(four_bar, [np.pi / 2], [0.0], None, t, method=method, limits=False,
                       **options)
    assert fall.q[-1, 0] == pytest.approx(
        expected, abs={'semi_implicit_euler': 3e-3}.get(method, 1e-5))
    assert np.abs(four_bar.closure_error(fall.q_tree)).max() < 1e-10


def test_control_events_and_the_other_branch(five_bar):
    q = np.deg2rad([30.0, 30.0])
    motion = rd.cycloidal(q, q + 0.2, 1.0)
    follow = rd.ComputedTorque(five_bar, motion, 10.0)
    seen = []

    def halfway(t, q, qd):
        seen.append(q.shape)
        return q[0] - np.deg2rad(30.0) - 0.1
    run = rd.simulate(five_bar, q, [0, 0], follow, 1.0, events=halfway, limits=False)
    np.testing.assert_allclose(run.q[-1], q + 0.2, atol=1e-4)
    assert run.events[0].t == pytest.approx(0.5, abs=1e-3)
    assert set(seen) == {(2,)}
    other = five_bar.assemble(q, branches=True)[1]
    fall = rd.simulate(five_bar, q, [0, 0], None, 0.05, near=other, limits=False)
    assert np.abs(fall.q_tree[-1] - other).max() < 0.2


def test_friction_of_passive_joints_takes_energy(tmp_path):
    text = (ROOT / 'urdf' / 'four_bar.urdf').read_text()
    damped = text.replace('<limit', '<dynamics damping="0.2" friction="0.1"/><limit')
    assert damped != text
    (tmp_path / 'four_bar.urdf').write_text(damped)
    (tmp_path / 'four_bar.yaml').write_text((ROOT / 'urdf' / 'four_bar.yaml').read_text())
    rubs = rd.load(tmp_path / 'four_bar.yaml')
    q, qd = np.array([1.2]), np.array([0.7])
    rates = rubs.passive_rates(q, qd)
    lost = 0.2 * rates @ rates + 0.1 * np.abs(np.tanh(rates / 0.01) * rates).sum()
    assert float(rubs.friction_torque(qd, q=q) @ qd) == pytest.approx(lost, rel=1e-9)
    fall = rd.simulate(rubs, [np.pi / 2], [0.0], None, 2.0, limits=False)
    assert fall.energy[-1] < fall.energy[0] - 0.1
    assert np.diff(fall.energy).max() < 1e-4


def test_other_independent_joints_pass_where_the_crank_stops(write_bars):
    """As docs/mechanisms.md has it: crank 0.2, coupler 0.5, rocker 0.15, ground 0.5 m."""
    path = write_bars(0.15, {'motor': 1.57, 'pin': -1.67, 'pivot': 1.586456})

    def fall(independent, **options):
        bars = rd.load_mechanism(path, independent=[independent])
        first = bars.start[[bars.tree_joint_names.index(independent)]]
        motion = rd.simulate(bars, first, [0.0], None, 4.0, **options)
        return motion, np.ptp(motion.kinetic + motion.potential)

    with pytest.warns(rd.RobotDynamicsWarning, match='singular'):
        stopped, drift = fall('motor')
    assert stopped.stopped[0].time == pytest.approx(0.825, abs=2e-3)
    assert 1e-6 < drift < 1e-3
    passed, drift = fall('pivot')
    assert not passed.stopped
    assert drift < 2e-4
    passed, drift = fall('pivot', rtol=1e-9)
    assert drift < 1e-7
    assert np.ptp(passed.q_tree[:, 0]) > 1.0


def test_a_bent_universal_joint_is_singular_and_motion_ends_there():
    """Its first axis comes to point along the leg: nothing turns it, and its rate has no bound."""
    stewart = rd.load('stewart')
    rng = np.random.default_rng(50)
    q, qd = stewart.neutral + rng.uniform(-0.05, 0.05, 6), 0.6 * rng.normal(size=6)
    with pytest.warns(rd.RobotDynamicsWarning, match='the loops are singular'):
        fall = rd.simulate(stewart, q, qd, None, 0.6, method='DOP853', limits=False)
    assert fall.stopped[0].time == pytest.approx(0.3299, abs=1e-3)
    assert np.ptp(fall.energy) < 1e-3 * abs(fall.energy[0])
    assert stewart._model.coordinates.condition(fall.q_tree[-1]) > 100
