"""What acts on a robot: gravity that can be turned, a payload, a spring that pulls a link."""

from __future__ import annotations

from typing import Any

import numpy as np
import viser

from robot_dynamics.model.denoc import Array
from robot_dynamics.viewer.controls.pose import Guard
from robot_dynamics.viewer.escaping import visible
from robot_dynamics.viewer.layers.layer import instance_color, quaternion
from robot_dynamics.viewer.layers.masses import gravity_place
from robot_dynamics.viewer.panels.numbers import short
from robot_dynamics.viewer.shown_robot import ShownRobot
from robot_dynamics.viewer.solids import axis_along
from robot_dynamics.viewer.state import Carried

PULLED = instance_color((200, 30, 110))
MOST = 50.0  # [kg] of a payload
DAMPED = 0.1  # [s] damping over stiffness of the spring


class LoadControls:
    """Gravity, payload and pull of one robot."""

    def __init__(self, server: viser.ViserServer, robot: ShownRobot, guard: Guard):
        self.robot, gui = robot, server.gui
        links = {visible(name, 60): name for name in robot.dynamics.link_names}
        tip = visible(robot.dynamics.tip_names[0], 60) if robot.dynamics.tip_names else next(
            iter(links))
        with gui.add_folder('Gravity'):
            self.gravity = gui.add_vector3(
                'x y z [m/s²]', tuple(robot.gravity), min=(-30.0,) * 3, max=(30.0,) * 3, step=0.01)
            self.gravity.on_update(guard(self._weighed))
            turn = gui.add_checkbox('Turn by rings', False,
                                    hint='rings on the arrow of gravity, beside the robot')
            turn.on_update(guard(lambda _: self._show_rings(turn.value)))
        with gui.add_folder('Payload'):
            self.link = gui.add_dropdown('Link', tuple(links), initial_value=tip)
            self.mass = gui.add_slider('Mass [kg]', min=0.0, max=most_payload(robot), step=0.01,
                                       initial_value=0.0)
            self.com = gui.add_vector3('Centre x y z [m]', (0.0, 0.0, 0.0), step=0.005)
            for handle in (self.link, self.mass, self.com):
                handle.on_update(guard(self._loaded))
        with gui.add_folder('Pull'):
            self.pulling = gui.add_checkbox(
                'Pull with a spring', False, hint='drag the gizmo: the spring is the arrow')
            self.pulled = gui.add_dropdown('Pulled link', tuple(links), initial_value=tip)
            weight = 9.81 * max(robot.dynamics.moving_mass, 0.1)
            self.stiffness = gui.add_slider(
                'Stiffness [N/m]', min=1.0, max=float(np.ceil(20 * weight / robot.size)), step=1.0,
                initial_value=float(np.clip(round(2 * weight / robot.size), 1.0, None)))
            self.force = gui.add_html('')
        self.links = links
        self._make_gizmos(server, guard)
        self.pulling.on_update(guard(lambda _: self._begin()))
        self.pulled.on_update(guard(lambda _: self._begin()))
        self.stiffness.on_update(guard(lambda _: self.refresh()))

    def _make_gizmos(self, server: viser.ViserServer, guard: Guard) -> None:
        robot, scene = self.robot, server.scene
        self.handle = scene.add_transform_controls(
            f'{robot.path}/pull', scale=0.16 * robot.size, disable_rotations=True,
            depth_test=False, visible=False)
        self.handle.on_update(guard(lambda _: self.refresh()))
        self.arrow = scene.add_arrows(
            f'{robot.path}/pull_arrow', np.zeros((1, 2, 3)), PULLED, visible=False,
            shaft_radius=0.006 * robot.size, head_radius=0.016 * robot.size,
            head_length=0.035 * robot.size)
        self.rings = scene.add_transform_controls(
            f'{robot.path}/gravity_rings', scale=0.18 * robot.size, disable_axes=True,
            disable_sliders=True, depth_test=False, visible=False,
            position=gravity_place(robot), wxyz=quaternion(axis_along(robot.gravity)))
        self.rings.on_update(guard(self._turned))

    # Gravity

    def _weighed(self, event: Any) -> None:
        if event.client is not None:
            self.robot.change(gravity=np.array(self.gravity.value))

    def _turned(self, event: Any) -> None:
        w, x, y, z = self.rings.wxyz
        down = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
        self.gravity.value = tuple((down * np.linalg.norm(self.robot.gravity)).round(4).tolist())
        self.robot.change(gravity=np.array(self.gravity.value))

    def _show_rings(self, on: bool) -> None:
        self.rings.visible = on
        self.robot.layers['gravity'].switch(on)

    # Payload

    def _loaded(self, _: Any) -> None:
        self.robot.change(payload=Carried(self.links[self.link.value], float(self.mass.value),
                                          np.array(self.com.value, float)))

    # Pull

    def _begin(self) -> None:
        """Put the gizmo at the link, or take it away."""
        on = self.pulling.value
        self.handle.visible = self.arrow.visible = on
        if on:
            self.handle.position = self.robot.link_pose(self.links[self.pulled.value])[:3, 3]
        self.refresh()

    def wrench(self, link: str) -> Array:
        """Return the wrench [n, f] of spring and damper on a link at its origin, (6,)."""
        robot, state = self.robot, self.robot.state
        away = np.asarray(self.handle.position) - robot.link_pose(link)[:3, 3]
        velocity = robot.dynamics.jacobian(state.q, link)[3:] @ state.qd
        return np.concatenate([np.zeros(3), self.stiffness.value * (away - DAMPED * velocity)])

    @property
    def external(self) -> dict[str, Array] | None:
        """What the spring does now, as the verbs take it."""
        if not self.pulling.value:
            return None
        link = self.links[self.pulled.value]
        return {link: self.wrench(link)}

    def refresh(self) -> None:
        """Let the spring act on the state that is shown."""
        self.robot.pull(self.external)
        self.follow()

    def follow(self) -> None:
        """Draw the spring from the link to the gizmo."""
        if not self.pulling.value:
            self.force.content = ''
            return
        link = self.links[self.pulled.value]
        start = self.robot.link_pose(link)[:3, 3]
        self.arrow.points = np.array([[start, self.handle.position]], np.float32)
        force = float(np.linalg.norm(self.wrench(link)))
        self.force.content = ('<div style="padding:0 8px;font-size:12px">force <b class="rd-pull">'
                              f'{short(force)}</b> N</div>')


def most_payload(robot: ShownRobot) -> float:
    """Return the heaviest payload that the slider gives [kg]: half of what moves, rounded."""
    half = min(max(robot.dynamics.moving_mass / 2, 0.1), MOST)
    return float(np.ceil(half * 10) / 10)
