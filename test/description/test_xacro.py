"""xacro without ROS: packages found beside the file, arguments named, text that is xacro."""

import os

import pytest
from urdf_text import TWO_JOINTS

import robot_dynamics as rd

XACRO = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
LINK = XACRO + ('<xacro:macro name="body" params="name mass"><link name="${name}"><inertial><mass '
                'value="${mass}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
                '</inertial></link></xacro:macro></robot>')
ARM = XACRO + ('<xacro:include filename="$(find {package})/urdf/link.xacro"/><link name="base"/>'
               '<xacro:body name="tip" mass="3"/><joint name="j" type="continuous"><parent '
               'link="base"/><child link="tip"/></joint></robot>')


@pytest.fixture(autouse=True)
def no_ros(monkeypatch):
    """Take ROS out of the environment."""
    monkeypatch.delenv('AMENT_PREFIX_PATH', raising=False)
    monkeypatch.delenv('ROS_PACKAGE_PATH', raising=False)


def package(folder, name):
    """Make a package with the macro in it; return its folder."""
    (folder / 'urdf').mkdir(parents=True)
    (folder / 'package.xml').write_text(f'<package><name>{name}</name></package>')
    (folder / 'urdf/link.xacro').write_text(LINK)
    return folder


def arm(folder, name='parts', suffix='xacro'):
    """Write a robot that needs the package; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f'arm.{suffix}'
    path.write_text(ARM.format(package=name))
    return path


@pytest.mark.parametrize(('at', 'robot'), [
    ('repo/pkg', 'repo/pkg/robots'), ('repo/pkg', 'repo/other/urdf'),
    ('repo/stack/deep/pkg', 'repo/stack/other/urdf/x'), ('ws/src/a', 'ws/src/repo/b/urdf')],
    ids=['above', 'beside', 'beside an ancestor', 'in the workspace'])
def test_packages_are_found_around_the_file(tmp_path, at, robot):
    package(tmp_path / at, 'parts')
    (tmp_path / ('ws/src/repo' if at.startswith('ws') else 'repo') / '.git').mkdir(parents=True)
    assert rd.load(arm(tmp_path / robot)).total_mass == 3


def test_packages_are_not_looked_for_outside_the_checkout(tmp_path):
    package(tmp_path / 'elsewhere', 'parts')
    (tmp_path / 'repo/.git').mkdir(parents=True)
    with pytest.raises(rd.DescriptionError, match="package 'parts' is not found.*below .*repo$"):
        rd.load(arm(tmp_path / 'repo/urdf'))


def test_the_nearest_package_of_a_name_counts(tmp_path):
    (tmp_path / 'repo/.git').mkdir(parents=True)
    far = package(tmp_path / 'repo/a', 'parts')
    (far / 'urdf/link.xacro').write_text(LINK.replace('${mass}', '7'))
    package(tmp_path / 'repo/z/parts', 'parts')
    assert rd.load(arm(tmp_path / 'repo/z/robot/urdf')).total_mass == 3


def test_packages_by_name_and_environment(tmp_path, monkeypatch):
    (tmp_path / 'repo/.git').mkdir(parents=True)
    path = arm(tmp_path / 'repo')
    named = package(tmp_path / 'x/any_name', 'parts')
    assert rd.load(path, packages={'parts': named}).total_mass == 3
    with pytest.raises(rd.InputError, match="packages: 'parts': 'no/where' is no folder"):
        rd.load(path, packages={'parts': 'no/where'})
    monkeypatch.setenv('ROS_PACKAGE_PATH', f'/none{os.pathsep}{tmp_path / "x"}')
    assert rd.load(path).total_mass == 3
    monkeypatch.delenv('ROS_PACKAGE_PATH')
    package(tmp_path / 'install/share/parts', 'parts')
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path / 'install'))
    assert rd.load(path).total_mass == 3


def test_what_a_package_would_install_is_found_in_its_folders(tmp_path):
    """The demonstrations of ros2_control install description/urdf as urdf."""
    (tmp_path / '.git').mkdir()
    parts = package(tmp_path / 'parts', 'parts')
    (parts / 'description').mkdir()
    (parts / 'urdf').rename(parts / 'description/urdf')
    assert rd.load(arm(parts / 'description')).total_mass == 3
    (parts / 'other/urdf').mkdir(parents=True)
    (parts / 'other/urdf/link.xacro').write_text(LINK)
    with pytest.raises(rd.DescriptionError, match='No such file.*parts/urdf/link.xacro'):
        rd.load(arm(parts / 'description'))  # in two of them: which one is not known


def test_package_on_the_command_line(tmp_path):
    from robot_dynamics.cli.main import main
    (tmp_path / 'repo/.git').mkdir(parents=True)
    path = arm(tmp_path / 'repo')
    folder = package(tmp_path / 'parts', 'parts')
    assert main(['info', str(path), '--package', f'parts={folder}']) == 0
    assert main(['info', str(path)]) != 0


def test_a_package_that_is_not_found_is_one_sentence(tmp_path):
    (tmp_path / '.git').mkdir()
    with pytest.raises(rd.DescriptionError) as caught:
        rd.load(arm(tmp_path, name='ghost_description'))
    message = str(caught.value)
    assert message.count('ghost_description') == 2  # said, and how to give it
    assert message.count('not found') == 1
    for where in ('packages=', '--package', 'ROS_PACKAGE_PATH', 'AMENT_PREFIX_PATH', 'below'):
        assert where in message
    assert '\n' not in message


def test_missing_arguments_are_listed(tmp_path):
    path = tmp_path / 'arm.xacro'
    path.write_text(XACRO + '<xacro:arg name="size" default="1"/>'
                    '<link name="$(arg prefix)a$(arg mass)$(arg size)"/></robot>')
    with pytest.raises(rd.DescriptionError, match='not given: prefix, mass; .*--xacro-arg prefix'):
        rd.load(path)
    with pytest.raises(rd.DescriptionError, match='not given: mass;'):
        rd.load(path, xacro_args={'prefix': 'p'})
    robot = rd.load(path, xacro_args={'prefix': 'p', 'mass': 2})
    assert robot.link_names == ('pa21',)


def test_the_root_may_use_an_argument_that_is_declared_in_it(tmp_path):
    path = tmp_path / 'ur.urdf.xacro'
    path.write_text(XACRO.replace('"r"', '"$(arg name)"') + '<xacro:arg name="name" default="ur"/>'
                    '<link name="a"/></robot>')
    assert rd.load(path).name == 'ur'
    assert rd.load(path, xacro_args={'name': 'left'}).name == 'left'


def test_unknown_arguments_are_refused(tmp_path, data_folder):
    with pytest.raises(rd.DescriptionError, match='no such arguments: lenght; it has: length'):
        rd.load(data_folder / 'arm.xacro', xacro_args={'lenght': '2'})
    (tmp_path / '.git').mkdir()
    package(tmp_path / 'parts', 'parts')
    with pytest.raises(rd.DescriptionError, match='no such arguments: a; it has: none'):
        rd.load(arm(tmp_path), xacro_args={'a': '1'})


def test_xacro_that_is_called_urdf_is_expanded(tmp_path):
    (tmp_path / '.git').mkdir()
    package(tmp_path / 'parts', 'parts')
    assert rd.load(arm(tmp_path, suffix='urdf')).total_mass == 3
    path = tmp_path / 'plain.urdf'  # expressions alone, as turtlebot3 has them
    path.write_text(TWO_JOINTS.replace('"j1"', '"${prefix}j1"'))
    with pytest.raises(rd.DescriptionError, match="xacro: .*'prefix' is not defined"):
        rd.load(path)
    path.write_text(TWO_JOINTS.replace('<robot', '<robot xmlns:xacro="http://ros.org/wiki/xacro"')
                    .replace('"j1"', '"$(arg prefix)j1"')
                    .replace('<link name="base"', '<xacro:arg name="prefix" default="left_"/>'
                             '<link name="base"', 1))
    assert rd.load(path).joint_names == ('left_j1', 'j2')
    assert rd.load(path, xacro_args={'prefix': ''}).joint_names == ('j1', 'j2')


def test_expressions_in_mesh_paths_are_no_xacro(tmp_path):
    path = tmp_path / 'arm.urdf'
    path.write_text(TWO_JOINTS.replace('<link name="l1">', '<link name="l1"><visual><geometry>'
                                       '<mesh filename="$(find ghost)/a.stl"/></geometry>'
                                       '</visual>'))
    assert rd.load(path).dh == rd.load(TWO_JOINTS).dh


def test_what_xacro_left_behind_is_no_xacro():
    """As in Valkyrie's and Elephant Robotics' files: nothing of it concerns the robot."""
    left = ('<xacro:property name="width" value="0.2"/><xacro:macro name="unused"><link name="x"/>'
            '</xacro:macro><xacro:sensor_usb port="none"/></robot>')
    text = TWO_JOINTS.replace('<robot', '<robot xmlns:xacro="http://ros.org/wiki/xacro"').replace(
        '</robot>', left)
    for source in (text, text.encode()):
        with pytest.warns(rd.RobotDynamicsWarning, match='<xacro:sensor_usb>: is left out'):
            assert rd.load(source).dh == rd.load(TWO_JOINTS).dh
    called = text.replace('<xacro:sensor_usb', '<xacro:unused/><xacro:sensor_usb')
    with pytest.raises(rd.DescriptionError, match='unknown macro name: xacro:sensor_usb'):
        rd.load(called)


def test_xacro_as_text_is_expanded_where_it_needs_no_files(data_folder):
    text = (data_folder / 'arm.xacro').read_text()
    assert rd.load(text, xacro_args={'length': '0.5'}).total_mass == 2
    with pytest.raises(rd.DescriptionError, match='needs files .*load its file by path'):
        rd.load(ARM.format(package='parts'))


def test_bytes_are_never_expanded(data_folder, tmp_path):
    """They are what a topic carries: whoever publishes must not make a node run xacro."""
    ran = tmp_path / 'ran'
    text = (data_folder / 'arm.xacro').read_bytes()
    for data in (text, ARM.format(package='parts').encode(),
                 f'{XACRO}<link name="${{load_yaml(\'{ran}\')}}"/></robot>'.encode()):
        with pytest.raises(rd.DescriptionError, match='never expanded, since xacro runs code'):
            rd.load(data)


def test_relative_names_may_count_from_the_checkouts_root(tmp_path):
    (tmp_path / '.git').mkdir()
    package(tmp_path, 'parts')
    path = arm(tmp_path / 'robots/arms')
    path.write_text(path.read_text().replace('$(find parts)/urdf', 'urdf'))
    assert rd.load(path).total_mass == 3
    (path.parent / 'urdf').mkdir()
    (path.parent / 'urdf/link.xacro').write_text(LINK.replace('"${mass}"', '"7"'))
    assert rd.load(path).total_mass == 7  # beside the file comes first


def test_an_argument_that_names_no_file_is_told_its_choices(tmp_path):
    for name in ('small', 'large'):
        (tmp_path / 'config' / name).mkdir(parents=True)
        (tmp_path / 'config' / name / 'sizes.xacro').write_text(LINK)
    path = tmp_path / 'arm.xacro'
    path.write_text(XACRO + '<xacro:arg name="size" default="none"/><xacro:include '
                    'filename="config/$(arg size)/sizes.xacro"/><link name="base"/>'
                    '<xacro:body name="tip" mass="3"/></robot>')
    with pytest.raises(rd.DescriptionError, match=r"size may be large, small, not 'none'"):
        rd.load(path)
