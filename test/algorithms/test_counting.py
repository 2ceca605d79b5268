"""Operation counts: the numbers that count, the papers' formulas, and the two side by side."""

import json
from pathlib import Path

import numpy as np
import pytest
from algorithms.robots import paper_robot

from robot_dynamics.algorithms import INVERSE
from robot_dynamics.algorithms.counting import Count, count, general_arm, variables
from robot_dynamics.algorithms.paper_counts import COUNTS, FIXED, evaluate, formula, polynomial
from robot_dynamics.algorithms.turns import cross, turn_x, turn_z, turn_z_symmetric
from robot_dynamics.cli.main import main
from robot_dynamics.studies.operation_table import (
    METHODS,
    PLANAR,
    REASONS,
    beside,
    count_formula,
    count_general,
    count_tree,
    value,
)

TRUTH = json.loads((Path(__file__).parents[1] / 'data' / 'papers.json').read_text())['op_counts']
KEYS = {'000': 'MohanSaha2007', '001': 'Angeles7', '003': 'Mata2002', '004': 'Bhangale2004'}
both = METHODS + PLANAR
every = pytest.mark.parametrize('method', both, ids=[f'{m.what} {m.name}' for m in both])


def counted(function):
    """Return the count of a function of numbers."""
    tally = []
    function(variables(9, tally))
    kinds = [number.kind for number in tally]
    return tuple(kinds.count(kind) for kind in 'MAT')


def test_known_factors_and_terms_are_free():
    assert counted(lambda x: [0 * x[0], x[0] * 1.0, -1.0 * x[0], 0.0 + x[0], -x[0], 0 - x[0]]) \
        == (0, 0, 0)
    assert counted(lambda x: [x[0] - x[0], 0 / x[0], x[0] / 1.0, x[0] / -1]) == (0, 0, 0)


def test_operations_are_counted():
    assert counted(lambda x: [x[0] * x[1], 2.0 * x[0], x[0] / x[1], 1 / x[0]]) == (4, 0, 0)
    assert counted(lambda x: [x[0] + x[1], x[0] - 2.0, 2.0 - x[0], x[0] + x[0]]) == (0, 4, 0)
    assert counted(lambda x: [np.cos(x[0]), np.sin(x[:2]), np.sqrt(x[0])]) == (0, 0, 4)
    assert counted(lambda x: np.float64(2.0) * x[0] + np.ones(3) * x[1] * 2.0) == (4, 3, 0)


def test_the_papers_unit_costs():
    assert counted(lambda x: turn_x(turn_z(x[:3], x[3], x[4]), x[5], x[6])) == (8, 4, 0)
    assert counted(lambda x: turn_z_symmetric(x[:6], x[6], x[7])) == (8, 8, 0)
    assert counted(lambda x: cross(x[:3], x[3:6])) == (6, 3, 0)


def test_what_nobody_needs_is_told_apart():
    def wasteful(geometry, q):
        q[0] * q[1]
        return q[0] + q[1]

    geometry, _ = general_arm(2)
    assert count(wasteful, geometry, inputs=1) == {
        'executed': Count(1, 1, 0), 'needed': Count(0, 1, 0)}


@pytest.mark.parametrize('entry', [e for e in TRUTH['entries'] if e.get('M')],
                         ids=lambda e: f"{e['paper']} {e['ref']} {e['what']}")
def test_the_papers_formulas_are_as_printed(entry):
    M, A = (polynomial(*entry[key]['coeffs_ascending']) for key in 'MA')
    found = [c for c in COUNTS if c.source.startswith(KEYS[entry['paper']])
             and (c.multiplications, c.additions) == (M, A)]
    assert found
    for row in entry.get('printed_values') or []:
        if row.get('M_printed') is not None and row.get('consistent'):
            assert evaluate(found[0].multiplications, row['n']) == row['M_printed']


def test_totals_at_six_joints():
    values = next(e['values'] for e in TRUTH['entries'] if e['ref'] == 'Table 4')
    found = [[c.multiplications, c.additions] for c in FIXED if c.source == 'Mata2002 Table 4']
    assert sorted(found) == sorted(values.values())


def test_formulas_are_readable():
    assert formula(polynomial(-157, '695/6', 13, '1/6')) == '1/6 n^3 + 13 n^2 + 695/6 n - 157'
    assert formula(polynomial(8, -21, 17, 1)) == 'n^3 + 17 n^2 - 21 n + 8'
    assert formula(polynomial(0, '1/2')) == '0.5 n'
    assert formula(polynomial(0)) == '0'


@every
def test_our_counts_are_polynomials(method):
    polynomials = count_formula(method)
    for n in (5, 9):
        assert tuple(value(p, n) for p in polynomials) == count_general(method, n)


@every
def test_each_method_stands_beside_a_paper_with_a_reason(method):
    entry, reasons = beside(method)
    assert entry.what.startswith(method.what)
    assert reasons
    assert set(reasons) <= set(REASONS)


def test_gibbs_appell_is_no_dearer_than_the_paper_says():
    for n in (4, 6, 10):
        for method in METHODS:
            if method.name == 'gibbs_appell':
                entry, _ = beside(method)
                ours = count_general(method, n)
                assert ours.multiplications <= evaluate(entry.multiplications, n)
                assert ours.additions <= evaluate(entry.additions, n)


def test_a_special_robot_costs_less_than_the_general_arm():
    geometry, inertials = paper_robot('puma_rods')
    for method in METHODS:
        ours, general = count_tree(method, geometry, inertials), count_general(method, 6)
        assert ours.multiplications < general.multiplications
        assert ours.additions < general.additions


def test_all_inverse_methods_count_two_functions_per_joint():
    """The first joint's angle does not matter under gravity along its axis."""
    for function in INVERSE.values():
        assert count(function, *general_arm(6), inputs=3)['executed'].trigonometric == 12


@pytest.mark.parametrize('as_json', [False, True])
def test_ops_prints_both(as_json, capsys, request):
    arm = str(request.config.rootpath / 'urdf/puma560.urdf')
    assert main(['ops', arm, '--joints', '7', *(['--json'] * as_json)]) == 0
    out = capsys.readouterr().out
    if as_json:
        report = json.loads(out)
        assert report['n'] == 7
        assert {line['what'] for line in report['counts']} == {m.what for m in both}
    else:
        assert '96 n - 101' in out
        assert 'Mata2002 Table 1' in out
        assert max(len(line) for line in out.splitlines()) < 160


@pytest.mark.parametrize('joints', ['1', '1000'])
def test_ops_refuses_odd_arms(joints, capsys):
    assert main(['ops', 'puma.urdf', '--joints', joints]) == 1
    assert '--joints' in capsys.readouterr().err
