"""Show a live robot on a page: its pose, its torques and its inertia matrix.

ros2 launch robot_dynamics viewer.launch.py viewer_args:='--port 9000 --no-open'
"""

import shlex

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import Command, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import LifecycleNode
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

SHARE = FindPackageShare('robot_dynamics')
ARGUMENTS = {
    'urdf': ('', 'URDF or xacro file; empty: wait for the topic robot_description'),
    'mechanism_file': ('', 'mechanism file (closed loops) in place of a URDF'),
    'base': ('', 'fixed, floating (its state is on odometry) or imu; empty: as config says'),
    'xacro_args': ('', "arguments of the xacro, such as 'damping:=0.1'"),
    'config': ('', 'parameter file; empty: default.yaml in config/'),
    'namespace': ('', 'namespace of the robot'),
    'use_sim_time': ('false', 'take the time from /clock'),
    'viewer_args': ('', "of the viewer, such as '--host 0.0.0.0 --no-open'"),
}


def start(context):
    """Return the node, for the arguments given."""
    given = {name: LaunchConfiguration(name).perform(context) for name in ARGUMENTS}
    model = {}
    if given['mechanism_file']:
        model = {'mechanism_file': given['mechanism_file']}
    elif given['urdf']:
        model = {'robot_description': ParameterValue(Command(
            ['xacro ', shlex.quote(given['urdf']), ' ', given['xacro_args']],
            on_stderr='warn'), value_type=str)}
    return [LifecycleNode(
        package='robot_dynamics', executable='viewer', name='viewer',
        namespace=given['namespace'], output='screen',
        parameters=[
            given['config'] or PathJoinSubstitution([SHARE, 'config', 'default.yaml']),
            {**model, **({'base': given['base']} if given['base'] else {}),
             'use_sim_time': ParameterValue(
                 LaunchConfiguration('use_sim_time'), value_type=bool)}],
        arguments=shlex.split(given['viewer_args']))]


def generate_launch_description():
    """Return the launch description."""
    return LaunchDescription([
        *(DeclareLaunchArgument(name, default_value=default, description=text)
          for name, (default, text) in ARGUMENTS.items()),
        OpaqueFunction(function=start),
    ])
