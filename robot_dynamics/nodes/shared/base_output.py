"""A floating base as others hear of it: Odometry and, where tf2_msgs is there, the transform."""

from __future__ import annotations

from typing import Any

import numpy as np
from nav_msgs.msg import Odometry

from robot_dynamics.nodes.shared.base_input import base_link

try:  # not part of every installation
    from geometry_msgs.msg import TransformStamped
    from tf2_msgs.msg import TFMessage
except ImportError:
    TFMessage = None

ODOM = 'odom'  # where the base is, unless odom_frame says otherwise


class BaseOutput:
    """Publishes `odometry` and `/tf` for a node."""

    def __init__(self, node: Any):
        self._node = node
        self._odometry = node.offer(Odometry, 'odometry')
        self._tf = None if TFMessage is None else node.offer(TFMessage, '/tf')
        self._message = Odometry()

    def send(self, pose: np.ndarray, twist: np.ndarray, stamp: Any) -> None:
        """Publish where the base is; pose: (7,), twist: (6,), [omega; v] in its own axes."""
        message, robot = self._message, self._node.robot
        if robot is None:
            return
        message.header.stamp = stamp
        message.header.frame_id = self._node.settings.odom_frame or ODOM
        message.child_frame_id = base_link(robot)
        p, o = message.pose.pose.position, message.pose.pose.orientation
        p.x, p.y, p.z, o.x, o.y, o.z, o.w = pose.tolist()
        w, v = message.twist.twist.angular, message.twist.twist.linear
        w.x, w.y, w.z, v.x, v.y, v.z = twist.tolist()
        self._odometry.publish(message)
        if self._tf is not None:
            moved = TransformStamped(header=message.header, child_frame_id=message.child_frame_id)
            t = moved.transform.translation
            t.x, t.y, t.z = p.x, p.y, p.z
            moved.transform.rotation = o
            self._tf.publish(TFMessage(transforms=[moved]))
