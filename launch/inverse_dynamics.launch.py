"""Start the inverse_dynamics node on a URDF or mechanism file, or on robot_description."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import LifecycleNode
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

SHARE = FindPackageShare('robot_dynamics')
ARGUMENTS = {
    'urdf': (PathJoinSubstitution([SHARE, 'urdf', 'panda_like.urdf.xacro']),
             'URDF or xacro file; empty: wait for the topic robot_description'),
    'mechanism_file': ('', 'mechanism file (closed loops) in place of a URDF'),
    'base': ('', 'fixed, floating (its state is on odometry) or imu; empty: as config says'),
    'config': (PathJoinSubstitution([SHARE, 'config', 'panda_like.yaml']), 'parameter file'),
    'mode': ('bias', 'efforts: gravity, bias, full or computed_torque'),
    'namespace': ('', 'namespace of the node and its topics'),
    'use_sim_time': ('false', 'take the time from /clock'),
    'commands_topic': ('~/commands', 'topic of the efforts for a robot (Float64MultiArray)'),
}


def start(context):
    """Return the node, for the arguments given."""
    base = LaunchConfiguration('base').perform(context)
    return [LifecycleNode(
        package='robot_dynamics', executable='inverse_dynamics', name='inverse_dynamics',
        namespace=LaunchConfiguration('namespace'), output='screen',
        parameters=[LaunchConfiguration('config'), {
            'robot_description_file': ParameterValue(
                LaunchConfiguration('urdf'), value_type=str),
            'mechanism_file': ParameterValue(
                LaunchConfiguration('mechanism_file'), value_type=str),
            'mode': LaunchConfiguration('mode'),
            'use_sim_time': ParameterValue(
                LaunchConfiguration('use_sim_time'), value_type=bool),
            **({'base': base} if base else {})}],
        remappings=[('~/commands', LaunchConfiguration('commands_topic'))])]


def generate_launch_description():
    """Return the launch description."""
    return LaunchDescription([
        *(DeclareLaunchArgument(name, default_value=default, description=text)
          for name, (default, text) in ARGUMENTS.items()),
        OpaqueFunction(function=start),
    ])
