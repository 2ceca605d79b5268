"""Poses from the independent joints alone: the branch is the one that small steps keep."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from mechanism.conftest import JOINT, LINK
from mechanism.random_mechanisms import KINDS, random_mechanism
from mechanism.test_mechanism import quietly

import robot_dynamics as rd
from robot_dynamics.loading import load
from robot_dynamics.mechanism.gaps import close
from robot_dynamics.mechanism.loading import mechanism_of

URDF = Path(__file__).parents[2] / 'urdf'
SMALL_STEPS, GAP = 100, 1e-9
QUICK = ('RSSR', 'universal cut', 'spherical cut to world', 'two loops', 'coupling')


def continued(loops, start, values):
    """Return the pose that small steps along the straight line end at, None: they do not."""
    q, begin = start, start[list(loops.values)]
    for part in np.linspace(0.0, 1.0, SMALL_STEPS)[1:]:
        ahead, left = close(loops, loops.put(q, begin + part * (values - begin)), loops.dependent)
        if left > GAP or np.abs(ahead - q).max() > 0.2:
            return None
        q = ahead
    return q


def check(mechanism, values):
    """Return how many values are placed at once; those must be where small steps end."""
    loops, hits = mechanism._loops, 0
    for x in values:
        with np.errstate(all='ignore'):
            found, guards = loops.placed(x)
        if not all(a > b for a, b in guards):
            continue
        hits += 1
        truth = continued(loops, mechanism.start, x)
        assert truth is not None
        assert np.abs(found - truth).max() < 1e-8
        assert np.abs(mechanism.closure_error(found)).max() < 1e-10
    return hits


@pytest.mark.parametrize('kind', [
    pytest.param(kind, marks=() if kind in QUICK else pytest.mark.slow)
    for kind in KINDS if 'bar' not in kind])
def test_random_loops_keep_their_branch(kind, rng):
    record, _ = random_mechanism(rng, kind)
    mechanism = quietly(lambda: mechanism_of(record, load(record.tree)))
    spread = np.repeat([0.03, 0.3, 1.5], [3, 4, 3])
    values = mechanism.neutral + spread[:, None] * rng.uniform(-1, 1, (10, mechanism.nq))
    assert check(mechanism, values) >= 3  # short ways at least


@pytest.mark.parametrize('name', ['delta', 'stewart'])
def test_one_call_places_and_answers(name, rng):
    """Compiled, over floats, alone and in a batch; long ways go in parts."""
    mechanism = rd.load(URDF / f'{name}.yaml')
    assert not mechanism.closes_directly
    q = mechanism.neutral + rng.uniform(-0.05, 0.05, (40, mechanism.n))
    q[7] += 0.2 * rng.normal(size=mechanism.n)  # farther
    qd, tau = rng.normal(size=(2, 40, mechanism.n))
    assert check(mechanism, q[:4]) >= 3
    slowly = np.array([mechanism.assemble(x) for x in q[:8]])
    for _ in range(2):
        mechanism.forward_dynamics(q[0], qd[0], tau[0])
        rd.wait_for_kernels()
    trees, many = mechanism.assemble(q), mechanism.forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(trees[:8], slowly, rtol=0, atol=1e-9)
    near = mechanism.forward_dynamics(q, qd, tau, near=trees)
    np.testing.assert_allclose(many, near, rtol=0, atol=1e-9 * np.abs(near).max())
    for k in (0, 7, 39):
        np.testing.assert_array_equal(mechanism.assemble(q[k]), trees[k])
        np.testing.assert_array_equal(mechanism.forward_dynamics(q[k], qd[k], tau[k]), many[k])


def test_loops_that_cannot_close_are_said_as_before(rng):
    stewart = rd.load(URDF / 'stewart.yaml')
    far = stewart.neutral + np.array([0.4, -0.4, 0.4, -0.4, 0.4, -0.4])
    for _ in range(2):
        with pytest.raises(rd.RobotDynamicsError, match='open|singular'):
            stewart.forward_dynamics(far, np.zeros(6), np.zeros(6))
        rd.wait_for_kernels()
    with pytest.raises(rd.RobotDynamicsError, match='state 1'):
        stewart.assemble([stewart.neutral, far])
    with pytest.raises(rd.InputError, match='nan'):
        stewart.assemble([np.nan] * 6)


def with_wheel(tmp_path, crank, coupler, rocker, ground, start, wheel, motor='motor'):
    """Return a four-bar; a geared wheel beside it keeps it from being solved in closed form."""
    links = ['crank', 'coupler', 'rocker', *(['wheel'] if wheel else [])]
    joints = [('motor', 'ground', 'crank', 0.0), ('pin', 'crank', 'coupler', crank),
              ('pivot', 'ground', 'rocker', ground),
              *([('spin', 'ground', 'wheel', -1.0)] if wheel else [])]
    (tmp_path / 'bars.urdf').write_text('<robot name="bars"><link name="ground"/>' + ''.join(
        [*map(LINK.format, links), *(JOINT.format(*joint) for joint in joints)]) + '</robot>')
    loop = {'name': 'tip', 'joint': 'revolute', 'between': ['coupler', 'rocker'],
            'at': [{'xyz': [coupler, 0, 0]}, {'xyz': [rocker, 0, 0]}]}
    gear = {'couplings': [{'name': 'gear', 'joints': {'spin': 1.0, motor: -2.0}}]}
    path = tmp_path / 'bars.yaml'
    path.write_text(yaml.safe_dump({
        'robot': 'bars.urdf', 'actuated': [motor], 'loops': [loop], 'start': start,
        **(gear if wheel else {})}))
    mechanism = quietly(rd.load, path)
    assert mechanism.closes_directly != wheel
    return mechanism


LINKAGES = {  # lengths [m], start, motor, the scanned range of its values
    'branches near each other': (
        (0.5, 1.001, 0.502, 1.0), {'motor': 1.0, 'pin': -1.0, 'pivot': 1.0}, 'motor', (1.0, 4.6)),
    'many turns': ((0.2, 0.5, 0.45, 0.5), {'motor': 0.7, 'pin': 0.9, 'pivot': 1.9}, 'motor',
                   (-12.0, 13.0)),
    **{f'a start {away} rad from a fold': (
        (0.2, 0.5, 0.45, 0.5), {'motor': 0.695 + away, 'pin': 0.0, 'pivot': 1.5}, 'pivot',
        (0.8, 2.4)) for away in (0.05, -0.1, 0.3)},
}


@pytest.mark.parametrize('linkage', LINKAGES)
def test_the_branch_is_the_closed_form_s(tmp_path, linkage):
    """Truth: the same bars without the wheel, whose elbow is bent the same way for ever."""
    lengths, start, motor, spread = LINKAGES[linkage]
    tree = with_wheel(tmp_path, *lengths, start, False)  # driven by the crank: closed from it
    start = dict(zip(tree.tree_joint_names, tree.start.tolist(), strict=True))
    bars = with_wheel(tmp_path, *lengths, start, False, motor)
    geared = with_wheel(tmp_path, *lengths, start, True, motor)
    own = [geared.tree_joint_names.index(name) for name in bars.tree_joint_names]
    reached = 0
    for _ in range(2):
        for x in np.linspace(*spread, 300):
            if not bars.can_assemble([x]):
                continue
            found, truth = geared.assemble([x])[own], bars.assemble([x])
            apart = np.angle(np.exp(1j * (found - truth)))  # turns of 2 pi are the same pose
            assert np.abs(apart).max() < 1e-7, x
            reached += 1
        geared.forward_dynamics(geared.neutral, [0.0], [0.0])
        rd.wait_for_kernels()
    assert reached > 100


@pytest.mark.parametrize('start', [0.7, 2.9])
def test_a_slider_crank_far_from_its_start(tmp_path, start):
    crank, rod = 0.3, 0.8
    (tmp_path / 'slider.urdf').write_text('<robot name="slider"><link name="ground"/>' + ''.join([
        *map(LINK.format, ('crank', 'rod', 'piston')),
        JOINT.format('motor', 'ground', 'crank', 0.0), JOINT.format('pin', 'crank', 'rod', crank),
        JOINT.format('wrist', 'rod', 'piston', rod)]) + '</robot>')
    path = tmp_path / 'slider.yaml'
    bent = float(np.arcsin(crank / rod * np.sin(start)))
    path.write_text(yaml.safe_dump({
        'robot': 'slider.urdf', 'actuated': ['motor'],
        'loops': [{'joint': 'prismatic', 'between': ['world', 'piston'], 'at': [
            {'rpy': [0, np.pi / 2, 0]} for _ in range(2)]}],
        'start': {'motor': start, 'pin': -start - bent, 'wrist': bent}}))
    mechanism = quietly(rd.load, path)
    assert not mechanism.closes_directly
    for _ in range(2):
        for x in np.linspace(start - 12, start + 12, 400):
            truth = crank * np.cos(x) + np.sqrt(rod ** 2 - (crank * np.sin(x)) ** 2)
            assert mechanism.pose([x], 'piston')[0, 3] == pytest.approx(truth, abs=1e-9), x
        rd.wait_for_kernels()
