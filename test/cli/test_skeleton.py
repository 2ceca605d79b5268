"""Pictures of robots: joints are drawn where they are."""

from pathlib import Path

import numpy as np
import pinocchio
import pytest
from oracle import PANDA, ROBOTS

import robot_dynamics as rd
from robot_dynamics.description.records import Shape
from robot_dynamics.simulation.skeleton import draw, drawn, facets, joint_places

URDF = Path(__file__).parents[2] / 'urdf'
UR5 = ROBOTS / 'ur_description/urdf/ur5_robot.urdf'


@pytest.mark.filterwarnings('ignore::robot_dynamics.RobotDynamicsWarning')
@pytest.mark.parametrize('path', [UR5, PANDA, ROBOTS / 'talos_data/robots/talos_reduced.urdf'])
def test_joints_are_where_pinocchio_has_them(path):
    robot = rd.load(path)
    model = pinocchio.buildModelFromUrdf(str(path))
    data, q = model.createData(), np.random.default_rng(1).uniform(-0.5, 0.5, robot.n)
    theirs = pinocchio.neutral(model)
    for name, value in zip(robot.joint_names, q, strict=True):
        theirs[model.idx_qs[model.getJointId(name)]] = value
    for row in robot.dh.rows:  # Pinocchio's URDF reader lets mimics move freely
        if row.mimic is not None:
            leader = robot.joint_names.index(row.mimic.leader)
            theirs[model.idx_qs[model.getJointId(row.name)]] = (
                row.mimic.multiplier * q[leader] + row.mimic.offset)
    pinocchio.forwardKinematics(model, data, theirs)
    places, axes = joint_places(robot, q)
    for row, place in zip(robot.dh.rows, places, strict=True):
        there = data.oMi[model.getJointId(row.name)].translation
        np.testing.assert_allclose(place, there, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(axes, axis=1), 1.0)


def test_joints_of_a_dh_table_are_at_their_axes():
    row = rd.DHRow(a=1.0, b=0.0, alpha=0.0, theta=0.0, mass=1.0, inertia=np.eye(3))
    places, _ = joint_places(rd.Robot.from_dh([row, row]), np.array([0.0, 0.5]))
    np.testing.assert_allclose(places, [[0, 0, 0], [1, 0, 0]], atol=1e-12)


@pytest.mark.parametrize(('kind', 'area'), [
    ('box', 2 * (0.2 * 0.4 + 0.4 * 0.6 + 0.2 * 0.6)), ('cylinder', np.pi * 0.2 * (0.6 + 0.1)),
    ('sphere', np.pi * 0.36)])
def test_faces_close_a_solid_and_look_outwards(kind, area):
    size = {'box': [0.2, 0.4, 0.6], 'cylinder': [0.2, 0.2, 0.6], 'sphere': [0.6] * 3}[kind]
    shape = Shape(kind, np.array(size), np.eye(3), np.zeros(3))
    found = 0.0
    for face in facets(shape):
        normal = np.cross(face[2] - face[0], face[3] - face[1]) / 2
        assert normal @ face.mean(axis=0) > 0
        found += np.linalg.norm(normal)
    assert found == pytest.approx(area, rel=0.03)


def test_no_word_leaves_the_picture_of_a_long_flat_arm():
    row = rd.DHRow(a=1.0, b=0.0, alpha=0.0, theta=0.0, mass=1.0, inertia=np.eye(3))
    robot = rd.Robot.from_dh([row, row])
    figure = drawn(robot, np.zeros(2))
    figure.canvas.draw()
    (axes,) = figure.axes
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        box = axis.label.get_window_extent()
        assert figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1, axis.label.get_text()
        assert figure.bbox.y0 <= box.y0 and box.y1 <= figure.bbox.y1, axis.label.get_text()


def test_a_floating_base_stands_where_it_is():
    mechanism = rd.load('quadruped')
    tree, q = mechanism.tree, mechanism.start
    places, _ = joint_places(tree, q)
    names = tree.model.body_names
    for name in ('trunk', 'front_left_hip_link', 'rear_right_shank_link'):
        np.testing.assert_allclose(
            places[names.index(name)], tree.pose(q, name)[:3, 3], atol=1e-12)
    assert places[names.index('trunk')][2] > 0.1


@pytest.mark.parametrize('name', ['humanoid', 'quadruped'])
def test_floating_robots_are_drawn(tmp_path, name):
    draw(rd.load(URDF / f'{name}.urdf', base='floating'), tmp_path / 'robot.png')
    assert (tmp_path / 'robot.png').stat().st_size > 5000
