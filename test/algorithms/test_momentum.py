"""Mass centre and centroidal momentum against Pinocchio and Newton's laws."""

import numpy as np
import pinocchio as pin
import pytest
from oracle import ROBOTS

import robot_dynamics as rd
from robot_dynamics.algorithms.determinant import determinant
from robot_dynamics.algorithms.momentum import center_of_mass, centroidal_momentum

SERIAL_AND_TREE = ('ur_description/urdf/ur5_robot.urdf',
                   'hyq_description/robots/hyq_no_sensors.urdf',
                   'double_pendulum_description/urdf/double_pendulum.urdf')


@pytest.mark.parametrize('path', SERIAL_AND_TREE)
@pytest.mark.filterwarnings('ignore')
def test_momentum_of_real_robots(path):
    robot = rd.load(ROBOTS / path, friction=False)
    model = pin.buildModelFromUrdf(str(ROBOTS / path))
    data, rng = model.createData(), np.random.default_rng(0)
    # what is fixed on the root moves nowhere: Pinocchio's universe carries it
    for _ in range(5):
        q, qd = rng.uniform(-1, 1, (2, robot.n))
        order = [model.joints[model.getJointId(name)].idx_v for name in robot.joint_names]
        x, v = np.zeros(model.nq), np.zeros(model.nv)
        assert model.nq == model.nv
        x[order], v[order] = q, qd
        geometry, inertials = robot.model.geometry, robot.model.inertials
        pin.computeCentroidalMomentum(model, data, x, v)
        found = centroidal_momentum(geometry, inertials, q, qd)
        expected = np.concatenate([data.hg.angular, data.hg.linear])
        np.testing.assert_allclose(found, expected, atol=1e-12)
        np.testing.assert_allclose(
            center_of_mass(geometry, inertials, q), pin.centerOfMass(model, data, x), atol=1e-12)


@pytest.mark.parametrize('size', range(1, 7))
def test_determinant(size):
    matrix = np.random.default_rng(size).normal(size=(size, size))
    assert determinant(matrix) == pytest.approx(np.linalg.det(matrix), rel=1e-12)
    matrix[0] = 0.0
    assert determinant(matrix) == 0.0
