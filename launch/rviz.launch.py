"""Show a robot in rviz, in the frame of its root link; robot_state_publisher has to run.

ros2 launch robot_dynamics rviz.launch.py urdf:=robot.urdf
"""

import shlex
import sys
from xml.etree import ElementTree

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction
from launch.substitutions import Command, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

SHARE = FindPackageShare('robot_dynamics')
URDF = [shlex.quote(sys.executable), ' -m robot_dynamics.cli.main urdf ']  # of a mechanism's tree
ARGUMENTS = {
    'urdf': (PathJoinSubstitution([SHARE, 'urdf', 'panda_like.urdf.xacro']),
             'URDF or xacro file: its root link is the fixed frame'),
    'mechanism_file': ('', "mechanism file in place of a URDF: its tree's root link is the frame"),
    'xacro_args': ('', "arguments of the xacro, such as 'damping:=0.1'"),
    'rviz_config': (PathJoinSubstitution([SHARE, 'rviz', 'display.rviz']), "rviz's own file"),
    'namespace': ('', 'namespace of the robot'),
    'use_sim_time': ('false', 'take the time from /clock'),
}


def start(context):
    """Return rviz, or a message where it is not installed."""
    try:
        get_package_prefix('rviz2')
    except PackageNotFoundError:
        return [LogInfo(msg='rviz2 is not installed: going on without it')]
    mechanism = LaunchConfiguration('mechanism_file').perform(context)
    file = mechanism or LaunchConfiguration('urdf').perform(context)
    description = Command(
        [*(URDF if mechanism else ['xacro ']), shlex.quote(file), ' ',
         LaunchConfiguration('xacro_args')], on_stderr='warn').perform(context)
    return [Node(
        package='rviz2', executable='rviz2', name='rviz2', output='screen',
        namespace=LaunchConfiguration('namespace'),
        parameters=[{'use_sim_time': ParameterValue(
            LaunchConfiguration('use_sim_time'), value_type=bool)}],
        arguments=['-d', LaunchConfiguration('rviz_config'), '-f', root_link(description)])]


def root_link(description):
    """Return the link of a URDF that is no joint's child."""
    robot = ElementTree.fromstring(description.encode())
    for element in robot.iter():  # some write a default namespace
        element.tag = str(element.tag).rpartition('}')[2]
    children = {child.get('link') for child in robot.findall('joint/child')}
    roots = [link.get('name') for link in robot.findall('link')
             if link.get('name') not in children]
    if len(roots) != 1:
        raise RuntimeError(f'{len(roots)} root links, expected one: {", ".join(roots[:8])}')
    return roots[0]


def generate_launch_description():
    """Return the launch description."""
    return LaunchDescription([
        *(DeclareLaunchArgument(name, default_value=default, description=text)
          for name, (default, text) in ARGUMENTS.items()),
        OpaqueFunction(function=start),
    ])
