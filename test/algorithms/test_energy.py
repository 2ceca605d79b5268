"""Kinematics, energies, power, friction and external wrenches."""

import numpy as np
import pytest
from algorithms.robots import NAMES, PAPERS, ROBOTS, paper_robot, random_state, relative_error

from robot_dynamics.algorithms import GIM, INVERSE
from robot_dynamics.algorithms.bias import bias, gravity_torque
from robot_dynamics.algorithms.energy import kinetic_energy, potential_energy, power
from robot_dynamics.algorithms.external import external_torque
from robot_dynamics.algorithms.friction import friction_torque
from robot_dynamics.algorithms.kinematics import (
    jacobian,
    jacobian_rate,
    manipulability,
    poses,
    twist,
)

robots = pytest.mark.parametrize(('name', 'geometry', 'inertials'), ROBOTS, ids=NAMES)
POINT = np.array([0.3, -0.2, 0.5])


@robots
def test_poses_and_jacobians_agree_with_pinocchio(name, geometry, inertials):
    pin = pytest.importorskip('pinocchio')
    oracle = pytest.importorskip('algorithms.oracle').Oracle(geometry, inertials)
    q, qd, _ = random_state(geometry, 1)
    R, p = poses(geometry, q)
    pin.computeJointJacobiansTimeVariation(oracle.model, oracle.data, q, qd)
    for i in range(len(q)):
        placement = oracle.data.oMi[i + 1]
        assert np.abs(R[i] - placement.rotation).max() < 1e-11
        assert np.abs(p[i] - placement.translation).max() < 1e-11
    last, frame = len(q), pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    J = pin.getJointJacobian(oracle.model, oracle.data, last, frame).reshape(6, last)
    found = jacobian(geometry, q, last - 1, np.zeros(3))
    assert relative_error(found, np.vstack([J[3:], J[:3]])) < 1e-11
    Jd = pin.getJointJacobianTimeVariation(oracle.model, oracle.data, last, frame)
    Jd = Jd.reshape(6, last)
    found = jacobian_rate(geometry, q, qd, last - 1, np.zeros(3))
    assert relative_error(found, np.vstack([Jd[3:], Jd[:3]])) < 1e-11


@robots
def test_rates_of_a_point(name, geometry, inertials):
    q, qd, _ = random_state(geometry, 2)
    link, h = len(q) - 1, 1e-6

    def at(sign):
        R, p = poses(geometry, q + sign * h * qd)
        return p[link] + R[link] @ POINT, jacobian(geometry, q + sign * h * qd, link, POINT)

    (x1, J1), (x0, J0) = at(1), at(-1)
    assert relative_error(twist(geometry, q, qd, link, POINT)[3:], (x1 - x0) / (2 * h)) < 1e-6
    assert relative_error(jacobian(geometry, q, link, POINT) @ qd,
                          twist(geometry, q, qd, link, POINT)) < 1e-12
    assert relative_error(jacobian_rate(geometry, q, qd, link, POINT), (J1 - J0) / (2 * h)) < 1e-6


@robots
def test_kinetic_energy_is_the_quadratic_form_of_the_inertia_matrix(name, geometry, inertials):
    q, qd, _ = random_state(geometry, 3)
    expected = qd @ GIM['denoc'](geometry, inertials, q) @ qd / 2
    assert kinetic_energy(geometry, inertials, q, qd) == pytest.approx(expected, rel=1e-12)


def test_puma_energies():
    geometry, inertials = paper_robot('puma_rods')
    for row in PAPERS['puma_rods']['forward_dynamics']:
        q, qd = np.array(row['q']), np.array(row['qd'])
        assert kinetic_energy(geometry, inertials, q, qd) == pytest.approx(row['KE'], abs=1e-9)
        assert potential_energy(geometry, inertials, q) == pytest.approx(row['PE'], rel=1e-9)


@robots
def test_gravity_torque_is_the_gradient_of_the_potential(name, geometry, inertials):
    q, _, _ = random_state(geometry, 4)
    h = 1e-5
    gradient = np.array([
        (potential_energy(geometry, inertials, q + h * e)
         - potential_energy(geometry, inertials, q - h * e)) / (2 * h) for e in np.eye(len(q))])
    assert relative_error(gravity_torque(geometry, inertials, q), gradient) < 1e-6


@robots
def test_power_is_the_rate_of_energy(name, geometry, inertials):
    q, qd, qdd = random_state(geometry, 5)
    qd, h = qd / np.sqrt(len(q)), 1e-5

    def energy(t):
        motion = q + qd * t + qdd * t * t / 2, qd + qdd * t
        return kinetic_energy(geometry, inertials, *motion) + potential_energy(
            geometry, inertials, motion[0])

    tau = INVERSE['gibbs_appell'](geometry, inertials, q, qd, qdd)
    rate = (energy(h) - energy(-h)) / (2 * h)
    assert power(tau, qd) == pytest.approx(rate, rel=1e-6, abs=1e-6 * abs(energy(0.0)))


@robots
def test_bias_and_inertia_matrix_make_the_torques(name, geometry, inertials):
    q, qd, qdd = random_state(geometry, 6)
    expected = GIM['gibbs_appell'](geometry, inertials, q) @ qdd + bias(geometry, inertials, q, qd)
    assert relative_error(INVERSE['newton_euler'](geometry, inertials, q, qd, qdd),
                          expected) < 1e-12


@robots
def test_weight_as_external_wrenches(name, geometry, inertials):
    """Weights hung on the mass centres as external forces do what gravity does."""
    q, _, _ = random_state(geometry, 7)
    mass = np.where(inertials.mass == 0, 1.0, inertials.mass)
    wrenches = np.hstack([np.zeros((len(q), 3)), inertials.mass[:, None] * inertials.base.gravity])
    found = external_torque(
        geometry, q, np.arange(len(q)), inertials.moment / mass[:, None], wrenches)
    assert relative_error(-found, gravity_torque(geometry, inertials, q)) < 1e-11


def test_friction():
    damping, friction = np.array([2.0, 0.0, 1.0]), np.array([0.0, 3.0, 1.0])
    qd = np.array([0.5, -4.0, 0.0])
    assert friction_torque(damping, friction, qd) == pytest.approx([1.0, -3.0, 0.0])
    slow = friction_torque(damping, friction, np.full(3, 0.001))
    assert 0 < slow[1] < 0.31  # Coulomb's friction is smooth near rest


def test_manipulability():
    """The planar arm of two links, lengths 1: |sin(theta_2)|, Bhangale2004 (21)."""
    angle = 0.7
    J = np.array([[-np.sin(0.0) - np.sin(angle), -np.sin(angle)],
                  [np.cos(0.0) + np.cos(angle), np.cos(angle)]])
    assert manipulability(J) == pytest.approx(np.sin(angle))
    assert manipulability(np.ones((3, 2))) == pytest.approx(0.0, abs=1e-7)
