"""Loops that stay open: by the least gap there is, and only where they cannot be closed.

The truth is the triangle of coupler, rocker and the way from the crank's pin to the rocker's
pivot: it closes where each side is shorter than the two others together.
"""

import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from mechanism.conftest import JOINT, LINK
from mechanism.random_mechanisms import random_mechanism

import robot_dynamics as rd
from robot_dynamics.loading import load
from robot_dynamics.mechanism.gaps import within_limits
from robot_dynamics.mechanism.loading import mechanism_of

URDF = Path(__file__).parents[2] / 'urdf'
CRANK, COUPLER, GROUND = 0.2, 0.5, 0.5  # of `write_bars` [m]
START = {'motor': 1.57, 'pin': -1.0, 'pivot': 1.5}

def least_gap(angle, rocker):
    """Return by how much the triangle stays open at least [m]."""
    way = np.hypot(GROUND - CRANK * np.cos(angle), CRANK * np.sin(angle))
    return max(way - COUPLER - rocker, abs(COUPLER - rocker) - way, 0.0)


def said(error):
    return float(re.search(r"'tip' stays open by (\S+) m", str(error.value))[1])


def test_the_gap_that_is_said_is_the_least(write_bars):
    short = rd.load(write_bars(0.15, START))
    for angle in (0.0, 0.1, 5.98, 3.14, -0.3, 2 * np.pi, 0.3):
        assert least_gap(angle, 0.15) > 0
        with pytest.raises(rd.InputError) as error:
            short.assemble([angle])
        assert said(error) == pytest.approx(least_gap(angle, 0.15), rel=5e-3), angle


@pytest.mark.parametrize('angle', [0.0, 0.1, 0.25, 3.0])
def test_so_it_is_of_a_start_that_cannot_close(write_bars, angle):
    with pytest.raises(rd.DescriptionError, match=f'at motor: {angle:g}; the loops close'
                       ) as error:
        rd.load(write_bars(0.15, {'motor': angle}))
    assert said(error) == pytest.approx(least_gap(angle, 0.15), rel=5e-3)


def test_random_five_bars():
    mechanism, generator, seen = rd.load(URDF / 'five_bar.yaml'), np.random.default_rng(4), 0
    elbows = mechanism.whole
    for q in generator.uniform(-np.pi, np.pi, (12, 2)):
        tree = mechanism.start.copy()
        tree[[mechanism.tree_joint_names.index(x) for x in mechanism.joint_names]] = q
        left, right = (elbows.pose(tree, f'{side}_forearm')[:3, 3] for side in ('left', 'right'))
        way = np.linalg.norm(left - right)
        gap = max(way - 1.9, 0.3 - way)
        if gap > 1e-3:
            seen += 1
            with pytest.raises(rd.InputError) as error:
                mechanism.assemble(q)
            assert said(error) == pytest.approx(gap, rel=5e-3)
    assert seen > 2


def test_a_start_that_is_singular_is_closed_from_nearby(write_bars):
    path = write_bars(0.25, {'motor': 0})
    with pytest.warns(rd.RobotDynamicsWarning, match=(
            r'no values of pin, pivot \(0 was taken\); .* at pin: .*, pivot: .*, the nearest of 2 '
            'ways')):
        bars = rd.load(path)
    assert np.abs(bars.closure_error(bars.start)).max() < 1e-12
    assert np.abs(bars.start).max() < np.pi
    with pytest.warns(rd.RobotDynamicsWarning):
        np.testing.assert_array_equal(rd.load(path).start, bars.start)
    near = dict(zip(bars.tree_joint_names, bars.start.round(1).tolist(), strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        given = rd.load(write_bars(0.25, {**near, 'motor': 0}))
    np.testing.assert_allclose(given.start, bars.start, atol=1e-9)


def test_a_gap_with_several_minima_is_about():
    with pytest.raises(rd.RobotDynamicsError, match='stays open by about .* m .*at leg_1 = 5'):
        rd.load(URDF / 'stewart.yaml').assemble([5.0, 0.2, 0.2, 0.2, 0.2, 0.2])


def test_values_near_which_nothing_closes(write_bars):
    bars = rd.load(write_bars(0.25, START))
    with pytest.raises(rd.InputError, match='near: the loops do not close from these values; the'):
        bars.assemble([0.0], near=np.zeros(3))
    short = rd.load(write_bars(0.15, START))
    with pytest.raises(rd.InputError, match=r"near: loop 'tip' stays open by 0\.05 m"):
        short.assemble([1.57], near=np.zeros(3))


def test_a_motion_ends_at_singular_loops_where_motors_are_not_the_freedoms(write_bars):
    """The torques of its motors have no counterpart there: no fault of whoever gave them."""
    bars = rd.load_mechanism(write_bars(0.15, START), independent=['pin'])
    at = bars.start[bars.tree_joint_names.index('pin')]
    with pytest.warns(rd.RobotDynamicsWarning, match='the loops are singular'):
        motion = rd.simulate(bars, [at], [0.0], [0.0], np.linspace(0, 4, 41), method='DOP853',
                             rtol=1e-9, atol=1e-11)
    assert motion.stopped[0].time < 4 and np.isfinite(motion.q).all()


@pytest.mark.parametrize('turns', [0, 3, -5])
def test_values_that_are_suggested_are_no_turns_away(write_bars, turns):
    """And they close the loops, as others would that are full turns away."""
    far = {'motor': 0.25 + 2 * np.pi * turns, 'pin': -1.0 - 2 * np.pi * turns}
    with pytest.raises(rd.DescriptionError, match='the loops close at') as error:
        rd.load(write_bars(0.15, far))
    values = {name: float(value) for name, value in re.findall(
        r'(\w+): (\S+?)(?:[,;]|$)', str(error.value).partition('the loops close at ')[2])}
    assert set(values) >= {'motor', 'pin', 'pivot'}
    assert all(abs(value) <= np.pi + 1e-6 for value in values.values()), values
    rd.load(write_bars(0.15, values))


def test_suggested_angles_are_within_their_limits():
    mechanism = rd.load(URDF / 'five_bar.yaml')
    loops, q = mechanism._loops, np.array([-2.0, 0.5, 1.0, 9.0])
    limits = replace(mechanism.limits, lower=np.array([3.0, -1, -1, -np.inf]),
                     upper=np.array([5.0, 1, 0.5, np.inf]))
    np.testing.assert_allclose(within_limits(loops, q, limits),
                               [2 * np.pi - 2.0, 0.5, 1.0, 9.0])


def test_a_start_that_closes_half_a_turn_off_is_closed_the_right_way():
    """Equations hold where axes are opposite too: Newton's method ends there from far starts."""
    rng = np.random.default_rng(4)
    record, _ = random_mechanism(rng, 'fixed cut')
    tree = load(record.tree)
    for _ in range(4):
        start = {name: x if name in record.actuated or name.startswith('p_') else
                 float(rng.uniform(-3, 3)) for name, x in record.start.items()}
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            mechanism = mechanism_of(replace(record, start=start), tree)
        assert np.abs(mechanism.closure_error(mechanism.start)).max() < 1e-9
        first, second = (mechanism.tree.pose(mechanism.start, loop.link) @ loop.T
                         for loop in record.loops[0].frames)
        np.testing.assert_allclose(first, second, atol=1e-8)


def test_degrees_are_asked_for(write_bars):
    bars = rd.load(write_bars(0.15, {'motor': 1.3, 'pin': -1.0, 'pivot': 2.5}))
    with pytest.raises(rd.RobotDynamicsError, match='radians are expected: .* motor degrees'):
        bars.assemble([14 * np.pi])
    with pytest.raises(rd.RobotDynamicsError, match='open') as caught:
        bars.assemble([0.0])
    assert 'degrees' not in str(caught.value)
    with pytest.raises(rd.DescriptionError, match='expected: are values of motor, pin'):
        rd.load(write_bars(0.1, {'motor': 14 * np.pi, 'pin': -60.0, 'pivot': 100.0}))


def test_couplings_that_contradict_each_other(tmp_path):
    """Without any loop: what is off is said of the couplings."""
    (tmp_path / 'gears.urdf').write_text('<robot name="gears"><link name="ground"/>' + ''.join(
        LINK.format(name) for name in 'abc') + ''.join(
        JOINT.format(f'j{name}', 'ground', name, x) for x, name in enumerate('abc')) + '</robot>')
    gears = [{'joints': {'ja': 1.0, 'jb': -2.0}, 'constant': x} for x in (0.0, 0.5)]
    path = tmp_path / 'gears.yaml'
    path.write_text(yaml.safe_dump({'robot': 'gears.urdf', 'couplings': gears[:1],
                                    'actuated': ['ja', 'jc'], 'start': {'ja': 1.0}}))
    np.testing.assert_allclose(rd.load(path).start, [1.0, 0.5, 0.0])
    path.write_text(yaml.safe_dump({'robot': 'gears.urdf', 'couplings': gears,
                                    'actuated': ['ja', 'jc']}))
    with pytest.raises(rd.DescriptionError, match="'coupling_1' is off by"):
        rd.load(path)
