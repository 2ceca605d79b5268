"""Inverse dynamics: every method against Pinocchio, and identities of the torques."""

import numpy as np
import pytest
from algorithms.robots import NAMES, ROBOTS, random_state, relative_error

from robot_dynamics.algorithms import GIM, INVERSE
from robot_dynamics.algorithms.joints import cosines_sines
from robot_dynamics.algorithms.newton_euler import joint_wrenches, link_motions, reaction_wrenches
from robot_dynamics.model.denoc import Base, Geometry

pytestmark = pytest.mark.parametrize(
    ('name', 'geometry', 'inertials'), ROBOTS, ids=NAMES)


@pytest.mark.parametrize('method', INVERSE)
def test_torques_agree_with_pinocchio(method, name, geometry, inertials):
    oracle = pytest.importorskip('algorithms.oracle').Oracle(geometry, inertials)
    for seed in range(3):
        q, qd, qdd = random_state(geometry, seed)
        found = INVERSE[method](geometry, inertials, q, qd, qdd)
        assert relative_error(found, oracle.inverse_dynamics(q, qd, qdd)) < 1e-12


@pytest.mark.parametrize('method', INVERSE)
def test_torques_are_affine_in_accelerations(method, name, geometry, inertials):
    q, qd, qdd = random_state(geometry, 3)
    bias = INVERSE[method](geometry, inertials, q, qd, np.zeros_like(q))
    gim = GIM['denoc'](geometry, inertials, q)
    found = INVERSE[method](geometry, inertials, q, qd, qdd)
    assert relative_error(found, gim @ qdd + bias) < 1e-12


@pytest.mark.parametrize('method', INVERSE)
def test_torques_are_linear_in_the_inertial_parameters(method, name, geometry, inertials):
    q, qd, qdd = random_state(geometry, 4)
    rng = np.random.default_rng(0)
    parts = [inertials._replace(
        mass=part[0] * inertials.mass, moment=part[1] * inertials.moment,
        inertia=part[2] * inertials.inertia, armature=part[3] * inertials.armature)
        for part in rng.uniform(-1.0, 1.0, (2, 4))]
    total = inertials._replace(
        mass=parts[0].mass + parts[1].mass, moment=parts[0].moment + parts[1].moment,
        inertia=parts[0].inertia + parts[1].inertia,
        armature=parts[0].armature + parts[1].armature)
    tau = [INVERSE[method](geometry, each, q, qd, qdd) for each in (*parts, total)]
    assert relative_error(tau[0] + tau[1], tau[2]) < 1e-11


@pytest.mark.parametrize('method', INVERSE)
def test_power_is_the_rate_of_energy(method, name, geometry, inertials):
    """Central differences of Pinocchio's energy along a parabola in q."""
    oracle = pytest.importorskip('algorithms.oracle').Oracle(geometry, inertials)
    q, qd, qdd = random_state(geometry, 5)

    def energy(t):
        return oracle.energy(q + qd * t + qdd * t * t / 2, qd + qdd * t)

    step = 1e-4
    slope = (8 * (energy(step) - energy(-step)) - (energy(2 * step) - energy(-2 * step)))
    power = INVERSE[method](geometry, inertials, q, qd, qdd) @ qd
    scale = max(abs(energy(0.0)), abs(power))
    assert abs(power - slope / (12 * step)) < 1e-7 * scale


@pytest.mark.parametrize('method', INVERSE)
def test_a_moving_base_is_a_link_that_moves(method, name, geometry, inertials):
    """Cut the tree at its first link: what it carries moves as on a base with its motion."""
    if len(geometry.parent) == 1 or np.any(geometry.parent[1:] < 0):
        pytest.skip('not one tree behind its first link')
    q, qd, qdd = random_state(geometry, 6)
    expected = INVERSE[method](geometry, inertials, q, qd, qdd)
    w, wd, a = link_motions(geometry, inertials, q, qd, qdd, *cosines_sines(geometry, q))
    rest = Geometry(geometry.parent[1:] - 1, *(field[1:] for field in geometry[1:]))
    carried = type(inertials)(
        *(field[1:] for field in inertials[:4]), Base(np.zeros(3), w[0], wd[0], a[0]))
    found = INVERSE[method](rest, carried, q[1:], qd[1:], qdd[1:])
    assert relative_error(found, expected[1:]) < 1e-12


def test_reaction_wrenches_agree_with_pinocchio(name, geometry, inertials):
    oracle = pytest.importorskip('algorithms.oracle').Oracle(geometry, inertials)
    q, qd, qdd = random_state(geometry, 7)
    found = reaction_wrenches(geometry, inertials, q, qd, qdd)
    expected = np.zeros_like(found)
    for i, (wrench, value) in enumerate(
            zip(oracle.joint_wrenches(q, qd, qdd), q, strict=True)):
        angle = geometry.theta0[i] + (0.0 if geometry.prismatic[i] else value)
        turn = np.array([[np.cos(angle), -np.sin(angle), 0.0],
                         [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
        expected[i, :3] = turn @ wrench[:3]
        expected[i, 3:] = turn @ wrench[3:]
    assert relative_error(found, expected) < 1e-12


def test_external_wrenches_agree_with_pinocchio(name, geometry, inertials):
    oracle = pytest.importorskip('algorithms.oracle').Oracle(geometry, inertials)
    q, qd, qdd = random_state(geometry, 8)
    external = np.random.default_rng(8).uniform(-5.0, 5.0, (len(q), 6))
    n, f = joint_wrenches(geometry, inertials, q, qd, qdd, external)
    found = np.where(geometry.prismatic, f[:, 2], n[:, 2]) + inertials.armature * qdd
    assert relative_error(found, oracle.inverse_dynamics(q, qd, qdd, external)) < 1e-12
