"""The recursion of SahaSchiehlen2001: it agrees with the kernels, and with itself."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from mechanism.oracle import MechanismOracle
from mechanism.random_mechanisms import KINDS, random_mechanism
from mechanism.test_mechanism import compare, quietly

import robot_dynamics as rd
from robot_dynamics.algorithms import parallel_denoc
from robot_dynamics.algorithms.parallel_legs import Legs
from robot_dynamics.description.mechanism import read_mechanism
from robot_dynamics.loading import load
from robot_dynamics.mechanism.building import build_loops
from robot_dynamics.mechanism.legged import Legged
from robot_dynamics.mechanism.looped import Looped
from robot_dynamics.mechanism.structure import Structure, find_structure, leg_masses, make_legs

ROOT = Path(__file__).parents[2]
PROJECTIONS, COMPLEMENT = Legged.formulation, Looped.formulation
SINGLE = [kind for kind in KINDS if kind.startswith('planar f') or ' cut' in kind]
PARALLEL = ('four_bar', 'five_bar', 'stewart')
PAPERS = json.loads((ROOT / 'test' / 'data' / 'papers.json').read_text())['cases']


def shipped(name, **options):
    return quietly(rd.load_mechanism, ROOT / 'urdf' / f'{name}.yaml', **options)


def parts(mechanism):
    """Return the loops of a mechanism and its legs."""
    loops = mechanism._closed.loops
    structure = find_structure(loops, mechanism.start)
    assert isinstance(structure, Structure)
    return loops, structure


def states(mechanism, rng, count=20, spread=0.1):
    """Return assembled values near the start, rates and accelerations."""
    middle = mechanism.start[list(mechanism._closed.loops.independent)]
    for _ in range(count):
        q = middle + rng.uniform(-spread, spread, mechanism.n)
        yield (mechanism.assemble(q), *rng.normal(size=(2, mechanism.n)))


def close(found, expected, rtol=1e-9):
    scale = max(np.abs(expected).max(initial=0.0), 1e-6)
    np.testing.assert_allclose(found, expected, rtol=0, atol=rtol * scale)


@pytest.mark.parametrize('name', PARALLEL)
def test_both_formulations_agree(name, rng):
    mechanism = shipped(name)
    loops, structure = parts(mechanism)
    general, legged = Looped(loops), Legged(loops, structure)
    for q, qd, qdd in states(mechanism, rng):
        close(legged.joint_rates(q, qd), general.joint_rates(q, qd))
        close(legged.accelerations(q, qd, qdd), general.accelerations(q, qd, qdd))
        tau = rng.normal(size=loops.tree.nv)
        close(legged.joint_torques(q, tau), general.joint_torques(q, tau))
        close(legged.at(q).N, general.at(q).N)


@pytest.mark.parametrize('name', PARALLEL)
@pytest.mark.parametrize('formulation', [
    PROJECTIONS, pytest.param(COMPLEMENT, marks=pytest.mark.slow)])  # also in test_mechanism.py
def test_verbs_agree_with_the_oracle(name, formulation, rng):
    mechanism = shipped(name, formulation=formulation)
    assert mechanism.formulation == formulation
    record = read_mechanism(ROOT / 'urdf' / f'{name}.yaml')
    compare(mechanism, MechanismOracle(record), rng, 4)
    if name != 'stewart':  # its kernels are compiled elsewhere
        rd.wait_for_kernels()
        compare(mechanism, MechanismOracle(record), rng, 4)


@pytest.mark.parametrize('name', PARALLEL)
def test_the_papers_matrices(name, rng):
    mechanism = shipped(name)
    loops, structure = parts(mechanism)
    for q, qd, _ in states(mechanism, rng, 5):
        legs = make_legs(structure, loops, q)
        N_l, N_c, N_d = parallel_denoc.matrices(legs)
        twists = N_l @ N_c @ N_d @ qd  # SahaSchiehlen2001 (17a)
        at = 0
        for leg, rates in zip(legs.legs, legs.follow(qd), strict=True):
            w, v = np.zeros(3), np.zeros(3)
            for i, rate in enumerate(rates):
                v = v + (np.cross(w, leg.O[i] - leg.O[i - 1]) if i else 0.0)
                w, v = (w, v + leg.e[i] * rate) if leg.prismatic[i] else (w + leg.e[i] * rate, v)
                close(twists[at:at + 6], np.concatenate([w * leg.length, v]))
                at += 6
        masses = [M for leg in leg_masses(structure, loops, mechanism.inertials, q) for M in leg]
        whole = np.zeros((at, at))
        for i, M in enumerate(masses):
            whole[6 * i:6 * i + 6, 6 * i:6 * i + 6] = M
        N = N_l @ N_c @ N_d
        values = q[list(loops.independent)]
        close(N.T @ whole @ N, mechanism.inertia_matrix(values, near=q))  # (26)


@pytest.mark.parametrize('name', PARALLEL)
def test_the_papers_algorithms(name, rng):
    mechanism = shipped(name)
    loops, structure = parts(mechanism)
    gravity = mechanism.inertials.base.gravity
    for q, qd, qdd in states(mechanism, rng, 5):
        legs = make_legs(structure, loops, q)
        masses = leg_masses(structure, loops, mechanism.inertials, q)
        values = q[list(loops.independent)]
        tau = parallel_denoc.inverse_dynamics(legs, masses, qd, qdd, gravity)
        close(tau, mechanism.inverse_dynamics(values, qd, qdd, near=q))
        close(parallel_denoc.inertia_matrix(legs, masses),
              mechanism.inertia_matrix(values, near=q))
        close(parallel_denoc.forward_dynamics(legs, masses, qd, tau, gravity), qdd, 1e-8)


@pytest.mark.parametrize('name', PARALLEL)
def test_one_point_for_all_legs_as_printed(name, rng):
    mechanism = shipped(name)
    loops, structure = parts(mechanism)
    for q, qd, qdd in states(mechanism, rng, 5):
        legs = make_legs(structure, loops, q)
        printed = Legs([leg._replace(E=legs.legs[0].E, ball=False) for leg in legs.legs],
                       legs.fixed)
        for found, wanted in zip(printed.follow(qd), legs.follow(qd), strict=True):
            close(found, wanted)
        close(printed.jacobian(), legs.jacobian())  # (14b)
        for found, wanted in zip(printed.follow(qdd, printed.drifts(qd)),
                                 legs.follow(qdd, legs.drifts(qd)), strict=True):
            close(found, wanted)


def algorithms(mechanism, q):
    """Return the legs at assembled values q, masses and gravity: what the algorithms take."""
    loops, structure = parts(mechanism)
    return (make_legs(structure, loops, q),
            leg_masses(structure, loops, mechanism.inertials, q)), (
                mechanism.inertials.base.gravity,)


def test_numbers_of_the_papers_four_bar():
    mechanism = shipped('four_bar')
    for row in PAPERS['four_bar']['inverse_dynamics']['open']:
        before, after = algorithms(mechanism, mechanism.assemble(row['theta'][:1]))
        qd, qdd = np.array(row['thetad'][:1]), np.array(row['thetadd'][:1])
        close(parallel_denoc.inverse_dynamics(*before, qd, qdd, *after), np.array([row['tau1']]))
        close(parallel_denoc.inertia_matrix(*before), np.array([[row['inertia']]]))
    for row in PAPERS['four_bar']['forward_dynamics']['open']:
        before, after = algorithms(mechanism, mechanism.assemble([row['theta1']]))
        qd, tau = np.array([row['theta1d']]), np.array([row['tau1']])
        close(parallel_denoc.forward_dynamics(*before, qd, tau, *after), np.array(row['qdd']))


def test_numbers_of_the_papers_five_bar():
    mechanism = shipped('five_bar', formulation=PROJECTIONS)
    case = PAPERS['five_bar']['configurations']['side+1_mode-1']
    for row in case['inverse_dynamics']:
        q = mechanism.assemble([row['leg1_theta'][0], row['leg2_theta'][0]])
        before, after = algorithms(mechanism, q)
        qd, qdd = np.array(row['rates'])[[0, 2]], np.array(row['accels'])[[0, 2]]
        close(parallel_denoc.inverse_dynamics(*before, qd, qdd, *after), np.array(row['tau']))
        close(parallel_denoc.inertia_matrix(*before), np.array(row['GIM']))
        close(mechanism.passive_rates(q[[0, 2]], qd), np.array(row['rates']))
        close(mechanism.passive_accelerations(q[[0, 2]], qd, qdd), np.array(row['accels']))
    for row in case['forward_dynamics']:
        near = np.array([row['theta1'][0], row['theta2'][0], row['theta1'][1], row['theta2'][1]])
        before, after = algorithms(mechanism, mechanism.assemble(row['theta1'], near=near))
        qd, tau = np.array(row['theta1d']), np.array(row['tau'])
        close(parallel_denoc.forward_dynamics(*before, qd, tau, *after), np.array(row['qdd']))


def test_singular_legs_are_an_error():
    """Stretched out, the forearms cannot say where the tip goes: delta or Phi is zero."""
    end = PAPERS['five_bar']['configurations']['side+1_mode-1'][
        'free_fall_deg80_70']['state_at_singular']
    a, b, c, d = end[:4]  # angles from the horizon
    at = np.array([a, b - a, c, d - c])
    for formulation in (PROJECTIONS, COMPLEMENT):
        mechanism = shipped('five_bar', formulation=formulation)
        with pytest.raises(rd.SingularityError, match='determine'):
            mechanism._kernels.evaluate('joint_rates', (at, np.ones(2)))


@pytest.mark.parametrize(('name', 'why'), [
    ('delta', 'share links'), ('palletizer', 'one body'), ('gripper', 'follow')])
def test_other_structures_say_why(name, why):
    mechanism = shipped(name)
    assert mechanism.formulation == COMPLEMENT
    assert why in mechanism.formulation_reason
    with pytest.raises(rd.InputError, match=why):
        shipped(name, formulation=PROJECTIONS)
    with pytest.raises(rd.InputError, match='formulation'):
        shipped(name, formulation='magic')


@pytest.mark.slow
def test_the_leaner_one_is_taken():
    for name in ('four_bar', 'five_bar', 'stewart'):
        counts = {each: shipped(name, formulation=each).operation_count('forward_dynamics')
                  for each in (PROJECTIONS, COMPLEMENT)}
        leaner = min(counts, key=lambda each: sum([*counts[each]][:2]))
        assert shipped(name).formulation == leaner
    assert '74 operations' in shipped('five_bar').formulation_reason


@pytest.mark.parametrize('kind', SINGLE)
def test_random_parallel_structures(kind, rng):
    """One of each kind of cut, between two legs and to the world."""
    for _ in range(30):
        record, _ = random_mechanism(rng, kind)
        loops, q, _, _ = quietly(build_loops, record, quietly(load, record.tree).model)
        structure = find_structure(loops, q)
        if isinstance(structure, Structure):
            break
    else:
        raise AssertionError(structure)
    general, legged = Looped(loops), Legged(loops, structure)
    qd, qdd = rng.normal(size=(2, general.nv))
    close(legged.joint_rates(q, qd), general.joint_rates(q, qd))
    close(legged.accelerations(q, qd, qdd), general.accelerations(q, qd, qdd))
    close(legged.at(q).N, general.at(q).N)
    assert pickle.loads(pickle.dumps(legged)).key == legged.key


@pytest.mark.parametrize('name', [*PARALLEL, 'delta'])
def test_denoc_by_name_goes_by_the_papers_recursion_where_there_are_legs(name, rng):
    """The leaner formulation serves as 'auto'; both have the same torques and accelerations."""
    mechanism = shipped(name)
    paper = mechanism._by_projections
    assert paper.formulation == (PROJECTIONS if name in PARALLEL else COMPLEMENT)
    middle = mechanism.start[list(mechanism._closed.loops.independent)]
    heavy = mechanism.with_payload(mechanism.link_names[-1], 1.5)
    for robot in (mechanism, heavy):
        q = middle + rng.uniform(-0.03, 0.03, (3, mechanism.n))
        qd, qdd = rng.normal(size=(2, 3, mechanism.n))
        tau = robot.inverse_dynamics(q, qd, qdd)
        close(robot.inverse_dynamics(q, qd, qdd, algorithm='denoc'), tau)
        close(robot.forward_dynamics(q, qd, tau, algorithm='denoc'), qdd, 1e-8)
        close(robot.inertia_matrix(q[0], algorithm='denoc'), robot.inertia_matrix(q[0]))
    assert pickle.loads(pickle.dumps(mechanism)).n == mechanism.n
    if name in PARALLEL:
        assert "algorithm='denoc' takes the former" in mechanism.formulation_reason
