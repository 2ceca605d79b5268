"""What pictures are made of, against the model's own verbs."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import robot_dynamics as rd
from robot_dynamics.drawing.dh_lines import dh_frames
from robot_dynamics.drawing.ellipsoids import (
    force_ellipsoid,
    inertia_ellipsoids,
    mass_centre,
    velocity_ellipsoid,
)
from robot_dynamics.drawing.places import all_values, body_poses, joint_place, link_pose
from robot_dynamics.drawing.torque_parts import torque_parts

URDF = Path(__file__).parents[2] / 'urdf'
ROBOTS = {'puma': ('puma560.urdf', {}), 'stanford': ('stanford.urdf', {}),
          'floating': ('panda_like.urdf.xacro', {'base': 'floating'}),
          'five_bar': ('five_bar.yaml', {}), 'delta': ('delta.yaml', {})}


@pytest.fixture(params=ROBOTS)
def robot(request):
    file, options = ROBOTS[request.param]
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return rd.load(URDF / file, **options)


@pytest.fixture
def q(robot):
    rng = np.random.default_rng(1)
    return robot.model.coordinates.normalised(robot.neutral + rng.uniform(
        -0.05, 0.05, robot.nq)) if not hasattr(robot, 'assemble') else robot.neutral + 0.02


def test_poses_are_those_of_the_verb(robot, q):
    bodies = body_poses(robot.model, all_values(robot, q))
    for link in robot.link_names:
        assert np.allclose(link_pose(robot.model, bodies, link), robot.pose(q, link), atol=1e-9)
    assert np.allclose(mass_centre(robot.model.inertials, bodies), robot.center_of_mass(q))


def test_joints_are_on_their_axes_at_their_links(robot, q):
    bodies = body_poses(robot.model, all_values(robot, q))
    for i, link in enumerate(robot.model.body_names):
        if link in robot.model.frames and not robot.dh.rows[i].floating:
            place = joint_place(robot.model, bodies, i)
            away = link_pose(robot.model, bodies, link)[:3, 3] - place[:3, 3]
            assert np.allclose(place[:3, 2], bodies[i][:3, 2])
            assert abs(away @ place[:3, 2]) < 1e-9


def test_parts_add_up_to_inverse_dynamics(robot, q):
    rng = np.random.default_rng(2)
    qd, qdd = rng.uniform(-1, 1, (2, robot.nv))
    external = {robot.tip_names[0]: rng.uniform(-5, 5, 6)}
    parts = torque_parts(robot, q, qd, qdd, external)
    assert np.allclose(parts.total, robot.inverse_dynamics(q, qd, qdd, external=external))
    assert np.allclose(parts.gravity, robot.gravity_torque(q))
    assert np.allclose(parts.convective, robot.convective_matrix(q, qd) @ qd)
    assert np.abs(parts.external).max() > 0


def test_ellipsoids_have_the_inertia_of_their_links(robot):
    for i, (T, (a, b, c)) in inertia_ellipsoids(robot.model.inertials):
        body = robot.model.inertials.link(i)
        moments = body.mass / 5 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
        tensor = T[:3, :3] @ np.diag(moments) @ T[:3, :3].T
        wanted = np.linalg.eigvalsh(body.inertia)
        if wanted[0] + wanted[1] >= wanted[2]:  # what a solid body can have
            assert np.allclose(tensor, body.inertia, atol=1e-9 * max(1, wanted[2]))
        assert np.allclose(T[:3, 3], body.com)


def test_velocities_and_forces_lie_on_their_ellipsoids():
    robot = rd.load(URDF / 'puma560.urdf')
    q, rng = np.array([0.3, -0.5, 0.8, 0.2, 0.6, 0.1]), np.random.default_rng(3)
    J, effort = robot.jacobian(q)[3:], np.array([50.0, 80, 40, 5, 5, 5])
    T, axes = velocity_ellipsoid(J, np.zeros(3))
    for row in np.linalg.svd(J)[2][:3]:  # rates that make the longest velocities
        assert np.linalg.norm((T[:3, :3].T @ (J @ row)) / axes) == pytest.approx(1.0)
    T, axes = force_ellipsoid(J, effort, np.zeros(3), np.inf)
    for direction in rng.normal(size=(5, 3)):
        force = direction / np.linalg.norm(J.T @ direction / effort)
        assert np.linalg.norm((T[:3, :3].T @ force) / axes) == pytest.approx(1.0)


def test_frames_and_normals_are_those_of_the_table():
    robot = rd.load(URDF / 'puma560.urdf')
    bodies = body_poses(robot.model, np.array([0.3, -0.5, 0.8, 0.2, 0.6, 0.1]))
    frames = [(f.body, bodies[f.body] @ f.T, f) for f in dh_frames(robot.dh)]
    for (i, T, frame), row in zip(frames, robot.dh.rows, strict=True):
        normal = bodies[i][:3, :3] @ (frame.normal[1] - frame.normal[0])
        assert np.linalg.norm(normal) == pytest.approx(abs(row.a), abs=1e-12)
        assert abs(normal @ bodies[i][:3, 2]) < 1e-9  # to the axis before
        assert abs(normal @ T[:3, 2]) < 1e-9  # to the axis after
        if frame.offset is not None:
            along = bodies[i][:3, :3] @ (frame.offset[1] - frame.offset[0])
            assert np.allclose(along, row.b * bodies[i][:3, 2], atol=1e-9)
    for (_, T, _), (j, _, _) in zip(frames, frames[1:], strict=False):
        assert np.allclose(T[:3, 2], bodies[j][:3, 2])  # z of frame i + 1 is the next axis
