"""Torque arcs stand where the URDF has the joint, and turn about its axis."""

import numpy as np
import pinocchio
import pytest
from oracle import robots_folder
from sensor_msgs.msg import JointState

import robot_dynamics as rd
from robot_dynamics.nodes.gim_diagnostics.markers import make_markers

FILES = ('ur_description/urdf/ur5_robot.urdf', 'panda_description/urdf/panda.urdf',
         'z1_description/urdf/z1.urdf', 'so_arm_description/urdf/so100.urdf')


@pytest.mark.parametrize('file', FILES)
def test_arcs_are_at_the_joints(file):
    path = robots_folder() / file
    robot = rd.load(path)
    model = pinocchio.buildModelFromUrdf(str(path))
    data = model.createData()
    q = np.random.default_rng(7).uniform(-0.5, 0.5, robot.n)
    configuration = pinocchio.neutral(model)
    for name, value in zip(robot.joint_names, q, strict=True):
        configuration[model.joints[model.getJointId(name)].idx_q] = value
    pinocchio.forwardKinematics(model, data, configuration)
    markers = make_markers(robot, q, np.ones(robot.n), JointState().header.stamp,
                           link=robot.link_names[-1], radius=0.1, scale=1.0, lifetime=1.0)
    arcs = {marker.text: marker for marker in markers.markers if marker.ns == 'effort'}
    assert set(arcs) == set(robot.joint_names)
    for name, arc in arcs.items():
        place = data.oMi[model.getJointId(name)]
        p, o = arc.pose.position, arc.pose.orientation
        np.testing.assert_allclose([p.x, p.y, p.z], place.translation, atol=1e-9)
        axis = pinocchio.Quaternion(o.w, o.x, o.y, o.z).matrix()[:, 2]
        S = model.joints[model.getJointId(name)]
        expected = place.rotation @ np.asarray(S.createData().S).ravel()[-3:]
        if 'P' not in S.shortname():
            np.testing.assert_allclose(axis, expected, atol=1e-6)
