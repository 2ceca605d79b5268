"""Start a simulated robot with its controller and diagnostics, and rviz or a page when asked.

ros2 launch robot_dynamics bringup.launch.py robot:=puma560 rviz:=true
ros2 launch robot_dynamics bringup.launch.py mechanism_file:=linkage.yaml
"""

import os
import shlex
import sys

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
)
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import Command, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import LifecycleNode, Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

SHARE = FindPackageShare('robot_dynamics')
ROBOTS = {  # file under urdf/; parameters are config/<robot>.yaml
    'panda_like': 'panda_like.urdf.xacro',
    'puma560': 'puma560.urdf',
    'five_bar': 'five_bar.yaml',  # a mechanism
    'quadruped': 'quadruped.yaml',  # a mechanism, on its feet
    'humanoid': 'humanoid.urdf',  # it floats
}
URDF = [shlex.quote(sys.executable), ' -m robot_dynamics.cli.main urdf ']  # of a mechanism's tree
BASES = ('fixed', 'floating', 'imu')
YES, NO = ('true', '1', 'yes', 'on'), ('false', '0', 'no', 'off')
RESPAWN_DELAY = 0.5  # [s]: others have noticed by then
ARGUMENTS = {
    'robot': ('panda_like', f'robot of this package: {" or ".join(ROBOTS)}'),
    'urdf': ('', 'URDF or xacro file of another robot'),
    'mechanism_file': ('', 'mechanism file (closed loops) of another robot'),
    'base': ('', 'fixed, floating (its state is on odometry) or imu; empty: as config says'),
    'xacro_args': ('', "arguments of the xacro, such as 'damping:=0.1'"),
    'config': ('', "parameter file; empty: the robot's in config/, default.yaml for "
               'another robot'),
    'namespace': ('', 'namespace of all nodes and topics'),
    'mode': ('computed_torque', 'controller: gravity, bias, full or computed_torque, which holds '
             'still until a joint_trajectory comes'),
    'real_time_factor': ('1.0', 'simulated over real time'),
    'publish_clock': ('false', 'the simulator publishes /clock and all others follow it'),
    'one_process': ('false', 'run the nodes of this package in one process'),
    'respawn': ('false', 'start nodes of this package again when they end'),
    'robot_state_publisher': ('true', 'publish robot_description and tf, where installed'),
    'rviz': ('false', 'show the robot in rviz, where installed'),
    'viewer': ('false', 'show the robot, its torques and its inertia matrix on a page'),
    'viewer_args': ('', "of the viewer, such as '--host 0.0.0.0 --no-open'"),
}


def start(context):
    """Return the nodes, for the arguments given."""
    given = {name: LaunchConfiguration(name).perform(context) for name in ARGUMENTS}
    if given['robot'] not in ROBOTS:
        raise RuntimeError(f'robot:={given["robot"]}: expected {" or ".join(ROBOTS)}')
    if given['base'] not in ('', *BASES):
        raise RuntimeError(f'base:={given["base"]}: expected {" or ".join(BASES)}')
    for name in ('urdf', 'mechanism_file', 'config'):
        if given[name] and not os.path.isfile(given[name]):
            raise RuntimeError(f'{name}:={given[name]}: there is no such file')
    other = given['urdf'] or given['mechanism_file']
    if given['urdf'] and given['mechanism_file']:
        raise RuntimeError('urdf:=, mechanism_file:=: expected one of them')
    file = other or PathJoinSubstitution(
        [SHARE, 'urdf', ROBOTS[given['robot']]]).perform(context)
    mechanism = file if given['mechanism_file'] or file.endswith('.yaml') else ''
    config = given['config'] or PathJoinSubstitution(
        [SHARE, 'config', 'default.yaml' if other else f'{given["robot"]}.yaml']).perform(context)
    clock = is_yes(given, 'publish_clock')
    description = {'robot_description': ParameterValue(
        Command([*(URDF if mechanism else ['xacro ']), shlex.quote(file), ' ',
                 given['xacro_args']], on_stderr='warn'), value_type=str)}
    model = {'mechanism_file': mechanism} if mechanism else description
    common = {'namespace': given['namespace'], 'output': 'screen'}
    own = {**common, 'remappings': [('~/commands', 'effort_commands')],
           'respawn': is_yes(given, 'respawn'), 'respawn_delay': RESPAWN_DELAY}
    base = {'base': given['base']} if given['base'] else {}
    parameters = [config, model, {
        'use_sim_time': clock, 'publish_clock': clock, 'mode': given['mode'],
        'real_time_factor': float(given['real_time_factor']), **base}]
    if is_yes(given, 'one_process'):
        nodes = [Node(package='robot_dynamics', executable='dynamics_stack',
                      parameters=parameters, **own)]
    else:
        nodes = [LifecycleNode(package='robot_dynamics', executable=name, name=name,
                               parameters=parameters, **own)
                 for name in ('simulator', 'inverse_dynamics', 'gim_diagnostics')]
    shown = {'mechanism_file' if mechanism else 'urdf': file, 'xacro_args': given['xacro_args'],
             'namespace': given['namespace'], 'use_sim_time': str(clock)}
    return [
        *nodes,
        *optional(is_yes(given, 'robot_state_publisher'), 'robot_state_publisher',
                  parameters=[description, {'use_sim_time': clock}], **common),
        *include(is_yes(given, 'viewer'), 'viewer.launch.py', **shown, config=config,
                 base=given['base'], viewer_args=given['viewer_args']),
        *include(is_yes(given, 'rviz'), 'rviz.launch.py', **shown),
    ]


def is_yes(given, name):
    """Return whether an argument says yes; refuse what says neither yes nor no."""
    text = given[name].lower()
    if text not in (*YES, *NO):
        raise RuntimeError(f'{name}:={given[name]}: expected true or false')
    return text in YES


def optional(wanted, package, **options):
    """Return a node named as its package, or a message where that is not installed."""
    if not wanted:
        return []
    try:
        get_package_prefix(package)
    except PackageNotFoundError:
        return [LogInfo(msg=f'{package} is not installed: going on without it')]
    return [Node(package=package, executable=package, name=package, **options)]


def include(wanted, file, **arguments):
    """Return another launch file of this package."""
    if not wanted:
        return []
    return [IncludeLaunchDescription(
        PythonLaunchDescriptionSource(PathJoinSubstitution([SHARE, 'launch', file])),
        launch_arguments=arguments.items())]


def generate_launch_description():
    """Return the launch description."""
    return LaunchDescription([
        *(DeclareLaunchArgument(name, default_value=default, description=text)
          for name, (default, text) in ARGUMENTS.items()),
        OpaqueFunction(function=start),
    ])
