"""One robot on the page: its solids on frames that move, what is drawn on it, its state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import viser

from robot_dynamics.drawing.places import all_values, body_poses, link_pose
from robot_dynamics.dynamics import Dynamics
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.online.bodies import make_body
from robot_dynamics.viewer.bodies import LINK, make_parts
from robot_dynamics.viewer.escaping import visible
from robot_dynamics.viewer.layers import LAYERS
from robot_dynamics.viewer.layers.layer import quaternion
from robot_dynamics.viewer.moving import STILL, move
from robot_dynamics.viewer.state import (
    Carried,
    Readings,
    State,
    beginning,
    effort_units,
    free_rates,
)

CLOSED = 1e-3  # how far measured joint values may leave a loop open [m, or the sine of an angle]
STALE = 0.3  # opacity of a robot whose state is old
SEEN_THROUGH = 0.4  # opacity of bodies that hide what is drawn inside of them


class ShownRobot:
    """A robot in the scene, below the node `path`; `place` is its root in the scene, (3,) [m].

    `show` takes a state; `paint` sends it to the browsers. `original` is the robot as it was
    given, `dynamics` the one under the gravity and with the payload of the page.
    """

    def __init__(self, server: viser.ViserServer, path: str, name: str, dynamics: Dynamics,
                 place: Any = (0.0, 0.0, 0.0)):
        self.server, self.path, self.name = server, path, name
        self.place = np.asarray(place, float)
        self.original = dynamics
        self.gravity = np.array(dynamics.model.inertials.base.gravity)
        self.payload: Carried | None = None
        self.units, self.free = effort_units(dynamics), free_rates(dynamics)
        self.start = beginning(dynamics)
        self.said = ''
        self.opacity = 1.0  # of the bodies, 0 to 1
        self._bodies: Array | None = None
        self._take(dynamics, None)
        rest = np.zeros(dynamics.nv)
        self.state = State(self.start, rest, rest)
        self.dirty = True
        self._stand(self.state)
        self.readings = Readings(self.dynamics, self.state)
        self.parts = make_parts(dynamics, self.bodies)
        low, high = self.bounds
        self.size, self.ground = max(float(np.linalg.norm(high - low)), 0.05), float(low[2])
        self._draw()
        self.layers = {title: layer(self) for title, layer in LAYERS.items() if layer.suits(self)}
        self.paint()

    # The model

    def _take(self, dynamics: Dynamics, tree: Array | None) -> None:
        """Take another model; tree: values of all joints where a mechanism stands."""
        self.body = make_body(dynamics, CLOSED)
        self.dynamics = self.body.robot
        if tree is not None:
            self.body.stand(self.state.q, tree)

    def change(self, gravity: Array | None = None, payload: Carried | None = None) -> None:
        """Take another gravity [m/s^2] or payload; None leaves them."""
        self.gravity = self.gravity if gravity is None else np.asarray(gravity, float)
        if payload is not None:
            self.payload = payload if payload.mass > 0 else None
        changed = self.original.with_gravity(self.gravity)
        if self.payload is not None:
            changed = changed.with_payload(self.payload.link, self.payload.mass, self.payload.com)
        self._take(changed, self.body.tree)
        self.show(self.state)
        if payload is not None:
            for layer in self.layers.values():
                layer.renew()

    def swap(self, dynamics: Dynamics, payload: Carried | None = None) -> None:
        """Take another model of the same bodies, with what it carries already in it.

        payload: what is drawn of that
        """
        before, self.payload = self.payload, payload
        self.original = dynamics
        self.gravity = np.array(dynamics.model.inertials.base.gravity)
        self._take(dynamics, self.body.tree)
        self.show(self.state)
        if before is not payload and repr(before) != repr(payload):
            for layer in self.layers.values():
                layer.renew()

    # The state

    @property
    def values(self) -> Array:
        """The joint values that poses take: of a mechanism those of all its joints."""
        return all_values(self.dynamics, self.state.q)

    @property
    def torque(self) -> Array:
        """The efforts that are shown, (nv,)."""
        return self.readings.torque

    def show(self, state: State) -> None:
        """Take a state; `InputError`, `SingularityError`: one that the robot cannot be in."""
        self._stand(state)
        self.readings = Readings(self.dynamics, state)
        self.dirty = True

    @property
    def bodies(self) -> Array:
        """The poses of the bodies, (L, 4, 4), in the root frame: computed when asked for."""
        if self._bodies is None:
            self._bodies = body_poses(self.dynamics.model, self.values)
        return self._bodies

    def _stand(self, state: State) -> None:
        self.said = self.body.stand(state.q, state.near)
        self._bodies = None
        changed, self.state = state.stale != self.state.stale, state
        if changed:
            self.shade()

    def pull(self, external: dict[str, Array] | None) -> None:
        """Let wrenches act: {link: [n, f] at its origin, in root axes}."""
        self.show(replace(self.state, external=external))

    def link_pose(self, link: str) -> Array:
        """Return the pose of a link, (4, 4), in the robot's root frame."""
        return link_pose(self.dynamics.model, self.bodies, link)

    def joint_columns(self, rows: Array) -> Array:
        """Return the columns of a matrix (k, nv) that belong to joints, without floating ones."""
        return np.delete(rows, sorted(self.free), axis=1)

    # The scene

    def node(self, body: int = -1) -> str:
        """Return the scene node of a body (-1: the root)."""
        return f'{self.path}/bodies/{body}' if body >= 0 else f'{self.path}/root'

    def _draw(self) -> None:
        scene = self.server.scene
        self.root = scene.add_frame(self.path, show_axes=False, position=self.place)
        scene.add_frame(self.node(), show_axes=False)
        scene.add_frame(f'{self.path}/bodies', show_axes=False)
        self.frames = [scene.add_frame(self.node(i), show_axes=False)
                       for i in range(len(self.bodies))]
        low, high = self.bounds
        middle, top = (low + high) / 2 - self.place, high[2] - self.place[2]
        self.title = scene.add_label(
            f'{self.path}/title', visible(self.name, 60), visible=False, anchor='bottom-center',
            position=(float(middle[0]), float(middle[1]), float(top) + 0.05 * self.size))
        self._sent = np.full((len(self.bodies), 4, 4), np.inf)
        self.meshes = []
        for k, (body, solid, _) in enumerate(self.parts):
            color = solid.color or LINK
            self.meshes.append(scene.add_mesh_simple(
                f'{self.node(body)}/{k}', solid.vertices.astype(np.float32), solid.faces,
                color=np.array(color[:3]), opacity=None if color[3] >= 1 else color[3]))

    def paint(self) -> None:
        """Send the poses, and what is drawn on the robot."""
        self.dirty = False
        moved = np.flatnonzero(np.abs(self.bodies - self._sent).max(axis=(1, 2)) > STILL)
        wxyz = quaternion(self.bodies[moved, :3, :3]) if len(moved) else ()
        with self.server.atomic():
            for i, turn in zip(moved, wxyz, strict=True):
                move(self.frames[i], turn, self.bodies[i, :3, 3])
            self._update(slow=False)
        self._sent[moved] = self.bodies[moved]

    def paint_slowly(self) -> None:
        """Send what need not follow each pose."""
        with self.server.atomic():
            self._update(slow=True)

    def _update(self, slow: bool) -> None:
        for layer in self.layers.values():
            if layer.on and layer.slow == slow:
                layer.update()

    def shade(self) -> None:
        """Show the bodies as solid as people want them, less so what is old or hides something."""
        hiding = any(layer.on and layer.inside for layer in self.layers.values())
        seen = min(self.opacity, STALE if self.state.stale else 1.0,
                   SEEN_THROUGH if hiding else 1.0)
        for mesh, part in zip(self.meshes, self.parts, strict=True):
            opacity = min(seen, (part.solid.color or LINK)[3])
            mesh.opacity = None if opacity >= 1 else opacity

    @property
    def bounds(self) -> tuple[Array, Array]:
        """The corners of the box around the robot as it stands, (3,) each, in the scene [m]."""
        points = [np.zeros((1, 3)), self.bodies[:, :3, 3]]
        for body, solid, _ in self.parts:
            T = self.bodies[body] if body >= 0 else np.eye(4)
            box = np.array([solid.vertices.min(axis=0), solid.vertices.max(axis=0)])
            corners = np.stack(np.meshgrid(*box.T), -1).reshape(-1, 3)
            points.append(corners @ T[:3, :3].T + T[:3, 3])
        stacked = np.vstack(points) + self.place
        return stacked.min(axis=0), stacked.max(axis=0)

    def remove(self) -> None:
        """Take it out of the scene."""
        self.root.remove()
