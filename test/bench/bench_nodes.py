"""What the inverse_dynamics node costs, against bare rclpy nodes that echo the same messages.

Both sides run as processes of their own over DDS and are driven in turns, block by block, so that
what else the machine does hits both alike; ratios are medians over pairs of neighbouring blocks.
The echo spins on rclpy's SingleThreadedExecutor and answers the message as it came.

    python test/bench/bench_nodes.py [--pairs 10] [--seconds 1.0] [--json]
"""

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import rclpy
from builtin_interfaces.msg import Time
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.qos import qos_profile_sensor_data
from robot_dynamics_interfaces.srv import ComputeInverseDynamics
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import robot_dynamics as rd
from robot_dynamics.nodes.shared.executor import StreamExecutor

RATE = 500.0  # [Hz]
LIMITS = {'round trip': 1.25, 'CPU per message': 1.3, 'service, 1 point': 1.3,
          'service, 10000 points': 1.3}
SERVICE = 'compute_inverse_dynamics'


def echo():
    """Run the bare node: joint states and trajectories go back as they came."""
    rclpy.init()
    node = rclpy.create_node('echo')
    publisher = node.create_publisher(JointState, '~/effort', 10)
    node.create_subscription(
        JointState, 'joint_states', publisher.publish, qos_profile_sensor_data)

    def answer(request, response):
        response.trajectory = request.trajectory
        return response

    node.create_service(ComputeInverseDynamics, f'~/{SERVICE}', answer)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        executor.spin()


class Side:
    """One of the two nodes: its process, and our ends of its topics and services."""

    def __init__(self, driver, name, command):
        self.driver, self.delays, self.sent, self.pending = driver, [], 0, {}
        self.process = subprocess.Popen(
            [sys.executable, *command, '-r', f'joint_states:=/{name}/joint_states'])
        node = driver.node
        self.states = node.create_publisher(JointState, f'/{name}/joint_states', 10)
        node.create_subscription(JointState, f'/{name}/effort', self._on_effort, 10)
        self.client = node.create_client(ComputeInverseDynamics, f'/{name}/{SERVICE}')

    def _on_effort(self, message):
        self.delays.append(time.perf_counter() - self.pending.pop(message.header.stamp.nanosec))

    def send(self, message):
        self.sent += 1
        message.header.stamp = Time(sec=1, nanosec=self.sent)
        self.pending[self.sent] = time.perf_counter()
        self.states.publish(message)

    def cpu(self):
        """Return the time that all threads of the process ran [s]."""
        total = 0
        for task in Path(f'/proc/{self.process.pid}/task').iterdir():
            total += int((task / 'schedstat').read_text().split()[0])
        return total * 1e-9

    def block(self, message, seconds):
        """Stream states at the rate; return median round trip [s], CPU per message [s], lost."""
        self.delays.clear()
        count, cpu, start = round(RATE * seconds), self.cpu(), time.perf_counter()
        for k in range(count):
            self.driver.wait(start + k / RATE)
            self.send(message)
        self.driver.wait(time.perf_counter() + 0.1)
        return (float(np.median(self.delays)), (self.cpu() - cpu) / count,
                count - len(self.delays))

    def call(self, request):
        """Return how long a call takes [s]."""
        start = time.perf_counter()
        future = self.client.call_async(request)
        while not future.done():
            self.driver.executor.spin_stream()
        took = time.perf_counter() - start
        assert len(future.result().trajectory.points) == len(request.trajectory.points)
        return took

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Driver:
    """Our own process: one node, quick to wake."""

    def __init__(self):
        self.node = rclpy.create_node('driver')
        self.executor = StreamExecutor()
        self.executor.add_node(self.node)
        self.alarm = self.node.create_timer(1 / RATE / 4, lambda: None)

    def wait(self, until):
        while time.perf_counter() < until:
            self.executor.spin_stream()


def panda():
    """Return the file and the model of a 7-joint arm; its kernels are compiled when it returns."""
    import pinocchio  # for the folder that example-robot-data shares with it
    urdf = next(Path(pinocchio.__file__).parents[4].glob(
        'share/example-robot-data/robots/panda_description/urdf/panda.urdf'))
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        robot = rd.load(urdf, root='panda_link0', tip='panda_link7')
    zero = np.zeros(7)
    robot.bias(zero, zero), robot.inverse_dynamics(zero, zero, zero)
    rd.wait_for_kernels(120)
    return urdf, robot


def request_of(robot, count):
    motion = np.random.default_rng(1).uniform(-1, 1, (3, count, robot.n))
    return ComputeInverseDynamics.Request(trajectory=JointTrajectory(
        joint_names=list(robot.joint_names), points=[
            JointTrajectoryPoint(positions=a.tolist(), velocities=b.tolist(),
                                 accelerations=c.tolist())
            for a, b, c in zip(*motion, strict=True)]))


def measure(echoes, ours, robot, pairs, seconds):
    """Return {quantity: [(echo, ours), ...]}, and the messages lost on each side."""
    state = JointState(name=list(robot.joint_names), position=[0.1] * 7, velocity=[0.2] * 7)
    results = {name: [] for name in LIMITS}
    lost = [0, 0]
    for side in (echoes, ours):
        side.block(state, 0.5)
    for pair in range(pairs):
        sides = (echoes, ours) if pair % 2 else (ours, echoes)
        blocks = {side: side.block(state, seconds) for side in sides}
        for k, name in enumerate(('round trip', 'CPU per message')):
            results[name].append((blocks[echoes][k], blocks[ours][k]))
        lost = [lost[0] + blocks[echoes][2], lost[1] + blocks[ours][2]]
    ours.driver.alarm.cancel()
    for name, points, calls in (('service, 1 point', 1, 30), ('service, 10000 points', 10_000, 1)):
        request = request_of(robot, points)
        for pair in range(pairs):
            first, second = (echoes, ours) if pair % 2 else (ours, echoes)
            took = {echoes: [], ours: []}
            for side in (first, second, second, first):
                took[side] += [side.call(request) for _ in range(calls)]
            results[name].append((float(np.median(took[echoes])), float(np.median(took[ours]))))
    return results, lost


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--pairs', type=int, default=10, help='of neighbouring blocks')
    parser.add_argument('--seconds', type=float, default=1.0, help='of each block at 500 Hz')
    parser.add_argument('--json', action='store_true')
    args = parser.parse_args()
    os.environ['ROS_DOMAIN_ID'] = str(random.randrange(1, 101))
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    urdf, robot = panda()
    rclpy.init(args=[])
    driver = Driver()
    echoes = Side(driver, 'echo', [__file__, '--echo', '--ros-args'])
    ours = Side(driver, 'inverse_dynamics', [
        '-m', 'robot_dynamics.nodes.inverse_dynamics', '--ros-args',
        '-p', f'robot_description_file:={urdf}', '-p', 'root_link:=panda_link0',
        '-p', 'tip_link:=panda_link7', '--log-level', 'error'])
    try:
        end = time.monotonic() + 60
        while not all(side.client.service_is_ready() and side.delays for side in (echoes, ours)):
            assert time.monotonic() < end, 'the nodes did not answer in 60 s'
            for side in (echoes, ours):
                side.send(JointState(name=list(robot.joint_names), position=[0.0] * 7,
                                     velocity=[0.0] * 7))
            driver.wait(time.perf_counter() + 0.1)
        results, lost = measure(echoes, ours, robot, args.pairs, args.seconds)
    finally:
        for side in (echoes, ours):
            side.stop()
        rclpy.try_shutdown()
    return report(results, lost, args.json)


def report(results, lost, as_json):
    table = {}
    for name, pairs in results.items():
        echoed, answered = np.median(pairs, axis=0) * 1e3
        table[name] = {'echo [ms]': echoed, 'node [ms]': answered,
                       'ratio': float(np.median([b / a for a, b in pairs])),
                       'limit': LIMITS[name]}
    if as_json:
        print(json.dumps({'quantities': table, 'lost': lost}))
    else:
        print(f'{"":24}{"echo [ms]":>12}{"node [ms]":>12}{"ratio":>8}{"limit":>8}')
        for name, row in table.items():
            print(f'{name:24}{row["echo [ms]"]:12.3f}{row["node [ms]"]:12.3f}'
                  f'{row["ratio"]:8.2f}{row["limit"]:8.2f}')
        print(f'messages lost: echo {lost[0]}, node {lost[1]}')
    return int(any(row['ratio'] > row['limit'] for row in table.values()))


if __name__ == '__main__':
    if '--echo' in sys.argv:
        echo()
    else:
        sys.exit(main())
