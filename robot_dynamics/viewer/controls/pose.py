"""Sliders for the joints, and a gizmo for a base that floats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import viser

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.simulation.layout import Layout
from robot_dynamics.viewer.escaping import visible
from robot_dynamics.viewer.shown_robot import ShownRobot
from robot_dynamics.viewer.state import State

TURN, SLIDE = np.pi, 1.0  # [rad, m] either way, where a joint has no limits
FAR = 1e6  # [rad, m] a limit beyond is one that someone had to write
DIGITS = 4  # of a slider's value: more do not fit its box
Guard = Callable[[Callable[..., Any]], Callable[..., None]]  # the page's lock and messages


class PoseControls:
    """The sliders of a robot's joints, of a mechanism its actuated ones; passive joints follow.

    guard: wraps what the page calls when somebody moved one of them
    """

    def __init__(self, server: viser.ViserServer, robot: ShownRobot, guard: Guard):
        self.robot, self._guard = robot, guard
        gui, dynamics = server.gui, robot.dynamics
        names = dynamics.value_names
        self.layout = Layout(names)
        self.sliders: list[tuple[int, Any]] = []
        for q, v in self.layout.single:
            low, high = slider_range(dynamics, v, robot.units[v] == 'N')
            unit = 'm' if robot.units[v] == 'N' else 'rad'
            slider = gui.add_slider(
                f'{visible(names[q], 40)} [{unit}]', min=low, max=high,
                step=round((high - low) / 2000, 6) or 1e-6,
                initial_value=shown_value(robot.state.q[q], low, high))
            slider.on_update(guard(self._slid))
            self.sliders.append((q, slider))
        rest = gui.add_button('Rest', hint='back to where it began')
        rest.on_click(guard(lambda _: self._move(robot.start)))
        chance = gui.add_button('Any pose', hint='joint values at random, within the limits')
        chance.on_click(guard(lambda _: self._move(self._any())))
        self._add_gizmos(server)

    def _add_gizmos(self, server: viser.ViserServer) -> None:
        """Add a gizmo for each floating joint, and the checkbox that shows them."""
        self.gizmos: list[tuple[int, Any]] = []
        if not self.layout.poses:
            return
        box = server.gui.add_checkbox('Base gizmo', False, hint='moves and turns the base')
        for k, (q, _) in enumerate(self.layout.poses):
            gizmo = server.scene.add_transform_controls(
                f'{self.robot.path}/gizmo{k}', scale=0.35 * self.robot.size, visible=False,
                depth_test=False, **pose_at(self.robot.state.q, q))
            gizmo.on_update(self._guard(self._dragged))
            self.gizmos.append((q, gizmo))
        box.on_update(lambda _: self._show_gizmos(box.value))

    def _show_gizmos(self, on: bool) -> None:
        for _, gizmo in self.gizmos:
            gizmo.visible = on

    def _slid(self, event: Any) -> None:
        if event.client is None:  # the page itself moved it
            return
        q = self.robot.state.q.copy()
        for k, slider in self.sliders:
            if slider is event.target:  # the others show rounded values
                q[k] = slider.value
        self._move(q)

    def _dragged(self, event: Any) -> None:
        q = self.robot.state.q.copy()
        for k, gizmo in self.gizmos:
            w, x, y, z = gizmo.wxyz
            q[k:k + 7] = [*gizmo.position, x, y, z, w]
        self._move(q)

    def _any(self) -> Any:
        q, generator = self.robot.state.q.copy(), np.random.default_rng()
        for k, slider in self.sliders:
            q[k] = generator.uniform(slider.min, slider.max)
        return q

    def _move(self, q: Any) -> None:
        rest = np.zeros(self.robot.dynamics.nv)
        self.robot.show(State(np.asarray(q, float), rest, rest,
                              external=self.robot.state.external))

    def follow(self) -> None:
        """Set the sliders to where the robot is."""
        state = self.robot.state
        for k, slider in self.sliders:
            slider.value = shown_value(state.q[k], slider.min, slider.max)
        for k, gizmo in self.gizmos:
            for key, value in pose_at(state.q, k).items():
                setattr(gizmo, key, value)


def slider_range(dynamics: Dynamics, v: int, slides: bool) -> tuple[float, float]:
    """Return the limits of a joint, or what a slider has where there are none."""
    low, high = float(dynamics.limits.lower[v]), float(dynamics.limits.upper[v])
    most = SLIDE if slides else TURN
    bounded = abs(low) < FAR, abs(high) < FAR
    low = low if bounded[0] else min(-most, high - 2 * most if bounded[1] else -most)
    high = high if bounded[1] else max(most, low + 2 * most)
    return (low, high) if high - low > 1e-9 else (low - 1e-3, high + 1e-3)


def shown_value(value: float, low: float, high: float) -> float:
    """Return a joint value as its slider shows it: within its limits, with few digits."""
    return float(np.clip(round(float(value), DIGITS), low, high))


def pose_at(q: Any, k: int) -> dict[str, Any]:
    """Return the pose of a floating joint whose values begin at column k, as nodes take it."""
    x, y, z, w = q[k + 3:k + 7]
    return {'position': np.array(q[k:k + 3]), 'wxyz': np.array([w, x, y, z])}
