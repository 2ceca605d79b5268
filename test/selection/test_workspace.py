"""Workspaces: closed forms against the papers' formulas, sampling against both."""

import numpy as np
import pytest
from selection import arms

import robot_dynamics as rd
from robot_dynamics.errors import InputError
from robot_dynamics.selection.reach import reached
from robot_dynamics.selection.workspace import known_postures, sampled, workspace

PI = np.pi
KNOWN = {  # Bhangale2004 Tables III and V as corrected; a 2R; spherical arms
    'rtx': (arms.rtx(0.7, 0.432, 0.2), 4 * PI * 0.7 * 0.432 * 0.2),
    'stanford': (arms.stanford(0.8, 0.1), 4 / 3 * PI * 0.8 ** 3),
    'rp': (arms.rp(0.5, 1.0), PI * (2 * 0.5 * 1.0 + 1.0 ** 2)),
    'pr': (arms.pr(1.0, 2.5), PI + 2 * 2.5),
    'two_r': (arms.two_r(1.0, 0.6), PI * (1.6 ** 2 - 0.4 ** 2)),
    'three_r': (arms.arm('three_r', *map(arms.row, (1.0, 0.3, 0.2))),
                PI * (1.5 ** 2 - 0.5 ** 2)),
    'spherical': (arms.spherical(0.5, 0.3), 4 / 3 * PI * (0.8 ** 3 - 0.3 ** 3)),
    'elbow': (arms.elbow(0.5, 0.4, 0.1), 4 / 3 * PI * (0.9 ** 3 - 0.1 ** 3)),
}


@pytest.mark.parametrize('name', KNOWN)
def test_closed_forms(name):
    robot, known = KNOWN[name]
    found = workspace(arms.family(robot))
    assert found.error == 0 and 'sampled' not in found.how[0]
    assert found.value[0] == pytest.approx(known, rel=1e-12)


@pytest.mark.parametrize('name', KNOWN)
def test_sampling_agrees_within_its_own_bound(name):
    robot, known = KNOWN[name]
    found = sampled(arms.family(robot))
    assert abs(found.value[0] - known) < found.error[0]
    assert found.error[0] < 0.03 * known


def test_a_short_slide_leaves_a_hole():
    # points inside both end circles are on none: Bhangale2004's pi a^2 + 2 a b is the outline
    lens = 2 * (np.arccos(0.5) - 0.5 * np.sqrt(0.75))
    found = workspace(arms.family(arms.pr(1.0, 1.0)))
    assert found.value[0] == pytest.approx(PI + 2 - lens, rel=1e-12)
    tried = sampled(arms.family(arms.pr(1.0, 1.0)))
    assert abs(tried.value[0] - found.value[0]) < tried.error[0] < 0.05


def test_joint_limits_count():
    limited = arms.two_r(1.0, 0.6, lower=0.2, upper=2.0)
    outer = 1 + 0.36 + 1.2 * np.cos(0.2)
    inner = 1 + 0.36 + 1.2 * np.cos(2.0)
    found = workspace(arms.family(limited))
    assert found.value[0] == pytest.approx(PI * (outer - inner), rel=1e-12)
    tried = sampled(arms.family(limited))
    assert abs(tried.value[0] - found.value[0]) < tried.error[0]


def test_a_sector_has_no_closed_form():
    rows = [arms.row(1.0, lower=0.0, upper=0.8), arms.row(0.6)]
    found = workspace(arms.family(arms.arm('sector', *rows)))
    assert 'sampled' in found.how[0] and found.error[0] > 0
    # points on some circle round a point of the arc: near to one, far from another
    def inside(x, y):
        t = np.linspace(0, 0.8, 401)
        away = np.hypot(x[:, None] - np.cos(t), y[:, None] - np.sin(t)) - 0.6
        return (away.min(axis=1) <= 0) & (away.max(axis=1) >= 0)
    x, y = np.random.default_rng(0).uniform([-0.1, -0.8], [1.7, 1.6], (10000, 2)).T
    part = np.concatenate([inside(a, b) for a, b in zip(np.split(x, 20), np.split(y, 20),
                                                        strict=True)]).mean()
    area, sigma = part * 1.8 * 2.4, 1.8 * 2.4 * np.sqrt(part * (1 - part) / 10000)
    assert abs(found.value[0] - area) < found.error[0] + 3 * sigma


def test_points_known_to_be_reachable_are_reached_and_others_not():
    family = arms.family(arms.elbow())
    known = known_postures(family, 1024, 0)
    direction = np.random.default_rng(1).normal(size=(200, 3))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    centre = np.array([0.0, 0.0, 0.3])  # shoulder; d = 0.1 shifts distances from the axis

    def tried(radius):
        x = direction * radius
        across = np.hypot(x[:, 0], x[:, 1])
        x[:, :2] *= (np.sqrt(across ** 2 + 0.01) / across)[:, None]
        points = known.coordinates(np.zeros(200, int), x + centre)
        return reached(family, known, np.zeros(200, int), points)
    assert tried(0.85).all() and tried(0.15).all()
    assert not tried(0.91).any() and not tried(0.09).any()


def test_variants_one_by_one_and_together():
    robot = arms.two_r()
    stack = robot.variants(a=[[1.0, 0.6], [0.8, 0.8], [0.5, 1.0]])
    found = workspace(arms.family(stack))
    np.testing.assert_allclose(found.value, 4 * PI * np.array([0.6, 0.64, 0.5]), rtol=1e-12)
    tried = sampled(arms.family(stack))
    assert (np.abs(tried.value - found.value) < tried.error).all()


@pytest.mark.parametrize(('robot', 'word'), [
    (arms.arm('endless', arms.row(0, 0, arms.RIGHT, arms.RIGHT),
              rd.DHRow(0, 0, 0, 0, 'prismatic', mass=1)), 'no bounds'),
    (arms.arm('crank', arms.row(1.0)), 'along a curve'),
    (arms.arm('globe', arms.row(0, 0.3, arms.RIGHT), arms.row(0.5)), 'curved surface'),
])
def test_no_workspace_to_measure(robot, word):
    with pytest.raises(InputError, match=word):
        workspace(arms.family(robot))
