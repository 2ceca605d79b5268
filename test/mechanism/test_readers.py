"""One linkage in every format becomes one record: the same start closes it, the same torques."""

import warnings
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from mechanism.oracle import MechanismOracle
from urdf_text import joint, link, robot

import robot_dynamics as rd
from robot_dynamics.description.mechanism import is_mechanism, read_mechanism

DATA = Path(__file__).parents[1] / 'data' / 'mechanisms'
URDF = Path(__file__).parents[2] / 'urdf'
GRAVITY = (0, -9.81, 0)
THETA = {'joint_1': 0.5235987755982989, 'joint_2': -0.08225408972428516,
         'joint_3': -2.2889728841449624}
FILES = {
    'gepetto/robot.yaml': {'start': {**THETA, 'closedloop1_A': 1.8476281982709486}},
    'constraint.urdf.xacro': {'start': THETA},
    'closing.urdf': {'start': THETA, 'actuated': ['joint_1']},
    'four_bar.xml': {'start': THETA},
}


@pytest.mark.parametrize('file', FILES)
def test_every_format_is_the_same_linkage(file):
    record = read_mechanism(DATA / file, **FILES[file])
    oracle, native = (MechanismOracle(one, gravity=GRAVITY) for one in (
        record, read_mechanism(URDF / 'four_bar.yaml')))
    assert record.actuated == ('joint_1',)
    assert not [note for note in record.tree.warnings if 'left out' in note]
    assert oracle.closure_error(oracle.start) < 1e-12
    assert oracle.freedoms() == 1
    for q, qd, qdd in ((0.6, 0.3, -0.2), (1.2, -1.0, 2.0)):
        expected, found = (one.inverse_dynamics(one.assemble([q]), np.array([qd]),
                                                np.array([qdd])) for one in (native, oracle))
        np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_urdf_plus_with_a_gear():
    record = read_mechanism(DATA / 'urdf_plus.urdf', actuated=['joint_1'],
                            start={**THETA, 'rotor_joint': 6 * THETA['joint_1']})
    assert record.independent == ('joint_1',)
    assert [loop.name for loop in record.loops] == ['joint_4']
    assert dict(record.couplings[0].coefficients) == {'joint_1': 6.0, 'rotor_joint': -1.0}
    oracle = MechanismOracle(record, gravity=GRAVITY)
    native = MechanismOracle(read_mechanism(URDF / 'four_bar.yaml'), gravity=GRAVITY)
    assert oracle.closure_error(oracle.start) < 1e-12
    rotor = 36 * (0.2 * 0.1**2 / 12 + 0.2 * 0.05**2)
    expected = native.inertia_matrix(native.start) + rotor
    np.testing.assert_allclose(oracle.inertia_matrix(oracle.start), expected, rtol=1e-12)


def test_a_coupling_counts_from_where_the_branches_part():
    text = robot(link('base', None), link('a'), link('b'), link('rotor'),
                 joint('ja', 'base', 'a'), joint('jb', 'a', 'b'), joint('jr', 'base', 'rotor'),
                 '<coupling name="belt"><predecessor link="b"/><successor link="rotor"/>'
                 '<ratio value="2.5"/></coupling>')
    record = read_mechanism(text)
    assert dict(record.couplings[0].coefficients) == {'jb': 2.5, 'ja': 2.5, 'jr': -1.0}


def test_an_axis_turns_both_frames():
    text = robot(link('base', None), link('a'), link('b'), joint('ja', 'base', 'a'),
                 joint('jb', 'base', 'b'),
                 '<loop name="l" type="prismatic"><predecessor link="a"><origin xyz="1 2 3"/>'
                 '</predecessor><successor link="b"/><axis xyz="0 -2 0"/></loop>')
    (loop,) = read_mechanism(text).loops
    for frame, p in zip(loop.frames, ([1, 2, 3], [0, 0, 0]), strict=True):
        np.testing.assert_allclose(frame.T[:3, 2], [0, -1, 0], atol=1e-15)
        np.testing.assert_allclose(frame.T[:3, :3].T @ frame.T[:3, :3], np.eye(3), atol=1e-15)
        np.testing.assert_allclose(frame.T[:3, 3], p)


def test_balls_and_universal_joints_of_gepetto_become_chains(tmp_path):
    (tmp_path / 'robot.urdf').write_text(robot(
        link('base', None), link('a'), link('b'), link('c'), joint('ja', 'base', 'a'),
        joint('ball', 'a', 'b', axis='0 1 0'), joint('cardan', 'b', 'c', xyz='0.1 0 0')))
    (tmp_path / 'robot.yaml').write_text(
        "closed_loop: [['c', 'base']]\ntype: ['3D']\nname_mot: ['ja']\n"
        "joint_name: ['ball', 'cardan']\njoint_type: ['SPHERICAL', 'UJOINT_XY']\n")
    record = read_mechanism(tmp_path / 'robot.yaml')
    assert [one.name for one in record.tree.joints] == [
        'ja', 'ball/x', 'ball/y', 'ball/z', 'cardan/x', 'cardan/y']
    assert record.loops[0].joint == 'spherical'
    assert [one.child for one in record.tree.joints][1:4] == ['b/x', 'b/y', 'b']


def test_motors_of_gepetto_that_mimic_another_count_once(tmp_path):
    (tmp_path / 'robot.urdf').write_text(robot(
        link('base', None), link('a'), link('b'), joint('ja', 'base', 'a'),
        joint('jb', 'a', 'b', extra='<mimic joint="ja" multiplier="2"/>')))
    text = "closed_loop: [['b', 'base']]\ntype: ['3d']\nname_mot: [{}]\n"
    (tmp_path / 'robot.yaml').write_text(text.format("'jb', 'ja'"))
    record = read_mechanism(tmp_path / 'robot.yaml')
    assert record.actuated == ('ja',)
    assert "joint 'jb' mimics 'ja'" in record.warnings[0]
    (tmp_path / 'robot.yaml').write_text(text.format("'jb'"))  # its leader is no motor
    with pytest.raises(rd.DescriptionError, match="mimics 'ja': name that one"):
        read_mechanism(tmp_path / 'robot.yaml')


def test_the_tree_of_an_mjcf_is_mujocos(tmp_path, rng):
    mujoco = pytest.importorskip('mujoco')
    text = """<mujoco model="m"><compiler angle="degree"/>
      <default><default class="heavy"><geom density="3000"/></default></default>
      <worldbody><body name="a" pos="0 0 0.3" euler="10 20 30">
        <joint name="ja" axis="0 1 1" pos="0.1 0 -0.05" armature="0.02"/>
        <geom type="capsule" size="0.05" fromto="0 0 0 0.3 0.1 0"/>
        <geom type="box" size="0.05 0.1 0.02" pos="0.1 0 0.1" axisangle="0 1 0 40" mass="0.7"/>
        <body name="b" pos="0.3 0.1 0" quat="1 0.2 0 0.1" childclass="heavy">
          <joint name="jb1" type="slide" axis="1 0 0"/><joint name="jb2" axis="0 0 1"/>
          <geom type="cylinder" size="0.04 0.1" zaxis="1 1 0"/>
          <geom type="ellipsoid" size="0.04 0.1 0.03" xyaxes="0 1 0 -1 0 0"/><geom size="0.03"/>
          <body name="tip" pos="0 0 0.2"><inertial mass="0.3" pos="0.01 0 0"
            fullinertia="0.01 0.012 0.013 0.001 0.002 -0.001"/></body></body></body></worldbody>
      <equality><joint name="gear" joint1="jb2" joint2="ja" polycoef="0.1 2"/>
      <weld name="w" body1="tip" active="false"/></equality>
      <actuator><motor joint="ja"/></actuator></mujoco>"""
    record = read_mechanism(text)
    assert record.couplings[0].constant == 0.1
    assert any('not active' in note for note in record.tree.warnings)
    oracle = MechanismOracle(record)
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_EQUALITY)
    data = mujoco.MjData(model)
    q, qd, qdd = rng.uniform(-0.5, 0.5, (3, 3))
    data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
    mujoco.mj_inverse(model, data)
    found = oracle.tree_torques(q, qd, qdd)
    np.testing.assert_allclose(found, data.qfrc_inverse, rtol=1e-9, atol=1e-9)


def test_balls_free_joints_references_and_euler_angles_are_mujocos(rng):
    """Poses, masses and weights at a state, of what a plain tree does not have."""
    mujoco = pytest.importorskip('mujoco')
    text = """<mujoco><compiler angle="degree" eulerseq="zYx"/><worldbody>
      <body name="a" pos="0 0.2 0.3" euler="10 20 30" gravcomp="1"><freejoint name="free"/>
        <inertial mass="1" pos="0 0.1 0" diaginertia="0.1 0.1 0.1"/>
        <body name="b" pos="0.3 0 0"><joint name="jb" axis="0 1 0" pos="0.1 0 0" ref="40"/>
          <inertial mass="2" pos="0.1 0 0" diaginertia="0.2 0.1 0.1"/>
          <body name="c" pos="0.2 0 0" euler="5 0 0"><joint name="jc" type="slide" ref="0.1"/>
            <inertial mass="1" pos="0 0 0.1" diaginertia="0.2 0.1 0.1"/>
            <body name="d" pos="0 0 0.1"><joint name="ball" type="ball" pos="0 0 0.05"
                damping="1"/>
              <inertial mass="3" pos="0.1 0 0" diaginertia="0.2 0.3 0.1"/></body></body></body>
      </body></worldbody>
      <equality><joint joint1="jc" joint2="jb" polycoef="0.02 0.3"/></equality></mujoco>"""
    with pytest.warns(rd.RobotDynamicsWarning) as said:
        mechanism = rd.load_mechanism(text, independent=['free', 'jb', 'ball/x', 'ball/y',
                                                         'ball/z'])
    words = ' '.join(str(one.message) for one in said)
    assert 'gravcomp' in words and 'damping of a ball joint: left out' in words
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    values = {name: 0.0 for name in mechanism.value_names} | {
        'free/qw': 1.0, 'jb': 0.5, 'ball/x': 0.3, 'ball/y': -0.4, 'ball/z': 0.2}
    q = [values[name] for name in mechanism.value_names]
    tree = dict(zip(mechanism.tree_joint_names[6:], mechanism.assemble(q)[7:], strict=True))
    assert tree['jc'] - 0.1 == pytest.approx(0.02 + 0.3 * (0.5 - np.radians(40)))
    data.qpos[7:9] = tree['jb'], tree['jc']
    turn = np.eye(3)
    for axis, name in enumerate('xyz'):
        turn = turn @ pin.AngleAxis(values[f'ball/{name}'], np.eye(3)[axis]).toRotationMatrix()
    data.qpos[9:] = pin.Quaternion(turn).coeffs()[[3, 0, 1, 2]]
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_energyPos(model, data)
    for body in 'abcd':
        T = mechanism.pose(q, link=body)
        np.testing.assert_allclose(T[:3, 3], data.body(body).xpos, rtol=0, atol=1e-12)
        np.testing.assert_allclose(T[:3, :3].ravel(), data.body(body).xmat, rtol=0, atol=1e-12)
    assert mechanism.potential_energy(q) == pytest.approx(data.energy[0])


def test_arguments_come_before_what_the_file_says():
    record = read_mechanism(URDF / 'five_bar.yaml', actuated=['left_elbow', 'right_elbow'],
                            independent=['left_shoulder', 'left_elbow'], start={'left_elbow': 1})
    assert record.actuated == ('left_elbow', 'right_elbow')
    assert record.independent == ('left_shoulder', 'left_elbow')
    assert dict(record.start) == {'left_elbow': 1.0}


def test_options_gravity_and_xacro_arguments(tmp_path):
    (tmp_path / 'tree.xacro').write_text(
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:arg name="length" default="0.3"/>' + link('base', None) + link('a') + link('b')
        + joint('ja', 'base', 'a', xyz='$(arg length) 0 0') + joint('jb', 'base', 'b')
        + '</robot>')
    file = tmp_path / 'm.yaml'
    file.write_text('robot: tree.xacro\ngravity: [0, 0, 1.0e-3]\nfriction: false\n'
                    'xacro_args: {length: 0.4}\nloops:\n'
                    '  - {joint: spherical, between: [a, b], at: [{xyz: [1e-3, 0, 0]}, {}]}\n')
    record = read_mechanism(file)
    assert record.name == 'm' and record.loops[0].name == 'loop_1'
    assert dict(record.options) == {'gravity': (0.0, 0.0, 0.001), 'friction': False}
    assert record.tree.joints[0].origin[0, 3] == 0.4
    assert record.loops[0].frames[0].T[0, 3] == 0.001
    assert read_mechanism(file, xacro_args={'length': 0.5}).tree.joints[0].origin[0, 3] == 0.5


def test_mechanisms_are_told_from_dh_files(tmp_path, data_folder):
    dh = tmp_path / 'dh.yaml'
    dh.write_text(rd.load(data_folder.parents[1] / 'urdf' / 'rp.urdf').dh.to_yaml())
    assert is_mechanism(URDF / 'stewart.yaml') and is_mechanism(DATA / 'gepetto' / 'robot.yaml')
    assert not is_mechanism(dh) and not is_mechanism(URDF / 'stewart.urdf')


def test_a_mechanism_over_a_dh_file(tmp_path):
    (tmp_path / 'dh.yaml').write_text(rd.load(URDF / 'five_bar.urdf').dh.to_yaml())
    (tmp_path / 'm.yaml').write_text((URDF / 'five_bar.yaml').read_text().replace(
        'five_bar.urdf', 'dh.yaml'))
    assert read_mechanism(tmp_path / 'm.yaml').tree == tmp_path / 'dh.yaml'


def test_a_urdf_with_loops_still_warns_where_it_is_read_as_a_robot():
    with pytest.warns(rd.RobotDynamicsWarning, match='is left out'):
        rd.load(DATA / 'urdf_plus.urdf')
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert not read_mechanism(DATA / 'urdf_plus.urdf').tree.warnings
