"""What the simulator publishes of its robot: joint_states, and /clock where it is the clock."""

from __future__ import annotations

from array import array

import numpy as np
from builtin_interfaces.msg import Time
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState

from robot_dynamics.nodes.shared.base_output import BaseOutput
from robot_dynamics.nodes.shared.model_node import ModelNode

NANOSECONDS = 10**9


class StateOutput:
    """The topics; states are stamped with simulated time where the simulator is the clock."""

    def __init__(self, node: ModelNode):
        self._node = node
        self._states = node.offer(JointState, 'joint_states')
        self._clock = node.offer(Clock, '/clock') if node.settings.publish_clock else None
        self._message = JointState()
        self._base = BaseOutput(node) if node.settings.base == 'floating' else None
        self._names: tuple[str, ...] = ()
        self._last = -1  # time on /clock [ns]

    def send(self, names: tuple[str, ...], q: np.ndarray, qd: np.ndarray, effort: np.ndarray, *,
             simulated: float, real: int | None = None,
             base: tuple[np.ndarray, np.ndarray] | None = None) -> None:
        """Publish a state, (n,) each, and the time where it went on.

        base: pose and twist of a floating one.

        simulated: its time in the simulation [s]; real: its time on the node's clock [ns], now
        unless given
        """
        if self._clock is not None:
            stamp = round(NANOSECONDS * simulated)
        else:
            stamp = self._node.get_clock().now().nanoseconds if real is None else real
        message = self._message
        if self._names != names:
            self._names, message.name = names, list(names)
        message.position = array('d', q.tobytes())
        message.velocity = array('d', qd.tobytes())
        message.effort = array('d', effort.tobytes())
        message.header.stamp = Time(sec=stamp // NANOSECONDS, nanosec=stamp % NANOSECONDS)
        if self._clock is not None and stamp != self._last:
            self._last = stamp
            self._clock.publish(Clock(clock=message.header.stamp))
        if base is not None and self._base is not None:
            self._base.send(*base, message.header.stamp)
        self._states.publish(message)
