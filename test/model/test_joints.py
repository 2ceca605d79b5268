"""Joints of every kind: fixed, mimic, floating, planar, locked, cut out."""

import numpy as np
import pinocchio as pin
import pytest
from oracle import ROBOTS, Oracle
from urdf_text import chain, joint, link, robot

import robot_dynamics as rd
from robot_dynamics.algorithms import FORWARD, GIM, INVERSE

GENERATOR = np.random.default_rng(5)
PANDA = ROBOTS / 'panda_description/urdf/panda.urdf'


def pin_model(text, root_joint=None):
    return pin.buildModelFromXML(text, root_joint) if root_joint else pin.buildModelFromXML(text)


def test_fixed_links_are_merged_and_keep_their_frames():
    text = robot(link('base', None), link('a'), link('b', 2.0), link('c', 0.5), link('tip', None),
                 joint('j', 'base', 'a'), joint('f', 'a', 'b', type='fixed', rpy='0.3 0.2 0.1'),
                 joint('k', 'b', 'c', axis='1 0 0'), joint('g', 'c', 'tip', type='fixed'))
    ours = rd.load(text)
    oracle = Oracle(None, ours, pin_model(text))
    assert ours.joint_names == ('j', 'k')
    q, qd, qdd = GENERATOR.uniform(-1, 1, (3, 2))
    for name, T in oracle.poses(q).items():
        assert np.abs(ours.pose(q, name) - T).max() < 1e-14
    assert np.allclose(ours.inverse_dynamics(q, qd, qdd), oracle.inverse_dynamics(q, qd, qdd),
                       rtol=1e-12)
    assert ours.tip_names == ('tip',)
    assert np.array_equal(ours.pose(q), ours.pose(q, 'tip'))


def mimic_tree(third='prismatic'):
    """Return a leader, a follower of it, a follower of that follower, and a branch."""
    return robot(
        link('base', None), *(link(name) for name in 'abcd'),
        joint('lead', 'base', 'a', axis='0 1 0'),
        joint('second', 'a', 'b', axis='1 0 0', xyz='0.1 0 0.2',
              extra='<mimic joint="lead" multiplier="-0.5" offset="0.2"/>'),
        joint('third', 'b', 'c', type=third, axis='0 0 1',
              extra='<mimic joint="second" multiplier="0.3" offset="-0.1"/>'),
        joint('free', 'a', 'd', axis='0 0 1', xyz='0 0.2 0'))


def test_mimics_follow_and_load_their_leader():
    ours = rd.load(mimic_tree())
    assert ours.joint_names == ('lead', 'free')
    G, q0 = ours.model.coordinates.G, ours.model.coordinates.q0
    assert np.allclose(G[:, 0], [1, -0.5, -0.15, 0])
    assert np.allclose(q0, [0, 0.2, -0.04, 0])
    oracle = Oracle(None, ours, pin_model(mimic_tree()))
    q, qd, qdd = GENERATOR.uniform(-1, 1, (3, 2))
    tau = oracle.inverse_dynamics(q, qd, qdd)
    for method in INVERSE:
        assert np.allclose(ours.inverse_dynamics(q, qd, qdd, algorithm=method), tau, rtol=1e-11)
    for method in GIM:
        assert np.allclose(ours.inertia_matrix(q, algorithm=method), oracle.inertia_matrix(q))
    for method in FORWARD:
        assert np.allclose(ours.forward_dynamics(q, qd, tau, algorithm=method), qdd, rtol=1e-9)
    U, D = ours.udu(q)
    assert np.allclose(U @ np.diag(D) @ U.T, ours.inertia_matrix(q), rtol=1e-12)
    assert np.allclose(ours.convective_matrix(q, qd) @ qd + ours.gravity_torque(q),
                       ours.bias(q, qd), rtol=1e-11)


def test_mimics_agree_with_pinocchios_own():
    # it knows neither mimics of mimics nor mimics between turning and sliding
    text = mimic_tree(third='revolute').replace('mimic joint="second"', 'mimic joint="lead"')
    ours = rd.load(text)
    model = pin.buildModelFromXML(text, mimic=True)
    q, qd, qdd = GENERATOR.uniform(-1, 1, (3, 2))
    order = [model.joints[model.getJointId(name)].idx_v for name in ours.joint_names]
    full = [np.zeros(2) for _ in range(3)]
    for target, values in zip(full, (q, qd, qdd), strict=True):
        target[order] = values
    tau = pin.rnea(model, model.createData(), *full)[order]
    assert np.allclose(ours.inverse_dynamics(q, qd, qdd), tau, rtol=1e-11)


def euler_map(q):
    """Return S with v_body = S qd for x y z yaw pitch roll."""
    yaw, pitch, roll = q[3:6]
    Rz, Ry, Rx = (pin.utils.rotate(axis, angle) for axis, angle in
                  (('z', yaw), ('y', pitch), ('x', roll)))
    S = np.zeros((6, 6))
    S[:3, :3] = (Rz @ Ry @ Rx).T  # linear velocity in the body
    S[3:, 3] = (Ry @ Rx).T @ [0, 0, 1]
    S[3:, 4] = Rx.T @ [0, 1, 0]
    S[3:, 5] = [1, 0, 0]
    return S


def test_floating_chain_is_pinocchios_free_flyer(data_folder):
    path = data_folder / 'floating.urdf'
    ours = rd.load(path, floating='chain')
    assert ours.joint_names == (*(f'free/{name}' for name in
                                  ('x', 'y', 'z', 'yaw', 'pitch', 'roll')), 'shoulder', 'elbow')
    model = pin.buildModelFromUrdf(str(path))
    if model.joints[1].nv != 6:  # this reader's own floating joint
        pytest.fail('Pinocchio did not read the floating joint')
    data = model.createData()
    q, qd = GENERATOR.uniform(-1, 1, (2, 8))
    R = np.linalg.multi_dot([pin.utils.rotate('z', q[3]), pin.utils.rotate('y', q[4]),
                             pin.utils.rotate('x', q[5])])
    pq = np.concatenate([q[:3], pin.Quaternion(R).coeffs(), q[6:]])
    S = np.zeros((8, 8))
    S[:6, :6], S[6:, 6:] = euler_map(q), np.eye(2)
    pin.framesForwardKinematics(model, data, pq)
    for name in ('body', 'upper', 'lower'):
        T = data.oMf[model.getFrameId(name, pin.BODY)].homogeneous
        assert np.abs(ours.pose(q, name) - T).max() < 1e-14
    M = pin.crba(model, data, pq)
    M = np.triu(M) + np.triu(M, 1).T
    assert np.allclose(ours.inertia_matrix(q), S.T @ M @ S, rtol=1e-11, atol=1e-12)
    assert ours.kinetic_energy(q, qd) == pytest.approx(
        pin.computeKineticEnergy(model, data, pq, S @ qd), rel=1e-12)
    gravity = pin.computeGeneralizedGravity(model, data, pq)
    assert np.allclose(ours.gravity_torque(q), S.T @ gravity, rtol=1e-11, atol=1e-12)
    tau = ours.inverse_dynamics(q, qd, np.zeros(8))
    assert np.allclose(ours.forward_dynamics(q, qd, tau), 0, atol=1e-10)


def test_gimbal_lock_is_a_singularity(data_folder):
    ours = rd.load(data_folder / 'floating.urdf', floating='chain')
    q = np.zeros(8)
    q[4] = np.pi / 2
    for method in FORWARD:
        with pytest.raises(rd.SingularityError, match='free/(yaw|roll)'):
            ours.forward_dynamics(q, np.zeros(8), np.zeros(8), algorithm=method)


def test_planar_joint_is_pinocchios(data_folder):
    path = data_folder / 'planar.urdf'
    ours = rd.load(path)
    assert ours.joint_names == ('drive/x', 'drive/y', 'drive/yaw', 'lean')
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    q, qd = GENERATOR.uniform(-1, 1, (2, 4))
    c, s = np.cos(q[2]), np.sin(q[2])
    pq = np.array([q[0], q[1], c, s, q[3]])
    S = np.eye(4)
    S[:2, :2] = [[c, s], [-s, c]]  # Pinocchio's planar velocity is in the body
    pin.framesForwardKinematics(model, data, pq)
    for name in ('cart', 'mast'):
        T = data.oMf[model.getFrameId(name, pin.BODY)].homogeneous
        assert np.abs(ours.pose(q, name) - T).max() < 1e-14
    assert ours.kinetic_energy(q, qd) == pytest.approx(
        pin.computeKineticEnergy(model, data, pq, S @ qd), rel=1e-12)
    gravity = pin.computeGeneralizedGravity(model, data, pq)
    assert np.allclose(ours.gravity_torque(q), S.T @ gravity, rtol=1e-11, atol=1e-12)


def test_planar_joint_about_another_axis_moves_in_its_plane():
    ours = rd.load(chain({'type': 'planar', 'axis': '0 1 0', 'xyz': '0 0 0'}))
    home = ours.pose(np.zeros(3), 'l1')
    assert np.allclose(home, np.eye(4))
    for k in range(2):
        moved = ours.pose(np.eye(3)[k] * 0.3, 'l1')[:3, 3]
        assert moved[1] == pytest.approx(0, abs=1e-15)
        assert np.linalg.norm(moved) == pytest.approx(0.3)
    turned = ours.pose([0, 0, 0.5], 'l1')[:3, :3]
    assert np.allclose(turned, pin.utils.rotate('y', 0.5))


def test_locked_joints_keep_their_mass():
    ours = rd.load(PANDA, locked={'panda_finger_joint1': 0.02, 'panda_joint7': 0.4},
                   friction=False)
    assert ours.joint_names == tuple(f'panda_joint{k}' for k in range(1, 7))
    whole = rd.load(PANDA, friction=False)
    assert ours.total_mass == pytest.approx(whole.total_mass)
    q, qd, qdd = GENERATOR.uniform(-1, 1, (3, 6))
    full = [np.concatenate([values, tail]) for values, tail in (
        (q, [0.4, 0.02]), (qd, [0, 0]), (qdd, [0, 0]))]
    assert np.allclose(ours.inverse_dynamics(q, qd, qdd), whole.inverse_dynamics(*full)[:6],
                       rtol=1e-11)
    assert np.allclose(ours.pose(q, 'panda_leftfinger'), whole.pose(full[0], 'panda_leftfinger'),
                       atol=1e-14)


@pytest.mark.parametrize(('locked', 'message'), [
    ({'ghost': 0}, "no joint 'ghost'"), ({'panda_finger_joint2': 0}, 'mimics'),
    ({'panda_joint1': float('nan')}, 'nan'), ({'panda_joint1': 'x'}, 'numbers')])
def test_wrong_locks(locked, message):
    with pytest.raises(rd.InputError, match=message):
        rd.load(PANDA, locked=locked)


def test_chain_between_root_and_tip():
    with pytest.warns(rd.RobotDynamicsWarning, match=r'4 links with .* kg are cut off: panda_h'):
        arm = rd.load(PANDA, tip='panda_link8')
    assert arm.n == 7
    assert arm.tip_names == ('panda_link8',)
    with pytest.warns(rd.RobotDynamicsWarning, match='cut off'):
        part = rd.load(PANDA, root='panda_link3', tip='panda_link6')
    assert part.joint_names == ('panda_joint4', 'panda_joint5', 'panda_joint6')
    whole = rd.load(PANDA)
    q = GENERATOR.uniform(-1, 1, 8)
    between = np.linalg.solve(whole.pose(q, 'panda_link3'), whole.pose(q, 'panda_link6'))
    assert np.allclose(part.pose(q[3:6]), between, atol=1e-14)
    with pytest.warns(rd.RobotDynamicsWarning, match='cut off'):
        below = rd.load(PANDA, root='panda_link5')
    assert below.n == 3


@pytest.mark.parametrize(('options', 'message'), [
    ({'root': 'ghost'}, "root: .* no link 'ghost'"), ({'tip': 'ghost'}, "tip: .*'ghost'"),
    ({'root': 'panda_link5', 'tip': 'panda_link2'}, 'does not hang below'),
    ({'tip': 'panda_rightfinger'}, 'is cut off')])
def test_wrong_chains(options, message):
    with pytest.raises(rd.InputError, match=message):
        rd.load(PANDA, **options)


def test_limits_damping_and_friction_are_kept():
    text = chain({'extra': '<dynamics damping="0.7" friction="0.2"/>'}, {'type': 'continuous'})
    ours = rd.load(text)
    assert ours.limits.lower.tolist() == [-2, -np.inf]
    assert ours.limits.upper.tolist() == [2, np.inf]
    assert ours.limits.effort.tolist() == [10, np.inf]
    assert ours.limits.velocity.tolist() == [3, np.inf]
    qd = np.array([0.3, 0.1])
    expected = [0.7 * 0.3 + 0.2 * np.tanh(0.3 / 0.01), 0]
    assert np.allclose(ours.friction_torque(qd), expected)
    q, zero = np.zeros(2), np.zeros(2)
    bare = rd.load(text, friction=False)
    difference = ours.inverse_dynamics(q, qd, zero) - bare.inverse_dynamics(q, qd, zero)
    assert np.allclose(difference, expected)
    assert np.allclose(bare.friction_torque(qd), 0)


def test_a_floating_chain_tells_of_gimbal_lock():
    text = """<robot name="f"><link name="w"/><link name="b"><inertial><mass value="2"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
        <joint name="root" type="floating"><parent link="w"/><child link="b"/></joint></robot>"""
    with pytest.warns(rd.RobotDynamicsWarning, match="'root' is floating.*gimbal lock"):
        rd.load(text, floating='chain')
    with pytest.warns(rd.RobotDynamicsWarning, match='its dry friction is left'):
        rd.load(text.replace('</joint>', '<dynamics friction="1"/></joint>'))
