"""A closed loop over DDS for tests and benchmarks: simulator and computed torque as processes."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from builtin_interfaces.msg import Duration
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.qos import QoSProfile
from ros_peer import SETTLE, stop
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robot_dynamics.simulation.online.exchange import cycloid

ROOT = Path(__file__).parents[1]
ROBOTS = {  # description, joint values at start and end of the motion [rad]
    'puma560': ('puma560.urdf', [0.0, -0.8, 0.5, 0.3, 0.4, 0.2], [1.0, -0.3, 1.0, 0.8, 0.9, 0.7]),
    'panda_like': ('panda_like.urdf.xacro', [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785],
                   [0.8, -0.2, 0.5, -1.6, 0.6, 2.2, 1.4]),
    'five_bar': ('five_bar.yaml', [0.5236, 0.5236], [0.9, 0.2]),
}
JOINTS = {'five_bar': ['left_shoulder', 'right_shoulder']}  # else joint_1 and so on
POINTS = 50  # of the trajectory, per second


class Loop:
    """One robot in a namespace of its own: processes, what they say, how well it follows."""

    def __init__(self, peer, robot, *, rate=500.0, depth=8, gain=40.0, parameters=(),
                 config=None):
        self.peer, self.robot, self.rate, self.depth = peer, robot, rate, depth
        self.gain = gain
        self.parameters = list(parameters)
        self.config = [] if config is None else ['--params-file', str(config)]
        file, start, end = ROBOTS[robot]
        self.urdf, self.start, self.end = ROOT / 'urdf' / file, np.array(start), np.array(end)
        self.names = JOINTS.get(robot) or [f'joint_{k + 1}' for k in range(len(start))]
        self.processes = {}
        self.states, self.diagnostics = [], {}
        self.keep = False  # the states
        self.last = None
        node, deep = peer.node, QoSProfile(depth=1000)
        node.create_subscription(JointState, f'/{robot}/joint_states', self._on_state, deep)
        node.create_subscription(DiagnosticArray, '/diagnostics', self._on_diagnostics, 100)
        self.reference = node.create_publisher(JointTrajectory, f'/{robot}/joint_trajectory', 10)

    def begin(self, name, stderr=None):
        """Start a node as a process; a simulator that starts again finds the robot where it was.

        Elsewhere, the controller would pull it to its reference with all its might.
        """
        pose = self.start.tolist() if self.last is None else self.positions(self.last)
        qos = f'qos_overrides./{self.robot}'
        states, efforts = f'{qos}/joint_states', f'{qos}/effort_commands'
        options = {
            'simulator': [f'rate:={self.rate}', f'initial_positions:={pose}',
                          f'{states}.publisher.depth:={self.depth}',
                          f'{efforts}.subscription.depth:={self.depth}'],
            'inverse_dynamics': ['mode:=computed_torque', f'gain:={self.gain}',
                                 f'{states}.subscription.reliability:=reliable',
                                 f'{states}.subscription.depth:={self.depth}',
                                 f'{efforts}.publisher.depth:={self.depth}'],
            'gim_diagnostics': []}[name]
        command = [sys.executable, '-m', f'robot_dynamics.nodes.{name}', '--ros-args',
                   '-r', f'__ns:=/{self.robot}', '-r', '~/commands:=effort_commands', *self.config]
        kind = 'mechanism' if self.urdf.suffix == '.yaml' else 'robot_description'
        for option in (f'{kind}_file:={self.urdf}', 'diagnostics_rate:=10.0', *options,
                       *self.parameters):
            command += ['-p', option]
        self.processes[name] = subprocess.Popen(command, cwd=ROOT, stderr=stderr)

    def positions(self, state):
        """Return the values of the joints that are commanded."""
        return [state.position[state.name.index(name)] for name in self.names]

    def kill(self, name):
        """End a node as the out-of-memory killer does."""
        self.processes[name].kill()
        self.processes.pop(name).wait()

    def end_all(self):
        """End all nodes."""
        for process in self.processes.values():
            stop(process)

    def _on_state(self, message):
        self.last = message
        if self.keep:
            self.states.append(message)

    def _on_diagnostics(self, message):
        for status in message.status:
            name = status.name.strip('/')
            if name.startswith(f'{self.robot}/'):
                self.diagnostics[name.removeprefix(f'{self.robot}/')] = (
                    time.monotonic(), status.level[0], status.message,
                    {item.key: item.value for item in status.values})

    def level(self, name, since=0.0):
        """Return the level of a diagnostic, None when nothing was said since."""
        when, level, *_ = self.diagnostics.get(name, (-1.0, None))
        return level if when >= since else None

    def simulation(self):
        """Return the numbers that the simulator counts."""
        return self.diagnostics['simulator: simulation'][3]

    def ready(self):
        """Return whether the robot follows its controller."""
        return self.level('simulator: simulation') == 0

    def move(self, duration):
        """Send the cycloidal motion from start to end, to begin in half a second.

        A trajectory that is sent before the controller is found would be lost.
        """
        self.peer.until(self.reference.get_subscription_count)
        self.peer.spin(SETTLE)
        motion = cycloid(self.names, self.start, self.end, duration=duration, rate=POINTS)
        self.motion = motion
        points = [JointTrajectoryPoint(
            positions=list(q), velocities=list(qd), accelerations=list(qdd),
            time_from_start=Duration(sec=int(t), nanosec=round(t % 1 * 1e9)))
            for t, q, qd, qdd in zip(motion.t, motion.q, motion.qd, motion.qdd, strict=True)]
        trajectory = JointTrajectory(joint_names=self.names, points=points)
        self.begins = self.peer.node.get_clock().now().nanoseconds + 500_000_000
        trajectory.header.stamp.sec, trajectory.header.stamp.nanosec = divmod(
            self.begins, 10**9)
        self.keep = True
        self.reference.publish(trajectory)

    def errors(self):
        """Return the tracking error of every state kept, at its own stamp, (K, n) [rad]."""
        stamps = np.array([s.header.stamp.sec * 10**9 + s.header.stamp.nanosec
                           for s in self.states])
        t = np.clip((stamps - self.begins) * 1e-9, 0, self.motion.t[-1])[:, None]
        T, stroke = self.motion.t[-1], self.end - self.start
        wanted = self.start + stroke * (t / T - np.sin(2 * np.pi * t / T) / (2 * np.pi))
        return np.array([self.positions(s) for s in self.states]) - wanted

    def memory(self):
        """Return the resident memory of each node [MB]."""
        page = os.sysconf('SC_PAGE_SIZE') / 1e6
        return {name: int(Path(f'/proc/{process.pid}/statm').read_text().split()[1]) * page
                for name, process in self.processes.items()}
