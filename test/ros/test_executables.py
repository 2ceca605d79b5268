"""The nodes' executables where ROS is missing, and asked for help: one line each."""

import subprocess
import sys

import pytest

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
def test_help_is_one_line(node, without_ros):
    found = run(sys.executable, '-m', f'robot_dynamics.nodes.{node}', '--help',
                PYTHONPATH=without_ros)
    assert found.returncode == 0
    assert found.stdout.startswith(f'usage: {node} ')
    assert found.stdout.count('\n') == 1
    assert not found.stderr
