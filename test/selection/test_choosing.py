"""Weights, losses, the front; criteria against closed forms; candidates of all kinds."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from selection import arms

import robot_dynamics as rd
from robot_dynamics.algorithms.counting import Count
from robot_dynamics.errors import InputError
from robot_dynamics.selection import criteria, measures
from robot_dynamics.selection.case import Case
from robot_dynamics.selection.choosing import choose, front, loss
from robot_dynamics.selection.complexity import complexity, elementary_cost, operations
from robot_dynamics.selection.postures import over_postures
from robot_dynamics.studies.arms import ARMS

URDF = Path(__file__).parents[2] / 'urdf'


@pytest.mark.parametrize('pair', [('rtx', 'stanford'), ('rp', 'pr')])
def test_the_papers_choices(pair):
    found = rd.select({name: ARMS[name]() for name in pair},
                      criteria=['gim_operations', 'mci_operations'])
    assert found.chosen == pair[0]
    for key in found.columns:
        assert found.better[key] == (pair[0],)
        assert found.table[pair[0]][key] < found.table[pair[1]][key]


def test_times_are_ratios_with_spreads():
    found = rd.select([ARMS['rp'](), ARMS['pr']()], criteria=['time', 'time_recursive'])
    for key in ('time', 'time_recursive'):
        assert (found.columns[key] > 0).all() and (found.spreads[key] >= 0).all()


def test_sines_and_cosines_cost_what_machine_code_makes_of_them():
    assert 10 < elementary_cost() < 40
    assert operations(Count(3, 4, 2)) == 7 + 2 * elementary_cost()


def test_the_papers_formulas_where_they_hold():
    puma = complexity(arms.family(ARMS['puma560']()), 'gim')
    assert puma.paper == (630, 498) and puma.formula == 'Bhangale2004 (14)'
    planar = arms.family(arms.arm('three', *map(arms.row, (1, 1, 1))))
    assert complexity(planar, 'gim').paper == (59, 38)
    assert complexity(planar, 'mci').paper == (106, 77)
    assert complexity(arms.family(ARMS['rtx']()), 'gim').paper is None


def test_measures_of_a_two_link_arm():
    family = arms.family(arms.two_r(1.0, 0.6))
    case = Case(family, 256)
    assert criteria.manipulability_max(case)[0] == pytest.approx(0.6, rel=1e-6)
    assert criteria.manipulability_min(case)[0] == 0.0
    q = family.postures(256)
    I = family.arms.inertia_matrix(q)
    np.testing.assert_allclose(over_postures(family, measures.condition, 256)[0],
                               np.linalg.cond(I), rtol=1e-9)
    np.testing.assert_allclose(over_postures(family, measures.coupling, 256)[0],
                               np.abs(I[:, 0, 1]) / np.sqrt(I[:, 0, 0] * I[:, 1, 1]), rtol=1e-12)
    J = family.arms.jacobian(q)[:, 3:5]
    inverse = J @ np.linalg.inv(I) @ np.swapaxes(J, 1, 2)
    np.testing.assert_allclose(over_postures(family, measures.reflected_inertia, 256)[0],
                               2 / np.trace(inverse, axis1=1, axis2=2), rtol=1e-9)
    s = np.linalg.svd(J, compute_uv=False)
    np.testing.assert_allclose(over_postures(family, measures.isotropy, 256)[0],
                               s[:, 1] / s[:, 0], atol=1e-12)


def test_variants_have_the_numbers_of_single_arms():
    robot = arms.two_r()
    a = np.random.default_rng(0).uniform(0.3, 1.0, (5, 2))
    stack = robot.variants(a=a)
    keys = ['condition', 'coupling', 'manipulability_max', 'reflected_inertia']
    together = rd.select(stack, criteria=keys, samples=256)
    for i in range(5):
        alone = rd.select(stack[i], criteria=keys, samples=64)  # a quarter for variants
        for key in keys:
            assert together.columns[key][i] == pytest.approx(alone.columns[key][0], rel=1e-9)


def dominated(points, i):
    return any((points[k] >= points[i]).all() and (points[k] > points[i]).any()
               for k in range(len(points)))


def test_the_front_is_what_nobody_dominates():
    generator = np.random.default_rng(3)
    points = generator.integers(0, 6, (80, 3)).astype(float)
    names = ('workspace', 'isotropy', 'manipulability_mean')  # more is better in all
    columns = {name: points[:, k] for k, name in enumerate(names)}
    found = front(columns, {}, names)
    assert sorted(found) == [i for i in range(80) if not dominated(points, i)]


def test_values_within_spreads_are_equal():
    columns = {'time': np.array([1.0, 1.05, 2.0]), 'condition': np.array([9.0, 3.0, 1.0])}
    spreads = {'time': np.array([0.04, 0.04, 0.04])}
    assert loss('time', columns['time'], spreads['time']).tolist() == [0, 0, 0.5]
    assert choose(columns, spreads, {'time': 1.0}, np.ones(3, bool)) == 1  # by condition
    assert front(columns, spreads, ['time', 'condition']).tolist() == [1, 2]


def test_losses_do_not_depend_on_units():
    values = np.array([3.0, 5.0, 4.0, np.nan])
    for name, scale in itertools.product(('workspace', 'condition'), (1e-3, 1e6)):
        np.testing.assert_allclose(loss(name, values), loss(name, scale * values))
    assert loss('workspace', values)[3] == 1.0


def test_who_cannot_load_gets_a_row_with_the_reason(tmp_path):
    (tmp_path / 'broken.urdf').write_text('<robot name="x"><link')
    found = rd.select([URDF / 'rp.urdf', tmp_path / 'broken.urdf', tmp_path / 'gone.urdf'],
                      criteria=['gim_operations', 'condition'])
    assert found.chosen == 'rp' and set(found.table) == {'rp', 'broken', 'gone'}
    assert 'broken.urdf' in found.table['broken']['reason']
    assert found.table['gone']['condition'] is None
    with pytest.raises(InputError, match='none can be loaded'):
        rd.select([tmp_path / 'gone.urdf'], criteria=['condition'])


@pytest.mark.parametrize(('options', 'word'), [
    ({'criteria': ['beauty']}, 'gim_operations'), ({'weights': {'condition': -1}}, '0 or more'),
    ({'weights': {'condition': 0}}, 'above zero'), ({'samples': 3}, '16 or more'),
    ({'criteria': ['payload']}, 'task'), ({'weights': {'payload': 1}}, 'condition')])
def test_wrong_arguments(options, word):
    with pytest.raises(InputError, match=word):
        rd.select([ARMS['rp']()], **options)
    with pytest.raises(InputError, match='expected'):
        rd.select([], criteria=['condition'])


def test_several_tips_say_which_to_name():
    found = rd.select(URDF / 'gripper.yaml', criteria=['condition', 'workspace'], samples=64)
    assert np.isnan(found.columns['workspace'][0]) and found.columns['condition'][0] >= 1
    assert any('name one by link' in note for note in found.cases[0].notes)


def test_a_mechanism_that_cannot_be_everywhere():
    found = rd.select(URDF / 'five_bar.yaml', link='right_forearm', criteria=['condition'],
                      samples=64)
    five_bar = rd.load(URDF / 'five_bar.yaml')
    q = found.cases[0].family.postures(64)
    there = five_bar.can_assemble(q)
    assert 0 < there.sum() < 64
    values = [np.linalg.cond(five_bar.inertia_matrix(x)) for x in q[there]]
    assert found.columns['condition'][0] == pytest.approx(np.exp(np.mean(np.log(values))))


def test_a_new_criterion_is_a_function_and_a_line(monkeypatch):
    def mass(case):
        return case.family.arms.moving_mass
    monkeypatch.setitem(criteria.CRITERIA, 'mass', criteria.Criterion(
        mass, criteria.LESS, 'kg', 'mass that moves'))
    found = rd.select({'light': arms.two_r(), 'heavy': arms.two_r().with_payload('link_2', 3.0)},
                      criteria=['mass'], weights={'mass': 1})
    assert found.chosen == 'light' and found.columns['mass'].tolist() == [2.0, 5.0]
