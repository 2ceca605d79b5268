"""What all nodes share: the lifecycle, the robot model and where it comes from."""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rclpy
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.exceptions import InvalidParameterValueException
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

from robot_dynamics import load
from robot_dynamics.errors import InputError, RobotDynamicsError, RobotDynamicsWarning
from robot_dynamics.robot import Robot

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
WARNING_PERIOD = 5.0  # [s] between warnings of one kind


class ModelNode(LifecycleNode):
    """A lifecycle node with a robot model, swapped whole when a new description arrives.

    The description comes from the parameter `robot_description` (text), else from the file of
    `robot_description_file`, and at any time from the topic `robot_description`. Configuring
    succeeds without one; a description that does not load leaves the model as it is.
    """

    def __init__(self, name: str, **kwargs: Any):
        super().__init__(name, **kwargs)
        self.robot: Robot | None = None
        self.active = False
        self.add_parameter('robot_description', '', 'URDF text, read when configuring')
        self.add_parameter('robot_description_file', '', 'path of a URDF or xacro, read when '
                            'configuring unless robot_description is given', read_only=True)
        self.add_parameter('autostart', True, 'configure and activate at start', read_only=True)
        self._description: Any = None

    def add_parameter(self, name: str, default: Any, description: str, **options: Any) -> None:
        """Declare a parameter with its description; options: fields of ParameterDescriptor."""
        self.declare_parameter(
            name, default, ParameterDescriptor(description=description, **options))

    def require_robot(self) -> Robot:
        """Return the robot, or raise InputError that says that there is none yet."""
        if self.robot is None:
            raise InputError('no robot model yet: waiting for robot_description')
        return self.robot

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Load the model where there is one, and listen for another."""
        self._load_from_parameters()
        self._description = self.create_subscription(
            String, 'robot_description', lambda text: self.set_model(text.data.encode()), LATCHED)
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let topics be answered."""
        self.active = True
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let topics go unanswered."""
        self.active = False
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Forget the model."""
        self.destroy_subscription(self._description)
        self.robot = None
        return super().on_cleanup(state)

    def set_model(self, source: bytes | Path) -> None:
        """Swap the model for the one described, or keep it and log why not.

        source: URDF text as bytes (never taken for a path: a topic may carry anything) or a file
        """
        try:
            with warnings.catch_warnings():
                warnings.simplefilter('ignore', RobotDynamicsWarning)  # logged below
                robot = load(source)
        except RobotDynamicsError as error:
            self.get_logger().error(f'robot description refused: {error}')
            return
        for warning in robot.warnings:
            self.get_logger().warning(warning)
        self.get_logger().info(f'model with joints {", ".join(robot.joint_names)}')
        self.robot = robot

    def _load_from_parameters(self) -> None:
        text = self.get_parameter('robot_description').value
        file = self.get_parameter('robot_description_file').value
        if text or file:
            self.set_model(text.encode() if text else Path(file))

    def warn(self, error: Exception) -> None:
        """Log why a message was not used, not more often than people can read."""
        self.get_logger().warning(str(error), throttle_duration_sec=WARNING_PERIOD)


def answering(handler: Callable) -> Callable:
    """Make a service handler answer success = false and why, when the input is at fault."""
    @functools.wraps(handler)
    def answer(node: ModelNode, request: Any, response: Any) -> Any:
        try:
            handler(node, request, response)
            response.success = True
        except RobotDynamicsError as error:
            response.message = str(error)
        return response
    return answer


def run(node_type: Callable[[], ModelNode], args: list[str] | None = None) -> None:
    """Run a node until it is told to stop (Ctrl-C, SIGTERM)."""
    rclpy.init(args=args)
    try:
        executor = SingleThreadedExecutor()
        node = node_type()
        executor.add_node(node)
        if node.get_parameter('autostart').value:
            node.trigger_configure()
            node.trigger_activate()
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except InvalidParameterValueException as error:
        sys.exit(str(error))
    except RuntimeError:  # rclpy's own: a call that a stop overtook
        if rclpy.ok():
            raise
    finally:
        rclpy.try_shutdown()
