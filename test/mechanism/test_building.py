"""What a mechanism's loops, freedoms and motors must be, and what is said where they are not."""

import ctypes
import pickle
import subprocess
from pathlib import Path

import numpy as np
import pytest
import yaml

import robot_dynamics as rd

URDF = Path(__file__).parents[2] / 'urdf'


@pytest.fixture
def five_bar():
    return rd.load(URDF / 'five_bar.yaml')


def changed(tmp_path, name='five_bar', **keys):
    """Return a shipped mechanism file with some keys changed; None leaves one out."""
    document = yaml.safe_load((URDF / f'{name}.yaml').read_text())
    document['robot'] = str(URDF / document['robot'])
    document.update(keys)
    path = tmp_path / 'changed.yaml'
    path.write_text(yaml.safe_dump({k: v for k, v in document.items() if v is not None}))
    return path


def independent(mechanism):
    return mechanism.start[[mechanism.tree_joint_names.index(x) for x in mechanism.joint_names]]


def test_freedoms_by_rank_and_by_count():
    for name, freedoms, redundant in (('four_bar', 1, 3), ('five_bar', 2, 3), ('stewart', 6, 0),
                                      ('delta', 3, 0), ('palletizer', 4, 9), ('gripper', 1, 6)):
        mobility = rd.load(URDF / f'{name}.yaml').mobility
        assert (mobility.freedoms, mobility.redundant) == (freedoms, redundant), name
        assert mobility.gruebler == freedoms - redundant


@pytest.mark.parametrize(('actuated', 'says'), [
    (['left_shoulder'], '1 actuated joints .left_shoulder. for 2 degrees of freedom; .* move'),
    (['left_shoulder', 'left_elbow', 'right_shoulder'], '3 actuated joints .* for 2 degrees'),
    (['left_shoulder', 'left_shoulder'], 'left_shoulder'),
    (['left_shoulder', 'knee'], 'knee')])
def test_wrong_motors_are_named(tmp_path, actuated, says):
    with pytest.raises(rd.RobotDynamicsError, match=says):
        rd.load(changed(tmp_path, actuated=actuated))


def test_a_start_that_cannot_close(tmp_path):
    start = {'left_shoulder': 3.0, 'right_shoulder': 0.0}
    with pytest.raises(rd.DescriptionError, match=r"loop 'tip' stays open by 0\.595 m"):
        rd.load(changed(tmp_path, start=start))
    far = [{'joint': 'revolute', 'between': ['left_forearm', 'right_forearm'],
            'at': [{'xyz': [9, 0, 0]}, {'xyz': [0.8, 0, 0]}]}]
    with pytest.raises(rd.DescriptionError, match='no values of the joints were found'):
        rd.load(changed(tmp_path, loops=far))


def test_a_loop_within_one_body(tmp_path):
    loop = [{'joint': 'revolute', 'between': ['left_forearm', 'left_forearm'],
             'at': [{'xyz': [0, 0, 0]}, {'xyz': [0, 0, 0]}]}]
    with pytest.raises(rd.DescriptionError, match='left_forearm'):
        rd.load(changed(tmp_path, loops=loop))


def test_poses_out_of_reach_and_singular(five_bar):
    with pytest.raises(rd.InputError, match=r"loop 'tip' stays open by 0\.595 m at left_sh"):
        five_bar.inverse_dynamics([3.0, 0.0], [0, 0], [0, 0])
    with pytest.raises(rd.InputError, match='state 1'):
        five_bar.assemble([[0.5, 0.5], [3.0, 0.0]])
    stewart = rd.load(URDF / 'stewart.yaml')
    with pytest.raises(rd.RobotDynamicsError, match='leg_1 = 5'):
        stewart.assemble([5.0, 0.2, 0.2, 0.2, 0.2, 0.2])


def test_both_branches_are_found_and_near_picks_one(five_bar):
    q = independent(five_bar)
    first, second = five_bar.assemble(q, branches=True)
    np.testing.assert_allclose(first, five_bar.start, atol=1e-12)
    assert np.abs(five_bar.closure_error(second)).max() < 1e-12
    assert np.abs(first - second).max() > 0.5
    moved = q + np.array([0.05, -0.04])
    tree = five_bar.assemble(moved, near=second)
    assert np.abs(tree - second).max() < 0.3
    assert np.abs(five_bar.assemble(moved) - first).max() < 0.3
    many = five_bar.assemble(np.array([q, moved]), near=second)
    np.testing.assert_allclose(many[1], tree, atol=1e-12)


def test_more_motors_than_freedoms(tmp_path, five_bar):
    path = changed(tmp_path, actuated=['left_shoulder', 'right_shoulder', 'left_elbow'],
                   independent=['left_shoulder', 'right_shoulder'])
    redundant = rd.load(path)
    q, qd, qdd = independent(redundant), np.array([0.3, -0.2]), np.array([1.0, 2.0])
    tau = redundant.inverse_dynamics(q, qd, qdd)
    assert tau.shape == (3,)
    B = redundant.actuation_matrix(q)
    np.testing.assert_allclose(B.T @ tau, five_bar.inverse_dynamics(q, qd, qdd), rtol=1e-10)
    np.testing.assert_allclose(redundant.forward_dynamics(q, qd, tau), qdd, rtol=1e-9)
    rest = np.linalg.svd(B.T)[2][-1]  # what the motors can do against each other
    assert abs(rest @ tau) < 1e-12 * np.abs(tau).max()
    heavy = redundant.inverse_dynamics(q, qd, qdd, weights=[1, 1, 1e12])
    np.testing.assert_allclose(heavy[:2], five_bar.inverse_dynamics(q, qd, qdd), rtol=1e-9)


def test_freedoms_without_a_motor(tmp_path, five_bar):
    path = changed(tmp_path, actuated=['left_shoulder'],
                   independent=['left_shoulder', 'right_shoulder'])
    lame = rd.load(path)
    q, qd = independent(lame), np.array([0.3, -0.2])
    np.testing.assert_allclose(lame.forward_dynamics(q, qd, [2.0]),
                               five_bar.forward_dynamics(q, qd, [2.0, 0.0]), rtol=1e-10)


def test_copies_payloads_and_pickles(five_bar):
    q, qd, qdd = independent(five_bar), np.array([0.3, -0.2]), np.array([1.0, 2.0])
    tau = five_bar.inverse_dynamics(q, qd, qdd)
    rd.wait_for_kernels()
    five_bar.inverse_dynamics(q, qd, qdd)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(five_bar)).inverse_dynamics(q, qd, qdd),
        five_bar.inverse_dynamics(q, qd, qdd))
    weightless = five_bar.with_gravity((0, 0, 0))
    assert np.abs(weightless.gravity_torque(q)).max() < 1e-12
    loaded = five_bar.with_payload('left_forearm', 1.0, (1.1, 0, 0))
    J = five_bar.jacobian(q, 'left_forearm')
    tip = five_bar.pose(q, 'left_forearm')[:3, :3] @ [1.1, 0, 0]
    lever = J[3:] + np.cross(J[:3].T, tip).T
    np.testing.assert_allclose(loaded.gravity_torque(q) - five_bar.gravity_torque(q),
                               lever.T @ [0, 9.81, 0], rtol=1e-9)
    assert not np.allclose(loaded.inverse_dynamics(q, qd, qdd), tau)


def test_reactions_carry_the_cut(five_bar):
    q, qd, qdd = independent(five_bar), np.array([0.3, -0.2]), np.array([1.0, 2.0])
    tau = five_bar.inverse_dynamics(q, qd, qdd)
    all_joints = five_bar.reaction_wrenches(q, qd, qdd, joints='all')
    motors = [five_bar.tree_joint_names.index(name) for name in five_bar.joint_names]
    np.testing.assert_allclose(all_joints[motors, 2], tau, rtol=1e-10)
    passive = [k for k in range(4) if k not in motors]
    assert np.abs(all_joints[passive, 2]).max() < 1e-10
    np.testing.assert_allclose(five_bar.reaction_wrenches(q, qd, qdd), all_joints[motors])


def test_derivatives_regressor_and_wrenches(five_bar):
    q, qd, qdd = independent(five_bar), np.array([0.3, -0.2]), np.array([1.0, 2.0])
    by_q, by_qd, by_qdd = five_bar.inverse_dynamics_derivatives(q, qd, qdd)
    h = 1e-6
    for k, unit in enumerate(np.eye(2) * h):
        for block, step in ((by_q, (unit, 0, 0)), (by_qd, (0, unit, 0)), (by_qdd, (0, 0, unit))):
            ahead, behind = (five_bar.inverse_dynamics(
                q + s * step[0], qd + s * step[1], qdd + s * step[2]) for s in (1, -1))
            np.testing.assert_allclose(block[:, k], (ahead - behind) / (2 * h), atol=1e-6)
    for form in ('paper', 'skew'):
        C = five_bar.convective_matrix(q, qd, form=form)
        np.testing.assert_allclose(
            C @ qd, five_bar.bias(q, qd) - five_bar.gravity_torque(q), atol=1e-12)
    pull = {'left_forearm': np.arange(6.0)}
    np.testing.assert_allclose(
        five_bar.inverse_dynamics(q, qd, qdd, external=pull),
        five_bar.inverse_dynamics(q, qd, qdd)
        - five_bar.jacobian(q, 'left_forearm').T @ np.arange(6.0), rtol=1e-9)
    np.testing.assert_allclose(five_bar.regressor(q, qd, qdd) @ five_bar.parameters,
                               five_bar.inverse_dynamics(q, qd, qdd), rtol=1e-9)
    U, D = five_bar.udu(q)
    np.testing.assert_allclose(U * D @ U.T, five_bar.inertia_matrix(q), rtol=1e-12)


def test_a_mechanism_in_c(five_bar, tmp_path):
    five_bar.export_c(tmp_path)
    subprocess.run(['cc', '-std=c99', '-O1', '-shared', '-fPIC', '-o', tmp_path / 'lib.so',
                    tmp_path / 'five_bar.c', '-lm'], check=True)
    library, pointer = ctypes.CDLL(str(tmp_path / 'lib.so')), ctypes.c_void_p
    parameters = (ctypes.c_double * 64).in_dll(library, 'five_bar_parameters')

    def call(name, size, *arguments):
        work, out = np.zeros(1000), np.zeros(size)
        getattr(library, f'five_bar_prepare_{name}')(parameters, pointer(work.ctypes.data))
        arrays = [np.array(x, float) for x in (*arguments, work)] + [out]
        arrays[-2] = work
        assert getattr(library, f'five_bar_{name}')(
            *[pointer(x.ctypes.data) for x in arrays]) == 0
        return out

    q, qd, qdd = independent(five_bar) + 0.01, [0.3, -0.2], [1.0, 2.0]
    tree = call('assembly', 5, q, five_bar.start)
    np.testing.assert_allclose(tree[:4], five_bar.assemble(q), atol=1e-12)
    np.testing.assert_allclose(call('inverse_dynamics', 2, tree[:4], qd, qdd),
                               five_bar.inverse_dynamics(q, qd, qdd), rtol=1e-10)
