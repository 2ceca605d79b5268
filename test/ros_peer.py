"""The test's own end of ROS: a node that waits with bounded patience, processes that end."""

import random
import signal
import socket
import subprocess
import time

import rclpy
from rclpy.executors import SingleThreadedExecutor

PATIENCE = 60.0  # [s]
SETTLE = 0.2  # [s] for a server to hear of a client
TRIES = 3


def free_domain():
    """Return a DDS domain on which no participant is heard on this machine."""
    for domain in random.sample(range(1, 101), 100):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(('', 7410 + 250 * domain))  # the first participant's unicast port
                return domain
            except OSError:
                continue
    raise RuntimeError('all DDS domains are taken')


class Peer:
    """A node of the test's own process, which waits for things with a bounded patience."""

    def __init__(self):
        self.node = rclpy.create_node('test_peer')
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.clients = {}

    def until(self, condition, patience=PATIENCE):
        """Spin until the condition holds; return what it gave."""
        end = time.monotonic() + patience
        while not (found := condition()):
            assert time.monotonic() < end, f'nothing came in {patience} s'
            self.executor.spin_once(timeout_sec=0.02)
        return found

    def spin(self, seconds):
        """Spin for a time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.executor.spin_once(timeout_sec=0.02)

    def call(self, service_type, name, request):
        """Call a service and return the response.

        A server that has not heard of a new client yet drops its answer, whatever the client
        knows of the server: so clients are kept, settle first, and ask again.
        """
        client = self.clients.get(name)
        if client is None:
            client = self.clients[name] = self.node.create_client(service_type, name)
            self.until(client.service_is_ready)
            self.spin(SETTLE)
        self.until(client.service_is_ready)
        for _ in range(TRIES):
            future = client.call_async(request)
            end = time.monotonic() + PATIENCE / TRIES
            self.until(lambda future=future, end=end: future.done() or time.monotonic() > end)
            if future.done():
                return future.result()
        raise AssertionError(f'{name} did not answer in {PATIENCE} s')

    def close(self):
        self.executor.shutdown()
        self.node.destroy_node()


def stop(process):
    """End a process as Ctrl-C does; return its exit status."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    try:
        return process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise
