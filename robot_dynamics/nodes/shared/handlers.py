"""What stands around the handlers of the nodes: services answer and transitions say why not."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable
from typing import Any

from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn

from robot_dynamics.errors import RobotDynamicsError

Transition = Callable[[Any, LifecycleState], TransitionCallbackReturn]


def answering(handler: Callable[..., None]) -> Callable[..., Any]:
    """Make a service handler answer success = false and why, when the input is at fault."""
    @functools.wraps(handler)
    def answer(node: Any, request: Any, response: Any) -> Any:
        try:
            handler(node, request, response)
            response.success = True
        except RobotDynamicsError as error:
            response.message = str(error)
        return response
    return answer


def saying_why(transition: Transition) -> Transition:
    """Make a transition log why it fails: rclpy keeps that to itself."""
    @functools.wraps(transition)
    def change(node: Any, state: LifecycleState) -> TransitionCallbackReturn:
        try:
            return transition(node, state)
        except Exception:
            node.get_logger().error(f'{transition.__name__} failed:\n{traceback.format_exc()}')
            raise
    return change
