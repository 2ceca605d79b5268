"""Where robots come from: files, text, xacro with arguments, DH files."""

import numpy as np
import pytest
from urdf_text import TWO_JOINTS

import robot_dynamics as rd


def test_file_text_and_bytes_are_the_same_robot(tmp_path):
    path = tmp_path / 'two.urdf'
    path.write_text(TWO_JOINTS)
    robots = [rd.load(source) for source in (path, str(path), TWO_JOINTS, TWO_JOINTS.encode())]
    for robot in robots:
        assert robot.dh == robots[0].dh


def test_xacro_with_arguments(data_folder):
    plain = rd.load(data_folder / 'arm.xacro')
    assert plain.joint_names == ('lower_joint', 'upper_joint')
    assert plain.total_mass == pytest.approx(1.6)
    longer = rd.load(data_folder / 'arm.xacro', xacro_args={'length': '0.5', 'tool': 'true'})
    assert longer.total_mass == pytest.approx(2.0)
    assert longer.tip_names == ('tool',)
    assert np.allclose(longer.pose([0, 0])[:3, 3], [0, 0, 1.5])


def test_xacro_errors_are_descriptions_errors(tmp_path, data_folder):
    path = tmp_path / 'bad.xacro'
    path.write_text('<robot name="r"><link name="${undefined_thing}"/></robot>')
    with pytest.raises(rd.DescriptionError, match='xacro: .*undefined_thing'):
        rd.load(path)
    with pytest.raises(rd.DescriptionError, match='cannot be read'):
        rd.load(tmp_path / 'none.xacro')
    with pytest.raises(rd.DescriptionError, match='not a .xacro file'):
        rd.load(data_folder / 'planar.urdf', xacro_args={'a': '1'})
    with pytest.raises(rd.DescriptionError, match='not a .xacro file'):
        rd.load(TWO_JOINTS, xacro_args={'a': '1'})


def test_meshes_are_never_looked_for():
    text = TWO_JOINTS.replace('<link name="l1">', '<link name="l1"><visual><geometry><mesh '
                              'filename="package://nowhere/none.stl"/></geometry></visual>')
    assert rd.load(text).dh == rd.load(TWO_JOINTS).dh


def test_extensions_are_left_alone():
    text = TWO_JOINTS.replace('</robot>', '<gazebo reference="l1"><turnGravityOff/></gazebo>'
                              '<transmission name="t"><joint name="j1"/></transmission></robot>')
    assert rd.load(text).n == 2


def test_odd_limits_are_said_and_survived():
    text = TWO_JOINTS.replace('lower="-2" upper="2"', 'lower="2" upper="-2"', 1)
    with pytest.warns(rd.RobotDynamicsWarning, match="joint 'j1': limit lower=2 is above"):
        robot = rd.load(text)
    assert np.isinf(robot.limits.upper[0])
    assert robot.warnings


def test_long_axes_are_directions():
    text = TWO_JOINTS.replace('<axis xyz="0 1 0"/>', '<axis xyz="0 3 0"/>')
    with pytest.warns(rd.RobotDynamicsWarning, match='axis has length 3'):
        robot = rd.load(text)
    assert np.allclose(robot.pose([0.3, 0.4]), rd.load(TWO_JOINTS).pose([0.3, 0.4]))
