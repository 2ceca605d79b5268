"""Start the simulator: a torque-driven mock robot in real time."""

import shlex

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import Command, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import LifecycleNode
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

SHARE = FindPackageShare('robot_dynamics')
ARGUMENTS = {
    'urdf': ('', 'URDF or xacro file; empty: a seven-axis arm'),
    'mechanism_file': ('', 'mechanism file (closed loops) in place of a URDF'),
    'base': ('', 'fixed or floating; empty: as config says'),
    'xacro_args': ('', "arguments of the xacro, such as 'damping:=0.1'"),
    'config': ('', 'parameter file; empty: panda_like.yaml, or default.yaml for another robot, in '
               'config/; topic_based.yaml is one for ros2_control'),
    'namespace': ('', 'namespace of the node and its topics'),
    'real_time_factor': ('1.0', 'simulated over real time'),
    'publish_clock': ('false', 'publish /clock, and stamp joint_states with it'),
    'use_sim_time': ('false', 'follow the /clock that somebody else publishes'),
    'joint_states_topic': ('joint_states', 'topic of the joint states'),
    'joint_commands_topic': ('joint_commands', 'topic of commands by joint name (JointState)'),
    'effort_commands_topic': ('effort_commands', 'topic of efforts alone (Float64MultiArray)'),
}


def value(name, kind=str):
    """Return a launch argument as a parameter's value."""
    return ParameterValue(LaunchConfiguration(name), value_type=kind)


def start(context):
    """Return the node, for the arguments given."""
    urdf, mechanism, config, base = (
        LaunchConfiguration(name).perform(context)
        for name in ('urdf', 'mechanism_file', 'config', 'base'))
    file = urdf or PathJoinSubstitution([SHARE, 'urdf', 'panda_like.urdf.xacro']).perform(context)
    description = Command(
        ['xacro ', shlex.quote(file), ' ', LaunchConfiguration('xacro_args')], on_stderr='warn')
    return [LifecycleNode(
        package='robot_dynamics', executable='simulator', name='simulator',
        namespace=LaunchConfiguration('namespace'), output='screen',
        parameters=[
            config or PathJoinSubstitution(
                [SHARE, 'config', 'default.yaml' if urdf or mechanism else 'panda_like.yaml']),
            {'mechanism_file': mechanism} if mechanism else
            {'robot_description': ParameterValue(description, value_type=str)},
            {'real_time_factor': value('real_time_factor', float),
             'publish_clock': value('publish_clock', bool),
             'use_sim_time': value('use_sim_time', bool), **({'base': base} if base else {})}],
        remappings=[(topic, LaunchConfiguration(f'{topic}_topic')) for topic in (
            'joint_states', 'joint_commands', 'effort_commands')])]


def generate_launch_description():
    """Return the launch description."""
    return LaunchDescription([
        *(DeclareLaunchArgument(name, default_value=default, description=text)
          for name, (default, text) in ARGUMENTS.items()),
        OpaqueFunction(function=start),
    ])
