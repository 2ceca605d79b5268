"""The nodes' executables where ROS is missing, asked for help, and given what they do not have."""

import subprocess
import sys

import pytest
from ros_peer import stop

NODES = ('simulator', 'inverse_dynamics', 'gim_diagnostics', 'dynamics_stack', 'viewer')


def run(*command, **environment):
    import os
    return subprocess.run(command, capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment})


@pytest.fixture
def without_ros(tmp_path):
    """Where Python finds, in the place of rclpy, what it says where there is none."""
    (tmp_path / 'rclpy.py').write_text(
        'raise ModuleNotFoundError("No module named \'rclpy\'", name="rclpy")\n')
    return str(tmp_path)


@pytest.mark.parametrize('node', NODES)
def test_without_ros_it_is_said_in_one_line(node, without_ros):
    for command in (['-m', f'robot_dynamics.nodes.{node}'],
                    ['-c', f'from robot_dynamics.nodes.executables import {node}; {node}()']):
        found = run(sys.executable, *command, PYTHONPATH=without_ros)
        assert found.returncode == 1
        assert found.stderr.count('\n') == 1
        assert found.stderr.startswith(f'{node}: ')
        assert 'rclpy' in found.stderr and 'ROS' in found.stderr


@pytest.mark.parametrize('node', NODES)
def test_help_without_ros_is_one_line(node, without_ros):
    found = run(sys.executable, '-m', f'robot_dynamics.nodes.{node}', '--help',
                PYTHONPATH=without_ros)
    assert found.returncode == 0
    assert found.stdout.startswith(f'usage: {node} ')
    assert found.stdout.count('\n') == 1
    assert found.stdout.endswith('/reference/nodes.html\n')
    assert not found.stderr


@pytest.mark.parametrize(('node', 'lines'), {
    'simulator': ['  rate (double, 500.0): joint_states (and /clock)', '  joints (string[], []): ',
                  '  initial_positions (double[], []): ', '  stops (bool, true): '],
    'inverse_dynamics': ["  mode (string, 'bias'): what", '  max_points (integer, 50000): most',
                         '  joints (string[], []): order'],
    'gim_diagnostics': ['  singularity_rows (integer[], [3, 4, 5]): ', '  rate.warn (double, 10'],
    'dynamics_stack': ['parameters of every node:', 'parameters of simulator:', '  mode (string'],
    'viewer': ['  stale (double, 0.5): silence'],
}.items(), ids=NODES)
def test_help_lists_the_parameters(node, lines):
    pytest.importorskip('rclpy')
    found = run(sys.executable, '-m', f'robot_dynamics.nodes.{node}', '--help')
    assert (found.returncode, found.stderr) == (0, '')
    assert "  robot_description_file (string, ''): path of a URDF" in found.stdout
    for line in lines:
        assert f'\n{line}' in found.stdout
    assert max(map(len, found.stdout.splitlines()[1:])) < 100


def test_the_parameters_listed_are_the_nodes(peer):
    from robot_dynamics.nodes.dynamics_stack.node import NODES as TYPES
    from robot_dynamics.nodes.parameters import MODEL_SETTINGS, SETTINGS
    for kind in TYPES:
        node = kind()
        listed = {setting.name for setting in (*MODEL_SETTINGS, *SETTINGS[node.get_name()])}
        assert listed == set(vars(node.settings))
        node.destroy_node()


def test_a_mistyped_parameter_is_said(domain):
    command = [sys.executable, '-m', 'robot_dynamics.nodes.inverse_dynamics', '--ros-args',
               '-p', 'robot_descripton_file:=panda_like', '-p', 'urdf:=x', '-p', 'mode:=gravity',
               '-p', 'real_time_factor:=1.0', '-p', 'use_sim_time:=false',
               '-p', 'start_type_description_service:=false', '-p', 'rate.warn:=3.0',
               '-p', 'qos_overrides./joint_states.subscription.depth:=8']
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    said = []
    for line in process.stderr:
        said.append(line)
        if 'no robot model yet' in line:
            break
    stop(process)
    process.stderr.close()
    warned, = [line for line in said if 'WARN' in line]
    assert warned.endswith('given, but no parameters of this node: robot_descripton_file '
                           '(robot_description_file?), urdf\n')
