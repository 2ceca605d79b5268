"""Mechanisms that others wrote are read as they meant them."""

import numpy as np
import pytest
from mechanism.oracle import MechanismOracle
from mechanism.shared_loops import FILES, LOOPS, shared_file, shared_mechanism

from robot_dynamics.description.mechanism import read_mechanism
from robot_dynamics.errors import DescriptionError

pytestmark = pytest.mark.skipif(not LOOPS.is_dir(), reason=f'{LOOPS} is not there')
FREEDOMS = {'gepetto_delta/robot.yaml': 5, 'urdf_plus/four_bar.urdf': 1,
            'urdf_plus/six_bar.urdf': 3, 'urdf_plus/planar_leg_linkage.urdf': 2,
            'constraint_element/fivebar_linkage.urdf.xacro': 2, 'mjcf/robotiq_2f85.xml': 3}


@pytest.mark.parametrize('file', FILES)
def test_shared_mechanisms(file, tmp_path, rng):
    record = shared_mechanism(file, tmp_path)
    oracle = MechanismOracle(record)
    assert oracle.closure_error(oracle.start) < 1e-12
    assert oracle.freedoms() == FREEDOMS[file] == len(record.independent)
    for q_tree, qd, qdd in oracle.random_states(rng, 3, spread=0.1, condition=1e4):
        by_multipliers, _ = oracle.forward_by_multipliers(
            q_tree, qd, oracle.inverse_dynamics(q_tree, qd, qdd)) if len(
                record.actuated) == len(record.independent) else (None, None)
        if by_multipliers is not None:
            expected = oracle.tree_accelerations(q_tree, qd, qdd)
            np.testing.assert_allclose(by_multipliers, expected, rtol=0,
                                       atol=1e-6 * max(1.0, np.abs(expected).max()))


def test_what_the_formats_say(tmp_path):
    read = {file: read_mechanism(*shared_file(file, tmp_path)[:1], **shared_file(
        file, tmp_path)[1]) for file in FILES}
    delta = read['gepetto_delta/robot.yaml']
    assert delta.actuated == ('mot1_rod1', 'mot1_rod2')
    assert [loop.joint for loop in delta.loops] == ['fixed'] * 3
    five = read['constraint_element/fivebar_linkage.urdf.xacro']
    assert five.actuated == ('Chain1_1', 'Chain2_1')
    assert [loop.joint for loop in five.loops] == ['spherical'] * 2
    assert read['urdf_plus/planar_leg_linkage.urdf'].independent == (
        'base_to_thigh', 'thigh_to_driver')
    gripper = read['mjcf/robotiq_2f85.xml']
    assert len(gripper.loops) == 2 and gripper.actuated is None
    assert dict(gripper.couplings[0].coefficients) == {
        'right_driver_joint': 1.0, 'left_driver_joint': -1.0}
    assert {joint.armature for joint in gripper.tree.joints} == {0.0, 0.001, 0.005}
    assert 'acts on no single joint' in gripper.warnings[0]


def test_a_constraint_to_a_link_that_another_file_has():
    with pytest.raises(DescriptionError, match="no link 'tool0'"):
        read_mechanism(LOOPS / 'constraint_element' / 'fivebar_linkage.urdf.xacro',
                       xacro_args={'sim': 'false', 'constraints': 'true'})


def test_the_gripper_moves_as_in_mujoco(rng):
    mujoco = pytest.importorskip('mujoco')
    from lxml import etree
    root = etree.parse(LOOPS / 'mjcf' / 'robotiq_2f85.xml').getroot()
    for geom in [*root.iter('geom'), *root.iter('mesh')]:  # their files are not shared
        geom.getparent().remove(geom)
    for joint in root.iter('joint'):
        joint.attrib.pop('stiffness', None)  # springs are left out, with a warning
    text = etree.tostring(root, encoding='unicode')
    oracle = MechanismOracle(read_mechanism(text), friction=False)
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_EQUALITY
                                  | mujoco.mjtDisableBit.mjDSBL_LIMIT
                                  | mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    model.dof_damping[:] = 0
    data = mujoco.MjData(model)
    q, qd, qdd = rng.uniform(-0.5, 0.5, (3, model.nv))
    data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
    mujoco.mj_inverse(model, data)
    found = oracle.tree_torques(q, qd, qdd)
    np.testing.assert_allclose(found, data.qfrc_inverse, rtol=1e-7, atol=1e-9)
