"""An executor for streams: plain callbacks are run at once, the rest is left to rclpy's own.

rclpy's SingleThreadedExecutor gathers all entities of a node, and makes a task and a wait set,
several times for every message. A node at 500 Hz with six services spends most of its time there.
This one gathers the entities when they change, and calls subscriptions, timers and services whose
callbacks are plain functions itself. Coroutines, actions, clients, guard conditions and QoS events
go the usual way.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from rclpy import executors
from rclpy.executors import ExternalShutdownException, ShutdownException, SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.logging import get_logger
from rclpy.subscription import Subscription

_rclpy: Any = rclpy_implementation  # its stubs are not those of the code
TIMER_INFO = getattr(executors, 'TimerInfo', None)  # what a timer's callback may take: newer ROS
CLOSED = tuple(getattr(_rclpy, name) for name in ('InvalidHandle', 'TimerCancelledError')
               if hasattr(_rclpy, name))  # by a callback that ran just before
FOREVER = -1
LOGGED = 5.0  # [s] between two messages
KINDS = ('subscription', 'timer', 'service')


class StreamExecutor(SingleThreadedExecutor):  # type: ignore[misc]  # rclpy has no types
    """A single-threaded executor that is quick with plain callbacks."""

    def __init__(self, **options: Any):
        self._changed = True
        super().__init__(**options)
        self._direct: dict[str, dict[int, tuple[Any, Callable[..., Any]]]] = {
            kind: {} for kind in KINDS}
        self._entities: dict[str, list[Any]] = {}
        self._waitables: list[Any] = []
        self._guards: list[Any] = []
        self._wait_set: Any = None

    def wake(self) -> None:
        """Look at the nodes again: rclpy calls this when entities come or go."""
        self._changed = True
        super().wake()

    def add_node(self, node: Any) -> bool:
        """Add a node."""
        self._changed = True
        return bool(super().add_node(node))

    def remove_node(self, node: Any) -> None:
        """Remove a node."""
        self._changed = True
        super().remove_node(node)

    def spin(self) -> None:
        """Execute callbacks until shutdown; with an rclpy of other insides, as that one does."""
        if not self._knows_rclpy():
            get_logger('robot_dynamics').warning(
                'this rclpy is not known: its own executor is used, which takes more time')
            super().spin()
        while self._context.ok() and not self._is_shutdown:
            try:
                self.spin_stream()
            except _rclpy.RCLError as error:
                if not self._context.ok():
                    raise ExternalShutdownException() from None
                # DDS would not take a message, as when a reader has just died: one is lost
                get_logger('robot_dynamics').warning(
                    f'going on after: {error}', throttle_duration_sec=LOGGED)

    def _knows_rclpy(self) -> bool:
        """Tell whether what this class takes from inside rclpy is there."""
        try:
            self._gather()
            for needed in ('add_subscription', 'add_service', 'add_timer', 'add_client',
                           'add_guard_condition', 'clear_entities', 'get_ready_entities', 'wait'):
                getattr(self._wait_set, needed)
            return self._tasks is not None
        except (AttributeError, TypeError):
            return False

    def spin_stream(self) -> None:
        """Wait for anything, run what is ready."""
        if self._changed:
            self._changed = False
            self._gather()
        try:
            wait_set = self._wait()
        except _rclpy.InvalidHandle:  # an entity was closed by another thread
            self._changed = True
            return
        if self._is_shutdown:
            raise ShutdownException()
        if not self._context.ok():
            raise ExternalShutdownException()
        rest = bool(wait_set.get_ready_entities('client'))
        for kind in KINDS:
            direct = self._direct[kind]
            for pointer in wait_set.get_ready_entities(kind):
                entry = direct.get(pointer)
                if entry is None or not entry[0].callback_group.can_execute(entry[0]):
                    rest = True
                else:
                    entry[1](entry[0])
        guards = wait_set.get_ready_entities('guard_condition')
        for guard in self._guards if guards else ():
            if guard.handle.pointer in guards:
                guard._executor_triggered = True
        if rest or guards or self._tasks or self._changed or any(
                waitable.is_ready(wait_set) for waitable in self._waitables):
            self.spin_once(timeout_sec=0)

    def _gather(self) -> None:
        """Collect the entities of all nodes, and those that are called directly."""
        nodes = self.get_nodes()
        self._direct = {kind: {} for kind in KINDS}
        self._entities = {kind: [entity.handle for node in nodes for entity in source(node)]
                          for kind, source in SOURCES.items()}
        self._waitables = [waitable for node in nodes for waitable in node.waitables]
        self._guards = [guard for node in nodes for guard in node.guards]
        own = [guard.handle for guard in (self._guard, self._sigint_gc) if guard is not None]
        self._entities['guard_condition'] += own
        for kind, (call, plain) in CALLS.items():
            for node in nodes:
                self._direct[kind].update(
                    {entity.handle.pointer: (entity, call) for entity in SOURCES[kind](node)
                     if entity.callback_group is not None and plain(entity)})
        counts = [len(self._entities[kind]) for kind in
                  ('subscription', 'guard_condition', 'timer', 'client', 'service')] + [0]
        for waitable in self._waitables:
            more = waitable.get_num_entities()
            for k, name in enumerate(('subscriptions', 'guard_conditions', 'timers', 'clients',
                                      'services', 'events')):
                counts[k] += getattr(more, f'num_{name}')
        self._wait_set = _rclpy.WaitSet(*counts, self._context.handle)

    def _wait(self) -> Any:
        """Wait until something is ready; return the wait set, which tells what."""
        wait_set = self._wait_set
        wait_set.clear_entities()
        for add, handles in ((wait_set.add_subscription, self._entities['subscription']),
                             (wait_set.add_service, self._entities['service']),
                             (wait_set.add_timer, self._entities['timer']),
                             (wait_set.add_client, self._entities['client']),
                             (wait_set.add_guard_condition, self._entities['guard_condition'])):
            for handle in handles:
                add(handle)
        for waitable in self._waitables:
            waitable.add_to_wait_set(wait_set)
        wait_set.wait(FOREVER)
        return wait_set


def drain(subscription: Any, most: int = 1000) -> None:
    """Hand the messages that have come to a subscription's callback; most: at once."""
    while most and _run_subscription(subscription):
        most -= 1


def _run_subscription(subscription: Any) -> bool:
    """Take a message; return whether there was one."""
    try:
        with subscription.handle:
            taken = subscription.handle.take_message(subscription.msg_type, subscription.raw)
    except CLOSED:
        return False
    if taken is not None:
        subscription.callback(taken[0])
    return taken is not None


def _run_timer(timer: Any) -> None:
    try:
        with timer.handle:
            if not timer.handle.is_timer_ready():
                return
            if TIMER_INFO is None:
                timer.handle.call_timer()
            else:
                timer.handle.call_timer_with_info()
    except CLOSED:
        return
    timer.callback()


def _run_service(service: Any) -> None:
    try:
        with service.handle:
            request, header = service.handle.service_take_request(service.srv_type.Request)
    except CLOSED:
        return
    if header is not None:
        service.send_response(service.callback(request, service.srv_type.Response()), header)


def _is_function(callback: Any) -> bool:
    return callback is not None and not inspect.iscoroutinefunction(callback)


def _is_plain_subscription(subscription: Any) -> bool:
    return (_is_function(subscription.callback)
            and subscription._callback_type is Subscription.CallbackType.MessageOnly)


def _is_plain_timer(timer: Any) -> bool:
    return _is_function(timer.callback) and all(
        parameter.annotation not in (TIMER_INFO, 'TimerInfo')
        for parameter in inspect.signature(timer.callback).parameters.values())


SOURCES: dict[str, Callable[[Any], Any]] = {
    'subscription': lambda node: node.subscriptions,
    'timer': lambda node: node.timers,
    'service': lambda node: node.services,
    'client': lambda node: node.clients,
    'guard_condition': lambda node: node.guards,
}
CALLS: dict[str, tuple[Callable[..., Any], Callable[[Any], bool]]] = {
    'subscription': (_run_subscription, _is_plain_subscription),
    'timer': (_run_timer, _is_plain_timer),
    'service': (_run_service, lambda service: _is_function(service.callback)),
}
