"""What all nodes share: the lifecycle, the robot model and where it comes from."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from rclpy.clock import JumpThreshold
from rclpy.duration import Duration
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.executors import ExternalShutdownException
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from robot_dynamics_interfaces.srv import SetPayload
from std_msgs.msg import String

from robot_dynamics.description.comparison import same, text_of
from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.nodes.shared.discovery import find_each_other_quickly
from robot_dynamics.nodes.shared.executor import StreamExecutor
from robot_dynamics.nodes.shared.handlers import answering
from robot_dynamics.nodes.shared.models import MODEL_SETTINGS, base_of, build_model
from robot_dynamics.nodes.shared.opening import LATCHED, OpeningNode
from robot_dynamics.nodes.shared.overrides import unknown_parameters
from robot_dynamics.nodes.shared.payloads import read_payload
from robot_dynamics.nodes.shared.settings import Setting, Settings
from robot_dynamics.simulation.online.limit_watch import LimitWatch

STOPPING = 0.2  # [s] until rclpy knows of a signal that Python has seen
WARNING_PERIOD = 5.0  # [s] between warnings in the same words
WARNINGS = 5  # in that time
TURNED = 1e-9  # by which axes must turn for gravity to be another


class ModelNode(OpeningNode):
    """A lifecycle node with a robot model, swapped whole when anything about it changes.

    The description comes from the parameter `robot_description` (text), else from the file of
    `robot_description_file`, and at any time from the topic `robot_description`. Configuring
    succeeds without one; a description that does not load, or that says what the last one said,
    leaves the model as it is. With `mechanism_file` the model is that file's and stays: a
    description tells the tree, and nothing of its loops.

    A contract for whoever adds a node:
    1. Give your parameters (`Setting`) to the constructor; `settings` holds their values.
    2. In `on_configure` open what you need by `listen`, `offer`, `serve` and `every`, then call
       super's. What was opened is remembered, and closed by `on_cleanup`; what is more than a
       topic, a service or a timer is closed by what you give to `when_closed`.
    3. Write the hooks you need: `model_changed`, `settings_changed`, `forget`.
    4. Callbacks of topics do nothing unless `active`, and `warn` of what they cannot use.
    """

    def __init__(self, name: str, settings: Iterable[Setting] = (), **options: Any):
        super().__init__(name, **options)
        self.robot: Dynamics | None = None
        self.active = False
        self.payloads: dict[str, tuple[Any, ...]] = {}  # link -> mass, centre, inertia
        self._described: Dynamics | None = None  # without payloads
        self._text: bytes | None = None  # that it was loaded from
        self._limits: LimitWatch | None = None
        self._new_text: tuple[str, Dynamics] | None = None  # a parameter, loaded to check it
        table = {setting.name: setting for setting in (*MODEL_SETTINGS, *settings)}
        table['robot_description'] = Setting(
            'robot_description', '', table['robot_description'].description,
            check=self._check_text)
        self.settings = Settings(self, table.values(), self.settings_changed)
        self.settings.base = base_of(self.settings)
        self._own_gravity = 'gravity' in self._parameter_overrides  # else a mechanism's file says
        self._told = False  # that descriptions are not taken
        self._turn: np.ndarray | None = None  # (3, 3) the root's axes in the world, by an imu
        self._warned: dict[str, float] = {}  # reason: when it was last logged [s]
        self._jump = self.get_clock().create_jump_callback(
            JumpThreshold(min_forward=None, min_backward=Duration(nanoseconds=-1)),
            post_callback=lambda jump: self._jumped_back(jump))

    # Hooks for the nodes

    def settings_changed(self, names: set[str]) -> None:
        """Act on parameters that have just been set."""
        if 'robot_description' in names and self._new_text is not None:
            text, robot = self._new_text
            self._new_text = None
            self._take(robot, text.encode())
        elif 'gravity' in names:
            self._own_gravity = True
            self.compose()

    def model_changed(self, robot: Dynamics | None) -> None:
        """Act on a new model."""

    def gravity_turned(self, robot: Dynamics) -> None:
        """Act on a model that differs from the last one in gravity alone."""
        self.model_changed(robot)

    def forget(self) -> None:
        """Drop what was derived from states of the past: the clock has jumped back."""

    def require_robot(self) -> Dynamics:
        """Return the robot, or raise InputError that says that there is none yet."""
        if self.robot is None:
            raise InputError(self.modelless)
        return self.robot

    @property
    def modelless(self) -> str:
        """Why there is no model."""
        file = self.settings.mechanism_file
        return (f'no robot model: mechanism_file {file} was refused' if file else
                'no robot model yet: waiting for robot_description')

    # Lifecycle

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Load the model where there is one, and listen for another."""
        text, file = self.settings.robot_description, self.settings.robot_description_file
        mechanism = self.settings.mechanism_file
        if mechanism or text or file:
            self.set_model(text.encode() if text and not mechanism else Path(mechanism or file))
        self.listen(String, 'robot_description', self._on_description, LATCHED)
        self.serve(SetPayload, 'set_payload', self.set_payload)
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let topics be answered."""
        self.active = True
        if self.robot is None:
            self.get_logger().info(self.modelless)
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let topics go unanswered."""
        self.active = False
        self.forget()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close what was opened; forget the model."""
        self.close_all()
        self.payloads = {}
        self._described = self.robot = self._text = self._limits = self._turn = None
        self.forget()
        self.model_changed(None)
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Go quiet for good."""
        self.active = False
        return super().on_shutdown(state)

    # The model

    def load_model(self, source: bytes | Path) -> Dynamics:
        """Return the model that a description and the parameters tell."""
        return build_model(source, self.settings)

    def _on_description(self, message: String) -> None:
        if not self.settings.mechanism_file:
            self.set_model(message.data.encode())
        elif not self._told:
            self._told = True
            self.get_logger().info('robot_description is not taken: the model stays that of '
                                   f'{self.settings.mechanism_file}')

    def set_model(self, source: bytes | Path) -> None:
        """Swap the model for the one described, or keep it and log why not.

        source: URDF text as bytes (never taken for a path: a topic may carry anything) or a file
        """
        text = text_of(source)
        if same(text, self._text):
            return
        what = 'mechanism file' if self.settings.mechanism_file else 'robot description'
        self.get_logger().info(f'loading a {what}')
        try:
            robot = self.load_model(source)
        except RobotDynamicsError as error:
            self.get_logger().error(f'{what} refused: {error}')
            return
        self._take(robot, text)

    def _take(self, robot: Dynamics, text: bytes | None) -> None:
        self._text, self._limits = text, LimitWatch(robot)
        for warning in robot.warnings:
            self.get_logger().warning(warning)
        self.get_logger().info(f'model with joints {", ".join(robot.joint_names)}')
        for link in [link for link in self.payloads if link not in robot.link_names]:
            self.get_logger().warning(f'payload dropped: the new model has no link {link!r}')
            del self.payloads[link]
        self._described = robot
        self.compose()

    def _check_text(self, text: str) -> None:
        self._new_text = None
        if text and hasattr(self, 'settings') and self.settings.mechanism_file:
            raise InputError('the model is that of mechanism_file, and stays')
        if text and hasattr(self, 'settings') and not same(text.encode(), self._text):
            self._new_text = (text, self.load_model(text.encode()))

    def turn_gravity(self, R: np.ndarray) -> None:
        """Let gravity follow the root link; R: (3, 3) its axes in the world."""
        if self._turn is None or np.abs(self._turn - R).max() > TURNED:
            self._turn = R
            self.compose(changed=self.gravity_turned)

    def compose(self, payloads: dict[str, tuple[Any, ...]] | None = None,
                changed: Callable[[Dynamics], None] | None = None) -> None:
        """Make the robot anew of its description, gravity and payloads, and swap it in.

        payloads: others than so far; one that is refused leaves all as it is; changed: the hook
        that is told, `model_changed` unless given
        """
        if self._described is None:
            return
        payloads = self.payloads if payloads is None else payloads
        robot = self._described
        gravity = np.array(self.settings.gravity)
        if self.settings.mechanism_file and not self._own_gravity:
            gravity = robot.model.inertials.base.gravity
        if self._turn is not None:
            gravity = self._turn.T @ gravity
        robot = robot.with_gravity(gravity)
        for link, payload in payloads.items():
            robot = robot.with_payload(link, *payload)
        self.robot, self.payloads = robot, payloads
        (changed or self.model_changed)(robot)

    @answering
    def set_payload(self, request: Any, response: Any) -> None:
        """Serve SetPayload: fasten a body to a link in place of the one before."""
        robot = self.require_robot()
        if request.link not in robot.link_names:
            raise InputError(f'link {request.link!r}: expected one of '
                             + ', '.join(robot.link_names))
        payload = read_payload(request.inertia)
        payloads = {link: old for link, old in self.payloads.items() if link != request.link}
        if payload[0]:
            payloads[request.link] = payload
        self.compose(payloads)

    def _jumped_back(self, jump: Any) -> None:
        if jump.delta.nanoseconds < 0:  # else simulated time has begun or ended
            self.get_logger().warning(f'the clock jumped by {jump.delta.nanoseconds * 1e-9:.3f} s')
        self.forget()

    @property
    def diagnostics_name(self) -> str:
        """The node's name as /diagnostics has it."""
        return str(self.get_fully_qualified_name()).lstrip('/')

    def watch_limits(self, q: np.ndarray, what: str) -> None:
        """Warn once of each joint whose values, (n,) or (N, n) [rad or m], leave its limits."""
        if self._limits is not None and (text := self._limits.look(q, what)):
            self.get_logger().warning(text)

    def warn(self, error: Exception) -> None:
        """Log why a message was not used, each reason not more often than people can read."""
        text, now = str(error), time.monotonic()
        if now - self._warned.get(text, -WARNING_PERIOD) >= WARNING_PERIOD:
            recent = {old: at for old, at in self._warned.items() if now - at < WARNING_PERIOD}
            if len(recent) < WARNINGS:
                self._warned = {**recent, text: now}
                self.get_logger().warning(text)


def run(*node_types: Callable[[], ModelNode], args: list[str] | None = None) -> None:
    """Run nodes in this process until it is told to stop (Ctrl-C, SIGTERM)."""
    find_each_other_quickly()
    rclpy.init(args=args)
    try:
        executor = StreamExecutor()
        nodes = [node_type() for node_type in node_types]
        for node in nodes:
            executor.add_node(node)
            if text := unknown_parameters(node):
                node.get_logger().warning(text)
            if node.settings.autostart:
                node.trigger_configure()
                node.trigger_activate()
        # A full collection walks over all that was imported and holds the loop up for tens of
        # milliseconds; what is there now stays, and need not be looked at again.
        gc.collect()
        gc.freeze()
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except (InvalidParameterTypeException, InvalidParameterValueException) as error:
        sys.exit(str(error))
    except RuntimeError:  # rclpy's own: a call that a stop overtook
        time.sleep(STOPPING)
        if rclpy.ok():
            raise
    finally:
        rclpy.try_shutdown()
