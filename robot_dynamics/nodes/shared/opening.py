"""A node that remembers what it opened, and closes it in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from rclpy.qos_overriding_options import QoSOverridingOptions

try:
    from rclpy.event_handler import SubscriptionEventCallbacks
except ImportError:  # Humble
    from rclpy.qos_event import SubscriptionEventCallbacks

STEADY = Clock(clock_type=ClockType.STEADY_TIME)
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
SENSOR = qos_profile_sensor_data  # REP 2003: what reads a sensor takes what comes
RELIABLE = QoSProfile(depth=10)


class OpeningNode(LifecycleNode):  # type: ignore[misc]  # rclpy has no types
    """Opens topics, services and timers; the QoS of topics can be overridden by parameters."""

    def __init__(self, name: str, **options: Any):
        super().__init__(name, **options)
        self._opened: list[tuple[Any, Callable[[], object]]] = []  # and what closes it

    @property
    def subscriptions(self) -> Iterator[Any]:
        """Those that an executor waits for."""
        return (one for one in super().subscriptions if not getattr(one, 'polled', False))

    def listen(self, kind: Any, topic: str, callback: Callable[[Any], object],
               qos: QoSProfile = RELIABLE, *, raw: bool = False, polled: bool = False) -> Any:
        """Subscribe to a topic, and return the subscription; raw: the callback gets bytes.

        polled: messages do not wake the executor; `drain` hands them to the callback. Nor do QoS
        events: Fast DDS wakes who waits for one whenever a message lies unread
        """
        subscription = self.create_subscription(
            kind, topic, callback, qos, raw=raw,
            event_callbacks=SubscriptionEventCallbacks(use_default_callbacks=not polled),
            qos_overriding_options=QoSOverridingOptions.with_default_policies())
        subscription.polled = polled
        return self._keep(subscription, lambda: self.destroy_subscription(subscription))

    def offer(self, kind: Any, topic: str, qos: QoSProfile = RELIABLE, *,
              always: bool = False) -> Any:
        """Return a publisher; always: also while the node is inactive."""
        create, destroy = ((self.create_publisher, self.destroy_publisher) if always else
                           (self.create_lifecycle_publisher, self.destroy_lifecycle_publisher))
        publisher = create(kind, topic, qos,
                           qos_overriding_options=QoSOverridingOptions.with_default_policies())
        return self._keep(publisher, lambda: destroy(publisher))

    def serve(self, kind: Any, name: str, handler: Callable[..., Any]) -> None:
        """Open the service ~/name."""
        service = self.create_service(kind, f'~/{name}', handler)
        self._keep(service, lambda: self.destroy_service(service))

    def every(self, period: float, callback: Callable[[], None], clock: Any = STEADY) -> Any:
        """Return a timer, its period in seconds; of steady time unless a clock is given."""
        timer = self.create_timer(period, callback, clock=clock)
        return self._keep(timer, lambda: self.destroy_timer(timer))

    def when_closed(self, close: Callable[[], object]) -> None:
        """Have something else closed with the rest."""
        self._keep(None, close)

    def close(self, opened: Any) -> None:
        """Close one of them before the others."""
        for pair in [pair for pair in self._opened if pair[0] is opened]:
            self._opened.remove(pair)
            pair[1]()

    def close_all(self) -> None:
        """Close all of them, the last one first."""
        while self._opened:
            self._opened.pop()[1]()

    def _keep(self, opened: Any, close: Callable[[], object]) -> Any:
        self._opened.append((opened, close))
        return opened
