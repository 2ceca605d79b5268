"""The executor for streams: everything that rclpy's own runs, it runs too."""

import contextlib
import time

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2: make test brings it')

import rclpy
from rclpy.executors import ShutdownException, TimerInfo
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.lifecycle import TransitionCallbackReturn
from std_msgs.msg import String
from std_srvs.srv import Trigger

from robot_dynamics.nodes.gim_diagnostics.node import GimDiagnosticsNode
from robot_dynamics.nodes.inverse_dynamics.node import InverseDynamicsNode
from robot_dynamics.nodes.shared.executor import StreamExecutor
from robot_dynamics.nodes.shared.handlers import saying_why
from robot_dynamics.nodes.shared.model_node import ModelNode
from robot_dynamics.nodes.simulator.node import SimulatorNode


@pytest.fixture(scope='module')
def ros(domain):
    rclpy.init(args=[])
    yield
    rclpy.try_shutdown()


@pytest.fixture
def node(ros):
    node = rclpy.create_node('streaming')
    yield node
    node.destroy_node()


@pytest.fixture
def executor(node):
    executor = StreamExecutor()
    executor.add_node(node)
    yield executor
    executor.shutdown()


def spin(executor, condition, patience=20.0):
    node, = executor.get_nodes()
    alarm = node.create_timer(0.01, lambda: None)
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end
        executor.spin_stream()
    node.destroy_timer(alarm)


def test_timers_subscriptions_services_and_clients(executor, node):
    heard = []

    def serve(request, response):
        response.message = 'served'
        return response

    publisher = node.create_publisher(String, 'words', 10)
    node.create_subscription(String, 'words', lambda word: heard.append(word.data), 10)
    node.create_service(Trigger, 'serve', serve)
    node.create_timer(0.01, lambda: publisher.publish(String(data='word')))
    client = node.create_client(Trigger, 'serve')
    spin(executor, client.service_is_ready)
    future = client.call_async(Trigger.Request())
    spin(executor, lambda: future.done() and len(heard) > 3)
    assert future.result().message == 'served'


def test_coroutines_tasks_guards_and_timers_that_want_to_know(executor, node):
    heard, done, infos, guarded = [], [], [], []

    async def on_word(word):
        heard.append(word.data)

    def on_time(info: TimerInfo):
        infos.append(info.actual_call_time)

    publisher = node.create_publisher(String, 'words', 10)
    node.create_subscription(String, 'words', on_word, 10)
    node.create_timer(0.01, on_time)
    guard = node.create_guard_condition(lambda: guarded.append(True))

    def publish():
        publisher.publish(String(data='word'))
        guard.trigger()

    node.create_timer(0.02, publish)
    executor.create_task(lambda: done.append(True))
    spin(executor, lambda: heard and done and infos and guarded)


def test_entities_come_and_go_in_callbacks(executor, node):
    publisher = node.create_publisher(String, 'words', 10)
    heard = []

    def once(word):
        heard.append(word.data)
        node.destroy_subscription(subscription)
        node.create_subscription(String, 'words', heard.append, 10)

    subscription = node.create_subscription(String, 'words', once, 10)
    node.create_timer(0.01, lambda: publisher.publish(String(data='word')))
    spin(executor, lambda: len(heard) > 3)
    assert heard[0] == 'word'
    assert not isinstance(heard[1], str)


def test_an_error_in_a_callback_is_raised(executor, node):
    def fail():
        raise ZeroDivisionError

    node.create_timer(0.01, fail)
    with pytest.raises(ZeroDivisionError):
        spin(executor, lambda: False)


@pytest.mark.parametrize('known', [True, False])
def test_an_unknown_rclpy_spins_its_own_way(executor, node, monkeypatch, known):
    ticks = []

    def tick():
        ticks.append(1)
        if len(ticks) == 3:
            executor.shutdown(timeout_sec=0)

    def unknown(self):
        raise AttributeError('no such thing')

    node.create_timer(0.01, tick)
    if not known:
        monkeypatch.setattr(StreamExecutor, '_gather', unknown)
    with contextlib.suppress(ShutdownException):
        executor.spin()
    assert len(ticks) == 3


def test_a_message_that_dds_does_not_take_is_lost_alone(executor, node):
    """A reader that dies at the wrong moment makes publishing fail: the node lives on."""
    ticks = []

    def tick():
        ticks.append(1)
        if len(ticks) == 3:
            executor.shutdown(timeout_sec=0)
        else:
            raise rclpy_implementation.RCLError('cannot publish data')

    node.create_timer(0.01, tick)
    with contextlib.suppress(ShutdownException):
        executor.spin()
    assert len(ticks) == 3


def test_a_transition_that_fails_says_why(ros, capfd):
    class Broken(ModelNode):
        @saying_why
        def on_configure(self, state):
            raise ZeroDivisionError('out of order')

    node = Broken('broken')
    assert node.trigger_configure() == TransitionCallbackReturn.ERROR
    node.destroy_node()
    assert 'ZeroDivisionError: out of order' in capfd.readouterr().err


@pytest.mark.parametrize('kind', [SimulatorNode, InverseDynamicsNode, GimDiagnosticsNode])
def test_what_a_node_opened_is_closed_again(ros, kind):
    def opened():
        return [len(list(part)) for part in (
            node.publishers, node.subscriptions, node.services, node.timers)]

    node = kind()
    before = opened()
    for _ in range(2):
        assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
        assert sum(opened()) > sum(before)
        assert node.trigger_cleanup() == TransitionCallbackReturn.SUCCESS
        assert opened() == before
    node.destroy_node()
