"""The demo as people run it: a process, with and without a terminal, stopped in the middle."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time

import pytest

DEMO = [sys.executable, '-m', 'robot_dynamics.cli.main', 'demo']


def children_of(pid):
    """Return the processes that a process has started."""
    return subprocess.run(['ps', '-o', 'pid=', '--ppid', str(pid)], capture_output=True,
                          text=True, check=False).stdout.split()


def alive(pid):
    return os.path.exists(f'/proc/{pid}')


def wait_for(condition, patience=30.0):
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_it_runs_without_a_terminal_and_leaves_a_plot(domain, tmp_path):
    plot = tmp_path / 'motion.png'
    done = subprocess.run([*DEMO, '--duration', '0.5', '--plot', str(plot)], capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    sent, answered = map(int, re.search(r'(\d+) joint states sent, (\d+)', done.stdout).groups())
    assert sent == 51
    assert answered > 25  # sensor data: a busy machine may lose some
    assert 'joint_6' in done.stdout
    assert '\x1b' not in done.stdout
    assert plot.read_bytes().startswith(b'\x89PNG')


def test_it_reports_to_programs(domain, tmp_path):
    done = subprocess.run([*DEMO, '--duration', '0.5', '--plot', str(tmp_path / 'a.png'),
                           '--json'], capture_output=True, text=True, timeout=60, check=False)
    result = json.loads(done.stdout)
    assert result['sent'] == 51
    assert [joint['joint'] for joint in result['joints']] == [f'joint_{k}' for k in range(1, 8)]


@pytest.mark.parametrize('blow', [signal.SIGINT, signal.SIGKILL])
def test_it_leaves_no_process_behind(domain, tmp_path, blow):
    terminal, end = pty.openpty()
    demo = subprocess.Popen([*DEMO, '--duration', '60', '--plot', str(tmp_path / 'no.png')],
                            stdout=end, stderr=end)
    os.close(end)
    shown = b''
    while b'torque' not in shown:  # it moves
        shown += os.read(terminal, 4096)
    nodes = children_of(demo.pid)
    assert nodes
    demo.send_signal(blow)
    wait_for(lambda: demo.poll() is not None)
    if blow != signal.SIGKILL:
        assert demo.returncode == 130
    wait_for(lambda: not any(map(alive, nodes)))
    os.close(terminal)


def test_a_description_that_is_none_is_said_in_one_line(domain, tmp_path):
    broken = tmp_path / 'broken.urdf'
    broken.write_text('<robot name="x"><link')
    done = subprocess.run([*DEMO, str(broken)], capture_output=True, text=True, timeout=60,
                          check=False)
    assert done.returncode == 1
    assert done.stderr.count('\n') == 1
    assert 'broken.urdf' in done.stderr
