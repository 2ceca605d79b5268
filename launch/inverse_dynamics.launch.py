"""Start the inverse_dynamics node on a URDF file, or on the topic robot_description."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import LifecycleNode
from launch_ros.substitutions import FindPackageShare


def generate_launch_description():
    """Return the launch description."""
    arguments = {
        'urdf': (PathJoinSubstitution([FindPackageShare('robot_dynamics'), 'urdf/puma560.urdf']),
                 'URDF or xacro file; empty: wait for the topic robot_description'),
        'mode': ('bias', 'effort on ~/effort: gravity, bias or full'),
        'namespace': ('', 'namespace of the node and its topics'),
    }
    return LaunchDescription([
        *(DeclareLaunchArgument(name, default_value=default, description=text)
          for name, (default, text) in arguments.items()),
        LifecycleNode(
            package='robot_dynamics', executable='inverse_dynamics', name='inverse_dynamics',
            namespace=LaunchConfiguration('namespace'), output='screen',
            parameters=[{'robot_description_file': LaunchConfiguration('urdf'),
                         'mode': LaunchConfiguration('mode')}]),
    ])
