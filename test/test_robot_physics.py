"""What the public object answers, beside Pinocchio and identities."""

import warnings

import numpy as np
import pinocchio as pin
import pytest
from oracle import ROBOTS, Oracle

import robot_dynamics as rd
from robot_dynamics.algorithms import FORWARD, GIM
from robot_dynamics.model.dh.table import hinge, step
from robot_dynamics.studies.arms import puma560

GENERATOR = np.random.default_rng(9)


def test_jacobian_is_pinocchios(oracle):
    robot, judge = oracle
    q, qd = GENERATOR.uniform(-1, 1, (2, robot.n))
    swap = [3, 4, 5, 0, 1, 2]
    for link in ('panda_link4', 'panda_hand', 'panda_rightfinger'):
        frame = judge.model.getFrameId(link, pin.BODY)
        J = pin.computeFrameJacobian(judge.model, judge.data, judge.position(q), frame,
                                     pin.LOCAL_WORLD_ALIGNED)[np.ix_(swap, judge.columns)]
        assert np.allclose(robot.jacobian(q, link), J @ judge.G, atol=1e-14)
        pin.computeJointJacobiansTimeVariation(
            judge.model, judge.data, judge.position(q), judge.rates(qd))
        pin.updateFramePlacements(judge.model, judge.data)
        Jd = pin.getFrameJacobianTimeVariation(
            judge.model, judge.data, frame, pin.LOCAL_WORLD_ALIGNED)[np.ix_(swap, judge.columns)]
        assert np.allclose(robot.jacobian_rate(q, qd, link), Jd @ judge.G, atol=1e-13)


def test_manipulability_of_chosen_rows():
    arm = rd.Robot.from_dh([rd.DHRow(0.5, 0, 0, 0, mass=1), rd.DHRow(0.4, 0, 0, 0, mass=1)])
    q = np.array([0.3, 0.9])
    assert arm.manipulability(q, rows=[3, 4]) == pytest.approx(0.5 * 0.4 * np.sin(0.9))
    assert arm.manipulability(q) == 0  # a planar arm does not move along z
    assert arm.manipulability(np.array([q, q]), rows=[3, 4]).shape == (2,)
    for rows in ('sideways', [7], []):
        with pytest.raises(rd.InputError, match='rows'):
            arm.manipulability(q, rows=rows)


def test_external_wrenches_act_where_they_are(oracle):
    """tau changes by -J^T w; forward dynamics undoes it."""
    robot, judge = oracle
    q, qd, qdd = GENERATOR.uniform(-1, 1, (3, robot.n))
    wrench, other = GENERATOR.uniform(-5, 5, (2, 6))
    external = {'panda_hand': wrench, 'panda_link3': other}
    tau = robot.inverse_dynamics(q, qd, qdd, external=external)
    expected = (judge.inverse_dynamics(q, qd, qdd) - robot.jacobian(q, 'panda_hand').T @ wrench
                - robot.jacobian(q, 'panda_link3').T @ other)
    assert np.allclose(tau, expected, atol=1e-11)
    for method in ('auto', *FORWARD):
        found = robot.forward_dynamics(q, qd, tau, external=external, algorithm=method)
        assert np.allclose(found, qdd, rtol=1e-8, atol=1e-8)
    many = robot.inverse_dynamics(np.array([q, q]), qd, qdd, external={
        'panda_hand': np.array([wrench, 0 * wrench]), 'panda_link3': other})
    assert np.allclose(many[0], tau)
    assert not np.allclose(many[1], tau)
    for bad in ({'ghost': wrench}, {'panda_hand': [1, 2]}, {'panda_hand': [np.nan] * 6}):
        with pytest.raises(rd.InputError, match='ghost|external'):
            robot.inverse_dynamics(q, qd, qdd, external=bad)


def dh_frames(robot, q):
    """Return the DH frames i of all rows in the root frame: the product of the rows."""
    frames, moved = [], []
    s = robot.model.coordinates.G @ q + robot.model.coordinates.q0
    for row, parent, value in zip(robot.dh.rows, robot.dh.parents(), s, strict=True):
        if parent < 0:
            frames.append(np.eye(4) if row.base is None else row.base)
        else:
            first, branch = robot.dh.rows[parent], row.branch or rd.Branch(
                a=robot.dh.rows[parent].a, alpha=robot.dh.rows[parent].alpha,
                beta=robot.dh.rows[parent].beta)
            assert first.name == row.parent
            frames.append(moved[parent] @ hinge(branch.gamma, branch.epsilon)
                          @ step(branch.a, branch.alpha, branch.beta))
        slide = value if row.prismatic else 0.0
        moved.append(frames[-1] @ hinge(row.theta + value - slide, row.b + slide))
    return frames


@pytest.mark.parametrize('name', ['panda_description/urdf/panda.urdf',
                                  'baxter_description/urdf/baxter.urdf',
                                  'talos_data/robots/talos_full_v2.urdf'])
def test_reaction_wrenches_are_pinocchios_in_the_dh_frames(name):
    """Pinocchio has them at its own joint frames; O_i and the axes come from the DH table."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        robot = rd.load(ROBOTS / name, friction=False)
    judge = Oracle(ROBOTS / name, robot)
    q, qd, qdd = GENERATOR.uniform(-1, 1, (3, robot.n))
    judge.inverse_dynamics(q, qd, qdd)
    judge.poses(q)
    frames = dh_frames(robot, q)
    found = robot.reaction_wrenches(q, qd, qdd)
    for k, joint in enumerate(robot.joint_names):
        index = judge.model.getJointId(joint)
        world = judge.data.oMi[index].act(judge.data.f[index])  # about the root's origin
        T = frames[robot.model.tree_joint_names.index(joint)]
        force, moment = world.linear, world.angular - np.cross(T[:3, 3], world.linear)
        expected = np.concatenate([T[:3, :3].T @ moment, T[:3, :3].T @ force])
        assert np.allclose(found[k], expected, rtol=1e-9, atol=1e-9), joint


def test_reaction_wrenches_carry_the_torques(oracle):
    robot, judge = oracle
    q, qd, qdd = GENERATOR.uniform(-1, 1, (3, robot.n))
    wrenches = robot.reaction_wrenches(q, qd, qdd)
    arm = slice(0, 7)  # the finger's leader carries its follower's force as well
    assert np.allclose(wrenches[arm, 2], judge.inverse_dynamics(q, qd, qdd)[arm], atol=1e-11)


def test_power_in_is_energy_gained_and_lost(panda):
    """tau.qd = d(T + V)/dt + friction.qd along a motion, by central differences."""
    q, qd, qdd = GENERATOR.uniform(-1, 1, (3, panda.n))
    power = panda.inverse_dynamics(q, qd, qdd) @ qd

    def energy(t):
        at, rate = q + qd * t + qdd * t * t / 2, qd + qdd * t
        return panda.kinetic_energy(at, rate) + panda.potential_energy(at)
    step = 1e-4
    slope = (8 * (energy(step) - energy(-step)) - energy(2 * step) + energy(-2 * step)) / 12 / step
    assert power == pytest.approx(slope + panda.friction_torque(qd) @ qd, rel=1e-8)


def test_torque_is_linear_in_the_parameters(panda):
    state = GENERATOR.uniform(-1, 1, (3, panda.n))
    expected = panda.inverse_dynamics(*state) - panda.friction_torque(state[1])
    assert np.allclose(panda.regressor(*state) @ panda.parameters, expected, rtol=1e-11)


def test_derivatives_are_slopes(panda):
    q, qd, qdd = GENERATOR.uniform(-1, 1, (3, panda.n))
    by_q, by_qd, by_qdd = panda.inverse_dynamics_derivatives(q, qd, qdd)
    step = 1e-6
    for k, e in enumerate(np.eye(panda.n) * step):
        slope = (panda.inverse_dynamics(q + e, qd, qdd)
                 - panda.inverse_dynamics(q - e, qd, qdd)) / (2 * step)
        assert np.allclose(by_q[:, k], slope, atol=1e-7)
        slope = (panda.inverse_dynamics(q, qd + e, qdd)
                 - panda.inverse_dynamics(q, qd - e, qdd)) / (2 * step)
        assert np.allclose(by_qd[:, k], slope, atol=1e-7)
    assert np.allclose(by_qdd, panda.inertia_matrix(q), atol=1e-12)


def massless_wrist():
    rows = [rd.DHRow(**{name: getattr(row, name) for name in ('a', 'b', 'alpha', 'theta', 'mass',
                                                              'com', 'inertia')})
            for row in puma560().dh.rows]
    return rd.Robot.from_dh(rows, missing_inertia='zero')


def test_massless_wrist_is_a_named_singularity():
    """The PUMA of MohanSaha2007 without its hub inertias."""
    arm = massless_wrist()
    q, qd, tau = GENERATOR.uniform(-1, 1, (3, 6))
    for method in ('auto', *FORWARD):
        with pytest.raises(rd.SingularityError, match=r"joint 'joint_[456]'.*its pivot"):
            arm.forward_dynamics(q, qd, tau, algorithm=method)
    with pytest.raises(rd.SingularityError, match='joint_[456]'):
        arm.forward_dynamics(np.array([q, q]), qd, tau)
    assert np.isfinite(arm.inverse_dynamics(q, qd, tau)).all()


def test_armature_stands_on_the_diagonal():
    plain = [rd.DHRow(0.3, 0.1, 0.5, 0, mass=1, com=(-0.1, 0, 0), inertia=np.eye(3) * 0.01)
             for _ in range(3)]
    geared = [rd.DHRow(0.3, 0.1, 0.5, 0, mass=1, com=(-0.1, 0, 0), inertia=np.eye(3) * 0.01,
                       armature=0.2 + k) for k in range(3)]
    q, qd, qdd = GENERATOR.uniform(-1, 1, (3, 3))
    before, after = rd.Robot.from_dh(plain), rd.Robot.from_dh(geared)
    rotors = np.array([0.2, 1.2, 2.2])
    for method in ('auto', *GIM):
        assert np.allclose(after.inertia_matrix(q, algorithm=method),
                           before.inertia_matrix(q) + np.diag(rotors))
    assert np.allclose(after.inverse_dynamics(q, qd, qdd),
                       before.inverse_dynamics(q, qd, qdd) + rotors * qdd)
    assert after.kinetic_energy(q, qd) == pytest.approx(
        before.kinetic_energy(q, qd) + 0.5 * rotors @ qd**2)
    tau = after.inverse_dynamics(q, qd, qdd)
    for method in ('auto', *FORWARD):
        assert np.allclose(after.forward_dynamics(q, qd, tau, algorithm=method), qdd)


def test_hub_inertia_is_about_its_axis_and_moves_with_the_link():
    """Joined to the link's tensor, not to the GIM's diagonal: outer joints carry it too."""
    rows = [rd.DHRow(0.3, 0.1, np.pi / 2, 0, mass=1), rd.DHRow(0.2, 0, 0, 0, mass=1,
                                                               hub_inertia=0.5)]
    arm = rd.Robot.from_dh(rows)
    bare = rd.Robot.from_dh([rows[0], rd.DHRow(0.2, 0, 0, 0, mass=1)])
    difference = arm.inertia_matrix([0.3, 0.4]) - bare.inertia_matrix([0.3, 0.4])
    assert np.allclose(difference, [[0, 0], [0, 0.5]], atol=1e-15)  # the axes are perpendicular
    parallel = [rd.DHRow(0.3, 0.1, 0, 0, mass=1), rows[1]]
    bare = [parallel[0], rd.DHRow(0.2, 0, 0, 0, mass=1)]
    difference = (rd.Robot.from_dh(parallel).inertia_matrix([0.3, 0.4])
                  - rd.Robot.from_dh(bare).inertia_matrix([0.3, 0.4]))
    assert np.allclose(difference, 0.5)


def test_turning_base_gives_what_a_turntable_gives():
    """An arm on a turntable, seen from the turntable: fictitious torques are the same."""
    turntable = rd.DHRow(0, 0, 0, 0, mass=1, inertia=np.eye(3))
    arm = [rd.DHRow(0.3, 0.1, 0.5, 0, mass=1, com=(-0.1, 0, 0), inertia=np.eye(3) * 0.01)
           for _ in range(3)]
    q, qd, qdd = GENERATOR.uniform(-1, 1, (3, 4))
    q[0] = 0
    whole = rd.Robot.from_dh([turntable, *arm]).inverse_dynamics(q, qd, qdd)
    base = rd.Robot.from_dh(arm).with_base_motion([0, 0, qd[0]], [0, 0, qdd[0]])
    assert np.allclose(base.inverse_dynamics(q[1:], qd[1:], qdd[1:]), whole[1:])
